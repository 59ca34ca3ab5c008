// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINEWORKITEMS_HPP
#define LACUNA_ENGINEWORKITEMS_HPP

#include <kernels/spmm/algorithms/tiled_engine/Lacuna_PackEngineTiles.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief How SpMM on engine tiles is shared out: C in blocks of rows and panels of columns, and, where these are too
/// few to fill a device, the columns of A in slices. A work item is one slice of one block; a team does several in
/// turn.

namespace lacuna::Impl {

/// The tiles [first, end) of a row of tiles.
struct EngineTileRange {
  std::int32_t first = 0;
  std::int32_t end   = 0;
};

/// Where slices meet: at a position for each group of rows and panel of columns.
struct EngineSlices {
  int count            = 1;
  std::int64_t tiles   = 1;  ///< of a slice
  float* sums          = nullptr;
  std::int32_t* counts = nullptr;  ///< of slices that have come; 0 between products

  static std::size_t bytes(std::int64_t positions, int count, int width) {
    return static_cast<std::size_t>(positions) *
           (sizeof(std::int32_t) +
            static_cast<std::size_t>(count * EngineTileShape::group_rows * width) * sizeof(float));
  }
};

struct EngineWorkItems {
  EngineSlices slices;
  int count         = 0;
  int blocks        = 1;
  int tiles_per_row = 1;

  KOKKOS_FORCEINLINE_FUNCTION int slice(int item) const { return item % slices.count; }
  // Teams that run at once share columns of B.
  KOKKOS_FORCEINLINE_FUNCTION int block(int item) const { return item / slices.count % blocks; }
  KOKKOS_FORCEINLINE_FUNCTION int panel(int item) const { return item / slices.count / blocks; }
  KOKKOS_FORCEINLINE_FUNCTION EngineTileRange range(int item) const {
    const std::int64_t first = slice(item) * slices.tiles, end = first + slices.tiles;
    return {static_cast<std::int32_t>(first < tiles_per_row ? first : tiles_per_row),
            static_cast<std::int32_t>(end < tiles_per_row ? end : tiles_per_row)};
  }
};

/// A tile among those that a team goes through: of work item `rank`, `rank + step`, ...
class EngineCursor {
 public:
  KOKKOS_FORCEINLINE_FUNCTION EngineCursor(const EngineWorkItems& work_items, int rank, int step)
      : m_work_items(work_items), m_step(step) {
    begin(rank);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_there() const { return m_item < m_work_items.count; }
  KOKKOS_FORCEINLINE_FUNCTION int item() const { return m_item; }
  KOKKOS_FORCEINLINE_FUNCTION std::int32_t tile() const { return m_range.first; }
  KOKKOS_FORCEINLINE_FUNCTION void next() {
    if (++m_range.first >= m_range.end) begin(m_item + m_step);
  }

 private:
  /// The first tile of that item, or of one behind it: a slice may have none.
  KOKKOS_FORCEINLINE_FUNCTION void begin(int item) {
    for (m_item = item; m_item < m_work_items.count; m_item += m_step) {
      m_range = m_work_items.range(m_item);
      if (m_range.first < m_range.end) return;
    }
  }

  const EngineWorkItems& m_work_items;
  int m_step, m_item = 0;
  EngineTileRange m_range;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINEWORK_HPP
#define LACUNA_ENGINEWORK_HPP

#include <kernels/spmm/algorithms/tiled_engine/Lacuna_PackEngineTiles.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief How SpMM on engine tiles is shared out: C in blocks of rows and panels of columns, and, where these are too
/// few to fill a device, the columns of A in parts. A work is one part of one block; a team does several in turn.

namespace lacuna::Impl {

/// The tiles [first, end) of a row of tiles.
struct EngineTileRange {
  std::int32_t first = 0;
  std::int32_t end   = 0;
};

/// Where parts meet: at a place for each group of rows and panel of columns.
struct EngineParts {
  int count            = 1;
  std::int64_t tiles   = 1;  ///< of a part
  float* sums          = nullptr;
  std::int32_t* counts = nullptr;  ///< of parts that have come; 0 between products

  static std::size_t bytes(std::int64_t places, int count, int width) {
    return static_cast<std::size_t>(places) *
           (sizeof(std::int32_t) +
            static_cast<std::size_t>(count * EngineTileShape::group_rows * width) * sizeof(float));
  }
};

struct EngineWorkItems {
  EngineParts parts;
  int count         = 0;
  int blocks        = 1;
  int tiles_per_row = 1;

  KOKKOS_FORCEINLINE_FUNCTION int part(int work) const { return work % parts.count; }
  // Teams that run at once share columns of B.
  KOKKOS_FORCEINLINE_FUNCTION int block(int work) const { return work / parts.count % blocks; }
  KOKKOS_FORCEINLINE_FUNCTION int panel(int work) const { return work / parts.count / blocks; }
  KOKKOS_FORCEINLINE_FUNCTION EngineTileRange range(int work) const {
    const std::int64_t first = part(work) * parts.tiles, end = first + parts.tiles;
    return {static_cast<std::int32_t>(first < tiles_per_row ? first : tiles_per_row),
            static_cast<std::int32_t>(end < tiles_per_row ? end : tiles_per_row)};
  }
};

/// A tile among those that a team goes through: of work `rank`, `rank + step`, ...
class EngineCursor {
 public:
  KOKKOS_FORCEINLINE_FUNCTION EngineCursor(const EngineWorkItems& work_items, int rank, int step)
      : m_work_items(work_items), m_step(step) {
    begin(rank);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_there() const { return m_work < m_work_items.count; }
  KOKKOS_FORCEINLINE_FUNCTION int work() const { return m_work; }
  KOKKOS_FORCEINLINE_FUNCTION std::int32_t tile() const { return m_range.first; }
  KOKKOS_FORCEINLINE_FUNCTION void next() {
    if (++m_range.first >= m_range.end) begin(m_work + m_step);
  }

 private:
  /// The first tile of that work, or of one behind it: a part may have none.
  KOKKOS_FORCEINLINE_FUNCTION void begin(int work) {
    for (m_work = work; m_work < m_work_items.count; m_work += m_step) {
      m_range = m_work_items.range(m_work);
      if (m_range.first < m_range.end) return;
    }
  }

  const EngineWorkItems& m_work_items;
  int m_step, m_work = 0;
  EngineTileRange m_range;
};

}  // namespace lacuna::Impl

#endif

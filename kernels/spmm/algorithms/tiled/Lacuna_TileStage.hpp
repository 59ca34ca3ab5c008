// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TILESTAGE_HPP
#define LACUNA_TILESTAGE_HPP

#include <kernels/spmm/algorithms/tiled/Lacuna_TileForm.hpp>
#include <kernels/spmm/algorithms/tiled/Lacuna_TiledMatrix.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// \brief Layout of the scratch of a team: stages with a tile of B, pack by pack, the records of the tile and its
/// nonzeros; behind them the barriers of the stages. All offsets are multiples of 128 bytes.
struct TileStage {
  /// One stage is used while the other fills. With three, tiles would be smaller and slower.
  static constexpr int count         = 2;
  static constexpr int most_box_rows = 256;  ///< most rows that a copy engine brings at once
  struct alignas(128) Line {
    char bytes[128];
  };

  int boxes    = 1;  ///< boxes that fill a pack of the tile of B
  int box_rows = 1;

  TileStage() = default;
  TileStage(const TileShape& tile, const TileForm& form, int lane_width, const TiledScalars& scalars,
            std::int64_t entries)
      : boxes(static_cast<int>(ceiling_quotient(tile.columns, most_box_rows))),
        box_rows(static_cast<int>(ceiling_quotient(tile.columns, boxes))),
        m_row_bytes(lane_width * form.lane_bytes(scalars)),
        m_packs(form.packs),
        m_record_bytes(static_cast<int>(tile.numbers() * 2)),
        m_entries(static_cast<int>(round_up(B_bytes(), 128) + round_up(m_record_bytes, 128))),
        m_bytes(m_entries + static_cast<int>(round_up(entries * tiled_entry_bytes(scalars.A), 128))) {}

  KOKKOS_FUNCTION int box_bytes() const { return box_rows * m_row_bytes; }
  KOKKOS_FUNCTION int pack_bytes() const { return boxes * box_bytes(); }
  KOKKOS_FUNCTION int B_bytes() const { return m_packs * pack_bytes(); }
  KOKKOS_FUNCTION int records() const { return m_entries - static_cast<int>(round_up(m_record_bytes, 128)); }
  KOKKOS_FUNCTION int record_bytes() const { return m_record_bytes; }
  KOKKOS_FUNCTION int entries() const { return m_entries; }
  KOKKOS_FUNCTION int bytes() const { return m_bytes; }  ///< of a stage
  KOKKOS_FUNCTION int barriers() const { return count * m_bytes; }
  KOKKOS_FUNCTION std::size_t lines() const { return static_cast<std::size_t>(barriers() / 128 + 1); }
  /// Bytes of a team, including alignment of the first line.
  std::int64_t all_bytes() const { return static_cast<std::int64_t>(lines() + 1) * 128; }

 private:
  int m_row_bytes    = 0;  ///< of a pack
  int m_packs        = 1;
  int m_record_bytes = 0;
  int m_entries      = 0;
  int m_bytes        = 0;
};

}  // namespace lacuna::Impl

#endif

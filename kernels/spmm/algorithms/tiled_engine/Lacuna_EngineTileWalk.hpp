// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINETILEWALK_HPP
#define LACUNA_ENGINETILEWALK_HPP

#include <Lacuna_Mma.hpp>
#include <Lacuna_Stages.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_PackEngineTiles.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief How a lane group of SpMM on engine tiles comes to its sums.
///
/// C = A B by products of 16 rows, 16 active columns and 8 columns of B. A's operand comes from memory, a few steps
/// ahead; B's 16 rows are gathered from the tile in scratch by `RowsOfB` where they lie. While a team works on a tile,
/// the next one comes to the other stage, a few copies with every step: all at once they would fill the queue that the
/// gathers stand in too. One barrier a tile.
///
/// Bound: scratch. 16 rows that use a column with r nonzeros read its 2 bytes of B once for r multiply-adds, where
/// scalar units read them r times; 90 % zeros have r = 1.96, 95 % 1.43.

namespace lacuna::Impl {

/// B in an engine's elements, row-major, rows start at multiples of 16 bytes. `readable`: elements of a row, a multiple
/// of 8.
template <class Element>
struct PackedRows {
  const Element* data     = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t readable   = 0;
};

/// From one row of a tile to the next: 16 bytes more than the row, so that eight rows in order lie in different banks.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t engine_row_bytes(int width) { return 2 * width + 16; }

/// A tile of B, and a row of zeros behind it.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t engine_stage_bytes(std::int64_t tile_columns, int width) {
  return (tile_columns + 1) * engine_row_bytes(width);
}

/// Scratch of a team that goes through `tiles` tiles: two stages, one where there is nothing to copy ahead.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t engine_scratch_bytes(std::int64_t tile_columns, int width,
                                                                        std::int64_t tiles) {
  return (tiles > 1 ? 2 : 1) * engine_stage_bytes(tile_columns, width) + 64;
}

/// The tiles [first, end) of a row of tiles, which a team goes through; one of them needs one stage alone.
struct EngineTileRange {
  std::int32_t first = 0;
  std::int32_t end   = 0;
  int stages         = 2;
};

/// \tparam tiles of 16 columns of C that a lane group has
/// \tparam ahead steps of A that are on their way, at most `EngineTileShape::read_ahead`
template <class Team, class Mma, int tiles, int ahead>
class EngineTileWalk {
  using Element = typename Mma::element;
  using Sum     = typename Mma::C;
  using Stages  = typename Team::stages;
  using Rows    = Fragment<typename Stages::Address, 1, Mma::lanes_held>;
  using Step    = EngineStep<Element>;
  using Tiled   = EngineTileArrays<Element>;

  static_assert(Mma::m == 16 && Mma::n == 8 && Mma::k == 16 && sizeof(Element) == 2);

  static constexpr int width     = 16 * tiles;
  static constexpr int pieces    = width / 8;  ///< of 16 bytes, of a row of a tile
  static constexpr int row_bytes = static_cast<int>(engine_row_bytes(width));

 public:
  KOKKOS_FORCEINLINE_FUNCTION EngineTileWalk(const Team& team, const Tiled& tiled, const PackedRows<Element>& B,
                                             const EngineTileRange& range, std::int64_t first_column,
                                             std::int64_t group, int copies)
      : m_team(team),
        m_tiled(tiled),
        m_B(B),
        m_first_column(first_column),
        m_copies(copies),
        m_is_there(group < tiled.groups),
        m_begins(tiled.begins + (m_is_there ? group * tiled.tiles_per_row : 0)),
        m_tile(range.first),
        m_end_tile(range.end) {
    const auto stage = static_cast<int>(engine_stage_bytes(tiled.tile_columns, width));
    char* scratch    = team.template scratch<char>(static_cast<std::size_t>(range.stages * stage));
    for (int i = team.thread(); i < range.stages * pieces; i += team.threads())
      *reinterpret_cast<Pack<std::uint32_t, 4>*>(scratch + i / pieces * stage +
                                                 static_cast<int>(tiled.tile_columns) * row_bytes + i % pieces * 16) =
          Pack<std::uint32_t, 4>{};
    m_stage = Stages::address(scratch);
    m_other = m_stage + (range.stages - 1) * stage;
    m_step = m_end = m_next = m_begins[m_tile];
    if (m_is_there && m_tile < m_end_tile) m_next = m_begins[m_tile + 1];
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_to(Sum* sums) {
    Ahead steps[ahead];
    LACUNA_UNROLL
    for (int i = 0; i < ahead; ++i) load(steps[i], m_step + i);
    start_copies_of(m_tile);
    if (!next_tile()) return;
    for (;;) {
      LACUNA_UNROLL
      for (int i = 0; i < ahead; ++i) {
        while (m_step == m_end)
          if (!next_tile()) return;
        multiply(steps[i], sums);
        load(steps[i], m_step + ahead);
        for (int c = 0; c < m_copies; ++c) copy_a_piece();
        ++m_step;
      }
    }
  }

 private:
  /// What a product needs of A.
  struct Ahead {
    typename Mma::A values;
    Fragment<int, 1, Mma::lanes_held> place;
  };

  /// Steps up to `ahead` behind the last of all can be read.
  KOKKOS_FORCEINLINE_FUNCTION void load(Ahead& to, std::int32_t at) const {
    const Step* const step = m_tiled.steps + at;
    for_each_lane<Mma>(m_team.lane(), [&](int lane) {
      const auto values =
          Team::lanes::load_streaming(reinterpret_cast<const Pack<std::uint32_t, 4>*>(step->values) + lane);
      memcpy(&to.values(lane, 0), &values, sizeof(values));
      to.place(lane, 0) = step->places[lane % 16];
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Ahead& step, Sum* sums) const {
    Rows rows;
    for_each_lane<Mma>(m_team.lane(),
                       [&](int lane) { rows(lane, 0) = m_stage + (step.place(lane, 0) * row_bytes + lane / 16 * 16); });
    LACUNA_UNROLL
    for (int tile = 0; tile < tiles; ++tile) {
      typename Mma::B left, right;
      Mma::RowsOfB::load(left, right, rows, tile * 32);
      Mma::fma(sums[2 * tile], step.values, left, sums[2 * tile]);
      Mma::fma(sums[2 * tile + 1], step.values, right, sums[2 * tile + 1]);
    }
  }

  /// Goes on to the tile that the copies were made for, and starts those for the one behind it.
  KOKKOS_FORCEINLINE_FUNCTION bool next_tile() {
    if (m_tile >= m_end_tile) return false;
    while (m_piece < m_last_piece) copy_a_piece();
    Stages::commit();
    Stages::template wait<0>();
    m_team.barrier();
    const auto stage = m_stage;
    m_stage          = m_other;
    m_other          = stage;
    ++m_tile;
    m_end = m_next;
    if (m_tile < m_end_tile) {
      start_copies_of(m_tile);
      if (m_is_there) m_next = m_begins[m_tile + 1];
    } else {
      m_piece = m_last_piece = 0;
    }
    return true;
  }

  /// The thread's pieces of tile `tile`, to the stage that nobody reads.
  KOKKOS_FORCEINLINE_FUNCTION void start_copies_of(std::int32_t tile) {
    const std::int64_t first = tile * m_tiled.tile_columns, left = m_tiled.columns - first;
    const auto depth = static_cast<int>(left < m_tiled.tile_columns ? left : m_tiled.tile_columns);
    m_piece          = m_team.thread();
    m_last_piece     = depth * pieces;
    m_source         = m_B.data + first * m_B.row_stride + m_first_column;
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy_a_piece() {
    if (m_piece >= m_last_piece) return;
    const int row = m_piece / pieces, column = m_piece % pieces * 8;
    const bool is_there = m_first_column + column < m_B.readable;
    Stages::template copy<16>(m_other + (row * row_bytes + 2 * column), m_source + row * m_B.row_stride + column,
                              is_there ? 16 : 0);
    m_piece += m_team.threads();
  }

  const Team& m_team;
  const Tiled& m_tiled;
  const PackedRows<Element>& m_B;
  std::int64_t m_first_column;
  int m_copies;
  bool m_is_there;               ///< the last team may have more groups than there are
  const std::int32_t* m_begins;  ///< of the group's tiles
  typename Stages::Address m_stage, m_other;
  std::int32_t m_step = 0, m_end = 0, m_next = 0;
  std::int32_t m_tile, m_end_tile;  ///< the next one, and behind the last
  int m_piece = 0, m_last_piece = 0;
  const Element* m_source = nullptr;
};

}  // namespace lacuna::Impl

#endif

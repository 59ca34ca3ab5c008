// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINETILEWALK_HPP
#define LACUNA_ENGINETILEWALK_HPP

#include <backends/Lacuna_Mma.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_EngineTileSource.hpp>

#include <cstdint>

/// \file
/// \brief How a warp of SpMM on engine tiles forms its sums.
///
/// C = A B by products of 16 rows, 16 active columns and 8 columns of B. The operand of A comes from memory, a few
/// steps ahead. The 16 rows of B are gathered from the tile in scratch. A source brings the tiles there
/// (Lacuna_EngineTileSource.hpp).
///
/// Bound: scratch. Where 16 rows have r nonzeros in a column, they read its 2 bytes of B once for r multiply-adds;
/// scalar units would read them r times.

namespace lacuna::Impl {

/// \tparam Source where tiles come from
/// \tparam tiles  of 16 columns of C that a warp has
/// \tparam ahead  steps of A that are on their way, at most `EngineTileShape::read_ahead`
template <class Team, class Mma, class Source, int tiles, int ahead>
class EngineTileWalk {
  using Element = typename Mma::element;
  using Sum     = typename Mma::C;
  using Rows    = Fragment<typename Source::Address, 1, Mma::lanes_held>;
  using Step    = EngineStep<Element>;
  using Tiled   = EngineTileArrays<Element>;

  /// Tiles of 16 columns that are gathered before the first of them is multiplied.
  static constexpr int together = tiles < 4 ? tiles : 4;

  static_assert(Mma::m == 16 && Mma::n == 8 && Mma::k == 16 && sizeof(Element) == 2);

 public:
  /// `group` goes through the tiles of `range`; the last team may have more groups than there are.
  KOKKOS_FORCEINLINE_FUNCTION EngineTileWalk(const Team& team, const Tiled& tiled, Source& source,
                                             const EngineTileRange& range, std::int64_t group)
      : m_team(team),
        m_steps(tiled.steps),
        m_source(source),
        m_is_there(group < tiled.groups),
        m_begins(tiled.begins + (m_is_there ? group * tiled.tiles_per_row : 0)),
        m_tile(range.first),
        m_end_tile(range.end) {
    m_step = m_end = m_next = m_begins[m_tile];
    if (m_is_there && m_tile < m_end_tile) m_next = m_begins[m_tile + 1];
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_to(Sum* sums) {
    if (m_tile >= m_end_tile) return;
    Ahead steps[ahead];
    LACUNA_UNROLL
    for (int i = 0; i < ahead; ++i) load(steps[i], m_step + i);
    enter_tile();
    for (;;) {
      LACUNA_UNROLL
      for (int i = 0; i < ahead; ++i) {
        while (m_step == m_end) {
          m_source.leave();
          if (m_tile >= m_end_tile) return;
          enter_tile();
        }
        multiply(steps[i], sums);
        load(steps[i], m_step + ahead);
        m_source.meanwhile();
        ++m_step;
      }
    }
  }

 private:
  /// What a product needs of A.
  struct Ahead {
    typename Mma::A values;
    Fragment<int, 1, Mma::lanes_held> position;
  };

  /// Steps up to `ahead` behind the last of all can be read.
  KOKKOS_FORCEINLINE_FUNCTION void load(Ahead& to, std::int32_t at) const {
    const Step* const step = m_steps + at;
    for_each_lane<Mma>(m_team.lane(), [&](int lane) {
      const auto values =
          Team::lanes::load_streaming(reinterpret_cast<const Pack<std::uint32_t, 4>*>(step->values) + lane);
      memcpy(&to.values(lane, 0), &values, sizeof(values));
      to.position(lane, 0) = step->positions[lane % 16];
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Ahead& step, Sum* sums) const {
    Rows first;
    for_each_lane<Mma>(m_team.lane(),
                       [&](int lane) { first(lane, 0) = m_source.row(step.position(lane, 0), lane / 16); });
    LACUNA_UNROLL
    for (int begin = 0; begin < tiles; begin += together) {
      typename Mma::B columns[2 * together];
      LACUNA_UNROLL
      for (int i = 0; i < together; ++i) {
        Rows rows;
        for_each_lane<Mma>(m_team.lane(), [&](int lane) { rows(lane, 0) = Source::at(first(lane, 0), begin + i); });
        Mma::RowsOfB::load(columns[2 * i], columns[2 * i + 1], rows, m_source.offset(begin + i));
      }
      LACUNA_UNROLL
      for (int i = 0; i < 2 * together; ++i)
        Mma::fma(sums[2 * begin + i], step.values, columns[i], sums[2 * begin + i]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void enter_tile() {
    m_source.enter();
    ++m_tile;
    m_end = m_next;
    if (m_is_there && m_tile < m_end_tile) m_next = m_begins[m_tile + 1];
  }

  const Team& m_team;
  const Step* m_steps;
  Source& m_source;
  bool m_is_there;
  const std::int32_t* m_begins;  ///< of the group's tiles
  std::int32_t m_step = 0, m_end = 0, m_next = 0;
  std::int32_t m_tile, m_end_tile;  ///< the next one, and behind the last
};

}  // namespace lacuna::Impl

#endif

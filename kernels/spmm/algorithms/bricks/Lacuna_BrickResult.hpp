// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BRICKRESULT_HPP
#define LACUNA_BRICKRESULT_HPP

#include <kernels/spmm/algorithms/bricks/Lacuna_BrickEngine.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_BrickStream.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief What becomes of the sums of a segment: they go to C, or to memory where the last arriver finds those of all
/// segments of a panel.

namespace lacuna::Impl {

template <class Team, class Kernel>
class BrickResult {
 public:
  using Engine  = typename Kernel::Engine;
  using Mma     = typename Engine::Mma;
  using Shape   = typename Kernel::Shape;
  using Scalar  = typename Kernel::Scalar;
  using Segment = typename Kernel::Segment;
  using Map     = BrickMap<Mma, Shape::is_shifted>;
  using Sum     = typename Engine::Sum;
  using lanes   = typename Team::lanes;

  static constexpr int tiles     = Kernel::tiles;
  static constexpr int row_atoms = Kernel::row_atoms;

  KOKKOS_FORCEINLINE_FUNCTION BrickResult(const Team& team, const Kernel& kernel, const Segment& segment,
                                          const BrickColumnRange& columns)
      : m_team(team), m_kernel(kernel), m_segment(segment), m_columns(columns), m_lane(team.lane()) {}

  /// Takes the sums of the segment; the group that comes last with a panel's sums adds those of its segments.
  KOKKOS_FORCEINLINE_FUNCTION void take(const Sum* sums) const {
    if (lanes::any(has_overflown(sums)))
      sum_plainly();
    else
      store(sums);
    if (m_segment.segments > 1) arrive();
  }

 private:
  /// Whether a sum of this lane is not finite.
  KOKKOS_FORCEINLINE_FUNCTION bool has_overflown(const Sum* sums) const {
    Scalar zero[Mma::c_registers] = {};
    for_each_lane<Mma>(m_lane, [&](int lane) {
      LACUNA_UNROLL
      for (int i = 0; i < tiles * row_atoms; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg) zero[reg] += sums[i](lane, reg) * Scalar(0);
      }
    });
    LACUNA_UNROLL
    for (int reg = 1; reg < Mma::c_registers; ++reg) zero[0] += zero[reg];
    return !(zero[0] == Scalar(0));
  }

  /// Where the sums of a row of the panel go: to C, or to the partial sums of a panel that is cut.
  struct Row {
    Scalar* first;  ///< null: there is no such row
    std::int64_t column_stride;
    Scalar alpha, beta;

    /// Without branches, as many stand one behind the other: what is not to be read counts as 0.
    KOKKOS_FORCEINLINE_FUNCTION void store(int column, Scalar sum, bool exists) const {
      Scalar* const element = first + column * column_stride;
      const Scalar old      = exists && beta != Scalar(0) ? *element : Scalar(0);
      if (exists) *element = alpha * sum + beta * old;
    }
    KOKKOS_FORCEINLINE_FUNCTION void store(int column, Scalar sum, Scalar next) const {
      auto& pair = *reinterpret_cast<Pack<Scalar, 2>*>(first + column);
      Pack<Scalar, 2> old{{Scalar(0), Scalar(0)}};
      if (beta != Scalar(0)) old = pair;
      pair = Pack<Scalar, 2>{{alpha * sum + beta * old.value[0], alpha * next + beta * old.value[1]}};
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION Row row_of_c(int row) const {
    const auto& arguments = m_kernel.arguments;
    std::int64_t at       = static_cast<std::int64_t>(m_segment.panel) * Shape::panel_rows + row;
    if (m_kernel.bricks.row_list != nullptr)
      at = static_cast<std::int64_t>(m_kernel.bricks.row_list[at]);
    else if (at >= static_cast<std::int64_t>(m_kernel.bricks.rows))
      at = -1;
    return {at < 0 ? nullptr : arguments.C.at(at, m_columns.first), arguments.C.column_stride, arguments.alpha,
            arguments.beta};
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar* partial_row(int position, int row) const {
    return m_kernel.partial +
           ((m_segment.first_partial + position) * Shape::panel_rows + row) * m_kernel.partial_columns +
           partial_column();
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t partial_column() const { return m_columns.first - m_kernel.partial_begin; }
  KOKKOS_FORCEINLINE_FUNCTION Row target(int row) const {
    if (m_segment.segments == 1) return row_of_c(row);
    return {partial_row(m_segment.position, row), 1, Scalar(1), Scalar(0)};
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Sum* sums) const {
    if constexpr (Map::has_pairs) {
      if (m_columns.count == Shape::columns && (m_kernel.pairs || m_segment.segments > 1)) {
        for_each_row<2>([&](const Row& to, int lane, int atom, int reg, int tile) {
          const Sum& sum = sums[tile * row_atoms + atom];
          to.store(tile * 16 + Map::sum_column(lane, reg), sum(lane, reg), sum(lane, reg + 2));
        });
        return;
      }
    }
    for_each_row<1>([&](const Row& to, int lane, int atom, int reg, int tile) {
      const int column = tile * 16 + Map::sum_column(lane, reg);
      to.store(column, sums[tile * row_atoms + atom](lane, reg), column < m_columns.count);
    });
  }

  /// `body(row, lane, atom, register, tile)` for the registers of sums, or the first of each `Registers` that hold
  /// neighbouring columns.
  template <int Registers, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_row(const Body& body) const {
    for_each_lane<Mma>(m_lane, [&](int lane) {
      LACUNA_UNROLL
      for (int atom = 0; atom < row_atoms; ++atom) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers / Registers; ++reg) {
          const int row = Map::sum_row(atom, lane, reg);
          if (row >= Shape::panel_rows) continue;
          const Row to = target(row);
          if (to.first == nullptr) continue;
          LACUNA_UNROLL
          for (int tile = 0; tile < tiles; ++tile) body(to, lane, atom, reg, tile);
        }
      }
    });
  }

  /// The whole segment once more, each sum in plain arithmetic over the nonzeros of its row alone.
  KOKKOS_FORCEINLINE_FUNCTION void sum_plainly() const {
    for (int row = 0; row < Shape::panel_rows; ++row) {
      const Row to = target(row);
      if (to.first == nullptr) continue;
      for (int column = m_lane; column < m_columns.count; column += Team::lane_width)
        to.store(column, plain_sum(row, column), true);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar plain_sum(int row, int column) const {
    const auto& bricks       = m_kernel.bricks;
    const auto& B            = m_kernel.arguments.B;
    const int first_bit      = row % 8 * 4;
    const std::int64_t first = static_cast<std::int64_t>(m_segment.first_step);
    Scalar sum(0);
    for (std::int64_t step = first; step < first + m_segment.steps; ++step) {
      const std::uint32_t* pattern = bricks.patterns + step * 2 * Shape::brick_rows;
      const Scalar* value          = bricks.values + bricks.value_begin[step];
      for (int brick = 0; brick < row / 8 * 2 + 2; ++brick) {
        const std::uint32_t bits = pattern[brick];
        const Scalar* own =
            value + Kokkos::Experimental::popcount_builtin(bits & ((std::uint32_t(1) << first_bit) - 1));
        value += Kokkos::Experimental::popcount_builtin(bits);
        if (brick / 2 != row / 8) continue;
        for (int i = 0; i < 4; ++i)
          if ((bits >> (first_bit + i) & 1) != 0)
            sum += *own++ * B(static_cast<std::int64_t>(bricks.step_columns[step * 8 + brick % 2 * 4 + i]),
                              m_columns.first + column);
      }
    }
    return sum;
  }

  /// The sums of a segment are in memory; the group that comes last adds those of all segments, in their order.
  KOKKOS_FORCEINLINE_FUNCTION void arrive() const {
    m_team.warp_barrier();
    std::int32_t* arrived =
        m_kernel.arrived + m_segment.first_partial * (m_kernel.partial_columns / 16) + partial_column() / 16;
    int before = 0;
    if (m_lane == 0) before = lanes::arrive(arrived);
    before = lanes::shuffle(before, 0, Team::lane_width);
    if (before != m_segment.segments - 1) return;
    m_team.warp_barrier();
    if (m_lane == 0) *arrived = 0;  // ready for the next product
    for (int column = m_lane * summed_columns; column < m_columns.count; column += Team::lane_width * summed_columns) {
      LACUNA_NO_UNROLL
      for (int row = 0; row < Shape::panel_rows; row += summed_rows) add_partial_sums(row, column);
    }
  }

  static constexpr int summed_rows = 8;
  static constexpr int summed_columns =
      std::clamp(Shape::columns / Team::lane_width, 1, 16 / static_cast<int>(sizeof(Scalar)));

  /// C's elements in `summed_rows` rows and `summed_columns` columns: all loads of a segment are on their way at once.
  KOKKOS_FORCEINLINE_FUNCTION void add_partial_sums(int first_row, int column) const {
    using Columns = Pack<Scalar, summed_columns>;
    Columns sum[summed_rows];
    LACUNA_UNROLL
    for (int row = 0; row < summed_rows; ++row) {
      LACUNA_UNROLL
      for (int i = 0; i < summed_columns; ++i) sum[row].value[i] = Scalar(0);
    }
    LACUNA_NO_UNROLL
    for (int position = 0; position < m_segment.segments; ++position) {
      Columns part[summed_rows];
      const auto* first = partial_row(position, first_row) + column;
      LACUNA_UNROLL
      for (int row = 0; row < summed_rows; ++row)
        part[row] = lanes::load_l2_only(reinterpret_cast<const Columns*>(first + row * m_kernel.partial_columns));
      LACUNA_UNROLL
      for (int row = 0; row < summed_rows; ++row) {
        LACUNA_UNROLL
        for (int i = 0; i < summed_columns; ++i) sum[row].value[i] += part[row].value[i];
      }
    }
    LACUNA_UNROLL
    for (int row = 0; row < summed_rows; ++row) {
      const Row to = row_of_c(first_row + row);
      if (to.first == nullptr) continue;
      LACUNA_UNROLL
      for (int i = 0; i < summed_columns; ++i) to.store(column + i, sum[row].value[i], column + i < m_columns.count);
    }
  }

  const Team& m_team;
  const Kernel& m_kernel;
  const Segment& m_segment;
  const BrickColumnRange& m_columns;
  int m_lane;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_BRICKKERNEL_HPP
#define LACUNA_SPMM_BRICKKERNEL_HPP

#include <kernels/spmm/impl/Lacuna_Spmm_Arguments.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_BrickEngine.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_BrickRing.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_BrickWork.hpp>

#include <cstdint>

/// \file
/// \brief C = alpha A B + beta C with A in bricks, on matrix engines.
///
/// A lane group owns a panel (or a piece of a long one) and up to 128 columns of C, kept in its accumulators. It walks
/// the steps of the panel through a private ring of stages and never waits for another group. Lane groups of a team
/// share a run of panels, so that rows of B which neighbouring panels use are fetched while they are in L2.
///
/// Bound: the rows of B that are staged, `steps * 8 * columns` elements, from L2 (about 7.5 TB/s on an H200); on meshes
/// with 3 unknowns a node, panels of 16 rows and `full` precision also the latency of the engine.
///
/// Each sum is formed in an order that depends on nothing but A and the work list: results are the same from run to
/// run. What is not finite (Inf or NaN in A or B, overflow) shows in the sums: a column's every row in a panel, whether
/// it has a nonzero there or not. Such panels are done again in plain arithmetic, so that the result is what that
/// gives.

namespace lacuna::Impl {

/// What the lane groups of a team share. The rings lie behind it, so its size keeps the rows of stages at multiples of
/// 32 bytes: a sector that is copied to any other address takes two requests to L2 (H200: half the bandwidth).
struct alignas(128) BrickTeamBoard {
  int next;  ///< piece that no group has taken yet
};

/// `Path`: team_policy where a test wants it.
template <class EngineType, class ShapeType, class ArraysType, LaunchPath Path>
struct SpmmBricks {
  static constexpr ScratchNeed scratch_need = Path == LaunchPath::team_policy ? ScratchNeed::small : ScratchNeed::large;

  using Engine  = EngineType;
  using Shape   = ShapeType;
  using Arrays  = ArraysType;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Piece   = BrickPiece<Ordinal, Offset>;
  using Ring    = BrickRing<Piece, Scalar, Ordinal, Shape>;

  Arrays bricks;
  SpmmArguments<Scalar> arguments;
  const Piece* piece;
  const std::int64_t* share_begin;
  std::int64_t shares;
  int runs;                            // of consecutive shares, one a team
  int tiles;                           // of Shape::columns, in turn
  int tile_runs;                       // teams that share the tiles of a run of shares
  std::int64_t first_column, columns;  // those that this launch is for
  std::int64_t partial_begin;          // the column that partial sums begin with
  Scalar* partial;
  std::int32_t* arrived;
  std::int64_t partial_columns;
  bool pairs;  // C takes pairs of neighbouring columns at once

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const;
};

/// One lane group at work.
template <class Team, class Kernel>
class BrickGroup {
 public:
  using Engine  = typename Kernel::Engine;
  using Mma     = typename Engine::Mma;
  using Shape   = typename Kernel::Shape;
  using Scalar  = typename Kernel::Scalar;
  using Ordinal = typename Kernel::Ordinal;
  using Piece   = typename Kernel::Piece;
  using Ring    = typename Kernel::Ring;
  using Map     = BrickMap<Mma, Shape::is_shifted>;
  using Sum     = typename Engine::Sum;
  using lanes   = typename Team::lanes;
  using stages  = typename Team::stages;

  static constexpr int tiles     = Shape::columns / 16;
  static constexpr int row_atoms = (Shape::panel_rows + Mma::n - 1) / Mma::n;

  KOKKOS_FORCEINLINE_FUNCTION BrickGroup(const Team& team, const Kernel& kernel, BrickTeamBoard& board, char* scratch)
      : m_team(team),
        m_kernel(kernel),
        m_board(board),
        m_ring{scratch},
        m_filler(kernel.bricks, m_ring, team.lane()),
        m_lane(team.lane()) {}

  KOKKOS_FORCEINLINE_FUNCTION void run() {
    const int run        = m_team.league_rank() % m_kernel.runs;
    const int first_tile = m_team.league_rank() / m_kernel.runs;
    const int begin      = static_cast<int>(m_kernel.share_begin[m_kernel.shares * run / m_kernel.runs]);
    const int end        = static_cast<int>(m_kernel.share_begin[m_kernel.shares * (run + 1) / m_kernel.runs]);
    const int count      = end - begin;
    const int total      = count * ((m_kernel.tiles - first_tile + m_kernel.tile_runs - 1) / m_kernel.tile_runs);
    int index            = m_team.group();
    if (index >= total) return;
    m_filler.request_piece(m_kernel.piece + begin + index % count, 0);
    wait_for_all();
    m_filler.request_first_batches(m_ring.piece(0));
    for (int slot = 0; index < total; slot ^= 1) {
      wait_for_all();
      const int next     = take();
      const bool go_on   = next < total;
      const Piece& piece = m_ring.piece(slot);
      if (go_on) m_filler.request_piece(m_kernel.piece + begin + next % count, slot ^ 1);
      begin_piece(piece, first_tile + index / count * m_kernel.tile_runs);
      work(piece.steps, go_on, slot ^ 1);
      index = next;
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void wait_for_all() const {
    stages::commit();
    stages::template wait<0>();
    m_team.group_barrier();
  }

  /// The next piece of the team's that nobody has.
  KOKKOS_FORCEINLINE_FUNCTION int take() const {
    int index = 0;
    if (m_lane == 0) index = Kokkos::atomic_fetch_add(&m_board.next, 1);
    return lanes::shuffle(index, 0, Team::lane_width);
  }

  KOKKOS_FORCEINLINE_FUNCTION void begin_piece(const Piece& piece, int tile) {
    m_piece                 = &piece;
    m_first_column          = m_kernel.first_column + static_cast<std::int64_t>(tile) * Shape::columns;
    const std::int64_t left = m_kernel.first_column + m_kernel.columns - m_first_column;
    m_columns               = left < Shape::columns ? static_cast<int>(left) : Shape::columns;
    m_filler.begin(piece, m_kernel.arguments.B, m_first_column, m_columns);
  }

  /// All steps of a piece, and the sums to where they belong. Meanwhile the lists of the next piece are on their way.
  KOKKOS_FORCEINLINE_FUNCTION void work(int steps, bool go_on, int next_slot) {
    constexpr int ahead = Shape::stages - 1;
    Sum sums[tiles * row_atoms];
    for_each_lane<Mma>(m_lane, [&](int lane) {
      LACUNA_UNROLL
      for (int i = 0; i < tiles * row_atoms; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg) sums[i](lane, reg) = Scalar(0);
      }
    });
    int slot = 1;
    LACUNA_NO_UNROLL
    for (int step = -ahead; step < steps; ++step) {  // steps are filled that far ahead
      stages::template wait<ahead - 1>();
      m_team.group_barrier();
      if (step + ahead < steps)
        m_filler.fill(step + ahead, steps, slot == 0 ? ahead : slot - 1);
      else if (step + ahead == steps && go_on)
        request_next(next_slot, step);
      stages::commit();
      if (step >= 0) {
        // Where half of the columns are enough, half of the work is done.
        if (tiles == 1 || m_columns > Shape::columns / 2)
          multiply<tiles>(m_ring.stage(slot), sums);
        else
          multiply<(tiles + 1) / 2>(m_ring.stage(slot), sums);
      }
      slot = slot == ahead ? 0 : slot + 1;
    }
    if (lanes::any(has_overflown(sums)))
      sum_plainly();
    else
      store(sums);
    if (m_piece->pieces > 1) meet();
  }

  /// The lists of the next piece, which itself has come with the first step, if there was one to wait for.
  KOKKOS_FORCEINLINE_FUNCTION void request_next(int slot, int step) const {
    if (step < 0) wait_for_all();
    m_filler.request_first_batches(m_ring.piece(slot));
  }

  template <int Tiles>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const char* stage, Sum* sums) const {
    typename Engine::Sparse sparse[Map::products][row_atoms];
    const auto* values = reinterpret_cast<const Scalar*>(stage + Ring::values_at);
    LACUNA_UNROLL
    for (int product = 0; product < Map::products; ++product) {
      LACUNA_UNROLL
      for (int atom = 0; atom < row_atoms; ++atom) {
        typename Engine::SparseValues raw;
        for_each_lane<Mma>(m_lane, [&](int lane) {
          LACUNA_UNROLL
          for (int reg = 0; reg < Mma::b_registers; ++reg) {
            const bool is_row = Shape::panel_rows % Mma::n == 0 || Map::sparse_row(atom, lane, reg) < Shape::panel_rows;
            raw(lane, reg)    = is_row ? values[Map::sparse_slot(product, atom, lane, reg)] : Scalar(0);
          }
        });
        Engine::prepare(m_lane, raw, sparse[product][atom]);
      }
    }
    LACUNA_UNROLL
    for (int tile = 0; tile < Tiles; ++tile) {
      LACUNA_UNROLL
      for (int product = 0; product < Map::products; ++product) {
        typename Engine::Dense dense;
        for_each_lane<Mma>(m_lane, [&](int lane) { read_dense(stage, tile, product, lane, dense); });
        Engine::template multiply<row_atoms>(m_lane, dense, sparse[product], sums + tile * row_atoms);
      }
    }
  }

  template <class Dense>
  KOKKOS_FORCEINLINE_FUNCTION static void read_dense(const char* stage, int tile, int product, int lane, Dense& dense) {
    using Pair         = Pack<Scalar, 2>;
    const auto element = [&](int reg) {
      const int place = Map::dense_place(product, lane, reg);
      int column      = tile * 16 + Map::dense_column(lane, reg);
      if constexpr (Shape::is_shifted)
        column += reinterpret_cast<const std::int32_t*>(stage + Ring::shifts_at)[place] / Ring::size;
      return stage + place * Ring::row_bytes + column * Ring::size;
    };
    if constexpr (Map::has_pairs) {
      LACUNA_UNROLL
      for (int i = 0; i < Map::dense_pairs; ++i) {
        const Pair pair                   = *reinterpret_cast<const Pair*>(element(Map::dense_first(i)));
        dense(lane, Map::dense_first(i))  = pair.value[0];
        dense(lane, Map::dense_second(i)) = pair.value[1];
      }
    } else {
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::a_registers; ++reg)
        dense(lane, reg) = *reinterpret_cast<const Scalar*>(element(reg));
    }
  }

  /// Whether a sum of this lane is not finite.
  KOKKOS_FORCEINLINE_FUNCTION bool has_overflown(const Sum* sums) const {
    Scalar zero(0);
    for_each_lane<Mma>(m_lane, [&](int lane) {
      LACUNA_UNROLL
      for (int i = 0; i < tiles * row_atoms; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg) zero += sums[i](lane, reg) * Scalar(0);
      }
    });
    return !(zero == Scalar(0));
  }

  /// Where the sums of a row of the panel go: to C, or to the partial sums of a panel that is cut.
  struct Row {
    Scalar* first;  ///< null: there is no such row
    std::int64_t column_stride;
    Scalar alpha, beta;
    bool pairs;

    KOKKOS_FORCEINLINE_FUNCTION Scalar blend(Scalar sum, const Scalar& old) const {
      return beta == Scalar(0) ? alpha * sum : alpha * sum + beta * old;
    }
    KOKKOS_FORCEINLINE_FUNCTION void store(int column, Scalar sum) const {
      Scalar& element = first[column * column_stride];
      element         = blend(sum, element);
    }
    KOKKOS_FORCEINLINE_FUNCTION void store(int column, Scalar sum, Scalar next) const {
      auto& pair = *reinterpret_cast<Pack<Scalar, 2>*>(first + column);
      Pack<Scalar, 2> old{{Scalar(0), Scalar(0)}};
      if (beta != Scalar(0)) old = pair;
      pair = Pack<Scalar, 2>{{blend(sum, old.value[0]), blend(next, old.value[1])}};
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION Row row_of_c(int row) const {
    const auto& arguments = m_kernel.arguments;
    std::int64_t at       = static_cast<std::int64_t>(m_piece->panel) * Shape::panel_rows + row;
    if (m_kernel.bricks.row_list != nullptr)
      at = static_cast<std::int64_t>(m_kernel.bricks.row_list[at]);
    else if (at >= static_cast<std::int64_t>(m_kernel.bricks.rows))
      at = -1;
    return {at < 0 ? nullptr : arguments.C.at(at, m_first_column), arguments.C.column_stride, arguments.alpha,
            arguments.beta, m_kernel.pairs};
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar* partial_row(int place, int row) const {
    return m_kernel.partial + ((m_piece->first_partial + place) * Shape::panel_rows + row) * m_kernel.partial_columns +
           partial_column();
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t partial_column() const { return m_first_column - m_kernel.partial_begin; }
  KOKKOS_FORCEINLINE_FUNCTION Row target(int row) const {
    if (m_piece->pieces == 1) return row_of_c(row);
    return {partial_row(m_piece->place, row), 1, Scalar(1), Scalar(0), true};
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Sum* sums) const {
    for_each_lane<Mma>(m_lane, [&](int lane) {
      LACUNA_UNROLL
      for (int atom = 0; atom < row_atoms; ++atom) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers / (Map::has_pairs ? 2 : 1); ++reg) {
          const int row = Map::sum_row(atom, lane, reg);
          if (row >= Shape::panel_rows) continue;
          const Row to = target(row);
          if (to.first == nullptr) continue;
          LACUNA_UNROLL
          for (int tile = 0; tile < tiles; ++tile) {
            const Sum& sum   = sums[tile * row_atoms + atom];
            const int column = tile * 16 + Map::sum_column(lane, reg);
            if constexpr (Map::has_pairs) {
              if (to.pairs && column + 1 < m_columns) {
                to.store(column, sum(lane, reg), sum(lane, reg + 2));
                continue;
              }
              if (column + 1 < m_columns) to.store(column + 1, sum(lane, reg + 2));
            }
            if (column < m_columns) to.store(column, sum(lane, reg));
          }
        }
      }
    });
  }

  /// The whole piece once more, each sum in plain arithmetic over the nonzeros of its row alone.
  KOKKOS_FORCEINLINE_FUNCTION void sum_plainly() const {
    for (int row = 0; row < Shape::panel_rows; ++row) {
      const Row to = target(row);
      if (to.first == nullptr) continue;
      for (int column = m_lane; column < m_columns; column += Team::lane_width)
        to.store(column, plain_sum(row, column));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar plain_sum(int row, int column) const {
    const auto& bricks       = m_kernel.bricks;
    const auto& B            = m_kernel.arguments.B;
    const int first_bit      = row % 8 * 4;
    const std::int64_t first = static_cast<std::int64_t>(m_piece->first_step);
    Scalar sum(0);
    for (std::int64_t step = first; step < first + m_piece->steps; ++step) {
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
                              m_first_column + column);
      }
    }
    return sum;
  }

  /// The sums of a piece are in memory; the group that comes last adds those of all pieces, in their order.
  KOKKOS_FORCEINLINE_FUNCTION void meet() const {
    Kokkos::memory_fence();
    m_team.group_barrier();
    std::int32_t* arrived =
        m_kernel.arrived + m_piece->first_partial * (m_kernel.partial_columns / 16) + partial_column() / 16;
    int before = 0;
    if (m_lane == 0) before = Kokkos::atomic_fetch_add(arrived, 1);
    before = lanes::shuffle(before, 0, Team::lane_width);
    if (before != m_piece->pieces - 1) return;
    Kokkos::memory_fence();
    if (m_lane == 0) *arrived = 0;  // ready for the next product
    for (int row = 0; row < Shape::panel_rows; ++row) {
      const Row to = row_of_c(row);
      if (to.first == nullptr) continue;
      for (int column = m_lane; column < m_columns; column += Team::lane_width) {
        Scalar sum(0);
        for (int place = 0; place < m_piece->pieces; ++place)
          sum += *static_cast<const volatile Scalar*>(partial_row(place, row) + column);
        to.store(column, sum);
      }
    }
  }

  const Team& m_team;
  const Kernel& m_kernel;
  BrickTeamBoard& m_board;
  Ring m_ring;
  BrickFiller<Team, typename Kernel::Arrays, Shape> m_filler;
  int m_lane;
  const Piece* m_piece        = nullptr;
  std::int64_t m_first_column = 0;
  int m_columns               = 0;
};

template <class EngineType, class ShapeType, class ArraysType, LaunchPath Path>
template <class Team>
KOKKOS_FUNCTION void SpmmBricks<EngineType, ShapeType, ArraysType, Path>::operator()(const Team& team) const {
  auto& board   = *team.template scratch<BrickTeamBoard>(1);
  char* scratch = team.template group_scratch<char>(Ring::bytes);
  if (team.thread() == 0) board.next = team.groups();
  team.barrier();
  BrickGroup<Team, SpmmBricks>(team, *this, board, scratch).run();
}

}  // namespace lacuna::Impl

#endif

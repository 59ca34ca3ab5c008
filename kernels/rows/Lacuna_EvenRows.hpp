// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_EVENROWS_HPP
#define LACUNA_EVENROWS_HPP

#include <kernels/rows/Lacuna_RowPolicy.hpp>
#include <kernels/rows/Lacuna_RowRound.hpp>
#include <kernels/rows/Lacuna_RowTile.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief C = alpha A B + beta C from CSR for rows of about equal length and an N of whole tiles: the common case of
/// the row kernel, with everything known when compiling that can be.
///
/// Invariant: a subwarp of `policy.lanes` lanes takes a row in its own order and walks its nonzeros, `policy.unroll` at
/// once: columns and values, then that many rows of B, then the products. What is left of the row is one more round.
/// `policy.split_k` such subwarps take the nonzeros of a row in turn, and their sums are added. Tiles of N are
/// outermost.
///
/// Two ways to the nonzeros. Short rows load columns and values straight from memory. Where the policy is `staged`,
/// each lane loads one of the row's next nonzeros while the ones before are used; they go to scratch, and all lanes
/// read four columns or 16 bytes of values back at once (the kernel of Gale et al., Sparse GPU Kernels for Deep
/// Learning, 2020, Sputnik, without its alignment and its sorting of rows).
///
/// Bound: as of the row kernel (Lacuna_RowKernel.hpp), wavefronts of the first-level cache. A column and a value that
/// all lanes load take two for each nonzero; read back from scratch, four of both take four. A whole round of rows of B
/// is on its way at once: with one address a lane and nothing else to remember, registers suffice for it.
///
/// Launch: `policy.threads` threads a team, `policy.teams_at_once` teams a processor; teams of a tile are neighbours.
/// Scratch: where staged, a `Stage` for each subwarp.
/// Evidence: kernels/rows/tuning.md.

namespace lacuna::Impl {

template <class ExecutionSpace, class Arrays, class Output, int vector, EvenRowsPolicy policy>
struct EvenRows {
  static constexpr int lane_width   = ExecutionTraits<ExecutionSpace>::lane_width;
  static constexpr int lanes        = policy.lanes_within(lane_width);
  static constexpr int split_k      = policy.split_k_within(lane_width);
  static constexpr int lane_vectors = policy.lane_vectors, unroll = policy.unroll;
  static constexpr int subwarps = lane_width / (lanes * split_k);  ///< in a warp, with a row each
  static constexpr int staged   = std::max(lanes, unroll);         ///< nonzeros of a row in scratch
  static constexpr int per_lane = staged / lanes;
  static_assert(!policy.staged || (policy.split_k == 1 && unroll % 4 == 0 && staged % unroll == 0));

  using Tile         = RowTile<ExecutionSpace, Arrays, Output, vector, lane_vectors, lanes>;
  using Scalar       = typename Arrays::Scalar;
  using Ordinal      = typename Arrays::Ordinal;
  using Offset       = typename Arrays::Offset;
  using LanePosition = typename Tile::LanePosition;
  using Sums         = typename Tile::Sums;
  using Row          = std::make_unsigned_t<Ordinal>;

  Arrays A;
  Tile tile;
  std::int32_t teams_per_tile;

  static std::size_t scratch_bytes(int threads) {
    return policy.staged ? static_cast<std::size_t>(threads / lanes) * sizeof(Stage) + alignof(Stage) : 0;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto team_number = static_cast<std::uint32_t>(team.league_rank());
    const auto n_tile      = team_number / static_cast<std::uint32_t>(teams_per_tile);
    const auto rank        = team_number - n_tile * static_cast<std::uint32_t>(teams_per_tile);
    const auto warp        = static_cast<Row>(rank) * static_cast<Row>(team.warps()) + static_cast<Row>(team.warp());
    const int subwarp      = team.lane() / (lanes * split_k);
    const Row row          = warp * static_cast<Row>(subwarps) + static_cast<Row>(subwarp);
    const bool exists      = row < static_cast<Row>(A.rows);
    const LanePosition position = tile.position(static_cast<int>(n_tile), team.lane() % lanes);
    if constexpr (policy.staged)
      sum_by_scratch(team, subwarp, row, exists, position);
    else
      sum_from_memory(team, row, exists, position);
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sum_from_memory(const Team& team, Row row, bool exists,
                                                   const LanePosition& position) const {
    if (split_k == 1 && !exists) return;  // else all lanes of the warp add slices
    const int k_slice = team.lane() / lanes % split_k;
    Sums sum;
    Tile::clear(sum);
    Offset k         = exists ? A.row_map[row] + static_cast<Offset>(k_slice) : Offset(0);
    const Offset end = exists ? A.row_map[row + 1] : Offset(0);
    // Unrolled, rounds would share registers, and loads of one wait for the products of another; so they do where the
    // condition is written as end - k >= reach. That k + reach does not overflow, the launch sees to.
    constexpr int reach = (unroll - 1) * split_k + 1;
    LACUNA_NO_UNROLL
    for (; k + reach <= end; k += unroll * split_k) add_unrolled<unroll>(k, unroll, position, sum);
    if (k < end) add_unrolled<unroll - 1>(k, (static_cast<int>(end - k) + split_k - 1) / split_k, position, sum);
    for (int distance = split_k / 2; distance > 0; distance /= 2)
      for (int c = 0; c < lane_vectors; ++c)
        for (int v = 0; v < vector; ++v)
          sum[c][v] += Team::lanes::shuffle_down(sum[c][v], distance * lanes, Team::lane_width);
    if (split_k == 1 || (exists && k_slice == 0)) tile.write(static_cast<std::int64_t>(row), position, sum);
  }
  /// `count` nonzeros from `first` on, each `split_k` behind the one before, at most `most`.
  template <int most>
  KOKKOS_FORCEINLINE_FUNCTION void add_unrolled(Offset first, int count, const LanePosition& position,
                                                Sums& sum) const {
    add_round<most, vector, lane_vectors>(
        tile, position, A.entries, A.values, first, split_k,
        [count](int i) { return most == unroll || i == 0 || i < count; }, sum);
  }

  /// The nonzeros of a row that a subwarp has in scratch.
  struct alignas(16) Stage {
    Ordinal columns[staged];
    Scalar values[staged];
  };
  /// What a lane brings.
  struct Own {
    Ordinal columns[per_lane];
    Scalar values[per_lane];
  };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sum_by_scratch(const Team& team, int subwarp, Row row, bool exists,
                                                  const LanePosition& position) const {
    const int lane     = team.lane() % lanes;
    Stage* const stage = team.template scratch<Stage>(static_cast<std::size_t>(team.warps() * subwarps)) +
                         team.warp() * subwarps + subwarp;
    Sums sum;
    Tile::clear(sum);
    Offset k         = exists ? A.row_map[row] : Offset(0);
    const Offset end = exists ? A.row_map[row + 1] : Offset(0);
    Own own;
    load(own, k, end, lane);
    while (Team::lanes::any(k < end)) {
      team.warp_barrier();  // nobody reads the stage any more
      LACUNA_UNROLL
      for (int i = 0; i < per_lane; ++i) {
        stage->columns[lane + i * lanes] = own.columns[i];
        stage->values[lane + i * lanes]  = own.values[i];
      }
      team.warp_barrier();
      const auto left = end - k;
      const int count = k < end ? (left < static_cast<Offset>(staged) ? static_cast<int>(left) : staged) : 0;
      k += static_cast<Offset>(staged);
      load(own, k, end, lane);
      int i = 0;
      LACUNA_NO_UNROLL
      for (; i + unroll <= count; i += unroll) add_staged<true>(*stage, i, unroll, position, sum);
      if (i < count) add_staged<false>(*stage, i, count - i, position, sum);
    }
    if (exists) tile.write(static_cast<std::int64_t>(row), position, sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(Own& own, Offset k, Offset end, int lane) const {
    LACUNA_UNROLL
    for (int i = 0; i < per_lane; ++i) {
      const Offset at = k + static_cast<Offset>(lane + i * lanes);
      own.columns[i]  = at < end ? A.entries[at] : Ordinal(0);
      own.values[i]   = at < end ? A.values[at] : Scalar(0);
    }
  }

  /// `count` nonzeros from `first` on. All loads of B are on their way before the first product; what does not exist is
  /// neither read nor multiplied.
  template <bool whole>
  KOKKOS_FORCEINLINE_FUNCTION void add_staged(const Stage& stage, int first, int count, const LanePosition& position,
                                              Sums& sum) const {
    Ordinal column[unroll];
    Scalar value[unroll];
    Pack<Scalar, vector> row_of_b[unroll][lane_vectors];
    read(column, stage.columns + first);
    read(value, stage.values + first);
    LACUNA_UNROLL
    for (int i = 0; i < unroll; ++i)
      if (whole || i < count)
        for (int c = 0; c < lane_vectors; ++c) row_of_b[i][c] = tile.row_of_b(position, c, column[i]);
    LACUNA_UNROLL
    for (int i = 0; i < unroll; ++i)
      if (whole || i < count) Tile::add_product(value[i], row_of_b[i], sum);
  }

  /// By 16 bytes.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void read(T (&to)[unroll], const T* from) {
    constexpr int fits = sizeof(T) < 16 ? 16 / static_cast<int>(sizeof(T)) : 1, in_load = fits < unroll ? fits : unroll;
    LACUNA_UNROLL
    for (int i = 0; i < unroll; i += in_load) {
      const auto pack = *reinterpret_cast<const Pack<T, in_load>*>(from + i);
      LACUNA_UNROLL
      for (int j = 0; j < in_load; ++j) to[i + j] = pack.value[j];
    }
  }
};

}  // namespace lacuna::Impl

#endif

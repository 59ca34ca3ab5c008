// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_EVENROWS_HPP
#define LACUNA_EVENROWS_HPP

#include <kernels/rows/Lacuna_RowRound.hpp>
#include <kernels/rows/Lacuna_RowTile.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief C = alpha A B + beta C from CSR for rows of about equal length and an N of whole tiles: the common case of
/// the row kernel, with everything known when compiling that can be.
///
/// A subwarp of `policy.lanes` lanes takes a row in its own order and walks its nonzeros, `policy.unroll` at once:
/// columns and values, then that many rows of B, then the products; what is left of the row is one round more, of what
/// there is. `policy.split_k` such subwarps take the nonzeros of a row in turn, and their sums are added. Tiles of N
/// are outermost.
///
/// Bound: as of the row kernel (Lacuna_RowKernel.hpp). What this one adds is that a whole round of rows of B is on
/// its way at once: with one address a lane and nothing else to remember, registers suffice for it.
///
/// Four nonzeros by one load from memory gain little. By a driver, H100, 26 November 2026, 4,096^2 in float, N = 128:
/// 1.17 times at 80 % zeros, 1.07 at 90, nothing from 95 on, nothing in half precision, nor with one round or two read
/// ahead. From scratch they do: Lacuna_StagedRows.hpp.

namespace lacuna::Impl {

template <class ExecutionSpace, class Arrays, class Output, int vector, EvenRowsPolicy policy>
struct EvenRows {
  static constexpr int lanes        = policy.lanes_within(ExecutionTraits<ExecutionSpace>::lane_width);
  static constexpr int split_k      = policy.split_k_within(ExecutionTraits<ExecutionSpace>::lane_width);
  static constexpr int lane_vectors = policy.lane_vectors, unroll = policy.unroll;

  using Tile    = RowTile<ExecutionSpace, Arrays, Output, vector, lane_vectors, lanes>;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Place   = typename Tile::Place;
  using Sums    = typename Tile::Sums;
  using Row     = std::make_unsigned_t<Ordinal>;

  static constexpr int subwarps = Tile::lane_width / (lanes * split_k);  ///< in a warp, with a row each

  Arrays A;
  Tile tile;
  std::int32_t teams_per_tile;

  static std::size_t scratch_bytes(int) { return 0; }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto team_number = static_cast<std::uint32_t>(team.league_rank());
    const auto n_tile      = team_number / static_cast<std::uint32_t>(teams_per_tile);
    const auto rank        = team_number - n_tile * static_cast<std::uint32_t>(teams_per_tile);
    const auto warp        = static_cast<Row>(rank) * static_cast<Row>(team.warps()) + static_cast<Row>(team.warp());
    const Row row          = warp * static_cast<Row>(subwarps) + static_cast<Row>(team.lane() / (lanes * split_k));
    const bool exists      = row < static_cast<Row>(A.rows);
    if (split_k == 1 && !exists) return;  // else all lanes of the warp add parts
    const int k_slice = team.lane() / lanes % split_k;
    const Place place = tile.place(static_cast<int>(n_tile), team.lane() % lanes);
    Sums sum;
    Tile::clear(sum);
    Offset k         = exists ? A.row_map[row] + static_cast<Offset>(k_slice) : Offset(0);
    const Offset end = exists ? A.row_map[row + 1] : Offset(0);
    // Unrolled, rounds would share registers, and loads of one wait for the products of another; so they do where the
    // condition is written as end - k >= reach. That k + reach does not overflow, the launch sees to.
    constexpr int reach = (unroll - 1) * split_k + 1;
    LACUNA_NO_UNROLL
    for (; k + reach <= end; k += unroll * split_k) add_unrolled<unroll>(k, unroll, place, sum);
    if (k < end) add_unrolled<unroll - 1>(k, (static_cast<int>(end - k) + split_k - 1) / split_k, place, sum);
    for (int distance = split_k / 2; distance > 0; distance /= 2)
      for (int c = 0; c < lane_vectors; ++c)
        for (int v = 0; v < vector; ++v)
          sum[c][v] += Team::lanes::shuffle_down(sum[c][v], distance * lanes, Team::lane_width);
    if (split_k == 1 || (exists && k_slice == 0)) tile.write(static_cast<std::int64_t>(row), place, sum);
  }

 private:
  /// `count` nonzeros from `first` on, each `split_k` behind the one before, at most `most`.
  template <int most>
  KOKKOS_FORCEINLINE_FUNCTION void add_unrolled(Offset first, int count, const Place& place, Sums& sum) const {
    add_round<most, vector, lane_vectors>(
        tile, place, A.entries, A.values, first, split_k,
        [count](int i) { return most == unroll || i == 0 || i < count; }, sum);
  }
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWMAP_HPP
#define LACUNA_SPGEMMROWMAP_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief The row map of C, from the counts of its rows.

namespace lacuna::Impl {

/// row_map = exclusive prefix sums of `counts`. Does not fence.
template <class ExecutionSpace, class Offset, class Number>
void row_map_of_counts(const ExecutionSpace& exec, std::int64_t rows, const Number* counts, Offset* row_map) {
  Kokkos::parallel_scan("Lacuna::spgemm::row_map", index_range(exec, rows + 1),
                        LengthScan<Offset, StoredLength<Number>>{rows, row_map, StoredLength<Number>{counts}});
}

/// The same from the sums of tiles that the sort into classes left. Every team adds up the sums of all tiles in front
/// of its own, which are few, so that no team waits for another.
template <class Offset, class Number>
struct SpgemmRowMapOfTiles {
  static constexpr int rows_per_thread = SpgemmTile::rows_per_thread;
  /// Upper bound of the number of tiles: their sums are read tiles² / 2 times.
  static constexpr std::int64_t most_tiles = 1 << 14;

  struct Shared {
    Counter before[SpgemmTile::threads / 4];  ///< of each warp: sums in front of the tile, and of its own rows
    Counter own[SpgemmTile::threads / 4];
  };
  static constexpr std::size_t scratch_bytes = sizeof(Shared) + 32;

  std::int64_t rows;
  const Number* counts;
  const Counter* sums;  ///< of the tiles
  Offset* row_map;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr int wide = Team::lane_width;
    auto* const shared = team.template scratch<Shared>(1);
    const auto tile    = static_cast<std::int64_t>(team.league_rank());
    Counter before     = 0;
    for (std::int64_t t = team.thread(); t < tile; t += team.threads()) before += sums[t];
    const std::int64_t first = (tile * team.threads() + team.thread()) * rows_per_thread;
    Counter lengths[rows_per_thread];
    Counter own = 0;
    LACUNA_UNROLL
    for (int i = 0; i < rows_per_thread; ++i) {
      lengths[i] = first + i < rows ? static_cast<Counter>(counts[first + i]) : Counter(0);
      own += lengths[i];
    }
    const Counter up_to = Team::sum_lanes_up_to(own, team.lane(), wide);  // in the warp
    before              = Team::sum_lanes(before, wide);
    if (team.lane() == 0) shared->before[team.warp()] = before;
    if (team.lane() == wide - 1) shared->own[team.warp()] = up_to;
    team.barrier();
    Counter at = up_to - own;
    for (int g = 0; g < team.warps(); ++g) at += shared->before[g] + (g < team.warp() ? shared->own[g] : Counter(0));
    LACUNA_UNROLL
    for (int i = 0; i < rows_per_thread; ++i) {
      if (first + i <= rows) row_map[first + i] = static_cast<Offset>(at);
      at += lengths[i];
    }
  }
};

/// `sums`: of the tiles, or nullptr, which makes it a scan. Does not fence.
template <class ExecutionSpace, class Offset, class Number>
void row_map_of_tiles(const ExecutionSpace& exec, std::int64_t rows, const Number* counts, const Counter* sums,
                      Offset* row_map) {
  using Body               = SpgemmRowMapOfTiles<Offset, Number>;
  const std::int64_t tiles = ceiling_quotient(rows + 1, SpgemmTile::rows<ExecutionSpace>());
  if (sums == nullptr || tiles > Body::most_tiles)
    row_map_of_counts(exec, rows, counts, row_map);
  else
    launch_teams<SpgemmTile::threads>(exec, "Lacuna::spgemm::row_map",
                                      {tiles, team_threads<ExecutionSpace>(SpgemmTile::threads)}, Body::scratch_bytes,
                                      Body{rows, counts, sums, row_map});
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVONESHOT_HPP
#define LACUNA_SPMVONESHOT_HPP

#include <core/impl/passes/Lacuna_CrsTiles.hpp>
#include <kernels/rows/Lacuna_HostColumn.hpp>
#include <kernels/spmv/shared/Lacuna_CrsStream.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvOneShotPolicy.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief SpMV without a plan: balanced for any rows, with no knowledge of them and no memory but scratch.

namespace lacuna::Impl {

/// A team takes a tile of rows and nonzeros (`CrsTiles`). It reads the nonzeros of its rows in packs of 16 bytes, in
/// their order, and leaves the products in scratch. Then a few lanes add up each row, as many as the team has for the
/// rows of the tile. A row that would keep its lanes waits for its whole warp.
///
/// One team adds up a long row: the team behind the one in which the row begins. Partial sums of several teams
/// could be added only by a last arriver in memory, which needs a plan, or by atomics, whose order differs from
/// run to run. So every run gives the same bits, and the time of such a row grows with its nonzeros. A plan
/// shares such a row between teams.
///
/// Bound: bytes of the CSR arrays; on small matrices the latency of the search, of the nonzeros and of the
/// gathers, one after the other.
/// Evidence: kernels/spmv/tuning.md.
template <class ExecutionSpace, class Arrays>
struct SpmvOneShot {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Stream  = CrsStream<ExecutionSpace, Arrays>;
  using Tiles   = CrsTiles<Arrays>;
  using Tile    = typename Tiles::Tile;
  using Sums    = TeamSums<ExecutionSpace, Scalar>;
  using traits  = ExecutionTraits<ExecutionSpace>;
  using lanes   = typename traits::lanes;

  static constexpr int width     = Stream::width;
  static constexpr int packs     = SpmvOneShotPolicy::packs(sizeof(Scalar));
  static constexpr int positions = SpmvOneShotPolicy::team(sizeof(Scalar)) * width * packs;  ///< for products
  /// Nonzeros that always fit, wherever in a pack they begin.
  static constexpr int longest = positions - width;

  Arrays A;
  Stream stream;
  VectorArguments<Scalar> arguments;
  Tiles tiles;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Scalar* const products = team.template scratch<Scalar>(positions);
    Sums* const sums       = team.template scratch<Sums>(1);
    Ordinal* const bounds  = team.template scratch<Ordinal>(2);
    const Tile tile        = tiles.find(team, team.league_rank(), bounds);
    if (tile.first < tile.last) {
      const Offset begin = A.row_map[tile.first], end = A.row_map[tile.last];
      const auto origin = static_cast<Offset>(begin / width * width);
      multiply(team, begin, end, origin, products);
      team.barrier();
      add_rows(team, tile, origin, products);
    }
    if (tile.long_row >= 0 && tile.helper == 0) {
      const Scalar share = stream.template share<packs>(A.row_map[tile.long_row], A.row_map[tile.long_row + 1],
                                                        team.thread(), team.threads(), arguments.x);
      const Scalar sum   = sum_team(team, share, *sums);
      if (team.thread() == 0) arguments.write(tile.long_row, sum);
    }
  }

  static std::size_t scratch_bytes() { return positions * sizeof(Scalar) + sizeof(Sums) + 2 * sizeof(Ordinal) + 64; }

 private:
  /// Products of the packs that hold the nonzeros [begin, end), the first of them at position 0.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Team& team, Offset begin, Offset end, Offset origin,
                                            Scalar* products) const {
    if (begin == end) return;
    stream.template products<packs>(
        static_cast<Offset>(begin / width + team.thread()), static_cast<Offset>(team.threads()),
        static_cast<Offset>((end - 1) / width), arguments.x, [&](Offset pack, const typename Stream::Values& values) {
          *reinterpret_cast<typename Stream::Values*>(products + static_cast<std::int64_t>(pack * width - origin)) =
              values;
        });
  }

  /// Every thread of the team goes through every round.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(const Team& team, const Tile& tile, Offset origin,
                                            const Scalar* products) const {
    const auto rows  = static_cast<int>(tile.last - tile.first);
    int lanes_of_row = 1;
    while (lanes_of_row < Team::lane_width && 2 * lanes_of_row * rows <= team.threads()) lanes_of_row *= 2;
    const int lane = team.lane() % lanes_of_row;
    for (int first = 0; first < rows; first += team.threads() / lanes_of_row) {
      const int position = first + team.thread() / lanes_of_row;
      const bool exists  = position < rows;
      const auto row     = static_cast<Ordinal>(tile.first + (exists ? position : 0));
      const auto begin   = static_cast<int>(A.row_map[row] - origin);
      const auto end     = static_cast<int>(A.row_map[row + 1] - origin);
      const bool waits = lanes_of_row < Team::lane_width && end - begin > SpmvOneShotPolicy::row_rounds * lanes_of_row;
      const Scalar sum = sum_of<Team>(begin, exists && !waits ? end : begin, lane, lanes_of_row, products);
      if (exists && !waits && lane == 0) arguments.write(row, sum);
      add_waiting<Team>(exists && waits && lane == 0, row, begin, end, team.lane(), products);
    }
  }

  /// Rows that waited, one after the other by the whole warp.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_waiting(bool waits, Ordinal row, int begin, int end, int lane,
                                               const Scalar* products) const {
    for (int source = lanes::first(waits); source >= 0; source = lanes::first(waits)) {
      const int from   = lanes::shuffle(begin, source, Team::lane_width);
      const int to     = lanes::shuffle(end, source, Team::lane_width);
      const Scalar sum = sum_of<Team>(from, to, lane, Team::lane_width, products);
      const Ordinal at = lanes::shuffle(row, source, Team::lane_width);
      if (lane == 0) arguments.write(at, sum);
      if (lane == source) waits = false;
    }
  }

  /// Of the products [begin, end), by some lanes side by side; the first of them gets it.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Scalar sum_of(int begin, int end, int lane, int lanes_of_row,
                                                   const Scalar* products) {
    Scalar sum(0);
    for (int k = begin + lane; k < end; k += lanes_of_row) sum += products[k];
    return Team::sum_lanes(sum, lanes_of_row);
  }
};

/// Keys of a tile whose scratch holds `positions` products. Some of these are left free for the last row of the tile.
/// Tiles of small matrices are smaller, so that there are `tiles` of them.
inline std::int64_t spmv_one_shot_tile(std::int64_t keys, std::int64_t positions, std::int64_t tiles) {
  const std::int64_t most  = positions - positions / SpmvOneShotPolicy::room;
  const std::int64_t least = std::min<std::int64_t>(SpmvOneShotPolicy::least_tile, most);
  return std::clamp(ceiling_quotient(keys, tiles), least, most);
}

/// Starts the kernel for warps. `tile`: keys of a tile, up to half of the positions for products.
template <class ExecutionSpace, class Arrays>
void launch_spmv_one_shot(const ExecutionSpace& exec, const Arrays& A,
                          const VectorArguments<typename Arrays::Scalar>& arguments, std::int64_t tile,
                          std::int64_t longest) {
  using Kernel       = SpmvOneShot<ExecutionSpace, Arrays>;
  constexpr int team = SpmvOneShotPolicy::team(sizeof(typename Arrays::Scalar));
  const Kernel kernel{A, typename Kernel::Stream(A), arguments, typename Kernel::Tiles(A, tile, longest)};
  launch_teams<team, SpmvOneShotPolicy::teams_at_once(sizeof(typename Arrays::Scalar))>(
      exec, "Lacuna::spmv::one_shot", {kernel.tiles.count(A), team_threads<ExecutionSpace>(team)},
      Kernel::scratch_bytes(), kernel);
}

/// y = alpha A x + beta y for arguments that hold a product; does not allocate, does not fence. Hosts walk rows,
/// balanced by nonzeros.
template <class ExecutionSpace, class Arrays>
void spmv_one_shot(const ExecutionSpace& exec, const Arrays& A,
                   const VectorArguments<typename Arrays::Scalar>& arguments) {
  if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) {
    using Kernel             = SpmvOneShot<ExecutionSpace, Arrays>;
    const std::int64_t tiles = SpmvOneShotPolicy::tiles_a_processor(sizeof(typename Arrays::Scalar)) * processors(exec);
    launch_spmv_one_shot(exec, A, arguments, spmv_one_shot_tile(Kernel::Tiles::keys(A), Kernel::longest, tiles),
                         Kernel::longest);
  } else {
    host_column(exec, "Lacuna::spmv::host_rows", A, arguments, has_short_even_rows(A));
  }
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSONESHOT_HPP
#define LACUNA_ROWSONESHOT_HPP

#include <core/impl/passes/Lacuna_CrsTiles.hpp>
#include <kernels/rows/Lacuna_RowRound.hpp>
#include <kernels/rows/Lacuna_RowsEngine.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief SpMM without a plan: balanced for any rows, with no knowledge of them and no memory but scratch.
///
/// One launch has two kinds of teams. Each team finds its own work among all rows. Tiles of N are outermost.
///
/// - A subwarp takes the row of its number, if the row is short. Where rows are about even,
///   these teams do all the work.
/// - Teams of the other kind start first. A team takes a tile of rows and nonzeros (`CrsTiles`), and each subwarp an
///   equal share of its nonzeros. A subwarp adds up only the long rows of its share, as in the kernel that walks work
///   items (Lacuna_WorkItemWalk.hpp). One pass over the row map of the tile finds the row in which each share begins; a
///   team whose tile has no long row ends there. Subwarps that share a row join it in scratch, in their order. There
///   are as many tiles as fill the device once.
///
/// A very long row does not end near its tile. The teams of all tiles that it reaches into share it over the columns of
/// C: each team takes the columns of some lanes for all nonzeros, with as many subwarps as then fit. No sum is split
/// between teams, so no last arriver adds in memory, and every run gives the same bits. The time of such a row grows
/// with its nonzeros, at least as one team needs for columns of 16 bytes. A plan shares such a row between teams.
///
/// Bound: as in the row kernel (Lacuna_RowKernel.hpp), and one search for each tile.
/// Evidence: kernels/rows/tuning.md.

namespace lacuna::Impl {

template <class ExecutionSpace, class Arrays, class Output, int vector, int lane_vectors>
struct RowsOneShot {
  using Tile         = RowTile<ExecutionSpace, Arrays, Output, vector, lane_vectors>;
  using Scalar       = typename Arrays::Scalar;
  using Ordinal      = typename Arrays::Ordinal;
  using Offset       = typename Arrays::Offset;
  using Arithmetic   = typename Tile::Arithmetic;
  using LanePosition = typename Tile::LanePosition;
  using Sums         = typename Tile::Sums;
  using Tiles        = CrsTiles<Arrays>;
  using Rows         = typename Tiles::Tile;
  using lanes_of     = typename Tile::lanes;

  static constexpr int unroll = RowsPolicy::one_shot_unroll;  ///< nonzeros that a subwarp has in flight

  Arrays A;
  Tile tile;
  Tiles tiles;
  int lanes_of_subwarp;
  int subwarps_of_warp;
  int longest;        ///< nonzeros of the longest row that a subwarp takes alone
  int sharing_teams;  ///< teams of a tile of N that take long rows; they come first
  int teams_per_tile;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int n_tile = team.league_rank() / teams_per_tile;
    const int rank   = team.league_rank() - n_tile * teams_per_tile;
    if (rank < sharing_teams)
      long_rows(team, n_tile, rank);
    else
      short_rows(team, n_tile, rank - sharing_teams);
  }

  std::size_t scratch_bytes(int threads) const {
    const auto subwarps = static_cast<std::size_t>(threads / Tile::lane_width * subwarps_of_warp);
    return subwarps *
               (static_cast<std::size_t>(tile.tile_columns()) * sizeof(Arithmetic) + sizeof(Ordinal) + sizeof(int)) +
           2 * sizeof(Ordinal) + sizeof(int) + 96;
  }

 private:
  /// Each subwarp takes one row, if it is short.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void short_rows(const Team& team, int n_tile, int rank) const {
    const int within = team.lane() / lanes_of_subwarp;
    const auto row   = (static_cast<std::int64_t>(rank) * team.warps() + team.warp()) * subwarps_of_warp + within;
    if (within >= subwarps_of_warp || row >= static_cast<std::int64_t>(A.rows)) return;
    const Offset begin = A.row_map[row], end = A.row_map[row + 1];
    if (!is_short(begin, end)) return;
    const LanePosition position = tile.position(n_tile, team.lane() - within * lanes_of_subwarp);
    Sums sum;
    Tile::clear(sum);
    add_neighbours(begin, static_cast<int>(end - begin), position, sum);
    tile.write(row, position, sum);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_short(Offset begin, Offset end) const {
    return end - begin <= static_cast<Offset>(longest);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void long_rows(const Team& team, int n_tile, int rank) const {
    const int subwarps = team.warps() * subwarps_of_warp;
    Shared shared{team.template scratch<Arithmetic>(static_cast<std::size_t>(subwarps * tile.tile_columns())),
                  team.template scratch<Ordinal>(static_cast<std::size_t>(subwarps) + 2),
                  team.template scratch<int>(subwarps + 1)};
    if (team.thread() == 0) shared.flags[subwarps] = 0;
    const Rows rows = tiles.find(team, rank, shared.first_rows + subwarps);
    if (rows.first < rows.last) own_rows(team, n_tile, rows, shared);
    if (rows.long_row >= 0) {
      team.barrier();  // scratch is used again
      long_row(team, n_tile, rows, shared.sums);
    }
  }

  struct Shared {
    Arithmetic* sums;     ///< each subwarp's sums of the row that was open when its share began
    Ordinal* first_rows;  ///< the row that holds the first nonzero of each share
    int* flags;           ///< whether that row ended in the share; the last entry: whether any row is long
  };

  /// Equal shares of the nonzeros of a tile.
  struct Shares {
    Offset from, to, size;
    KOKKOS_FORCEINLINE_FUNCTION Offset begin(int subwarp) const { return from + static_cast<Offset>(subwarp) * size; }
    KOKKOS_FORCEINLINE_FUNCTION Offset end(int subwarp) const {
      return begin(subwarp + 1) < to ? begin(subwarp + 1) : to;
    }
  };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void own_rows(const Team& team, int n_tile, const Rows& rows,
                                            const Shared& shared) const {
    const int subwarps = team.warps() * subwarps_of_warp;
    const int within   = team.lane() / lanes_of_subwarp;
    const int subwarp =
        within < subwarps_of_warp ? team.warp() * subwarps_of_warp + within : -1;  // -1: lanes left over
    const LanePosition position = tile.position(n_tile, team.lane() % lanes_of_subwarp);
    Shares shares{A.row_map[rows.first], A.row_map[rows.last], 0};
    shares.size = static_cast<Offset>((shares.to - shares.from + static_cast<Offset>(subwarps) - 1) /
                                      static_cast<Offset>(subwarps));
    find_first_rows(team, rows, shares, subwarps, shared);
    team.barrier();
    if (shared.flags[subwarps] == 0) return;
    Sums sum;
    Tile::clear(sum);
    const bool exists = subwarp >= 0 && shares.begin(subwarp) < shares.to;
    Open open{};
    if (exists) {
      open = walk(shares.begin(subwarp), shares.end(subwarp), subwarp, shared, position, sum);
      if (open.is_long && open.is_share) leave(subwarp, open.has_ended, shared, position, sum);
    }
    team.barrier();
    const bool goes_on = exists && open.is_long && !open.is_share && !open.has_ended;
    add_shares(goes_on, subwarp + 1, shared, position, sum);
    if (goes_on) tile.write(static_cast<std::int64_t>(open.row), position, sum);
  }

  /// Finds the row in which each share begins, and whether any row is long.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void find_first_rows(const Team& team, const Rows& rows, const Shares& shares,
                                                   int subwarps, const Shared& shared) const {
    const auto count = static_cast<int>(rows.last - rows.first);
    for (int i = team.thread(); i < count; i += team.threads()) {
      const auto row   = static_cast<Ordinal>(rows.first + i);
      const auto begin = static_cast<unsigned>(A.row_map[row] - shares.from);
      const auto end   = static_cast<unsigned>(A.row_map[row + 1] - shares.from);
      if (begin == end) continue;
      if (end - begin > static_cast<unsigned>(longest)) shared.flags[subwarps] = 1;
      const auto size = static_cast<unsigned>(shares.size);
      for (unsigned subwarp = (begin + size - 1) / size; subwarp * size < end; ++subwarp)
        shared.first_rows[subwarp] = row;
    }
  }

  /// The row that a subwarp adds up when its share ends.
  struct Open {
    Ordinal row;
    bool is_long;    ///< otherwise other teams take it
    bool is_share;   ///< it began in an earlier share
    bool has_ended;  ///< it ends where the share does
  };

  /// Writes long rows that begin and end in [from, to). Leaves the sums of a row that began earlier.
  KOKKOS_FORCEINLINE_FUNCTION Open walk(Offset from, Offset to, int subwarp, const Shared& shared,
                                        const LanePosition& position, Sums& sum) const {
    Ordinal row   = shared.first_rows[subwarp];
    Offset begin  = A.row_map[row];
    Offset end    = A.row_map[row + 1];
    bool is_share = begin < from;
    while (true) {
      const bool is_long  = !is_short(begin, end);
      const Offset behind = end < to ? end : to;
      if (is_long) {
        const Offset k = begin < from ? from : begin;
        add_neighbours(k, static_cast<int>(behind - k), position, sum);
      }
      if (behind == to) {
        if (is_long && end == to && !is_share) tile.write(static_cast<std::int64_t>(row), position, sum);
        return {row, is_long, is_share, end == to};
      }
      if (is_long) close(row, is_share, subwarp, shared, position, sum);
      is_share = false;
      begin    = end;
      do end = A.row_map[++row + 1];
      while (end == begin);  // skips empty rows
    }
  }

  /// Adds `count` nonzeros of a row from k on.
  KOKKOS_FORCEINLINE_FUNCTION void add_neighbours(Offset k, int count, const LanePosition& position, Sums& sum) const {
    LACUNA_NO_UNROLL
    for (; count >= unroll; k += unroll, count -= unroll) add_unrolled<unroll>(k, unroll, position, sum);
    if (count > 0) add_unrolled<unroll - 1>(k, count, position, sum);
  }
  /// Adds `count` nonzeros from k on; `count` is at most `most`.
  template <int most>
  KOKKOS_FORCEINLINE_FUNCTION void add_unrolled(Offset k, int count, const LanePosition& position, Sums& sum) const {
    add_round<most, vector, lane_vectors>(
        tile, position, A.entries, A.values, k, 1, [count](int i) { return most == unroll || i == 0 || i < count; },
        sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION void close(Ordinal row, bool is_share, int subwarp, const Shared& shared,
                                         const LanePosition& position, Sums& sum) const {
    if (is_share)
      leave(subwarp, true, shared, position, sum);
    else
      tile.write(static_cast<std::int64_t>(row), position, sum);
    Tile::clear(sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION void leave(int subwarp, bool has_ended, const Shared& shared,
                                         const LanePosition& position, const Sums& sum) const {
    Arithmetic* const mine = shared.sums + subwarp * tile.tile_columns();
    for (int c = 0; c < lane_vectors; ++c)
      for (int v = 0; v < vector; ++v) mine[tile.position_of_sum(c * vector + v, position.lane)] = sum[c][v];
    if (position.lane == 0) shared.flags[subwarp] = has_ended ? 1 : 0;
  }

  /// Adds the sums of the open row that the subwarps from `subwarp` on hold, in order, for lanes with `adds`. Every
  /// lane of the warp takes part.
  KOKKOS_FORCEINLINE_FUNCTION void add_shares(bool adds, int subwarp, const Shared& shared,
                                              const LanePosition& position, Sums& sum) const {
    for (bool goes_on = adds; lanes_of::ballot(goes_on) != 0; ++subwarp) {
      if (!goes_on) continue;
      const Arithmetic* const other = shared.sums + subwarp * tile.tile_columns();
      for (int c = 0; c < lane_vectors; ++c)
        for (int v = 0; v < vector; ++v) sum[c][v] += other[tile.position_of_sum(c * vector + v, position.lane)];
      goes_on = shared.flags[subwarp] == 0;
    }
  }

  /// This team's columns of a long row: the columns of `lanes` neighbouring lanes of a subwarp. Warps leave their sums
  /// in `partial`, which are added in order.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void long_row(const Team& team, int n_tile, const Rows& rows, Arithmetic* partial) const {
    const int helpers = rows.helpers < lanes_of_subwarp ? static_cast<int>(rows.helpers) : lanes_of_subwarp;
    const int lanes   = (lanes_of_subwarp + helpers - 1) / helpers;
    if (rows.helper * lanes >= lanes_of_subwarp) return;
    const int first             = static_cast<int>(rows.helper) * lanes;
    const int subwarps          = Tile::lane_width / lanes;  // in a warp
    const int subwarp           = team.lane() / lanes;
    const int lane              = team.lane() - subwarp * lanes;
    const bool takes_part       = subwarp < subwarps && first + lane < lanes_of_subwarp;
    const LanePosition position = tile.position(n_tile, takes_part ? first + lane : 0);
    const auto row              = static_cast<std::int64_t>(rows.long_row);
    const auto distance         = static_cast<Offset>(team.warps() * subwarps);
    const Offset first_nonzero  = A.row_map[row] + static_cast<Offset>(team.warp() * subwarps + subwarp);
    const Offset end            = takes_part ? A.row_map[row + 1] : Offset(0);
    Sums sum;
    Tile::clear(sum);
    if (first_nonzero < end)
      add_in_turn(first_nonzero, static_cast<int>((end - first_nonzero - 1) / distance + 1), static_cast<int>(distance),
                  position, sum);
    add_subwarps<Team>(subwarp, subwarps, lanes, sum);
    const int columns = lanes * vector * lane_vectors;
    if (takes_part && subwarp == 0)
      for (int c = 0; c < lane_vectors; ++c)
        for (int v = 0; v < vector; ++v) partial[team.warp() * columns + (c * vector + v) * lanes + lane] = sum[c][v];
    team.barrier();
    for (int i = team.thread(); i < columns; i += team.threads()) {
      const int element = i / lanes, at = first + i % lanes;
      const int column =
          n_tile * tile.tile_columns() + (element / vector * lanes_of_subwarp + at) * vector + element % vector;
      Arithmetic total(0);
      for (int warp = 0; warp < team.warps(); ++warp) total += partial[warp * columns + i];
      if (at < lanes_of_subwarp && column < tile.columns()) tile.arguments().write(row, column, total);
    }
  }

  /// Adds the `left` nonzeros k, k + distance, ….
  KOKKOS_FORCEINLINE_FUNCTION void add_in_turn(Offset k, int left, int distance, const LanePosition& position,
                                               Sums& sum) const {
    // The compiler is told that the first nonzero of a round exists, where this makes the kernel faster: for scalars of
    // up to 4 bytes. With double, register allocation differs and the kernel becomes slower.
    constexpr bool knows_first = sizeof(Scalar) <= 4;
    LACUNA_NO_UNROLL
    for (; left > 0; k += static_cast<Offset>(unroll * distance), left -= unroll)
      add_round<unroll, vector, lane_vectors>(
          tile, position, A.entries, A.values, k, distance,
          [left](int i) { return (knows_first && i == 0) || i < left; }, sum);
  }

  /// Adds the sums of the subwarps of a warp into subwarp 0. Every lane of the warp takes part.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void add_subwarps(int subwarp, int subwarps, int lanes, Sums& sum) {
    for (int left = subwarps; left > 1;) {
      const int distance = (left + 1) / 2;
      const bool adds    = subwarp + distance < left;
      for (int c = 0; c < lane_vectors; ++c)
        for (int v = 0; v < vector; ++v) {
          const Arithmetic other = Team::lanes::shuffle_down(sum[c][v], distance * lanes, Team::lane_width);
          if (adds) sum[c][v] += other;
        }
      left = distance;
    }
  }
};

/// Lanes along N: the fewest idle lanes. No mean of the rows is known.
inline RowsShape spmm_one_shot_shape(int lane_width, std::int64_t columns, int vector) {
  RowsShape shape;
  shape.vector               = columns == 1 ? 1 : vector;
  const std::int64_t vectors = ceiling_quotient(columns, shape.vector);
  shape.lane_vectors         = shape.vector == 1 && vectors > lane_width ? 2 : 1;
  shape.tiles                = ceiling_quotient(vectors, std::int64_t{lane_width} * shape.lane_vectors);
  shape.lanes                = static_cast<int>(ceiling_quotient(vectors, shape.tiles * shape.lane_vectors));
  if (shape.lanes == 7 && lane_width >= 8) shape.lanes = 8;
  return shape;
}

/// Keys of a tile for a team of `subwarps` subwarps: shares fill the device once.
inline std::int64_t spmm_one_shot_tile(const RowsStatistics& statistics, const RowsShape& shape, int subwarps) {
  const double lanes  = static_cast<double>(shape.lanes) * static_cast<double>(shape.tiles);
  const double keys   = (statistics.mean + 1) * static_cast<double>(statistics.rows);
  const double wanted = keys * lanes / (RowsPolicy::one_shot_fill * static_cast<double>(statistics.concurrency));
  return std::max(static_cast<std::int64_t>(wanted), RowsPolicy::least_share) * subwarps;
}

/// Starts the kernel for warps. `tile`: keys of a tile; 0: as many as suit the device.
template <int vector, int lane_vectors, class ExecutionSpace, class Arrays, class Output>
void launch_spmm_one_shot(const ExecutionSpace& exec, const Arrays& A,
                          const BlockArguments<typename Arrays::Scalar, Output>& arguments, const RowsShape& shape,
                          std::int64_t tile) {
  using Kernel               = RowsOneShot<ExecutionSpace, Arrays, Output, vector, lane_vectors>;
  using Tile                 = typename Kernel::Tile;
  constexpr int most         = RowsPolicy::row_team;
  const int threads          = team_threads<ExecutionSpace>(most);
  const int subwarps_of_warp = shape.rows_per_warp(Tile::lane_width);
  const int subwarps         = threads / Tile::lane_width * subwarps_of_warp;
  const auto statistics      = rows_statistics(exec, A);
  if (tile == 0) tile = spmm_one_shot_tile(statistics, shape, subwarps);
  const typename Kernel::Tiles tiles(A, tile, RowsPolicy::one_shot_room * tile);
  const std::int64_t sharing = tiles.count(A);
  const std::int64_t teams   = row_teams(sharing + ceiling_quotient(statistics.rows, subwarps), 1, shape);
  // A row that teams share must not also be short.
  const auto longest = static_cast<int>(std::min(tile, RowsPolicy::longest_one_shot_row(statistics.mean)));
  const Kernel kernel{A,
                      Tile(arguments, shape),
                      tiles,
                      shape.lanes,
                      subwarps_of_warp,
                      longest,
                      static_cast<int>(sharing),
                      static_cast<int>(teams)};
  constexpr int row_bytes = vector * lane_vectors * static_cast<int>(sizeof(typename Arrays::Scalar));
  launch_teams<most, RowsPolicy::one_shot_teams_at_once(row_bytes)>(
      exec, "Lacuna::spmm::one_shot", {teams * shape.tiles, threads}, kernel.scratch_bytes(threads), kernel);
}

/// Picks the kernel for the widest loads that rows of B allow.
template <class ExecutionSpace, class Arrays, class Output>
void launch_spmm_one_shot(const ExecutionSpace& exec, const Arrays& A,
                          const BlockArguments<typename Arrays::Scalar, Output>& arguments, std::int64_t tile) {
  constexpr int widest = widest_load<typename Arrays::Scalar>;
  const auto shape     = spmm_one_shot_shape(ExecutionTraits<ExecutionSpace>::lane_width, arguments.C.columns,
                                             load_width(arguments.B, false));
  if constexpr (widest > 1)
    if (shape.vector == widest) return launch_spmm_one_shot<widest, 1>(exec, A, arguments, shape, tile);
  if constexpr (widest > 2)
    if (shape.vector == widest / 2) return launch_spmm_one_shot<widest / 2, 1>(exec, A, arguments, shape, tile);
  if (shape.lane_vectors == 2) return launch_spmm_one_shot<1, 2>(exec, A, arguments, shape, tile);
  launch_spmm_one_shot<1, 1>(exec, A, arguments, shape, tile);
}

/// C = alpha A B + beta C for arguments that hold a product. Does not allocate, does not fence. Hosts walk rows,
/// balanced by nonzeros; with `by_lanes` they also run the kernel for warps, for tests.
/// \throws NotSupported where rows of B are 2 GiB or more apart.
template <bool by_lanes = false, class ExecutionSpace, class Arrays, class Output>
void spmm_one_shot(const ExecutionSpace& exec, const Arrays& A,
                   const BlockArguments<typename Arrays::Scalar, Output>& arguments, std::int64_t tile = 0) {
  if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu || by_lanes) {
    const std::int64_t columns = arguments.C.columns, panel = columns_at_once(arguments);
    for (std::int64_t first = 0; first < columns; first += panel)
      launch_spmm_one_shot(exec, A, column_panel(arguments, first, std::min(panel, columns - first)), tile);
  } else {
    host_rows(exec, A, arguments);
  }
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWKERNEL_HPP
#define LACUNA_ROWKERNEL_HPP

#include <kernels/rows/Lacuna_ColumnTile.hpp>
#include <kernels/rows/Lacuna_RowRound.hpp>
#include <kernels/rows/Lacuna_RowTile.hpp>
#include <kernels/rows/Lacuna_RowsByLength.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief C = alpha A B + beta C from CSR, row by row. Serves rows of about equal length where tiles do not fill N
/// (Lacuna_EvenRows.hpp serves whole tiles), rows sorted by length, and rows in their own order where memory does not
/// suffice for sorting them.
///
/// A subwarp stands along a row of C. Each lane holds the sums of its columns in registers while the subwarp walks the
/// nonzeros of the row. One round takes `unroll` nonzeros: it loads columns and values, which are the same for the
/// whole subwarp, then `unroll` rows of B, then adds the products. A subwarp is as wide as N needs, so a warp holds
/// several rows where N is small. Several subwarps share a long row (`split_k`). Tiles of N are outermost: teams that
/// run at the same time read the same columns of B. Uneven rows come by a list (`SortedRows`), longest first; its first
/// rows take a team or a warp each. Without a list, rows above `longest_here` are put aside and taken by whole teams.
///
/// Bound: wavefronts of the first-level cache. A nonzero takes two for its column and value, and four for its row of B
/// with a subwarp of 32 lanes. Next come bytes of B from the second-level cache. So a lane takes several vectors of a
/// row of B where N allows (`lane_vectors`): more columns of C then share a column and a value of A. Code outside the
/// loop counts too, since rows are short.
/// Evidence: kernels/rows/tuning.md.

namespace lacuna::Impl {

/// Where the kernel takes its rows from: a list, a list with segments of rows, or the matrix in its own
/// order, with long rows put aside or not. One kernel for all sources would have code and registers that
/// each source can do without.
enum class RowSource { list, list_of_segments, uneven, even };

/// `TileType`: `RowTile`, or `ColumnTile` where N is 1.
template <class ExecutionSpace, class Arrays, class TileType, int vector, int lane_vectors, int unroll,
          RowSource source>
struct RowKernel {
  using Tile       = TileType;
  using Scalar     = typename Arrays::Scalar;
  using Ordinal    = typename Arrays::Ordinal;
  using Offset     = typename Arrays::Offset;
  using Arithmetic = typename Tile::Arithmetic;
  using Sums       = typename Tile::Sums;
  using traits     = ExecutionTraits<ExecutionSpace>;

  static constexpr bool one_column   = std::is_same_v<Tile, ColumnTile<ExecutionSpace, Arrays>>;
  static constexpr bool has_segments = source == RowSource::list_of_segments;
  static constexpr bool by_list      = source == RowSource::list || has_segments;
  static constexpr bool puts_aside   = source == RowSource::uneven;
  /// Rows above `longest_here` nonzeros are put aside for their whole team.
  struct AsTheyStand {
    std::int64_t longest_here;
  };
  /// Segments are passed only to the kernel that has them, since each argument adds to the time of a call.
  using Source = std::conditional_t<has_segments, SortedRows<Arrays>,
                                    std::conditional_t<by_list, SortedRowList<Arrays>, AsTheyStand>>;

  /// How subwarps stand along N.
  struct AlongColumns {
    int lanes;         // lanes of a subwarp
    int warp_split_k;  // split-K slices of a row that a warp takes, and of each warp where a team takes it
    int tiles;
    int teams_per_tile = 0;
    LaneDivision by_lanes;
    explicit AlongColumns(const RowsShape& shape)
        : lanes(shape.lanes),
          warp_split_k(Tile::lane_width / shape.lanes),
          tiles(static_cast<int>(shape.tiles)),
          by_lanes(shape.lanes) {}
    KOKKOS_FORCEINLINE_FUNCTION int tile_of(int team) const { return tiles == 1 ? 0 : team / teams_per_tile; }
    KOKKOS_FORCEINLINE_FUNCTION int part_of(int lane) const { return by_lanes(lane); }
  };
  struct OneColumn {
    static constexpr int lanes = 1, warp_split_k = Tile::lane_width;
    int teams_per_tile = 0;
    explicit OneColumn(const RowsShape&) {}
    KOKKOS_FORCEINLINE_FUNCTION static constexpr int tile_of(int) { return 0; }
    KOKKOS_FORCEINLINE_FUNCTION static constexpr int part_of(int lane) { return lane; }
  };
  using Columns = std::conditional_t<one_column, OneColumn, AlongColumns>;

  /// Split-K slices take single nonzeros in turn, so that a subwarp reads neighbours at once. Otherwise they take
  /// `unroll` neighbours in turn.
  static constexpr bool interleaved = RowsPolicy::interleaves_split_k(lane_vectors);

  Arrays A;
  Tile tile;
  int split_k;         // slices of a subwarp along the nonzeros
  int subwarps;        // in a warp
  int warp_teams = 0;  // teams of a tile whose warps take a row each
  Source order;
  Columns along;
  LaneDivision by_subwarp;

  /// Call `count_teams` before a launch.
  RowKernel(const Arrays& matrix, const Tile& row_tile, const RowsShape& shape, std::int64_t longest,
            const SortedRows<Arrays>& row_order)
      : A(matrix),
        tile(row_tile),
        split_k(shape.split_k),
        subwarps(shape.rows_per_warp(Tile::lane_width)),
        order(source_of(row_order, longest)),
        along(shape),
        by_subwarp(shape.lanes * shape.split_k) {}

  /// Teams of `threads` threads for one tile of N.
  std::int64_t count_teams(int threads) {
    const int warps  = threads / Tile::lane_width;
    std::int64_t all = 0, rest = static_cast<std::int64_t>(A.rows);
    if constexpr (by_list) {
      const std::int64_t by_warp = ceiling_quotient(order.by_warp, warps);
      warp_teams                 = static_cast<int>(by_warp);
      all                        = order.by_team + by_warp;
      rest                       = order.count - order.by_team - order.by_warp;
    }
    all += ceiling_quotient(rest, std::int64_t{warps} * subwarps);
    along.teams_per_tile = static_cast<int>(all);
    return all;
  }

  struct LanePosition : Tile::LanePosition {
    int subwarp, k_slice;  // in the warp, and in the subwarp
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int n_tile = along.tile_of(team.league_rank());
    const int rank   = team.league_rank() - n_tile * along.teams_per_tile;
    if constexpr (by_list)
      listed_rows(team, n_tile, rank);
    else
      set_rows(team, n_tile, rank);
  }

  /// Whether whole teams take rows.
  bool has_teams() const {
    if constexpr (by_list)
      return order.by_team > 0;
    else
      return puts_aside && order.longest_here < no_row_limit;
  }
  /// Scratch of a team that takes long rows together.
  std::size_t scratch_bytes(int threads) const {
    if (!has_teams()) return 0;
    const auto warps = static_cast<std::size_t>(threads / traits::lane_width);
    return warps * (static_cast<std::size_t>(subwarps) * sizeof(std::int64_t) +
                    static_cast<std::size_t>(tile.tile_columns()) * sizeof(Arithmetic)) +
           64;
  }

 private:
  using Row = std::make_unsigned_t<Ordinal>;

  static Source source_of(const SortedRows<Arrays>& order, std::int64_t longest_here) {
    if constexpr (by_list)
      return order;
    else
      return {longest_here};
  }

  /// A row and its nonzeros.
  struct Span {
    Offset begin, end;
    std::int64_t row;
  };
  /// Row `number` of the list, or of the matrix where there is no list.
  KOKKOS_FORCEINLINE_FUNCTION Span row_at(std::int64_t number) const {
    if constexpr (by_list) {
      const ListedRow<Arrays> listed = order.rows[number];
      return {listed.begin, listed.begin + static_cast<Offset>(listed.length), static_cast<std::int64_t>(listed.row)};
    } else {
      return {A.row_map[number], A.row_map[number + 1], number};
    }
  }

  /// The position of a lane in subwarps of `subwarp_split_k` slices.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION LanePosition position_in(const Team& team, int n_tile, int subwarp_split_k) const {
    const int subwarp = subwarp_split_k == split_k ? by_subwarp(team.lane()) : 0;
    const int within  = team.lane() - subwarp * along.lanes * subwarp_split_k;
    const int k_slice = along.part_of(within);
    return {tile.position(n_tile, within - k_slice * along.lanes), subwarp, k_slice};
  }

  /// Rows of the list: each takes a team, a warp or a subwarp.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void listed_rows(const Team& team, int n_tile, int rank) const {
    const auto by_team = static_cast<Row>(order.by_team);
    const auto by_warp = static_cast<Row>(order.by_warp);
    const auto warps   = static_cast<Row>(team.warps());
    if (static_cast<Row>(rank) < by_team) {
      Arithmetic* sums = team.template scratch<Arithmetic>(team.warps() * tile.tile_columns());
      return team_row(team, n_tile, rank, sums);
    }
    const auto number = static_cast<Row>(rank) - by_team;
    if (number < static_cast<Row>(warp_teams)) {
      const Row index = number * warps + static_cast<Row>(team.warp());
      return sum_row<Team>(position_in(team, n_tile, along.warp_split_k), along.warp_split_k, 1,
                           index < by_warp ? static_cast<std::int64_t>(by_team + index) : -1);
    }
    const LanePosition position = position_in(team, n_tile, split_k);
    const Row subwarp =
        ((number - static_cast<Row>(warp_teams)) * warps + static_cast<Row>(team.warp())) * static_cast<Row>(subwarps) +
        static_cast<Row>(position.subwarp);
    const Row index = by_team + by_warp + subwarp;
    sum_row<Team>(position, split_k, subwarps,
                  index < static_cast<Row>(order.count) ? static_cast<std::int64_t>(index) : -1);
  }

  /// Rows in their own order: each takes a subwarp.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void set_rows(const Team& team, int n_tile, int rank) const {
    const LanePosition position = position_in(team, n_tile, split_k);
    const auto warps            = static_cast<Row>(team.warps());
    const Row first   = (static_cast<Row>(rank) * warps + static_cast<Row>(team.warp())) * static_cast<Row>(subwarps);
    const Row row     = first + static_cast<Row>(position.subwarp);
    const bool exists = position.subwarp < subwarps && row < static_cast<Row>(A.rows);
    const auto signed_row = exists ? static_cast<std::int64_t>(row) : -1;
    if constexpr (!puts_aside) {
      sum_row<Team>(position, split_k, subwarps, signed_row);
    } else {
      const bool waits = exists && static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]) > order.longest_here;
      sum_row<Team>(position, split_k, subwarps, waits ? -1 : signed_row);
      if (order.longest_here < no_row_limit) whole_team_rows(team, position, waits ? signed_row : -1);
    }
  }

  /// Each subwarp of `subwarp_split_k` slices takes one row; -1: none. Every lane of the warp takes part.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sum_row(const LanePosition& position, int subwarp_split_k, int subwarps_of_warp,
                                           std::int64_t number) const {
    Sums sum          = {};
    const bool exists = number >= 0 && position.subwarp < subwarps_of_warp && position.k_slice < subwarp_split_k;
    const Span span   = exists ? row_at(number) : Span{0, 0, -1};
    add_products(span.begin, span.end, position, position.k_slice, subwarp_split_k, sum);
    add_split_k<Team>(position, subwarp_split_k, sum);
    if (exists && position.k_slice == 0 && tile.is_inside(position)) tile.write(span.row, position, sum);
  }

  /// Adds the products of slice `k_slice` of `stride` slices of the nonzeros [begin, end).
  KOKKOS_FORCEINLINE_FUNCTION void add_products(Offset begin, Offset end, const LanePosition& position, int k_slice,
                                                int stride, Sums& sum) const {
    if (interleaved && stride > 1)
      add_k_slice<interleaved>(begin, end, position, k_slice, stride, sum);
    else
      add_k_slice<false>(begin, end, position, k_slice, stride, sum);
  }

  /// `in_turn`: slices take single nonzeros in turn, otherwise rounds. With one slice it is known when compiling that
  /// its nonzeros are neighbours: addresses then cost no instructions.
  template <bool in_turn>
  KOKKOS_FORCEINLINE_FUNCTION void add_k_slice(Offset begin, Offset end, const LanePosition& position, int k_slice,
                                               int stride, Sums& sum) const {
    using Count              = std::make_signed_t<Offset>;
    constexpr int neighbours = in_turn ? 1 : unroll;  // nonzeros that a slice takes at once
    const int distance       = in_turn ? stride : 1;
    const auto step          = static_cast<Count>(stride * unroll);
    const auto whole         = static_cast<Count>((unroll - 1) * distance);
    auto rest                = static_cast<Count>(end - begin) - static_cast<Count>(k_slice * neighbours);
    const Ordinal* column    = A.entries + begin + k_slice * neighbours;
    const Scalar* value      = A.values + begin + k_slice * neighbours;
    for (; rest > whole; rest -= step, column += step, value += step)
      add_unrolled<true>(column, value, distance, 0, position, sum);
    if (rest > 0) add_unrolled<false>(column, value, distance, static_cast<int>(rest), position, sum);
  }

  /// A round of nonzeros `distance` apart. `whole`: all nonzeros of the round exist; otherwise
  /// only the ones below `rest`.
  template <bool whole>
  KOKKOS_FORCEINLINE_FUNCTION void add_unrolled(const Ordinal* columns, const Scalar* values, int distance, int rest,
                                                const LanePosition& position, Sums& sum) const {
    add_round<unroll, vector, lane_vectors>(
        tile, position, columns, values, 0, distance, [=](int i) { return whole || i * distance < rest; }, sum);
  }

  /// Adds the sums of the slices of a subwarp into slice 0. Every lane of the warp takes part.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_split_k(const LanePosition& position, int subwarp_split_k, Sums& sum) const {
    for (int left = subwarp_split_k; left > 1;) {
      const int distance = (left + 1) / 2;
      const bool adds    = position.k_slice + distance < left;
      for (int c = 0; c < lane_vectors; ++c)
        for (int v = 0; v < vector; ++v) {
          const Arithmetic other = Team::lanes::shuffle_down(sum[c][v], distance * along.lanes, Team::lane_width);
          if (adds) sum[c][v] += other;
        }
      left = distance;
    }
  }

  /// All subwarps of the team take the rows that were put aside, one row after the other. `mine` is the row of
  /// the calling subwarp, or -1.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void whole_team_rows(const Team& team, const LanePosition& position,
                                                   std::int64_t mine) const {
    const int team_subwarps = team.warps() * subwarps;
    std::int64_t* waiting   = team.template scratch<std::int64_t>(team_subwarps);
    Arithmetic* partial     = team.template scratch<Arithmetic>(team.warps() * tile.tile_columns());
    if (position.subwarp < subwarps && position.k_slice == 0 && position.lane == 0)
      waiting[team.warp() * subwarps + position.subwarp] = mine;
    team.barrier();
    for (int s = 0; s < team_subwarps; ++s)
      if (waiting[s] >= 0) team_row(team, position.tile, waiting[s], partial);
  }

  /// All warps of the team take one row. They leave their sums in `partial`, which are added in order.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void team_row(const Team& team, int n_tile, std::int64_t number,
                                            Arithmetic* partial) const {
    const Span span             = row_at(number);
    const LanePosition position = position_in(team, n_tile, along.warp_split_k);
    const bool takes_part       = position.subwarp == 0 && position.k_slice < along.warp_split_k;
    Sums sum                    = {};
    add_products(span.begin, takes_part ? span.end : span.begin, position,
                 team.warp() * along.warp_split_k + position.k_slice, team.warps() * along.warp_split_k, sum);
    add_split_k<Team>(position, along.warp_split_k, sum);
    if (takes_part && position.k_slice == 0)
      for (int c = 0; c < lane_vectors; ++c)
        for (int v = 0; v < vector; ++v)
          partial[team.warp() * tile.tile_columns() + tile.position_of_sum(c * vector + v, position.lane)] = sum[c][v];
    team.barrier();
    if constexpr (has_segments)
      if (order.segments[number].count > 1) return add_segment(team, number, span.row, partial);
    for (int i = team.thread(); i < tile.tile_columns(); i += team.threads()) {
      Arithmetic total(0);
      for (int warp = 0; warp < team.warps(); ++warp) total += partial[warp * tile.tile_columns() + i];
      write_sum(position, span.row, i, total);
    }
    team.barrier();
  }

  /// Writes the sum at position `i` of a tile.
  KOKKOS_FORCEINLINE_FUNCTION void write_sum(const LanePosition& position, std::int64_t row, int i,
                                             const Arithmetic& sum) const {
    if constexpr (one_column) {
      tile.write(row, sum);
    } else {
      const int element = i / along.lanes, lane_vector = element / vector;
      const int column = position.tile * tile.tile_columns() + (lane_vector * along.lanes + i % along.lanes) * vector +
                         element % vector;
      if (column < tile.columns()) tile.arguments().write(row, column, sum);
    }
  }

  /// For one column. Stores the team's sum of one segment of a row. The last arriver adds the segments in an order that
  /// depends only on how many there are.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_segment(const Team& team, std::int64_t number, std::int64_t row,
                                               const Arithmetic* of_warps) const {
    using Segment = ArrivingValue<ExecutionSpace, Arithmetic>;
    if (team.warp() != 0) return;
    const RowSegments segments = order.segments[number];
    bool is_last               = false;
    if (team.lane() == 0) {
      Arithmetic sum(0);
      for (int warp = 0; warp < team.warps(); ++warp) sum += of_warps[warp];
      Segment::leave(order.partial + number, sum);
      is_last = Kokkos::atomic_fetch_add(order.arrived + segments.first, 1) == segments.count - 1;
    }
    if (!Team::lanes::any(is_last)) return;
    Arithmetic sum(0);
    Arithmetic* const positions = order.partial + segments.first;
    for (int i = team.lane(); i < segments.count; i += 2 * Team::lane_width) {
      const int after = i + Team::lane_width;
      Segment here(positions + i), there(positions + (after < segments.count ? after : i));  // two loads in flight
      sum += here.take();
      if (after < segments.count) sum += there.take();
    }
    sum = Team::sum_lanes(sum, Team::lane_width);
    if (team.lane() != 0) return;
    tile.write(row, sum);
    order.arrived[segments.first] = 0;  // ready for the next call
  }
};

}  // namespace lacuna::Impl

#endif

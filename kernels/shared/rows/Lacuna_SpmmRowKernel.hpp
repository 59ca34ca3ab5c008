// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWKERNEL_HPP
#define LACUNA_SPMMROWKERNEL_HPP

#include <kernels/shared/rows/Lacuna_SpmmRound.hpp>
#include <kernels/shared/rows/Lacuna_SpmmRowTile.hpp>
#include <kernels/shared/rows/Lacuna_SpmmRowsByLength.hpp>
#include <kernels/shared/rows/Lacuna_SpmvRowTile.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief C = alpha A B + beta C from CSR, row by row: for rows of about equal length where tiles do not fill N
/// (Lacuna_SpmmEvenRows.hpp has the others), for rows sorted by length, and where memory does not suffice for that.
///
/// A sub-group stands along a row of C; every lane holds the sums of its columns in registers while the sub-group walks
/// the nonzeros, `unroll` at once: columns and values by loads that are the same for the whole sub-group, then that
/// many rows of B, then the products. Sub-groups are as wide as N needs, so that a lane group holds several rows where
/// N is small; long rows are shared by several sub-groups (`split_k`). Tiles of N are outermost: what runs at the same
/// time reads the same columns of B. Uneven rows come by a list (`SpmmRowOrder`), longest first, of which the first
/// take a team or a lane group each; without a list, rows above `longest_here` are put aside and taken by whole teams.
///
/// Bound: wavefronts of the first-level cache, of which a nonzero takes two for itself and four a sub-group of 32 lanes
/// for its row of B; then bytes of B from the second. So a lane takes several vectors of a row of B where N allows
/// (`lane_vectors`), which lets more rows share the first two. What is not in the loop counts too: rows are short.

namespace lacuna::Impl {

/// Stands for: no row is so long that it is treated apart.
inline constexpr std::int64_t spmm_no_limit = std::numeric_limits<std::int64_t>::max();

/// Where the kernel has its rows from: a list, which may hold pieces of rows, or the matrix as it stands, with long
/// rows put aside or not. One kernel for all has code and registers that each of them does without: SpMV by a driver,
/// in graphs, H100, 26 November 2026, even rows: cfd1 6.95 us for 7.35, in double 8.65 for 9.1.
enum class SpmmRowSource { list, list_of_pieces, uneven, even };

/// `RowTile`: `SpmmRowTile`, or `SpmvRowTile` where N is 1.
template <class ExecutionSpace, class Arrays, class RowTile, int vector, int lane_vectors, int unroll,
          SpmmRowSource source>
struct SpmmRowKernel {
  using Tile       = RowTile;
  using Scalar     = typename Arrays::Scalar;
  using Ordinal    = typename Arrays::Ordinal;
  using Offset     = typename Arrays::Offset;
  using Arithmetic = typename Tile::Arithmetic;
  using Sums       = typename Tile::Sums;
  using traits     = ExecutionTraits<ExecutionSpace>;

  static constexpr bool one_column = std::is_same_v<Tile, SpmvRowTile<ExecutionSpace, Arrays>>;
  static constexpr bool has_pieces = source == SpmmRowSource::list_of_pieces;
  static constexpr bool by_list    = source == SpmmRowSource::list || has_pieces;
  static constexpr bool puts_aside = source == SpmmRowSource::uneven;
  /// Rows that are longer are put aside for their whole team.
  struct AsTheyStand {
    std::int64_t longest_here;
  };
  /// Pieces are passed only to the kernel that has them: 24 bytes more cost 0.1 us a call (HEP-th-new, by a driver).
  using Source = std::conditional_t<has_pieces, SpmmRowOrder<Arrays>,
                                    std::conditional_t<by_list, SpmmRowList<Arrays>, AsTheyStand>>;

  /// How sub-groups stand along N.
  struct AlongColumns {
    int lanes;          // of a sub-group
    int group_split_k;  // of a row that a lane group takes, or for each lane group of the team that does
    int tiles;
    int teams_per_tile = 0;
    LaneDivision by_lanes;
    explicit AlongColumns(const SpmmRowShape& shape)
        : lanes(shape.lanes),
          group_split_k(Tile::lane_width / shape.lanes),
          tiles(static_cast<int>(shape.tiles)),
          by_lanes(shape.lanes) {}
    KOKKOS_FORCEINLINE_FUNCTION int tile_of(int team) const { return tiles == 1 ? 0 : team / teams_per_tile; }
    KOKKOS_FORCEINLINE_FUNCTION int part_of(int lane) const { return by_lanes(lane); }
  };
  struct OneColumn {
    static constexpr int lanes = 1, group_split_k = Tile::lane_width;
    int teams_per_tile = 0;
    explicit OneColumn(const SpmmRowShape&) {}
    KOKKOS_FORCEINLINE_FUNCTION static constexpr int tile_of(int) { return 0; }
    KOKKOS_FORCEINLINE_FUNCTION static constexpr int part_of(int lane) { return lane; }
  };
  using Columns = std::conditional_t<one_column, OneColumn, AlongColumns>;

  /// Parts of a row take its nonzeros in turn, so that what a sub-group reads at once stands side by side; else
  /// `unroll` neighbours each in turn.
  static constexpr bool interleaved = SpmmRowPolicy::interleaves_split_k(lane_vectors);

  Arrays A;
  Tile tile;
  int split_k;          // of a sub-group, along the nonzeros
  int sub_groups;       // in a lane group
  int group_teams = 0;  // teams of a tile whose lane groups take a row each
  Source order;
  Columns along;
  LaneDivision by_sub_group;

  /// Teams are to be counted by `count_teams`.
  SpmmRowKernel(const Arrays& matrix, const Tile& row_tile, const SpmmRowShape& shape, std::int64_t longest,
                const SpmmRowOrder<Arrays>& row_order)
      : A(matrix),
        tile(row_tile),
        split_k(shape.split_k),
        sub_groups(shape.rows_per_group(Tile::lane_width)),
        order(source_of(row_order, longest)),
        along(shape),
        by_sub_group(shape.lanes * shape.split_k) {}

  /// Teams of `threads` threads for one tile of N.
  std::int64_t count_teams(int threads) {
    const int groups = threads / Tile::lane_width;
    std::int64_t all = 0, rest = static_cast<std::int64_t>(A.rows);
    if constexpr (by_list) {
      const std::int64_t by_group = ceiling_quotient(order.by_group, groups);
      group_teams                 = static_cast<int>(by_group);
      all                         = order.by_team + by_group;
      rest                        = order.count - order.by_team - order.by_group;
    }
    all += ceiling_quotient(rest, std::int64_t{groups} * sub_groups);
    along.teams_per_tile = static_cast<int>(all);
    return all;
  }

  struct Place : Tile::Place {
    int sub_group, k_part;  // in the lane group, and in the sub-group
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
      return puts_aside && order.longest_here < spmm_no_limit;
  }
  /// Scratch of a team that takes long rows together.
  std::size_t scratch_bytes(int threads) const {
    if (!has_teams()) return 0;
    const auto groups = static_cast<std::size_t>(threads / traits::lane_width);
    return groups * (static_cast<std::size_t>(sub_groups) * sizeof(std::int64_t) +
                     static_cast<std::size_t>(tile.tile_columns()) * sizeof(Arithmetic)) +
           64;
  }

 private:
  using Row = std::make_unsigned_t<Ordinal>;

  static Source source_of(const SpmmRowOrder<Arrays>& order, std::int64_t longest_here) {
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
  /// Row `number`, of the list where there is one.
  KOKKOS_FORCEINLINE_FUNCTION Span row_at(std::int64_t number) const {
    if constexpr (by_list) {
      const SpmmListedRow<Arrays> listed = order.rows[number];
      return {listed.begin, listed.begin + static_cast<Offset>(listed.length), static_cast<std::int64_t>(listed.row)};
    } else {
      return {A.row_map[number], A.row_map[number + 1], number};
    }
  }

  /// Where a lane stands in sub-groups of `sub_group_split_k` parts.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Place place_in(const Team& team, int n_tile, int sub_group_split_k) const {
    const int sub_group = sub_group_split_k == split_k ? by_sub_group(team.lane()) : 0;
    const int within    = team.lane() - sub_group * along.lanes * sub_group_split_k;
    const int k_part    = along.part_of(within);
    return {tile.place(n_tile, within - k_part * along.lanes), sub_group, k_part};
  }

  /// Rows of the list: a team, a lane group or a sub-group each.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void listed_rows(const Team& team, int n_tile, int rank) const {
    const auto by_team  = static_cast<Row>(order.by_team);
    const auto by_group = static_cast<Row>(order.by_group);
    const auto groups   = static_cast<Row>(team.groups());
    if (static_cast<Row>(rank) < by_team) {
      Arithmetic* sums = team.template scratch<Arithmetic>(team.groups() * tile.tile_columns());
      return team_row(team, n_tile, rank, sums);
    }
    const auto number = static_cast<Row>(rank) - by_team;
    if (number < static_cast<Row>(group_teams)) {
      const Row index = number * groups + static_cast<Row>(team.group());
      return sum_row<Team>(place_in(team, n_tile, along.group_split_k), along.group_split_k, 1,
                           index < by_group ? static_cast<std::int64_t>(by_team + index) : -1);
    }
    const Place place   = place_in(team, n_tile, split_k);
    const Row sub_group = ((number - static_cast<Row>(group_teams)) * groups + static_cast<Row>(team.group())) *
                              static_cast<Row>(sub_groups) +
                          static_cast<Row>(place.sub_group);
    const Row index = by_team + by_group + sub_group;
    sum_row<Team>(place, split_k, sub_groups,
                  index < static_cast<Row>(order.count) ? static_cast<std::int64_t>(index) : -1);
  }

  /// Rows in their own order, a sub-group each.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void set_rows(const Team& team, int n_tile, int rank) const {
    const Place place = place_in(team, n_tile, split_k);
    const auto groups = static_cast<Row>(team.groups());
    const Row first = (static_cast<Row>(rank) * groups + static_cast<Row>(team.group())) * static_cast<Row>(sub_groups);
    const Row row   = first + static_cast<Row>(place.sub_group);
    const bool exists     = place.sub_group < sub_groups && row < static_cast<Row>(A.rows);
    const auto signed_row = exists ? static_cast<std::int64_t>(row) : -1;
    if constexpr (!puts_aside) {
      sum_row<Team>(place, split_k, sub_groups, signed_row);
    } else {
      const bool waits = exists && static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]) > order.longest_here;
      sum_row<Team>(place, split_k, sub_groups, waits ? -1 : signed_row);
      if (order.longest_here < spmm_no_limit) whole_team_rows(team, place, waits ? signed_row : -1);
    }
  }

  /// One row by each sub-group of `sub_group_split_k` parts; -1: none. Every lane of the group takes part.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sum_row(const Place& place, int sub_group_split_k, int sub_groups_of_group,
                                           std::int64_t number) const {
    Sums sum          = {};
    const bool exists = number >= 0 && place.sub_group < sub_groups_of_group && place.k_part < sub_group_split_k;
    const Span span   = exists ? row_at(number) : Span{0, 0, -1};
    add_products(span.begin, span.end, place, place.k_part, sub_group_split_k, sum);
    add_split_k<Team>(place, sub_group_split_k, sum);
    if (exists && place.k_part == 0 && tile.is_inside(place)) tile.write(span.row, place, sum);
  }

  /// Adds the products of part `k_part` of `stride` of the nonzeros [begin, end).
  KOKKOS_FORCEINLINE_FUNCTION void add_products(Offset begin, Offset end, const Place& place, int k_part, int stride,
                                                Sums& sum) const {
    if (interleaved && stride > 1)
      add_k_part<interleaved>(begin, end, place, k_part, stride, sum);
    else
      add_k_part<false>(begin, end, place, k_part, stride, sum);
  }

  /// `in_turn`: parts take single nonzeros in turn, else rounds. Where there is one part, it is known when compiling
  /// that its nonzeros are neighbours: addresses then take no instructions.
  template <bool in_turn>
  KOKKOS_FORCEINLINE_FUNCTION void add_k_part(Offset begin, Offset end, const Place& place, int k_part, int stride,
                                              Sums& sum) const {
    using Count              = std::make_signed_t<Offset>;
    constexpr int neighbours = in_turn ? 1 : unroll;  // that a part takes at once
    const int distance       = in_turn ? stride : 1;
    const auto step          = static_cast<Count>(stride * unroll);
    const auto whole         = static_cast<Count>((unroll - 1) * distance);
    auto rest                = static_cast<Count>(end - begin) - static_cast<Count>(k_part * neighbours);
    const Ordinal* column    = A.entries + begin + k_part * neighbours;
    const Scalar* value      = A.values + begin + k_part * neighbours;
    for (; rest > whole; rest -= step, column += step, value += step)
      add_unrolled<true>(column, value, distance, 0, place, sum);
    if (rest > 0) add_unrolled<false>(column, value, distance, static_cast<int>(rest), place, sum);
  }

  /// A round of nonzeros `distance` apart. `whole`: all of it is there, else what begins within `rest`.
  template <bool whole>
  KOKKOS_FORCEINLINE_FUNCTION void add_unrolled(const Ordinal* columns, const Scalar* values, int distance, int rest,
                                                const Place& place, Sums& sum) const {
    add_round<unroll, vector, lane_vectors>(
        tile, place, columns, values, 0, distance, [=](int i) { return whole || i * distance < rest; }, sum);
  }

  /// Adds the sums of the parts of a sub-group; part 0 gets them. Every lane of the group takes part.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_split_k(const Place& place, int sub_group_split_k, Sums& sum) const {
    for (int left = sub_group_split_k; left > 1;) {
      const int distance = (left + 1) / 2;
      const bool adds    = place.k_part + distance < left;
      for (int c = 0; c < lane_vectors; ++c)
        for (int v = 0; v < vector; ++v) {
          const Arithmetic other = Team::lanes::shuffle_down(sum[c][v], distance * along.lanes, Team::lane_width);
          if (adds) sum[c][v] += other;
        }
      left = distance;
    }
  }

  /// Rows that were put aside, one after the other by all sub-groups of the team. `mine` is the row of the calling
  /// sub-group, or -1.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void whole_team_rows(const Team& team, const Place& place, std::int64_t mine) const {
    const int team_sub_groups = team.groups() * sub_groups;
    std::int64_t* waiting     = team.template scratch<std::int64_t>(team_sub_groups);
    Arithmetic* partial       = team.template scratch<Arithmetic>(team.groups() * tile.tile_columns());
    if (place.sub_group < sub_groups && place.k_part == 0 && place.lane == 0)
      waiting[team.group() * sub_groups + place.sub_group] = mine;
    team.barrier();
    for (int s = 0; s < team_sub_groups; ++s)
      if (waiting[s] >= 0) team_row(team, place.tile, waiting[s], partial);
  }

  /// One row by all lane groups of the team, which leave their sums in `partial`; these are added in order.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void team_row(const Team& team, int n_tile, std::int64_t number,
                                            Arithmetic* partial) const {
    const Span span       = row_at(number);
    const Place place     = place_in(team, n_tile, along.group_split_k);
    const bool takes_part = place.sub_group == 0 && place.k_part < along.group_split_k;
    Sums sum              = {};
    add_products(span.begin, takes_part ? span.end : span.begin, place,
                 team.group() * along.group_split_k + place.k_part, team.groups() * along.group_split_k, sum);
    add_split_k<Team>(place, along.group_split_k, sum);
    if (takes_part && place.k_part == 0)
      for (int c = 0; c < lane_vectors; ++c)
        for (int v = 0; v < vector; ++v)
          partial[team.group() * tile.tile_columns() + tile.place_of_sum(c * vector + v, place.lane)] = sum[c][v];
    team.barrier();
    if constexpr (has_pieces)
      if (order.pieces[number].count > 1) return add_piece(team, number, span.row, partial);
    for (int i = team.thread(); i < tile.tile_columns(); i += team.threads()) {
      Arithmetic total(0);
      for (int group = 0; group < team.groups(); ++group) total += partial[group * tile.tile_columns() + i];
      write_sum(place, span.row, i, total);
    }
    team.barrier();
  }

  /// Writes the sum that stands at place `i` among those of a tile.
  KOKKOS_FORCEINLINE_FUNCTION void write_sum(const Place& place, std::int64_t row, int i, const Arithmetic& sum) const {
    if constexpr (one_column) {
      tile.write(row, sum);
    } else {
      const int element = i / along.lanes, lane_vector = element / vector;
      const int column =
          place.tile * tile.tile_columns() + (lane_vector * along.lanes + i % along.lanes) * vector + element % vector;
      if (column < tile.columns()) tile.arguments().write(row, column, sum);
    }
  }

  /// For one column. Leaves what the team has of a piece of a row; the last arriver adds up the pieces, in an order
  /// that their number alone decides.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_piece(const Team& team, std::int64_t number, std::int64_t row,
                                             const Arithmetic* of_groups) const {
    using Piece = ArrivingValue<ExecutionSpace, Arithmetic>;
    if (team.group() != 0) return;
    const SpmmRowPieces pieces = order.pieces[number];
    bool is_last               = false;
    if (team.lane() == 0) {
      Arithmetic sum(0);
      for (int group = 0; group < team.groups(); ++group) sum += of_groups[group];
      Piece::leave(order.partial + number, sum);
      is_last = Kokkos::atomic_fetch_add(order.arrived + pieces.first, 1) == pieces.count - 1;
    }
    if (!Team::lanes::any(is_last)) return;
    Arithmetic sum(0);
    Arithmetic* const places = order.partial + pieces.first;
    for (int i = team.lane(); i < pieces.count; i += 2 * Team::lane_width) {
      const int after = i + Team::lane_width;
      Piece here(places + i), there(places + (after < pieces.count ? after : i));  // both on their way
      sum += here.take();
      if (after < pieces.count) sum += there.take();
    }
    sum = Team::sum_lanes(sum, Team::lane_width);
    if (team.lane() != 0) return;
    tile.write(row, sum);
    order.arrived[pieces.first] = 0;  // ready for the next call
  }
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_ROWKERNEL_HPP
#define LACUNA_SPMM_ROWKERNEL_HPP

#include <kernels/spmm/impl/Lacuna_Spmm_RowTile.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief C = alpha A B + beta C from CSR, row by row: for rows of about equal length, and for calls without a plan.
///
/// A set of lanes stands along a row of C; every lane holds the sums of its columns in registers while the set walks
/// the nonzeros, `batch` at once: columns and values by loads that are the same for the whole set, then that many rows
/// of B, then the products. Sets are as wide as N needs, so that a lane group holds several rows where N is small; long
/// rows are shared by several sets (`parts`). Tiles of N are outermost: what runs at the same time reads the same
/// columns of B. Rows above `longest_here` are put aside and taken by whole teams.
///
/// Bound: wavefronts of the first-level cache, of which a nonzero takes two for itself and four a set of 32 lanes for
/// its row of B; then bytes of B from the second. So a lane takes several vectors of a row of B where N allows
/// (`chunks`), which lets more rows share the first two. What is not in the loop counts too: rows are short.

namespace lacuna::Impl {

/// Stands for: no row is so long that it is treated apart.
inline constexpr std::int64_t spmm_no_limit = std::numeric_limits<std::int64_t>::max();

template <class ExecutionSpace, class Arrays, class Output, int vector, int chunks, int batch>
struct SpmmRowSplit {
  using Tile       = SpmmRowTile<ExecutionSpace, Arrays, Output, vector, chunks>;
  using Scalar     = typename Arrays::Scalar;
  using Ordinal    = typename Arrays::Ordinal;
  using Offset     = typename Arrays::Offset;
  using Arithmetic = typename Tile::Arithmetic;
  using Sums       = typename Tile::Sums;
  using traits     = ExecutionTraits<ExecutionSpace>;

  static constexpr ScratchNeed scratch_need = ScratchNeed::large;  // little is: it saves instructions and registers

  Arrays A;
  Tile tile;
  int lanes;  // of a set, along the columns
  int parts;  // of a set, along the nonzeros
  int sets;   // in a lane group
  int tiles;
  int teams_per_tile;
  std::int64_t longest_here;  // a longer row is put aside for its whole team
  LaneDivision by_set, by_lanes;

  SpmmRowSplit(const Arrays& matrix, const Tile& row_tile, const SpmmRowShape& shape, int teams, std::int64_t longest)
      : A(matrix),
        tile(row_tile),
        lanes(shape.lanes),
        parts(shape.parts),
        sets(shape.rows_per_group(Tile::lane_width)),
        tiles(static_cast<int>(shape.tiles)),
        teams_per_tile(teams),
        longest_here(longest),
        by_set(shape.lanes * shape.parts),
        by_lanes(shape.lanes) {}

  struct Place : Tile::Place {
    int set, part;  // in the lane group, and in the set
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using Row        = std::make_unsigned_t<Ordinal>;
    const int n_tile = tiles == 1 ? 0 : team.league_rank() / teams_per_tile;
    const int set    = by_set(team.lane());
    const int within = team.lane() - set * lanes * parts;
    const int part   = by_lanes(within);
    const Place place{tile.place(n_tile, within - part * lanes), set, part};
    const auto group =
        static_cast<Row>(team.league_rank() - n_tile * teams_per_tile) * static_cast<Row>(team.groups()) +
        static_cast<Row>(team.group());
    const Row row = group * static_cast<Row>(sets) + static_cast<Row>(set);

    Sums sum           = {};
    const bool exists  = set < sets && row < static_cast<Row>(A.rows);
    const Offset begin = exists ? A.row_map[row] : Offset(0);
    Offset end         = exists ? A.row_map[row + 1] : Offset(0);
    const bool waits   = static_cast<std::int64_t>(end - begin) > longest_here;
    if (waits) end = begin;
    add_products(begin, end, place, part, parts, sum);
    add_parts<Team>(sum);
    if (exists && !waits && part == 0 && tile.is_inside(place)) tile.write(static_cast<std::int64_t>(row), place, sum);
    if (longest_here < spmm_no_limit) whole_team_rows(team, place, waits ? static_cast<std::int64_t>(row) : -1);
  }

  /// Scratch of a team that takes long rows together.
  std::size_t scratch_bytes(int threads) const {
    if (longest_here == spmm_no_limit) return 0;
    const auto team_sets = static_cast<std::size_t>(threads / traits::lane_width * sets);
    return team_sets * (sizeof(std::int64_t) + static_cast<std::size_t>(tile.tile_columns()) * sizeof(Arithmetic)) + 64;
  }

 private:
  /// Adds the products of the batches part, part + stride, … of the nonzeros [begin, end).
  KOKKOS_FORCEINLINE_FUNCTION void add_products(Offset begin, Offset end, const Place& place, int part, int stride,
                                                Sums& sum) const {
    using Count           = std::make_signed_t<Offset>;
    const auto step       = static_cast<Count>(stride * batch);
    auto rest             = static_cast<Count>(end - begin) - static_cast<Count>(part * batch);
    const Ordinal* column = A.entries + begin + part * batch;
    const Scalar* value   = A.values + begin + part * batch;
    for (; rest >= batch; rest -= step, column += step, value += step)
      add_batch<true>(column, value, batch, place, sum);
    if (rest > 0) add_batch<false>(column, value, static_cast<int>(rest), place, sum);
  }

  /// `whole`: all of the batch is there, else `count` nonzeros are. What is not is neither read nor multiplied, not
  /// even by zero.
  template <bool whole>
  KOKKOS_FORCEINLINE_FUNCTION void add_batch(const Ordinal* columns, const Scalar* values, int count,
                                             const Place& place, Sums& sum) const {
    Ordinal column[batch];
    Scalar value[batch];
    Pack<Scalar, vector> row[batch][chunks];
    for (int i = 0; i < batch; ++i) column[i] = whole || i < count ? columns[i] : Ordinal(0);
    for (int i = 0; i < batch; ++i) value[i] = whole || i < count ? values[i] : Scalar(0);
    for (int i = 0; i < batch; ++i)
      if (whole || i < count)
        for (int c = 0; c < chunks; ++c) row[i][c] = tile.row_of_b(place, c, column[i]);
    for (int i = 0; i < batch; ++i)
      if (whole || i < count) Tile::add_product(value[i], row[i], sum);
  }

  /// Adds the sums of the parts of a set; part 0 gets them. Every lane of the group takes part.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_parts(Sums& sum) const {
    for (int distance = parts / 2; distance > 0; distance /= 2)
      for (int c = 0; c < chunks; ++c)
        for (int v = 0; v < vector; ++v)
          sum[c][v] += Team::lanes::shuffle_down(sum[c][v], distance * lanes, Team::lane_width);
  }

  /// Rows that were put aside, one after the other by all sets of the team. `mine` is the row of the calling set, or
  /// -1.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void whole_team_rows(const Team& team, const Place& place, std::int64_t mine) const {
    const int team_sets   = team.groups() * sets;
    const int set         = team.group() * sets + place.set;
    std::int64_t* waiting = team.template scratch<std::int64_t>(team_sets);
    Arithmetic* partial   = team.template scratch<Arithmetic>(team_sets * tile.tile_columns());
    const bool takes_part = place.set < sets;
    if (takes_part && place.part == 0 && place.lane == 0) waiting[set] = mine;
    team.barrier();
    for (int s = 0; s < team_sets; ++s) {
      const std::int64_t row = waiting[s];
      if (row < 0) continue;
      Sums sum = {};
      if (takes_part)
        add_products(A.row_map[row], A.row_map[row + 1], place, set * parts + place.part, team_sets * parts, sum);
      add_parts<Team>(sum);
      if (takes_part && place.part == 0)
        for (int c = 0; c < chunks; ++c)
          for (int v = 0; v < vector; ++v)
            partial[set * tile.tile_columns() + tile.place_of_sum(c * vector + v, place.lane)] = sum[c][v];
      team.barrier();
      for (int i = team.thread(); i < tile.tile_columns(); i += team.threads()) {
        const int element = i / lanes, chunk = element / vector;
        const int column = place.tile * tile.tile_columns() + (chunk * lanes + i % lanes) * vector + element % vector;
        Arithmetic total(0);
        for (int other = 0; other < team_sets; ++other) total += partial[other * tile.tile_columns() + i];
        if (column < tile.columns()) tile.arguments().write(row, column, total);
      }
      team.barrier();
    }
  }
};

}  // namespace lacuna::Impl

#endif

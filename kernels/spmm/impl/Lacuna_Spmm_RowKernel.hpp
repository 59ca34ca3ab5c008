// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_ROWKERNEL_HPP
#define LACUNA_SPMM_ROWKERNEL_HPP

#include <kernels/spmm/impl/Lacuna_Spmm_RowTile.hpp>

#include <cstdint>
#include <limits>

/// \file
/// \brief C = alpha A B + beta C from CSR, row by row: for rows of about equal length, and for calls without a plan.
///
/// A set of lanes stands along a row of C; every lane holds the sums of its columns in registers while the set walks
/// the nonzeros, in aligned packs of four. Sets are as wide as N needs, so that a lane group holds several rows where N
/// is small; long rows are shared by several sets (`parts`). Tiles of N are outermost: what runs at the same time reads
/// the same columns of B. Rows above `longest_here` are put aside and taken by whole teams.
///
/// Bound: bytes of B from the second-level cache, one row for each nonzero. A pack read ahead costs registers, so
/// teams, and is slower (`SpmmTuning::row_teams_at_once`).

namespace lacuna::Impl {

/// Stands for: no row is so long that it is treated apart.
inline constexpr std::int64_t spmm_no_limit = std::numeric_limits<std::int64_t>::max();

template <class ExecutionSpace, class Arrays, class Output, int vector, int chunks>
struct SpmmRowSplit {
  using Tile       = SpmmRowTile<ExecutionSpace, Arrays, Output, vector, chunks>;
  using Offset     = typename Arrays::Offset;
  using Arithmetic = typename Tile::Arithmetic;
  using Packs      = typename Tile::Packs;
  using Sums       = typename Tile::Sums;
  using traits     = ExecutionTraits<ExecutionSpace>;

  Arrays A;
  Tile tile;
  int lanes;  // of a set, along the columns
  int parts;  // of a set, along the nonzeros
  int sets;   // in a lane group
  int teams_per_tile;
  std::int64_t longest_here;  // a longer row is put aside for its whole team

  struct Place : Tile::Place {
    int set, part;  // in the lane group, and in the set
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int within = team.lane() % (lanes * parts);
    const int n_tile = team.league_rank() / teams_per_tile;
    const Place place{tile.place(n_tile, within % lanes, team.lane()), team.lane() / (lanes * parts), within / lanes};
    const std::int64_t group =
        static_cast<std::int64_t>(team.league_rank() - n_tile * teams_per_tile) * team.groups() + team.group();
    const std::int64_t row = group * sets + place.set;

    Sums sum           = {};
    const bool exists  = place.set < sets && row < static_cast<std::int64_t>(A.rows);
    const Offset begin = exists ? A.row_map[row] : Offset(0);
    Offset end         = exists ? A.row_map[row + 1] : Offset(0);
    const bool waits   = static_cast<std::int64_t>(end - begin) > longest_here;
    if (waits) end = begin;
    add_products(begin, end, place, place.part, parts, sum);
    add_parts<Team>(sum);
    if (exists && !waits && place.part == 0 && tile.is_inside(place)) tile.write(row, place, sum);
    if (longest_here < spmm_no_limit) whole_team_rows(team, place, waits ? row : -1);
  }

  /// Scratch of a team that takes long rows together.
  std::size_t scratch_bytes(int threads) const {
    if (longest_here == spmm_no_limit) return 0;
    const auto team_sets = static_cast<std::size_t>(threads / traits::lane_width * sets);
    return team_sets * (sizeof(std::int64_t) + static_cast<std::size_t>(tile.tile_columns()) * sizeof(Arithmetic)) + 64;
  }

 private:
  /// Adds the products of the packs first + part, first + part + stride, … of the nonzeros [begin, end).
  KOKKOS_FORCEINLINE_FUNCTION void add_products(Offset begin, Offset end, const Place& place, int part, int stride,
                                                Sums& sum) const {
    constexpr int width = Packs::width;
    Offset pack         = begin / width + part;
    if (begin >= end || pack * width >= end) return;
    int low     = part == 0 ? static_cast<int>(begin % width) : 0;  // nonzeros of the pack in front of the segment
    Offset rest = end - pack * width;                               // nonzeros from the pack on
    while (true) {
      add_pack(pack, low, rest, place, sum);
      if (rest <= static_cast<Offset>(stride * width)) return;
      pack += stride;
      rest -= static_cast<Offset>(stride * width);
      low = 0;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_pack(Offset pack, int low, Offset rest, const Place& place, Sums& sum) const {
    constexpr int width = Packs::width;
    typename Packs::Values value;
    typename Packs::Columns column;
    tile.packs().load(pack, value);
    tile.packs().load(pack, column);
    bool is_mine[width];
    for (int i = 0; i < width; ++i) is_mine[i] = i >= low && static_cast<Offset>(i) < rest;
    typename Tile::RowsOfB rows;
    tile.load(column, is_mine, place, rows);
    for (int i = 0; i < width; ++i)
      if (is_mine[i]) Tile::add_product(value.value[i], rows, i, sum);
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

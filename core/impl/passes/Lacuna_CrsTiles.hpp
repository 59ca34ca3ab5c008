// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CRSTILES_HPP
#define LACUNA_CRSTILES_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstdint>

/// \file
/// \brief Equal shares of the rows and nonzeros of a matrix that teams find by themselves: what a call without a plan
/// has in place of the work items of one (Lacuna_CrsWorkItems.hpp).
///
/// Row r begins at the key row_map[r] + r (the merge path of Merrill and Garland, SC'16). Tile t belongs to team t and
/// holds the rows that begin in the keys [t S, (t + 1) S), so no tile has more than S rows, empty ones included. Its
/// last row may go on behind it: up to the key t S + K the row belongs to the tile all the same; one that goes on
/// further is a long row. The tiles that a long row reaches into have few rows of their own or none, so their teams are
/// free for it. All that depends on the row map alone: who adds what, and in which order, is the same on every run.

namespace lacuna::Impl {

template <class Arrays>
struct CrsTiles {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  const Offset* row_map;
  Ordinal rows;
  std::int64_t size;      ///< S
  std::int64_t capacity;  ///< K, at least S
  double rows_per_key;

  CrsTiles(const Arrays& A, std::int64_t size_of_tile, std::int64_t capacity_of_tile)
      : row_map(A.row_map),
        rows(A.rows),
        size(size_of_tile),
        capacity(capacity_of_tile),
        rows_per_key(static_cast<double>(A.rows) / static_cast<double>(keys(A))) {}

  /// Rows and nonzeros; A has some.
  static std::int64_t keys(const Arrays& A) {
    return static_cast<std::int64_t>(A.nonzeros) + static_cast<std::int64_t>(A.rows);
  }
  /// One more than are full: every key that a row ends at lies in a tile.
  std::int64_t count(const Arrays& A) const { return keys(A) / size + 1; }

  /// What a team has to do.
  struct Tile {
    Ordinal first, last;           ///< rows of its own
    Ordinal long_row;              ///< a row that reaches into the tile from an earlier one; -1: there is none
    std::int64_t helper, helpers;  ///< the teams that such a row reaches, and which of them this one is
  };

  /// The tile of number `rank`, searched by the first two warps. `bounds`: two values of scratch. The whole team
  /// calls; there is a barrier within, in front of which other scratch may be filled.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Tile find(const Team& team, std::int64_t rank, Ordinal* bounds) const {
    for (int b = team.warp(); b < 2; b += team.warps()) {
      const Ordinal row = first_row_from<Team>((rank + b) * size, team.lane());
      if (team.lane() == 0) bounds[b] = row;
    }
    team.barrier();
    Tile tile{bounds[0], bounds[1], -1, 0, 0};
    if (tile.first > 0) add_long_row(rank, static_cast<Ordinal>(tile.first - 1), tile);
    if (tile.first < tile.last && end_of(static_cast<Ordinal>(tile.last - 1)) > rank * size + capacity) --tile.last;
    return tile;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t key(std::int64_t row) const {
    return static_cast<std::int64_t>(row_map[row]) + row;
  }
  /// The last key that a row takes.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end_of(Ordinal row) const {
    return static_cast<std::int64_t>(row_map[row + 1]) + static_cast<std::int64_t>(row);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_long_row(std::int64_t rank, Ordinal row, Tile& tile) const {
    const std::int64_t begin = key(row), end = end_of(row);
    if (end - begin <= capacity - size) return;  // spares most teams the division
    const std::int64_t home = begin / size;
    if (end <= home * size + capacity) return;
    tile.long_row = row;
    tile.helper   = rank - home - 1;
    tile.helpers  = (end + 1) / size - home;
  }

  /// The first row whose key is not below `wanted`; `rows` where there is none. A warp searches: its lanes probe
  /// in ascending order, first around the row that it would be if all were equally long, then at equal distances.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Ordinal first_row_from(std::int64_t wanted, int lane) const {
    constexpr int width = Team::lane_width, half = width / 2;
    std::int64_t low = 0, high = rows;
    if (low == high) return rows;
    const auto guess  = static_cast<std::int64_t>(static_cast<double>(wanted) * rows_per_key);
    const auto around = [&](int l) {
      const std::int64_t probe =
          l < half ? guess - (std::int64_t{1} << (half - 1 - l)) : guess + (std::int64_t{1} << (l - half)) - 1;
      return probe < 0 ? std::int64_t{0} : probe >= rows ? static_cast<std::int64_t>(rows) - 1 : probe;
    };
    narrow<Team>(wanted, lane, around, low, high);
    while (low < high) {
      const std::int64_t begin = low, length = high - low;
      narrow<Team>(
          wanted, lane, [&](int l) { return begin + length * (l + 1) / (width + 1); }, low, high);
    }
    return static_cast<Ordinal>(low);
  }

  /// Keys ascend, so the lanes whose probes lie below are the first ones.
  template <class Team, class Probe>
  KOKKOS_FORCEINLINE_FUNCTION void narrow(std::int64_t wanted, int lane, const Probe& probe, std::int64_t& low,
                                          std::int64_t& high) const {
    const int below = Team::lanes::count(key(probe(lane)) < wanted);
    if (below > 0) low = probe(below - 1) + 1;
    if (below < Team::lane_width) high = probe(below);
  }
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SLICEDDIAWALK_HPP
#define LACUNA_SLICEDDIAWALK_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

/// \file
/// \brief The diagonals of a slice of 32 rows, found by walking all its rows at once: a merge of 32 sorted lists, one
/// step a diagonal. On a GPU 32 lanes walk a row each; a host walks all rows in one thread.

namespace lacuna::Impl {

/// Why rows cannot be stored as diagonals; bits.
struct SlicedDiaDefect {
  static constexpr int unsorted  = 1;
  static constexpr int duplicate = 2;
};

/// Rows of a slice.
inline constexpr int sliced_dia_rows = 32;

/// The offset of a row that has no entry left.
template <class Ordinal>
inline constexpr Ordinal no_offset = std::numeric_limits<Ordinal>::max();

/// The column that the offsets of a row count from.
template <class Ordinal>
KOKKOS_FORCEINLINE_FUNCTION Ordinal sliced_dia_base(std::int64_t row, int group) {
  const auto narrow = static_cast<Ordinal>(row);
  return group == 1 ? narrow : static_cast<Ordinal>(narrow / group * group);
}

/// The slice of 32 lanes of a team, the row of one of them, and the slice's nonzeros in scratch: those of 32 rows lie
/// one behind the other, so they are loaded without gaps, whatever the rows' lengths. A slice that is too long for that
/// is read where it stands.
template <class Team, class Arrays>
struct SlicedDiaLane {
  using Offset = typename Arrays::Offset;
  using lanes  = typename Team::lanes;

  static constexpr int rows    = sliced_dia_rows;
  static constexpr int unroll  = 8;  // loads in flight
  static constexpr bool halves = Team::lane_width > rows;

  std::int64_t slice;
  int lane;
  int part;            ///< which 32 lanes of the team
  Offset first, last;  ///< nonzeros of the slice
  Offset begin, end;   ///< nonzeros of the row
  bool is_staged;

  /// Lanes of rows behind the last, or of slices behind the last, have a row without nonzeros.
  KOKKOS_FORCEINLINE_FUNCTION SlicedDiaLane(const Team& team, const Arrays& A, std::int64_t which, int capacity)
      : slice(which), lane(team.thread() % rows), part(team.thread() / rows) {
    const auto limit       = static_cast<std::int64_t>(A.rows);
    const std::int64_t row = slice * rows + lane;
    begin                  = A.row_map[row < limit ? row : limit];
    end                    = A.row_map[row < limit ? row + 1 : limit];
    first                  = lanes::shuffle(begin, 0, rows);
    last                   = lanes::shuffle(end, rows - 1, rows);
    is_staged              = static_cast<std::int64_t>(last - first) <= capacity;
  }

  /// Where entry i stands in scratch: a gap behind every 32 keeps rows of 32 entries in different banks.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position(int i) { return i + i / 32; }

  /// Copies the slice's part of `source` to scratch that holds `capacity` entries for each slice of the team.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION const T* stage(const Team& team, const T* source, int capacity) const {
    const int stride = position(capacity) + 1;
    T* const own = team.template scratch<T>(static_cast<std::size_t>(stride) * (team.threads() / rows)) + part * stride;
    const int n  = is_staged ? static_cast<int>(last - first) : 0;
    for (int i = lane; i < n; i += unroll * rows) {
      T here[unroll];
      LACUNA_UNROLL
      for (int b = 0; b < unroll; ++b)
        if (i + b * rows < n) here[b] = source[first + static_cast<Offset>(i + b * rows)];
      LACUNA_UNROLL
      for (int b = 0; b < unroll; ++b)
        if (i + b * rows < n) own[position(i + b * rows)] = here[b];
    }
    team.warp_barrier();
    return own;
  }

  /// Element k of `source`.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T read(const T* staged, const T* source, Offset k) const {
    return is_staged ? staged[position(static_cast<int>(k - first))] : source[k];
  }

  /// Calls visit(d, offset, mask, k) for the diagonals d = 0, 1, … of the slice, by all of its lanes: the mask has a
  /// bit for every row with an entry there, which is nonzero k of the lane's row where it has one. Stops after `most`
  /// diagonals. Returns how many there were.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION int walk(const Arrays& A, int group, const typename Arrays::Ordinal* staged, int most,
                                       int& defects, const Visit& visit) const {
    using Ordinal      = typename Arrays::Ordinal;
    const Ordinal none = no_offset<Ordinal>;
    const Ordinal base = sliced_dia_base<Ordinal>(slice * rows + lane, group);
    Offset k           = begin;
    Ordinal offset     = k < end ? read(staged, A.entries, k) - base : none;
    int count          = 0;
    for (;;) {
      const Ordinal least = lanes::minimum(offset, rows);
      const bool goes_on  = least != none && count < most;
      // A wavefront of 64 walks two slices, until both have ended.
      if (halves ? !lanes::any(goes_on) : !goes_on) break;
      const bool mine          = goes_on && offset == least;
      const std::uint32_t mask = ballot(mine);
      if (goes_on) visit(count, least, mask, k);
      if (mine) {
        ++k;
        offset = k < end ? read(staged, A.entries, k) - base : none;
        if (offset <= least) defects |= offset == least ? SlicedDiaDefect::duplicate : SlicedDiaDefect::unsorted;
      }
      count += goes_on ? 1 : 0;
    }
    return count;
  }

  /// A bit for each of the 32 lanes.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t ballot(bool predicate) const {
    const auto bits = lanes::ballot(predicate);
    if constexpr (halves)
      return static_cast<std::uint32_t>(bits >> (part % 2 * rows));
    else
      return static_cast<std::uint32_t>(bits);
  }
};

/// The same by one thread: visit(d, offset, mask, k) with the nonzeros k[r] of the rows r of the mask.
template <class Arrays, class Visit>
KOKKOS_FUNCTION int walk_slice_of_rows(const Arrays& A, int group, std::int64_t slice, int most, int& defects,
                                       const Visit& visit) {
  using Ordinal      = typename Arrays::Ordinal;
  const Ordinal none = no_offset<Ordinal>;
  typename Arrays::Offset k[sliced_dia_rows], end[sliced_dia_rows];
  Ordinal offset[sliced_dia_rows], base[sliced_dia_rows];
  for (int r = 0; r < sliced_dia_rows; ++r) {
    const std::int64_t row = slice * sliced_dia_rows + r;
    const bool exists      = row < static_cast<std::int64_t>(A.rows);
    k[r]                   = exists ? A.row_map[row] : 0;
    end[r]                 = exists ? A.row_map[row + 1] : 0;
    base[r]                = sliced_dia_base<Ordinal>(row, group);
    offset[r]              = k[r] < end[r] ? A.entries[k[r]] - base[r] : none;
  }
  for (int count = 0;; ++count) {
    Ordinal least = none;
    for (int r = 0; r < sliced_dia_rows; ++r) least = offset[r] < least ? offset[r] : least;
    if (least == none || count == most) return count;
    std::uint32_t mask = 0;
    for (int r = 0; r < sliced_dia_rows; ++r) mask |= offset[r] == least ? std::uint32_t{1} << r : 0;
    visit(count, least, mask, k);
    for (int r = 0; r < sliced_dia_rows; ++r) {
      if ((mask >> r & 1u) == 0) continue;
      ++k[r];
      offset[r] = k[r] < end[r] ? A.entries[k[r]] - base[r] : none;
      if (offset[r] <= least) defects |= offset[r] == least ? SlicedDiaDefect::duplicate : SlicedDiaDefect::unsorted;
    }
  }
}

/// Teams that walk slices, with scratch for the nonzeros of a slice.
struct SlicedDiaTeams {
  TeamShape shape{0, 1};
  int capacity              = 0;  ///< nonzeros of a slice that fit in scratch
  std::size_t scratch_bytes = 0;
};

/// A team has 32 lanes for each of its slices, on a host one thread for its only one. `entry_bytes` are what is staged
/// of a nonzero, 0 for nothing.
template <class ExecutionSpace>
SlicedDiaTeams sliced_dia_teams(std::int64_t slices, std::int64_t nonzeros, std::size_t entry_bytes) {
  using traits = ExecutionTraits<ExecutionSpace>;
  SlicedDiaTeams teams;
  teams.shape = {slices, 1};
  if (!traits::is_gpu || slices == 0) return teams;
  // Scratch for slices a quarter longer than the mean, in at most what every team can have.
  const auto least_parts    = std::max(traits::lane_width / sliced_dia_rows, 1);
  std::int64_t parts        = std::max(4, least_parts);
  const std::int64_t budget = static_cast<std::int64_t>(traits::scratch_bytes) - 256;
  if (entry_bytes > 0) {
    const auto most       = budget / least_parts / static_cast<std::int64_t>(entry_bytes) * 32 / 33 - 2;
    const auto wanted     = nonzeros / slices * 5 / 4 + 64;
    const auto part_bytes = (std::min(wanted, most) * 33 / 32 + 2) * static_cast<std::int64_t>(entry_bytes);
    parts               = std::clamp<std::int64_t>(budget / part_bytes / least_parts * least_parts, least_parts, parts);
    teams.capacity      = static_cast<int>(std::min(wanted, most));
    teams.scratch_bytes = static_cast<std::size_t>(parts * part_bytes + 128);
  }
  teams.shape = {ceiling_quotient(slices, parts), static_cast<int>(parts) * sliced_dia_rows};
  return teams;
}

}  // namespace lacuna::Impl

#endif

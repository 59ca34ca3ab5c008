// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMINSPECTROWS_HPP
#define LACUNA_SPGEMMINSPECTROWS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief A pass over the rows of a matrix that balances lengths: a subwarp takes a short row, a warp a longer one, a
/// team the longest ones.

namespace lacuna::Impl {

/// Greater than every column.
template <class Ordinal>
inline constexpr Ordinal no_column = std::numeric_limits<Ordinal>::max();

/// What one inspection of its nonzeros tells about a row.
template <class Ordinal>
struct SpgemmRowSummary {
  ColumnRange<Ordinal> range{no_column<Ordinal>, -1};
  Counter products = 0;
  Counter words    = 0;  ///< of 32 columns; a word that several rows of B have may count several times
  int others       = 0;  ///< nonzeros whose column differs from that of the row before

  KOKKOS_FORCEINLINE_FUNCTION void add(const ColumnRange<Ordinal>& other, Counter more_products, Counter more_words) {
    if (other.first < range.first) range.first = other.first;
    if (other.last > range.last) range.last = other.last;
    products += more_products;
    words += more_words;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(const SpgemmRowSummary& other) {
    add(other.range, other.products, other.words);
    others += other.others;
  }
  /// Reduces the summaries of `share` neighbouring lanes. The first lane gets the result.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void join_lanes(int share) {
    using lanes = typename Team::lanes;
    range.first = lanes::minimum(range.first, share);
    range.last  = static_cast<Ordinal>(~lanes::minimum(static_cast<Ordinal>(~range.last), share));
    products    = Team::sum_lanes(products, share);
    words       = Team::sum_lanes(words, share);
    others      = Team::sum_lanes(others, share);
  }
};

/// Nonzeros of a row that a lane loads at once.
inline constexpr int spgemm_at_once = 4;

/// Segmented OR over `Steps` steps of `size` neighbouring lanes, in row-major order. A segment starts at each lane with
/// `begins` set and ends before the next one. The starting lane receives the OR of the segment's masks, and whether the
/// segment includes the last lane of the last step (`reaches_end`).
template <class Lanes, int Steps>
KOKKOS_FORCEINLINE_FUNCTION void spgemm_or_segments(int lane, int size, const bool (&begins)[Steps],
                                                    std::uint32_t (&masks)[Steps], bool (&reaches_end)[Steps]) {
  const int rank      = lane % size;
  std::uint32_t later = 0;  // bits of the next step in front of its first segment
  bool is_last        = true;
  LACUNA_UNROLL
  for (int i = Steps - 1; i >= 0; --i) {
    const auto own   = bits_of_lanes(Lanes::ballot(begins[i]), lane / size * size, size);
    const auto above = own >> rank >> 1;
    const int length = above == 0 ? size - rank : count_bits((above & (~above + 1)) - 1) + 1;
    reaches_end[i]   = is_last && above == 0;
    if (rank == size - 1) masks[i] |= later;
    for (int distance = 1; distance < size; distance *= 2) {
      const std::uint32_t further = Lanes::shuffle_down(masks[i], distance, size);
      if (distance < length) masks[i] |= further;
    }
    const std::uint32_t front = Lanes::shuffle(masks[i], 0, size);
    later                     = (own & 1) != 0 ? 0 : front;
    is_last                   = is_last && own == 0;
  }
}

/// `size` neighbouring lanes of a warp, which share a row. Other lanes of the warp have other rows.
template <class Team>
struct SpgemmLanesOfRow {
  using lanes = typename Team::lanes;

  int lane;  ///< in the warp
  int size;

  KOKKOS_FORCEINLINE_FUNCTION int rank() const { return lane % size; }
  /// Whether the predicate holds in any lane of the warp: all lanes then go on.
  KOKKOS_FORCEINLINE_FUNCTION static bool any(bool predicate) { return lanes::any(predicate); }
  /// See `spgemm_or_segments`.
  template <int Steps>
  KOKKOS_FORCEINLINE_FUNCTION void or_segments(const bool (&begins)[Steps], std::uint32_t (&masks)[Steps],
                                               bool (&reaches_end)[Steps]) const {
    spgemm_or_segments<lanes>(lane, size, begins, masks, reaches_end);
  }
  /// Up to which nonzero, counted from the first of all steps, segments are joined.
  template <int Steps>
  KOKKOS_FORCEINLINE_FUNCTION int end_of_segments(int /*step*/) const {
    return Steps * size;
  }
  /// `before[i]`: exclusive prefix count of true predicates, in the order of the row; `all`: the total.
  template <int Steps>
  KOKKOS_FORCEINLINE_FUNCTION void count(const bool (&says)[Steps], int (&before)[Steps], int& all) const {
    all = 0;
    LACUNA_UNROLL
    for (int i = 0; i < Steps; ++i) {
      const auto own = bits_of_lanes(lanes::ballot(says[i]), lane / size * size, size);
      before[i]      = all + count_bits(own & ((decltype(own)(1) << rank()) - 1));
      all += count_bits(own);
    }
  }
};

/// A team that has one row.
template <class TeamType>
struct SpgemmTeamOfRow {
  using Team  = TeamType;
  using lanes = typename Team::lanes;

  const Team& team;
  int* totals;  ///< `spgemm_at_once` for each warp
  int size;

  KOKKOS_FORCEINLINE_FUNCTION int rank() const { return team.thread(); }
  KOKKOS_FORCEINLINE_FUNCTION static bool any(bool predicate) { return predicate; }
  /// Each step and each warp for itself.
  template <int Steps>
  KOKKOS_FORCEINLINE_FUNCTION void or_segments(const bool (&begins)[Steps], std::uint32_t (&masks)[Steps],
                                               bool (&reaches_end)[Steps]) const {
    LACUNA_UNROLL
    for (int i = 0; i < Steps; ++i) {
      const bool begin[]   = {begins[i]};
      std::uint32_t mask[] = {masks[i]};
      bool reaches[1];
      spgemm_or_segments<lanes>(team.lane(), Team::lane_width, begin, mask, reaches);
      masks[i]       = mask[0];
      reaches_end[i] = reaches[0];
    }
  }
  template <int Steps>
  KOKKOS_FORCEINLINE_FUNCTION int end_of_segments(int step) const {
    return step * size + (team.warp() + 1) * Team::lane_width;
  }
  template <int Steps>
  KOKKOS_FORCEINLINE_FUNCTION void count(const bool (&says)[Steps], int (&before)[Steps], int& all) const {
    static_assert(Steps <= spgemm_at_once);
    LACUNA_UNROLL
    for (int i = 0; i < Steps; ++i) {
      const auto own = bits_of_lanes(lanes::ballot(says[i]), 0, Team::lane_width);
      before[i]      = count_bits(own & ((decltype(own)(1) << team.lane()) - 1));
      if (team.lane() == 0) totals[i * team.warps() + team.warp()] = count_bits(own);
    }
    team.barrier();
    all = 0;
    LACUNA_UNROLL
    for (int i = 0; i < Steps; ++i)
      for (int g = 0; g < team.warps(); ++g) {
        if (g == team.warp()) before[i] += all;
        all += totals[i * team.warps() + g];
      }
    team.barrier();
  }
};

/// Inspects every row, by `width` lanes where it is short. A visitor has `inspect(lanes, row, begin, end, summary)` for
/// nonzeros [begin, end) of a row, and `write(row, summary)`, which one lane calls. If it `adds_words`, it also has
/// `add_words(team, words)`, with the words of all rows of a team.
template <class Arrays, class Visitor>
struct SpgemmInspectRows {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Summary = SpgemmRowSummary<Ordinal>;

  static constexpr int team            = 256;
  static constexpr int most_warps      = team / 4;
  static constexpr int longest         = 32;  ///< nonzeros a lane of a row; a longer row is a warp's; not tuned
  static constexpr int longest_of_warp = 64;  ///< nonzeros a lane of a warp; a longer row is a team's; not tuned

  struct Shared {
    std::uint32_t words;  ///< of rows that the team does not take as a whole
    int count;            ///< of rows that are left for warps and for the team
    int rows[team];       ///< their numbers, counted from the team's first row
    int totals[spgemm_at_once * most_warps];
    Summary summaries[most_warps];
  };
  static constexpr std::size_t scratch_bytes = sizeof(Shared) + 32;

  Arrays matrix;
  int width;
  Visitor visitor;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr int wide       = Team::lane_width;
    auto* const shared       = team.template scratch<Shared>(1);
    const int share          = width < wide ? width : wide;
    const int index          = team.thread() / share;
    const std::int64_t first = static_cast<std::int64_t>(team.league_rank()) * (team.threads() / share);
    const std::int64_t row   = first + index;
    const bool exists        = row < static_cast<std::int64_t>(matrix.rows);
    const Offset begin       = exists ? matrix.row_map[row] : Offset(0);
    const Offset end         = exists ? matrix.row_map[row + 1] : Offset(0);
    const bool is_long       = team.threads() > wide && end - begin > static_cast<Offset>(longest * share);
    const bool is_first      = team.thread() % share == 0;
    if (team.thread() == 0) shared->count = 0, shared->words = 0;
    team.barrier();
    if (is_long && is_first) shared->rows[Kokkos::atomic_fetch_add(&shared->count, 1)] = index;
    inspect(team, SpgemmLanesOfRow<Team>{team.lane(), share}, row, begin, is_long ? begin : end, share,
            exists && !is_long && is_first, shared);
    team.barrier();
    const int left     = shared->count;
    const auto is_huge = [&](std::int64_t r) {
      return matrix.row_map[r + 1] - matrix.row_map[r] > static_cast<Offset>(longest_of_warp * wide);
    };
    for (int i = team.warp(); i < left; i += team.warps())
      if (const std::int64_t r = first + shared->rows[i]; !is_huge(r))
        inspect(team, SpgemmLanesOfRow<Team>{team.lane(), wide}, r, matrix.row_map[r], matrix.row_map[r + 1], wide,
                team.lane() == 0, shared);
    for (int i = 0; i < left; ++i)
      if (const std::int64_t r = first + shared->rows[i]; is_huge(r)) by_team(team, r, shared);
    team.barrier();
    if constexpr (Visitor::adds_words)
      if (team.thread() == 0 && shared->words > 0) visitor.add_words(team.league_rank(), shared->words);
  }

 private:
  template <class Team, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void inspect(const Team&, const Lanes& lanes, std::int64_t row, Offset begin, Offset end,
                                           int share, bool writes, Shared* shared) const {
    Summary summary;
    visitor.inspect(lanes, row, begin, end, summary);
    summary.template join_lanes<Team>(share);
    if (!writes) return;
    visitor.write(row, summary);
    if constexpr (Visitor::adds_words) Kokkos::atomic_add(&shared->words, static_cast<std::uint32_t>(summary.words));
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void by_team(const Team& team, std::int64_t row, Shared* shared) const {
    Summary summary;
    visitor.inspect(SpgemmTeamOfRow<Team>{team, shared->totals, team.threads()}, row, matrix.row_map[row],
                    matrix.row_map[row + 1], summary);
    summary.template join_lanes<Team>(Team::lane_width);
    if (team.lane() == 0) shared->summaries[team.warp()] = summary;
    team.barrier();
    if (team.thread() == 0) {
      for (int g = 1; g < team.warps(); ++g) summary.add(shared->summaries[g]);
      visitor.write(row, summary);
      if constexpr (Visitor::adds_words) visitor.add_words(team.league_rank(), summary.words);
    }
    team.barrier();
  }
};

/// Teams in which each of `rows` rows has `width` lanes.
template <class ExecutionSpace>
TeamShape teams_of_rows(std::int64_t rows, int width) {
  const int threads = team_threads<ExecutionSpace>(256);
  const int share   = std::min(width, ExecutionTraits<ExecutionSpace>::lane_width);
  return {ceiling_quotient(rows, threads / share), threads};
}

/// Runs a body that has `width` lanes for each of `rows` rows. `Teams`: minimum teams on a multiprocessor, which bounds
/// registers.
template <int Teams = 1, class ExecutionSpace, class Body>
void launch_rows(const ExecutionSpace& exec, const char* label, std::int64_t rows, int width, const Body& body,
                 std::size_t scratch = 0) {
  launch_teams<256, Teams>(exec, label, teams_of_rows<ExecutionSpace>(rows, width), scratch, body);
}

/// Runs the pass. Does not fence.
template <class ExecutionSpace, class Arrays, class Visitor>
void inspect_rows(const ExecutionSpace& exec, const char* label, const Arrays& matrix, const Visitor& visitor) {
  using Body      = SpgemmInspectRows<Arrays, Visitor>;
  const int width = lanes_for(mean_length(matrix) / spgemm_at_once, ExecutionTraits<ExecutionSpace>::lane_width);
  // Without the bound the compiler takes registers that leave one or two teams on a multiprocessor.
  launch_rows<4>(exec, label, static_cast<std::int64_t>(matrix.rows), width, Body{matrix, width, visitor},
                 Body::scratch_bytes);
}

}  // namespace lacuna::Impl

#endif

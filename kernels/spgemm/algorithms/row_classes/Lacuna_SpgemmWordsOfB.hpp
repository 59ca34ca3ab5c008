// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMWORDSOFB_HPP
#define LACUNA_SPGEMMWORDSOFB_HPP

#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmAnalysis.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief The pattern of B as words of 32 columns, so that bitmaps are filled word by word: on meshes with several
/// unknowns a node one word stands for up to a dozen columns.

namespace lacuna::Impl {

/// Columns 32 * word … 32 * word + 31, those that are set in `mask`.
struct SpgemmPackedWord {
  std::uint32_t word;
  std::uint32_t mask;
};

/// Row i of B is words [begin[i], begin[i + 1]). Without words the columns of B are used themselves.
template <class Offset>
struct SpgemmPackedRows {
  const Offset* begin           = nullptr;
  const SpgemmPackedWord* words = nullptr;
};

/// begin = prefix sums of the words of each row; all of them to `total`.
template <class Ordinal, class Offset>
struct SpgemmScanWords {
  std::int64_t rows;
  const SpgemmRowOfB<Ordinal>* rows_of_b;
  Offset* begin;
  Counter* total;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& sum, bool final) const {
    if (final) {
      begin[row] = static_cast<Offset>(sum);
      if (row == rows) *total = static_cast<Counter>(sum);
    }
    if (row < rows) sum += static_cast<std::int64_t>(rows_of_b[row].words);
  }
};

/// Packs rows of B, `width` lanes each, long ones by the whole team: a lane whose column begins a word gathers it.
template <class Arrays>
struct SpgemmPackWords {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr LaunchKind launch_kind = LaunchKind::native;
  static constexpr int team               = 256;
  static constexpr int longest            = 32;  ///< nonzeros a lane

  struct Shared {
    int count;
    int rows[team];    ///< from the team's first on
    int totals[team];  ///< words of each lane group
  };
  static constexpr std::size_t scratch_bytes = sizeof(Shared) + 32;

  Arrays B;
  int width;
  const Offset* first_word;
  SpgemmPackedWord* words;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using lanes              = typename Team::lanes;
    auto* const shared       = team.template scratch<Shared>(1);
    const int share          = width < Team::lane_width ? width : Team::lane_width;
    const int place          = team.thread() / share;
    const std::int64_t first = static_cast<std::int64_t>(team.league_rank()) * (team.threads() / share);
    const std::int64_t row   = first + place;
    const int rank           = team.thread() % share;
    const bool exists        = row < static_cast<std::int64_t>(B.rows);
    const Offset begin       = exists ? B.row_map[row] : Offset(0);
    Offset end               = exists ? B.row_map[row + 1] : Offset(0);
    Offset to                = exists ? first_word[row] : Offset(0);
    const bool is_long       = team.threads() > Team::lane_width && end - begin > static_cast<Offset>(longest * share);
    if (team.thread() == 0) shared->count = 0;
    team.barrier();
    if (is_long && rank == 0) shared->rows[Kokkos::atomic_fetch_add(&shared->count, 1)] = place;
    if (is_long) end = begin;
    for (Offset base = begin; lanes::any(base < end); base += static_cast<Offset>(share)) {
      const Offset k     = base + static_cast<Offset>(rank);
      const bool is_head = k < end && begins_word(begin, k);
      const int sum      = heads_before<Team>(is_head, rank, share);
      if (is_head) words[to + static_cast<Offset>(sum - 1)] = word_from(k, end);
      to += static_cast<Offset>(lanes::shuffle(sum, share - 1, share));
    }
    team.barrier();
    for (int i = 0; i < shared->count; ++i) by_team(team, first + shared->rows[i], shared->totals);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool begins_word(Offset begin, Offset k) const {
    return k == begin || B.entries[k - 1] / 32 != B.entries[k] / 32;
  }
  KOKKOS_FORCEINLINE_FUNCTION SpgemmPackedWord word_from(Offset k, Offset end) const {
    const Ordinal word = B.entries[k] / 32;
    std::uint32_t mask = 0;
    for (Offset next = k; next < end && B.entries[next] / 32 == word; ++next)
      mask |= std::uint32_t(1) << static_cast<std::uint32_t>(B.entries[next] % 32);
    return {static_cast<std::uint32_t>(word), mask};
  }
  /// Heads up to this lane.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static int heads_before(bool is_head, int rank, int share) {
    int sum = is_head ? 1 : 0;
    for (int distance = 1; distance < share; distance *= 2) {
      const int before = Team::lanes::shuffle_up(sum, distance, share);
      if (rank >= distance) sum += before;
    }
    return sum;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void by_team(const Team& team, std::int64_t row, int* totals) const {
    const Offset begin = B.row_map[row], end = B.row_map[row + 1];
    Offset to = first_word[row];
    for (Offset base = begin; base < end; base += static_cast<Offset>(team.threads())) {
      const Offset k     = base + static_cast<Offset>(team.thread());
      const bool is_head = k < end && begins_word(begin, k);
      const int sum      = heads_before<Team>(is_head, team.lane(), Team::lane_width);
      if (team.lane() == Team::lane_width - 1) totals[team.group()] = sum;
      team.barrier();
      int before = 0, all = 0;
      for (int g = 0; g < team.groups(); ++g) {
        if (g < team.group()) before += totals[g];
        all += totals[g];
      }
      if (is_head) words[to + static_cast<Offset>(before + sum - 1)] = word_from(k, end);
      to += static_cast<Offset>(all);
      team.barrier();
    }
  }
};

}  // namespace lacuna::Impl

#endif

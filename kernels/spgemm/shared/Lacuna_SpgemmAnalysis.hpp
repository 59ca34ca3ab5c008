// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMANALYSIS_HPP
#define LACUNA_SPGEMMANALYSIS_HPP

#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmOperands.hpp>

#include <cstdint>
#include <limits>

/// \file
/// \brief The passes in front of every product: the columns that a row of C can have, how many products it is the sum
/// of, and lists of the rows of each class.

namespace lacuna::Impl {

/// Behind every column.
template <class Ordinal>
inline constexpr Ordinal no_column = std::numeric_limits<Ordinal>::max();

/// The columns of every row of B, by `width` lanes a row; marks matrices with rows that do not ascend strictly. Counts
/// what a row takes as words of 32 columns, where that is asked for.
template <class Arrays>
struct SpgemmRangesOfB {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr ScratchNeed scratch_need = ScratchNeed::large;

  Arrays B;
  int width;
  ColumnRange<Ordinal>* ranges;
  Counter* unordered;
  Ordinal* words;  ///< of each row, or nullptr

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using lanes            = typename Team::lanes;
    const int share        = width < Team::lane_width ? width : Team::lane_width;
    const std::int64_t row = (static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread()) / share;
    const int rank         = team.thread() % share;
    const bool exists      = row < static_cast<std::int64_t>(B.rows);
    const Offset begin     = exists ? B.row_map[row] : Offset(0);
    const Offset end       = exists ? B.row_map[row + 1] : Offset(0);
    Ordinal first          = no_column<Ordinal>;
    Ordinal last           = -1;
    bool ascends           = true;
    int heads              = 0;
    for (Offset k = begin + static_cast<Offset>(rank); k < end; k += static_cast<Offset>(share)) {
      const Ordinal column = B.entries[k];
      if (column < first) first = column;
      if (column > last) last = column;
      const Ordinal before = k > begin ? B.entries[k - 1] : Ordinal(-1);
      if (before >= column) ascends = false;
      if (k == begin || before / 32 != column / 32) ++heads;
    }
    first = lanes::minimum(first, share);
    last  = static_cast<Ordinal>(~lanes::minimum(static_cast<Ordinal>(~last), share));
    heads = Team::sum_lanes(heads, share);
    if (!ascends) *unordered = 1;
    if (!exists || rank != 0) return;
    ranges[row] = {first, last};
    if (words != nullptr) words[row] = static_cast<Ordinal>(heads);
  }
};

/// Products and columns of every row of C, by `width` lanes a row.
template <class Arrays>
struct SpgemmRowBounds {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr ScratchNeed scratch_need = ScratchNeed::large;

  Arrays A;
  const Offset* row_map_of_b;
  const ColumnRange<Ordinal>* ranges_of_b;
  int width;
  Counter* products;
  ColumnRange<Ordinal>* ranges;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using lanes            = typename Team::lanes;
    const int share        = width < Team::lane_width ? width : Team::lane_width;
    const std::int64_t row = (static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread()) / share;
    const int rank         = team.thread() % share;
    const bool exists      = row < static_cast<std::int64_t>(A.rows);
    const Offset begin     = exists ? A.row_map[row] : Offset(0);
    const Offset end       = exists ? A.row_map[row + 1] : Offset(0);
    Ordinal first          = no_column<Ordinal>;
    Ordinal last           = -1;
    Counter sum            = 0;
    for (Offset k = begin + static_cast<Offset>(rank); k < end; k += static_cast<Offset>(share)) {
      const Ordinal inner = A.entries[k];
      const auto range    = ranges_of_b[inner];
      sum += static_cast<Counter>(row_map_of_b[inner + 1] - row_map_of_b[inner]);
      if (range.first < first) first = range.first;
      if (range.last > last) last = range.last;
    }
    first = lanes::minimum(first, share);
    last  = static_cast<Ordinal>(~lanes::minimum(static_cast<Ordinal>(~last), share));
    sum   = Team::sum_lanes(sum, share);
    if (!exists || rank != 0) return;
    products[row] = sum;
    ranges[row]   = {first, last};
  }
};

/// Most classes that rows are sorted into.
inline constexpr int most_row_classes = 40;

/// What the sorting into classes leaves for the host, in one piece of memory.
struct SpgemmCounters {
  Counter rows[most_row_classes];    ///< of each class
  Counter placed[most_row_classes];  ///< of those, how many are in the list already
  Counter sum;                       ///< of what the classifier says of every row
  Counter largest;                   ///< of what the classifier measures
  Counter unordered;                 ///< rows of B that do not ascend strictly: 1, if any
  Counter words;                     ///< of 32 columns that B takes

  std::int64_t first(int c) const {
    std::int64_t before = 0;
    for (int i = 0; i < c; ++i) before += static_cast<std::int64_t>(rows[i]);
    return before;
  }
  std::int64_t count(int c) const { return static_cast<std::int64_t>(rows[c]); }
};

/// Counts the rows of every class (`list` == nullptr), or lists them, class by class. A classifier has
/// `class_of(row)`, `summand(row)` and `measure(row)`.
template <class Classifier, class Ordinal>
struct SpgemmSortIntoClasses {
  static constexpr ScratchNeed scratch_need = ScratchNeed::large;
  static constexpr int rows_per_thread      = 4;

  Classifier classify;
  std::int64_t rows;
  SpgemmCounters* counters;
  Ordinal* list;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const found = team.template scratch<Counter>(most_row_classes + 2);
    Counter& sum      = found[most_row_classes];
    Counter& largest  = found[most_row_classes + 1];
    for (int c = team.thread(); c < most_row_classes + 2; c += team.threads()) found[c] = 0;
    team.barrier();
    const std::int64_t tile  = static_cast<std::int64_t>(team.threads()) * rows_per_thread;
    const std::int64_t begin = team.league_rank() * tile;
    const std::int64_t end   = begin + tile < rows ? begin + tile : rows;
    Counter own = 0, most = 0;
    for (std::int64_t row = begin + team.thread(); row < end; row += team.threads()) {
      Kokkos::atomic_add(&found[classify.class_of(row)], Counter(1));
      if (list != nullptr) continue;
      own += classify.summand(row);
      const Counter measure = classify.measure(row);
      if (measure > most) most = measure;
    }
    if (own > 0) Kokkos::atomic_add(&sum, own);
    if (most > 0) Kokkos::atomic_max(&largest, most);
    team.barrier();
    if (list == nullptr) {
      for (int c = team.thread(); c < most_row_classes; c += team.threads())
        if (found[c] > 0) Kokkos::atomic_add(&counters->rows[c], found[c]);
      if (team.thread() == 0) {
        if (sum > 0) Kokkos::atomic_add(&counters->sum, sum);
        if (largest > 0) Kokkos::atomic_max(&counters->largest, largest);
      }
      return;
    }
    for (int c = team.thread(); c < most_row_classes; c += team.threads()) {
      if (found[c] == 0) continue;
      Counter place = Kokkos::atomic_fetch_add(&counters->placed[c], found[c]);
      for (int before = 0; before < c; ++before) place += counters->rows[before];
      found[c] = place;
    }
    team.barrier();
    for (std::int64_t row = begin + team.thread(); row < end; row += team.threads())
      list[Kokkos::atomic_fetch_add(&found[classify.class_of(row)], Counter(1))] = static_cast<Ordinal>(row);
  }
};

/// Counts or lists, see above. Does not fence.
template <class ExecutionSpace, class Classifier, class Ordinal>
void sort_into_classes(const ExecutionSpace& exec, const char* label, const Classifier& classify, std::int64_t rows,
                       SpgemmCounters* counters, Ordinal* list) {
  using Body        = SpgemmSortIntoClasses<Classifier, Ordinal>;
  const int threads = team_threads<ExecutionSpace>(256);
  launch_teams<256>(exec, label,
                    {ceiling_quotient(rows, static_cast<std::int64_t>(threads) * Body::rows_per_thread), threads},
                    (most_row_classes + 2) * sizeof(Counter) + 64, Body{classify, rows, counters, list});
}

/// Runs a body that has `width` lanes for each of `rows`.
template <class ExecutionSpace, class Body>
void launch_rows(const ExecutionSpace& exec, const char* label, std::int64_t rows, int width, const Body& body) {
  const int threads = team_threads<ExecutionSpace>(256);
  const int share =
      width < ExecutionTraits<ExecutionSpace>::lane_width ? width : ExecutionTraits<ExecutionSpace>::lane_width;
  launch_teams<256>(exec, label, {ceiling_quotient(rows, threads / share), threads}, 0, body);
}

/// Products and columns of the rows of C, and whether B is in order. Does not fence.
template <class ExecutionSpace, class Arrays>
void spgemm_bounds(const ExecutionSpace& exec, const Arrays& A, const Arrays& B,
                   ColumnRange<typename Arrays::Ordinal>* ranges_of_b, Counter* products,
                   ColumnRange<typename Arrays::Ordinal>* ranges, SpgemmCounters* counters,
                   typename Arrays::Ordinal* words_of_b = nullptr) {
  constexpr int most = ExecutionTraits<ExecutionSpace>::lane_width;
  const int width_b  = lanes_for(mean_length(B) / 2, most);
  const int width_a  = lanes_for(mean_length(A) / 2, most);
  launch_rows(exec, "Lacuna::spgemm::ranges_of_b", static_cast<std::int64_t>(B.rows), width_b,
              SpgemmRangesOfB<Arrays>{B, width_b, ranges_of_b, &counters->unordered, words_of_b});
  launch_rows(exec, "Lacuna::spgemm::row_bounds", static_cast<std::int64_t>(A.rows), width_a,
              SpgemmRowBounds<Arrays>{A, B.row_map, ranges_of_b, width_a, products, ranges});
}

}  // namespace lacuna::Impl

#endif

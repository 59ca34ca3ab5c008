// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMANALYSIS_HPP
#define LACUNA_SPGEMMANALYSIS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmRowsOfB.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief The passes in front of every product: which columns each row of C can have, how many products it sums, and
/// lists of the rows of each class.

namespace lacuna::Impl {

/// Upper bound of the number of classes.
inline constexpr int most_row_classes = 40;

/// The memory of the bitmap cache is cut into this many segments with a counter each: warps that take from one segment
/// wait for each other.
inline constexpr int bitmap_cache_segments = 32;

/// What the sort into classes counts, in one allocation that the host reads.
struct SpgemmCounters {
  Counter rows[most_row_classes];         ///< of each class
  Counter listed[most_row_classes];       ///< of each class, how many are in the list already
  Counter sum;                            ///< of `summand` over all rows
  Counter longest;                        ///< the largest `summand` of a row
  Counter largest;                        ///< the largest `measure` of a row
  Counter sorted;                         ///< the largest `sorted` of a row, where a classifier has it
  Counter not_ascending;                  ///< 1 where some row of B does not ascend strictly, else 0
  Counter repeats;                        ///< 1 where some row of B has the columns of the row before, else 0
  Counter words[spgemm_word_sums];        ///< words of 32 columns that rows of B take, in several sums
  Counter cached[bitmap_cache_segments];  ///< words taken from each segment of the bitmap cache

  std::int64_t first(int c) const {
    std::int64_t before = 0;
    for (int i = 0; i < c; ++i) before += static_cast<std::int64_t>(rows[i]);
    return before;
  }
  std::int64_t count(int c) const { return static_cast<std::int64_t>(rows[c]); }
  std::int64_t words_of_b() const {
    std::int64_t sum = 0;
    for (const Counter part : words) sum += static_cast<std::int64_t>(part);
    return sum;
  }
};

/// The offset of a row of C whose bitmap is not in the cache.
inline constexpr std::uint32_t spgemm_not_cached = 0xffffffffU;

/// Counts the products of every row of C and finds the range of its columns, and which rows of A have the columns of
/// the row before.
template <class Arrays>
struct SpgemmProductsOfRow {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr bool adds_words = false;
  static constexpr int at_once     = spgemm_at_once;

  const Offset* row_map;
  const Ordinal* entries;
  const SpgemmRowOfB<Ordinal>* rows_of_b;
  Counter* products;
  ColumnRange<Ordinal>* ranges;
  Ordinal* counts;
  Ordinal* words;                 ///< nonempty words of the row, at most; or nullptr
  unsigned char* repeats;         ///< 1 for a row with the columns of the row before, or nullptr
  std::uint32_t* bitmap_offsets;  ///< of each row in the bitmap cache: none yet; or nullptr

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void inspect(const Lanes& lanes, std::int64_t /*row*/, Offset begin, Offset end,
                                           SpgemmRowSummary<Ordinal>& summary) const {
    const Offset length = end - begin;
    const auto step     = static_cast<Offset>(lanes.size);
    for (Offset base = begin + static_cast<Offset>(lanes.rank()); base < end; base += at_once * step) {
      Ordinal inner[at_once];
      bool continues[at_once], differs[at_once];
      LACUNA_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const Offset k = base + static_cast<Offset>(i) * step;
        if (k >= end) continue;
        inner[i]     = entries[k];
        continues[i] = k > begin && entries[k - 1] == inner[i] - 1;
        differs[i]   = repeats != nullptr && begin >= length && entries[k - length] != inner[i];
      }
      SpgemmRowOfB<Ordinal> row_of_b[at_once];
      LACUNA_UNROLL
      for (int i = 0; i < at_once; ++i)
        if (base + static_cast<Offset>(i) * step < end) row_of_b[i] = rows_of_b[inner[i]];
      LACUNA_UNROLL
      for (int i = 0; i < at_once; ++i) {
        if (base + static_cast<Offset>(i) * step >= end) continue;
        const bool is_known = continues[i] && row_of_b[i].repeats();
        summary.add(row_of_b[i].range, row_of_b[i].length(), is_known ? 0 : static_cast<Counter>(row_of_b[i].words));
        if (differs[i]) ++summary.others;
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t row, const SpgemmRowSummary<Ordinal>& summary) const {
    products[row] = summary.products;
    ranges[row]   = summary.range;
    counts[row]   = 0;
    if (words != nullptr) {
      const auto window = static_cast<Counter>(summary.range.words());
      words[row]        = static_cast<Ordinal>(summary.words < window ? summary.words : window);
    }
    if (repeats != nullptr) repeats[row] = repeats_row_before(row_map, row, summary.others) ? 1 : 0;
    if (bitmap_offsets != nullptr) bitmap_offsets[row] = spgemm_not_cached;
  }
};

/// How many rows a team sorts into classes.
struct SpgemmTile {
  static constexpr int threads         = 256;
  static constexpr int rows_per_thread = 4;

  template <class ExecutionSpace>
  static constexpr std::int64_t rows() {
    return std::int64_t{rows_per_thread} * team_threads<ExecutionSpace>(threads);
  }
};

/// A classifier without classes: it only adds up nonzeros.
template <class Ordinal>
struct SpgemmSumOfCounts {
  const Ordinal* counts;
  KOKKOS_FORCEINLINE_FUNCTION Counter summand(std::int64_t row) const { return static_cast<Counter>(counts[row]); }
  KOKKOS_FORCEINLINE_FUNCTION Counter measure(std::int64_t row) const { return summand(row); }
};

/// Counts the rows of every class (`list` == nullptr), or lists them class by class. A classifier has `class_of(row)`,
/// unless only sums are wanted, and `summand(row)` and `measure(row)`, which are added up and whose maxima are found.
/// Where one has `sorted(row)`, its maximum is found, too.
template <class Classifier, class Ordinal>
struct SpgemmSortIntoClasses {
  static constexpr int rows_per_thread = SpgemmTile::rows_per_thread;
  static constexpr bool has_classes    = requires(const Classifier& c) { c.class_of(std::int64_t{}); };
  static constexpr bool has_sorted     = requires(const Classifier& c) { c.sorted(std::int64_t{}); };

  Classifier classify;
  std::int64_t rows;
  SpgemmCounters* counters;
  Ordinal* list;
  Counter* sums;  ///< the sum of summands of each tile, or nullptr

  /// What a team counts. GPUs add 32-bit numbers in scratch by one instruction.
  struct Shared {
    Counter first[most_row_classes];  ///< where the next row of a class goes in `list`
    Counter sum, largest, longest, sorted;
    std::uint32_t class_rows[most_row_classes];
  };
  static constexpr std::size_t scratch_bytes = sizeof(Shared) + 32;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const shared = team.template scratch<Shared>(1);
    for (int c = team.thread(); c < most_row_classes; c += team.threads()) shared->class_rows[c] = 0;
    if (team.thread() == 0) shared->sum = shared->largest = shared->longest = shared->sorted = 0;
    const std::int64_t tile  = static_cast<std::int64_t>(team.threads()) * rows_per_thread;
    const std::int64_t first = team.league_rank() * tile + team.thread();
    int classes[rows_per_thread];
    if constexpr (has_classes) {
      LACUNA_UNROLL
      for (int i = 0; i < rows_per_thread; ++i) {
        const std::int64_t row = first + static_cast<std::int64_t>(i) * team.threads();
        classes[i]             = row < rows ? classify.class_of(row) : -1;
      }
    }
    team.barrier();
    if (list == nullptr) {
      if constexpr (has_classes)
        for (const int c : classes)
          if (c >= 0) Kokkos::atomic_add(&shared->class_rows[c], std::uint32_t(1));
      add_up(team, first, shared);
    } else if constexpr (has_classes) {
      list_rows(team, first, classes, shared);
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void list_rows(const Team& team, std::int64_t first,
                                             const int (&classes)[rows_per_thread], Shared* shared) const {
    std::uint32_t ranks[rows_per_thread];
    LACUNA_UNROLL
    for (int i = 0; i < rows_per_thread; ++i)
      if (classes[i] >= 0) ranks[i] = Kokkos::atomic_fetch_add(&shared->class_rows[classes[i]], std::uint32_t(1));
    team.barrier();
    for (int c = team.thread(); c < most_row_classes; c += team.threads()) {
      if (shared->class_rows[c] == 0) continue;
      Counter index = Kokkos::atomic_fetch_add(&counters->listed[c], Counter(shared->class_rows[c]));
      for (int before = 0; before < c; ++before) index += counters->rows[before];
      shared->first[c] = index;
    }
    team.barrier();
    LACUNA_UNROLL
    for (int i = 0; i < rows_per_thread; ++i)
      if (classes[i] >= 0)
        list[shared->first[classes[i]] + ranks[i]] =
            static_cast<Ordinal>(first + static_cast<std::int64_t>(i) * team.threads());
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team& team, std::int64_t first, Shared* shared) const {
    using lanes = typename Team::lanes;
    Counter sum = 0, largest = 0, longest = 0, sorted = 0;
    LACUNA_UNROLL
    for (int i = 0; i < rows_per_thread; ++i) {
      const std::int64_t row = first + static_cast<std::int64_t>(i) * team.threads();
      if (row >= rows) continue;
      const Counter summand = classify.summand(row), measure = classify.measure(row);
      sum += summand;
      if (summand > longest) longest = summand;
      if (measure > largest) largest = measure;
      if constexpr (has_sorted)
        if (const Counter own = classify.sorted(row); own > sorted) sorted = own;
    }
    sum     = Team::sum_lanes(sum, Team::lane_width);
    largest = ~lanes::minimum(~largest, Team::lane_width);
    longest = ~lanes::minimum(~longest, Team::lane_width);
    if (team.lane() == 0 && sum > 0) {
      Kokkos::atomic_add(&shared->sum, sum);
      Kokkos::atomic_max(&shared->largest, largest);
      Kokkos::atomic_max(&shared->longest, longest);
    }
    if (sorted > 0) Kokkos::atomic_max(&shared->sorted, sorted);
    team.barrier();
    for (int c = team.thread(); c < most_row_classes; c += team.threads())
      if (shared->class_rows[c] > 0) Kokkos::atomic_add(&counters->rows[c], Counter(shared->class_rows[c]));
    if (team.thread() != 0) return;
    if (sums != nullptr) sums[team.league_rank()] = shared->sum;
    if (shared->sum > 0) {
      Kokkos::atomic_add(&counters->sum, shared->sum);
      Kokkos::atomic_max(&counters->largest, shared->largest);
      Kokkos::atomic_max(&counters->longest, shared->longest);
      if (shared->sorted > 0) Kokkos::atomic_max(&counters->sorted, shared->sorted);
    }
  }
};

/// Counts or lists, see `SpgemmSortIntoClasses`. Does not fence.
template <class ExecutionSpace, class Classifier, class Ordinal>
void sort_into_classes(const ExecutionSpace& exec, const char* label, const Classifier& classify, std::int64_t rows,
                       SpgemmCounters* counters, Ordinal* list, Counter* sums = nullptr) {
  using Body = SpgemmSortIntoClasses<Classifier, Ordinal>;
  launch_teams<SpgemmTile::threads>(
      exec, label,
      {ceiling_quotient(rows, SpgemmTile::rows<ExecutionSpace>()), team_threads<ExecutionSpace>(SpgemmTile::threads)},
      Body::scratch_bytes, Body{classify, rows, counters, list, sums});
}

/// Where the passes in front of a product write. What is nullptr is not computed.
template <class Ordinal>
struct SpgemmBounds {
  SpgemmRowOfB<Ordinal>* rows_of_b;
  Counter* products;
  ColumnRange<Ordinal>* ranges;
  Ordinal* counts;  ///< of nonzeros; the passes set them to zero
  SpgemmCounters* counters;
  unsigned char* repeats_of_b = nullptr;
  Ordinal* words              = nullptr;  ///< nonempty words of the rows of C, at most
  unsigned char* repeats      = nullptr;  ///< 1 for a row of A with the columns of the row before
  /// words of B, one for each nonzero; those of a row begin where its nonzeros do
  SpgemmPackedWord* packed      = nullptr;
  std::uint32_t* bitmap_offsets = nullptr;  ///< of the rows of C in the bitmap cache
};

/// Counts products and finds column ranges of the rows of C, and whether rows of B ascend strictly. Does not fence.
template <class ExecutionSpace, class Arrays>
void find_spgemm_bounds(const ExecutionSpace& exec, const Arrays& A, const Arrays& B,
                        const SpgemmBounds<typename Arrays::Ordinal>& to) {
  inspect_rows(
      exec, "Lacuna::spgemm::rows_of_b", B,
      SpgemmInspectRowsOfB<Arrays>{B.row_map, B.entries, to.rows_of_b, to.repeats_of_b, &to.counters->not_ascending,
                                   &to.counters->repeats, to.counters->words, B.row_map, to.packed});
  inspect_rows(exec, "Lacuna::spgemm::row_bounds", A,
               SpgemmProductsOfRow<Arrays>{A.row_map, A.entries, to.rows_of_b, to.products, to.ranges, to.counts,
                                           to.words, to.repeats, to.bitmap_offsets});
}

}  // namespace lacuna::Impl

#endif

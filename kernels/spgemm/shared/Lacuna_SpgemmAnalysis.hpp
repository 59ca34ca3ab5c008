// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMANALYSIS_HPP
#define LACUNA_SPGEMMANALYSIS_HPP

#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief The passes in front of every product: the columns that a row of C can have, how many products it is the sum
/// of, and lists of the rows of each class.

namespace lacuna::Impl {

/// Behind every column.
template <class Ordinal>
inline constexpr Ordinal no_column = std::numeric_limits<Ordinal>::max();

/// What is known of a row when its nonzeros were looked at once.
template <class Ordinal>
struct SpgemmRowSummary {
  ColumnRange<Ordinal> range{no_column<Ordinal>, -1};
  Counter products = 0;
  Counter words    = 0;  ///< of 32 columns, those that stand in several rows of B again and again
  int others       = 0;  ///< nonzeros in other columns than those of the row before

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
  /// Of `share` neighbouring lanes, whole in the first.
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

/// Summarises every row of a matrix by `width` lanes; rows that are much longer than their neighbours by the whole team
/// (H200, November 2026, mult_dcop_02, whose longest row has 22,774 entries: 870 to 60 us). A visitor has
/// `visit(summary, begin, end, k)` for nonzero k of a row [begin, end), and `write(row, summary)`.
template <class Arrays, class Visitor>
struct SpgemmSummarizeRows {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Summary = SpgemmRowSummary<Ordinal>;

  static constexpr LaunchKind launch_kind = LaunchKind::native;
  static constexpr int team               = 256;
  static constexpr int longest            = 32;  ///< nonzeros a lane

  /// The rows that the lanes of a team leave to all of it.
  struct Shared {
    int count;
    int rows[team];  ///< from the team's first on
    Summary parts[team];
  };
  static constexpr std::size_t scratch_bytes = sizeof(Shared) + 32;

  Arrays matrix;
  int width;
  Visitor visitor;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const shared       = team.template scratch<Shared>(1);
    const int share          = width < Team::lane_width ? width : Team::lane_width;
    const int place          = team.thread() / share;
    const std::int64_t first = static_cast<std::int64_t>(team.league_rank()) * (team.threads() / share);
    const std::int64_t row   = first + place;
    const int rank           = team.thread() % share;
    const bool exists        = row < static_cast<std::int64_t>(matrix.rows);
    const Offset begin       = exists ? matrix.row_map[row] : Offset(0);
    const Offset end         = exists ? matrix.row_map[row + 1] : Offset(0);
    const bool is_long       = team.threads() > Team::lane_width && end - begin > static_cast<Offset>(longest * share);
    if (team.thread() == 0) shared->count = 0;
    team.barrier();
    if (is_long && rank == 0) shared->rows[Kokkos::atomic_fetch_add(&shared->count, 1)] = place;
    Summary summary;
    if (!is_long) look_at(summary, begin, end, rank, share);
    summary.template join_lanes<Team>(share);
    if (exists && !is_long && rank == 0) visitor.write(row, summary);
    team.barrier();
    for (int i = 0; i < shared->count; ++i) by_team(team, first + shared->rows[i], shared->parts);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void look_at(Summary& summary, Offset begin, Offset end, int rank, int step) const {
    for (Offset k = begin + static_cast<Offset>(rank); k < end; k += static_cast<Offset>(step))
      visitor.visit(summary, begin, end, k);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void by_team(const Team& team, std::int64_t row, Summary* parts) const {
    Summary summary;
    look_at(summary, matrix.row_map[row], matrix.row_map[row + 1], team.thread(), team.threads());
    summary.template join_lanes<Team>(Team::lane_width);
    if (team.lane() == 0) parts[team.group()] = summary;
    team.barrier();
    if (team.thread() == 0) {
      for (int g = 1; g < team.groups(); ++g) summary.add(parts[g]);
      visitor.write(row, summary);
    }
    team.barrier();
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
  Counter repeats;                   ///< rows of B that have the columns of the row before: 1, if any
  Counter words;                     ///< of 32 columns that B takes

  std::int64_t first(int c) const {
    std::int64_t before = 0;
    for (int i = 0; i < c; ++i) before += static_cast<std::int64_t>(rows[i]);
    return before;
  }
  std::int64_t count(int c) const { return static_cast<std::int64_t>(rows[c]); }
};

/// Whether a row has the columns of the row before. `others`: how many of its nonzeros have another column than the
/// nonzero as many places in front as the row is long, which stands in the row before where that is as long.
template <class Offset>
KOKKOS_FORCEINLINE_FUNCTION bool repeats_row_before(const Offset* row_map, std::int64_t row, int others) {
  return row > 0 && others == 0 && row_map[row] - row_map[row - 1] == row_map[row + 1] - row_map[row];
}

/// What is known of a row of B.
template <class Ordinal>
struct alignas(4 * sizeof(Ordinal)) SpgemmRowOfB {
  ColumnRange<Ordinal> range;
  Ordinal words;    ///< of 32 columns that it takes
  Ordinal repeats;  ///< 1 where it has the columns of the row before
};

/// Looks at every row of B; marks matrices with rows that do not ascend strictly.
template <class Arrays>
struct SpgemmLookAtRowsOfB {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  const Offset* row_map;
  const Ordinal* entries;
  SpgemmRowOfB<Ordinal>* rows;
  unsigned char* repeats;  ///< of each row once more, side by side; or nullptr
  SpgemmCounters* counters;

  KOKKOS_FORCEINLINE_FUNCTION void visit(SpgemmRowSummary<Ordinal>& summary, Offset begin, Offset end, Offset k) const {
    const Ordinal column = entries[k];
    const Ordinal before = k > begin ? entries[k - 1] : Ordinal(-1);
    if (before >= column) counters->unordered = 1;
    summary.add({column, column}, 0, k == begin || before / 32 != column / 32 ? 1 : 0);
    if (begin >= end - begin && entries[k - (end - begin)] != column) ++summary.others;
  }
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t row, const SpgemmRowSummary<Ordinal>& summary) const {
    const bool same = repeats_row_before(row_map, row, summary.others);
    rows[row]       = {summary.range, static_cast<Ordinal>(summary.words), same ? Ordinal(1) : Ordinal(0)};
    if (same) counters->repeats = 1;
    if (repeats != nullptr) repeats[row] = same ? 1 : 0;
  }
};

/// Products and columns of every row of C, and which rows of A have the columns of the row before.
template <class Arrays>
struct SpgemmProductsOfRow {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  const Offset* row_map;
  const Ordinal* entries;
  const Offset* row_map_of_b;
  const SpgemmRowOfB<Ordinal>* rows_of_b;
  Counter* products;
  ColumnRange<Ordinal>* ranges;
  Ordinal* counts;
  Ordinal* words;          ///< at most so many of 32 columns are not empty in the row, or nullptr
  unsigned char* repeats;  ///< 1 for a row with the columns of the row before, or nullptr

  KOKKOS_FORCEINLINE_FUNCTION void visit(SpgemmRowSummary<Ordinal>& summary, Offset begin, Offset end, Offset k) const {
    const Ordinal inner               = entries[k];
    const SpgemmRowOfB<Ordinal> row_b = rows_of_b[inner];
    const bool is_new                 = row_b.repeats == 0 || k == begin || entries[k - 1] != inner - 1;
    summary.add(row_b.range, static_cast<Counter>(row_map_of_b[inner + 1] - row_map_of_b[inner]),
                is_new ? static_cast<Counter>(row_b.words) : 0);
    if (repeats != nullptr && begin >= end - begin && entries[k - (end - begin)] != inner) ++summary.others;
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
  }
};

/// Counts the rows of every class (`list` == nullptr), or lists them, class by class. A classifier has
/// `class_of(row)`, `summand(row)` and `measure(row)`.
template <class Classifier, class Ordinal>
struct SpgemmSortIntoClasses {
  static constexpr LaunchKind launch_kind = LaunchKind::native;
  static constexpr int rows_per_thread    = 4;

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
void launch_rows(const ExecutionSpace& exec, const char* label, std::int64_t rows, int width, const Body& body,
                 std::size_t scratch = 0) {
  const int threads = team_threads<ExecutionSpace>(256);
  const int share =
      width < ExecutionTraits<ExecutionSpace>::lane_width ? width : ExecutionTraits<ExecutionSpace>::lane_width;
  launch_teams<256>(exec, label, {ceiling_quotient(rows, threads / share), threads}, scratch, body);
}

template <class ExecutionSpace, class Arrays, class Visitor>
void summarize_rows(const ExecutionSpace& exec, const char* label, const Arrays& matrix, const Visitor& visitor) {
  using Body      = SpgemmSummarizeRows<Arrays, Visitor>;
  const int width = lanes_for(mean_length(matrix) / 2, ExecutionTraits<ExecutionSpace>::lane_width);
  launch_rows(exec, label, static_cast<std::int64_t>(matrix.rows), width, Body{matrix, width, visitor},
              Body::scratch_bytes);
}

/// Where the passes in front of a product write; what is nullptr is not wanted.
template <class Ordinal>
struct SpgemmBounds {
  SpgemmRowOfB<Ordinal>* rows_of_b;
  Counter* products;
  ColumnRange<Ordinal>* ranges;
  Ordinal* counts;  ///< of nonzeros; zero afterwards
  SpgemmCounters* counters;
  unsigned char* repeats_of_b = nullptr;
  Ordinal* words              = nullptr;  ///< of the rows of C, at most
  unsigned char* repeats      = nullptr;  ///< of the rows of A
};

/// Products and columns of the rows of C, and whether B is in order. Does not fence.
template <class ExecutionSpace, class Arrays>
void find_spgemm_bounds(const ExecutionSpace& exec, const Arrays& A, const Arrays& B,
                        const SpgemmBounds<typename Arrays::Ordinal>& to) {
  summarize_rows(exec, "Lacuna::spgemm::rows_of_b", B,
                 SpgemmLookAtRowsOfB<Arrays>{B.row_map, B.entries, to.rows_of_b, to.repeats_of_b, to.counters});
  summarize_rows(exec, "Lacuna::spgemm::row_bounds", A,
                 SpgemmProductsOfRow<Arrays>{A.row_map, A.entries, B.row_map, to.rows_of_b, to.products, to.ranges,
                                             to.counts, to.words, to.repeats});
}

}  // namespace lacuna::Impl

#endif

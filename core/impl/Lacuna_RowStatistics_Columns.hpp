// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSTATISTICS_COLUMNS_HPP
#define LACUNA_ROWSTATISTICS_COLUMNS_HPP

#include <Lacuna_Transpose.hpp>
#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

/// \file
/// \brief Columns: bandwidth, diagonals, order, gaps, blocks and panels.

namespace lacuna::Impl {

/// What comes to the host.
struct ColumnCounters {
  enum {
    lower,
    upper,
    zeros,
    unsorted_rows,
    equal_rows,
    diagonals,
    duplicates,
    largest_gap,
    wide_gaps,
    panel_columns,
    first_block,
    count = first_block + 4
  };
};

/// Raises a counter that all threads share; most find it high enough already.
KOKKOS_INLINE_FUNCTION void raise_counter(Counter& counter, Counter value) {
  if (Kokkos::atomic_load(&counter) < value) Kokkos::atomic_max(&counter, value);
}

/// First pass, in the order that is stored. Rows are marked, 1 where they are not sorted, 2 where they differ from the
/// row before in a column.
template <class Scalar, class Ordinal, class Offset>
struct InspectStored {
  struct State {
    std::int64_t lower = 0, upper = 0;
    Counter zeros = 0;
  };
  CrsArrays<Scalar, Ordinal, Offset> crs;
  int* row_marks;
  int* diagonal_marks;
  Counter* counters;

  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k, State& state) const {
    const Ordinal column = crs.entries[k];
    const auto offset    = static_cast<std::int64_t>(column) - static_cast<std::int64_t>(row);
    if (offset > state.upper) state.upper = offset;
    if (-offset > state.lower) state.lower = -offset;
    if (crs.values[k] == Scalar(0)) ++state.zeros;
    mark(diagonal_marks[offset + static_cast<std::int64_t>(crs.rows) - 1], 1);
    const Offset begin = crs.row_map[row];
    if (k > begin && crs.entries[k - 1] > column) mark(row_marks[row], 1);
    if (row == 0) return;
    const Offset length = crs.row_map[row + 1] - begin;
    if (begin - crs.row_map[row - 1] == length && crs.entries[k - length] != column) mark(row_marks[row], 2);
  }
  KOKKOS_FUNCTION void finish(const State& state) const {
    raise_counter(counters[ColumnCounters::lower], static_cast<Counter>(state.lower));
    raise_counter(counters[ColumnCounters::upper], static_cast<Counter>(state.upper));
    if (state.zeros > 0) Kokkos::atomic_add(&counters[ColumnCounters::zeros], state.zeros);
  }
  KOKKOS_FUNCTION static void mark(int& marks, int bit) {
    if ((Kokkos::atomic_load(&marks) & bit) == 0) Kokkos::atomic_or(&marks, bit);
  }
};

template <class Offset>
struct CountMarkedRows {
  const Offset* row_map;
  const int* row_marks;
  Counter* counters;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if ((row_marks[i] & 1) != 0) Kokkos::atomic_add(&counters[ColumnCounters::unsorted_rows], Counter{1});
    if (i == 0) return;
    const Offset length = row_map[i + 1] - row_map[i];
    if (length > 0 && length == row_map[i] - row_map[i - 1] && (row_marks[i] & 2) == 0)
      Kokkos::atomic_add(&counters[ColumnCounters::equal_rows], Counter{1});
  }
};

struct CountMarkedDiagonals {
  const int* marks;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Counter& count) const { count += static_cast<Counter>(marks[i]); }
};

/// Second pass, rows sorted. A block is counted at its first nonzero: that with no nonzero of the block before it in
/// its row, nor in the rows above it.
template <class Ordinal, class Offset>
struct InspectSorted {
  static constexpr int panel = 4;  ///< the choice that stands for 8 rows and 1 column

  struct State {
    Counter duplicates = 0, largest_gap = 0, wide_gaps = 0;
    Counter blocks[5] = {};
  };
  const Offset* row_map;
  const Ordinal* entries;
  Counter* counters;

  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k, State& state) const {
    const Ordinal column = entries[k];
    const bool has_left  = k > row_map[row];
    const Ordinal left   = has_left ? entries[k - 1] : Ordinal(0);
    if (has_left) {
      const auto gap = static_cast<Counter>(column - left);
      if (gap == 0) ++state.duplicates;
      if (gap > state.largest_gap) state.largest_gap = gap;
      if (gap > 65535) ++state.wide_gaps;
    }
    for (int choice = 0; choice < 5; ++choice) {
      constexpr int sizes[5]  = {2, 3, 4, 6, 1};
      const Ordinal width     = static_cast<Ordinal>(sizes[choice]);
      const Ordinal height    = choice == panel ? Ordinal(8) : width;
      const Ordinal first     = column / width * width;
      const Ordinal first_row = row / height * height;
      bool is_first           = !has_left || left < first;
      for (Ordinal above = first_row; is_first && above < row; ++above) {
        const auto end   = static_cast<std::int64_t>(row_map[above + 1]);
        const auto found = lower_bound(entries, static_cast<std::int64_t>(row_map[above]), end, first);
        is_first         = found == end || entries[found] - first >= width;
      }
      if (is_first) ++state.blocks[choice];
    }
  }
  KOKKOS_FUNCTION void finish(const State& state) const {
    if (state.duplicates > 0) Kokkos::atomic_add(&counters[ColumnCounters::duplicates], state.duplicates);
    raise_counter(counters[ColumnCounters::largest_gap], state.largest_gap);
    if (state.wide_gaps > 0) Kokkos::atomic_add(&counters[ColumnCounters::wide_gaps], state.wide_gaps);
    for (int choice = 0; choice < 4; ++choice)
      if (state.blocks[choice] > 0)
        Kokkos::atomic_add(&counters[ColumnCounters::first_block + choice], state.blocks[choice]);
    if (state.blocks[panel] > 0) Kokkos::atomic_add(&counters[ColumnCounters::panel_columns], state.blocks[panel]);
  }
};

template <class ExecutionSpace, class Matrix, class Statistics>
void inspect_columns(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit, Statistics& statistics) {
  using Device            = typename Matrix::device_type;
  using Scalar            = typename Matrix::non_const_value_type;
  using Ordinal           = typename Matrix::non_const_ordinal_type;
  using Offset            = typename Matrix::non_const_size_type;
  constexpr auto function = "row_statistics";
  statistics.inspected    = true;
  if (statistics.nonzeros == 0) return;
  const auto crs             = arrays_of(A);
  const std::int64_t corners = statistics.rows + statistics.columns - 1;
  const auto mark_bytes      = static_cast<std::size_t>(statistics.rows + corners) * sizeof(int);
  check_memory(function, mark_bytes, memory_limit);
  const auto counters = allocate<Kokkos::View<Counter*, Device>>(function, exec, "Lacuna::row_statistics::counters",
                                                                 ColumnCounters::count);
  const auto host     = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, counters);
  Counter diagonals   = 0;
  Kokkos::deep_copy(exec, counters, Counter{0});
  {
    using Marks              = Kokkos::View<int*, Device>;
    const auto row_marks     = allocate<Marks>(function, exec, "Lacuna::row_statistics::row_marks", statistics.rows);
    const auto diagonal_mark = allocate<Marks>(function, exec, "Lacuna::row_statistics::diagonal_marks", corners);
    Kokkos::deep_copy(exec, row_marks, 0);
    Kokkos::deep_copy(exec, diagonal_mark, 0);
    for_each_nonzero(
        exec, "Lacuna::row_statistics::inspect_stored", crs.rows, crs.nonzeros, crs.row_map,
        InspectStored<Scalar, Ordinal, Offset>{crs, row_marks.data(), diagonal_mark.data(), counters.data()});
    for_each_index(exec, "Lacuna::row_statistics::count_rows", statistics.rows,
                   CountMarkedRows<Offset>{crs.row_map, row_marks.data(), counters.data()});
    Kokkos::parallel_reduce("Lacuna::row_statistics::count_diagonals", IndexRange<ExecutionSpace>(exec, 0, corners),
                            CountMarkedDiagonals{diagonal_mark.data()}, diagonals);
    Kokkos::deep_copy(exec, host, counters);
    exec.fence("Lacuna::row_statistics: are the rows sorted?");
  }
  typename Reorder<Matrix>::Indices sorted_entries;
  const Ordinal* entries = crs.entries;
  if (host(ColumnCounters::unsorted_rows) > 0) {
    check_memory(function, Reorder<Matrix>::bytes(statistics.rows, statistics.nonzeros), memory_limit);
    sorted_entries = Reorder<Matrix>::template gathered<typename Reorder<Matrix>::Indices>(
        function, exec, crs.entries, Reorder<Matrix>::order_of_sorted_rows(function, exec, A));
    entries = sorted_entries.data();
  }
  for_each_nonzero(exec, "Lacuna::row_statistics::inspect_sorted", crs.rows, crs.nonzeros, crs.row_map,
                   InspectSorted<Ordinal, Offset>{crs.row_map, entries, counters.data()});
  Kokkos::deep_copy(exec, host, counters);
  exec.fence("Lacuna::row_statistics: the statistics are read on the host");

  const auto number          = [&](int i) { return static_cast<std::int64_t>(host(i)); };
  statistics.lower_bandwidth = number(ColumnCounters::lower);
  statistics.upper_bandwidth = number(ColumnCounters::upper);
  statistics.diagonals       = static_cast<std::int64_t>(diagonals);
  statistics.unsorted_rows   = number(ColumnCounters::unsorted_rows);
  statistics.duplicates      = number(ColumnCounters::duplicates);
  statistics.zeros           = number(ColumnCounters::zeros);
  statistics.equal_rows      = number(ColumnCounters::equal_rows);
  statistics.panel_columns   = number(ColumnCounters::panel_columns);
  statistics.gaps            = statistics.nonzeros - (statistics.rows - statistics.empty_rows);
  statistics.largest_gap     = number(ColumnCounters::largest_gap);
  statistics.wide_gaps       = number(ColumnCounters::wide_gaps);
  for (int choice = 0; choice < 4; ++choice)
    statistics.blocks[static_cast<std::size_t>(choice)] = number(ColumnCounters::first_block + choice);
}

/// printf into a string.
template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

template <class Statistics>
std::string statistics_text(const Statistics& s) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  std::string text;
  const auto line = [&](const char* name, const std::string& what) { text += formatted("%-12s ", name) + what + "\n"; };
  line("matrix", number(s.rows) + " x " + number(s.columns) + ", " + number(s.nonzeros) + " nonzeros");
  line("rows", formatted("%.2f nonzeros each on average, deviation %.2f, ", s.mean, s.standard_deviation) +
                   number(s.shortest_row) + " to " + number(s.longest_row) + ", " + number(s.empty_rows) + " empty");
  line("quantiles",
       "50 % have at most " + number(s.median) + ", 90 % " + number(s.quantile_90) + ", 99 % " + number(s.quantile_99));
  std::string lengths;
  for (std::size_t b = 0; b < s.rows_by_log2.size(); ++b) {
    if (s.rows_by_log2[b] == 0) continue;
    const std::int64_t first = b == 0 ? 0 : std::int64_t{1} << (b - 1);
    const std::int64_t last  = b == 0 ? 0 : 2 * (first - 1) + 1;
    lengths += (lengths.empty() ? "" : ", ") + number(first) + (last > first ? "-" + number(last) : std::string()) +
               ": " + number(s.rows_by_log2[b]);
  }
  line("lengths", lengths.empty() ? "no rows" : lengths);
  line("padding", formatted("ELL %.3f, slices of 32 rows %.3f elements a nonzero", s.ell_padding(), s.sell_padding()));
  if (!s.inspected) return text;
  line("order", std::string(s.rows_sorted() ? "all rows sorted" : number(s.unsorted_rows) + " rows not sorted") + ", " +
                    number(s.duplicates) + " duplicates, " + number(s.zeros) + " stored zeros");
  line("bandwidth", number(s.lower_bandwidth) + " below, " + number(s.upper_bandwidth) + " above");
  line("diagonals", number(s.diagonals) + formatted(" occupied, filled to %.1f %%", 100.0 * s.diagonal_fill()));
  std::string blocks;
  for (std::size_t choice = 0; choice < s.blocks.size(); ++choice)
    blocks += formatted("%dx%d %.1f %%, ", s.block_sizes[choice], s.block_sizes[choice], 100.0 * s.block_fill(choice));
  line("blocks", "filled to " + blocks + "best size " + number(s.best_block()));
  line("panels", formatted("%.2f nonzeros per active column of 8 rows, ", s.nonzeros_per_panel_column()) +
                     formatted("%.1f %% of the rows equal the one before", 100.0 * s.equal_row_share()));
  line("gaps", "largest " + number(s.largest_gap) + formatted(", %.4f %% above 65535", 100.0 * s.wide_gap_share()));
  return text;
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSTATISTICS_COLUMNS_HPP
#define LACUNA_ROWSTATISTICS_COLUMNS_HPP

#include <Lacuna_Transpose.hpp>
#include <core/impl/inspection/Lacuna_InspectNonzeros.hpp>
#include <core/impl/inspection/Lacuna_RowStatistics_Lengths.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

/// \file
/// \brief Columns: bandwidth, diagonals, order, gaps, blocks and panels; and the text of all statistics.

namespace lacuna::Impl {

/// Data of a full inspection: two sets of counters, side by side, and marks.
template <class Device>
struct InspectionWorkspace {
  static constexpr int counters = LengthCounters::count + ColumnCounters::count;

  std::int64_t marks;           ///< bytes: two a row
  std::int64_t diagonal_words;  ///< of 4 marks

  InspectionWorkspace(std::int64_t rows, std::int64_t columns)
      : marks(2 * rows), diagonal_words(ceiling_quotient(rows + columns - 1, 4)) {}
  std::size_t bytes() const {
    return Arena<Device>::template bytes_for<Counter, unsigned char, std::uint32_t>(counters, marks, diagonal_words);
  }
};

/// The second part of `RowStatistics`, which has the first.
template <class Counts, class Statistics>
void take_columns(const Counts& counts, Statistics& statistics) {
  using C                    = ColumnCounters;
  statistics.lower_bandwidth = counts[C::lower];
  statistics.upper_bandwidth = counts[C::upper];
  statistics.diagonals       = counts[C::diagonals];
  statistics.unsorted_rows   = counts[C::unsorted_rows];
  statistics.duplicates      = counts[C::duplicates];
  statistics.zeros           = counts[C::zeros];
  statistics.equal_rows      = counts[C::equal_rows];
  statistics.panel_columns   = counts[C::panel_columns];
  statistics.gaps            = statistics.nonzeros - (statistics.rows - statistics.empty_rows);
  statistics.largest_gap     = counts[C::largest_gap];
  statistics.wide_gaps       = counts[C::wide_gaps];
  for (std::size_t choice = 0; choice < 4; ++choice) statistics.blocks[choice] = counts[C::first_block + choice];
}

/// Both parts, of a matrix with nonzeros. Waits once; a second time, and for the sort, where rows are not sorted.
/// \throws OutOfMemory.
template <class ExecutionSpace, class Matrix, class Statistics>
void inspect_matrix(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit, Statistics& statistics) {
  using Device            = typename Matrix::device_type;
  using C                 = ColumnCounters;
  constexpr auto function = "row_statistics";
  auto crs                = arrays_of(A);
  const InspectionWorkspace<Device> workspace(crs.rows, crs.columns);
  const std::size_t bytes = workspace.bytes();
  check_memory(function, bytes, memory_limit);
  Arena<Device> arena(function, exec, "Lacuna::row_statistics::work", bytes);
  const auto counters       = arena.template take<Counter>(workspace.counters);
  const auto row_marks      = arena.template take<unsigned char>(workspace.marks);
  const auto diagonal_marks = arena.template take<std::uint32_t>(workspace.diagonal_words);
  const InspectionMarks marks{row_marks.data(), diagonal_marks.data(), workspace.diagonal_words};
  Counter* const of_columns = counters.data() + LengthCounters::count;
  std::vector<Counter> host;
  const auto read = [&] {
    host = read_back(exec, "Lacuna::row_statistics: the statistics are read on the host", counters);
  };
  const auto number = [&](int c) {
    return static_cast<std::int64_t>(host[static_cast<std::size_t>(LengthCounters::count + c)]);
  };

  Kokkos::deep_copy(exec, counters, Counter{0});
  Kokkos::deep_copy(exec, row_marks, static_cast<unsigned char>(0));
  Kokkos::deep_copy(exec, diagonal_marks, 0u);
  count_lengths(exec, crs, counters.data());
  inspect_nonzeros(exec, crs, marks, of_columns);
  read();
  take_lengths(lengths_from_counters(crs, host), static_cast<std::int64_t>(crs.columns), statistics);
  std::array<std::int64_t, C::count> counts;
  for (int c = 0; c < C::count; ++c) counts[static_cast<std::size_t>(c)] = number(c);

  if (counts[C::unsorted_rows] > 0) {
    using Order = Reorder<Matrix>;
    check_memory(function, bytes + Order::template order_bytes<ExecutionSpace>(crs), memory_limit);
    const auto sorted = Order::template gathered<typename Order::Indices>(
        function, exec, crs.entries, Order::order_of_sorted_rows(function, exec, A));
    crs.entries = sorted.data();
    Kokkos::deep_copy(exec, counters, Counter{0});
    inspect_nonzeros(exec, crs, marks, of_columns);
    read();
    for (int c = 0; c < C::count; ++c)
      if (C::needs_order(c)) counts[static_cast<std::size_t>(c)] = number(c);
  }
  statistics.inspected = true;
  take_columns(counts, statistics);
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

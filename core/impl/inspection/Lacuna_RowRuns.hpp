// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWRUNS_HPP
#define LACUNA_ROWRUNS_HPP

#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Runs of equal rows: rows that follow each other with the same columns in the same order.

namespace lacuna::Impl {

/// Writes 1 to the mark of each row that differs from the one before, and of every `longest_run`-th. Marks are 0
/// before. Several indices for each row: they compare a part of it each.
template <class Arrays>
struct MarkRowRuns {
  static constexpr int indices_per_row = 8;
  Arrays A;
  unsigned char* marks;

  KOKKOS_FUNCTION void operator()(const std::int64_t index) const {
    using Offset              = typename Arrays::Offset;
    const std::int64_t row    = index / indices_per_row;
    const auto part           = static_cast<Offset>(index % indices_per_row);
    const bool starts_anyway  = row % RunStatistics::longest_run == 0;
    const std::int64_t before = starts_anyway ? row : row - 1;
    const Offset begin = A.row_map[row], other = A.row_map[before];
    const Offset length = A.row_map[row + 1] - begin;
    bool differs        = starts_anyway || A.row_map[before + 1] - other != length;
    for (Offset k = part; k < length && !differs; k += indices_per_row)
      differs = A.entries[begin + k] != A.entries[other + k];
    if (differs) marks[row] = 1;
  }
};

/// Blocks of at most `most` rows, as the marks have them.
struct RowRuns {
  const unsigned char* marks;
  std::int64_t rows;

  /// Rows of the block that begins at `row`; 0 where none does.
  KOKKOS_FUNCTION int block_at(std::int64_t row, int most) const {
    int before = 0;
    while (marks[row - before] == 0) ++before;
    if (before % most != 0) return 0;
    int count = 1;
    while (count < most && row + count < rows && marks[row + count] == 0) ++count;
    return count;
  }
};

template <class Arrays>
struct CountRowRuns {
  using value_type = RunStatistics;
  Arrays A;
  RowRuns runs;

  KOKKOS_FUNCTION void init(value_type& statistics) const { statistics = value_type(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.join(from); }
  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& statistics) const {
    const auto length = static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]);
    if (runs.block_at(row, RunStatistics::few_rows) > 0) {
      statistics.few_reads += length;
      ++statistics.few_blocks;
    }
    if (runs.block_at(row, RunStatistics::many_rows) > 0) {
      statistics.many_reads += length;
      ++statistics.many_blocks;
    }
  }
};

template <class MemorySpace>
using RowMarks = Kokkos::View<unsigned char*, MemorySpace>;

/// Where runs of equal rows begin. \throws OutOfMemory. Does not fence.
template <class ExecutionSpace, class Arrays>
auto mark_row_runs(const ExecutionSpace& exec, const Arrays& A) {
  using Marks      = RowMarks<typename ExecutionSpace::memory_space>;
  const auto rows  = static_cast<std::int64_t>(A.rows);
  const auto marks = allocate<Marks>("inspect", exec, "Lacuna::inspect::row_marks", rows);
  Kokkos::deep_copy(exec, marks, static_cast<unsigned char>(0));
  for_each_index(exec, "Lacuna::inspect::mark_row_runs", rows * MarkRowRuns<Arrays>::indices_per_row,
                 MarkRowRuns<Arrays>{A, marks.data()});
  return marks;
}

/// Waits for the result.
template <class ExecutionSpace, class Arrays, class Marks>
RunStatistics count_row_runs(const ExecutionSpace& exec, const Arrays& A, const Marks& marks) {
  RunStatistics statistics;
  const auto rows = static_cast<std::int64_t>(A.rows);
  if (rows > 0)
    Kokkos::parallel_reduce("Lacuna::inspect::count_row_runs", index_range(exec, rows),
                            CountRowRuns<Arrays>{A, {marks.data(), rows}}, statistics);
  return statistics;
}

}  // namespace lacuna::Impl

#endif

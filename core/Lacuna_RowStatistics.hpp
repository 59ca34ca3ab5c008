// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSTATISTICS_HPP
#define LACUNA_ROWSTATISTICS_HPP

#include <Lacuna_Options.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <core/impl/inspection/Lacuna_RowStatistics_Columns.hpp>
#include <core/impl/inspection/Lacuna_RowStatistics_Lengths.hpp>

#include <array>
#include <cstdint>
#include <string>

/// \file
/// \brief Statistics of the pattern of a matrix: the numbers that formats and kernels are chosen by.

namespace lacuna {

/// \brief The statistics of a matrix.
///
/// The first members need the row map alone: `row_length_statistics` sets them. The members from `inspected` on need
/// the columns too: `row_statistics` sets both.
struct RowStatistics {
  static constexpr int slice_rows = 32;  ///< rows of a slice, of `sell_entries`
  static constexpr int panel_rows = 8;   ///< rows of a panel, of `panel_columns`
  static constexpr std::array<int, 4> block_sizes{2, 3, 4, 6};

  std::int64_t rows     = 0;
  std::int64_t columns  = 0;
  std::int64_t nonzeros = 0;

  std::int64_t shortest_row = 0;
  std::int64_t longest_row  = 0;
  std::int64_t empty_rows   = 0;
  double mean               = 0;  ///< of the row lengths
  double standard_deviation = 0;  ///< of the row lengths
  /// Row lengths that 50, 90 and 99 % of the rows do not exceed. Exact up to 256; larger ones are up to 1/16 too high.
  std::int64_t median       = 0;
  std::int64_t quantile_90  = 0;
  std::int64_t quantile_99  = 0;
  std::int64_t sell_entries = 0;  ///< entries of slices of 32 rows, each slice as wide as its longest row
  /// rows_by_log2[0] counts the empty rows, rows_by_log2[b] the rows with 2^(b-1) to 2^b - 1 nonzeros.
  std::array<std::int64_t, 64> rows_by_log2{};

  bool inspected               = false;  ///< whether the members below are set
  std::int64_t lower_bandwidth = 0;      ///< the largest row - column, at least 0
  std::int64_t upper_bandwidth = 0;      ///< the largest column - row, at least 0
  std::int64_t diagonals       = 0;      ///< diagonals that hold a nonzero
  std::int64_t unsorted_rows   = 0;
  std::int64_t duplicates      = 0;  ///< entries that repeat an earlier (row, column) pair
  std::int64_t zeros           = 0;  ///< stored values that are 0
  std::int64_t equal_rows      = 0;  ///< nonempty rows with the same columns as the row before
  std::int64_t panel_columns   = 0;  ///< the sum over panels of 8 rows of the columns that hold a nonzero there
  /// blocks[i] counts the aligned blocks of block_sizes[i] × block_sizes[i] elements that hold a nonzero.
  std::array<std::int64_t, 4> blocks{};
  std::int64_t gaps        = 0;  ///< pairs of neighbouring nonzeros of a sorted row
  std::int64_t largest_gap = 0;  ///< the largest distance between the columns of such a pair
  std::int64_t wide_gaps   = 0;  ///< pairs whose columns are more than 65535 apart

  /// \brief Stored elements per nonzero in ELLPACK; 1 for a matrix without nonzeros.
  double ell_padding() const { return ratio(static_cast<double>(rows) * static_cast<double>(longest_row)); }
  /// \brief Stored elements per nonzero in slices of 32 rows; 1 for a matrix without nonzeros.
  double sell_padding() const { return ratio(static_cast<double>(sell_entries)); }
  /// \brief Nonzeros per stored element of diagonal storage.
  double diagonal_fill() const { return 1.0 / ratio(static_cast<double>(diagonals) * static_cast<double>(rows)); }
  /// \brief Nonzeros per element of the occupied blocks of size block_sizes[choice].
  double block_fill(std::size_t choice) const {
    const double elements = block_sizes[choice] * block_sizes[choice];
    return 1.0 / ratio(static_cast<double>(blocks[choice]) * elements);
  }
  /// \brief Nonzeros per column that holds a nonzero in a panel of 8 rows.
  double nonzeros_per_panel_column() const { return 1.0 / ratio(static_cast<double>(panel_columns)); }
  /// \brief The share of `equal_rows` in all rows; 0 without rows.
  double equal_row_share() const {
    return rows > 0 ? static_cast<double>(equal_rows) / static_cast<double>(rows) : 0.0;
  }
  /// \brief The share of `wide_gaps` in `gaps`; 0 without gaps.
  double wide_gap_share() const { return gaps > 0 ? static_cast<double>(wide_gaps) / static_cast<double>(gaps) : 0.0; }
  /// \brief Whether the columns of every row ascend.
  bool rows_sorted() const { return unsorted_rows == 0; }
  /// \brief The block size whose storage is smallest, with 8 bytes a value and 4 bytes a block index; 1 where CSR is
  /// smaller.
  int best_block() const;

 private:
  double ratio(double stored) const {
    return nonzeros > 0 && stored > 0 ? stored / static_cast<double>(nonzeros) : 1.0;
  }
};

/// \brief Options of `row_statistics`.
struct RowStatisticsOptions {
  std::size_t memory_limit = unlimited;  ///< the most temporary bytes that may be allocated
};

/// \brief Computes the statistics that need the row map alone. Runs one kernel and fences once. Deterministic.
///
/// \param[in] exec all work goes to this instance
/// \param[in] A a valid `KokkosSparse::CrsMatrix`
/// \throws OutOfMemory where memory is exhausted
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
RowStatistics row_length_statistics(const ExecutionSpace& exec, const Matrix& A) {
  return Impl::in_region("row_length_statistics", [&] {
    RowStatistics statistics;
    Impl::take_lengths(Impl::length_statistics(exec, Impl::arrays_of(A)), static_cast<std::int64_t>(A.numCols()),
                       statistics);
    return statistics;
  });
}

/// \brief Computes all statistics: one pass over the row map, one over the nonzeros, one fence. Deterministic.
///
/// Where rows are not sorted, the function sorts a copy of the columns and passes over it again: duplicates, gaps,
/// blocks and panel columns are counted as if all rows were sorted.
///
/// \param[in] exec all work goes to this instance
/// \param[in] A a valid `KokkosSparse::CrsMatrix`, see `validate`
/// \param[in] options a limit of temporary memory
/// \throws OutOfMemory where `memory_limit` does not suffice or memory is exhausted
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
RowStatistics row_statistics(const ExecutionSpace& exec, const Matrix& A, const RowStatisticsOptions& options = {}) {
  return Impl::in_region("row_statistics", [&] {
    RowStatistics statistics;
    if (A.nnz() > 0) {
      Impl::inspect_matrix(exec, A, options.memory_limit, statistics);
    } else {
      statistics           = row_length_statistics(exec, A);
      statistics.inspected = true;
    }
    return statistics;
  });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
RowStatistics row_length_statistics(const Matrix& A) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "row_length_statistics", [&](const auto& exec) { return row_length_statistics(exec, A); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
RowStatistics row_statistics(const Matrix& A, const RowStatisticsOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "row_statistics", [&](const auto& exec) { return row_statistics(exec, A, options); });
}

inline int RowStatistics::best_block() const {
  if (!inspected || nonzeros == 0) return 1;
  int best     = 1;
  double bytes = 12.0;
  for (std::size_t choice = 0; choice < block_sizes.size(); ++choice) {
    const double size   = block_sizes[choice];
    const double stored = (8.0 + 4.0 / (size * size)) / block_fill(choice);
    if (stored < bytes) {
      best  = block_sizes[choice];
      bytes = stored;
    }
  }
  return best;
}

/// \brief The statistics as text: aligned lines, each with a name and its numbers.
inline std::string report(const RowStatistics& statistics) { return Impl::statistics_text(statistics); }

}  // namespace lacuna

#endif

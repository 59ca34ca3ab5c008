// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSTATISTICS_HPP
#define LACUNA_ROWSTATISTICS_HPP

#include <Lacuna_Options.hpp>
#include <core/impl/inspection/Lacuna_RowStatistics_Columns.hpp>
#include <core/impl/inspection/Lacuna_RowStatistics_Lengths.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <array>
#include <cstdint>
#include <string>

/// \file
/// \brief The inspector: the properties of a matrix in plain numbers, by which kernels and formats are chosen.

namespace lacuna {

/// \brief Statistics of the pattern of a matrix. The first part comes from the row map alone (`row_length_statistics`).
/// The second part, where `inspected`, also needs the columns (`row_statistics`).
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
  double standard_deviation = 0;
  /// Row lengths that 50, 90, 99 % of the rows do not exceed: exact up to 256, above at most 1/16 too high.
  std::int64_t median       = 0;
  std::int64_t quantile_90  = 0;
  std::int64_t quantile_99  = 0;
  std::int64_t sell_entries = 0;  ///< stored by slices of 32 rows, each as wide as its longest row
  /// rows_by_log2[0]: empty rows; rows_by_log2[b]: rows of 2^(b-1) … 2^b - 1 nonzeros.
  std::array<std::int64_t, 64> rows_by_log2{};

  bool inspected               = false;
  std::int64_t lower_bandwidth = 0;  ///< largest row - column, at least 0
  std::int64_t upper_bandwidth = 0;  ///< largest column - row, at least 0
  std::int64_t diagonals       = 0;  ///< diagonals that hold a nonzero
  std::int64_t unsorted_rows   = 0;
  std::int64_t duplicates      = 0;  ///< entries that repeat an earlier (row, column) pair
  std::int64_t zeros           = 0;  ///< stored values that are 0
  std::int64_t equal_rows      = 0;  ///< rows, not empty, with exactly the columns of the row before
  std::int64_t panel_columns   = 0;  ///< columns with a nonzero, counted in each panel of 8 rows and summed
  /// Aligned b × b blocks that hold a nonzero, for each of `block_sizes`.
  std::array<std::int64_t, 4> blocks{};
  std::int64_t gaps        = 0;  ///< pairs of neighbouring nonzeros of a row
  std::int64_t largest_gap = 0;  ///< between the columns of such a pair, rows sorted
  std::int64_t wide_gaps   = 0;  ///< gaps above 65535

  /// Stored elements per nonzero of ELLPACK and of slices of 32 rows; 1 without nonzeros.
  double ell_padding() const { return ratio(static_cast<double>(rows) * static_cast<double>(longest_row)); }
  double sell_padding() const { return ratio(static_cast<double>(sell_entries)); }
  /// Nonzeros per stored element of diagonal storage.
  double diagonal_fill() const { return 1.0 / ratio(static_cast<double>(diagonals) * static_cast<double>(rows)); }
  /// Nonzeros per element of the occupied blocks of size block_sizes[choice].
  double block_fill(std::size_t choice) const {
    const double elements = block_sizes[choice] * block_sizes[choice];
    return 1.0 / ratio(static_cast<double>(blocks[choice]) * elements);
  }
  /// Nonzeros per active column of a panel of 8 rows ("rpc").
  double nonzeros_per_panel_column() const { return 1.0 / ratio(static_cast<double>(panel_columns)); }
  double equal_row_share() const {
    return rows > 0 ? static_cast<double>(equal_rows) / static_cast<double>(rows) : 0.0;
  }
  double wide_gap_share() const { return gaps > 0 ? static_cast<double>(wide_gaps) / static_cast<double>(gaps) : 0.0; }
  bool rows_sorted() const { return unsorted_rows == 0; }
  /// The block size whose storage (8-byte values, 4 bytes a block index) is smallest; 1 where none is smaller than
  /// CSR's.
  int best_block() const;

 private:
  double ratio(double stored) const {
    return nonzeros > 0 && stored > 0 ? stored / static_cast<double>(nonzeros) : 1.0;
  }
};

/// \brief What `row_statistics` can be asked for.
struct RowStatisticsOptions {
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated, all of them temporary
};

/// \brief The statistics that need no more than the row map: one kernel, one fence. \throws OutOfMemory.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
RowStatistics row_length_statistics(const ExecutionSpace& exec, const Matrix& A) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::row_length_statistics");
  RowStatistics statistics;
  Impl::take_lengths(Impl::length_statistics(exec, Impl::arrays_of(A)), static_cast<std::int64_t>(A.numCols()),
                     statistics);
  return statistics;
}

/// \brief All statistics: one pass over the row map, one over the nonzeros, one fence. Rows that are not sorted are
/// then sorted in a copy, which is gone through once more: duplicates, gaps, blocks and panel columns are counted as if
/// all rows were sorted. The matrix must be valid. \throws OutOfMemory.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
RowStatistics row_statistics(const ExecutionSpace& exec, const Matrix& A, const RowStatisticsOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::row_statistics");
  RowStatistics statistics;
  if (A.nnz() > 0) {
    Impl::inspect_matrix(exec, A, options.memory_limit, statistics);
  } else {
    statistics           = row_length_statistics(exec, A);
    statistics.inspected = true;
  }
  return statistics;
}

template <Impl::CrsMatrixType Matrix>
RowStatistics row_length_statistics(const Matrix& A) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "row_length_statistics", [&](const auto& exec) { return row_length_statistics(exec, A); });
}

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

/// \brief The statistics for a reader: aligned lines, each a name and its numbers.
inline std::string report(const RowStatistics& statistics) { return Impl::statistics_text(statistics); }

}  // namespace lacuna

#endif

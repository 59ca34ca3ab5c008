// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_HOSTROWS_HPP
#define LACUNA_SPMM_HOSTROWS_HPP

#include <kernels/spmm/impl/Lacuna_Spmm_Arguments.hpp>
#include <kernels/spmm/tuning/Lacuna_Spmm_Tuning.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief The row kernel as a host runs it: a thread walks rows, the sums of a tile of N stay in registers, and the
/// compiler makes vector instructions of the loops over columns.

namespace lacuna::Impl {

/// Piece p of `pieces` takes the rows that start in its share of the nonzeros and rows, counted together.
template <class Arrays, class Output, bool row_major>
struct SpmmHostRows {
  using Scalar     = typename Arrays::Scalar;
  using Offset     = typename Arrays::Offset;
  using Arguments  = SpmmArguments<Scalar, Output>;
  using Arithmetic = typename Arguments::Arithmetic;

  static constexpr int tile = std::max(4, SpmmTuning::host_tile_bytes / static_cast<int>(sizeof(Arithmetic)));

  Arrays A;
  Arguments arguments;
  std::int64_t pieces;

  KOKKOS_FUNCTION void operator()(const std::int64_t piece) const {
    const std::int64_t last = first_row(piece + 1);
    for (std::int64_t row = first_row(piece); row < last; ++row) add_row(row);
  }

 private:
  KOKKOS_FUNCTION std::int64_t first_row(std::int64_t piece) const {
    const std::int64_t rows = A.rows, work = static_cast<std::int64_t>(A.nonzeros) + rows;
    const std::int64_t key = piece * (work / pieces) + std::min(piece, work % pieces);
    std::int64_t low = 0, high = rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (static_cast<std::int64_t>(A.row_map[middle]) + middle < key)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  KOKKOS_FUNCTION void add_row(std::int64_t row) const {
    const Offset begin = A.row_map[row], end = A.row_map[row + 1];
    std::int64_t column = 0;
    for (; column + tile <= arguments.C.columns; column += tile) add_tile<tile>(row, begin, end, column);
    add_rest<tile / 2>(row, begin, end, column);
  }

  /// What is left after whole tiles, by tiles of half the size, and so on.
  template <int width>
  KOKKOS_FUNCTION void add_rest(std::int64_t row, Offset begin, Offset end, std::int64_t column) const {
    if constexpr (width > 0) {
      if (column + width <= arguments.C.columns) {
        add_tile<width>(row, begin, end, column);
        column += width;
      }
      add_rest<width / 2>(row, begin, end, column);
    }
  }

  template <int width>
  KOKKOS_FUNCTION void add_tile(std::int64_t row, Offset begin, Offset end, std::int64_t column) const {
    const std::int64_t row_stride = arguments.B.row_stride;
    const std::int64_t step       = row_major ? 1 : arguments.B.column_stride;
    const Scalar* const first     = arguments.B.at(0, column);
    Arithmetic sum[width]         = {};
    for (Offset k = begin; k < end; ++k) {
      const Scalar* const b  = first + static_cast<std::int64_t>(A.entries[k]) * row_stride;
      const Arithmetic value = static_cast<Arithmetic>(A.values[k]);
      for (int j = 0; j < width; ++j) sum[j] += value * static_cast<Arithmetic>(b[j * step]);
    }
    // The sums go to memory in one piece, from which compilers see that they are vectors; a number of columns that is
    // not a constant keeps that memory from being taken apart.
    Arithmetic result[width];
    for (int j = 0; j < width; ++j) result[j] = sum[j];
    const std::int64_t left = arguments.C.columns - column;
    const int count         = left < width ? static_cast<int>(left) : width;
    for (int j = 0; j < count; ++j) arguments.write(row, column + j, result[j]);
  }
};

template <class ExecutionSpace, class Arrays, class Output>
void spmm_host_rows(const ExecutionSpace& exec, const Arrays& A,
                    const SpmmArguments<typename Arrays::Scalar, Output>& arguments) {
  const std::int64_t work   = static_cast<std::int64_t>(A.nonzeros) + static_cast<std::int64_t>(A.rows);
  const std::int64_t pieces = std::min<std::int64_t>(std::max<std::int64_t>(work, 1),
                                                     SpmmTuning::host_pieces * std::int64_t{exec.concurrency()});
  if (arguments.B.row_major())
    for_each_index(exec, "Lacuna::spmm::row_split", pieces, SpmmHostRows<Arrays, Output, true>{A, arguments, pieces});
  else
    for_each_index(exec, "Lacuna::spmm::row_split", pieces, SpmmHostRows<Arrays, Output, false>{A, arguments, pieces});
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PLAINSUMS_HPP
#define LACUNA_PLAINSUMS_HPP

#include <kernels/rows/Lacuna_BlockArguments.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// \brief Sums over the unrounded A and B, for kernels that read rounded copies of them. Where a sum of such a kernel
/// is not finite, it is computed again over the nonzeros of its row alone. Zeros that are not stored must not meet
/// values that are not finite, and a factor too large for the rounded copy may be finite in float.
template <CrsMatrixType Matrix, class Output>
struct PlainSums {
  using Arguments  = BlockArguments<typename Matrix::non_const_value_type, Output>;
  using Arithmetic = typename Arguments::Arithmetic;

  CrsArraysOf<Matrix> A;
  Arguments arguments;

  /// A warp writes the part of a block that lies inside C.
  template <class Team>
  KOKKOS_FUNCTION void write(const Team& team, std::int64_t first_row, std::int64_t end_row, std::int64_t first_column,
                             std::int64_t end_column) const {
    const auto& C = arguments.C;
    if (end_row > C.rows) end_row = C.rows;
    if (end_column > C.columns) end_column = C.columns;
    for (std::int64_t row = first_row; row < end_row; ++row)
      for (std::int64_t column = first_column + team.lane(); column < end_column; column += Team::lane_width) {
        Arithmetic sum(0);
        for (auto k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
          sum += static_cast<Arithmetic>(A.values[k]) * static_cast<Arithmetic>(arguments.B(A.entries[k], column));
        arguments.write(row, column, sum);
      }
  }
};

/// For kernels that read A and B unrounded.
struct NoPlainSums {};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PLAINSUMS_HPP
#define LACUNA_PLAINSUMS_HPP

#include <kernels/rows/Lacuna_BlockArguments.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// \brief A and B as they are, for kernels that read rounded copies of them: where such a sum is not finite, it is made
/// again over the nonzeros of its row alone. Zeros that are not stored must not meet what is not finite, and a factor
/// too large for the copy may be none for float.
template <CrsMatrixType Matrix, class Output>
struct PlainSums {
  using Arguments  = BlockArguments<typename Matrix::non_const_value_type, Output>;
  using Arithmetic = typename Arguments::Arithmetic;

  CrsArraysOf<Matrix> A;
  Arguments arguments;

  /// A warp writes what C has of a block.
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

/// Of kernels that read A and B as they are.
struct NoPlainSums {};

}  // namespace lacuna::Impl

#endif

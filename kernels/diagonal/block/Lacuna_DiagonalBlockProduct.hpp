// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBLOCKPRODUCT_HPP
#define LACUNA_DIAGONALBLOCKPRODUCT_HPP

#include <core/impl/inspection/Lacuna_Findings.hpp>
#include <kernels/diagonal/block/Lacuna_DiagonalWalk.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>

#include <cstdint>

/// \file
/// \brief C = alpha op(A) B + beta C with A in diagonals, as kernels see it. A vector is a block of one column.

namespace lacuna::Impl {

/// Elements of the product by themselves, where A was not in diagonals before: zeros that diagonals were filled up with
/// may have met an Inf or a NaN. Here: every stored element counts.
struct NoExactRow {
  static constexpr bool is_there = false;
};

/// Out of CSR.
template <class Arrays>
struct ExactCrsRow {
  static constexpr bool is_there = true;
  Arrays A;

  template <class Block>
  KOKKOS_FUNCTION typename Arrays::Scalar operator()(std::int64_t row, std::int64_t column, const Block& B) const {
    typename Arrays::Scalar sum(0);
    for (auto k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
      sum += A.values[k] * B(static_cast<std::int64_t>(A.entries[k]), column);
    return sum;
  }
};

/// C = alpha op(A) B + beta C, less how it is launched.
template <class WalkType, class ExactType = NoExactRow>
struct DiagonalBlockProduct {
  using Walk   = WalkType;
  using Exact  = ExactType;
  using Scalar = typename Walk::Scalar;

  Walk A;
  Exact exact;
  BlockArguments<Scalar> arguments;

  /// Rows [first, end) of a diagonal exist.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_row(std::int64_t offset) const { return offset < 0 ? -offset : 0; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end_row(std::int64_t offset) const {
    return A.X.rows < A.X.columns - offset ? A.X.rows : A.X.columns - offset;
  }
  /// Whether a diagonal has elements in rows [top, end).
  KOKKOS_FORCEINLINE_FUNCTION bool meets(std::int64_t offset, std::int64_t top, std::int64_t end) const {
    return first_row(offset) < end && end_row(offset) > top && first_row(offset) < end_row(offset);
  }
  /// The sum, computed once more where it is not finite and zeros that were filled in may be why.
  KOKKOS_FORCEINLINE_FUNCTION Scalar exactly(std::int64_t row, std::int64_t column, Scalar sum) const {
    if constexpr (Exact::is_there) {
      if (!is_finite(sum)) sum = exact(row, column, arguments.B);
    }
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t row, std::int64_t column, Scalar sum) const {
    arguments.write(row, column, exactly(row, column, sum));
  }
};

}  // namespace lacuna::Impl

#endif

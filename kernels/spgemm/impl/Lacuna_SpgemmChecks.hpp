// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMCHECKS_HPP
#define LACUNA_SPGEMMCHECKS_HPP

#include <Lacuna_Error.hpp>
#include <Lacuna_Options.hpp>
#include <Lacuna_SpgemmMask.hpp>
#include <Lacuna_SpgemmOptions.hpp>

#include <cstdint>

/// \file
/// \brief Whether operands of a product fit each other, before any work.

namespace lacuna::Impl {

/// \throws DimensionMismatch where op(A) and op(B) cannot be multiplied.
template <class Left, class Right>
void check_spgemm(const char* function, Op op_a, const Left& A, Op op_b, const Right& B) {
  const auto inner_a = static_cast<std::int64_t>(op_a == Op::none ? A.numCols() : A.numRows());
  const auto inner_b = static_cast<std::int64_t>(op_b == Op::none ? B.numRows() : B.numCols());
  if (inner_a != inner_b)
    raise<DimensionMismatch>(function, "op(A) has ", inner_a, " columns, op(B) has ", inner_b, " rows; A is ",
                             shape_text(A.numRows(), A.numCols()), ", op ", name(op_a), ", B is ",
                             shape_text(B.numRows(), B.numCols()), ", op ", name(op_b));
}

/// Of a plan's arguments. \throws DimensionMismatch, InvalidArgument.
template <class Matrix>
void check_spgemm_plan(const Matrix& A, const Matrix& B, const Matrix* D, const SpgemmMask<Matrix>* mask,
                       const SpgemmOptions& options) {
  constexpr auto where = "SpgemmPlan";
  check_spgemm(where, options.op_a, A, options.op_b, B);
  if (options.expected_calls < 0) raise<InvalidArgument>(where, "expected_calls is ", options.expected_calls);
  const auto rows    = options.op_a == Op::none ? A.numRows() : A.numCols();
  const auto columns = options.op_b == Op::none ? B.numCols() : B.numRows();
  if (D != nullptr && (D->numRows() != rows || D->numCols() != columns))
    raise<DimensionMismatch>(where, "D is ", shape_text(D->numRows(), D->numCols()), ", the product is ",
                             shape_text(rows, columns));
  if (mask != nullptr && (mask->matrix.numRows() != rows || mask->matrix.numCols() != columns))
    raise<DimensionMismatch>(where, "the mask is ", shape_text(mask->matrix.numRows(), mask->matrix.numCols()),
                             ", the product is ", shape_text(rows, columns));
}

}  // namespace lacuna::Impl

#endif

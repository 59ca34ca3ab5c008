// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMM_HPP
#define LACUNA_SPGEMM_HPP

#include <Lacuna_SpgemmPlan.hpp>

/// \file
/// \brief C = alpha op(A) op(B) for sparse A, B and C, all of them CSR.
///
///     lacuna::SpgemmPlan plan(exec, A, B);    // counts the nonzeros of C
///     auto C = plan.allocate(exec);
///     lacuna::spgemm(exec, plan, 1.0, A, B, C);  // again and again, with new values of the same patterns
///
/// C = alpha op(A) op(B) + beta D: `SpgemmPlan plan(exec, A, B, D)`, `spgemm(exec, plan, alpha, A, B, beta, D, C)`.

namespace lacuna {

/// \brief C = alpha op(A) op(B), with the columns and the values of C written anew.
///
/// \param[in] exec  all work goes to this instance. Nothing fences, nothing is allocated.
/// \param[in] plan  made for matrices of the pattern of A and B, and their ops.
/// \param[in] alpha anything that converts to the scalar of A. alpha == 0 stores zeros in the pattern of C.
/// \param[in] A, B  their values may differ from those that the plan was made with, their patterns must not.
/// \param[in,out] C from `SpgemmPlan::allocate` of this plan; rows sorted by column. Must not share memory with A or B.
/// \throws DimensionMismatch (extents of A, B or C), InvalidArgument (another number of nonzeros than the plan's, or a
/// C of another plan); C is then untouched.
template <class ExecutionSpace, class Matrix, class Alpha>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spgemm(const ExecutionSpace& exec, const SpgemmPlan<Matrix, ExecutionSpace>& plan, const Alpha& alpha,
            const Matrix& A, const Matrix& B, const typename SpgemmPlan<Matrix, ExecutionSpace>::result_type& C) {
  plan.apply(exec, static_cast<typename Matrix::non_const_value_type>(alpha), A, B, C);
}

/// \brief C = alpha op(A) op(B) + beta D in one pass, for a plan that was made with D. D has the shape of C and any
/// pattern, which must be that of the plan's D; its values are not read where beta == 0, those of A and B not where
/// alpha == 0. Everything else as above.
///
/// A plan that was made without D serves a D whose nonzeros all have a place in the product: they are added in a second
/// pass, and unless beta == 0 the call waits to know that all found theirs. \throws InvalidArgument where some did not:
/// C then holds the sum without them.
template <class ExecutionSpace, class Matrix, class Alpha, class Beta>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spgemm(const ExecutionSpace& exec, const SpgemmPlan<Matrix, ExecutionSpace>& plan, const Alpha& alpha,
            const Matrix& A, const Matrix& B, const Beta& beta, const Matrix& D,
            const typename SpgemmPlan<Matrix, ExecutionSpace>::result_type& C) {
  using Scalar = typename Matrix::non_const_value_type;
  plan.apply(exec, static_cast<Scalar>(alpha), A, B, static_cast<Scalar>(beta), D, C);
}

/// \brief The same on the default instance, fenced before and after.
template <class Matrix, class ExecutionSpace, class Alpha, class Beta>
void spgemm(const SpgemmPlan<Matrix, ExecutionSpace>& plan, const Alpha& alpha, const Matrix& A, const Matrix& B,
            const Beta& beta, const Matrix& D, const typename SpgemmPlan<Matrix, ExecutionSpace>::result_type& C) {
  Impl::with_default_instance<ExecutionSpace>(
      "spgemm", [&](const ExecutionSpace& exec) { spgemm(exec, plan, alpha, A, B, beta, D, C); });
}

/// \brief The same on the default instance, fenced before and after.
template <class Matrix, class ExecutionSpace, class Alpha>
void spgemm(const SpgemmPlan<Matrix, ExecutionSpace>& plan, const Alpha& alpha, const Matrix& A, const Matrix& B,
            const typename SpgemmPlan<Matrix, ExecutionSpace>::result_type& C) {
  Impl::with_default_instance<ExecutionSpace>("spgemm",
                                              [&](const ExecutionSpace& exec) { spgemm(exec, plan, alpha, A, B, C); });
}

/// \brief op(A) op(B) in one call: a plan, its matrix, its values. Waits for the counts of the plan. Errors and
/// determinism are those of the plan.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace>
auto spgemm(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const SpgemmOptions& options = {}) {
  const SpgemmPlan<Matrix, ExecutionSpace> plan(exec, A, B, options);
  auto C = plan.allocate(exec);
  plan.apply(exec, typename Matrix::non_const_value_type(1), A, B, C, true);
  return C;
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
auto spgemm(const Matrix& A, const Matrix& B, const SpgemmOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "spgemm", [&](const auto& exec) { return spgemm(exec, A, B, options); });
}

}  // namespace lacuna

#endif

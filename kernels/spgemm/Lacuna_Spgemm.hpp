// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMM_HPP
#define LACUNA_SPGEMM_HPP

#include <Lacuna_CrsOf.hpp>
#include <Lacuna_Semirings.hpp>
#include <Lacuna_SpgemmMask.hpp>
#include <Lacuna_SpgemmPlan.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOneCall.hpp>

#include <type_traits>

/// \file
/// \brief C = alpha op(A) op(B) for sparse A, B and C, all of them CSR.
///
///     lacuna::SpgemmPlan plan(exec, A, B);    // counts the nonzeros of C
///     auto C = plan.allocate(exec);
///     lacuna::spgemm(exec, plan, 1.0, A, B, C);  // again and again, with new values of the same patterns
///
/// C = alpha op(A) op(B) + beta D: `SpgemmPlan plan(exec, A, B, D)`, `spgemm(exec, plan, alpha, A, B, beta, D, C)`.
/// A mask, which selects entries of C: `SpgemmPlan plan(exec, A, B, within(M))`, or `outside(M)`; with D: `(exec, A, B,
/// D, within(M))`. Another semiring: `spgemm(exec, plan, MinPlus<double>{}, A, B, C)`, with the same plan.
///
/// On GPUs plans take their memory from the memory pool. `keep_memory_of_results(true)` takes that of C from the pool,
/// too, which halves the time of small products (Lacuna_MemoryPool.hpp).

namespace lacuna {

namespace Impl {
/// What converts to a scalar of the matrix.
template <class Factor, class Matrix>
concept FactorOf = std::is_convertible_v<Factor, typename Matrix::non_const_value_type> ||
    std::is_constructible_v<typename Matrix::non_const_value_type, Factor>;
}  // namespace Impl

/// \brief C = alpha op(A) op(B). Writes the columns and values of C; only its values where the plan keeps products.
///
/// \param[in] exec  runs all work. Nothing fences, nothing is allocated.
/// \param[in] plan  made for the patterns of A and B, and for their ops.
/// \param[in] alpha anything that converts to the scalar of A. alpha == 0 stores zeros in the pattern of C.
/// \param[in] A, B  may have other values than the plan was made with, but the same patterns.
/// \param[in,out] C from `SpgemmPlan::allocate` of this plan; rows sorted by column. Its values, and its columns unless
///     the plan keeps products, must not share memory with A or B. Another result of the same plan may be A or B.
/// \throws DimensionMismatch for other extents of A, B or C. InvalidArgument where A or B has another number of
/// nonzeros, or another pattern and the plan compares patterns; where C is not from this plan; where C shares memory
/// with A or B. C is then unchanged.
template <class ExecutionSpace, class Matrix, bool masked, class Alpha>
requires Kokkos::is_execution_space_v<ExecutionSpace> && Impl::FactorOf<Alpha, Matrix>
void spgemm(const ExecutionSpace& exec, const SpgemmPlan<Matrix, ExecutionSpace, masked>& plan, const Alpha& alpha,
            const Matrix& A, const Matrix& B, const CrsOf<Matrix>& C) {
  plan.apply(exec, static_cast<typename Matrix::non_const_value_type>(alpha), A, B, C);
}

/// \brief c_ij = the sum over k of a_ik b_kj, with the sum and the product of a semiring (Lacuna_Semirings.hpp). The
/// pattern of C is the same for every semiring, so that any plan without D serves all of them. alpha, beta and D exist
/// for the usual sums only. Duplicates in A and B are separate terms. Everything else as above.
template <class ExecutionSpace, class Matrix, bool masked, SemiringOf<typename Matrix::non_const_value_type> Semiring>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spgemm(const ExecutionSpace& exec, const SpgemmPlan<Matrix, ExecutionSpace, masked>& plan,
            const Semiring& semiring, const Matrix& A, const Matrix& B, const CrsOf<Matrix>& C) {
  plan.apply(exec, semiring, A, B, C);
}

/// \brief C = alpha op(A) op(B) + beta D in one pass, for a plan that was made with D. D has the shape of C and the
/// pattern of the plan's D. Values of D are not read where beta == 0, values of A and B not where alpha == 0. A mask
/// applies to D as to the product. D may be C. Everything else as above.
///
/// A plan that was made without D serves a D whose nonzeros all have columns that C has. They are added in a second
/// pass. Unless beta == 0, the call waits to check this, and D must not share memory with C.
/// \throws InvalidArgument where C does not have the columns of some nonzeros of D; C then holds the sum without them.
template <class ExecutionSpace, class Matrix, bool masked, class Alpha, class Beta>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spgemm(const ExecutionSpace& exec, const SpgemmPlan<Matrix, ExecutionSpace, masked>& plan, const Alpha& alpha,
            const Matrix& A, const Matrix& B, const Beta& beta, const Matrix& D, const CrsOf<Matrix>& C) {
  using Scalar = typename Matrix::non_const_value_type;
  plan.apply(exec, static_cast<Scalar>(alpha), A, B, static_cast<Scalar>(beta), D, C);
}

/// \brief The same on the default instance, fenced before and after.
template <class Matrix, class ExecutionSpace, bool masked, class Alpha, class Beta>
void spgemm(const SpgemmPlan<Matrix, ExecutionSpace, masked>& plan, const Alpha& alpha, const Matrix& A,
            const Matrix& B, const Beta& beta, const Matrix& D, const CrsOf<Matrix>& C) {
  Impl::with_default_instance<ExecutionSpace>(
      "spgemm", [&](const ExecutionSpace& exec) { spgemm(exec, plan, alpha, A, B, beta, D, C); });
}

/// \brief The same on the default instance, fenced before and after; `alpha` may be a semiring.
template <class Matrix, class ExecutionSpace, bool masked, class Alpha>
void spgemm(const SpgemmPlan<Matrix, ExecutionSpace, masked>& plan, const Alpha& alpha, const Matrix& A,
            const Matrix& B, const CrsOf<Matrix>& C) {
  Impl::with_default_instance<ExecutionSpace>("spgemm",
                                              [&](const ExecutionSpace& exec) { spgemm(exec, plan, alpha, A, B, C); });
}

/// \brief op(A) op(B) in one call, which makes a plan, C and its values. Waits for the counts of the plan. Errors and
/// determinism are those of the plan. On GPUs the arrays of C share one allocation, which is freed with the last of
/// them.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace>
auto spgemm(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const SpgemmOptions& options = {}) {
  return Impl::SpgemmOneCall::multiply(exec, A, B, options);
}

/// \brief The same with a semiring, with a mask, or with both.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix, SemiringOf<typename Matrix::non_const_value_type> Semiring>
requires Kokkos::is_execution_space_v<ExecutionSpace>
auto spgemm(const ExecutionSpace& exec, const Semiring& semiring, const Matrix& A, const Matrix& B,
            const SpgemmOptions& options = {}) {
  return Impl::SpgemmOneCall::multiply_in(exec, semiring, A, B, options);
}
template <class ExecutionSpace, Impl::CrsMatrixType Matrix, SemiringOf<typename Matrix::non_const_value_type> Semiring>
requires Kokkos::is_execution_space_v<ExecutionSpace>
auto spgemm(const ExecutionSpace& exec, const Semiring& semiring, const Matrix& A, const Matrix& B,
            const SpgemmMask<Matrix>& mask, const SpgemmOptions& options = {}) {
  return Impl::SpgemmOneCall::multiply_in<true>(exec, semiring, A, B, options, &mask);
}
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace>
auto spgemm(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const SpgemmMask<Matrix>& mask,
            const SpgemmOptions& options = {}) {
  return Impl::SpgemmOneCall::multiply<true>(exec, A, B, options, &mask);
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix, SemiringOf<typename Matrix::non_const_value_type> Semiring>
auto spgemm(const Semiring& semiring, const Matrix& A, const Matrix& B, const SpgemmOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "spgemm", [&](const auto& exec) { return spgemm(exec, semiring, A, B, options); });
}
template <Impl::CrsMatrixType Matrix, SemiringOf<typename Matrix::non_const_value_type> Semiring>
auto spgemm(const Semiring& semiring, const Matrix& A, const Matrix& B, const SpgemmMask<Matrix>& mask,
            const SpgemmOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "spgemm", [&](const auto& exec) { return spgemm(exec, semiring, A, B, mask, options); });
}
template <Impl::CrsMatrixType Matrix>
auto spgemm(const Matrix& A, const Matrix& B, const SpgemmMask<Matrix>& mask, const SpgemmOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "spgemm", [&](const auto& exec) { return spgemm(exec, A, B, mask, options); });
}
template <Impl::CrsMatrixType Matrix>
auto spgemm(const Matrix& A, const Matrix& B, const SpgemmOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "spgemm", [&](const auto& exec) { return spgemm(exec, A, B, options); });
}

}  // namespace lacuna

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMM_HPP
#define LACUNA_SPGEMM_HPP

#include <Lacuna_Semirings.hpp>
#include <Lacuna_SpgemmMask.hpp>
#include <Lacuna_SpgemmPlan.hpp>

#include <type_traits>

/// \file
/// \brief C = alpha op(A) op(B) for sparse A, B and C, all of them CSR.
///
///     lacuna::SpgemmPlan plan(exec, A, B);    // counts the nonzeros of C
///     auto C = plan.allocate(exec);
///     lacuna::spgemm(exec, plan, 1.0, A, B, C);  // again and again, with new values of the same patterns
///
/// C = alpha op(A) op(B) + beta D: `SpgemmPlan plan(exec, A, B, D)`, `spgemm(exec, plan, alpha, A, B, beta, D, C)`.
/// Only some places of C: `SpgemmPlan plan(exec, A, B, within(M))`, or `outside(M)`; with D, `(exec, A, B, D,
/// within(M))`. Other sums and products: `spgemm(exec, plan, MinPlus<double>{}, A, B, C)`; the plan is the same.
///
/// On GPUs plans work in memory that is kept between calls; `keep_memory_of_results(true)` keeps that of C as well,
/// which is half of the time of small products (Lacuna_MemoryPool.hpp).

namespace lacuna {

namespace Impl {
/// Options of a plan for one call.
inline SpgemmOptions for_one_call(SpgemmOptions options) {
  options.keep_products  = false;
  options.expected_calls = 0;  // none but the one that the plan is made for
  return options;
}

/// What a scalar of the matrix can be made of.
template <class Factor, class Matrix>
concept FactorOf = std::is_convertible_v<Factor, typename Matrix::non_const_value_type> ||
    std::is_constructible_v<typename Matrix::non_const_value_type, Factor>;
}  // namespace Impl

/// \brief C = alpha op(A) op(B), with the columns and the values of C written anew (where the plan keeps products, the
/// values).
///
/// \param[in] exec  all work goes to this instance. Nothing fences, nothing is allocated.
/// \param[in] plan  made for matrices of the pattern of A and B, and their ops.
/// \param[in] alpha anything that converts to the scalar of A. alpha == 0 stores zeros in the pattern of C.
/// \param[in] A, B  their values may differ from those that the plan was made with, their patterns must not.
/// \param[in,out] C from `SpgemmPlan::allocate` of this plan; rows sorted by column. Must not share memory with A or B.
/// \throws DimensionMismatch (extents of A, B or C), InvalidArgument (another number of nonzeros than the plan's, or a
/// C of another plan); C is then untouched.
template <class ExecutionSpace, class Matrix, bool masked, class Alpha>
requires Kokkos::is_execution_space_v<ExecutionSpace> && Impl::FactorOf<Alpha, Matrix>
void spgemm(const ExecutionSpace& exec, const SpgemmPlan<Matrix, ExecutionSpace, masked>& plan, const Alpha& alpha,
            const Matrix& A, const Matrix& B, const Impl::OwningCrs<Matrix>& C) {
  plan.apply(exec, static_cast<typename Matrix::non_const_value_type>(alpha), A, B, C);
}

/// \brief c_ij = the sum over k of a_ik b_kj, with the sums and products of a semiring (Lacuna_Semirings.hpp), in the
/// pattern that C has for the usual ones: any plan without D serves any semiring. alpha, beta and D belong to the usual
/// sums. Duplicates in A and B are terms of their own. Everything else as above.
template <class ExecutionSpace, class Matrix, bool masked, SemiringOf<typename Matrix::non_const_value_type> Semiring>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spgemm(const ExecutionSpace& exec, const SpgemmPlan<Matrix, ExecutionSpace, masked>& plan,
            const Semiring& semiring, const Matrix& A, const Matrix& B, const Impl::OwningCrs<Matrix>& C) {
  plan.apply(exec, semiring, A, B, C);
}

/// \brief C = alpha op(A) op(B) + beta D in one pass, for a plan that was made with D. D has the shape of C and any
/// pattern, which must be that of the plan's D; its values are not read where beta == 0, those of A and B not where
/// alpha == 0. Under a mask (a plan of A, B, D and the mask) D counts at the places of the mask alone, like the
/// product. Everything else as above.
///
/// A plan that was made without D serves a D whose nonzeros all have a place in the product (under a mask, in what the
/// mask left of it): they are added in a second
/// pass, and unless beta == 0 the call waits to know that all found theirs. \throws InvalidArgument where some did not:
/// C then holds the sum without them.
template <class ExecutionSpace, class Matrix, bool masked, class Alpha, class Beta>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spgemm(const ExecutionSpace& exec, const SpgemmPlan<Matrix, ExecutionSpace, masked>& plan, const Alpha& alpha,
            const Matrix& A, const Matrix& B, const Beta& beta, const Matrix& D, const Impl::OwningCrs<Matrix>& C) {
  using Scalar = typename Matrix::non_const_value_type;
  plan.apply(exec, static_cast<Scalar>(alpha), A, B, static_cast<Scalar>(beta), D, C);
}

/// \brief The same on the default instance, fenced before and after.
template <class Matrix, class ExecutionSpace, bool masked, class Alpha, class Beta>
void spgemm(const SpgemmPlan<Matrix, ExecutionSpace, masked>& plan, const Alpha& alpha, const Matrix& A,
            const Matrix& B, const Beta& beta, const Matrix& D, const Impl::OwningCrs<Matrix>& C) {
  Impl::with_default_instance<ExecutionSpace>(
      "spgemm", [&](const ExecutionSpace& exec) { spgemm(exec, plan, alpha, A, B, beta, D, C); });
}

/// \brief The same on the default instance, fenced before and after; `alpha` may be a semiring.
template <class Matrix, class ExecutionSpace, bool masked, class Alpha>
void spgemm(const SpgemmPlan<Matrix, ExecutionSpace, masked>& plan, const Alpha& alpha, const Matrix& A,
            const Matrix& B, const Impl::OwningCrs<Matrix>& C) {
  Impl::with_default_instance<ExecutionSpace>("spgemm",
                                              [&](const ExecutionSpace& exec) { spgemm(exec, plan, alpha, A, B, C); });
}

/// \brief op(A) op(B) in one call: a plan, its matrix, its values. Waits for the counts of the plan. Errors and
/// determinism are those of the plan. On GPUs the arrays of C share one allocation, which is freed with the last of
/// them.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace>
auto spgemm(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const SpgemmOptions& options = {}) {
  Impl::SpgemmCall<typename ExecutionSpace::memory_space> call;
  SpgemmPlan<Matrix, ExecutionSpace> plan(exec, A, B, Impl::for_one_call(options), call);
  auto C = plan.take_result(exec);
  plan.apply(exec, typename Matrix::non_const_value_type(1), A, B, C, true);
  return C;
}

/// \brief The same with a semiring, at the places of a mask, or both.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix, SemiringOf<typename Matrix::non_const_value_type> Semiring>
requires Kokkos::is_execution_space_v<ExecutionSpace>
auto spgemm(const ExecutionSpace& exec, const Semiring& semiring, const Matrix& A, const Matrix& B,
            const SpgemmOptions& options = {}) {
  Impl::SpgemmCall<typename ExecutionSpace::memory_space> call;
  SpgemmPlan<Matrix, ExecutionSpace> plan(exec, A, B, Impl::for_one_call(options), call);
  auto C = plan.take_result(exec);
  plan.apply(exec, semiring, A, B, C);
  return C;
}
template <class ExecutionSpace, Impl::CrsMatrixType Matrix, SemiringOf<typename Matrix::non_const_value_type> Semiring>
requires Kokkos::is_execution_space_v<ExecutionSpace>
auto spgemm(const ExecutionSpace& exec, const Semiring& semiring, const Matrix& A, const Matrix& B,
            const SpgemmMask<Matrix>& mask, const SpgemmOptions& options = {}) {
  Impl::SpgemmCall<typename ExecutionSpace::memory_space> call;
  SpgemmPlan<Matrix, ExecutionSpace, true> plan(exec, A, B, mask, Impl::for_one_call(options), call);
  auto C = plan.take_result(exec);
  plan.apply(exec, semiring, A, B, C);
  return C;
}
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace>
auto spgemm(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const SpgemmMask<Matrix>& mask,
            const SpgemmOptions& options = {}) {
  Impl::SpgemmCall<typename ExecutionSpace::memory_space> call;
  SpgemmPlan<Matrix, ExecutionSpace, true> plan(exec, A, B, mask, Impl::for_one_call(options), call);
  auto C = plan.take_result(exec);
  plan.apply(exec, typename Matrix::non_const_value_type(1), A, B, C, true);
  return C;
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

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPADD_HPP
#define LACUNA_SPADD_HPP

#include <Lacuna_CrsOf.hpp>
#include <Lacuna_SpaddOptions.hpp>
#include <Lacuna_SpaddPlan.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <core/impl/memory/Lacuna_HugePages.hpp>
#include <kernels/spadd/impl/Lacuna_SpaddMerge.hpp>
#include <kernels/spadd/impl/Lacuna_SpaddSums.hpp>

/// \file
/// \brief C = alpha A + beta B for sparse A, B and C, all of them CSR.
///
///     auto C = lacuna::spadd(exec, 1.0, A, -1.0, B);
///
///     lacuna::SpaddPlan plan(exec, A, B);             // finds the pattern of C
///     auto C = plan.allocate(exec);
///     lacuna::spadd(exec, plan, 1.0, A, -1.0, B, C);  // again and again, with new values of the same patterns
///
/// The sum of a product and a matrix, alpha op(A) op(B) + beta D, is one operation of `spgemm`.

namespace lacuna {

/// \brief C = alpha A + beta B with a plan. Writes the values of C. Allocates nothing, does not fence, and has the same
/// bits on every run. Element c_ij is alpha a_ij + beta b_ij, where compilers may fuse a product with the sum, or one
/// of the two products where A or B has no such element.
///
/// \param[in] exec  runs all work
/// \param[in] plan  made for the patterns of A and B
/// \param[in] alpha, beta anything that converts to the scalar of A. Where one is 0, values of its matrix are not read,
///     and count as 0.
/// \param[in] A, B  may have other values than the plan was made with, but the same patterns; A may be B
/// \param[in,out] C from `SpaddPlan::allocate` of this plan; its values must not share memory with those of A or B.
/// \throws DimensionMismatch, InvalidArgument where A, B or C is not of the plan, or C shares memory. C is then
/// unchanged.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix, class Alpha, class Beta>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spadd(const ExecutionSpace& exec, const SpaddPlan<Matrix, ExecutionSpace>& plan, const Alpha& alpha,
           const Matrix& A, const Beta& beta, const Matrix& B, const CrsOf<Matrix>& C) {
  using Scalar = typename Matrix::non_const_value_type;
  plan.apply(exec, Impl::to_scalar<Scalar>(alpha), A, Impl::to_scalar<Scalar>(beta), B, C);
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace, class Alpha, class Beta>
void spadd(const SpaddPlan<Matrix, ExecutionSpace>& plan, const Alpha& alpha, const Matrix& A, const Beta& beta,
           const Matrix& B, const CrsOf<Matrix>& C) {
  Impl::with_default_instance<ExecutionSpace>(
      "spadd", [&](const ExecutionSpace& exec) { spadd(exec, plan, alpha, A, beta, B, C); });
}

/// \brief alpha A + beta B in one call, which finds the pattern of C and computes its values. Waits for `exec`. Rows of
/// A and B may be in any order and have duplicates, see `SpaddPlan`; rows of C ascend strictly.
/// Deterministic.
/// \throws DimensionMismatch, OutOfMemory; NotSupported where C has more nonzeros than the offset type can count.
template <class ExecutionSpace, class Alpha, Impl::CrsMatrixType Matrix, class Beta>
requires Kokkos::is_execution_space_v<ExecutionSpace> CrsOf<Matrix> spadd(const ExecutionSpace& exec,
                                                                          const Alpha& alpha, const Matrix& A,
                                                                          const Beta& beta, const Matrix& B,
                                                                          const SpaddOptions& options = {}) {
  using Crs    = CrsOf<Matrix>;
  using Arrays = Impl::CrsArraysOf<Matrix>;
  using Scalar = typename Arrays::Scalar;
  return Impl::in_region("spadd", [&] {
    Impl::check_spadd("spadd", A, B);
    Impl::MemoryBudget budget("spadd", options.memory_limit);
    Impl::SpaddOperand<Matrix> kept_of_a, kept_of_b;
    const Impl::SpaddMerge<Matrix, ExecutionSpace> merge(exec, A, kept_of_a, B, kept_of_b, budget);
    using Entries      = typename Crs::index_type::non_const_type;
    using Values       = typename Crs::values_type::non_const_type;
    const auto entries = Impl::allocate_result<Entries>("spadd", exec, "Lacuna::spadd::entries", merge.nonzeros());
    const auto values  = Impl::allocate_result<Values>("spadd", exec, "Lacuna::spadd::values", merge.nonzeros());
    Impl::advise_huge_pages(entries);
    Impl::advise_huge_pages(values);
    Impl::write_sums(exec, merge, Impl::to_scalar<Scalar>(alpha), Impl::to_scalar<Scalar>(beta), entries.data(),
                     values.data());
    return Crs("C", A.numRows(), A.numCols(), static_cast<typename Arrays::Offset>(merge.nonzeros()), values,
               merge.row_map(), entries);
  });
}

/// \brief The same on the default instance, fenced before and after.
template <class Alpha, Impl::CrsMatrixType Matrix, class Beta>
requires(!Kokkos::is_execution_space_v<Alpha>) CrsOf<Matrix> spadd(const Alpha& alpha, const Matrix& A,
                                                                   const Beta& beta, const Matrix& B,
                                                                   const SpaddOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "spadd", [&](const auto& exec) { return spadd(exec, alpha, A, beta, B, options); });
}

}  // namespace lacuna

#endif

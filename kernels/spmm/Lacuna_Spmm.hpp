// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_HPP
#define LACUNA_SPMM_HPP

#include <Lacuna_SpmmPlan.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/rows/Lacuna_RowsOneShot.hpp>

#include <string>

/// \file
/// \brief Sparse matrix times dense matrix: C = alpha op(A) B + beta C.

namespace lacuna {

/// \brief Computes C = alpha op(A) B + beta C with the storage and the kernel that `plan` chose.
///
/// \param[in] exec all work goes to this instance. The function allocates nothing and does not fence.
/// \param[in] plan made for A and op
/// \param[in] alpha, beta anything that converts to the scalar of A (to float where A has half precision). beta == 0
///     stores: NaN and Inf in C vanish.
/// \param[in] B rank-2 View, columns of op(A) × N, any layout and strides, any N from 0
/// \param[in,out] C rank-2 View, rows of op(A) × N, any layout and strides; must share no element with B. Its scalar is
///     that of A; where A has half precision it may be float. Rows, columns and blocks of one larger View that share no
///     element may be both B and C. Blocks of unrelated strides that interleave, with more than 64 pairs of rows or
///     columns, are taken to overlap.
///
/// alpha, beta, B, C, N and the instance may change from call to call. New values of A need `SpmmPlan::update_values`.
/// Row-major B and C whose rows begin at multiples of 16 bytes are fastest. A plan that is not `shareable` must not run
/// on two instances at once.
///
/// Deterministic: the same bits from run to run on the same device. The one exception is `hrpb` by name where it
/// cuts panels; set `SpmmOptions::deterministic` to avoid it.
/// \throws DimensionMismatch where the extents of B or C are wrong
/// \throws InvalidArgument where B and C share an element, or two elements of C are the same
/// \throws NotSupported where rows of B are 2 GiB or more apart
///
/// An exception leaves C untouched, unless it is one of the vendor's library behind `dense` (Lacuna_Error.hpp).
template <class ExecutionSpace, class Matrix, class Operation, class Alpha, class BView, class Beta, class CView>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmm(const ExecutionSpace& exec, const SpmmPlan<Matrix, ExecutionSpace, Operation>& plan, const Alpha& alpha,
          const BView& B, const Beta& beta, const CView& C) {
  static_assert(Impl::is_accessible<ExecutionSpace, BView, CView>,
                "lacuna::spmm: B and C must be accessible from the execution space");
  using Scalar = typename SpmmPlan<Matrix, ExecutionSpace, Operation>::value_type;
  plan.apply(exec, Impl::make_block_arguments<Scalar>(alpha, B, beta, C, plan.rows(), plan.columns()));
}

/// \brief The same on the default instance, fenced before and after.
template <class Matrix, class ExecutionSpace, class Operation, class Alpha, class BView, class Beta, class CView>
void spmm(const SpmmPlan<Matrix, ExecutionSpace, Operation>& plan, const Alpha& alpha, const BView& B, const Beta& beta,
          const CView& C) {
  Impl::with_default_instance<ExecutionSpace>("spmm",
                                              [&](const ExecutionSpace& exec) { spmm(exec, plan, alpha, B, beta, C); });
}

/// \brief Computes C = alpha A B + beta C without a plan: no set-up, no allocation, no fence.
///
/// \param[in] A a `KokkosSparse::CrsMatrix`. Rows may be in any order and entries may occur more than once.
/// \param[in] exec, alpha, B, beta as with a plan
/// \param[in,out] C as with a plan
///
/// Errors and determinism are those of the call with a plan.
///
/// On a GPU a subwarp takes each short row, and teams search equal shares of the long ones; on a host the threads share
/// rows by nonzeros. A very long row keeps few teams of a GPU busy. A plan divides such rows among teams.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix, class Alpha, class BView, class Beta, class CView>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmm(const ExecutionSpace& exec, const Alpha& alpha, const Matrix& A, const BView& B, const Beta& beta,
          const CView& C) {
  static_assert(Impl::is_accessible<ExecutionSpace, typename Matrix::values_type, BView, CView>,
                "lacuna::spmm: A, B and C must be accessible from the execution space");
  const auto region = [] { return std::string("Lacuna::spmm[one_shot,full]"); };
  Impl::in_region("spmm", region, [&] {
    const auto arguments = Impl::make_block_arguments<typename Matrix::non_const_value_type>(
        alpha, B, beta, C, static_cast<std::int64_t>(A.numRows()), static_cast<std::int64_t>(A.numCols()));
    const auto arrays = Impl::arrays_of(A);
    if (Impl::spmm_without_product(exec, arguments, static_cast<std::int64_t>(arrays.nonzeros))) return;
    Impl::spmm_one_shot(exec, arrays, arguments);
  });
}

/// \brief The same for an `HmMatrix` or a `CdmMatrix`. A plan would not be faster.
/// \throws InvalidMatrix where the lists of A contradict its extents
template <class ExecutionSpace, Impl::DiagonalMatrixType Matrix, class Alpha, class BView, class Beta, class CView>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmm(const ExecutionSpace& exec, const Alpha& alpha, const Matrix& A, const BView& B, const Beta& beta,
          const CView& C) {
  static_assert(Impl::is_accessible<ExecutionSpace, decltype(A.list), BView, CView>,
                "lacuna::spmm: A, B and C must be accessible from the execution space");
  const auto region = [] { return std::string("Lacuna::spmm[one_shot,full]"); };
  Impl::in_region("spmm", region, [&] {
    const auto arguments = Impl::make_block_arguments<typename Matrix::Scalar>(
        alpha, B, beta, C, static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(A.columns));
    Impl::check_lengths("spmm", "A", A);
    if (Impl::spmm_without_product(exec, arguments, static_cast<std::int64_t>(A.list.extent(0)))) return;
    Impl::diagonal_times_block(exec, "Lacuna::spmm::diagonals", Impl::walk_of(Op::none, A), Impl::NoExactRow{},
                               arguments);
  });
}

/// \brief The same for a `GcooMatrix`, by the published Algorithm 2 on A as it stands: nothing is made of A, and no CSR
/// matrix is needed on the way from a dense matrix (`to_gcoo`).
///
/// A has groups of p rows, p from 1 to 32. A team has b columns of C, a thread each: as many as C has, rounded up to
/// 32, at most 128. Threads read neighbouring elements of a row of B, so a row-major B is much faster. Products with
/// elements that A does not store are not made. For more speed make a plan of the matrix in CSR (SpmmPlan).
/// \throws NotSupported where groups are of columns, or of more than 32 rows; InvalidMatrix where extents of arrays of
/// A contradict each other (`validate` looks at what they hold)
template <class ExecutionSpace, Impl::GcooMatrixType Matrix, class Alpha, class BView, class Beta, class CView>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmm(const ExecutionSpace& exec, const Alpha& alpha, const Matrix& A, const BView& B, const Beta& beta,
          const CView& C) {
  static_assert(Impl::is_accessible<ExecutionSpace, decltype(A.values), BView, CView>,
                "lacuna::spmm: A, B and C must be accessible from the execution space");
  const auto region = [] { return std::string("Lacuna::spmm[gcoo,full]"); };
  Impl::in_region("spmm", region, [&] {
    const auto arguments = Impl::make_block_arguments<typename Matrix::Scalar>(
        alpha, B, beta, C, static_cast<std::int64_t>(A.numRows()), static_cast<std::int64_t>(A.numCols()));
    Impl::check_gcoo_operand("spmm", A);
    if (Impl::spmm_without_product(exec, arguments, static_cast<std::int64_t>(A.nonzeros()))) return;
    Impl::spmm_gcoo(exec, A, arguments, Impl::SpmmGcooPolicy::threads_for(arguments.C.columns));
  });
}

/// \brief The same on the default instance, fenced before and after.
template <class Alpha, Impl::GcooMatrixType Matrix, class BView, class Beta, class CView>
requires(!Kokkos::is_execution_space_v<Alpha>) void spmm(const Alpha& alpha, const Matrix& A, const BView& B,
                                                         const Beta& beta, const CView& C) {
  Impl::with_default_instance<typename Matrix::execution_space>(
      "spmm", [&](const auto& exec) { spmm(exec, alpha, A, B, beta, C); });
}

/// \brief The same on the default instance, fenced before and after.
template <class Alpha, Impl::PlannedMatrixType Matrix, class BView, class Beta, class CView>
requires(!Kokkos::is_execution_space_v<Alpha>) void spmm(const Alpha& alpha, const Matrix& A, const BView& B,
                                                         const Beta& beta, const CView& C) {
  Impl::with_default_instance<typename Matrix::execution_space>(
      "spmm", [&](const auto& exec) { spmm(exec, alpha, A, B, beta, C); });
}

}  // namespace lacuna

#endif

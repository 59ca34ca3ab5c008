// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_HPP
#define LACUNA_SPMM_HPP

#include <Lacuna_SpmmPlan.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/rows/Lacuna_RowsOneShot.hpp>

/// \file
/// \brief C = alpha op(A) B + beta C for a sparse A and dense B and C.

namespace lacuna {

/// \brief C = alpha op(A) B + beta C with the storage and the kernel that `plan` chose.
///
/// \param[in] exec  all work goes to this instance. Nothing fences.
/// \param[in] plan  made for A and op. Its set-up is never done here.
/// \param[in] alpha, beta  anything that converts to the scalar of A (float where that is half precision). beta == 0
///                  stores: NaN and Inf in C vanish.
/// \param[in] B     rank-2 View, columns of op(A) × N, any layout and strides, N from 0.
/// \param[in,out] C rank-2 View, rows of op(A) × N, any layout and strides, of the scalar of A or, where that is half
///                  precision, of float; must not overlap B. Rows and columns of one larger View may be both B and C.
///
/// alpha, beta, B, C, N and the instance may change from call to call; for new values of A see
/// `SpmmPlan::update_values`. Row-major B and C with rows that start at multiples of 16 bytes are fastest.
/// Deterministic: the same bits from run to run on the same device. Only hrpb, where it cuts panels, must be asked for
/// it (`SpmmOptions::deterministic`).
/// \throws DimensionMismatch, InvalidArgument (B and C overlap), NotSupported (rows of B 2 GiB or more apart); C is
/// then untouched.
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

/// \brief C = alpha A B + beta C in one call: no set-up, no allocation, no fence.
///
/// On a GPU a part of a warp takes each short row, and teams find equal shares of long rows by themselves; hosts
/// balance rows by nonzeros. A row of tens of thousands of nonzeros keeps a few teams of a GPU busy (see
/// Lacuna_RowsOneShot.hpp); a plan would divide it between all. Parameters, errors and determinism as above.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix, class Alpha, class BView, class Beta, class CView>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmm(const ExecutionSpace& exec, const Alpha& alpha, const Matrix& A, const BView& B, const Beta& beta,
          const CView& C) {
  static_assert(Impl::is_accessible<ExecutionSpace, typename Matrix::values_type, BView, CView>,
                "lacuna::spmm: A, B and C must be accessible from the execution space");
  const auto arguments = Impl::make_block_arguments<typename Matrix::non_const_value_type>(
      alpha, B, beta, C, static_cast<std::int64_t>(A.numRows()), static_cast<std::int64_t>(A.numCols()));
  const Impl::Region region([] { return std::string("Lacuna::spmm[one_shot,full]"); });
  const auto arrays = Impl::arrays_of(A);
  if (Impl::spmm_without_product(exec, arguments, static_cast<std::int64_t>(arrays.nonzeros))) return;
  Impl::spmm_one_shot(exec, arrays, arguments);
}

/// \brief The same of a matrix in HM or CDM, which needs no plan: one would do no more.
template <class ExecutionSpace, Impl::DiagonalMatrixType Matrix, class Alpha, class BView, class Beta, class CView>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmm(const ExecutionSpace& exec, const Alpha& alpha, const Matrix& A, const BView& B, const Beta& beta,
          const CView& C) {
  static_assert(Impl::is_accessible<ExecutionSpace, decltype(A.list), BView, CView>,
                "lacuna::spmm: A, B and C must be accessible from the execution space");
  const auto arguments = Impl::make_block_arguments<typename Matrix::Scalar>(
      alpha, B, beta, C, static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(A.columns));
  Impl::check_lengths("spmm", "A", A);
  const Impl::Region region([] { return std::string("Lacuna::spmm[one_shot,full]"); });
  if (Impl::spmm_without_product(exec, arguments, static_cast<std::int64_t>(A.list.extent(0)))) return;
  Impl::diagonal_times_block(exec, "Lacuna::spmm::diagonals", Impl::walk_of(Op::none, A), Impl::NoExactRow{},
                             arguments);
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

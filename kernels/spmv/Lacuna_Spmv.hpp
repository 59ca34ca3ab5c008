// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_HPP
#define LACUNA_SPMV_HPP

#include <Lacuna_SpmvPlan.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <kernels/spmv/shared/Lacuna_MakeSpmvArguments.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvOneShot.hpp>

#include <string>

/// \file
/// \brief Sparse matrix times vector: y = alpha op(A) x + beta y.

namespace lacuna {

/// \brief Computes y = alpha op(A) x + beta y with the storage and the kernel that `plan` chose.
///
/// \param[in] exec all work goes to this instance. The function allocates nothing and does not fence.
/// \param[in] plan made for A and op
/// \param[in] alpha, beta anything that converts to the scalar of A. beta == 0 stores: NaN and Inf in y vanish.
/// \param[in] x rank-1 View, any stride, extent = columns of op(A)
/// \param[in,out] y rank-1 View, any stride, extent = rows of op(A); must share no element with x. Rows and columns of
///     one larger View that share none may be both x and y
///
/// alpha, beta, x, y and the instance may change from call to call. New values of A need `SpmvPlan::update_values`. A
/// plan that is not `shareable` must not run on two instances at once.
///
/// Deterministic: the same bits from run to run on the same device.
/// \throws DimensionMismatch where the extent of x or y is wrong
/// \throws InvalidArgument where x and y share an element, or y has stride 0
/// \throws NotSupported where neighbouring elements of x or y are 2 GiB or more apart
///
/// An exception leaves y untouched.
template <class ExecutionSpace, class Matrix, class Operation, class Alpha, class X, class Beta, class Y>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmv(const ExecutionSpace& exec, const SpmvPlan<Matrix, ExecutionSpace, Operation>& plan, const Alpha& alpha,
          const X& x, const Beta& beta, const Y& y) {
  static_assert(Impl::is_accessible<ExecutionSpace, X, Y>,
                "lacuna::spmv: x and y must be accessible from the execution space");
  const auto arguments = Impl::make_vector_arguments<typename SpmvPlan<Matrix, ExecutionSpace, Operation>::value_type>(
      alpha, x, beta, y, plan.rows(), plan.columns());
  plan.apply(exec, arguments);
}

/// \brief The same on the default instance, fenced before and after.
template <class Matrix, class ExecutionSpace, class Operation, class Alpha, class X, class Beta, class Y>
void spmv(const SpmvPlan<Matrix, ExecutionSpace, Operation>& plan, const Alpha& alpha, const X& x, const Beta& beta,
          const Y& y) {
  const ExecutionSpace exec;
  exec.fence("Lacuna::spmv: before");
  spmv(exec, plan, alpha, x, beta, y);
  exec.fence("Lacuna::spmv: after");
}

/// \brief Computes y = alpha A x + beta y without a plan: no set-up, no allocation, no fence.
///
/// \param[in] A a `KokkosSparse::CrsMatrix`. Rows may be in any order and entries may occur more than once.
/// \param[in] exec, alpha, x, beta as with a plan
/// \param[in,out] y as with a plan
///
/// Errors and determinism are those of the call with a plan.
///
/// On a GPU the teams search equal shares of rows and nonzeros in the row map; on a host the threads do. Uneven rows
/// cost no more than even ones, with one exception: one team of a GPU computes the whole of a very long row. A plan
/// divides such rows among teams.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix, class Alpha, class X, class Beta, class Y>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmv(const ExecutionSpace& exec, const Alpha& alpha, const Matrix& A, const X& x, const Beta& beta, const Y& y) {
  static_assert(Impl::is_accessible<ExecutionSpace, typename Matrix::values_type, X, Y>,
                "lacuna::spmv: A, x and y must be accessible from the execution space");
  const auto region = [] { return std::string("Lacuna::spmv[one_shot,full]"); };
  Impl::in_region("spmv", region, [&] {
    const auto arguments = Impl::make_vector_arguments<typename Matrix::non_const_value_type>(
        alpha, x, beta, y, static_cast<std::int64_t>(A.numRows()), static_cast<std::int64_t>(A.numCols()));
    if (Impl::spmv_without_product(exec, arguments, A.numRows(), Impl::arrays_of(A).nonzeros)) return;
    Impl::spmv_one_shot(exec, Impl::arrays_of(A), arguments);
  });
}

/// \brief The same for an `HmMatrix` or a `CdmMatrix`. A plan would not be faster.
/// \throws InvalidMatrix where the lists of A contradict its extents
template <class ExecutionSpace, Impl::DiagonalMatrixType Matrix, class Alpha, class X, class Beta, class Y>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmv(const ExecutionSpace& exec, const Alpha& alpha, const Matrix& A, const X& x, const Beta& beta, const Y& y) {
  static_assert(Impl::is_accessible<ExecutionSpace, decltype(A.list), X, Y>,
                "lacuna::spmv: A, x and y must be accessible from the execution space");
  const auto region = [] { return std::string("Lacuna::spmv[one_shot,full]"); };
  Impl::in_region("spmv", region, [&] {
    const auto rows = static_cast<std::int64_t>(A.rows), columns = static_cast<std::int64_t>(A.columns);
    const auto arguments = Impl::make_vector_arguments<typename Matrix::Scalar>(alpha, x, beta, y, rows, columns);
    Impl::check_lengths("spmv", "A", A);
    if (Impl::spmv_without_product(exec, arguments, rows, static_cast<std::int64_t>(A.list.extent(0)))) return;
    Impl::diagonal_times_block(exec, "Lacuna::spmv::diagonals", Impl::walk_of(Op::none, A), Impl::NoExactRow{},
                               Impl::as_block(arguments, rows, columns));
  });
}

/// \brief The same on the default instance, fenced before and after.
template <class Alpha, Impl::PlannedMatrixType Matrix, class X, class Beta, class Y>
requires(!Kokkos::is_execution_space_v<Alpha>) void spmv(const Alpha& alpha, const Matrix& A, const X& x,
                                                         const Beta& beta, const Y& y) {
  const typename Matrix::execution_space exec;
  exec.fence("Lacuna::spmv: before");
  spmv(exec, alpha, A, x, beta, y);
  exec.fence("Lacuna::spmv: after");
}

}  // namespace lacuna

#endif

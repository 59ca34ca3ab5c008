// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_HPP
#define LACUNA_SPMV_HPP

#include <Lacuna_SpmvPlan.hpp>
#include <kernels/spmv/shared/Lacuna_MakeSpmvArguments.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvOneShot.hpp>

#include <string>

/// \file
/// \brief y = alpha op(A) x + beta y for a sparse A.

namespace lacuna {

/// \brief y = alpha op(A) x + beta y with the storage and the kernel that `plan` chose.
///
/// \param[in] exec  all work goes to this instance. Nothing fences.
/// \param[in] plan  made for A and op. Its set-up is never done here.
/// \param[in] alpha, beta  anything that converts to the scalar of A. beta == 0 stores: NaN and Inf in y vanish.
/// \param[in] x     rank-1 View, any stride, extent = columns of op(A).
/// \param[in,out] y rank-1 View, any stride, extent = rows of op(A); must not overlap x.
///
/// alpha, beta, x, y and the instance may change from call to call; for new values of A see `SpmvPlan::update_values`.
/// A plan that splits long rows (see `SpmvPlan::report`) must not run on two instances at once.
/// Deterministic: the same bits from run to run on the same device.
/// \throws DimensionMismatch, InvalidArgument (x and y overlap, or y has stride 0), NotSupported (elements of x or y 2
/// GiB or more apart); y is then untouched.
template <class ExecutionSpace, class Matrix, class Alpha, class X, class Beta, class Y>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmv(const ExecutionSpace& exec, const SpmvPlan<Matrix, ExecutionSpace>& plan, const Alpha& alpha, const X& x,
          const Beta& beta, const Y& y) {
  static_assert(Impl::is_accessible<ExecutionSpace, X, Y>,
                "lacuna::spmv: x and y must be accessible from the execution space");
  const auto arguments = Impl::make_vector_arguments<typename SpmvPlan<Matrix, ExecutionSpace>::value_type>(
      alpha, x, beta, y, plan.rows(), plan.columns());
  plan.apply(exec, arguments);
}

/// \brief The same on the default instance, fenced before and after.
template <class Matrix, class ExecutionSpace, class Alpha, class X, class Beta, class Y>
void spmv(const SpmvPlan<Matrix, ExecutionSpace>& plan, const Alpha& alpha, const X& x, const Beta& beta, const Y& y) {
  const ExecutionSpace exec;
  exec.fence("Lacuna::spmv: before");
  spmv(exec, plan, alpha, x, beta, y);
  exec.fence("Lacuna::spmv: after");
}

/// \brief y = alpha A x + beta y in one call: no set-up, no allocation, no fence.
///
/// Teams of a GPU search equal shares of rows and nonzeros by themselves, hosts balance rows by nonzeros: uneven rows
/// cost no more than even ones, but a row of hundreds of thousands of nonzeros keeps one team of a GPU busy (see
/// Lacuna_SpmvOneShot.hpp), which a plan would share out. Parameters, errors and determinism as above.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix, class Alpha, class X, class Beta, class Y>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmv(const ExecutionSpace& exec, const Alpha& alpha, const Matrix& A, const X& x, const Beta& beta, const Y& y) {
  static_assert(Impl::is_accessible<ExecutionSpace, typename Matrix::values_type, X, Y>,
                "lacuna::spmv: A, x and y must be accessible from the execution space");
  const auto arguments = Impl::make_vector_arguments<typename Matrix::non_const_value_type>(
      alpha, x, beta, y, static_cast<std::int64_t>(A.numRows()), static_cast<std::int64_t>(A.numCols()));
  const Kokkos::Profiling::ScopedRegion region("Lacuna::spmv[one_shot,full]");
  if (Impl::spmv_without_product(exec, arguments, A.numRows(), Impl::arrays_of(A).nonzeros)) return;
  Impl::spmv_one_shot(exec, Impl::arrays_of(A), arguments);
}

/// \brief The same of a matrix in HM or CDM, which needs no plan: one would do no more.
template <class ExecutionSpace, Impl::DiagonalMatrixType Matrix, class Alpha, class X, class Beta, class Y>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void spmv(const ExecutionSpace& exec, const Alpha& alpha, const Matrix& A, const X& x, const Beta& beta, const Y& y) {
  static_assert(Impl::is_accessible<ExecutionSpace, decltype(A.list), X, Y>,
                "lacuna::spmv: A, x and y must be accessible from the execution space");
  const auto rows = static_cast<std::int64_t>(A.rows), columns = static_cast<std::int64_t>(A.columns);
  const auto arguments = Impl::make_vector_arguments<typename Matrix::Scalar>(alpha, x, beta, y, rows, columns);
  Impl::check_lengths("spmv", "A", A);
  const Kokkos::Profiling::ScopedRegion region("Lacuna::spmv[one_shot,full]");
  if (Impl::spmv_without_product(exec, arguments, rows, static_cast<std::int64_t>(A.list.extent(0)))) return;
  Impl::diagonal_times_block(exec, "Lacuna::spmv::diagonals", Impl::walk_of(Op::none, A), Impl::NoExactRow{},
                             Impl::as_block(arguments, rows, columns));
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

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERTGCOO_HPP
#define LACUNA_CONVERTGCOO_HPP

#include <core/base/impl/Lacuna_Region.hpp>
#include <formats/impl/coo/Lacuna_Convert_Coo.hpp>
#include <formats/impl/gcoo/Lacuna_Convert_GcooDense.hpp>

/// \file
/// \brief Conversions to GCOO from CSR, coordinates and dense matrices, and from GCOO to coordinates.
///
/// Lacuna_Convert.hpp includes this header. It has `to_crs`, and says there what holds for all conversions.

namespace lacuna {

/// \brief Converts A to groups of rows or columns (GCOO). Rows come out sorted. Fences once; a few times more where
/// rows of A are not sorted, or groups are of columns.
/// \throws InvalidArgument for a `group_size` below 1
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
GcooOf<Matrix> to_gcoo(const ExecutionSpace& exec, const Matrix& A, const GcooOptions& options = {}) {
  return Impl::in_region("to_gcoo", [&] { return Impl::gcoo_from_crs(exec, A, options); });
}

/// \brief Converts coordinate storage to GCOO, by way of CSR. `memory_limit` counts the CSR matrix too. Fences as often
/// as `to_crs` and `to_gcoo` of CSR together.
/// \throws InvalidMatrix where rows of A are out of order or out of range, and what the two conversions throw
template <Impl::ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
GcooMatrix<S, O, D, F> to_gcoo(const ExecutionSpace& exec, const CooMatrix<S, O, D, F>& A,
                               const GcooOptions& options = {}) {
  return Impl::in_region("to_gcoo", [&] { return Impl::gcoo_by_crs(exec, A, options); });
}

/// \brief Converts GCOO to coordinate storage, by way of CSR. Rows come out in order; each keeps the order of its
/// group. Fences as often as `to_crs`.
template <Impl::ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
CooMatrix<S, O, D, F> to_coo(const ExecutionSpace& exec, const GcooMatrix<S, O, D, F>& A,
                             const CooOptions& options = {}) {
  return Impl::in_region("to_coo", [&] { return Impl::coo_from_crs(exec, Impl::crs_from(exec, A), options); });
}

/// \brief Converts a dense matrix to GCOO. Keeps the elements whose magnitude exceeds `threshold`, and NaN. Fences
/// once.
/// \tparam Ordinal, Offset index types of the result
/// \param[in] exec all work goes to this instance
/// \param[in] dense a View of rank 2 with any layout and strides
/// \param[in] options described with the format
/// \return a `GcooMatrix` with the scalar and device of the View
/// \throws InvalidArgument for a `group_size` below 1 or a `threshold` below 0
/// \throws NotSupported where the index types cannot count rows, columns or elements
template <class Ordinal = int, class Offset = int, Impl::ExecutionSpaceType ExecutionSpace, Impl::DenseViewType View>
auto to_gcoo(const ExecutionSpace& exec, const View& dense, const GcooOptions& options = {}) {
  using Format = GcooMatrix<typename View::non_const_value_type, Ordinal, typename View::device_type, Offset>;
  return Impl::in_region("to_gcoo", [&] { return Impl::gcoo_from_dense<Format>(exec, dense, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
GcooOf<Matrix> to_gcoo(const Matrix& A, const GcooOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_gcoo", [&](const auto& exec) { return to_gcoo(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <class S, class O, class D, class F>
GcooMatrix<S, O, D, F> to_gcoo(const CooMatrix<S, O, D, F>& A, const GcooOptions& options = {}) {
  return Impl::with_default_instance<typename D::execution_space>(
      "to_gcoo", [&](const auto& exec) { return to_gcoo(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <class S, class O, class D, class F>
CooMatrix<S, O, D, F> to_coo(const GcooMatrix<S, O, D, F>& A, const CooOptions& options = {}) {
  return Impl::with_default_instance<typename D::execution_space>(
      "to_coo", [&](const auto& exec) { return to_coo(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <class Ordinal = int, class Offset = int, Impl::DenseViewType View>
auto to_gcoo(const View& dense, const GcooOptions& options = {}) {
  return Impl::with_default_instance<typename View::execution_space>(
      "to_gcoo", [&](const auto& exec) { return to_gcoo<Ordinal, Offset>(exec, dense, options); });
}

}  // namespace lacuna

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERTGCOO_HPP
#define LACUNA_CONVERTGCOO_HPP

#include <formats/impl/coo/Lacuna_Convert_Coo.hpp>
#include <formats/impl/gcoo/Lacuna_Convert_GcooDense.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

/// \file
/// \brief To GCOO from CSR, coordinates and dense matrices, and to coordinates: a part of Lacuna_Convert.hpp, where it
/// stands what holds of all conversions. `to_crs` is there.

namespace lacuna {

/// \brief A in groups of rows or columns (GCOO). Rows that are not sorted come back sorted. Fences once; a few times
/// more where rows are not sorted, or groups are of columns. \throws InvalidArgument for a `group_size` below 1.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<GcooMatrix, Matrix> to_gcoo(const ExecutionSpace& exec, const Matrix& A,
                                           const GcooOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_gcoo");
  return Impl::gcoo_from_crs(exec, A, options);
}

/// \brief Coordinate storage in GCOO, by way of CSR, which counts in `memory_limit`. Fences as often as both ways do.
/// \throws InvalidMatrix where rows are out of order or out of range; what both ways throw.
template <Impl::ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
GcooMatrix<S, O, D, F> to_gcoo(const ExecutionSpace& exec, const CooMatrix<S, O, D, F>& A,
                               const GcooOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_gcoo");
  return Impl::gcoo_by_crs(exec, A, options);
}

/// \brief GCOO in coordinate storage, by way of CSR: rows in order, each as it stands in its group. Fences as `to_crs`.
template <Impl::ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
CooMatrix<S, O, D, F> to_coo(const ExecutionSpace& exec, const GcooMatrix<S, O, D, F>& A,
                             const CooOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_coo");
  return Impl::coo_from_crs(exec, Impl::crs_from(exec, A), options);
}

/// \brief A dense matrix, a View of rank 2 with any strides, in GCOO: its elements above `threshold`, and NaN. Fences
/// once. \throws InvalidArgument for a `group_size` below 1 or a `threshold` below 0; NotSupported where extents or
/// elements are too many for the index types.
template <class Ordinal = int, class Offset = int, Impl::ExecutionSpaceType ExecutionSpace, Impl::DenseViewType View>
auto to_gcoo(const ExecutionSpace& exec, const View& dense, const GcooOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_gcoo");
  using Format = GcooMatrix<typename View::non_const_value_type, Ordinal, typename View::device_type, Offset>;
  return Impl::gcoo_from_dense<Format>(exec, dense, options);
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<GcooMatrix, Matrix> to_gcoo(const Matrix& A, const GcooOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_gcoo", [&](const auto& exec) { return to_gcoo(exec, A, options); });
}

template <class S, class O, class D, class F>
GcooMatrix<S, O, D, F> to_gcoo(const CooMatrix<S, O, D, F>& A, const GcooOptions& options = {}) {
  return Impl::with_default_instance<typename D::execution_space>(
      "to_gcoo", [&](const auto& exec) { return to_gcoo(exec, A, options); });
}

template <class S, class O, class D, class F>
CooMatrix<S, O, D, F> to_coo(const GcooMatrix<S, O, D, F>& A, const CooOptions& options = {}) {
  return Impl::with_default_instance<typename D::execution_space>(
      "to_coo", [&](const auto& exec) { return to_coo(exec, A, options); });
}

template <class Ordinal = int, class Offset = int, Impl::DenseViewType View>
auto to_gcoo(const View& dense, const GcooOptions& options = {}) {
  return Impl::with_default_instance<typename View::execution_space>(
      "to_gcoo", [&](const auto& exec) { return to_gcoo<Ordinal, Offset>(exec, dense, options); });
}

}  // namespace lacuna

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_KOKKOSKERNELS_TYPES_HPP
#define LACUNA_KOKKOSKERNELS_TYPES_HPP

#include <backends/Lacuna_Backend.hpp>

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>

#include <type_traits>

/// \file
/// \brief For which types our kernels stand in for those of Kokkos Kernels. All others keep their own.

namespace lacuna::Impl {

/// Half precision and integers stay where they are: sums of the former are made in another type here.
template <class Scalar>
inline constexpr bool stands_in_for_scalar =
    std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double> || std::is_same_v<Scalar, Kokkos::complex<float>> ||
    std::is_same_v<Scalar, Kokkos::complex<double>>;

template <class Ordinal, class Offset>
inline constexpr bool stands_in_for_indices =
    std::is_integral_v<Ordinal>&& std::is_signed_v<Ordinal>&& std::is_integral_v<Offset> &&
    (sizeof(Ordinal) == 4 || sizeof(Ordinal) == 8) && (sizeof(Offset) == 4 || sizeof(Offset) == 8);

template <class ExecutionSpace>
inline constexpr bool stands_in_for_space =
    ExecutionTraits<ExecutionSpace>::is_gpu || std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>;

template <class ExecutionSpace, class Scalar, class Ordinal, class Offset>
inline constexpr bool stands_in_for =
    stands_in_for_space<ExecutionSpace>&& stands_in_for_scalar<Scalar>&& stands_in_for_indices<Ordinal, Offset>;

/// Of y = A x, x and y vectors or multivectors.
template <class ExecutionSpace, class AMatrix, class XVector, class YVector>
constexpr bool stands_in_for_spmv() {
  if constexpr (KokkosSparse::is_crs_matrix_v<AMatrix>) {
    using Scalar = typename AMatrix::non_const_value_type;
    return std::is_same_v<Scalar, typename XVector::non_const_value_type> &&
           std::is_same_v<Scalar, typename YVector::non_const_value_type> &&
           stands_in_for<ExecutionSpace, Scalar, typename AMatrix::non_const_ordinal_type,
                         typename AMatrix::non_const_size_type>;
  } else {
    return false;
  }
}

template <class ExecutionSpace, class AMatrix, class XVector, class YVector>
concept SpmvWeStandInFor = stands_in_for_spmv<ExecutionSpace, AMatrix, XVector, YVector>();

/// What `KokkosSparse::spmv` makes of a CrsMatrix on its way to the layer of libraries: plans of handles are of this
/// type.
template <class Matrix>
using KokkosKernelsMatrix =
    KokkosSparse::CrsMatrix<typename Matrix::const_value_type, typename Matrix::const_ordinal_type,
                            typename Matrix::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>,
                            typename Matrix::const_size_type>;

/// Where Kokkos Kernels compiles nothing but what its library has, that is all there is to fall back to.
#if defined(KOKKOSKERNELS_ETI_ONLY)
inline constexpr bool library_has_all_kernels = true;
#else
inline constexpr bool library_has_all_kernels = false;
#endif

}  // namespace lacuna::Impl

#endif

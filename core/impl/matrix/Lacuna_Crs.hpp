// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CRS_HPP
#define LACUNA_CRS_HPP

#include <Lacuna_Error.hpp>
#include <backends/Lacuna_Backend.hpp>

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

/// \file
/// \brief CSR as kernels see it: raw arrays of canonical types, so that one instantiation serves every View that a
/// matrix can be made of.

namespace lacuna::Impl {

/// Whether there are kernels for a kind of indices: lanes of GPUs exchange words of 32 bits.
template <class Ordinal, class Offset>
constexpr bool serves_indices(bool is_gpu) {
  constexpr std::size_t least = sizeof(Ordinal) < sizeof(Offset) ? sizeof(Ordinal) : sizeof(Offset);
  return least >= (is_gpu ? 4 : 2);
}

/// Wherever a matrix is an argument, indices that have no kernels are refused in these words.
template <class Ordinal, class Offset, class Device>
struct ServedIndices {
  static_assert(serves_indices<Ordinal, Offset>(ExecutionTraits<typename Device::execution_space>::is_gpu),
                "lacuna: row maps and columns of a matrix have 32 or 64 bits; on hosts 16 bits serve, too");
};

template <class Matrix>
struct is_crs_matrix : std::false_type {};
template <class Scalar, class Ordinal, class Device, class Traits, class Offset>
struct is_crs_matrix<KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, Traits, Offset>>
    : std::true_type, ServedIndices<Ordinal, Offset, Device> {};

template <class Matrix>
concept CrsMatrixType = is_crs_matrix<std::remove_cv_t<Matrix>>::value;

/// CSR arrays in the memory of a device. Row i holds the nonzeros [row_map[i], row_map[i + 1]).
template <class ScalarType, class OrdinalType, class OffsetType>
struct CrsArrays {
  using Scalar  = ScalarType;
  using Ordinal = OrdinalType;
  using Offset  = OffsetType;

  Ordinal rows           = 0;
  Ordinal columns        = 0;
  Offset nonzeros        = 0;
  const Offset* row_map  = nullptr;
  const Ordinal* entries = nullptr;
  const Scalar* values   = nullptr;
};

template <CrsMatrixType Matrix>
using CrsArraysOf = CrsArrays<typename Matrix::non_const_value_type, typename Matrix::non_const_ordinal_type,
                              typename Matrix::non_const_size_type>;

/// The arrays of `A`. They live as long as the Views of `A` do: keep a copy of the matrix.
template <CrsMatrixType Matrix>
CrsArraysOf<Matrix> arrays_of(const Matrix& A) {
  CrsArraysOf<Matrix> arrays;
  arrays.rows     = A.numRows();
  arrays.columns  = A.numCols();
  arrays.nonzeros = static_cast<typename CrsArraysOf<Matrix>::Offset>(A.graph.entries.extent(0));
  arrays.row_map  = A.graph.row_map.data();
  arrays.entries  = A.graph.entries.data();
  arrays.values   = A.values.data();
  return arrays;
}

/// The CSR type with its own storage that has the scalar, indices and device of `Matrix`.
template <CrsMatrixType Matrix>
using OwningCrs =
    KokkosSparse::CrsMatrix<typename Matrix::non_const_value_type, typename Matrix::non_const_ordinal_type,
                            typename Matrix::device_type, void, typename Matrix::non_const_size_type>;

/// Whether `ExecutionSpace` may read and write the memory of these Views.
template <class ExecutionSpace, class... Views>
inline constexpr bool is_accessible =
    (Kokkos::SpaceAccessibility<ExecutionSpace, typename Views::memory_space>::accessible && ...);

/// A rank-1 View with any stride, reduced to a pointer. The stride is kept in bytes and 32 bits, so that an access
/// costs the one multiply-add that a contiguous access costs too.
template <class T>
struct StridedVector {
  T* data;
  std::int32_t stride_bytes;

  bool is_contiguous() const { return stride_bytes == static_cast<std::int32_t>(sizeof(T)); }
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION T& operator[](Index i) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return *reinterpret_cast<T*>(reinterpret_cast<Byte*>(data) + static_cast<std::int64_t>(i) * stride_bytes);
  }
};

/// \throws NotSupported where two elements are 2 GiB or more apart.
template <class T, class View>
StridedVector<T> strided(const char* function, const View& view) {
  static_assert(View::rank == 1, "lacuna: a vector is a View of rank 1");
  const std::int64_t stride = view.extent(0) > 1 ? static_cast<std::int64_t>(view.stride(0)) : 1;
  const std::int64_t bytes  = stride * static_cast<std::int64_t>(sizeof(T));
  if (bytes > std::numeric_limits<std::int32_t>::max())
    raise<NotSupported>(function, "elements ", bytes, " bytes apart, at most 2147483647 are supported");
  return {view.data(), static_cast<std::int32_t>(bytes)};
}

/// `left * right` in 64 bits. \throws OutOfMemory where it does not fit.
inline std::int64_t checked_product(const char* function, std::int64_t left, std::int64_t right) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(left, right, &product))
    raise<OutOfMemory>(function, left, " x ", right, " elements do not fit in 64 bits");
  return product;
}

/// The type of the real part.
template <class Scalar>
struct RealOf {
  using type = Scalar;
};
template <class Real>
struct RealOf<Kokkos::complex<Real>> {
  using type = Real;
};

template <class Scalar>
inline constexpr bool is_complex = !std::is_same_v<Scalar, typename RealOf<Scalar>::type>;

/// alpha or beta as the scalar of the matrix.
template <class Scalar, class Number>
Scalar to_scalar(const Number& number) {
  if constexpr (std::is_arithmetic_v<Number>)
    return Scalar(static_cast<typename RealOf<Scalar>::type>(number));
  else
    return Scalar(number);
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T conjugate(const T& value) {
  return value;
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<Real> conjugate(const Kokkos::complex<Real>& value) {
  return Kokkos::complex<Real>(value.real(), -value.imag());
}

}  // namespace lacuna::Impl

#endif

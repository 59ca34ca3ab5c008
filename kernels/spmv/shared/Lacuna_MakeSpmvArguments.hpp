// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MAKESPMVARGUMENTS_HPP
#define LACUNA_MAKESPMVARGUMENTS_HPP

#include <kernels/rows/Lacuna_VectorArguments.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <type_traits>

/// \file
/// \brief From the user's arguments to the canonical ones, with every check.

namespace lacuna::Impl {

/// Whether two strided vectors share an element. Interleaved columns of one block vector do not.
template <class Scalar>
bool overlap(const StridedVector<const Scalar>& x, std::int64_t x_extent, const StridedVector<Scalar>& y,
             std::int64_t y_extent) {
  if (x_extent == 0 || y_extent == 0) return false;
  const auto x_begin = reinterpret_cast<std::intptr_t>(x.data), y_begin = reinterpret_cast<std::intptr_t>(y.data);
  const std::intptr_t x_end = x_begin + (x_extent - 1) * x.stride_bytes + static_cast<std::intptr_t>(sizeof(Scalar));
  const std::intptr_t y_end = y_begin + (y_extent - 1) * y.stride_bytes + static_cast<std::intptr_t>(sizeof(Scalar));
  if (x_end <= y_begin || y_end <= x_begin) return false;
  return x.stride_bytes != y.stride_bytes || x.stride_bytes == 0 || (y_begin - x_begin) % x.stride_bytes == 0;
}

template <class Scalar, class Alpha, class X, class Beta, class Y>
VectorArguments<Scalar> make_vector_arguments(const Alpha& alpha, const X& x, const Beta& beta, const Y& y,
                                              std::int64_t rows, std::int64_t columns) {
  static_assert(Kokkos::is_view_v<X> && Kokkos::is_view_v<Y>, "lacuna::spmv: x and y must be Kokkos Views");
  static_assert(std::is_same_v<typename X::non_const_value_type, Scalar>,
                "lacuna::spmv: x must have the scalar type of the matrix");
  static_assert(std::is_same_v<typename Y::value_type, Scalar>,
                "lacuna::spmv: y must have the scalar type of the matrix and must not be const");
  if (static_cast<std::int64_t>(x.extent(0)) != columns || static_cast<std::int64_t>(y.extent(0)) != rows)
    raise<DimensionMismatch>("spmv", "dimensions do not match: op(A) ", shape_text(rows, columns), ", x ", x.extent(0),
                             ", y ", y.extent(0));
  const VectorArguments<Scalar> arguments{to_scalar<Scalar>(alpha), strided<const Scalar>("spmv", x),
                                          to_scalar<Scalar>(beta), strided<Scalar>("spmv", y)};
  if (rows > 1 && arguments.y.stride_bytes == 0)
    raise<InvalidArgument>("spmv", "elements of y share memory: ", y.extent(0), " elements, stride 0");
  if (overlap(arguments.x, columns, arguments.y, rows))
    raise<InvalidArgument>("spmv", "x and y overlap, x ", x.extent(0), " elements, y ", y.extent(0), " elements");
  return arguments;
}

/// Where nothing has to be multiplied (no rows, no nonzeros, alpha == 0): does what is left and returns true.
template <class ExecutionSpace, class Scalar>
bool spmv_without_product(const ExecutionSpace& exec, const VectorArguments<Scalar>& arguments, std::int64_t rows,
                          std::int64_t nonzeros) {
  if (rows > 0 && nonzeros > 0 && arguments.alpha != Scalar(0)) return false;
  if (rows > 0 && arguments.beta != Scalar(1))
    Kokkos::parallel_for("Lacuna::spmv::scale",
                         Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, rows),
                         ScaleVector<Scalar>{arguments.beta, arguments.y});
  return true;
}

}  // namespace lacuna::Impl

#endif

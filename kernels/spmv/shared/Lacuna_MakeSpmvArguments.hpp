// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MAKESPMVARGUMENTS_HPP
#define LACUNA_MAKESPMVARGUMENTS_HPP

#include <core/impl/memory/Lacuna_SharedBytes.hpp>
#include <kernels/rows/Lacuna_VectorArguments.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <type_traits>

/// \file
/// \brief From the user's arguments to the canonical ones, with every check.

namespace lacuna::Impl {

template <class Element>
TouchedBytes touched_bytes(const StridedVector<Element>& vector, std::int64_t extent) {
  return touched_bytes(vector.data, sizeof(Element), extent,
                       vector.stride_bytes / static_cast<std::int64_t>(sizeof(Element)), 1, 1);
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
  if (share_bytes(touched_bytes(arguments.x, columns), touched_bytes(arguments.y, rows)))
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

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VECTORARGUMENTS_HPP
#define LACUNA_VECTORARGUMENTS_HPP

#include <backends/Lacuna_Launch.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstdint>

/// \file
/// \brief Shared by all SpMV kernels: the vector side of the operation and the store of a row.

namespace lacuna::Impl {

/// y = alpha A x + beta y without A.
template <class ScalarType>
struct VectorArguments {
  using Scalar = ScalarType;

  Scalar alpha;
  StridedVector<const Scalar> x;
  Scalar beta;
  StridedVector<Scalar> y;

  /// Stores a row. beta == 0 is a store, never a product: NaN in y vanishes.
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void write(Index row, const Scalar& sum) const {
    Scalar result = alpha * sum;
    if (beta != Scalar(0)) result += beta * y[row];
    y[row] = result;
  }
};

/// y = beta y; beta == 0 stores 0.
template <class Scalar>
struct ScaleVector {
  Scalar beta;
  StridedVector<Scalar> y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y[i] = beta == Scalar(0) ? Scalar(0) : beta * y[i]; }
};

/// Launch shape of a row kernel. 0 stands for the algorithm's default.
struct SpmvShape {
  int team_size     = 0;
  int lanes_per_row = 0;
  bool x_past_cache = false;  ///< of kernels that have both ways
};

}  // namespace lacuna::Impl

#endif

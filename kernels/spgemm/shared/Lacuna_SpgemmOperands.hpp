// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMOPERANDS_HPP
#define LACUNA_SPGEMMOPERANDS_HPP

#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>

#include <cstdint>

/// \file
/// \brief What kernels of C = alpha A B read and write.

namespace lacuna::Impl {

template <class Arrays>
struct SpgemmOperands {
  Arrays A, B;
  typename Arrays::Scalar alpha = typename Arrays::Scalar(1);
};

/// The columns that a row has, both ends included. A row without any has first > last.
template <class Ordinal>
struct ColumnRange {
  Ordinal first;
  Ordinal last;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t width() const {
    return first > last ? 0 : static_cast<std::int64_t>(last) - static_cast<std::int64_t>(first) + 1;
  }
  /// Words of 32 columns, from a multiple of 32 on.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t words() const {
    return first > last ? 0 : static_cast<std::int64_t>(last / 32) - static_cast<std::int64_t>(first / 32) + 1;
  }
};

/// Where rows of a product are written: row i from `begin[i]` on.
template <class Scalar, class Ordinal, class Position>
struct SpgemmTarget {
  const Position* begin = nullptr;
  Ordinal* entries      = nullptr;
  Scalar* values        = nullptr;
  Ordinal* counts       = nullptr;  ///< nonzeros of a row, where they are to be told
};

/// Adds to what other threads add to at the same time. The parts of a complex number are added one by one.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void add_shared(Scalar* sum, const Scalar& value) {
  if constexpr (is_complex<Scalar>) {
    using Real  = typename RealOf<Scalar>::type;
    Real* parts = reinterpret_cast<Real*>(sum);
    Kokkos::atomic_add(parts, value.real());
    Kokkos::atomic_add(parts + 1, value.imag());
  } else {
    Kokkos::atomic_add(sum, value);
  }
}

/// The mean length of rows.
template <class Arrays>
double mean_length(const Arrays& crs) {
  return crs.rows > 0 ? static_cast<double>(crs.nonzeros) / static_cast<double>(crs.rows) : 0;
}

/// Lanes that share a row of `mean` elements: a power of two up to `most`.
constexpr int lanes_for(double mean, int most) {
  int lanes = 1;
  while (lanes < most && lanes < mean) lanes *= 2;
  return lanes;
}

}  // namespace lacuna::Impl

#endif

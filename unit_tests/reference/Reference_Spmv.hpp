// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_REFERENCE_SPMV_HPP
#define LACUNA_REFERENCE_SPMV_HPP

#include <Lacuna_Options.hpp>

#include <support/Test_Matrices.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

/// \file
/// \brief y = alpha op(A) x + beta y, serially, in double precision, with the bound that a tolerance is made of.

namespace lacuna::Test {

template <class Scalar>
inline constexpr bool is_complex = requires(Scalar s) {
  s.imag();
};

/// The type that references are computed in.
template <class Scalar>
using Wide = std::conditional_t<is_complex<Scalar>, std::complex<double>, double>;

/// The real type behind a scalar: float for float and complex<float>.
template <class Scalar>
struct RealOf {
  using type = Scalar;
};
template <class Real>
struct RealOf<Kokkos::complex<Real>> {
  using type = Real;
};

template <class Scalar>
Wide<Scalar> widen(const Scalar& value) {
  if constexpr (is_complex<Scalar>)
    return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
  else
    return static_cast<double>(value);
}

template <class Scalar>
struct SpmvReference {
  std::vector<Wide<Scalar>> y;
  /// Per row |alpha| sum |a| |x| + |beta| |y|: what the rounding errors of any order of summation are relative to.
  std::vector<double> magnitude;
  /// Per row the number of products.
  std::vector<std::int64_t> terms;
};

/// Where beta == 0, `y` is not read (it may be empty).
template <class Scalar>
SpmvReference<Scalar> reference_spmv(Op op, Scalar alpha, const HostMatrix<Scalar>& A, const std::vector<Scalar>& x,
                                     Scalar beta, const std::vector<Scalar>& y) {
  const auto size = static_cast<std::size_t>(op == Op::none ? A.rows : A.columns);
  SpmvReference<Scalar> result;
  result.y.assign(size, Wide<Scalar>(0));
  result.magnitude.assign(size, 0.0);
  result.terms.assign(size, 0);
  for (std::int64_t row = 0; row < A.rows; ++row) {
    for (auto k = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(row) + 1]); ++k) {
      const auto to        = static_cast<std::size_t>(op == Op::none ? row : A.entries[k]);
      const auto from      = static_cast<std::size_t>(op == Op::none ? A.entries[k] : row);
      Wide<Scalar> element = widen(A.values[k]);
      if constexpr (is_complex<Scalar>)
        if (op == Op::conjugate_transpose) element = std::conj(element);
      result.y[to] += element * widen(x[from]);
      result.magnitude[to] += std::abs(element) * std::abs(widen(x[from]));
      ++result.terms[to];
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    result.y[i] *= widen(alpha);
    result.magnitude[i] *= std::abs(widen(alpha));
    if (beta == Scalar(0)) continue;
    result.y[i] += widen(beta) * widen(y[i]);
    result.magnitude[i] += std::abs(widen(beta)) * std::abs(widen(y[i]));
  }
  return result;
}

/// Checks every element against |error| <= (terms + 4) eps magnitude, the classical bound of a sum in any order
/// (complex products cost a factor of two). The message names the first row that breaks it.
template <class Scalar>
testing::AssertionResult matches(const SpmvReference<Scalar>& reference, const std::vector<Scalar>& y) {
  if (reference.y.size() != y.size())
    return testing::AssertionFailure() << "has " << y.size() << " elements, expected " << reference.y.size();
  constexpr double eps = (is_complex<Scalar> ? 2.0 : 1.0) *
                         static_cast<double>(std::numeric_limits<typename RealOf<Scalar>::type>::epsilon());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double error   = std::abs(widen(y[i]) - reference.y[i]);
    const double allowed = (static_cast<double>(reference.terms[i]) + 4.0) * eps * reference.magnitude[i];
    if (!(error <= allowed))
      return testing::AssertionFailure() << "row " << i << " is " << widen(y[i]) << ", expected " << reference.y[i]
                                         << ", error " << error << " > " << allowed;
  }
  return testing::AssertionSuccess();
}

}  // namespace lacuna::Test

#endif

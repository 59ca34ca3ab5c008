// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_BLOCKREFERENCE_HPP
#define LACUNA_BENCH_BLOCKREFERENCE_HPP

#include <support/Bench_Reference.hpp>

#include <Lacuna_Options.hpp>

/// \file
/// \brief How far a whole block C is from A B + beta C in double precision.
///
/// Every element is computed anew for each check, which needs no memory beside the operands: a reference of a block of
/// 16 GB would be one of 32 GB. The error is relative to the sum over k of |a_ik| |b_kj| + |beta c_ij|, as in
/// Bench_Reference.hpp. An element is wrong where its error is above
///
/// - full: eps (8 + 4 √length) times that sum, as there;
/// - tf32, fp16, bf16: (2 u + u² + eps (8 + length)) times that sum, u the error of rounding to nearest with 11, 11
///   and 8 significant bits (a rival may truncate: twice that): both factors are rounded, and sums of the engines err
///   to one side; for fp16 also 2^-25 times the sum of |a_ik| + |b_kj|, because numbers below 2^-14 lose bits there;
/// - A, B and C stored in half precision or bfloat16: products of two factors are exact in float, where they are added.
///   The sums may err by eps (8 + length) times that sum, by an engine or not; then the result is rounded to what C
///   stores: to u |c_ij|, or to half of the least number that there is.

namespace lacuna::bench {

/// \brief A bound on the error, relative to sums of magnitudes.
struct ErrorModel {
  double constant = 0;
  double per_term = 0;
  double per_root = 0;  ///< times the square root of the number of terms
  double absolute = 0;  ///< times the sum of the magnitudes of the factors
  double rounding =
      0;             ///< times the magnitude of the result, where C is stored in a shorter type than sums are made in
  double least = 0;  ///< of the result, however small it is
};

/// \brief What is lost where a number is stored in a short type.
struct ShortType {
  double unit;   ///< the error of rounding to nearest, of normal numbers
  double least;  ///< half of the least number above 0
};
inline constexpr ShortType half_type{0x1p-11, 0x1p-25}, bfloat16_type{0x1p-8, 0x1p-134};

/// \brief The bound for A, B and C of `type`, sums in float.
constexpr ErrorModel short_error_model(ShortType type) {
  constexpr double eps = std::numeric_limits<float>::epsilon();
  return {8 * eps, eps, 0, 0, type.unit, type.least};
}

template <class Scalar>
ErrorModel error_model(Precision precision, bool truncates) {
  if constexpr (is_half<Scalar>) {
    return short_error_model(std::is_same_v<Scalar, Kokkos::Experimental::half_t> ? half_type : bfloat16_type);
  } else {
    const double eps = std::numeric_limits<RealOf<Scalar>>::epsilon();
    if (precision == Precision::full) return {8 * eps, 0, 4 * eps};
    double unit = precision == Precision::bf16 ? 0x1p-8 : 0x1p-11;
    if (truncates) unit *= 2;
    return {2 * unit + unit * unit + 8 * eps, eps, 0, precision == Precision::fp16 ? 0x1p-25 : 0.0};
  }
}

/// \brief One of the elements of C, by its place in memory.
template <class Arrays, class B, class C>
struct BlockError {
  struct value_type {
    double relative = 0;
    double bounded  = 0;
  };
  Arrays A;
  B b;
  C c;
  const typename Arrays::Scalar* initial;  ///< what C was; not read where beta is 0
  double beta;
  ErrorModel model;
  std::int64_t columns;
  bool row_major;

  KOKKOS_FUNCTION void init(value_type& worst) const { worst = value_type(); }
  KOKKOS_FUNCTION void join(value_type& worst, const value_type& other) const {
    worst.relative = Kokkos::max(worst.relative, other.relative);
    worst.bounded  = Kokkos::max(worst.bounded, other.bounded);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t place, value_type& worst) const {
    using Wide             = DoubleOf<typename Arrays::Scalar>;
    const auto rows        = static_cast<std::int64_t>(A.rows);
    const std::int64_t row = row_major ? place / columns : place % rows;
    const std::int64_t j   = row_major ? place % columns : place / rows;
    Wide sum(0);
    double size = 0, factors = 0;
    for (auto k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const Wide value(A.values[k]), factor(b(A.entries[k], j));
      sum += value * factor;
      size += magnitude(value) * magnitude(factor);
      factors += magnitude(value) + magnitude(factor);
    }
    if (beta != 0) {
      const Wide old(initial[place]);
      sum += beta * old;
      size += magnitude(beta * old);
    }
    const auto terms   = static_cast<double>(A.row_map[row + 1] - A.row_map[row]);
    const double bound = size * (model.constant + model.per_term * terms + model.per_root * Kokkos::sqrt(terms)) +
                         factors * model.absolute + magnitude(sum) * model.rounding + model.least;
    const double error = magnitude(Wide(c(row, j)) - sum);
    value_type element;
    if (!(error <= 1e300)) {
      element.relative = element.bounded = 1e300;  // NaN and infinity are as wrong as can be
    } else if (error > 0) {
      element.relative = size > 0 ? error / size : 1e300;
      element.bounded  = bound > 0 ? error / bound : 1e300;
    }
    join(worst, element);
  }
};

/// \brief The worst element of C. `initial` holds what C was, as it stands in memory.
template <class ExecutionSpace, class Matrix, class B, class C>
ErrorOfResult error_of_block(const ExecutionSpace& exec, const Matrix& A, const B& b, double beta,
                             const typename Matrix::non_const_value_type* initial, const C& c,
                             const ErrorModel& model) {
  using Policy      = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  const auto arrays = Impl::arrays_of(A);
  using Functor     = BlockError<std::remove_cv_t<decltype(arrays)>, B, C>;
  const auto size   = static_cast<std::int64_t>(c.extent(0)) * static_cast<std::int64_t>(c.extent(1));
  if (size == 0) return {};
  constexpr bool row_major = std::is_same_v<typename C::array_layout, Kokkos::LayoutRight>;
  typename Functor::value_type worst;
  Kokkos::parallel_reduce(
      "Lacuna::bench::block_error", Policy(exec, 0, size),
      Functor{arrays, b, c, initial, beta, model, static_cast<std::int64_t>(c.extent(1)), row_major}, worst);
  return {worst.relative, !(worst.bounded <= 1)};
}

}  // namespace lacuna::bench

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SEMIRINGS_HPP
#define LACUNA_SEMIRINGS_HPP

#include <Kokkos_Core.hpp>

#include <concepts>
#include <type_traits>

/// \file
/// \brief Semirings: what `spgemm` may do in place of adding and multiplying.
///
///     lacuna::spgemm(exec, plan, lacuna::MinPlus<double>{}, A, B, C);  // shortest paths of two edges
///
/// Your own semiring is a struct that is copied to the device:
///
///     struct MaxMin {  // widest path
///       KOKKOS_FUNCTION double zero() const { return -Kokkos::Experimental::infinity_v<double>; }
///       KOKKOS_FUNCTION double add(double a, double b) const { return a > b || a != a ? a : b; }
///       KOKKOS_FUNCTION double multiply(double a, double b) const { return a < b || a != a ? a : b; }
///     };
///
/// `multiply` gets the element of A first and need not commute. `add` must be associative. It must also commute,
/// unless rows are added in the order of A (on hosts, and with `SpgemmOptions::deterministic` if rows of B have no
/// duplicates and products are not kept). add(zero(), a) must be a. C has an entry exactly where A and B have at least
/// one pair, even if its sum is zero(). Where several threads add to one sum, each repeats a compare and exchange
/// until it succeeds. A member `void add_to(Scalar* sum, const Scalar& value) const` that adds atomically replaces
/// this, and is faster where rows of C have many products.
///
/// **NaN, infinities and zeros.** Every pair of stored elements is a term, a stored zero like any other: 0 times Inf
/// is NaN. A NaN stays: with `PlusTimes`, `MinPlus` and `MaxTimes` a sum is NaN exactly where a term is NaN or, in
/// `PlusTimes`, where infinities of both signs meet; wherever the term stands, in every algorithm, on every backend.
/// What a mask leaves out is no term. `OrAnd` takes a NaN for a number that is not 0, and has no other results than 0
/// and 1. Which of +0 and -0 stays, and the sign of a sum that is 0, are not defined.
///
/// In your own semiring `add` decides. One that keeps or loses a NaN depending on its side, as `a > b ? a : b` does,
/// has results that depend on the algorithm.

namespace lacuna {

/// \brief A type with `zero`, `add` and `multiply` for `Scalar`.
template <class T, class Scalar>
concept SemiringOf = std::copyable<T> && requires(const T& semiring, const Scalar& a) {
  { semiring.zero() } -> std::convertible_to<Scalar>;
  { semiring.add(a, a) } -> std::convertible_to<Scalar>;
  { semiring.multiply(a, a) } -> std::convertible_to<Scalar>;
};

namespace Impl {

template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION bool is_nan([[maybe_unused]] const Scalar& a) {
  if constexpr (std::is_integral_v<Scalar>)
    return false;
  else
    return a != a;
}

}  // namespace Impl

/// \brief The usual sums of products: what `spgemm` computes without a semiring, then also with alpha, D and beta.
template <class Scalar>
struct PlusTimes {
  KOKKOS_FORCEINLINE_FUNCTION Scalar zero() const { return Scalar(0); }
  KOKKOS_FORCEINLINE_FUNCTION Scalar add(const Scalar& a, const Scalar& b) const { return a + b; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar multiply(const Scalar& a, const Scalar& b) const { return a * b; }
};

/// \brief min(a + b): lengths of shortest paths. `Scalar` is a real type. A NaN stays.
template <class Scalar>
struct MinPlus {
  KOKKOS_FORCEINLINE_FUNCTION Scalar zero() const {
    if constexpr (std::is_floating_point_v<Scalar>)
      return Kokkos::Experimental::infinity_v<Scalar>;
    else
      return Kokkos::Experimental::finite_max_v<Scalar>;
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar add(const Scalar& a, const Scalar& b) const {
    return b < a || Impl::is_nan(b) ? b : a;
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar multiply(const Scalar& a, const Scalar& b) const { return a + b; }
};

/// \brief max(a b): likeliest paths. `Scalar` is a real type. A NaN stays.
template <class Scalar>
struct MaxTimes {
  KOKKOS_FORCEINLINE_FUNCTION Scalar zero() const {
    if constexpr (std::is_floating_point_v<Scalar>)
      return -Kokkos::Experimental::infinity_v<Scalar>;
    else
      return Kokkos::Experimental::finite_min_v<Scalar>;
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar add(const Scalar& a, const Scalar& b) const {
    return a < b || Impl::is_nan(b) ? b : a;
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar multiply(const Scalar& a, const Scalar& b) const { return a * b; }
};

/// \brief Whether there is a path: 1 where an a and its b both differ from 0, as a NaN does, else 0.
template <class Scalar>
struct OrAnd {
  KOKKOS_FORCEINLINE_FUNCTION Scalar zero() const { return Scalar(0); }
  KOKKOS_FORCEINLINE_FUNCTION Scalar add(const Scalar& a, const Scalar& b) const {
    return a != Scalar(0) || b != Scalar(0) ? Scalar(1) : Scalar(0);
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar multiply(const Scalar& a, const Scalar& b) const {
    return a != Scalar(0) && b != Scalar(0) ? Scalar(1) : Scalar(0);
  }
};

}  // namespace lacuna

#endif

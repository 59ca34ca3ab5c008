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
///       KOKKOS_FUNCTION double add(double a, double b) const { return a > b ? a : b; }
///       KOKKOS_FUNCTION double multiply(double a, double b) const { return a < b ? a : b; }
///     };
///
/// `multiply` gets the element of A first and need not commute. `add` must be associative. It must also commute, unless
/// rows are added in the order of A (on hosts, and with `SpgemmOptions::deterministic` if rows of B have no
/// duplicates). add(zero(), a) must be a. zero() is never stored: C has an entry where A and B have at least one pair.
/// Where several threads add to one sum, each repeats a compare and exchange until it succeeds. A member `void
/// add_to(Scalar* sum, const Scalar& value) const` that adds atomically replaces this, and is faster where rows of C
/// have many products.

namespace lacuna {

/// \brief A type with `zero`, `add` and `multiply` for `Scalar`.
template <class T, class Scalar>
concept SemiringOf = std::copyable<T> && requires(const T& semiring, const Scalar& a) {
  { semiring.zero() } -> std::convertible_to<Scalar>;
  { semiring.add(a, a) } -> std::convertible_to<Scalar>;
  { semiring.multiply(a, a) } -> std::convertible_to<Scalar>;
};

/// \brief The usual sums of products: what `spgemm` computes without a semiring, then also with alpha, D and beta.
template <class Scalar>
struct PlusTimes {
  KOKKOS_FORCEINLINE_FUNCTION Scalar zero() const { return Scalar(0); }
  KOKKOS_FORCEINLINE_FUNCTION Scalar add(const Scalar& a, const Scalar& b) const { return a + b; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar multiply(const Scalar& a, const Scalar& b) const { return a * b; }
};

/// \brief min(a + b): lengths of shortest paths. `Scalar` is a real type.
template <class Scalar>
struct MinPlus {
  KOKKOS_FORCEINLINE_FUNCTION Scalar zero() const {
    if constexpr (std::is_floating_point_v<Scalar>)
      return Kokkos::Experimental::infinity_v<Scalar>;
    else
      return Kokkos::Experimental::finite_max_v<Scalar>;
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar add(const Scalar& a, const Scalar& b) const { return b < a ? b : a; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar multiply(const Scalar& a, const Scalar& b) const { return a + b; }
};

/// \brief max(a b): likeliest paths. `Scalar` is a real type.
template <class Scalar>
struct MaxTimes {
  KOKKOS_FORCEINLINE_FUNCTION Scalar zero() const {
    if constexpr (std::is_floating_point_v<Scalar>)
      return -Kokkos::Experimental::infinity_v<Scalar>;
    else
      return Kokkos::Experimental::finite_min_v<Scalar>;
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar add(const Scalar& a, const Scalar& b) const { return a < b ? b : a; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar multiply(const Scalar& a, const Scalar& b) const { return a * b; }
};

/// \brief Whether there is a path: 1 where an a and its b both differ from 0, else 0.
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

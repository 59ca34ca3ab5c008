// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMOPERANDS_HPP
#define LACUNA_SPGEMMOPERANDS_HPP

#include <Lacuna_Semirings.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// \brief What kernels of C = alpha A B read and write.

namespace lacuna::Impl {

/// Every position of C is wanted.
struct SpgemmNoMask {
  template <class Ordinal>
  KOKKOS_FORCEINLINE_FUNCTION bool allows(Ordinal /*row*/, Ordinal /*column*/) const {
    return true;
  }
};

/// `alpha` counts in PlusTimes alone.
template <class ArraysType, class SemiringType = PlusTimes<typename ArraysType::Scalar>, class MaskType = SpgemmNoMask>
struct SpgemmOperands {
  using Arrays   = ArraysType;
  using Semiring = SemiringType;
  using Mask     = MaskType;
  using Scalar   = typename Arrays::Scalar;

  static constexpr bool is_plus_times = std::is_same_v<Semiring, PlusTimes<Scalar>>;
  static constexpr bool is_masked     = !std::is_same_v<Mask, SpgemmNoMask>;

  Arrays A, B;
  Scalar alpha = Scalar(1);
  Semiring semiring{};
  Mask mask{};

  KOKKOS_FORCEINLINE_FUNCTION Scalar zero() const { return semiring.zero(); }
  /// An element of A as products take it.
  KOKKOS_FORCEINLINE_FUNCTION Scalar factor(const Scalar& a) const {
    if constexpr (is_plus_times)
      return alpha * a;
    else
      return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar product(const Scalar& factor, const Scalar& b) const {
    return semiring.multiply(factor, b);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(Scalar& sum, const Scalar& value) const {
    if constexpr (is_plus_times)
      sum += value;
    else
      sum = semiring.add(sum, value);
  }
  /// Adds to what other threads add to at the same time.
  KOKKOS_FORCEINLINE_FUNCTION void add_shared(Scalar* sum, const Scalar& value) const;
};

/// beta D, which is added to a product. A D without nonzeros is given, too: where alpha is 0, values of A and B are not
/// read.
template <class Arrays>
struct SpgemmAddend {
  using Scalar = typename Arrays::Scalar;
  using Offset = typename Arrays::Offset;

  Arrays D{};
  Scalar beta{};
  bool is_given = false;

  bool is_there() const { return D.nonzeros > 0; }
  Offset begin(std::int64_t row) const { return is_there() ? D.row_map[row] : Offset(0); }
  Offset end(std::int64_t row) const { return is_there() ? D.row_map[row + 1] : Offset(0); }
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

/// 16 bytes that are compared bit by bit.
struct alignas(16) TwoWords {
  std::uint64_t low, high;
  KOKKOS_FORCEINLINE_FUNCTION friend bool operator==(const TwoWords& a, const TwoWords& b) {
    return a.low == b.low && a.high == b.high;
  }
};

/// The same with the sum of a semiring. Bits are compared, so that a NaN equals itself.
template <class Scalar, class Semiring>
KOKKOS_FORCEINLINE_FUNCTION void add_shared(const Semiring& semiring, Scalar* sum, const Scalar& value) {
  if constexpr (requires { semiring.add_to(sum, value); }) {
    semiring.add_to(sum, value);
  } else {
    static_assert(sizeof(Scalar) == 4 || sizeof(Scalar) == 8 || sizeof(Scalar) == 16,
                  "lacuna: a semiring of scalars of other sizes than 4, 8 and 16 bytes needs a member add_to");
    using Bits     = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t,
                                    std::conditional_t<sizeof(Scalar) == 8, std::uint64_t, TwoWords>>;
    Bits* const at = reinterpret_cast<Bits*>(sum);
    Bits found     = Kokkos::atomic_load(at);
    for (bool done = false; !done;) {
      const Bits expected = found;
      const Bits wanted   = Kokkos::bit_cast<Bits>(Scalar(semiring.add(Kokkos::bit_cast<Scalar>(expected), value)));
      done                = wanted == expected;
      if (!done) {
        found = Kokkos::atomic_compare_exchange(at, expected, wanted);
        done  = found == expected;
      }
    }
  }
}

template <class Arrays, class Semiring, class Mask>
KOKKOS_FORCEINLINE_FUNCTION void SpgemmOperands<Arrays, Semiring, Mask>::add_shared(Scalar* sum,
                                                                                    const Scalar& value) const {
  if constexpr (is_plus_times)
    Impl::add_shared(sum, value);
  else
    Impl::add_shared(semiring, sum, value);
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

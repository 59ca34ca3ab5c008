// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBANDS_HPP
#define LACUNA_DIAGONALBANDS_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>

/// \file
/// \brief Where the diagonals of two bands and of their product are, for kernels that copy them into scratch by rows.

namespace lacuna::Impl {

/// \brief Two bands: their first diagonals, in CDM as signed offsets, and how many they have.
struct DiagonalBands {
  std::int64_t first_a = 0;
  std::int64_t first_b = 0;
  int width_a          = 0;
  int width_b          = 0;

  KOKKOS_INLINE_FUNCTION int width_c() const { return width_a + width_b - 1; }
  /// Diagonals of A, B and C.
  KOKKOS_INLINE_FUNCTION int all() const { return width_a + width_b + width_c(); }
};

/// `number` modulo n.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t modulo(std::int64_t number, std::int64_t n) {
  number += number < 0 ? n : 0;
  number -= number >= n ? n : 0;
  if (number >= 0 && number < n) return number;
  number %= n;  // a matrix smaller than its band is wide
  return number < 0 ? number + n : number;
}

/// A signed offset as the format of X names it.
template <class Operand>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset_in(const Operand& X, std::int64_t number) {
  return Operand::wraps ? modulo(number, X.rows) : number;
}

/// Where row 0 of diagonal `number` of X is or would be, as far as rows follow one another: row r is at that + r.
template <class Operand>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t base_in(const Operand& X, std::int64_t number) {
  return X.base(offset_in(X, number)) + (X.by_column ? number : 0);
}

/// The same of diagonal d of A, then of B, then of C; 0 of one that C has not.
template <class Arguments>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t base_of_bands(const Arguments& arguments, const DiagonalBands& bands, int d) {
  if (d < bands.width_a) return base_in(arguments.A, bands.first_a + d);
  d -= bands.width_a;
  if (d < bands.width_b) return base_in(arguments.B, bands.first_b + d);
  d -= bands.width_b;
  const auto& C             = arguments.C;
  const std::int64_t offset = offset_in(arguments.A, bands.first_a + bands.first_b + d);
  if constexpr (!Arguments::Operand::wraps)
    if (offset <= -C.rows || offset >= C.columns) return 0;
  return C.base_of(offset);
}

/// A warp starts to copy rows first … of diagonal `number` of X, which `base` is of, each by itself: it may not
/// exist, then it is 0, or be where the diagonal wraps around.
template <class Team, class Operand, class Address>
KOKKOS_FORCEINLINE_FUNCTION void copy_what_exists(const Team& team, const Operand& X, std::int64_t base,
                                                  std::int64_t number, std::int64_t first, int count, Address to) {
  using stages        = typename Team::stages;
  constexpr int bytes = sizeof(typename Operand::Scalar);
  for (int i = team.lane(); i < count; i += Team::lane_width) {
    const std::int64_t row = first + i;
    const auto at          = to + i * bytes;
    if constexpr (Operand::wraps) {
      const std::int64_t found = X.by_column ? modulo(row + number, X.rows) - number : modulo(row, X.rows);
      stages::template copy<bytes>(at, X.list + base + found);
    } else {
      const bool exists = row >= 0 && row < X.rows && row + number >= 0 && row + number < X.columns;
      stages::template copy<bytes>(at, exists ? X.list + base + row : X.list, exists ? bytes : 0);
    }
  }
}

}  // namespace lacuna::Impl

#endif

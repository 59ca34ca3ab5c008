// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALWINDOWSHAPE_HPP
#define LACUNA_DIAGONALWINDOWSHAPE_HPP

#include <kernels/diagonal/algorithms/window/Lacuna_DiagonalWindowPolicy.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// \brief Two bands: their first diagonals, in CDM as signed offsets, and how many they have.
struct DiagonalWindowShape {
  std::int64_t first_a = 0;
  std::int64_t first_b = 0;
  int width_a          = 0;
  int width_b          = 0;

  /// Elements that a diagonal of B takes in scratch, a number the compiler knows.
  static constexpr int leading = DiagonalWindowPolicy::rows + DiagonalWindowPolicy::most_a;

  KOKKOS_INLINE_FUNCTION int width_c() const { return width_a + width_b - 1; }
  /// Diagonals of A, B and C.
  KOKKOS_INLINE_FUNCTION int pieces() const { return width_a + width_b + width_c(); }
};

/// Bytes of a team.
inline std::size_t diagonal_window_scratch(const DiagonalWindowShape& shape, std::size_t scalar_bytes) {
  const int elements = shape.width_a * DiagonalWindowPolicy::rows + shape.width_b * DiagonalWindowShape::leading;
  return static_cast<std::size_t>(elements) * scalar_bytes + static_cast<std::size_t>(shape.pieces()) * 8 + 64;
}

}  // namespace lacuna::Impl

#endif

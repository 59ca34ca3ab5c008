// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALWINDOWSHAPE_HPP
#define LACUNA_DIAGONALWINDOWSHAPE_HPP

#include <kernels/diagonal/algorithms/window/Lacuna_DiagonalWindowPolicy.hpp>

#include <kernels/diagonal/shared/Lacuna_DiagonalBands.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalRequest.hpp>

#include <cstddef>

namespace lacuna::Impl {

struct DiagonalWindowShape : DiagonalBands {
  /// Elements that a diagonal of B takes in scratch, a number the compiler knows.
  static constexpr int leading = DiagonalWindowPolicy::rows + DiagonalWindowPolicy::most_a;
};

/// The shape for a product of bands.
inline DiagonalWindowShape diagonal_window_shape(const DiagonalRequest& request) {
  return {{*request.band_a, *request.band_b, static_cast<int>(request.dg_a), static_cast<int>(request.dg_b)}};
}

/// Bytes of a team.
inline std::size_t diagonal_window_scratch(const DiagonalWindowShape& shape, std::size_t scalar_bytes) {
  const int elements = shape.width_a * DiagonalWindowPolicy::rows + shape.width_b * DiagonalWindowShape::leading;
  return static_cast<std::size_t>(elements) * scalar_bytes + static_cast<std::size_t>(shape.all()) * 8 + 64;
}

}  // namespace lacuna::Impl

#endif

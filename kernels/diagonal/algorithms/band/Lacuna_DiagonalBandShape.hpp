// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBANDSHAPE_HPP
#define LACUNA_DIAGONALBANDSHAPE_HPP

#include <Lacuna_Device.hpp>
#include <kernels/diagonal/algorithms/band/Lacuna_DiagonalBandPolicy.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalRequest.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// \brief How a banded product is cut. A team has `rows` rows of C; a lane group 16 of them and
/// `DiagonalBandPolicy::columns` columns, an item.
///
/// Scratch holds diagonals one behind the other: of A as many elements as the team has rows, of B as many as rows of
/// op(B) meet them, of C, in the place of both where each lane group has one item, as of A. Leading dimensions are 4
/// (A, B) and 2 (C) above a multiple of 8, so that the lanes of a fragment, which go along rows and across diagonals,
/// meet no bank twice.
struct DiagonalBandShape {
  std::int64_t first_a = 0;  ///< offset of the first diagonal, signed
  std::int64_t first_b = 0;
  int width_a          = 0;  ///< diagonals
  int width_b          = 0;
  int rows             = 0;
  int items            = 0;  ///< of a team
  int threads          = 0;

  int width_c() const { return width_a + width_b - 1; }

  static constexpr int tall = 16;  ///< rows of an item
  static constexpr int deep = 8;   ///< rows of op(B) are taken in multiples of it

  KOKKOS_INLINE_FUNCTION static int up(int number, int multiple) {
    return (number + multiple - 1) / multiple * multiple;
  }
  KOKKOS_INLINE_FUNCTION int depth() const { return up(width_a + tall - 1, deep); }  ///< of an item
  KOKKOS_INLINE_FUNCTION int leading_a() const { return rows + 4; }
  KOKKOS_INLINE_FUNCTION int rows_b() const { return rows - tall + depth(); }
  KOKKOS_INLINE_FUNCTION int leading_b() const { return rows_b() + 4; }
  KOKKOS_INLINE_FUNCTION int leading_c() const { return rows + 2; }
  KOKKOS_INLINE_FUNCTION int elements_ab() const { return width_a * leading_a() + width_b * leading_b(); }
  KOKKOS_INLINE_FUNCTION int elements_c() const { return (width_a + width_b - 1) * leading_c(); }

  /// Diagonals of A, B and C.
  KOKKOS_INLINE_FUNCTION int pieces() const { return 2 * (width_a + width_b) - 1; }

  /// Groups of columns that cover the band of an item.
  int column_groups() const {
    return (width_c() + tall - 1 + DiagonalBandPolicy::columns - 1) / DiagonalBandPolicy::columns;
  }
  std::size_t scratch(int lane_width) const {
    const bool overlaid = items * lane_width <= threads;
    const int elements =
        overlaid ? (elements_ab() > elements_c() ? elements_ab() : elements_c()) : elements_ab() + elements_c();
    return static_cast<std::size_t>(elements) * sizeof(double) + static_cast<std::size_t>(pieces()) * 16 +
           static_cast<std::size_t>(DiagonalBandPolicy::groups) * sizeof(int) + 64;
  }
};

/// The shape for a product; `rows` is 0 where none fits the device. Widths are below 2^20.
inline DiagonalBandShape diagonal_band_shape(const Device& device, const DiagonalRequest& request) {
  using Policy = DiagonalBandPolicy;
  DiagonalBandShape shape;
  if (!request.is_band() || request.dg_a + request.dg_b > (1 << 20)) return shape;
  shape.first_a  = *request.band_a;
  shape.first_b  = *request.band_b;
  shape.width_a  = static_cast<int>(request.dg_a);
  shape.width_b  = static_cast<int>(request.dg_b);
  const int most = device.is_gpu ? Policy::groups : 1;
  const auto cut = [&](int rows) {
    DiagonalBandShape candidate = shape;
    candidate.rows              = rows;
    candidate.items             = rows / DiagonalBandShape::tall * candidate.column_groups();
    candidate.threads           = device.lane_width * most;
    return candidate;
  };
  for (const int rows : Policy::rows) {
    const DiagonalBandShape candidate = cut(rows);
    const bool small = candidate.scratch(device.lane_width) * Policy::teams_a_processor <= device.scratch;
    const bool many  = request.rows / rows >= device.processors;
    if (small && many && candidate.items <= Policy::items * most) return candidate;
  }
  const DiagonalBandShape least = cut(DiagonalBandShape::tall);
  return least.scratch(device.lane_width) <= device.scratch ? least : shape;
}

}  // namespace lacuna::Impl

#endif

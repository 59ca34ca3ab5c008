// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBANDSHAPE_HPP
#define LACUNA_DIAGONALBANDSHAPE_HPP

#include <Lacuna_Device.hpp>
#include <kernels/diagonal/algorithms/band/Lacuna_DiagonalBandPolicy.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalRequest.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// \brief How the lane groups of a team share out diagonals that are copied: so many side by side for the rows of one,
/// and so many diagonals at a time.
struct BandSpread {
  int groups     = 1;  ///< of a diagonal
  int at_once    = 1;
  int reciprocal = 256;  ///< of `groups`, in 256ths: divides what is below 16

  static BandSpread of(int groups, int rows, int lane_width) {
    BandSpread spread;
    spread.groups     = std::min((rows + lane_width - 1) / lane_width, groups);
    spread.at_once    = groups / spread.groups;
    spread.reciprocal = (256 + spread.groups - 1) / spread.groups;
    return spread;
  }
  KOKKOS_FORCEINLINE_FUNCTION int first_diagonal(int group) const { return group * reciprocal / 256; }
};

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
  /// A team whose first row is from here to before there meets no end of a diagonal, and wraps around nowhere.
  std::int64_t whole_from = 0;
  std::int64_t whole_end  = 0;
  BandSpread spread_a;  ///< over diagonals of A, and of C
  BandSpread spread_b;

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

/// Sets from where to where rows are whole, for a product of these numbers of rows, inner rows and columns, and how
/// whole rows are copied.
inline void set_whole_rows(DiagonalBandShape& shape, std::int64_t rows, std::int64_t inner, std::int64_t columns,
                           int lane_width) {
  shape.spread_a       = BandSpread::of(shape.threads / lane_width, shape.rows, lane_width);
  shape.spread_b       = BandSpread::of(shape.threads / lane_width, shape.rows_b(), lane_width);
  const std::int64_t a = shape.first_a, b = shape.first_b;
  shape.whole_from        = std::max({std::int64_t{0}, -a, -a - b});
  const std::int64_t last = std::min({rows - shape.rows, inner - shape.rows - a - shape.width_a + 1,
                                      inner - shape.rows_b() - a, columns - shape.rows_b() - a - b - shape.width_b + 1,
                                      columns - shape.rows - a - b - shape.width_a - shape.width_b + 2});
  shape.whole_end         = last + 1;
}

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
    const bool is_busy          = request.rows / rows >= std::int64_t{Policy::busy_teams} * device.processors;
    candidate.threads           = device.lane_width * (is_busy ? std::min(candidate.items, most) : most);
    set_whole_rows(candidate, request.rows, request.inner, request.columns, device.lane_width);
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

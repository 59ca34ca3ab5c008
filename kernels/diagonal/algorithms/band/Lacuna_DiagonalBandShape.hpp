// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBANDSHAPE_HPP
#define LACUNA_DIAGONALBANDSHAPE_HPP

#include <Lacuna_Device.hpp>
#include <kernels/diagonal/algorithms/band/Lacuna_DiagonalBandPolicy.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalBands.hpp>
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
/// Scratch holds a zero, and diagonals one behind the other: of A as many elements as the team has rows, of B as many
/// as rows of op(B) meet them, of C, in the place of both where each lane group has one item, as of A. Leading
/// dimensions are 4 (A, B) and 2 (C) above a multiple of 8, so that the lanes of a fragment, which go along rows and
/// across diagonals, meet no bank twice.
struct DiagonalBandShape : DiagonalBands {
  int rows      = 0;
  int items     = 0;  ///< of a team
  int threads   = 0;
  bool overlaid = false;  ///< C is in the place of A and B
  /// A team whose first row is from here to before there meets no end of a diagonal, and wraps around nowhere.
  std::int64_t whole_from = 0;
  std::int64_t whole_end  = 0;
  BandSpread spread_a;  ///< over diagonals of A, and of C
  BandSpread spread_b;

  static constexpr int tall = 16;  ///< rows of an item
  static constexpr int deep = 8;   ///< rows of op(B) are taken in multiples of it
  static constexpr int zero = 2;   ///< elements in front of A, the first of them 0

  KOKKOS_INLINE_FUNCTION static int up(int number, int multiple) {
    return (number + multiple - 1) / multiple * multiple;
  }
  KOKKOS_INLINE_FUNCTION int depth() const { return up(width_a + tall - 1, deep); }  ///< of an item
  KOKKOS_INLINE_FUNCTION int rows_b() const { return rows - tall + depth(); }
  KOKKOS_INLINE_FUNCTION int leading_a() const { return rows + 4; }
  KOKKOS_INLINE_FUNCTION int leading_b() const { return rows_b() + 4; }
  KOKKOS_INLINE_FUNCTION int leading_c() const { return rows + 2; }
  KOKKOS_INLINE_FUNCTION int elements_ab() const { return width_a * leading_a() + width_b * leading_b(); }
  KOKKOS_INLINE_FUNCTION int elements() const {
    const int ab = elements_ab(), c = width_c() * leading_c();
    return zero + (overlaid ? (ab > c ? ab : c) : ab + c);
  }

  /// Groups of columns that cover the band of an item.
  int column_groups() const {
    return (width_c() + tall - 1 + DiagonalBandPolicy::columns - 1) / DiagonalBandPolicy::columns;
  }
  std::size_t scratch(int lane_width) const {
    return static_cast<std::size_t>(elements()) * sizeof(double) + static_cast<std::size_t>(all()) * 8 +
           static_cast<std::size_t>(threads / lane_width) * sizeof(int) + 64;
  }
};

/// Sets from where to where teams are whole, for a product of these numbers of rows, inner rows and columns.
inline void set_whole_rows(DiagonalBandShape& shape, std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  const std::int64_t a = shape.first_a, b = shape.first_b;
  shape.whole_from        = std::max({std::int64_t{0}, -a, -a - b});
  const std::int64_t last = std::min({rows - shape.rows, inner - shape.rows - a - shape.width_a + 1,
                                      inner - shape.rows_b() - a, columns - shape.rows_b() - a - b - shape.width_b + 1,
                                      columns - shape.rows - a - b - shape.width_c() + 1});
  shape.whole_end         = last + 1;
}

/// A product cut into teams of so many rows and lane groups.
inline DiagonalBandShape diagonal_band_cut(const Device& device, const DiagonalRequest& request, int rows, int groups) {
  DiagonalBandShape shape;
  shape.first_a  = *request.band_a;
  shape.first_b  = *request.band_b;
  shape.width_a  = static_cast<int>(request.dg_a);
  shape.width_b  = static_cast<int>(request.dg_b);
  shape.rows     = rows;
  shape.items    = rows / DiagonalBandShape::tall * shape.column_groups();
  shape.threads  = device.lane_width * groups;
  shape.overlaid = shape.items <= groups;
  shape.spread_a = BandSpread::of(groups, rows, device.lane_width);
  shape.spread_b = BandSpread::of(groups, shape.rows_b(), device.lane_width);
  set_whole_rows(shape, request.rows, request.inner, request.columns);
  return shape;
}

/// The shape for a product; `rows` is 0 where none fits the device. Widths are below 2^20.
inline DiagonalBandShape diagonal_band_shape(const Device& device, const DiagonalRequest& request) {
  using Policy = DiagonalBandPolicy;
  if (!request.is_band() || request.dg_a + request.dg_b > (1 << 20)) return {};
  const auto fits = [&](const DiagonalBandShape& shape, int teams) {
    return shape.scratch(device.lane_width) * static_cast<std::size_t>(teams) <= device.scratch;
  };
  const auto cut = [&](int rows, int groups) { return diagonal_band_cut(device, request, rows, groups); };
  if (device.is_gpu) {
    const std::int64_t teams = request.rows / Policy::rows, many_teams = request.rows / Policy::many_rows;
    const int items = cut(Policy::rows, 1).items, many_items = cut(Policy::many_rows, 1).items;
    const bool is_long = many_teams >= std::int64_t{Policy::busy_teams} * device.processors;
    const auto narrow  = cut(Policy::many_rows, many_items / 2);
    if (is_long && many_items / 2 <= Policy::groups && fits(narrow, Policy::narrow_teams)) return narrow;
    const auto many    = cut(Policy::many_rows, is_long ? many_items : Policy::groups);
    const bool is_wide = cut(Policy::rows, 1).rows_b() > 2 * Policy::rows;
    const bool is_many = is_long ? is_wide && many_items <= Policy::groups
                                 : many_items < Policy::groups && many_teams >= device.processors;
    if (is_many && fits(many, Policy::teams_a_processor)) return many;
    const bool is_busy = teams >= std::int64_t{Policy::teams_a_processor} * device.processors;
    const auto few     = cut(Policy::rows, is_busy ? std::min(items, Policy::groups) : Policy::groups);
    if (fits(few, Policy::teams_a_processor)) return few;
  }
  const auto least = cut(DiagonalBandShape::tall, device.is_gpu ? Policy::groups : 1);
  return fits(least, 1) ? least : DiagonalBandShape{};
}

}  // namespace lacuna::Impl

#endif

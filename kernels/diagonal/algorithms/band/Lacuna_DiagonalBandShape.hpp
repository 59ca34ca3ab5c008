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

/// \brief How the warps of a team divide the copies of diagonals: `groups` warps side by side for the rows of one
/// diagonal, and several diagonals at a time.
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

/// \brief How a banded product is cut. A team has `rows` rows of C; a warp 16 of them and `columns` columns, an
/// item.
///
/// Scratch holds a zero, and diagonals one behind the other: of A as many elements as the team has rows, of B as many
/// as rows of op(B) meet them, of C, in the place of both where each warp has one item, as of A. Leading
/// dimensions are 4 (A, B) and 2 (C) above a multiple of 8, so that the lanes of a fragment, which go along rows and
/// across diagonals, meet no bank twice.
struct DiagonalBandShape : DiagonalBands {
  int rows      = 0;
  int columns   = 0;  ///< 32, 40 or 48
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
  int column_groups() const { return (columns_covered() + columns - 1) / columns; }
  int columns_covered() const { return width_c() + tall - 1; }
  std::size_t scratch(int lane_width) const {
    return static_cast<std::size_t>(elements()) * sizeof(double) +
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

/// Whether all teams of the fewest rows are on the device at once, with all their warps.
inline bool is_small_band(const Device& device, const DiagonalRequest& request) {
  using Policy = DiagonalBandPolicy;
  return ceiling_quotient(request.rows, std::int64_t{Policy::rows}) <=
         std::int64_t{Policy::teams_a_processor} * device.processors;
}

/// The columns of an item, so that as few items as possible cover the band, and leave little uncovered beside it. The
/// engine's tiles are 8 columns wide, or 16 where a warp has 64 lanes.
inline int columns_of_items(const Device& device, const DiagonalRequest& request, const DiagonalBandShape& shape) {
  using Policy      = DiagonalBandPolicy;
  const int covered = shape.columns_covered();
  if (shape.all() > Policy::few_diagonals) return Policy::most_columns;
  const int groups  = (covered + Policy::most_columns - 1) / Policy::most_columns;
  const int columns = DiagonalBandShape::up((covered + groups - 1) / groups, device.lane_width == 64 ? 16 : 8);
  const bool thrice = request.format == DiagonalFormat::cdm || is_small_band(device, request);
  if (groups == 2 && columns == Policy::most_columns && thrice) return Policy::least_columns;
  return std::max(columns, Policy::least_columns);
}

/// A product cut into teams of `rows` rows.
inline DiagonalBandShape diagonal_band_cut(const Device& device, const DiagonalRequest& request, int rows, int groups) {
  DiagonalBandShape shape;
  shape.first_a  = *request.band_a;
  shape.first_b  = *request.band_b;
  shape.width_a  = static_cast<int>(request.dg_a);
  shape.width_b  = static_cast<int>(request.dg_b);
  shape.rows     = rows;
  shape.columns  = columns_of_items(device, request, shape);
  shape.items    = rows / DiagonalBandShape::tall * shape.column_groups();
  shape.threads  = device.lane_width * groups;
  shape.overlaid = shape.items <= groups;
  shape.spread_a = BandSpread::of(groups, rows, device.lane_width);
  shape.spread_b = BandSpread::of(groups, shape.rows_b(), device.lane_width);
  set_whole_rows(shape, request.rows, request.inner, request.columns);
  return shape;
}

/// Warps of a team that has `items` items: all warps of a small product are then busy with copies.
inline int groups_of_teams(const Device& device, std::int64_t teams, int items) {
  using Policy = DiagonalBandPolicy;
  if (teams <= std::int64_t{Policy::teams_a_processor} * device.processors) return Policy::groups;
  const bool is_small = teams <= std::int64_t{Policy::small_teams} * device.processors;
  return std::min(is_small ? std::max(items, Policy::fewer_groups) : items, Policy::groups);
}

/// Rows of a team of a GPU.
inline int rows_of_teams(const Device& device, const DiagonalRequest& request) {
  using Policy       = DiagonalBandPolicy;
  const auto at_once = std::int64_t{Policy::small_teams} * device.processors;
  if (ceiling_quotient(request.rows, Policy::rows) <= at_once) return Policy::rows;
  const auto few     = diagonal_band_cut(device, request, Policy::rows, Policy::groups);
  const auto many    = diagonal_band_cut(device, request, Policy::many_rows, Policy::groups);
  const bool is_wide = few.rows_b() > Policy::narrow_rows_b || few.column_groups() == 1;
  const bool fits =
      many.items <= Policy::groups && many.scratch(device.lane_width) * Policy::teams_a_processor <= device.scratch;
  return is_wide && fits ? Policy::many_rows : Policy::rows;
}

/// The shape for a product; `rows` is 0 where none fits the device. Widths are below 2^20.
inline DiagonalBandShape diagonal_band_shape(const Device& device, const DiagonalRequest& request) {
  using Policy = DiagonalBandPolicy;
  if (!request.is_band() || request.dg_a + request.dg_b > (1 << 20)) return {};
  const auto fitting = [&](int rows) {
    const auto teams = ceiling_quotient(request.rows, std::int64_t{rows});
    const int items  = diagonal_band_cut(device, request, rows, 1).items;
    const int groups = device.is_gpu ? groups_of_teams(device, teams, items) : 1;
    const auto shape = diagonal_band_cut(device, request, rows, groups);
    const bool fits  = shape.scratch(device.lane_width) <= device.scratch && shape.all() <= Policy::most_diagonals;
    return fits ? shape : DiagonalBandShape{};
  };
  int rows = device.is_gpu ? rows_of_teams(device, request) : DiagonalBandShape::tall;
  while (rows > DiagonalBandShape::tall && fitting(rows).rows == 0) rows /= 2;
  return fitting(rows);
}

}  // namespace lacuna::Impl

#endif

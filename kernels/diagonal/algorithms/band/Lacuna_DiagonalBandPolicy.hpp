// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBANDPOLICY_HPP
#define LACUNA_DIAGONALBANDPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

/// Numbers of the banded product. w: diagonals on either side.
/// Evidence: kernels/diagonal/tuning.md.
struct DiagonalBandPolicy {
  /// Columns of C that a warp has at a time. As few cuts of the band are made as these allow,
  /// each no wider than needed.
  static constexpr int least_columns = 32;
  static constexpr int most_columns  = 48;
  /// Diagonals of A, B and C together. Up to `few_diagonals` their bases travel with the kernel in one word each, up to
  /// `most_diagonals` packed. Scratch would hold more where A has few diagonals and B many.
  static constexpr int few_diagonals  = 448;
  static constexpr int most_diagonals = 600;
  static constexpr int groups         = 12;  ///< warps of a team, at most
  /// Rows of a team. `many_rows` serve long products where A is wide or one cut covers the band.
  static constexpr int rows      = 32;
  static constexpr int many_rows = 64;
  /// A is wide where a team of `rows` rows reads more rows of B than this.
  static constexpr int narrow_rows_b = 56;
  /// Teams with `groups` and with `fewer_groups` warps that a processor holds at once, by registers. As long as all
  /// teams of a product are on the device at once, warps that do not multiply help to copy.
  static constexpr int teams_a_processor = 2;
  static constexpr int fewer_groups      = 8;
  static constexpr int small_teams       = 3;
  /// Seconds of a processor: for 16 rows and the columns of an item, for each of eight inner rows of 32 columns, for a
  /// team, and for a diagonal of A in a team.
  static constexpr double item_seconds     = 34e-9;
  static constexpr double step_seconds     = 43e-9;
  static constexpr double team_seconds     = 1.0e-6;
  static constexpr double diagonal_seconds = 80e-9;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBANDPOLICY_HPP
#define LACUNA_DIAGONALBANDPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

/// Times are of w diagonals to either side in double, HM (H200, 25 Nov 2026).
struct DiagonalBandPolicy {
  /// Columns of C that a warp has at a time: as few cuts of the band as these allow, each no wider than it need
  /// be. n = 10^6, HM, in place of 32 always: w = 15 (40) 362 to 307 us, w = 8 (48) 173 to 157, w = 20 (48) 439 to 422.
  /// Three of 32 stand in for two of 48 in CDM, where the compiler runs out of registers, n = 10^6, w = 20 473 to 455,
  /// and where a product is small, so that more warps multiply.
  static constexpr int least_columns = 32;
  static constexpr int most_columns  = 48;
  /// Of A, B and C together, whose bases go with the kernel: so many in one word each, packed the most. More would fit
  /// scratch where A has few and B many.
  static constexpr int few_diagonals  = 448;
  static constexpr int most_diagonals = 600;
  static constexpr int groups         = 12;  ///< warps of a team, at most
  /// Rows of a team: `rows`, or `many_rows` in long products where A is wide, or one cut covers the band. n = 10^6: 32
  /// in place of 64 takes w = 10 from 234 to 224 us, but w = 8 from 157 to 168 and w = 15 from 307 to 315.
  static constexpr int rows      = 32;
  static constexpr int many_rows = 64;
  /// A is wide where a team of `rows` rows reads more rows of B than this.
  static constexpr int narrow_rows_b = 56;
  /// Teams of `groups` and of `fewer_groups` that a processor holds at once, by registers. As long as all teams of a
  /// product are on the device at once, those warps that do not multiply help to copy: n = 10,240, w = 20, 8
  /// warps in place of 4 14.6 to 11.9 us; n = 4096, w = 20, 12 in place of 8 9.7 to 8.8.
  static constexpr int teams_a_processor = 2;
  static constexpr int fewer_groups      = 8;
  static constexpr int small_teams       = 3;
  /// What a processor takes for 16 rows and the columns of an item, and there for each of eight inner rows, of 32
  /// columns; a team by itself, and for a diagonal of A. Fitted to bands of 1 to 30 to either side, n = 1000 to 10^6:
  /// within 25 %.
  static constexpr double item_seconds     = 34e-9;
  static constexpr double step_seconds     = 43e-9;
  static constexpr double team_seconds     = 1.0e-6;
  static constexpr double diagonal_seconds = 80e-9;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBANDPOLICY_HPP
#define LACUNA_DIAGONALBANDPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

/// Times are of w diagonals to either side in double, HM (H200, 24 Nov 2026).
struct DiagonalBandPolicy {
  static constexpr int columns = 32;  ///< of C that a lane group has at a time
  static constexpr int groups  = 12;  ///< lane groups of a team, at most
  /// Rows of a team: `rows`, or `many_rows`, see `diagonal_band_shape`. n = 10^6: 32 in place of 64 takes w = 10 from
  /// 249 to 239 us and w = 15 from 387 to 375, and w = 20 from 470 to 485, where a team reads more than twice as many
  /// rows of B as it has.
  static constexpr int rows      = 32;
  static constexpr int many_rows = 64;
  /// Of `many_rows` for a processor, so many teams make a long product: there a team has no lane groups but those that
  /// multiply. Where there are fewer, the others help to copy (n = 10,240, w = 10, 8.6 to 8.2 us).
  static constexpr int busy_teams = 4;
  /// That a processor is to hold; and where it holds `narrow_teams`, C beside A and B, a lane group has two items one
  /// after the other: n = 10^6, w = 5 at least 191 to 151 us, w = 8 208 to 188.
  static constexpr int teams_a_processor = 2;
  static constexpr int narrow_teams      = 5;
  /// What a processor takes for 16 rows and `columns` columns, and for each of eight inner rows; a team by itself, and
  /// for a diagonal of A. Fitted to bands of 1 to 30 to either side, n = 1000 to 10^6: within 15 %, but w = 5, 125 %.
  static constexpr double item_seconds     = 50e-9;
  static constexpr double step_seconds     = 37e-9;
  static constexpr double team_seconds     = 1.4e-6;
  static constexpr double diagonal_seconds = 85e-9;
};

}  // namespace lacuna::Impl

#endif

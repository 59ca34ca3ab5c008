// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBANDPOLICY_HPP
#define LACUNA_DIAGONALBANDPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

struct DiagonalBandPolicy {
  static constexpr int columns = 32;  ///< of C that a lane group has at a time
  static constexpr int groups  = 12;  ///< lane groups of a team
  /// Items of a lane group, one after the other, at most: with 2, C would need scratch beside A and B (not timed).
  static constexpr int items = 1;
  /// Rows of a team, the most that fit: scratch for so many teams on a processor, and enough teams for all of them.
  /// Where there are `busy_teams` for a processor, a team has no lane groups but those that multiply (n = 10^6, 5 to
  /// either side, 273 to 217 us); where there are fewer, the others help to copy (n = 10,240, 8.0 to 7.5 us; H200, 24
  /// Nov 2026).
  static constexpr int rows[]            = {128, 64, 32, 16};
  static constexpr int busy_teams        = 4;
  static constexpr int teams_a_processor = 2;
  /// What a processor takes for 16 rows and `columns` columns, and for each of eight inner rows; of a team by itself.
  /// Fitted to bands of 1 to 20 to either side, n = 1024 to 10^6 (H200, 24 Nov 2026), within 10 % from 10^5 rows on.
  static constexpr double item_seconds = 77e-9;
  static constexpr double step_seconds = 39e-9;
  static constexpr double team_seconds = 2e-6;
};

}  // namespace lacuna::Impl

#endif

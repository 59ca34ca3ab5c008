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
  static constexpr int rows[]            = {128, 64, 32, 16};
  static constexpr int teams_a_processor = 2;
};

}  // namespace lacuna::Impl

#endif

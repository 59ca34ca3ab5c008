// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSTRIPSPOLICY_HPP
#define LACUNA_DIAGONALSTRIPSPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

struct DiagonalStripsPolicy {
  static constexpr int threads = 1024;  ///< of a team
  /// Those of a strip in units of the lanes, the most that scratch holds. H200, 23 Nov 2026, n = 10,000: 4 in place of
  /// 2 takes 200 diagonals from 756 to 481 us, 400 from 1,205 to 892.
  static constexpr int rows_per_lane[] = {4, 2, 1};
  /// Pairs of diagonals whose elements are read before the first is used: registers hold 8 elements. Lists are filled
  /// up to a multiple of it, which costs where they are short.
  static constexpr int pairs_at_once(int rows) { return rows >= 4 ? 2 : 4; }
  static constexpr int most_pairs_at_once = 4;
  /// Teams that share the rows of a strip between them, each some diagonals of C: so many that a processor has this
  /// many teams one after the other. More of them keep each other waiting less at the end, and load A more often: 6 in
  /// place of 16 takes 600 diagonals from 1,739 to 1,534 us (H200, 23 Nov 2026).
  static constexpr int teams_a_processor = 6;
  /// What a team takes by itself: bands of 7 and 11 diagonals, n = 10,240, 31 and 38 us (H200, 24 Nov 2026).
  static constexpr double team_seconds = 25e-6;
};

}  // namespace lacuna::Impl

#endif

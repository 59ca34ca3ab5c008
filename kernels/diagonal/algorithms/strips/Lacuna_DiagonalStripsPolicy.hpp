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
  /// Of a device's scratch, in CDM, what the most rows a lane may take. H200, 25 Nov 2026, n = 10,000, CDM: 200
  /// diagonals (0.9) by 4 rows 985, by 2 756 us; 160 (0.72) 618, 612; 109 x 35 (0.49) 158, 213.
  static constexpr double most_scratch_of_cdm = 0.75;
  /// Up to so many rows a lane A's diagonals may be taken in parts, so that they fit, rather than fewer rows. A part
  /// more reads C and writes it once more. H200, 25 Nov 2026, n = 10,000, diagonals within 2,500 of the main one, us:
  /// 600 diagonals, 2 rows in 2 parts 3,034, 4 in 3 3,133, 1 in 1 3,806; 500: 2,361, 2,395, 2,828. 400, which 2 rows
  /// hold in 1 part: 1,355, 4 in 2 1,578. 1,000 by 2 rows in 3 parts 7,310, by `gather` 14,594.
  static constexpr int most_rows_in_parts = 2;
  /// ... if a diagonal of C has this many pairs of a part on average. The same matrices, 2 rows in so many parts: 8.3
  /// pairs (400 diagonals) 1,750 for 2,013 us by 1 row, 8.5 (500) 2,732 for 2,828, 5.5 (400) 2,270 for 2,013, 2.3
  /// (200) 1,080 for 955.
  static constexpr double pairs_of_part = 8;
  /// Pairs of diagonals whose elements are read before the first is used: registers hold 8 elements. Lists are filled
  /// up to a multiple of it, which costs where they are short. Twice as many by teams of 512 threads: 1.6 times as long
  /// (H200, 25 Nov 2026; warps that wait for each other's reads are what counts).
  static constexpr int pairs_at_once(int rows) { return rows >= 4 ? 2 : 4; }
  static constexpr int most_pairs_at_once = 4;
  /// Teams that share the rows of a strip between them, each some diagonals of C, are at most so many, and take this
  /// long to load A beside reading it. Chosen by whole rounds of the processors, 200 diagonals take 431 us, by 6 teams
  /// a processor as before 462; n = 6,000, 89 x 75 diagonals 93 in place of 101 (H200, 25 Nov 2026).
  static constexpr int most_splits     = 16;
  static constexpr double load_seconds = 5e-6;
  /// What a team takes by itself: bands of 7 and 11 diagonals, n = 10,240, 31 and 38 us (H200, 24 Nov 2026).
  static constexpr double team_seconds = 25e-6;
};

}  // namespace lacuna::Impl

#endif

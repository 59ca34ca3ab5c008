// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSTRIPSPOLICY_HPP
#define LACUNA_DIAGONALSTRIPSPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

struct DiagonalStripsPolicy {
  static constexpr int threads = 1024;  ///< threads of a team
  /// Rows of a strip for each lane: the most that scratch holds.
  /// Evidence: kernels/diagonal/tuning.md.
  static constexpr int rows_per_lane[] = {4, 2, 1};
  /// Share of a device's scratch that the most rows a lane may take in CDM.
  static constexpr double most_scratch_of_cdm = 0.75;
  /// Rows a lane up to which A's diagonals are taken in several passes, so that they fit, rather than with fewer rows.
  /// Each further pass reads C and writes it once more.
  static constexpr int most_rows_in_passes = 2;
  /// Pairs of diagonals of a pass, on average over the diagonals of C, from which that is done.
  static constexpr double pairs_of_pass = 8;
  /// Pairs of diagonals whose elements are read before the first is used: registers hold 8 elements. Lists are padded
  /// to a multiple of it, which costs time where they are short.
  static constexpr int pairs_at_once(int rows) { return rows >= 4 ? 2 : 4; }
  static constexpr int most_pairs_at_once = 4;
  /// Teams that share the rows of a strip, each with some diagonals of C, at most, and their seconds to
  /// load A beyond reading it.
  static constexpr int most_splits     = 16;
  static constexpr double load_seconds = 5e-6;
  /// Seconds of a team.
  static constexpr double team_seconds = 25e-6;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWLANESPOLICY_HPP
#define LACUNA_SPMVROWLANESPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Numbers of row_lanes.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvRowLanesPolicy {
  static constexpr int team = 256;  ///< threads
  /// Packs of 16 bytes that a lane has in flight.
  static constexpr int packs = 2;
  /// Rounds after which a row waits for its whole warp. A mean row takes about `packs_per_lane` rounds.
  static constexpr int rounds = 32;
  /// Packs of a mean row that a lane takes.
  static constexpr double packs_per_lane(int width) { return width >= 4 ? 3 : 5; }
  /// Nonzeros a row up to which a row has one lane.
  static constexpr double one_lane_mean = 6;
  /// Rows are even where none is longer than `even_factor` times the mean plus `even_margin`: not tuned.
  static constexpr double even_factor = 6;
  static constexpr double even_margin = 64;
  /// Time over that of the bytes where rows are uneven: not tuned.
  static constexpr double uneven_loss = 2;
};

}  // namespace lacuna::Impl

#endif

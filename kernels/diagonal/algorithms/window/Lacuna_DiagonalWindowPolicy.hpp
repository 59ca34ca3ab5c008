// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALWINDOWPOLICY_HPP
#define LACUNA_DIAGONALWINDOWPOLICY_HPP

namespace lacuna::Impl {

struct DiagonalWindowPolicy {
  static constexpr int rows = 128;  ///< rows of a team; on a GPU each has a thread
  /// Most diagonals of A: a diagonal of B takes `rows` plus this many elements of scratch.
  static constexpr int most_a = 32;
  static constexpr int most_b = 24;  ///< most diagonals of B: the sums of a row are in registers
  static constexpr int step   = 6;   ///< diagonals by which the window moves: not tuned
  /// Rate of reads of B from scratch that memory does not hide, in units of the device's gather rate, and seconds of
  /// a row for a diagonal of A.
  /// Evidence: kernels/diagonal/tuning.md.
  static constexpr double scratch_rate = 2.75;
  static constexpr double step_seconds = 0.5e-6;
};

}  // namespace lacuna::Impl

#endif

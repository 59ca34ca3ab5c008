// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALWINDOWPOLICY_HPP
#define LACUNA_DIAGONALWINDOWPOLICY_HPP

namespace lacuna::Impl {

struct DiagonalWindowPolicy {
  static constexpr int rows = 128;  ///< of a team; on a GPU a thread each
  /// Diagonals of A at most: a diagonal of B takes `rows` and as many elements of scratch.
  static constexpr int most_a = 32;
  static constexpr int most_b = 24;  ///< diagonals of B at most: the sums of a row in registers
  static constexpr int batch  = 6;   ///< diagonals that the window moves by
  /// In units of the gather rate of the device: reads of B from scratch, as far as memory does not hide them. A
  /// diagonal of A costs a row some time by itself. Fitted to bands of 1 to 10 to either side, n = 1000 to 10^6, double
  /// (H200, 25 Nov 2026), within 25 %, and so that the faster of this and `band` is taken, or one 6 % slower.
  static constexpr double scratch_rate = 2.75;
  static constexpr double step_seconds = 0.5e-6;
};

}  // namespace lacuna::Impl

#endif

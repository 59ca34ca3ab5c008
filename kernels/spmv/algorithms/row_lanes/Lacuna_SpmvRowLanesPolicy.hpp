// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWLANESPOLICY_HPP
#define LACUNA_SPMVROWLANESPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Measured on one H200 (132 SMs, CUDA 13.0), November 2026, on meshes of 6 M to 214 M nonzeros and on FEM, circuit and
/// graph matrices of 0.4 M to 4 M; the gain stands beside each number, "untuned" where nothing else was tried. Nothing
/// was measured on AMD.
struct SpmvRowLanesPolicy {
  static constexpr int team = 256;  // as fast as 128
  /// Packs of 16 bytes that a lane has in flight. 2 against 1: 200³ mesh float 0 to 6 % faster; 4 costs registers, 5 to
  /// 20 %.
  static constexpr int packs = 2;
  /// Rounds after which a row waits for its whole warp: a row that is long beside the mean, which takes about
  /// `packs_per_lane`. 8: TF17 in double, whose rows are up to 5 times the mean, was 1.8 times slower. Power law: 4
  /// to 12 times faster than without.
  static constexpr int rounds = 32;
  /// Packs that a lane takes of a mean row. Float: 3 against 5: 200³ mesh 15 % faster. Double: 5 against 2.5: 81,000
  /// rows of 76 nonzeros 1.2 times faster.
  static constexpr double packs_per_lane(int width) { return width >= 4 ? 3 : 5; }
  /// Nonzeros a row up to which a row has one lane. 5-point mesh: 1.4 times faster than two lanes, 2.5 than four.
  static constexpr double one_lane_mean = 6;
  /// Rows are even where none is longer than this times the mean and so much more: untuned.
  static constexpr double even_factor = 6;
  static constexpr double even_margin = 64;
  /// What uneven rows take longer than the bytes: a guess. On a power law it is 4 times and more.
  static constexpr double uneven_loss = 2;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSLICESPOLICY_HPP
#define LACUNA_SPMVSLICESPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Measured on one H200 (132 SMs, CUDA 13.0), November 2026, on meshes of 6 M to 214 M nonzeros and on FEM, circuit and
/// graph matrices of 0.4 M to 4 M; the gain stands beside each number, "untuned" where nothing else was tried. Nothing
/// was measured on AMD.
struct SpmvSlicesPolicy {
  /// Slots that should run at once, as a share of the device's threads. 81,000 rows of 76: one slot a row is best for
  /// float (by 8 %), two for double (by 9 %).
  static constexpr double fill(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 0.25 : 0.5; }
  /// Entries a slot should keep. 6 against 8: copter2 in double, 13.7 a row, 1.2 times faster.
  static constexpr double least_entries = 6;
  /// Mean row up to which chunks of 2 are considered. bcsstk32, 45 a row, in float: 1.2 times slower in chunks of 2
  /// though a tenth smaller.
  static constexpr double short_mean = 12;
  /// How much larger slices in chunks of 4 must be before chunks of 2 are taken. 100³ mesh: chunks of 2 are 2 % faster
  /// in float, 7 % slower in double; 5-point mesh, where they save a quarter of the padding, 10 and 12 % faster.
  static constexpr double chunk_gain(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 1.02 : 1.07; }
  static constexpr double longest_slot = 512;  // untuned: entries that one slot may always have
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSLICESPOLICY_HPP
#define LACUNA_SPMVSLICESPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Numbers of the slices of sell.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvSlicesPolicy {
  /// Slots that should run at once, as a share of the device's threads.
  static constexpr double fill(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 0.25 : 0.5; }
  /// Entries that a slot keeps, at least.
  static constexpr double least_entries = 6;
  /// Mean row up to which chunks of 2 are considered.
  static constexpr double short_mean = 12;
  /// Size of slices in chunks of 4 over that in chunks of 2, from which chunks of 2 are taken.
  static constexpr double chunk_gain(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 1.02 : 1.07; }
  static constexpr double longest_slot = 512;  ///< entries that one slot may always have: not tuned
};

}  // namespace lacuna::Impl

#endif

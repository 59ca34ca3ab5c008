// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALGATHERPOLICY_HPP
#define LACUNA_DIAGONALGATHERPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

struct DiagonalGatherPolicy {
  static constexpr int threads         = 256;   ///< of a team on a GPU
  static constexpr int rows_per_thread = 4;     ///< whose sums a thread keeps in registers
  static constexpr int host_rows       = 1024;  ///< of a team on a host, whose sums fit its first cache
  /// What a team takes by itself on a GPU, and for each pair of diagonals: bands of 1 to 11 to either side, n = 1024
  /// (H200, 24 Nov 2026).
  static constexpr double team_seconds = 1e-6;
  static constexpr double pair_seconds = 0.3e-6;
};

}  // namespace lacuna::Impl

#endif

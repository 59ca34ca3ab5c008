// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALGATHERPOLICY_HPP
#define LACUNA_DIAGONALGATHERPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

struct DiagonalGatherPolicy {
  static constexpr int threads         = 256;   ///< threads of a team on a GPU
  static constexpr int rows_per_thread = 4;     ///< rows whose sums a thread keeps in registers
  static constexpr int host_rows       = 1024;  ///< rows of a team on a host: their sums fit its first-level cache
  /// Seconds of a team on a GPU, and of each pair of diagonals.
  /// Evidence: kernels/diagonal/tuning.md.
  static constexpr double team_seconds = 1e-6;
  static constexpr double pair_seconds = 0.3e-6;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSLICEDDIAPOLICY_HPP
#define LACUNA_SPMVSLICEDDIAPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Numbers of sliced_dia.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvSlicedDiaPolicy {
  static constexpr int team = 128;  ///< threads
  /// Diagonals that a lane has in flight: `unroll`, or `other_unroll` where `takes_other` says so. Best is as many as a
  /// slice has. Scalars of 16 bytes: not tuned.
  static constexpr int unroll(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 7 : (scalar_bytes <= 8 ? 5 : 2); }
  static constexpr int other_unroll(std::size_t scalar_bytes) {
    return scalar_bytes <= 4 ? 5 : (scalar_bytes <= 8 ? 4 : 2);
  }
  static constexpr bool takes_other(std::size_t scalar_bytes, std::int64_t diagonals, std::int64_t slices) {
    return scalar_bytes <= 4 ? diagonals <= 5 * slices : diagonals > 5 * slices && diagonals <= 8 * slices;
  }
  /// Teams that a processor should hold: bounds registers.
  static constexpr int teams(std::size_t scalar_bytes) { return scalar_bytes <= 8 ? 16 : 8; }
  /// Share of the device's threads that slices should keep busy; below it several times 32 lanes share a slice.
  static constexpr double fill        = 0.5;
  static constexpr std::int64_t least = 4;  ///< diagonals that each keeps: not tuned

  /// Time of a product by its bytes, in units of that of CSR; seconds of allocations in the set-up, and products of CSR
  /// that take as long as the rest of it.
  static constexpr double time_by_bytes = 0.7;
  static constexpr double setup_seconds = 0.3e-3;
  static constexpr double setup_calls   = 3;
  /// Entries of rows over those of slices as wide as their longest row, from which diagonals are inspected.
  static constexpr double evenness = 0.84;
  static constexpr double gain     = 0.92;  ///< bytes over those of other storages, at most: not tuned
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSELLPOLICY_HPP
#define LACUNA_SPMVSELLPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Numbers of sell.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvSellPolicy {
  static constexpr int team = 128;  ///< threads
  /// Chunks that a thread has in flight.
  static constexpr int unroll(std::size_t scalar_bytes, int chunk) { return (scalar_bytes <= 4 ? 16 : 4) / chunk; }

  /// Bytes of a storage that caches hold.
  static constexpr double cached_bytes = 50e6;
  /// Even rows: bytes of the storage, at most, and the longest row in means, at most. No slice
  /// then outlasts the others.
  static constexpr double even_bytes   = 25e6;
  static constexpr double even_longest = 1.5;
  /// Time of a product by its bytes, in units of that of CSR out of memory.
  static constexpr double time_by_bytes(double bytes, double mean, double longest) {
    if (bytes <= even_bytes && longest <= even_longest * mean) return 0.3;
    if (mean >= 32) return 0.95;
    return bytes <= cached_bytes ? 0.63 : 0.68;
  }
  /// Seconds of a launch beyond that of a CSR kernel.
  static constexpr double extra_seconds = 1e-6;
  /// Set-up: seconds of allocations, and products of CSR that take as long as the rest.
  static constexpr double setup_seconds = 0.2e-3;
  static constexpr double setup_calls   = 8;
};

}  // namespace lacuna::Impl

#endif

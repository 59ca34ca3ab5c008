// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVHOSTROWSPOLICY_HPP
#define LACUNA_SPMVHOSTROWSPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

/// Hosts walk rows. Measured on an AMD EPYC with AVX-512 (Zen 4), two threads, November 2026.
struct SpmvHostRowsPolicy {
  /// Of a register. Single runs in double: faster than 16 and 64, for rows end within a vector, and than plain sums.
  static constexpr int vector_bytes       = 32;
  static constexpr std::int64_t least_run = 2048;  // untuned: nonzeros and rows of the shortest run
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVHOSTROWSPOLICY_HPP
#define LACUNA_SPMVHOSTROWSPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

/// Numbers of the host kernel on rows.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvHostRowsPolicy {
  /// Bytes of a vector of sums.
  static constexpr int vector_bytes       = 32;
  static constexpr std::int64_t least_run = 2048;  ///< nonzeros and rows of the shortest run: not tuned
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVHOSTROWSPOLICY_HPP
#define LACUNA_SPMVHOSTROWSPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Hosts walk rows.
struct SpmvHostRowsPolicy {
  /// Sums that a host keeps of a row. Two threads of an x86-64 without AVX, 8 meshes and matrices, geometric mean:
  /// double 1.7 times faster than with one (with 4, 1.5 times), float 1.2 times (with 3, 1.1 times).
  static constexpr int sums(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 4 : 3; }
  static constexpr std::int64_t least_run = 2048;  // untuned: nonzeros and rows of the shortest run on a host
};

}  // namespace lacuna::Impl

#endif

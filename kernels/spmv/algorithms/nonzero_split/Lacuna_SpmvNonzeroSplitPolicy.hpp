// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVNONZEROSPLITPOLICY_HPP
#define LACUNA_SPMVNONZEROSPLITPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Numbers of nonzero_split.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvNonzeroSplitPolicy {
  /// Packs of 16 bytes that a thread has in flight.
  static constexpr int unroll = 2;
  static constexpr int team   = 128;  ///< threads
  /// Bytes of values of a work item, at most.
  static constexpr std::size_t item_bytes = 4096;
  /// Bytes of values of a work item, at least.
  static constexpr std::size_t least_bytes = 1024;
  /// Threads of the device for each work item: not tuned.
  static constexpr std::int64_t threads = 64;
  /// Bytes of values of the longest row that one work item takes alone.
  static constexpr std::size_t longest_bytes = 4096;
};

}  // namespace lacuna::Impl

#endif

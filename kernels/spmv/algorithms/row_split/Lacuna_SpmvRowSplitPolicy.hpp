// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWSPLITPOLICY_HPP
#define LACUNA_SPMVROWSPLITPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Numbers of row_split for one column.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvRowSplitPolicy {
  /// Bytes of CSR with its vectors up to which uneven rows are sorted by length, and nonzeros a row from which they are
  /// sorted anyway. Not tuned.
  static constexpr double most_sorted_bytes = 10e6;
  static constexpr double long_sorted_mean  = 16;
  /// Nonzeros of the longest row up to which sorted rows are not cut.
  static constexpr std::int64_t longest_uncut = 12288;
  /// Nonzeros of a segment, at least, and segments of the longest row, at most. A lane adds up two of them.
  static constexpr std::int64_t least_segment = 2048;
  static constexpr std::int64_t most_segments = 64;
  /// Nonzeros of a segment; 0: rows are not cut.
  static constexpr std::int64_t segment(std::int64_t longest) {
    if (longest <= longest_uncut) return 0;
    const std::int64_t most = (longest + most_segments - 1) / most_segments;
    return most > least_segment ? most : least_segment;
  }
  /// Nonzeros that a team takes at most: a row of up to two segments is not cut.
  static constexpr std::int64_t longest_of_team(std::int64_t longest) {
    return longest <= longest_uncut ? longest : 2 * segment(longest);
  }
  static constexpr std::int64_t calls = 16;  ///< calls that pay for the passes over the row map: not tuned
  /// Share of the copy rate at which CSR with its vectors is read: up to `cached_bytes` from caches, by the mean row
  /// between `short_mean` and `long_mean`, otherwise from memory.
  static constexpr double cached_bytes = 50e6;
  static constexpr double short_mean   = 16;
  static constexpr double long_mean    = 44;
  static constexpr double rate(double bytes, double mean) {
    if (bytes > cached_bytes) return 0.66;
    const double length = mean < short_mean ? 0 : mean > long_mean ? 1 : (mean - short_mean) / (long_mean - short_mean);
    return 0.8 + 0.25 * length;
  }
  /// Time over that of the bytes where uneven rows are not sorted: not tuned.
  static constexpr double uneven_loss = 1.5;
};

}  // namespace lacuna::Impl

#endif

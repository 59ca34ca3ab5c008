// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWSPLITPOLICY_HPP
#define LACUNA_SPMVROWSPLITPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Measured on one H200 (132 SMs, CUDA 13.0), November 2026, on meshes of 6 M to 214 M nonzeros and on FEM, circuit and
/// graph matrices of 0.4 M to 4 M; the gain stands beside each number, "untuned" where nothing else was tried. Nothing
/// was measured on AMD.
struct SpmvRowSplitPolicy {
  /// Bytes of CSR with its vectors up to which short uneven rows are sorted by length, and the mean from which all are.
  /// Untuned: single runs (H200, double) say that graphs of 0.2 to 4 M nonzeros gain 1.3 to 2 times over nonzero_split,
  /// and that long thin circuits lose as much.
  static constexpr double most_sorted_bytes = 10e6;
  static constexpr double long_sorted_mean  = 16;
  /// Nonzeros of the longest row up to which sorted rows are not cut. Measured (driver, H100, 26 November 2026, in
  /// graphs): 8,413 (gupta2) 12.9 us as it is, 13.8 cut; 22,767 (mult_dcop_02) 4.2 us cut, 5.2 in work items of
  /// nonzeros.
  static constexpr std::int64_t longest_uncut = 12288;
  /// Nonzeros of a segment, and segments of the longest row, of which a lane adds up two. Pieces of 1024 on
  /// mult_dcop_02: 1 % slower in float, 2 % faster in double.
  static constexpr std::int64_t least_segment = 2048;
  static constexpr std::int64_t most_segments = 64;
  /// 0: rows are not cut.
  static constexpr std::int64_t segment(std::int64_t longest) {
    if (longest <= longest_uncut) return 0;
    const std::int64_t most = (longest + most_segments - 1) / most_segments;
    return most > least_segment ? most : least_segment;
  }
  /// What a team has to do at most: a row of up to two segments is not cut.
  static constexpr std::int64_t longest_of_team(std::int64_t longest) {
    return longest <= longest_uncut ? longest : 2 * segment(longest);
  }
  static constexpr std::int64_t calls = 16;  ///< that pay for the passes over the row map: untuned
  /// Of the copy rate at which CSR is read, vectors included: from the caches where it fits them, by the mean row, else
  /// from memory. Measured (H200, November 2026, float and double): 1.0 to 1.1 on rows of 44 and 45, 0.9 to 1.0 on rows
  /// of 31, 0.7 to 0.8 on rows of 6 to 26; block and random matrices of 76 to 150 MB 0.5 to 0.7.
  static constexpr double cached_bytes = 50e6;
  static constexpr double short_mean   = 16;
  static constexpr double long_mean    = 44;
  static constexpr double rate(double bytes, double mean) {
    if (bytes > cached_bytes) return 0.66;
    const double length = mean < short_mean ? 0 : mean > long_mean ? 1 : (mean - short_mean) / (long_mean - short_mean);
    return 0.8 + 0.25 * length;
  }
  /// What uneven rows that are not worth sorting lose: a guess.
  static constexpr double uneven_loss = 1.5;
};

}  // namespace lacuna::Impl

#endif

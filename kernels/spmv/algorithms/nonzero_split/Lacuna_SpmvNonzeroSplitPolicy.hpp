// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVNONZEROSPLITPOLICY_HPP
#define LACUNA_SPMVNONZEROSPLITPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Measured on one H200 (132 SMs, CUDA 13.0), November 2026, on meshes of 6 M to 214 M nonzeros and on FEM, circuit and
/// graph matrices of 0.4 M to 4 M; the gain stands beside each number, "untuned" where nothing else was tried. Nothing
/// was measured on AMD.
struct SpmvNonzeroSplitPolicy {
  /// Packs of 16 bytes that a thread has in flight. 2 against 1: meshes in double and gupta2 up to 15 % faster; against
  /// 4: 10 to 20 % on meshes, though 4 is 4 to 8 % faster on gupta2.
  static constexpr int unroll = 2;
  static constexpr int team   = 128;  // 64 and 256: the same within 3 %
  /// Bytes of values of a work item, at most and at least. At most 8192: power law 6 % slower; 2048: meshes in double
  /// 15 %.
  static constexpr std::size_t item_bytes = 4096;
  /// At least 512: two graphs in float 5 to 9 % faster, delaunay in double 17 % slower; 2048: memplus 20 to 25 %
  /// slower, others up to 8 % (H100, 25 November 2026).
  static constexpr std::size_t least_bytes = 1024;
  /// Threads of the device for each work item wanted: untuned.
  static constexpr std::int64_t threads = 64;
  /// Bytes of values of the longest row that one work item takes alone. 8192: amazon_photo in double 11 % slower.
  static constexpr std::size_t longest_bytes = 4096;
};

}  // namespace lacuna::Impl

#endif

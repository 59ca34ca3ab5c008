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
  static constexpr std::int64_t calls       = 16;  ///< that pay for the passes over the row map: untuned
  /// What it is faster than CSR read otherwise, where its rows are even or sorted: a rule more than an estimate.
  static constexpr double gain = 1e-3;
  /// What uneven rows that are not worth sorting lose: a guess.
  static constexpr double uneven_loss = 1.5;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMGCOOPOLICY_HPP
#define LACUNA_SPMMGCOOPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

/// Numbers of SpMM on GCOO.
/// Evidence: kernels/spmm/tuning.md.
struct SpmmGcooPolicy {
  /// Most rows of a group: the sums that a thread holds.
  static constexpr int few_rows = 4;
  static constexpr int max_rows = 16;
  /// Default p (rows of a group) and b (threads of a team).
  static constexpr std::int64_t rows = 4;
  static constexpr int threads       = 128;
  /// Values of p and b that a search also tries.
  static constexpr std::int64_t searched_rows[] = {2, 4, 8, 16};
  static constexpr int searched_threads[]       = {64, 128, 256};
  /// Time over that of row_split.
  static constexpr double loss = 5;
};

}  // namespace lacuna::Impl

#endif

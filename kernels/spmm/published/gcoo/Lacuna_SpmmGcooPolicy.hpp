// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMGCOOPOLICY_HPP
#define LACUNA_SPMMGCOOPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

/// Numbers of SpMM on GCOO.
struct SpmmGcooPolicy {
  /// The most rows of a group: the sums that a thread holds.
  static constexpr int few_rows = 4;
  static constexpr int max_rows = 16;
  /// p and b where nobody asks: the best of p = 2 to 16 and b = 64 to 256 on uniform random matrices (H200, November
  /// 2026: n = 4096, 90 to 98 % zeros, N = 128 to 4096), where p = 8 takes 1.6 to 1.8 times as long.
  static constexpr std::int64_t rows = 4;
  static constexpr int threads       = 128;
  /// What a search tries beside them.
  static constexpr std::int64_t searched_rows[] = {2, 4, 8, 16};
  static constexpr int searched_threads[]       = {64, 128, 256};
  /// Over rows one by one, there: 3.4 to 6.
  static constexpr double loss = 5;
};

}  // namespace lacuna::Impl

#endif

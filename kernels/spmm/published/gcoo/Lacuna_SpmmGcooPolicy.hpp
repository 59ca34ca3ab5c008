// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMGCOOPOLICY_HPP
#define LACUNA_SPMMGCOOPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

/// Numbers of SpMM on GCOO.
/// Evidence: kernels/spmm/tuning.md.
struct SpmmGcooPolicy {
  /// Default p (rows of a group) and b (threads of a team).
  static constexpr std::int64_t rows = 4;
  static constexpr int threads       = 128;
  /// b without a plan: no more threads than C has columns.
  static constexpr int threads_for(std::int64_t columns) {
    constexpr std::int64_t step = 32;
    const std::int64_t whole    = (columns + step - 1) / step * step;
    return static_cast<int>(whole < threads ? whole : threads);
  }
  /// Values of p and b that a search also tries.
  static constexpr std::int64_t searched_rows[] = {2, 4, 8, 16, 32};
  static constexpr int searched_threads[]       = {64, 128, 256};
  /// Time over that of row_split.
  static constexpr double loss = 5;
};

}  // namespace lacuna::Impl

#endif

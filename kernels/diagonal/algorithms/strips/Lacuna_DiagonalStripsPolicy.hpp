// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSTRIPSPOLICY_HPP
#define LACUNA_DIAGONALSTRIPSPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

struct DiagonalStripsPolicy {
  static constexpr int threads       = 1024;  ///< of a team
  static constexpr int rows_per_lane = 2;     ///< at most; 1 where scratch does not hold more
  static constexpr int batch         = 4;     ///< pairs of diagonals whose elements are read before the first is used
  /// Teams that share the rows of a strip between them, each some diagonals of C: so many that a processor has this
  /// many teams one after the other, and the last of them does not keep all others waiting.
  static constexpr int teams_a_processor = 16;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_NEIGHBOURINGROWS_HPP
#define LACUNA_NEIGHBOURINGROWS_HPP

#include <algorithm>
#include <cstdint>

/// \file
/// \brief How alike the lengths of neighbouring rows are, by a few of them. Host code only.

namespace lacuna::Impl {

/// Pairs of a row and the next, from all parts of a matrix.
struct NeighbouringRows {
  static constexpr std::int64_t most_pairs = 32;  ///< not tuned

  std::int64_t pairs   = 0;
  std::int64_t unequal = 0;  ///< of them, of two lengths
  std::int64_t longest = 0;  ///< row of them
};

/// Of a row map that hosts can read.
template <class Arrays>
NeighbouringRows sample_neighbouring_rows(const Arrays& A) {
  const auto rows   = static_cast<std::int64_t>(A.rows);
  const auto length = [&](std::int64_t row) { return static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]); };
  NeighbouringRows seen;
  seen.pairs = std::clamp<std::int64_t>(rows - 1, 0, NeighbouringRows::most_pairs);
  for (std::int64_t pair = 0; pair < seen.pairs; ++pair) {
    // An odd step: meshes have edges at multiples of even numbers.
    const std::int64_t row  = std::min<std::int64_t>(pair * ((rows / seen.pairs) | 1), rows - 2);
    const std::int64_t here = length(row), next = length(row + 1);
    seen.longest = std::max({seen.longest, here, next});
    seen.unequal += here != next;
  }
  return seen;
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTPOLICY_HPP
#define LACUNA_SPGEMMHOSTPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

/// The numbers of SpGEMM on hosts, see tuning.md.
struct SpgemmHostPolicy {
  /// Rows that a thread takes at a time: inodes of 2, 3, 4, 6 rows are not cut. Not tuned.
  static constexpr std::int64_t rows_at_once = 48;
  /// Upper bound of the bytes of a dense row of sums, half of the second cache. In wider windows the position of a
  /// product is the rank of its column. Not tuned.
  static constexpr std::int64_t dense_bytes = 512 * 1024;
  /// Equal rows that are added at once. Not tuned.
  static constexpr int most_inode_rows = 4;
  /// Words for each nonzero of B, at most, and products for each word, at least, with which B is packed. Not tuned.
  static constexpr double most_packed         = 0.7;
  static constexpr double products_per_packed = 4;
};

}  // namespace lacuna::Impl

#endif

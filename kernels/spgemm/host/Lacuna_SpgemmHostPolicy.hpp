// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTPOLICY_HPP
#define LACUNA_SPGEMMHOSTPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

/// What the time of a product depends on.
struct SpgemmHostWork {
  std::int64_t nonzeros       = 0;  ///< of C
  std::int64_t rows_of_b      = 0;  ///< that are looked up: nonzeros of A
  std::int64_t words          = 0;  ///< of these rows, of 64 columns
  std::int64_t products       = 0;
  std::int64_t wide_products  = 0;  ///< of rows of C whose windows are too wide for dense sums, without those in tables
  std::int64_t table_rows     = 0;  ///< that are added in a table
  std::int64_t table_products = 0;  ///< of these rows
  std::int64_t ranked_products = 0;  ///< of these, where rows are sorted then
};

/// The numbers of SpGEMM on hosts, see tuning.md.
struct SpgemmHostPolicy {
  /// Rows that a thread takes at a time: inodes of 2, 3, 4, 6 rows are not cut. Not tuned.
  static constexpr std::int64_t rows_at_once = 48;
  /// Words of a window that is never hashed, and words for each product of windows that are.
  static constexpr std::int64_t always_dense      = 16384;
  static constexpr std::int64_t words_per_product = 8;
  /// Products of a row that is counted in a table, and added there, at most; the second where C need not be sorted.
  static constexpr int most_ranked   = 128;
  static constexpr int most_in_table = 2048;
  /// Columns of a window that is too wide for dense sums, whose rows are counted by marks, at most: bytes.
  static constexpr std::int64_t most_marked = 512 * 1024;
  /// Nonzeros of A whose rows of B are asked for in front of the one that is multiplied.
  static constexpr int look_ahead = 64;
  /// Bytes about all rows of B from which these are asked for ahead. Not tuned.
  static constexpr std::int64_t far_bytes = 8 << 20;
  /// Upper bound of the bytes of a dense row of sums, half of the second cache. In wider windows the position of a
  /// product is the rank of its column. Not tuned.
  static constexpr std::int64_t dense_bytes = 512 * 1024;
  /// Words of a window up to which all are looked at, rather than those that are noted when they are touched.
  static constexpr std::int64_t narrow = 32;
  /// Equal rows that are added at once. Not tuned.
  static constexpr int most_inode_rows = 4;
  /// Words for each nonzero of B, at most, and products that then set no bit for each nonzero, at least, with which B
  /// is packed.
  static constexpr double most_packed      = 0.7;
  static constexpr double saved_per_packed = 1.2;

  /// Columns that rows of C may have together at the most where they are listed while they are counted. Not tuned.
  static constexpr std::int64_t most_listed = std::int64_t{1} << 30;

  /// Seconds of a thread for a product by a plan.
  static constexpr double seconds(const SpgemmHostWork& work) {
    return 1e-9 * (1.9 * static_cast<double>(work.nonzeros) + 0.8 * static_cast<double>(work.rows_of_b) +
                   1.35 * static_cast<double>(work.words) + 0.32 * static_cast<double>(work.products) +
                   6.5 * static_cast<double>(work.wide_products) + 30 * static_cast<double>(work.table_rows) +
                   6 * static_cast<double>(work.table_products) + 5 * static_cast<double>(work.ranked_products));
  }

  /// Words of a row of sums that `dense_bytes` hold, 64 columns each.
  template <class Scalar>
  static constexpr std::int64_t dense_words() {
    return dense_bytes / static_cast<std::int64_t>(64 * sizeof(Scalar));
  }

  /// Whether the window of a row is a hash table. Memory and time of all others are limited by products and a constant.
  static constexpr bool is_hashed(std::int64_t words, std::int64_t products) {
    return words > always_dense && words / words_per_product > products;
  }
};

}  // namespace lacuna::Impl

#endif

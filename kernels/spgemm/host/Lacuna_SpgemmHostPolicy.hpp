// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTPOLICY_HPP
#define LACUNA_SPGEMMHOSTPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

/// Numbers of SpGEMM on hosts. Gains: AMD EPYC (Zen 4), two threads, November 2026, double, new values of A A.
struct SpgemmHostPolicy {
  /// A thread takes so many rows: runs of 2, 3, 4, 6 equal rows are not cut.
  static constexpr std::int64_t rows_at_once = 48;
  /// Sums stand in a dense row of up to so many bytes, half of the second cache; in wider windows the place of a
  /// product is the rank of its column. Untuned: single runs say that sums are faster where they fit that cache, ranks
  /// where rows are spread over a megabyte and more.
  static constexpr std::int64_t dense_bytes = 512 * 1024;
  /// Equal rows that are added at once. Untuned.
  static constexpr int most_inode_rows = 4;
  /// B is packed into words where it has at most so many of them a nonzero, and is read so often. Untuned.
  static constexpr double most_packed         = 0.7;
  static constexpr double products_per_packed = 4;
};

}  // namespace lacuna::Impl

#endif

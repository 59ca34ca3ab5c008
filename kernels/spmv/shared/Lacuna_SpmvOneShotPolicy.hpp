// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVONESHOTPOLICY_HPP
#define LACUNA_SPMVONESHOTPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Calls without a plan. Measured by a driver in graphs, H100, 26 November 2026, 17 matrices of 0.09 to 26 million
/// nonzeros, geometric means, against teams of 512 of which 3 and 2 run at once, tiles of 1024 and two of them for a
/// processor: 1.10 times faster in float, from 0.73 (mult_dcop_02, whose longest row a smaller team adds up) to 1.6
/// (HEP-th-new); 1.11 in double, 0.93 (mult_dcop_02) to 1.34 (email-Enron). Teams of 256 in double are 1.16 times
/// faster, but take 11.1 us in place of 8.0 for mult_dcop_02.
struct SpmvOneShotPolicy {
  /// Threads; they share the rows of a tile, and a long row.
  static constexpr int team(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 256 : 512; }
  /// Packs of 16 bytes that a thread has in flight; times threads, the products of a tile.
  static constexpr int packs(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 2 : 3; }
  static constexpr int teams_at_once(std::size_t scalar_bytes) {
    return scalar_bytes <= 4 ? 6 : scalar_bytes <= 8 ? 3 : 2;
  }
  static constexpr std::int64_t room       = 8;  ///< one part in so many for the last row of a tile
  static constexpr std::int64_t least_tile = 512;
  /// Tiles of small matrices.
  static constexpr std::int64_t tiles_a_processor(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 5 : 3; }
  static constexpr int row_rounds = 16;  ///< products a lane, above which a row waits
};

}  // namespace lacuna::Impl

#endif

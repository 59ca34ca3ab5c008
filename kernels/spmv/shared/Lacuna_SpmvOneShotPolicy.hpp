// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVONESHOTPOLICY_HPP
#define LACUNA_SPMVONESHOTPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Calls without a plan: nothing of it was measured.
struct SpmvOneShotPolicy {
  static constexpr int team = 512;  ///< threads; they share the rows of a tile, and a long row
  /// Packs of 16 bytes that a thread has in flight; times threads, the products of a tile.
  static constexpr int packs(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 2 : 3; }
  static constexpr int teams_at_once(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 3 : 2; }
  static constexpr std::int64_t room              = 8;  ///< one part in so many for the last row of a tile
  static constexpr std::int64_t least_tile        = 1024;
  static constexpr std::int64_t tiles_a_processor = 2;   ///< of small matrices
  static constexpr int row_rounds                 = 16;  ///< products a lane, above which a row waits
};

}  // namespace lacuna::Impl

#endif

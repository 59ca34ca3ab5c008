// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVONESHOTPOLICY_HPP
#define LACUNA_SPMVONESHOTPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Numbers of calls without a plan, tuned together.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvOneShotPolicy {
  /// Threads of a team; they share the rows of a tile, and a long row.
  static constexpr int team(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 256 : 512; }
  /// Packs of 16 bytes that a thread has in flight. Times the threads they give the products of a tile.
  static constexpr int packs(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 2 : 3; }
  static constexpr int teams_at_once(std::size_t scalar_bytes) {
    return scalar_bytes <= 4 ? 6 : scalar_bytes <= 8 ? 3 : 2;
  }
  /// The last row of a tile may fill one part in `room` of it: not tuned.
  static constexpr std::int64_t room       = 8;
  static constexpr std::int64_t least_tile = 512;
  /// Tiles for each processor where the matrix is small.
  static constexpr std::int64_t tiles_a_processor(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 5 : 3; }
  static constexpr int row_rounds = 16;  ///< products of a lane above which a row waits: not tuned
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_TUNING_HPP
#define LACUNA_SPMV_TUNING_HPP

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Numbers of the SpMV kernels and of their choice. Each stands with where it was measured; "untuned" where not.

namespace lacuna::Impl {

struct SpmvTuning {
  // row_lanes
  static constexpr int row_lanes_team    = 256;  // untuned
  static constexpr int row_lanes_packs   = 2;    // untuned: packs of 16 bytes that a lane has in flight
  static constexpr int row_lanes_rounds  = 8;    // untuned: rounds after which a row is left to the whole team
  static constexpr double packs_per_lane = 5;    // untuned: packs of 16 bytes that a lane takes of a mean row
  static constexpr double one_lane_mean  = 6;

  // row_lanes against nonzero_split
  static constexpr double even_factor = 6;   // untuned: rows are even where none is longer than this times the mean …
  static constexpr double even_margin = 64;  // untuned: … and this

  // nonzero_split
  static constexpr int split_packs      = 2;    // untuned: packs of 16 bytes that a thread has in flight
  static constexpr int split_even_row   = 64;   // untuned: products a lane adds before a row counts as long
  static constexpr int split_tail_share = 8;    // untuned: a last row of more than this share of a piece is not staged
  static constexpr int split_team       = 128;  // untuned
  static constexpr std::int64_t split_least_piece = 256;  // untuned: keys of the smallest piece
  static constexpr std::int64_t split_teams      = 256;  // untuned: threads of the device for each of the pieces wanted
  static constexpr std::size_t split_piece_bytes = 8192;  // untuned: bytes of products of one piece

  // sell
  static constexpr int sell_team = 128;  // untuned
  /// Chunks that a thread has in flight.
  static constexpr int sell_batch(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 4 : 1; }
  /// Slots that should run at once, as a share of the device's threads.
  static constexpr double sell_fill(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 0.25 : 0.5; }
  static constexpr double sell_least_entries = 8;    // untuned: entries a slot should keep
  static constexpr double sell_longest_slot  = 512;  // untuned: entries that one slot may always have
  // Times in ms that weigh slices against CSR: a product costs a launch and its bytes, in slices it reaches more of the
  // bandwidth; the set-up costs allocations and as much as some products.
  static constexpr double launch_ms        = 0.004;
  static constexpr double crs_bytes_per_ms = 2.7e9;
  static constexpr double sell_speed       = 0.75;
  static constexpr double sell_setup_ms    = 0.2;
  static constexpr double sell_setup_calls = 8;
};

}  // namespace lacuna::Impl

#endif

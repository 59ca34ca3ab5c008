// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMBRICKPOLICY_HPP
#define LACUNA_SPMMBRICKPOLICY_HPP

#include <cstdint>

/// \file
/// \brief Numbers of the SpMM kernel on bricks.
/// Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

struct SpmmBrickPolicy {
  /// Tiles of columns: bytes of a row of B that a warp works on, stages of its ring, and warps of a team. Warps of a
  /// team bound the registers of a lane; there are fewer where scratch does not hold their rings.
  ///
  /// Wide tiles, from 65 columns of float on: narrower ones would read the pattern and column lists more often.
  struct Wide {
    static constexpr int bytes  = 512;
    static constexpr int stages = 3;
    static constexpr int groups(int brick_rows) { return brick_rows == 1 ? 16 : 12; }
  };
  /// For 33 to 64 columns of float.
  struct Middle {
    static constexpr int bytes  = 256;
    static constexpr int stages = 4;
    static constexpr int groups(int brick_rows) { return brick_rows == 1 ? 20 : 16; }
  };
  /// Up to 32 columns of float.
  struct Narrow {
    static constexpr int bytes  = 128;
    static constexpr int stages = 3;
    static constexpr int groups(int /*brick_rows*/) { return 24; }
  };

  /// A panel of more steps is cut into segments.
  static constexpr std::int64_t longest_segment = 128;
  /// A panel of more steps is cut into segments where there are too few panels to fill the device.
  static constexpr std::int64_t shortest_segment = 40;
  /// Segments for each warp that can run at once. Not tuned.
  static constexpr std::int64_t segments_per_group = 3;
  /// Segments of a team, on average, up to which they are sorted by length.
  static constexpr std::int64_t most_sorted_segments = 96;
  /// Cost of a segment beyond its steps, in steps: weighs the share of each team. Not tuned.
  static constexpr std::int64_t segment_overhead = 2;

  // Choice
  /// Rows of a panel.
  static constexpr int panel_rows = 8;
  /// Rows of a panel in double, in natural order, from `least_tall_width` columns on, where panels times tiles of 64
  /// columns are at least `least_tall_units`. Half as many rows of B are then read again.
  static constexpr int tall_panel_rows           = 16;
  static constexpr std::int64_t least_tall_width = 64;
  static constexpr double least_tall_units       = 2300;
  /// Set-up of bricks: fixed seconds, and in products of row_split at N = 128.
  static constexpr double setup_seconds = 0.2e-3;
  static constexpr double setup_calls   = 0.9;
  /// Cost of a B whose rows are not aligned, in times of row_split, and the columns up to which that is known. It
  /// matters only where the caller asks for bricks: `automatic` takes rows for such N.
  static constexpr double unaligned_cost              = 0.36;
  static constexpr std::int64_t most_repacked_columns = 32;

  // Row clustering
  /// Share of the time of a product that is proportional to the active columns.
  static constexpr double cluster_gain = 0.65;
  /// Share of the active columns that clustering may leave, at best.
  static constexpr double best_cluster_share = 0.7;
  static constexpr double least_cluster_rpc  = 1.5;  ///< nonzeros per active column; graphs lie below: not tuned
  /// Nonzeros per active column above which nodes have several unknowns and clustering gains little.
  static constexpr double most_cluster_rpc(bool is_double) { return is_double ? 4.4 : 4; }
};

}  // namespace lacuna::Impl

#endif

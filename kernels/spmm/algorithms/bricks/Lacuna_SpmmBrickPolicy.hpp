// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMBRICKPOLICY_HPP
#define LACUNA_SPMMBRICKPOLICY_HPP

#include <cstdint>

/// \file
/// \brief Numbers of the SpMM kernel on bricks. Measured, or from prototypes, on one H200 (132 SMs, CUDA 13.0),
/// November 2026, on meshes of 27 points with 1 and 3 unknowns a node, 128 columns, unless said.

namespace lacuna::Impl {

struct SpmmBrickPolicy {
  /// Tiles of columns: bytes of a row of B that a warp works on, stages of its ring, warps of a team (fewer
  /// where scratch does not hold their rings), which is what bounds the registers of a lane.
  ///
  /// 128 columns of float were 1.5 times faster than 32, whose pattern and column lists are read four times as often.
  /// Panels of 16 rows take more registers: 12 groups 1.1 to 1.2 times faster than 14 (FEM, TF32).
  struct Wide {
    static constexpr int bytes  = 512;
    static constexpr int stages = 3;
    static constexpr int groups(int brick_rows) { return brick_rows == 1 ? 16 : 12; }
  };
  /// For 33 to 64 columns of float: 1.6 times faster than a wide tile that is half empty. More registers a lane and one
  /// more stage are worth more than 28 groups.
  struct Middle {
    static constexpr int bytes  = 256;
    static constexpr int stages = 4;
    static constexpr int groups(int brick_rows) { return brick_rows == 1 ? 20 : 16; }
  };
  /// Up to 32 columns of float.
  struct Narrow {
    static constexpr int bytes  = 128;
    static constexpr int stages = 3;
    /// 32 groups: 1.1 to 1.25 times slower.
    static constexpr int groups(int /*brick_rows*/) { return 24; }
  };

  /// A panel of more steps than this is cut into segments …
  static constexpr std::int64_t longest_segment = 128;
  /// … and of more than this where there are too few panels to fill the device. Each cut costs the time of several
  /// steps: 16 is up to 1.5 times slower on meshes, 28 the same where few panels are that long.
  static constexpr std::int64_t shortest_segment = 40;
  /// Segments that there should be for each warp that can run at once (untuned).
  static constexpr std::int64_t segments_per_group = 3;
  /// Segments of a team, on average, up to which those are sorted. Up to 1.2 times faster from 21 to 84 of them,
  /// nothing at 248; in between untuned.
  static constexpr std::int64_t most_sorted_segments = 96;
  /// What a segment costs beside its steps, in steps: weighs the share of each team.
  static constexpr std::int64_t segment_overhead = 2;

  // Choice
  /// Rows of a panel. Measured: 16 are 4 % faster on a mesh with 3 unknowns a node in TF32, 5 to 50 % slower on
  /// bcsstk32, cfd1 and a mesh with one, and 10 to 40 % slower at full precision everywhere.
  static constexpr int panel_rows = 8;
  /// In double, in natural order, from so many columns on, where panels times tiles of 64 columns fill the device: half
  /// as many rows of B are read again. Measured (H200, 25 November 2026, 12 matrices, time over that of 8 rows): N = 64
  /// 0.88 to 1.05, 128 0.86 to 1.04, 512 0.77 to 0.98; N = 32 0.98 to 1.2.
  static constexpr int tall_panel_rows           = 16;
  static constexpr std::int64_t least_tall_width = 64;
  static constexpr double least_tall_units       = 2300;
  /// Set-up of bricks: fixed, and in products of the row kernel at N = 128. Measured: 0.2 to 0.5 ms for 1 to 7 million
  /// nonzeros of meshes and FEM.
  static constexpr double setup_seconds = 0.2e-3;
  static constexpr double setup_calls   = 0.9;
  /// What a B whose rows are not aligned costs, in the time of the row kernel, and the columns up to which that is
  /// known: guessed from a mesh at N = 17 and 31. It matters where bricks were asked for by name: `automatic` takes
  /// rows for such N.
  static constexpr double unaligned_cost              = 0.36;
  static constexpr std::int64_t most_repacked_columns = 32;

  // Row clustering
  /// Share of the time of a product that follows the active columns. Prototype: 0.6 of the columns, 1.35 times faster.
  static constexpr double cluster_gain = 0.65;
  /// Of the columns that clustering may leave. Measured: 0.72 to 0.84 on matrices with one unknown a node.
  static constexpr double best_cluster_share = 0.7;
  static constexpr double least_cluster_rpc  = 1.5;  ///< below are graphs: untuned
  /// Above, nodes have several unknowns: little is gained. In double, measured (see above): rpc 4.1 and 4.3 of shells
  /// 0.87 to 0.94 of the time in natural order, 4.3 to 4.7 of solids 0.98 to 1.02.
  static constexpr double most_cluster_rpc(bool is_double) { return is_double ? 4.4 : 4; }
};

}  // namespace lacuna::Impl

#endif

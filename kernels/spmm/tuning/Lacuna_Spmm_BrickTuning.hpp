// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_BRICKTUNING_HPP
#define LACUNA_SPMM_BRICKTUNING_HPP

#include <cstdint>

/// \file
/// \brief Numbers of the SpMM kernel on bricks. Measured, or from prototypes, on one H200 (132 SMs, CUDA 13.0),
/// November 2026, on meshes of 27 points with 1 and 3 unknowns a node, 128 columns, unless said.

namespace lacuna::Impl {

struct SpmmBrickTuning {
  /// Bytes of a row of B that a lane group works on: 128 columns of float. 1.5 times faster than 32 columns, whose
  /// pattern and column lists are read four times as often.
  static constexpr int wide_bytes = 512;
  /// For the last columns where few are left, and for small N.
  static constexpr int narrow_bytes = 128;

  /// Stages of a ring: 2 or 3 were best in the prototypes, 3 where they fit.
  static constexpr int stages = 3;

  /// Lane groups of a team; fewer where scratch does not hold their rings. Panels of 8 rows: 12 against 16: 6 % slower.
  /// Panels of 16 rows have more registers a lane, and rings that do not fit 16 times.
  static constexpr int wide_groups(int brick_rows) { return brick_rows == 1 ? 16 : 14; }
  static constexpr int narrow_groups = 32;  // untuned: as many as a team can have

  /// A panel of more steps than this is cut into pieces …
  static constexpr std::int64_t longest_piece = 128;
  /// … and of more than this where there are too few panels to fill the device (untuned).
  static constexpr std::int64_t shortest_piece = 32;
  /// Pieces that there should be for each lane group that can run at once (untuned).
  static constexpr std::int64_t pieces_per_group = 2;
  /// What a piece costs beside its steps, in steps: weighs the share of each team.
  static constexpr std::int64_t piece_overhead = 2;
};

}  // namespace lacuna::Impl

#endif

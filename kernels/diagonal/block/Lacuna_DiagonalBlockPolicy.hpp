// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBLOCKPOLICY_HPP
#define LACUNA_DIAGONALBLOCKPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// How diagonals times blocks and vectors are cut. Numbers without a row in the tables are not tuned.
/// Evidence: kernels/diagonal/tuning.md.
struct DiagonalBlockPolicy {
  static constexpr int threads = 256;  ///< threads of a team on a GPU
  /// Lanes along rows: rows of a thread for a vector, where every processor has several teams of them, and
  /// columns of a thread for a block.
  static constexpr int rows         = 4;
  static constexpr int columns      = 8;
  static constexpr int few_columns  = 4;
  static constexpr int teams_wanted = 4;  ///< teams for each processor
  /// Lanes along columns: `tall` rows of a subwarp, which read `block` rows of B at a time for
  /// all diagonals that touch.
  static constexpr int tall       = 8;
  static constexpr int block      = 4;
  static constexpr int load_bytes = 16;
  /// Bytes of a row of B that a subwarp has.
  static constexpr int row_bytes = 128;
  /// Bytes of A in the scratch of a warp.
  static constexpr std::size_t stage = std::size_t{12} << 10;
  /// Threads of a team.
  static constexpr int column_threads = 128;
  static constexpr int column_teams   = 8;  ///< teams wanted for each processor
  /// Lanes with packs of rows: least rows of a pack, and columns of a lane.
  static constexpr int least_pack               = 4;
  static constexpr int pack_columns             = 8;
  static constexpr std::size_t stage_with_packs = std::size_t{8} << 10;
  /// Hosts: rows of a thread at a time for a column, and columns at a time for a row.
  static constexpr int host_rows    = 1024;
  static constexpr int host_columns = 32;
  static constexpr int host_item    = 128;  ///< rows of an item that takes them one by one
};

}  // namespace lacuna::Impl

#endif

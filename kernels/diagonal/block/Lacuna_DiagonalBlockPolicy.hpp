// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBLOCKPOLICY_HPP
#define LACUNA_DIAGONALBLOCKPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// How diagonals times blocks and vectors are cut. Untuned but for what says otherwise.
struct DiagonalBlockPolicy {
  static constexpr int threads = 256;  ///< of a team on a GPU
  /// Lanes along rows: rows of a thread for a vector where every processor has several teams of them, and columns of a
  /// thread for a block.
  static constexpr int rows         = 4;
  static constexpr int columns      = 8;
  static constexpr int few_columns  = 4;
  static constexpr int teams_wanted = 4;  ///< a processor
  /// Lanes along columns: rows of a subwarp, which read rows of B for all diagonals that touch, so many of them at a
  /// time.
  static constexpr int tall       = 8;
  static constexpr int block      = 4;
  static constexpr int load_bytes = 16;
  /// Bytes of a row of B that a subwarp has. H200, November 2026, meshes of 5 and 27 points, a band of 21 diagonals,
  /// float, N = 32: 256 take 1.6 times as long; at N = 128, and in double, the same within 6 %.
  static constexpr int row_bytes = 128;
  /// Bytes of A in the scratch of a warp. The same, N = 128: all of 27 diagonals at once instead of 16 save 11 to
  /// 26 %; at N = 8, where they take 14 KiB, the half of it saves up to 7 % in double.
  static constexpr std::size_t stage = std::size_t{12} << 10;
  /// Of a team. The same: 256 take up to 9 % longer.
  static constexpr int column_threads = 128;
  static constexpr int column_teams   = 8;  ///< a processor, wanted
  /// Lanes with packs of rows, and their columns. The same, float: 1.5 to 2.7 times as fast as a row a lane, 4 columns
  /// up to 1.25 times slower; packs of two rows, in double, are slower than a row a lane.
  static constexpr int least_pack               = 4;
  static constexpr int pack_columns             = 8;
  static constexpr std::size_t stage_with_packs = std::size_t{8} << 10;
  /// A host thread's rows at a time for a column, and columns at a time for a row.
  static constexpr int host_rows    = 1024;
  static constexpr int host_columns = 32;
  static constexpr int host_item    = 128;  ///< rows of a team that takes them one by one
};

}  // namespace lacuna::Impl

#endif

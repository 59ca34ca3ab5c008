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
  /// Lanes along columns: rows of a sub-group, which read rows of B for all diagonals that touch, so many of them at a
  /// time; bytes of a row of B that a sub-group has; bytes of A in the scratch of a lane group.
  static constexpr int tall             = 8;
  static constexpr int block            = 4;
  static constexpr int load_bytes       = 16;
  static constexpr int row_bytes        = 128;
  static constexpr std::size_t stage    = std::size_t{12} << 10;
  static constexpr int pack_columns     = 8;  ///< of a lane that has packs of rows
  static constexpr int column_threads   = 128;
  static constexpr int column_min_teams = 4;  ///< that fit on a processor
  static constexpr int column_teams     = 8;  ///< a processor, wanted
  /// A host thread's rows at a time for a column, and columns at a time for a row.
  static constexpr int host_rows    = 1024;
  static constexpr int host_columns = 32;
  static constexpr int host_piece   = 128;  ///< rows of a team that takes them one by one
};

}  // namespace lacuna::Impl

#endif

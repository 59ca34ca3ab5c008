// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWBLOCKPOLICY_HPP
#define LACUNA_SPMMROWBLOCKPOLICY_HPP

#include <Lacuna_Options.hpp>
#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <cstdint>

/// \file
/// \brief Numbers of the SpMM kernel on row blocks (consecutive rows with the same columns), and of its choice.
/// Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

struct SpmmRowBlockPolicy {
  static constexpr int team = 256;  ///< threads: not tuned
  /// Nonzeros of each row that are multiplied at once.
  static constexpr int unroll = 4;
  /// Most rows of a block; the kernel is compiled for both. `many_rows` serves if it leaves at most `many_save` of the
  /// reads of B that `few_rows` leaves. Otherwise `few_rows` serves: it takes fewer registers and gives more blocks.
  static constexpr int few_rows     = RunStatistics::few_rows;
  static constexpr int many_rows    = RunStatistics::many_rows;
  static constexpr double many_save = 0.85;
  static bool takes_many(const RunStatistics& runs) {
    return static_cast<double>(runs.many_reads) <= many_save * static_cast<double>(runs.few_reads);
  }
  static int most_rows(const RunStatistics& runs) { return takes_many(runs) ? many_rows : few_rows; }
  static std::int64_t reads(const RunStatistics& runs) { return takes_many(runs) ? runs.many_reads : runs.few_reads; }
  static std::int64_t blocks(const RunStatistics& runs) {
    return takes_many(runs) ? runs.many_blocks : runs.few_blocks;
  }
  /// Share of the device's threads below which a lane takes one load instead of two. Where that does not suffice,
  /// several subwarps share a block, and each slice keeps at least `least_nonzeros_per_k_slice` nonzeros.
  static constexpr double fill                       = 0.4;
  static constexpr double least_nonzeros_per_k_slice = 8;
  /// Teams that a processor should hold: bounds registers.
  static constexpr int teams_at_once(int most_rows, int lane_vectors) {
    return most_rows <= few_rows && lane_vectors == 1 ? 3 : 2;
  }
  /// Most loads of 16 bytes side by side along a row of B, and from how many on a lane takes two: a column and a value
  /// are then read once for both.
  static constexpr std::int64_t most_vectors = 32;
  static constexpr std::int64_t two_vectors  = 16;
  /// Bytes of B above which the tiles of a block run side by side. Below, a tile of B stays in cache, and each tile
  /// runs for all blocks before the next.
  static constexpr double tiles_inside_bytes = 35e6;

  // Choice
  static constexpr double setup_seconds    = 0.15e-3;  ///< set-up beyond that of row_split: not tuned
  static constexpr std::size_t block_bytes = 32;       ///< bytes of a block in the list, at most
  static constexpr double loss             = 1.05;  ///< time over that of row_split where blocks do not pay: not tuned
  static constexpr double just_below       = 0.98;
  /// Least columns of B.
  static constexpr std::int64_t least_columns = 4;
  static constexpr double least_mean          = 6;  ///< nonzeros a row: not tuned
  /// Nonzeros per active column of a panel. Pairs of equal rows have at least as many.
  static constexpr double least_rpc = 1.9;
  /// Share of row_split's time that blocks are assumed to save where B must be copied to aligned
  /// rows for them: not tuned.
  static constexpr double least_gain = 0.5;
  /// Nonzeros a row from which even rows are taken although no two of them are equal: the kernel reads columns ahead.
  static constexpr double long_rows             = 100;
  static constexpr std::int64_t least_long_rows = 48;   ///< rows for each processor, at least
  static constexpr double longest_rows          = 170;  ///< nonzeros a row, at most
  static constexpr std::int64_t long_rows_columns(std::size_t scalar_bytes) { return scalar_bytes > 4 ? 32 : 128; }
  /// Share of row_split's time that long rows save.
  static constexpr double long_rows_gain(std::size_t scalar_bytes, bool random) {
    return random && scalar_bytes <= 4 ? 0.07 : 0.15;
  }
  /// Nonzeros a row and columns of B from which even rows with random columns are taken.
  static constexpr double least_random_mean          = 16;
  static constexpr std::int64_t least_random_columns = 256;
  /// For wider products: nonzeros a row, at least, and bytes of B, at most.
  static constexpr double least_wide_mean   = 32;
  static constexpr double most_random_bytes = 80e6;
  static constexpr double share_at_best     = 0.7;  ///< least time over that of row_split
  /// Most rows for each processor with which few even random rows are taken, for `vectors` vectors
  /// of 16 bytes of a row of B.
  static constexpr std::int64_t most_few_rows(std::int64_t vectors) {
    return vectors < 8 || vectors > 96 ? 0 : vectors <= 32 ? 20 : 12;  // for each processor
  }
  static constexpr double least_few_mean = 8;  ///< nonzeros a row, at least
  /// Time over that of row_split for few rows: where row_split has many nonzeros in flight (`RowsPolicy::even_long`),
  /// and elsewhere, by vectors of a row of B.
  static constexpr double few_long_rows_share = 1.05;
  static constexpr double few_rows_share(std::int64_t vectors) {
    return vectors < 16 ? 0.85 : vectors < 24 ? 0.65 : vectors <= 32 ? 0.92 : 0.8;
  }
  /// Share of the reads of B above which no rows count as equal. Tiles of a block then have nothing to share either.
  static constexpr double no_equal_rows = 0.95;
  /// Share of the reads of B up to which blocks are faster than row_split.
  static constexpr double share_of_rows(std::int64_t columns) { return columns <= 64 ? 0.6 : 0.45; }
  /// Rows of B that blocks read for each one that bricks read, up to which blocks are faster.
  static constexpr double clearly_fewer = 0.9;
  /// The same ratio from which neighbouring blocks share columns, and the first-level cache serves many of the reads.
  static constexpr double shared_by_neighbours = 1.1;
  /// Columns of B up to which blocks are taken where the ratio lies between these two.
  static constexpr std::int64_t most_scattered_columns(Precision precision) {
    return precision == Precision::full ? 128 : 64;
  }
  /// The largest ratio with which blocks are taken.
  static constexpr double most_over_panels(Precision precision, std::int64_t columns, bool even) {
    const bool full = precision == Precision::full;
    if (even && columns <= (full ? 64 : 32)) return 2.3;
    return full || columns <= 32 || columns > 128 ? 1.6 : clearly_fewer;
  }
  /// Rows are even for that ratio if none is longer than this times the mean.
  static constexpr double even_row = 2;
};

/// Rows of B that blocks read for each one that panels of 8 rows with packed columns read; 0 where that is not known.
inline double row_block_reads_over_panels(const Inspection& A) {
  return A.panels && A.panels->active_columns > 0
             ? static_cast<double>(SpmmRowBlockPolicy::reads(*A.runs)) / static_cast<double>(A.panels->active_columns)
             : 0.0;
}

/// Whether neighbouring blocks have no columns in common. Panels, which are cut without regard to blocks, then
/// read B as often as blocks do.
inline bool row_blocks_are_scattered(const Inspection& A) {
  const double reads = row_block_reads_over_panels(A);
  if (columns_are_random(A) && static_cast<double>(SpmmRowBlockPolicy::reads(*A.runs)) >=
                                   SpmmRowBlockPolicy::no_equal_rows * static_cast<double>(A.nonzeros))
    return true;
  return reads > SpmmRowBlockPolicy::clearly_fewer && reads < SpmmRowBlockPolicy::shared_by_neighbours;
}

}  // namespace lacuna::Impl

#endif

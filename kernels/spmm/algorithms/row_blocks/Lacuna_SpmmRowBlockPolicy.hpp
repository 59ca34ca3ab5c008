// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWBLOCKPOLICY_HPP
#define LACUNA_SPMMROWBLOCKPOLICY_HPP

#include <Lacuna_Options.hpp>
#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <cstdint>

/// \file
/// \brief Numbers of the SpMM kernel that takes rows with the same columns together, and of its choice. "Prototype":
/// measured with a throw-away kernel of the same design on one H200 (CUDA 13.0, November 2026), on FEM matrices and
/// meshes with 2, 3, 4 and 6 unknowns a node; "measured": single sweeps with this kernel there, not kept.

namespace lacuna::Impl {

struct SpmmRowBlockPolicy {
  static constexpr int team = 256;  ///< threads; untuned
  /// Nonzeros of each row that are multiplied at once. Prototype: 2 and 8 are up to 1.1 times slower.
  static constexpr int unroll = 4;
  /// Rows of a block, at most; the kernel is compiled for both. Where the larger one does not leave this share of the
  /// reads of B, the smaller serves: it takes fewer registers, and there are more blocks.
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
  /// Where subwarps with two loads each fill less than this part of the threads that the device holds, a lane takes
  /// one load; where that does not suffice, several subwarps share a block, down to so many nonzeros a part.
  /// Measured: 3,741 blocks of rows of 44 nonzeros are 1.5 to 2 times faster so at N = 32 to 128; 7,194 of 60, which
  /// fill 0.43 of the device at N = 128, 1.15 times slower there, 1.1 to 1.2 times faster at 32 and 64.
  static constexpr double fill                       = 0.4;
  static constexpr double least_nonzeros_per_k_slice = 8;
  /// Teams that a processor should hold: bounds registers. Prototype.
  static constexpr int teams_at_once(int most_rows, int lane_vectors) {
    return most_rows <= few_rows && lane_vectors == 1 ? 3 : 2;
  }
  /// Loads of 16 bytes that stand side by side along a row of B, at most, and from how many on a lane takes two of
  /// them: columns and values are then read once for both. Prototype: at 32 two are 1.05 to 1.2 times faster than one.
  static constexpr std::int64_t most_vectors = 32;
  static constexpr std::int64_t two_vectors  = 16;
  /// Bytes of B above which the tiles of a block are taken side by side, below one after the other for all blocks: as
  /// long as the cache holds a tile of B. Prototype, N = 512: up to 1.1 times faster than the other way. Measured, N =
  /// 256 and 512, 4 matrices with 39e6 to 46e6 bytes of B: side by side 1.02 to 1.35 times faster; with 29e6
  /// (appu, whose blocks are scattered and so never taken side by side) it would be 1.14 times slower.
  static constexpr double tiles_inside_bytes = 35e6;

  // Choice
  static constexpr double setup_seconds    = 0.15e-3;  ///< beside that of row_split: untuned
  static constexpr std::size_t block_bytes = 32;       ///< of the list, at most
  static constexpr double loss             = 1.05;     ///< over rows one by one, where blocks do not pay: untuned
  static constexpr double just_below       = 0.98;
  /// Of B. Measured: at 4 to 12 1.1 to 2.7 times faster than row_split on 3 to 6 unknowns a node, as fast on 2.
  static constexpr std::int64_t least_columns = 4;
  static constexpr double least_mean          = 6;    ///< nonzeros a row: untuned
  static constexpr double least_rpc           = 1.9;  ///< without rows that are equal in pairs there is less
  /// Part of row_split's time that blocks are taken to save, where B must be copied to aligned rows for them:
  /// untuned.
  static constexpr double least_gain = 0.5;
  /// Long even rows are taken here though no two of them are equal, from so many nonzeros a row and columns up: columns
  /// are read ahead. Measured, a random matrix with 132 a row: 1.15 times faster than row_split at N = 128, 1.25 times
  /// at 512, 1.1 times slower at 32, in double 1.2 times faster there; with 15 to 27 a row up to 1.4 times slower.
  static constexpr double long_rows             = 100;
  static constexpr std::int64_t least_long_rows = 48;   ///< of a processor: 3,200 rows of 160 1.1 times slower, N = 128
  static constexpr double longest_rows          = 170;  ///< uniform rows of 205 and 550: 1.2 times slower, N = 128
  static constexpr std::int64_t long_rows_columns(std::size_t scalar_bytes) { return scalar_bytes > 4 ? 32 : 128; }
  /// Of row_split's time. Less in float where columns are known to stand as by chance: appu at N = 128 takes 0.93 of
  /// that time in float, 0.87 in double (H100, 26 November 2026, perf_tests/results/h100).
  static constexpr double long_rows_gain(std::size_t scalar_bytes, bool random) {
    return random && scalar_bytes <= 4 ? 0.07 : 0.15;
  }
  /// Even rows whose columns stand as by chance are taken here from so many nonzeros a row and columns of B up.
  /// Measured (SpmmRandomPolicy) with at most 25e6 bytes of B, time over that of row_split: rows of 10 0.95 to 1.1, of
  /// 20 0.88, of 25 0.97, of 50 0.77 to 0.9, of 100 and more 0.7 to 0.85; at N = 128 1.15 to 1.3.
  static constexpr double least_random_mean          = 16;
  static constexpr std::int64_t least_random_columns = 256;
  /// Wider products from rows of so many nonzeros on, up to this size of B. Measured, n = N = 4000 and 4096: 99 % zeros
  /// (rows of 40) 1.12 times faster than row_split, 98 % 1.24 times, as fast as tiled; larger ones were not measured
  /// so.
  static constexpr double least_wide_mean   = 32;
  static constexpr double most_random_bytes = 80e6;
  static constexpr double share_at_best     = 0.7;  ///< of row_split's time
  /// Even random rows where there are few of them for each processor: so many at most, and the time over that of
  /// row_split, by vectors of 16 bytes of a row of B. Measured (H200, 25 November 2026), uniform matrices of 512 to
  /// 8,192 rows, 1 to 50 % nonzeros: up to 2,500 rows, 8 vectors 0.68 to 0.95, 16 0.49 to 0.81, 24 and 32 0.74 to 1.0;
  /// 48 to 96 up to 1,500 rows 0.61 to 0.93; 3,200 rows 0.92 to 1.2, 4,096 1.0 to 1.45; with 4 vectors the same as
  /// row_split; with 128 1.0 to 1.4.
  static constexpr std::int64_t most_few_rows(std::int64_t vectors) {
    return vectors < 8 || vectors > 96 ? 0 : vectors <= 32 ? 20 : 12;  // of a processor
  }
  static constexpr double least_few_mean = 8;  ///< nonzeros a row
  /// Where row_split has many nonzeros on their way (`RowsPolicy::even_long`). Measured, 1,024 and 2,048 rows of 10
  /// to 410, N = 64 to 512: 0.92 to 1.4 times its time.
  static constexpr double few_long_rows_share = 1.05;
  static constexpr double few_rows_share(std::int64_t vectors) {
    return vectors < 16 ? 0.85 : vectors < 24 ? 0.65 : vectors <= 32 ? 0.92 : 0.8;
  }
  /// No rows are equal where blocks leave this share of the reads: then tiles of a block have nothing to share either.
  static constexpr double no_equal_rows = 0.95;
  /// Blocks instead of row_split where they leave at most this share of the reads of B. Measured: pairs of rows (0.5)
  /// are 1.1 times faster at N = 32 and 64, as fast at 128, 1.1 times slower from 256 up.
  static constexpr double share_of_rows(std::int64_t columns) { return columns <= 64 ? 0.6 : 0.45; }
  /// Rows of B that blocks read for each that bricks read: blocks are faster where this is at most `clearly_fewer`.
  /// Measured, float: at 0.7 1.3 to 1.5 times faster at N = 32 to 512, in TF32 too; double is as fast or up to 1.4
  /// times slower.
  static constexpr double clearly_fewer = 0.9;
  /// From this up neighbouring blocks have columns in common, and the first-level cache serves many of the reads.
  static constexpr double shared_by_neighbours = 1.1;
  /// Columns up to which blocks are taken where it lies between those two. Measured at 1.0, which is blocks of 4 x 4
  /// here and there: 1.2 and 1.3 times faster at N = 32 and 64, as fast at 128, 1.2 times slower from 256 up; in TF32
  /// as fast up to 128.
  static constexpr std::int64_t most_scattered_columns(Precision precision) {
    return precision == Precision::full ? 128 : 64;
  }
  /// And the largest number for which they are taken. Measured at 1.5, a mesh with 3 unknowns a node: 1.05 to 1.2 times
  /// faster at N = 32 to 512; in TF32 as fast at 32, 1.05 to 1.15 times slower at 64 and 128, 1.05 times faster from
  /// 256 up. At 2.2, pairs of rows, 1.2 times faster at N = 32 and 64, in TF32 1.1 times at 32, up to 1.3 times slower
  /// above. At 1.7, blocks of 1 to 6 rows up to 5 times as long as the mean, 1.1 to 1.6 times slower.
  static constexpr double most_over_panels(Precision precision, std::int64_t columns, bool even) {
    const bool full = precision == Precision::full;
    if (even && columns <= (full ? 64 : 32)) return 2.3;
    return full || columns <= 32 || columns > 128 ? 1.6 : clearly_fewer;
  }
  /// Rows are even for that if none is longer than this times the mean.
  static constexpr double even_row = 2;
};

/// Reads of rows of B for each that panels of 8 rows with moved columns make; 0 where that is not known.
inline double row_block_reads_over_panels(const Inspection& A) {
  return A.panels && A.panels->active_columns > 0
             ? static_cast<double>(SpmmRowBlockPolicy::reads(*A.runs)) / static_cast<double>(A.panels->active_columns)
             : 0.0;
}

/// Whether blocks have no columns in common with those beside them: panels, which are cut without regard to blocks,
/// then read B as often as these.
inline bool row_blocks_are_scattered(const Inspection& A) {
  const double reads = row_block_reads_over_panels(A);
  if (columns_are_random(A) && static_cast<double>(SpmmRowBlockPolicy::reads(*A.runs)) >=
                                   SpmmRowBlockPolicy::no_equal_rows * static_cast<double>(A.nonzeros))
    return true;
  return reads > SpmmRowBlockPolicy::clearly_fewer && reads < SpmmRowBlockPolicy::shared_by_neighbours;
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_TUNING_HPP
#define LACUNA_SPMM_TUNING_HPP

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Numbers of the SpMM row kernel and of the choice between kernels. "Prototype" marks what was measured with
/// throw-away kernels of the same design on one H200 (CUDA 13.0, November 2026), on FEM, mesh, circuit and graph
/// matrices of 0.1 M to 7 M nonzeros; "measured" what single sweeps with these kernels showed there, which were not
/// kept (perf_tests/results/h200 has the whole set); "untuned" what was only reasoned out. Nothing here was measured on
/// AMD.

namespace lacuna::Impl {

struct SpmmTuning {
  // row_split: shape
  static constexpr int row_team = 256;  // prototype
  /// Teams that a processor should hold, for so many bytes of sums a lane: bounds registers (48, 64, 80 on NVIDIA, none
  /// of which spills float). Measured: 5 and 3 against 4 and 2 with a pack read ahead: 1.2 to 1.6 times faster on
  /// meshes at N = 128; 6 and 4 spill, 3 times slower.
  static constexpr int row_teams_at_once(int sum_bytes, int chunks) { return sum_bytes > 16 ? 3 : chunks == 1 ? 5 : 4; }
  /// The same for the kernel that walks pieces, which reads columns a pack ahead. Prototype, 13 matrices: 4 and 3 are 2
  /// to 8 % faster than a team more or than without reading ahead.
  static constexpr int piece_teams_at_once(int sum_bytes) { return sum_bytes > 32 ? 2 : sum_bytes > 16 ? 3 : 4; }
  /// Weight of 1, 2, 4 loads a lane for each nonzero against lanes that idle. Elements one by one gain from more of
  /// them, since a column and a value then serve several. Untuned.
  static constexpr double element_chunk_weight(int chunks) { return chunks == 1 ? 0.7 : chunks == 2 ? 0.85 : 1.0; }
  static constexpr double vector_chunk_weight(int chunks) { return chunks == 1 ? 1.0 : 0.95; }
  /// Rows of at least this mean take two loads a lane where a row of C fills two lane groups: measured, N = 512, meshes
  /// and FEM 1.15 times faster; at N = 128, where half a lane group would take a row, 1.2 times slower.
  static constexpr double wide_chunk_mean = 25;
  /// Nonzeros that a lane along a row should have, for 1, 2 to 3, 4 to 7 and more lanes along the columns: prototype
  /// for the last (rows of 40 and more at N = 32: four parts 1.3 times faster than one), else untuned.
  static constexpr double nonzeros_per_part(int lanes) {
    return lanes == 1 ? 12 : lanes < 4 ? 16 : lanes < 8 ? 24 : 40;
  }
  static constexpr int most_parts_of_wide_rows = 4;  ///< for 8 lanes and more along the columns: prototype
  /// Long rows get parts only where rows alone fill less than this many times the threads that the device holds.
  /// Prototype: 81,000 rows of 76 at N = 32 did better with one part, 11,000 to 45,000 with four.
  static constexpr double parts_fill = 1.5;
  /// Rows get more parts while they fill less than this share of the threads that the device holds, down to so many
  /// nonzeros a part. Untuned.
  static constexpr double row_fill                = 0.5;
  static constexpr double least_nonzeros_per_part = 8;

  // row_split: pieces
  /// Rows are taken as they stand where they are even and at least this long; else pieces are walked. Prototype: pieces
  /// are 1.1 to 2.2 times faster on rows of 5 to 15 nonzeros at N = 128, 1.07 to 1.1 times slower on even rows of 26
  /// and 44.
  static constexpr double row_mean          = 20;
  static constexpr int least_piece_lanes    = 4;    ///< along the columns, for short rows: untuned
  static constexpr double even_factor       = 4;    ///< no row is long that is not longer than this times the mean …
  static constexpr std::int64_t even_margin = 64;   ///< … and this: untuned
  static constexpr double uneven_neighbours = 1.2;  ///< slots over nonzeros from which rows are uneven: untuned
  /// Pieces fill this part of the teams that the device holds, as far as their size allows. Prototype: a wave that is
  /// nearly full is up to 1.4 times faster than one and a bit.
  static constexpr double piece_fill        = 0.95;
  static constexpr int piece_team_sets      = 32;  ///< of lanes, that a team has at most: as with 8 lanes a set
  static constexpr std::int64_t least_share = 12;  ///< nonzeros of a set in a piece: prototype
  /// Prototype: longer shares of short rows are up to 1.2 times slower at N = 512, where tiles fill the device; shorter
  /// ones of long rows up to 1.3 times.
  static constexpr std::int64_t most_share(double mean, std::int64_t columns) {
    return mean >= 48 ? 128 : mean < 12 && columns > 256 ? 32 : 64;
  }
  /// A row up to so many pieces long is not cut between them. Measured: 0.25, 0.5 and 2 are up to 1.3 times slower on
  /// graphs.
  static constexpr double longest_over_piece   = 1;
  static constexpr std::int64_t one_shot_limit = 256;  ///< nonzeros above which a whole team takes a row: untuned

  // B repacked into aligned rows
  /// What reading B as it stands costs more than aligned rows. Prototype for unaligned rows, else untuned.
  static constexpr double unaligned_cost    = 0.6;
  static constexpr double column_major_cost = 3.0;
  /// For bricks, in the time of the row kernel, and the columns up to which that is known. From N = 17 and 31 against
  /// 20 and 24 on a mesh (perf_tests/results/h200, spmm-small-n); a product with such a copy was not timed yet.
  static constexpr double unaligned_brick_cost              = 0.15;
  static constexpr std::int64_t most_repacked_brick_columns = 32;
  static constexpr double launch_ms                         = 0.003;
  static constexpr double gather_bytes_per_ms               = 5e9;  ///< at which rows of B arrive from L2: prototype
  static constexpr double copy_bytes_per_ms                 = 3e9;  ///< copied, untuned

  // Choice between bricks and row_split, by rpc: nonzeros per active column of panels of 8 rows.
  /// Least rpc for bricks at full precision. Measured, 17 matrices: from 4 up bricks are 1.05 to 1.4 times faster at N
  /// = 32, 1.2 to 1.6 at 64 and 1.25 to 1.7 from 128 on; meshes with one unknown a node (2.2 to 2.4) are even at 64 and
  /// 1.05 to 1.2 times faster at 128; from 256 on bricks are up to 1.1 times faster from 1.6 up. Where a tile of 64 is
  /// half void they are slower: 1.2 times at N = 40 and 1.4 at 33 on a mesh with 3 unknowns a node.
  static constexpr double brick_rpc(std::int64_t columns) {
    if (columns > 32 && columns <= 56) return 6.0;
    return columns <= 32 ? 3.9 : columns <= 64 ? 2.6 : columns <= 96 ? 3.5 : columns <= 128 ? 2.1 : 1.56;
  }
  /// The same where a lower precision is asked for: bricks are then faster. Measured on the same: at 2.2 to 2.4 1.2 to
  /// 1.35 times from N = 64 on.
  static constexpr double reduced_brick_rpc(std::int64_t columns) {
    if (columns > 32 && columns <= 56) return 6.0;
    return columns <= 32 ? 2.4 : columns <= 64 ? 2.0 : columns <= 96 ? 2.3 : columns <= 128 ? 1.9 : 1.55;
  }
  /// Nonzeros a row, on average, from which bricks serve float at full precision: shorter sums may err by more than
  /// twice as much as plain ones (SplitEngine). Measured: 2.2 times on rows of 5, at most 2.0 times from 6 up.
  static constexpr double least_full_mean = 6;
  /// Panels are uneven where the longest has so many times the active columns of the mean; bricks then need this rpc at
  /// least. Measured: gupta2 (34 times, rpc 2.2), memplus (18, 1.8), email-Enron in TF32 (22, 1.3) were up to 1.4 times
  /// slower on bricks; matrices with even panels and rpc from 1.5 up were faster.
  static constexpr double uneven_panel     = 12;
  static constexpr double uneven_brick_rpc = 3;
  /// Panels times tiles of 128 columns that fill the device; with fewer columns panels alone must. Measured: 2,756
  /// panels of rpc 4.1 gain nothing at N = 32, 1.25 times at 128; 1,494 of 1.9 lose 1.3 times at 128 and 256.
  static constexpr double brick_units(std::int64_t columns) { return columns <= 32 ? 3000 : 2500; }
  /// Rows of a panel. Measured: 16 are 4 % faster on a mesh with 3 unknowns a node in TF32, 5 to 50 % slower on
  /// bcsstk32, cfd1 and a mesh with one, and 10 to 40 % slower at full precision everywhere.
  static constexpr int panel_rows                   = 8;
  static constexpr std::int64_t least_brick_columns = 17;  ///< a tile of 32 takes the same time from 1 to 32
  /// Set-up of bricks: fixed, and in products of the row kernel at N = 128 as `row_ms` has them. Measured: 0.2 to 0.5
  /// ms for 1 to 7 million nonzeros of meshes and FEM.
  static constexpr double brick_setup_ms    = 0.2;
  static constexpr double brick_setup_calls = 0.4;
  /// How much faster bricks are, by rpc: 1 at the threshold, this much more for each unit above it, up to a limit.
  /// Prototype: 1.5 at 4.3, 1.85 at 4.7.
  static constexpr double brick_gain      = 0.3;
  static constexpr double most_brick_gain = 0.9;

  // Row clustering
  /// Share of the time of a product that follows the active columns. Prototype: 0.6 of the columns, 1.35 times faster.
  static constexpr double cluster_gain       = 0.65;
  static constexpr double best_cluster_share = 0.6;  ///< of the columns that clustering may leave
  static constexpr double least_cluster_rpc  = 1.5;  ///< below are graphs: untuned
  static constexpr double most_cluster_rpc   = 4;    ///< above, nodes have several unknowns: little is gained
  /// Time that it is expected to take. Measured (perf_tests/results/h200, set-up with it less set-up without): 0.9 ms
  /// for 12,000 rows, 0.5 to 1.7 for 40,000 to 70,000, 2.3 for 262,000.
  static constexpr double cluster_ms(std::int64_t rows) { return 1.0 + 6e-6 * static_cast<double>(rows); }

  // Hosts
  static constexpr int host_tile_bytes =
      64;  ///< of sums kept in registers; 128: 4 times slower with GCC 12, which keeps them in memory
  static constexpr int host_pieces       = 16;  ///< of rows for each thread
  static constexpr double host_pack_mean = 2;   ///< nonzeros a row from which a column-major B is repacked: untuned
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_TUNING_HPP
#define LACUNA_SPMV_TUNING_HPP

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Numbers of the SpMV kernels and of their choice. Measured on one H200 (132 SMs, CUDA 13.0), November 2026, on
/// meshes of 6 M to 214 M nonzeros and on FEM, circuit and graph matrices of 0.4 M to 4 M; the gain stands beside each,
/// "untuned" where nothing else was tried. The sweeps behind single gains were not kept; perf_tests/results/h200 has
/// the whole set. Nothing here was measured on AMD.

namespace lacuna::Impl {

struct SpmvTuning {
  // row_lanes
  static constexpr int row_lanes_team = 256;  // as fast as 128
  /// Packs of 16 bytes that a lane has in flight. 2 against 1: 200³ mesh float 0 to 6 % faster; 4 costs registers, 5 to
  /// 20 %.
  static constexpr int row_lanes_packs = 2;
  /// Rounds after which a row waits for its whole lane group: a row that is long beside the mean, which takes about
  /// `packs_per_lane`. 8: TF17 in double, whose rows are up to 5 times the mean, was 1.8 times slower. Power law: 4
  /// to 12 times faster than without.
  static constexpr int row_lanes_rounds = 32;
  /// Packs that a lane takes of a mean row. Float: 3 against 5: 200³ mesh 15 % faster. Double: 5 against 2.5: 81,000
  /// rows of 76 nonzeros 1.2 times faster.
  static constexpr double packs_per_lane(int width) { return width >= 4 ? 3 : 5; }
  /// Nonzeros a row up to which a row has one lane. 5-point mesh: 1.4 times faster than two lanes, 2.5 than four.
  static constexpr double one_lane_mean = 6;

  // row_lanes against nonzero_split
  static constexpr double even_factor = 6;   // untuned: rows are even where none is longer than this times the mean …
  static constexpr double even_margin = 64;  // untuned: … and this

  // row_split
  /// Bytes of CSR with its vectors up to which short uneven rows are sorted by length, and the mean from which all are.
  /// Untuned: single runs (H200, double) say that graphs of 0.2 to 4 M nonzeros gain 1.3 to 2 times over nonzero_split,
  /// and that long thin circuits lose as much.
  static constexpr double most_sorted_bytes     = 10e6;
  static constexpr double long_sorted_mean      = 16;
  static constexpr std::int64_t row_split_calls = 16;  ///< that pay for the passes over the row map: untuned

  // nonzero_split
  /// Packs of 16 bytes that a thread has in flight. 2 against 1: meshes in double and gupta2 up to 15 % faster; against
  /// 4: 10 to 20 % on meshes, though 4 is 4 to 8 % faster on gupta2.
  static constexpr int split_batch = 2;
  static constexpr int split_team  = 128;  // 64 and 256: the same within 3 %
  /// Bytes of values of a piece, at most and at least. At most 8192: power law 6 % slower; 2048: meshes in double 15 %.
  static constexpr std::size_t split_piece_bytes = 4096;
  static constexpr std::size_t split_least_bytes = 1024;  // untuned
  /// Threads of the device for each piece wanted: untuned.
  static constexpr std::int64_t split_threads = 64;
  /// Bytes of values of the longest row that one piece takes alone. 8192: amazon_photo in double 11 % slower.
  static constexpr std::size_t split_longest_bytes = 4096;
  /// Sums that a host keeps of a row. Two threads of an x86-64 without AVX, 8 meshes and matrices, geometric mean:
  /// double 1.7 times faster than with one (with 4, 1.5 times), float 1.2 times (with 3, 1.1 times).
  static constexpr int host_sums(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 4 : 3; }
  static constexpr std::int64_t host_least_run = 2048;  // untuned: nonzeros and rows of the shortest run on a host

  // one_shot, calls without a plan: nothing of it was measured
  static constexpr int one_shot_team = 512;  ///< threads; they share the rows of a tile, and a long row
  /// Packs of 16 bytes that a thread has in flight; times threads, the products of a tile.
  static constexpr int one_shot_packs(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 2 : 3; }
  static constexpr int one_shot_teams_at_once(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 3 : 2; }
  static constexpr std::int64_t one_shot_room              = 8;  ///< one part in so many for the last row of a tile
  static constexpr std::int64_t one_shot_least_tile        = 1024;
  static constexpr std::int64_t one_shot_tiles_a_processor = 2;   ///< of small matrices
  static constexpr int one_shot_row_rounds                 = 16;  ///< products a lane, above which a row waits

  // sell
  static constexpr int sell_team =
      128;  // against 64 and 256: up to 25 % faster on 40,000 rows, the same on large meshes
  /// Chunks that a thread has in flight. Of 4, float: 4 against 1, 2, 3, 5, 7: 1, 11, 1, 9, 7 % faster on the 200³
  /// mesh. Double: 1 against 2, 3, 4: 4, 22, 31 %. Of 2: as many entries.
  static constexpr int sell_batch(std::size_t scalar_bytes, int chunk) { return (scalar_bytes <= 4 ? 16 : 4) / chunk; }
  /// Slots that should run at once, as a share of the device's threads. 81,000 rows of 76: one slot a row is best for
  /// float (by 8 %), two for double (by 9 %).
  static constexpr double sell_fill(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 0.25 : 0.5; }
  /// Entries a slot should keep. 6 against 8: copter2 in double, 13.7 a row, 1.2 times faster.
  static constexpr double sell_least_entries = 6;
  /// Mean row up to which chunks of 2 are considered. bcsstk32, 45 a row, in float: 1.2 times slower in chunks of 2
  /// though a tenth smaller.
  static constexpr double sell_short_mean = 12;
  /// How much larger slices in chunks of 4 must be before chunks of 2 are taken. 100³ mesh: chunks of 2 are 2 % faster
  /// in float, 7 % slower in double; 5-point mesh, where they save a quarter of the padding, 10 and 12 % faster.
  static constexpr double sell_chunk_gain(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 1.02 : 1.07; }
  static constexpr double sell_longest_slot = 512;  // untuned: entries that one slot may always have
  // sliced_dia
  static constexpr int sliced_dia_team = 128;  // 256: the same within 3 %
  /// Diagonals that a lane has in flight: one number, or the other where `sliced_dia_takes_other` says so. As many as
  /// there are is best. Float: 5-point mesh, 5 against 3, 4, 6, 7: 16 to 22 % faster; 7-point mesh, 7 against 3, 4, 5,
  /// 6, 8: 8 to 21 %; 200³ mesh, 7 against 3, 6, 8: 7, 2, 1 %. Double: 5 against 3, 4, 6, 8: 200³ mesh 6 and 1 %
  /// faster, the same, 44 %; 7-point mesh, 4 against 3, 5, 6: 7, 6, 17 %. 16 bytes: untuned.
  static constexpr int sliced_dia_batch(std::size_t scalar_bytes) {
    return scalar_bytes <= 4 ? 7 : (scalar_bytes <= 8 ? 5 : 2);
  }
  static constexpr int sliced_dia_other_batch(std::size_t scalar_bytes) {
    return scalar_bytes <= 4 ? 5 : (scalar_bytes <= 8 ? 4 : 2);
  }
  static constexpr bool sliced_dia_takes_other(std::size_t scalar_bytes, std::int64_t diagonals, std::int64_t slices) {
    return scalar_bytes <= 4 ? diagonals <= 5 * slices : diagonals > 5 * slices && diagonals <= 8 * slices;
  }
  /// Teams that a processor should hold, which bounds registers. 16 against 1 and 12, batches of 6: 200³ mesh in float
  /// 7 and 4 % faster, 5-point mesh 17 and 8 %.
  static constexpr int sliced_dia_teams(std::size_t scalar_bytes) { return scalar_bytes <= 8 ? 16 : 8; }
  /// Threads that should have something to do, as a share of the device's. 81,000 rows of 76, two times 32 lanes a
  /// slice against one: float 20 to 30 % faster, double 12 to 30 %; 64³ mesh, whose slices fill the device: 5 to 15 %
  /// slower.
  static constexpr double sliced_dia_fill        = 0.5;
  static constexpr std::int64_t sliced_dia_least = 4;  // untuned: diagonals that each keeps

  // Times in ms that weigh slices against CSR: a product costs a launch and its bytes, in slices it reaches more of the
  // bandwidth; the set-up costs allocations and as much as some products. Fitted to the 81,000 × 76 and 200³ meshes.
  static constexpr double launch_ms        = 0.004;
  static constexpr double crs_bytes_per_ms = 2.7e9;
  /// By the mean row: CSR itself is read fast where rows are long. In double, bcsstk32 and pkustk06 (45 and 60 a row),
  /// whose slices are as large as CSR, are 1.2 times faster as they stand.
  static constexpr double sell_speed(double mean) { return mean < 32 ? 0.68 : 0.95; }
  static constexpr double sell_setup_ms    = 0.2;
  static constexpr double sell_setup_calls = 8;
  /// The same of diagonals within slices, fitted to the 7-point and 200³ meshes.
  static constexpr double sliced_dia_speed       = 0.7;
  static constexpr double sliced_dia_setup_ms    = 0.3;
  static constexpr double sliced_dia_setup_calls = 3;
  /// Entries of rows as a share of those of slices as wide as their longest row, from which diagonals are looked for.
  /// Meshes and bands have 0.95 and more; the look takes 0.05 to 0.9 ms, longest where rows are uneven.
  static constexpr double sliced_dia_evenness = 0.84;
  static constexpr double sliced_dia_gain     = 0.92;  // untuned: their bytes as a share of the others', at most
};

}  // namespace lacuna::Impl

#endif

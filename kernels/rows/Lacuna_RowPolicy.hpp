// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWPOLICY_HPP
#define LACUNA_ROWPOLICY_HPP

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Numbers of the SpMM row kernel and of the choice between kernels. "Prototype" marks what was measured with
/// throw-away kernels of the same design on one H200 (CUDA 13.0, November 2026), on FEM, mesh, circuit and graph
/// matrices of 0.1 M to 7 M nonzeros; "measured" what single sweeps with these kernels showed there, which were not
/// kept (perf_tests/results/h200 has the whole set); "untuned" what was only reasoned out. Nothing here was measured on
/// AMD.

namespace lacuna::Impl {

/// How the kernel for even rows takes them: `lanes` lanes side by side along a row of C, each with `lane_vectors` loads
/// of a row of B, and `unroll` nonzeros at once; `split_k` times so many lanes share the nonzeros of a row.
struct EvenRowsPolicy {
  int lanes, lane_vectors, unroll, split_k;
  int teams_at_once;    ///< of `RowsPolicy::row_team` threads, that a processor should hold: bounds registers
  int threads;          ///< of a team
  bool staged = false;  ///< nonzeros come by scratch

  /// On devices whose warps are narrower (hosts) a subwarp is a warp: a tile of N is then a part of this
  /// one.
  constexpr int lanes_within(int lane_width) const { return lanes < lane_width ? lanes : lane_width; }
  constexpr int split_k_within(int lane_width) const { return lanes * split_k <= lane_width ? split_k : 1; }
  constexpr bool operator==(const EvenRowsPolicy&) const = default;
};

struct RowsPolicy {
  // row_split: even rows, N of whole tiles
  /// Measured (H200, CUDA 13.0, November 2026; delaunay_n16, copter2, cfd1, obstclae, TF17, bcsstk18 and a 27-point
  /// mesh of 64,000 rows in float; some 60 policies at N = 32 to 512): against the general row kernel 1.0 to 1.2 times
  /// faster at N = 32 and 64, 1.05 to 1.35 from 128 up. In brackets: geometric mean of the time over that of the best
  /// policy for each of the matrices that a policy is for. Columns read a round ahead gained nothing that others did
  /// not.
  static constexpr EvenRowsPolicy even_narrow{8, 1, 6, 1, 5, 128};    ///< 8 vectors (1.02)
  static constexpr EvenRowsPolicy even_sixteen{16, 1, 5, 1, 5, 128};  ///< 16 vectors (1.01) and multiples left over
  static constexpr EvenRowsPolicy even_short{8, 2, 2, 1, 6, 128};     ///< short rows, from 32 vectors up (1.0 to 1.04)
  static constexpr EvenRowsPolicy even_middle{16, 2, 3, 1, 5, 128};   ///< 32 vectors (1.04)
  static constexpr EvenRowsPolicy even_wide{32, 2, 3, 1, 5, 256};     ///< more (1.02)
  static constexpr double short_even_mean = 10;  ///< nonzeros a row, below which rows are short here
  /// Half precision, of the same matrices: 1.05 to 1.12 times faster than the general row kernel from 32 vectors up.
  /// At 16 it is left to that, which is up to 1.1 times faster.
  static constexpr EvenRowsPolicy even_middle_half{16, 2, 4, 1, 4, 128};
  static constexpr EvenRowsPolicy even_wide_long{32, 2, 4, 1, 4, 256};
  /// Where rows are few, or long: eight nonzeros of `lanes` lanes on their way, rows shared by `split_k` subwarps.
  /// Measured (H200, CUDA 13.0, 25 November 2026; float and half, 40 policies; uniform matrices of 400 to 4,096 rows,
  /// 4096 x 11008, 0.2 to 20 % nonzeros, N = 32 to 512) against those above, and the general row kernel in half: 4,096
  /// rows at 95 to 99 % zeros 1.15 to 1.3 times faster at N = 32 and 64, 1.1 to 1.24 at 128, 1.05 to 1.2 from 256 up;
  /// 1,024 and 2,048 rows 1.1 to 2.4 times, 400 rows 1.1 to 1.6 times.
  static constexpr EvenRowsPolicy even_long(int lanes, int split_k) {
    return {lanes, 1, 8, split_k, 4, lanes == 32 ? 256 : 128};
  }
  /// Nonzeros a row. Measured: rows of 20 are as fast, of 4 to 8 1.2 times slower.
  static constexpr double long_even_mean = 32;
  /// Rows of that length, at most, over half of the threads of the device: 16,000 on an H200. Beyond them are meshes
  /// and FEM. Measured with 64,000 rows of 26: these policies are 1.05 to 1.2 times slower.
  static constexpr double most_long_rows = 0.12;
  /// Nonzeros of a row, for each part of it.
  static constexpr double least_even_part = 8;
  /// Rows so long are left to whole warps where those fill a quarter of the device. Measured: 2,048 rows of 410
  /// in halves 1.15 times slower at N = 128.
  static constexpr double longest_even_parts = 256;
  /// Two loads a lane from so many times the threads on; of rows not that long, 16 lanes. Measured at N = 256 to 4096:
  /// rows of 400 1.03 to 1.1 times faster than 32 lanes with a load each, rows of 40 and 80 1.0 to 1.07 times; with
  /// 1.9 times the threads rows of 400 of float 1.09 times faster, of half and rows of 100 1.03 to 1.1 times slower.
  static constexpr double wide_even_fill = 2, wide_float_fill = 1.5;
  static constexpr double wide_even_mean = 128;
  /// Of 8 vectors of float, beyond which there is nothing to share: the general kernel has parts there. Measured (H200,
  /// 25 November 2026; appu, 14,000 rows of 132 at N = 32): that in two parts 26.9 us, `even_long(8, 1)` 29.3.
  static constexpr double most_narrow_fill = 0.5;

  /// Nonzeros by scratch (StagedRows), for rows of so many on average in float and double that are not shared,
  /// against those above and the general row kernel. Uniform matrices of 2,048 and 4,096 rows and 4096 × 11,008 in
  /// float, N = 128: 1.04 to 1.3 times faster where rows have 41 to 5,500 (perf_tests/results/h100, ec66e8e and
  /// b7cc96a); N = 512 up to 1.37 times, but where half of A is there 0.8. By a driver (H100, 27 November 2026):
  /// bcsstk32, pkustk01, pkustk06, a 27-point mesh with 3 unknowns and n = 14,500 at 99 %, float, N = 32 to
  /// 512, 1.15, 1.2, 1.15 and 1.03 times (geometric mean for each N; least 0.95), double 1.13, 1.13, 1.1, 1.08. Rows of
  /// 26 to 31 gain 0 to 7 %, rows of 5 to 14 lose up to 12 %. Half precision at N = 128: 0 to 10 % slower, at 512 1 to
  /// 8 % faster: not taken.
  static constexpr double staged_mean = 40;
  static constexpr EvenRowsPolicy staged(int lanes) { return {lanes, 1, 8, 1, 4, 128, true}; }
  static constexpr EvenRowsPolicy staged_wide{32, 2, 4, 1, 4, 128, true};
  /// Rows that are not shared, of enough threads. With N = 32, which 14,000 rows fill 0.83 times: uniform rows of
  /// 145 1.15 times faster, appu, whose rows differ, 1.08 times slower than in two parts by the general kernel.
  static constexpr double staged_fill = 1;
  /// Of few rows in wide tiles, from so many nonzeros on: 1,024 and 2,048 rows at N = 512 in float, of 41 to 205 0.92
  /// to 1.1 times, 0.97 on average, of 307 to 1,024 1.1 to 1.29 times faster (perf_tests/results/h100, two revisions).
  static constexpr double staged_few_mean = 256;
  static constexpr bool even_rows_are_staged(std::int64_t vectors, double mean, double fill, std::size_t scalar_bytes) {
    if ((scalar_bytes != 4 && scalar_bytes != 8) || mean < staged_mean) return false;
    if (vectors % (scalar_bytes == 4 ? 8 : 16) != 0) return false;
    if (vectors % 64 == 0 && fill < wide_even_fill && mean < staged_few_mean) return false;
    if (even_rows_are_long(vectors, mean, fill, scalar_bytes))
      return even_long_policy(vectors, mean, fill, scalar_bytes).split_k == 1;
    return fill >= staged_fill;
  }
  /// Few rows, which may be random, find more of B in the first-level cache where tiles are narrow: n = 4096 and
  /// 14,500, N = 512, 16 lanes 1.1 to 1.2 times faster than 32 with two loads; the matrices of more rows above 1.1
  /// to 1.3 times slower.
  static constexpr EvenRowsPolicy staged_policy(std::int64_t vectors, double fill) {
    const bool few = fill > wide_even_fill && fill <= most_long_rows * static_cast<double>(vectors);
    if (few && vectors % 16 == 0) return staged(16);
    if (vectors % 64 == 0) return staged_wide;
    return staged(vectors % 32 == 0 ? 32 : vectors % 16 == 0 ? 16 : 8);
  }

  /// Threads, one for each vector of C, over half of those that the device holds.
  static constexpr double even_fill(std::int64_t rows, std::int64_t vectors, std::int64_t held) {
    return 2.0 * static_cast<double>(rows * vectors) / static_cast<double>(held);
  }
  /// The policy for rows of C of so many vectors of 16 bytes, `mean` nonzeros of A each; no lanes where there is none.
  /// `fill`: see `even_fill`.
  static constexpr EvenRowsPolicy even_policy(std::int64_t vectors, double mean, double fill,
                                              std::size_t scalar_bytes) {
    if (even_rows_are_staged(vectors, mean, fill, scalar_bytes)) return staged_policy(vectors, fill);
    if (even_rows_are_long(vectors, mean, fill, scalar_bytes))
      return even_long_policy(vectors, mean, fill, scalar_bytes);
    if (scalar_bytes < 4) {
      if (vectors % 64 == 0) return even_wide_long;
      return vectors % 32 == 0 ? even_middle_half : EvenRowsPolicy{};
    }
    if (vectors == 8) return even_narrow;
    if (vectors == 16) return even_sixteen;
    if (vectors >= 32 && vectors % 16 == 0 && mean < short_even_mean) return even_short;
    if (vectors % 64 == 0) return even_wide;
    if (vectors % 32 == 0) return even_middle;
    return vectors % 16 == 0 ? even_sixteen : EvenRowsPolicy{};
  }
  /// Whether that is one of those for few rows or long ones.
  static constexpr bool even_rows_are_long(std::int64_t vectors, double mean, double fill, std::size_t scalar_bytes) {
    if (scalar_bytes > 4 || vectors % 4 != 0) return false;
    if (scalar_bytes == 4 && vectors == 8 && fill > most_narrow_fill) return false;
    const bool long_rows = mean >= long_even_mean && fill <= most_long_rows * static_cast<double>(vectors);
    return fill <= 1 || (vectors % 8 == 0 && long_rows);
  }
  static constexpr EvenRowsPolicy even_long_policy(std::int64_t vectors, double mean, double fill,
                                                   std::size_t scalar_bytes) {
    if (fill > (scalar_bytes == 4 ? wide_float_fill : wide_even_fill) && vectors % 64 == 0 && mean >= wide_even_mean)
      return even_wide_long;
    int lanes = fill > wide_even_fill && mean < wide_even_mean ? 16 : 32, split_k = 1;
    while (vectors % lanes != 0) lanes /= 2;
    const auto may_have = [&](int parts) {
      const bool whole = parts > 1 && lanes * parts > 32 && fill > 0.25 && mean > longest_even_parts;
      return fill * parts <= 1 && mean >= least_even_part * parts && !whole;
    };
    while (split_k < 4 && may_have(2 * split_k)) {
      split_k *= 2;
      if (lanes * split_k > 32) lanes /= 2;
    }
    return even_long(lanes, split_k);
  }

  // row_split: shape
  static constexpr int row_team         = 256;  ///< threads of a team, at most
  static constexpr int row_team_threads = 128;  ///< of rows as they stand. Measured: up to 5 % faster than 256
  /// Nonzeros that are multiplied at once where a lane takes so many bytes of a row of B: 128 bytes of rows of B on
  /// their way. Measured, 14 matrices, N = 16 to 512: 4 against 2 of 32 bytes 1.1 times faster, 2 against 4 of 64 bytes
  /// the same.
  static constexpr int row_unroll(int bytes) { return bytes >= 64 ? 2 : bytes >= 32 ? 4 : 8; }
  /// Where lanes have one vector and rows are shorter than this mean; not where they are sorted. Measured: 8 against 4
  /// are 1.05 to 1.2 times faster from 10 nonzeros a row up at N = 32 and below, up to 1.1 times slower under it; at N
  /// = 48 and 56 that limit is near 30.
  static constexpr int short_row_unroll = 4;
  static constexpr double short_row_mean(int lanes) { return lanes <= 8 ? 10 : 30; }
  /// And for all rows where a lane stands alone along N, or N is no more than this: parts then do what a round does,
  /// with fewer registers. Measured (as what follows on N up to 64: 3 graphs of 190,000 to 370,000 nonzeros sorted, 3
  /// matrices of even rows): 4 against 8, N = 1 to 4: 1.0 to 1.1 times faster; at N = 5 to 8 1.0 to 1.1 times slower.
  static constexpr int small_unroll_columns = 4;
  /// Columns up to which loads are half as wide as `widest` columns. Measured, N = 4, two lanes of half a load against
  /// one: on sorted graphs 1.0 to 1.08 times faster, on even rows 1.0 to 1.1 times slower.
  static constexpr int half_load_columns(int widest, bool is_sorted) { return is_sorted ? widest : widest / 2; }
  /// Whether parts of a row take its nonzeros in turn. Measured for one vector: 1.0 to 1.15 times faster than a round
  /// of neighbours each.
  static constexpr bool interleaves_split_k(int lane_vectors) { return lane_vectors == 1; }
  /// Teams of `row_team` threads that a processor should hold where a lane has `unroll` vectors of B of so many bytes
  /// on their way: bounds registers (40, 48 and 64 on NVIDIA, of which float spills 20 bytes at most). Measured: 6
  /// against 5 for the fewer bytes up to 1.1 times faster, 4 against 3 for the more 1.05 times.
  static constexpr int row_teams_at_once(int unroll, int bytes) { return unroll * bytes > 64 ? 4 : unroll > 4 ? 5 : 6; }
  /// The same for the kernel that walks work items, which reads columns a pack ahead. Prototype, 13 matrices: 4 and 3
  /// are 2 to 8 % faster than a team more or than without reading ahead.
  static constexpr int item_teams_at_once(int sum_bytes) { return sum_bytes > 32 ? 2 : sum_bytes > 16 ? 3 : 4; }
  /// Weight of 1, 2, 4 loads a lane for each nonzero against lanes that idle. Elements one by one gain from more of
  /// them, since a column and a value then serve several. Untuned.
  static constexpr double element_lane_vectors_weight(int lane_vectors) {
    return lane_vectors == 1 ? 0.7 : lane_vectors == 2 ? 0.85 : 1.0;
  }
  /// The same for rows of fewer columns than a warp has lanes. Measured, N = 5 to 31: one is up to 1.1 times
  /// faster than two at N = 5, two than one from N = 9 up; four are as fast as two at N = 17 and 31.
  static constexpr double few_elements_lane_vectors_weight(int lane_vectors) {
    return lane_vectors == 1 ? 0.95 : lane_vectors == 2 ? 1.0 : 0.97;
  }
  static constexpr double vector_lane_vectors_weight = 0.95;  ///< of two where work items are walked
  /// Weight of 1, 2 and 4 loads of vectors where rows are taken as they stand, and N fills `warps` warps with
  /// vectors. Measured, 14 matrices: two are 1.05 to 1.1 times faster than one from half a warp (N = 64) up, 0.8 to
  /// 0.95 below; four are as fast as two from four warps (N = 512) up, and 1.1 to 1.2 times faster where rows are
  /// short, there from one warp up.
  static constexpr double row_lane_vectors_weight(int lane_vectors, double warps, double mean) {
    if (lane_vectors == 1) return 1;
    if (lane_vectors == 2) return warps >= 0.5 ? 1.08 : 0.85;
    return warps >= 4 || (warps >= 1 && mean < 10) ? 1.15 : 0.7;
  }
  /// Nonzeros a row, on average, from which a subwarp of `lanes` lanes along the columns and `split_k` along the row
  /// gets twice as many parts. Measured for 1 and 2 lanes, N = 1 to 8: subwarps of 4 lanes are 1.05 to 1.2 times
  /// faster than fewer on rows of 8 and 10, of 8 lanes 1.0 to 1.1 times faster than of 4 on rows of 31 to 76, of 16 up
  /// to 1.4 times slower there. For 5 and 8 lanes, N = 17 to 32: two parts are 0.98 to 1.13 times as fast as one on
  /// rows of 45 and 76, 0.7 to 0.95 times on shorter ones.
  static constexpr double long_row_mean(int lanes, int split_k) {
    if (lanes > 2) return 40.0 * split_k;
    return lanes * split_k < 4 ? 8 : lanes * split_k < 8 ? 24 : 1e9;
  }
  /// For 8 lanes and more along the columns. Measured: 2 against 4, N = 32: 1.1 to 1.2 times faster on rows of 44
  /// and 60.
  static constexpr int most_k_slices_of_wide_rows = 2;
  /// Long rows get parts only where rows alone fill less than this many times the threads that the device holds.
  /// Prototype: 81,000 rows of 76 at N = 32 did better with one part, 11,000 to 45,000 with four.
  static constexpr double split_k_fill = 1.5;
  /// Rows get more parts while they fill less than this share of the threads that the device holds, down to so many
  /// nonzeros a part: two rounds. Measured: bcsstk18 (12 a row) at N = 32 1.15 times faster with one part than with
  /// two.
  static constexpr double row_fill                   = 0.5;
  static constexpr double least_nonzeros_per_k_slice = 16;

  // row_split: work items
  /// Rows are taken as they stand where they are even; else work items are walked. Measured: work items are 1.0 to 1.3
  /// times slower on even rows of 5 to 60 nonzeros at N = 8 to 512, 1.3 to 40 times faster on graphs and circuits.
  static constexpr double even_factor       = 4;   ///< no row is long that is not longer than this times the mean …
  static constexpr std::int64_t even_margin = 64;  ///< … and this: untuned
  /// Slots over nonzeros from which rows are uneven. Measured: TF17 (1.3 to 2.3) is 1.05 to 1.1 times faster row by
  /// row.
  static constexpr double uneven_neighbours = 2.5;
  // row_split: rows by length
  /// Nonzeros of the longest row that a warp takes, over those that a thread of the device has to do; and its
  /// limits. Measured: 130 is 1.05 to 1.2 times faster than 256 on 190,000 nonzeros at N = 4 to 64, 256 1.02 to 1.1
  /// times faster on 370,000; 768 1.2 times on gupta2 of 4,000,000.
  static constexpr double longest_warp_share = 192;
  static constexpr double least_warp_row = 128, most_warp_row = 768;
  /// Rounds of the longest row that a subwarp takes. Measured: against 2 and 8 up to 1.15 times faster.
  static constexpr int unrolls_of_subwarp_row = 4;
  /// Of the longest row, which a team takes, for one subwarp. Untuned.
  static constexpr std::int64_t longest_team_share = 128;
  /// Columns up to which rows are sorted. Measured, 5 graphs: sorted 1.1 to 1.8 times faster than in work items at N =
  /// 1 to 56, up to 2 times slower at 128.
  static constexpr std::int64_t most_sorted_columns = 64;
  /// Rows of A and C are then read and written here and there, which costs where neither the cache holds them nor rows
  /// are long. Measured: a power law of 500,000 rows of 8 on average is 1.2 times slower sorted, gupta2 (68) 1.4 times
  /// faster.
  static constexpr double most_sorted_bytes = 40e6;
  static constexpr double long_sorted_mean  = 16;

  /// Lanes of a subwarp with two loads each, where N is at least that wide and whole tiles of it: known when
  /// compiling. Measured (H200, CUDA 13.0, November 2026; 7 graphs and circuits in float, N = 128 to 512): 1.02 to 1.05
  /// times faster than lanes that only the host knows, and than 32 of them.
  static constexpr int item_lanes = 16;
  /// Work items fill this part of the teams that the device holds, as far as their size allows. Prototype: a wave that
  /// is nearly full is up to 1.4 times faster than one and a bit.
  static constexpr double item_fill         = 0.95;
  static constexpr int item_team_subwarps   = 32;  ///< of lanes, that a team has at most: as with 8 lanes a subwarp
  static constexpr std::int64_t least_share = 12;  ///< nonzeros of a subwarp in a work item: prototype
  /// Prototype: longer shares of short rows are up to 1.2 times slower at N = 512, where tiles fill the device; shorter
  /// ones of long rows up to 1.3 times.
  static constexpr std::int64_t most_share(double mean, std::int64_t columns) {
    return mean >= 48 ? 128 : mean < 12 && columns > 256 ? 32 : 64;
  }
  /// A row up to so many work items long is not cut between them. Measured: 0.25, 0.5 and 2 are up to 1.3 times slower
  /// on graphs.
  static constexpr double longest_over_item    = 1;
  static constexpr std::int64_t one_shot_limit = 256;  ///< nonzeros above which a whole team takes a row: untuned

  // calls without a plan
  /// Nonzeros of a subwarp on their way, and teams that a processor should hold, where a lane takes so many bytes of
  /// a row of B. By a driver (H100, 26 November 2026, 14 matrices in float, N = 8 to 512): 4 and 5 teams 1.02 times
  /// slower, 6 and 4 1.06, 8 and 3 1.14.
  static constexpr int one_shot_unroll = 4;
  static constexpr int one_shot_teams_at_once(int row_bytes) { return row_bytes > 16 ? 4 : 6; }
  /// Nonzeros of the longest row that a subwarp takes alone. By that driver, 32 against 64: the same but for
  /// TF17, 1.13 times slower at N = 512.
  static constexpr std::int64_t longest_one_shot_row(double mean) {
    return mean < 16 ? 64 : mean > 1e8 ? 400000000 : static_cast<std::int64_t>(4 * mean);
  }
  static constexpr double one_shot_fill       = 0.5;  ///< of the threads of the device, which shares should fill once
  static constexpr std::int64_t one_shot_room = 2;    ///< tiles that the last row of one may fill

  // Hosts
  /// Sums that are kept in registers: vectors of so many bytes, so many of them. Prototype (two cores of a Xeon with
  /// AVX-512, g++ 12, November 2026, 5 matrices in double, N = 128): 256 bytes are 1.2 to 1.9 times faster than 64, 0.9
  /// to 1.25 times as fast as 128.
  static constexpr int host_vector_bytes = 32;
  static constexpr int host_tile_vectors = 8;
  /// Of a sum where N is 1 or 2. Prototype, N = 1: 4 against 1 are 1.4 times faster on rows of 71, up to 1.3 times
  /// slower on rows of 10.
  static constexpr int host_parts        = 4;
  static constexpr int host_items        = 16;  ///< of rows for each thread
  static constexpr double host_pack_mean = 2;   ///< nonzeros a row from which a column-major B is repacked: untuned
};

}  // namespace lacuna::Impl

#endif

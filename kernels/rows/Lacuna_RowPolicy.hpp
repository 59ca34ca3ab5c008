// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWPOLICY_HPP
#define LACUNA_ROWPOLICY_HPP

#include <core/impl/inspection/Lacuna_NeighbouringRows.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Tuned numbers of the row kernels, and the rules that choose between these kernels.
/// Evidence: kernels/rows/tuning.md.

namespace lacuna::Impl {

/// How `EvenRows` takes rows. A subwarp of `lanes` lanes stands along a row of C. Each lane takes
/// `lane_vectors` vectors of a row of B and `unroll` nonzeros at once. `split_k` subwarps share the nonzeros of a row.
struct EvenRowsPolicy {
  int lanes, lane_vectors, unroll, split_k;
  int teams_at_once;    ///< teams of `RowsPolicy::row_team` threads that a processor should hold: bounds registers
  int threads;          ///< threads of a team
  bool staged = false;  ///< nonzeros come through scratch

  /// Hosts have narrower warps than the policy has lanes. A subwarp is then one warp, and its tile of N is narrower.
  constexpr int lanes_within(int lane_width) const { return lanes < lane_width ? lanes : lane_width; }
  constexpr int split_k_within(int lane_width) const { return lanes * split_k <= lane_width ? split_k : 1; }
  constexpr bool operator==(const EvenRowsPolicy&) const = default;
};

struct RowsPolicy {
  // row_split: even rows, N of whole tiles
  /// Even rows, float and double. 8 vectors of 16 bytes in a row of C.
  static constexpr EvenRowsPolicy even_narrow{8, 1, 6, 1, 5, 128};
  static constexpr EvenRowsPolicy even_sixteen{16, 1, 5, 1, 5, 128};  ///< 16 vectors, and other multiples of 16
  static constexpr EvenRowsPolicy even_short{8, 2, 2, 1, 6, 128};  ///< from 32 vectors up, rows below `short_even_mean`
  static constexpr EvenRowsPolicy even_middle{16, 2, 3, 1, 5, 128};  ///< 32 vectors, and other multiples of 32
  static constexpr EvenRowsPolicy even_wide{32, 2, 3, 1, 5, 256};    ///< multiples of 64 vectors
  static constexpr double short_even_mean = 10;                      ///< nonzeros a row below which rows are short
  /// Even rows, half precision, multiples of 32 vectors. Other widths are left to the general row kernel.
  static constexpr EvenRowsPolicy even_middle_half{16, 2, 4, 1, 4, 128};
  static constexpr EvenRowsPolicy even_wide_long{32, 2, 4, 1, 4, 256};
  /// For few rows or long rows: eight nonzeros at once by `lanes` lanes, a row shared by `split_k` subwarps.
  static constexpr EvenRowsPolicy even_long(int lanes, int split_k) {
    return {lanes, 1, 8, split_k, 4, lanes == 32 ? 256 : 128};
  }
  /// Nonzeros a row from which rows are long.
  static constexpr double long_even_mean = 32;
  /// Rows over half the device's threads up to which long rows take `even_long`. Meshes and
  /// FEM matrices have more rows.
  static constexpr double most_long_rows = 0.12;
  /// Nonzeros a row that each split-K slice needs at least.
  static constexpr double least_even_part = 8;
  /// Nonzeros a row above which whole warps take the rows, unless these fill less than a quarter of the device.
  static constexpr double longest_even_parts = 256;
  /// `even_fill` from which each lane takes two vector loads, for all scalars and for float. Rows shorter than
  /// `wide_even_mean` nonzeros then use 16 lanes.
  static constexpr double wide_even_fill = 2, wide_float_fill = 1.5;
  static constexpr double wide_even_mean = 128;
  /// `even_fill` above which 8 vectors of float are left to the general kernel, which splits rows along K.
  static constexpr double most_narrow_fill = 0.5;

  /// Nonzeros a row from which float and double rows are staged in scratch, if no subwarps share a row.
  static constexpr double staged_mean = 40;
  static constexpr EvenRowsPolicy staged(int lanes) { return {lanes, 1, 8, 1, 4, 128, true}; }
  static constexpr EvenRowsPolicy staged_wide{32, 2, 4, 1, 4, 128, true};
  /// `even_fill` from which rows that are not long are staged in scratch.
  static constexpr double staged_fill = 1;
  /// Nonzeros a row from which few rows in wide tiles are staged in scratch.
  static constexpr double staged_few_mean = 256;
  static constexpr bool even_rows_are_staged(std::int64_t vectors, double mean, double fill, std::size_t scalar_bytes) {
    if ((scalar_bytes != 4 && scalar_bytes != 8) || mean < staged_mean) return false;
    if (vectors % (scalar_bytes == 4 ? 8 : 16) != 0) return false;
    if (vectors % 64 == 0 && fill < wide_even_fill && mean < staged_few_mean) return false;
    if (even_rows_are_long(vectors, mean, fill, scalar_bytes))
      return even_long_policy(vectors, mean, fill, scalar_bytes).split_k == 1;
    return fill >= staged_fill;
  }
  /// Few rows, which may be random, reuse more of B in the first-level cache where tiles are
  /// narrow: they take 16 lanes.
  static constexpr EvenRowsPolicy staged_policy(std::int64_t vectors, double fill) {
    const bool few = fill > wide_even_fill && fill <= most_long_rows * static_cast<double>(vectors);
    if (few && vectors % 16 == 0) return staged(16);
    if (vectors % 64 == 0) return staged_wide;
    return staged(vectors % 32 == 0 ? 32 : vectors % 16 == 0 ? 16 : 8);
  }

  /// Threads, one for each vector of C, over half of the threads that the device holds.
  static constexpr double even_fill(std::int64_t rows, std::int64_t vectors, std::int64_t held) {
    return 2.0 * static_cast<double>(rows * vectors) / static_cast<double>(held);
  }
  /// The policy for rows of C of `vectors` vectors of 16 bytes and `mean` nonzeros a row of A. Returns a default policy
  /// (no lanes) where the general kernel serves. `fill`: see `even_fill`.
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
  /// Whether the policy is one for few rows or for long rows.
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
  static constexpr int row_team_threads = 128;  ///< threads of a team for rows in their own order
  /// Nonzeros multiplied at once where a lane takes `bytes` bytes of a row of B: up to 128 bytes of B are in flight.
  static constexpr int row_unroll(int bytes) { return bytes >= 64 ? 2 : bytes >= 32 ? 4 : 8; }
  /// Nonzeros multiplied at once where a lane has one vector and rows, not sorted, are shorter than
  /// `short_row_mean` nonzeros.
  static constexpr int short_row_unroll = 4;
  static constexpr double short_row_mean(int lanes) { return lanes <= 8 ? 10 : 30; }
  /// Columns up to which all rows take `short_row_unroll`, as they do where a subwarp has one lane. Split-K slices then
  /// do the work of a round with fewer registers.
  static constexpr int small_unroll_columns = 4;
  /// Columns up to which a load takes half of `widest` columns.
  static constexpr int half_load_columns(int widest, bool is_sorted) { return is_sorted ? widest : widest / 2; }
  /// Whether split-K slices take single nonzeros in turn, instead of rounds of neighbours.
  static constexpr bool interleaves_split_k(int lane_vectors) { return lane_vectors == 1; }
  /// Teams of `row_team` threads that a processor should hold where a lane has `unroll` vectors of `bytes` bytes in
  /// flight. Bounds registers to 40, 48 or 64 on NVIDIA.
  static constexpr int row_teams_at_once(int unroll, int bytes) { return unroll * bytes > 64 ? 4 : unroll > 4 ? 5 : 6; }
  /// The same for the kernel that walks work items, with `sum_bytes` bytes of sums a lane.
  static constexpr int item_teams_at_once(int sum_bytes) { return sum_bytes > 32 ? 2 : sum_bytes > 16 ? 3 : 4; }
  /// Weight of 1, 2 and 4 loads a lane, against lanes that idle, where loads take single elements. With more loads a
  /// column and a value of A serve several elements. Not tuned.
  static constexpr double element_lane_vectors_weight(int lane_vectors) {
    return lane_vectors == 1 ? 0.7 : lane_vectors == 2 ? 0.85 : 1.0;
  }
  /// The same for rows of fewer columns than a warp has lanes.
  static constexpr double few_elements_lane_vectors_weight(int lane_vectors) {
    return lane_vectors == 1 ? 0.95 : lane_vectors == 2 ? 1.0 : 0.97;
  }
  static constexpr double vector_lane_vectors_weight = 0.95;  ///< weight of two loads a lane in work items: not tuned
  /// Weight of 1, 2 and 4 loads of vectors a lane for rows in their own order. `warps`: vectors
  /// of N over lanes of a warp.
  static constexpr double row_lane_vectors_weight(int lane_vectors, double warps, double mean) {
    if (lane_vectors == 1) return 1;
    if (lane_vectors == 2) return warps >= 0.5 ? 1.08 : 0.85;
    return warps >= 4 || (warps >= 1 && mean < 10) ? 1.15 : 0.7;
  }
  /// Nonzeros a row from which a subwarp of `lanes` lanes along N doubles its `split_k` slices.
  static constexpr double long_row_mean(int lanes, int split_k) {
    if (lanes > 2) return 40.0 * split_k;
    return lanes * split_k < 4 ? 8 : lanes * split_k < 8 ? 24 : 1e9;
  }
  /// Most split-K slices of a subwarp that has 8 lanes or more along N.
  static constexpr int most_k_slices_of_wide_rows = 2;
  /// Threads that the rows alone need, over those that the device holds, from which long rows are not split along K.
  static constexpr double split_k_fill = 1.5;
  /// Rows are split along K while their threads are less than this share of those that the device holds, and while each
  /// slice keeps this many nonzeros (two rounds).
  static constexpr double row_fill                   = 0.5;
  static constexpr double least_nonzeros_per_k_slice = 16;

  // row_split: work items
  /// Rows are taken in their own order where they are even, else in work items. A row is even up to `even_factor` times
  /// the mean plus `even_margin` nonzeros.
  static constexpr double even_factor       = 4;
  static constexpr std::int64_t even_margin = 64;  ///< not tuned
  /// Lane steps over nonzeros of neighbouring rows, from which rows are uneven.
  static constexpr double uneven_neighbours = 2.5;
  // row_split: rows by length
  /// Nonzeros of the longest row that a warp takes, over the nonzeros of one thread of the device. Below: limits of it.
  static constexpr double longest_warp_share = 192;
  static constexpr double least_warp_row = 128, most_warp_row = 768;
  /// Rounds of the longest row that a subwarp takes.
  static constexpr int unrolls_of_subwarp_row = 4;
  /// Longest row that a team takes, over the nonzeros of one subwarp. Not tuned.
  static constexpr std::int64_t longest_team_share = 128;
  /// Columns up to which rows are sorted by length.
  static constexpr std::int64_t most_sorted_columns = 64;
  /// Bytes of A, B and C up to which rows are sorted, and nonzeros a row from which they are sorted anyway. Sorted rows
  /// scatter accesses to A and C, which costs time where the cache does not hold them and rows are short.
  static constexpr double most_sorted_bytes = 40e6;
  static constexpr double long_sorted_mean  = 16;

  /// Lanes of a subwarp, known when compiling, with two loads each, where N is whole tiles of them.
  static constexpr int item_lanes = 16;
  /// Share of the teams that the device holds that work items fill, as far as their size allows.
  static constexpr double item_fill         = 0.95;
  static constexpr int item_team_subwarps   = 32;  ///< subwarps that a team of work items has at most
  static constexpr std::int64_t least_share = 12;  ///< nonzeros of a subwarp in a work item, at least
  /// Nonzeros of a subwarp in a work item, at most.
  static constexpr std::int64_t most_share(double mean, std::int64_t columns) {
    return mean >= 48 ? 128 : mean < 12 && columns > 256 ? 32 : 64;
  }
  /// A row up to this many work items long is not cut between work items.
  static constexpr double longest_over_item    = 1;
  static constexpr std::int64_t one_shot_limit = 256;  ///< nonzeros above which a team takes a row: not tuned

  // calls without a plan
  /// Nonzeros that a subwarp has in flight, and teams that a processor should hold where a lane takes
  /// `row_bytes` bytes of a row of B.
  static constexpr int one_shot_unroll = 4;
  static constexpr int one_shot_teams_at_once(int row_bytes) { return row_bytes > 16 ? 4 : 6; }
  /// Nonzeros of the longest row that a subwarp takes alone.
  static constexpr std::int64_t longest_one_shot_row(double mean) {
    return mean < 16 ? 64 : mean > 1e8 ? 400000000 : static_cast<std::int64_t>(4 * mean);
  }
  static constexpr double one_shot_fill       = 0.5;  ///< of the threads of the device that shares fill: not tuned
  static constexpr std::int64_t one_shot_room = 2;    ///< tiles that the last row of a tile may fill: not tuned

  // Hosts
  /// Sums of a tile in registers: bytes of the widest vector, of the narrowest, and vectors.
  static constexpr int host_vector_bytes(int register_bytes) { return register_bytes > 32 ? register_bytes : 32; }
  static constexpr int host_narrow_bytes = 16;
  static constexpr int host_tile_vectors = 8;
  /// Bytes of B from which its rows are asked for, and how many nonzeros before they are multiplied.
  static constexpr double host_prefetch_bytes = 24e6;
  static constexpr int host_prefetch          = 16;
  /// Nonzeros of a row that have sums of their own where a tile has `registers` registers of sums: a single sum waits
  /// for the addition before it.
  static constexpr int host_ways(int registers) { return registers <= 4 ? 2 : 1; }
  /// Partial sums of one element of C where N is 1 or 2.
  static constexpr int host_parts = 4;
  /// One column: bytes of a vector of sums, nonzeros and rows of the shortest run (not tuned).
  static constexpr int host_column_bytes       = 32;
  static constexpr std::int64_t host_least_run = 2048;
  /// One column: bytes of A from which nonzeros are asked for ahead, and how many ahead.
  static constexpr double host_ahead_bytes = 12e6;
  static constexpr std::size_t host_ahead  = 512;
  /// Nonzeros of the longest short row.
  static constexpr std::int64_t host_short_row = 10;
  static constexpr bool are_short_and_even(const NeighbouringRows& seen) {
    return seen.pairs > 0 && seen.longest <= host_short_row && 8 * seen.unequal <= seen.pairs;
  }
  /// C in columns: rows of a block; columns that are computed at once where B stands in columns too.
  static constexpr std::int64_t host_block_rows   = 16;
  static constexpr std::int64_t host_column_panel = 8;
  static constexpr int host_items                 = 16;  ///< work items of rows for each thread: not tuned
  static constexpr double host_pack_mean = 2;  ///< nonzeros a row from which a column-major B is repacked: not tuned
};

}  // namespace lacuna::Impl

#endif

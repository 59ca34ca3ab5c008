// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWBLOCKKERNEL_HPP
#define LACUNA_SPMMROWBLOCKKERNEL_HPP

#include <kernels/rows/Lacuna_RowTile.hpp>
#include <kernels/rows/Lacuna_RowsEngine.hpp>
#include <kernels/spmm/algorithms/row_blocks/Lacuna_SpmmRowBlockList.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

/// \file
/// \brief C = alpha A B + beta C from CSR and a list of row blocks: an element of B that is read serves all rows of a
/// block.
///
/// A subwarp stands along the rows of C of one block, every lane holds the sums of its columns for all of its rows in
/// registers and walks the nonzeros, a few of each row at once; their columns are read one round ahead. Where blocks
/// are few, several such subwarps share the nonzeros of a block (`split_k`). Values are read where CSR has them, so
/// nothing is packed and new values need no update.
///
/// Bound, where blocks have 6 rows: bytes of B from the second-level cache, nonzeros / rows of a block times a row of
/// B; where they have 2 or 3, wavefronts of the first (four for a row of B of 512 bytes, one for each column and
/// value). Each sum is formed in an order that depends on nothing but A and N: results are the same from run to run,
/// with the error of plain arithmetic.

namespace lacuna::Impl {

template <class ExecutionSpace, class Arrays, class Output, int vector, int lane_vectors, int most_rows>
struct SpmmRowBlockKernel {
  using Tile         = RowTile<ExecutionSpace, Arrays, Output, vector, lane_vectors>;
  using Scalar       = typename Arrays::Scalar;
  using Ordinal      = typename Arrays::Ordinal;
  using Offset       = typename Arrays::Offset;
  using LanePosition = typename Tile::LanePosition;
  using Sums         = typename Tile::Sums;
  using Block        = SpmmRowBlock<Ordinal, Offset>;

  static constexpr int unroll    = SpmmRowBlockPolicy::unroll;
  static constexpr bool splits_k = lane_vectors == 1;

  Arrays A;
  Tile tile;
  const Block* blocks;
  std::int64_t count;
  int lanes;     // of a subwarp, along the columns
  int split_k;   // of a subwarp, along the nonzeros: 1 where a lane takes two vectors
  int subwarps;  // in a warp
  int tiles;
  int teams_per_tile;  // 0: the tiles of a block stand side by side
  LaneDivision by_subwarp, by_lanes;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int subwarp       = by_subwarp(team.lane());
    const int within        = team.lane() - subwarp * lanes * split_k;
    const int k_slice       = by_lanes(within);
    const int one_tile      = teams_per_tile > 0 && tiles > 1 ? team.league_rank() / teams_per_tile : 0;
    const auto group        = static_cast<std::int64_t>(team.league_rank() - one_tile * teams_per_tile) * team.warps();
    const std::int64_t unit = (group + team.warp()) * subwarps + subwarp;
    const std::int64_t item = teams_per_tile > 0 ? unit : unit / tiles;
    const int n_tile        = teams_per_tile > 0 ? one_tile : static_cast<int>(unit - item * tiles);
    const bool exists       = subwarp < subwarps && item < count;
    sum_block<Team>(exists ? blocks[item] : Block{0, 0, 0, 0}, tile.position(n_tile, within - k_slice * lanes),
                    k_slice);
  }

 private:
  /// Where subwarps share a block, as many rows as the largest block of the warp has: all of its lanes then
  /// take the same way.
  template <class Team, int rows = most_rows>
  KOKKOS_FORCEINLINE_FUNCTION void sum_block(const Block& block, const LanePosition& position, int k_slice) const {
    if constexpr (rows > 1) {
      const bool has_fewer = splits_k ? !Team::lanes::any(block.rows >= rows) : block.rows < rows;
      if (has_fewer) return sum_block<Team, rows - 1>(block, position, k_slice);
    }
    sum_rows<Team, rows>(block, position, k_slice);
  }

  template <class Team, int rows>
  KOKKOS_FORCEINLINE_FUNCTION void sum_rows(const Block& block, const LanePosition& position, int k_slice) const {
    const Ordinal* columns = A.entries + block.begin;
    const Scalar* values   = A.values + block.begin;
    const Offset length = block.length, round = unroll * (splits_k ? split_k : 1);
    Sums sum[rows];  // "= {}" left parts of complex numbers unset (nvcc 13.0)
    for (int row = 0; row < rows; ++row) Tile::clear(sum[row]);
    Offset first[rows];  // value of each row; where the block has fewer, once more of its last one, for nothing
    for (int row = 0; row < rows; ++row)
      first[row] = static_cast<Offset>(splits_k && row >= block.rows ? block.rows - 1 : row) * length;
    Ordinal next[unroll];
    Offset k = splits_k ? unroll * k_slice : 0;
    for (int i = 0; i < unroll; ++i) next[i] = k + i < length ? columns[k + i] : Ordinal(0);
    for (; k + unroll <= length; k += round) {
      Pack<Scalar, vector> row_of_b[unroll][lane_vectors];
      Scalar value[rows][unroll];
      for (int i = 0; i < unroll; ++i)
        for (int c = 0; c < lane_vectors; ++c) row_of_b[i][c] = tile.row_of_b(position, c, next[i]);
      for (int row = 0; row < rows; ++row)
        for (int i = 0; i < unroll; ++i) value[row][i] = values[first[row] + k + i];
      for (int i = 0; i < unroll; ++i) {
        const Offset behind = k + round + i;
        next[i]             = behind < length ? columns[behind] : Ordinal(0);
      }
      for (int i = 0; i < unroll; ++i)
        for (int row = 0; row < rows; ++row) Tile::add_product(value[row][i], row_of_b[i], sum[row]);
    }
    for (int i = 0; i < unroll - 1; ++i) {
      if (k + i >= length) break;
      Pack<Scalar, vector> row_of_b[lane_vectors];
      for (int c = 0; c < lane_vectors; ++c) row_of_b[c] = tile.row_of_b(position, c, next[i]);
      for (int row = 0; row < rows; ++row) Tile::add_product(values[first[row] + k + i], row_of_b, sum[row]);
    }
    for (int distance = splits_k ? split_k / 2 : 0; distance > 0; distance /= 2)
      for (int row = 0; row < rows; ++row)
        for (int c = 0; c < lane_vectors; ++c)
          for (int v = 0; v < vector; ++v)
            sum[row][c][v] += Team::lanes::shuffle_down(sum[row][c][v], distance * lanes, Team::lane_width);
    if ((splits_k && k_slice > 0) || !tile.is_inside(position)) return;
    for (int row = 0; row < rows; ++row)
      if (row < block.rows) tile.write(static_cast<std::int64_t>(block.row) + row, position, sum[row]);
  }
};

/// How lanes stand along N, and along the nonzeros where blocks do not fill the device. `vector`: columns of a load.
template <class List>
RowsShape choose_block_shape(const RowsStatistics& statistics, const List& list, std::int64_t columns, int vector) {
  using Tuning               = SpmmRowBlockPolicy;
  const std::int64_t width   = statistics.lane_width;
  const std::int64_t vectors = ceiling_quotient(columns, vector);
  const auto blocks          = static_cast<double>(list.blocks.extent(0));
  const double wanted        = Tuning::fill * static_cast<double>(statistics.concurrency);
  const auto shape_of        = [&](int lane_vectors) {
    RowsShape shape{vector, lane_vectors, 1, 1, 1};
    shape.tiles = ceiling_quotient(vectors, std::min(Tuning::most_vectors, width * lane_vectors));
    shape.lanes = static_cast<int>(ceiling_quotient(vectors, shape.tiles * lane_vectors));
    return shape;
  };
  const auto threads_of = [&](const RowsShape& shape) {
    return blocks * shape.lanes * static_cast<double>(shape.tiles) * shape.split_k;
  };
  const RowsShape two = shape_of(2);
  if (vectors >= Tuning::two_vectors && threads_of(two) >= wanted) return two;
  RowsShape shape = shape_of(1);
  while (2 * shape.split_k * shape.lanes <= width && threads_of(shape) < wanted &&
         statistics.mean >= Tuning::least_nonzeros_per_k_slice * 2 * shape.split_k)
    shape.split_k *= 2;
  return shape;
}

template <int lane_vectors, int most_rows, class ExecutionSpace, class Arrays, class Output, class List>
void launch_row_blocks(const ExecutionSpace& exec, const Arrays& A,
                       const BlockArguments<typename Arrays::Scalar, Output>& arguments, const List& list,
                       const RowsShape& shape, double tiles_inside_bytes) {
  using Tuning         = SpmmRowBlockPolicy;
  constexpr int vector = widest_load<typename Arrays::Scalar>;
  using Kernel         = SpmmRowBlockKernel<ExecutionSpace, Arrays, Output, vector, lane_vectors, most_rows>;
  using Tile           = typename Kernel::Tile;
  const int threads    = team_threads<ExecutionSpace>(Tuning::team);
  const int subwarps   = shape.rows_per_warp(Tile::lane_width);
  const auto count     = static_cast<std::int64_t>(list.blocks.extent(0));
  const auto& B        = arguments.B;
  const double b_bytes = static_cast<double>(B.rows) * static_cast<double>(B.columns) * sizeof(typename Arrays::Scalar);
  const bool inside    = shape.tiles > 1 && !list.is_scattered && b_bytes > tiles_inside_bytes;
  const std::int64_t by_team = std::int64_t{threads / Tile::lane_width} * subwarps;
  const std::int64_t teams   = inside ? ceiling_quotient(checked_product("spmm", count, shape.tiles), by_team)
                                      : checked_product("spmm", ceiling_quotient(count, by_team), shape.tiles);
  launch_teams<Tuning::team, Tuning::teams_at_once(most_rows, lane_vectors)>(
      exec, "Lacuna::spmm::row_blocks", {teams, threads}, 0,
      Kernel{A, Tile(arguments, shape), list.blocks.data(), count, shape.lanes, shape.split_k, subwarps,
             static_cast<int>(shape.tiles), inside ? 0 : static_cast<int>(teams / shape.tiles),
             LaneDivision(shape.lanes * shape.split_k), LaneDivision(shape.lanes)});
}

/// Whether `spmm_row_blocks` serves the arguments: rows of B are read by loads of 16 bytes.
template <class Scalar, class Output>
bool row_blocks_serve(const BlockArguments<Scalar, Output>& arguments, bool padded) {
  return load_width(arguments.B, padded) == widest_load<Scalar> &&
         arguments.B.row_stride <= std::numeric_limits<std::int32_t>::max() / std::int64_t{sizeof(Scalar)} &&
         arguments.C.columns <= std::int64_t{1} << 30;
}

/// C = alpha A B + beta C for arguments that hold a product and that `row_blocks_serve`. `tiles_inside_bytes`: of B,
/// above which the tiles of a block are taken side by side. Does not fence and does not allocate.
template <class ExecutionSpace, class Arrays, class Output, class List>
void spmm_row_blocks(const ExecutionSpace& exec, const Arrays& A,
                     const BlockArguments<typename Arrays::Scalar, Output>& arguments, const List& list,
                     double tiles_inside_bytes = SpmmRowBlockPolicy::tiles_inside_bytes) {
  using Tuning = SpmmRowBlockPolicy;
  const auto shape =
      choose_block_shape(rows_statistics(exec, A), list, arguments.C.columns, widest_load<typename Arrays::Scalar>);
  const bool many = list.most_rows > Tuning::few_rows;
  if (shape.lane_vectors == 1 && many)
    return launch_row_blocks<1, Tuning::many_rows>(exec, A, arguments, list, shape, tiles_inside_bytes);
  if (shape.lane_vectors == 1)
    return launch_row_blocks<1, Tuning::few_rows>(exec, A, arguments, list, shape, tiles_inside_bytes);
  if (many) return launch_row_blocks<2, Tuning::many_rows>(exec, A, arguments, list, shape, tiles_inside_bytes);
  launch_row_blocks<2, Tuning::few_rows>(exec, A, arguments, list, shape, tiles_inside_bytes);
}

}  // namespace lacuna::Impl

#endif

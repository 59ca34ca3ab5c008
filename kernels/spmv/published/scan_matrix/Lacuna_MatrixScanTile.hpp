// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MATRIXSCANTILE_HPP
#define LACUNA_MATRIXSCANTILE_HPP

#include <kernels/spmv/published/shared/Lacuna_OpenSegment.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvScanWorkspace.hpp>

/// \file
/// \brief SpMV by the matrix-based segmented scan (002, section 5.1; Dotsenko, Govindaraju, Sloan, Boyd and
/// Manferdelli, Fast Scan Algorithms on Graphics Processors, 2008).
///
/// A tile is a matrix in scratch with a row a thread. Each thread reduces its row serially, one warp scans the
/// column of row sums (again serially, then across its lanes), each thread scans its row from there. The barriers do
/// not grow with the tile, and rows are an odd number of elements apart so that the threads hit different banks.

namespace lacuna::Impl {

template <class Scalar>
struct MatrixScanTile {
  ScanTiles<Scalar> tiles;

  /// Columns of the matrix, and how far apart its rows are.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int columns(int threads) { return (scan_tile + threads - 1) / threads; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int pitch(int threads) { return columns(threads) | 1; }

  static constexpr std::size_t scratch_bytes(int threads) {
    return threads * ((pitch(threads) + 1) * sizeof(Scalar) + columns(threads) + 1) + 64;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rows           = team.threads();
    const int width          = columns(rows);
    const int stride         = pitch(rows);
    Scalar* const value      = team.template scratch<Scalar>(rows * stride);
    Scalar* const row_sum    = team.template scratch<Scalar>(rows);
    auto* const head         = team.template scratch<std::uint8_t>(rows * width);
    auto* const row_has_head = team.template scratch<std::uint8_t>(rows);
    const std::int64_t tile  = team.league_rank();
    const std::int64_t begin = tile * scan_tile;
    const int size           = tiles.size(tile);
    for (int i = team.thread(); i < rows * width; i += rows) {
      value[i / width * stride + i % width] = i < size ? tiles.values[begin + i] : Scalar(0);
      head[i]                               = i < size ? tiles.heads[begin + i] : 0;
    }
    team.barrier();

    Scalar* const my_value            = value + team.thread() * stride;
    const std::uint8_t* const my_head = head + team.thread() * width;
    OpenSegment<Scalar> segment;
    for (int column = 0; column < width; ++column) segment.append(my_value[column], my_head[column] != 0);
    row_sum[team.thread()]      = segment.sum;
    row_has_head[team.thread()] = static_cast<std::uint8_t>(segment.has_head);
    team.barrier();

    if (team.warp() == 0) scan_open_segments(team, row_sum, row_has_head, rows);
    team.barrier();

    segment.sum = row_sum[team.thread()];
    for (int column = 0; column < width; ++column) {
      segment.append(my_value[column], my_head[column] != 0);
      my_value[column] = segment.sum;
    }
    team.barrier();

    for (int i = team.thread(); i < size; i += rows) {
      const Scalar inclusive  = value[i / width * stride + i % width];
      tiles.values[begin + i] = inclusive;
      if (i == scan_tile - 1 && tiles.carries != nullptr) tiles.carries[tile] = inclusive;
    }
  }
};

/// y = alpha A x + beta y by products, matrix-based segmented scan and gather. `workspace` was made of the pattern of
/// `A` by `make_spmv_scan_workspace`; calls that share it must not overlap. `shape.lanes_per_row` is not used.
/// Deterministic. Does not fence.
template <class ExecutionSpace, class Arrays>
void spmv_scan_matrix(const ExecutionSpace& exec, const Arrays& A,
                      const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape,
                      const SpmvScanWorkspace<typename Arrays::Scalar, ExecutionSpace>& workspace) {
  using Tile        = MatrixScanTile<typename Arrays::Scalar>;
  const int threads = team_threads<ExecutionSpace>(shape.team_size > 0 ? shape.team_size : 128);
  spmv_by_scan(exec, A, arguments, threads, workspace, [&](const auto& tiles, std::int64_t count) {
    launch_teams(exec, "Lacuna::spmv::scan_matrix", {count, threads}, Tile::scratch_bytes(threads), Tile{tiles});
  });
}

}  // namespace lacuna::Impl

#endif

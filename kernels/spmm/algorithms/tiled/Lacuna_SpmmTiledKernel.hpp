// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILEDKERNEL_HPP
#define LACUNA_SPMMTILEDKERNEL_HPP

#include <Lacuna_Launch.hpp>
#include <kernels/spmm/algorithms/tiled/Lacuna_SpmmTiledPolicy.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmArguments.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief SpMM by tiles: a team holds a block of rows of C in registers and goes through the tiles of these rows. While
/// it works on one, the next comes to scratch: its nonzeros, and the rows of B that its columns name.
///
/// Bound: one read of 4 bytes from scratch for every multiply-add, where rows one by one read as much from L2.

namespace lacuna::Impl {

/// \tparam packs of 16 bytes of a row of C that a lane has: what it reads of A serves so many of B
template <class ExecutionSpace, class Scalar, class Output, int packs>
struct SpmmTiledKernel {
  static constexpr LaunchKind launch_kind = LaunchKind::native;

  using Policy     = SpmmTiledPolicy;
  using Arguments  = SpmmArguments<Scalar, Output>;
  using Arithmetic = typename Arguments::Arithmetic;
  using Load       = TiledEntries<Scalar>;

  static constexpr int per_lane = sizeof(Scalar) < 16 ? 16 / static_cast<int>(sizeof(Scalar)) : 1;
  static constexpr int rows     = Policy::sum_bytes / (packs * per_lane * static_cast<int>(sizeof(Arithmetic)));
  using Columns                 = Pack<Scalar, per_lane>;  // of B, in one load
  using Sums                    = Arithmetic[rows][packs][per_lane];

  TiledArrays<Scalar> A;
  Arguments arguments;
  std::int64_t blocks;  ///< of rows
  int lanes;            ///< that share a row, a power of two
  int capacity;         ///< loads of a stage

  KOKKOS_FUNCTION static std::int64_t stage_bytes(const TileShape& tile, int lanes, std::int64_t loads) {
    return tiled_stage_bytes(tile, lanes * packs * per_lane, sizeof(Scalar), loads, sizeof(Load));
  }
  static std::int64_t scratch_bytes(const TileShape& tile, int lanes, std::int64_t loads) {
    return Policy::stages * stage_bytes(tile, lanes, loads) + 64;
  }

  /// Loads of 16 bytes that a row of a tile of B takes.
  KOKKOS_FORCEINLINE_FUNCTION int width() const { return lanes * packs; }

  /// What is in scratch of a tile.
  struct Stage {
    Columns* B;
    std::int32_t* begins;
    Load* loads;
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using stages = typename Team::stages;
    // Teams that run at once share columns of B.
    const std::int64_t block        = team.league_rank() % blocks;
    const std::int64_t first_column = team.league_rank() / blocks * (width() * per_lane);
    const int lane = team.thread() % lanes, group = team.thread() / lanes, groups = team.threads() / lanes;
    const auto step     = static_cast<std::size_t>(stage_bytes(A.shape, lanes, capacity));
    char* const scratch = team.template scratch<char>(Policy::stages * step);
    // Behind the tile: what loads are filled up with is multiplied by it.
    for (int i = team.thread(); i < Policy::stages * width(); i += team.threads())
      stage_at(scratch + (i / width()) * step).B[A.shape.columns * width() + i % width()] = Columns{};
    Sums sums;
    LACUNA_UNROLL
    for (int i = 0; i < rows; ++i) {
      LACUNA_UNROLL
      for (int q = 0; q < packs; ++q) {
        LACUNA_UNROLL
        for (int c = 0; c < per_lane; ++c) sums[i][q][c] = Arithmetic(0);
      }
    }

    const std::int64_t first = block * A.tiles_per_row;
    std::int32_t begin = begin_of(first), end = begin_of(first + 1);
    fill<stages>(team, stage_at(scratch), first, 0, first_column, begin, end);
    stages::commit();
    for (std::int64_t j = 0; j < A.tiles_per_row; ++j) {
      if (j + 1 < A.tiles_per_row) {
        begin = end;
        end   = begin_of(first + j + 2);
        fill<stages>(team, stage_at(scratch + (j + 1) % 2 * step), first + j + 1, j + 1, first_column, begin, end);
      }
      stages::commit();
      stages::template wait<1>();
      team.barrier();
      add_tile(stage_at(scratch + j % 2 * step), lane, group, groups, sums);
      team.barrier();
    }
    write(block * A.shape.rows, group, groups, first_column + lane * per_lane, sums);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Stage stage_at(char* scratch) const {
    Stage stage;
    stage.B      = reinterpret_cast<Columns*>(scratch);
    stage.begins = reinterpret_cast<std::int32_t*>(stage.B + (A.shape.columns + 1) * width());
    stage.loads  = reinterpret_cast<Load*>(stage.begins + A.shape.begins());
    return stage;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int32_t begin_of(std::int64_t tile) const {
    return A.begins[tile * A.shape.begins()];
  }

  /// Starts the copies of tile `tile`, the `j`th of its rows.
  template <class Stages, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void fill(const Team& team, const Stage& stage, std::int64_t tile, std::int64_t j,
                                        std::int64_t first_column, std::int32_t begin, std::int32_t end) const {
    const auto& B            = arguments.B;
    const std::int64_t first = j * A.shape.columns;
    const std::int64_t left  = A.columns - first;
    const int depth          = static_cast<int>(left < A.shape.columns ? left : A.shape.columns);
    const auto to_B          = Stages::address(stage.B);
    const int step           = team.threads() / lanes;
    for (int piece = team.thread() % lanes; piece < width(); piece += lanes) {
      const std::int64_t column = first_column + piece * per_lane;
      const bool is_whole       = column + per_lane <= B.columns;
      const Scalar* source      = B.data + (first + team.thread() / lanes) * B.row_stride + column;
      for (int k = team.thread() / lanes; k < depth; k += step, source += step * B.row_stride) {
        const int place = k * width() + piece;
        if (is_whole) {
          Stages::template copy<16>(to_B + place * static_cast<int>(sizeof(Columns)), source);
          continue;
        }
        // Not all of its columns exist.
        LACUNA_UNROLL
        for (int c = 0; c < per_lane; ++c) stage.B[place].value[c] = column + c < B.columns ? source[c] : Scalar(0);
      }
    }
    const auto to_begins     = Stages::address(stage.begins);
    const auto* const begins = reinterpret_cast<const char*>(A.begins + tile * A.shape.begins());
    const int begin_pieces   = static_cast<int>(A.shape.begins() / 4);
    for (int i = team.thread(); i < begin_pieces; i += team.threads())
      Stages::template copy<16>(to_begins + 16 * i, begins + 16 * i);
    const auto to_loads     = Stages::address(stage.loads);
    const auto* const loads = reinterpret_cast<const char*>(A.entries + begin);
    const int load_pieces   = (end - begin) * static_cast<int>(sizeof(Load) / 16);
    for (int i = team.thread(); i < load_pieces; i += team.threads())
      Stages::template copy<16>(to_loads + 16 * i, loads + 16 * i);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_tile(const Stage& stage, int lane, int group, int groups, Sums& sums) const {
    const Columns* const own  = stage.B + lane;
    const std::int32_t before = stage.begins[0];
    LACUNA_UNROLL
    for (int i = 0; i < rows; ++i) {
      const int row = group + i * groups;
      if (row >= A.shape.rows) break;
      const Load* load      = stage.loads + (stage.begins[row] - before);
      const Load* const end = stage.loads + (stage.begins[row + 1] - before);
      LACUNA_NO_UNROLL
      for (; load < end; ++load) {
        const Load entries = *load;
        LACUNA_UNROLL
        for (int e = 0; e < Load::count; ++e) {
          const Columns* const b = own + entries.place[e] * static_cast<unsigned>(width());
          LACUNA_UNROLL
          for (int q = 0; q < packs; ++q) {
            const Columns pack = b[q * lanes];
            LACUNA_UNROLL
            for (int c = 0; c < per_lane; ++c)
              sums[i][q][c] += static_cast<Arithmetic>(entries.value[e]) * static_cast<Arithmetic>(pack.value[c]);
          }
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t first_row, int group, int groups, std::int64_t first_column,
                                         const Sums& sums) const {
    const auto& C = arguments.C;
    LACUNA_UNROLL
    for (int i = 0; i < rows; ++i) {
      const std::int64_t row = group + i * groups;
      if (row >= A.shape.rows || first_row + row >= C.rows) break;
      LACUNA_UNROLL
      for (int q = 0; q < packs; ++q) write_pack(first_row + row, first_column + q * (lanes * per_lane), sums[i][q]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_pack(std::int64_t row, std::int64_t column,
                                              const Arithmetic (&sums)[per_lane]) const {
    const auto& C = arguments.C;
    const bool is_wide =
        sizeof(Output) == sizeof(Scalar) && C.rows_aligned(sizeof(Columns)) && column + per_lane <= C.columns;
    if (is_wide) {
      auto* const target = reinterpret_cast<Pack<Output, per_lane>*>(C.at(row, column));
      Pack<Output, per_lane> result{};
      if (arguments.beta != Arithmetic(0)) result = *target;
      LACUNA_UNROLL
      for (int c = 0; c < per_lane; ++c)
        result.value[c] = static_cast<Output>(arguments.result(sums[c], result.value[c]));
      *target = result;
    } else {
      LACUNA_UNROLL
      for (int c = 0; c < per_lane; ++c)
        if (column + c < C.columns) arguments.write(row, column + c, sums[c]);
    }
  }
};

template <int packs, class ExecutionSpace, class Tiled, class Scalar, class Output>
void launch_tiled(const ExecutionSpace& exec, const Tiled& tiled, int lanes,
                  const SpmmArguments<Scalar, Output>& arguments) {
  using Kernel       = SpmmTiledKernel<ExecutionSpace, Scalar, Output, packs>;
  const auto arrays  = tiled.arrays();
  const auto blocks  = ceiling_quotient(arrays.rows, arrays.shape.rows);
  const auto tiles   = ceiling_quotient(arguments.C.columns, lanes * packs * Kernel::per_lane);
  const auto scratch = Kernel::scratch_bytes(arrays.shape, lanes, tiled.largest_tile());
  launch_teams<SpmmTiledPolicy::threads, 1>(
      exec, "Lacuna::spmm::tiled", {checked_product("spmm", blocks, tiles), SpmmTiledPolicy::threads},
      static_cast<std::size_t>(scratch),
      Kernel{arrays, arguments, blocks, lanes, static_cast<int>(tiled.largest_tile())});
}

/// C = alpha A B + beta C for arguments that hold a product. B is row-major with rows that start at multiples of 16
/// bytes; C has any strides. The same bits on every run. Does not fence.
template <class ExecutionSpace, class Tiled, class Scalar, class Output>
void spmm_tiled(const ExecutionSpace& exec, const Tiled& tiled, const TileLanes& lanes,
                const SpmmArguments<Scalar, Output>& arguments) {
  if (lanes.packs == 1)
    launch_tiled<1>(exec, tiled, lanes.lanes, arguments);
  else
    launch_tiled<SpmmTiledPolicy::most_packs>(exec, tiled, lanes.lanes, arguments);
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILEDENGINEKERNEL_HPP
#define LACUNA_SPMMTILEDENGINEKERNEL_HPP

#include <backends/Lacuna_Launch.hpp>
#include <backends/Lacuna_Mma.hpp>
#include <kernels/rows/Lacuna_PlainSums.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_EngineTileFold.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_SpmmTiledEnginePolicy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief SpMM by tiles on the matrix engine: a warp holds 16 rows of C in registers, its team goes through the
/// tiles of B. See Lacuna_EngineTileWalk.hpp.

namespace lacuna::Impl {

/// \tparam Atom  16 × 8 × 16 with float sums
/// \tparam tiles of 16 columns of C that a warp has
template <class ExecutionSpace, class Atom, CrsMatrixType Matrix, class OutputType, int tiles,
          int ahead = SpmmTiledEnginePolicy::steps_ahead(tiles)>
struct SpmmTiledEngineKernel {
  static constexpr bool stays_in_place = true;

  using Copies    = TileCopiesFor<ExecutionSpace>;
  using Mma       = MmaFor<ExecutionSpace, Atom>;
  using Element   = typename Mma::element;
  using Scalar    = typename Matrix::non_const_value_type;
  using Output    = OutputType;
  using Arguments = BlockArguments<Scalar, Output>;
  using Sum       = typename Mma::C;

  static constexpr int width      = 16 * tiles;
  static constexpr int products   = 2 * tiles;
  static constexpr bool by_engine = Copies::has_engine;

  EngineTileArrays<Element> tiled;
  PackedRows<Element> packed;  ///< B as the engine reads it
  PlainSums<Matrix, Output> plain;
  EngineWorkItems work_items;
  int at_once;               ///< copies of 16 bytes that a thread starts in a step, or rows that a copy engine brings
  typename Copies::Map map;  ///< of `packed`

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if constexpr (by_engine) {
      EngineTilesByEngine<Team, Copies, Element, tiles> source(team, tiled.tile_columns, work_items, map, at_once);
      for (int item = team.league_rank(); item < work_items.count; item += team.league_size())
        do_item(team, source, item);
    } else {
      EngineTilesByThreads<Team, Element, tiles> source(team, tiled.tile_columns, work_items, packed, tiled.columns,
                                                        at_once);
      do_item(team, source, team.league_rank());
    }
  }

 private:
  template <class Team, class Source>
  KOKKOS_FORCEINLINE_FUNCTION void do_item(const Team& team, Source& source, int item) const {
    const int panel = work_items.panel(item), group = work_items.block(item) * team.warps() + team.warp();
    Sum sums[products];
    for_each_lane<Mma>(team.lane(), [&](int lane) {
      LACUNA_UNROLL
      for (int i = 0; i < products; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg) sums[i](lane, reg) = 0.0f;
      }
    });
    source.begin(item);
    EngineTileWalk<Team, Mma, Source, tiles, ahead> walk(team, tiled, source, work_items.range(item), group);
    walk.add_to(sums);
    if (group >= tiled.groups) return;
    const EngineSlices& slices = work_items.slices;
    if (slices.count > 1 &&
        !fold_slices<Mma, products>(team, slices, work_items.slice(item), panel * tiled.groups + group, sums))
      return;
    constexpr int rows           = EngineTileShape::group_rows;
    const std::int64_t first_row = std::int64_t{group} * rows, first_column = std::int64_t{panel} * width;
    if (Team::lanes::any(is_not_finite(team.lane(), sums)))
      plain.write(team, first_row, first_row + rows, first_column, first_column + width);
    else
      write(team.lane(), first_row, first_column, sums);
  }

  /// Whether a sum of this lane is Inf or NaN.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_not_finite(int own, const Sum* sums) {
    float zero = 0.0f;
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int i = 0; i < products; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg) zero += sums[i](lane, reg) * 0.0f;
      }
    });
    return !(zero == 0.0f);
  }

  /// A lane has two neighbouring columns of two rows in each product.
  KOKKOS_FORCEINLINE_FUNCTION void write(int own, std::int64_t first_row, std::int64_t first_column,
                                         const Sum* sums) const {
    const auto& C = plain.arguments.C;
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::c_registers; reg += 2) {
        const std::int64_t row   = first_row + Mma::c_row(lane, reg);
        const std::int64_t begin = first_column + Mma::c_column(lane, reg);
        if (row >= C.rows) continue;
        const bool in_pairs = C.rows_aligned(2 * static_cast<int>(sizeof(Output)));
        LACUNA_UNROLL
        for (int i = 0; i < products; ++i)
          write_pair(row, begin + 8 * i, sums[i](lane, reg), sums[i](lane, reg + 1), in_pairs);
      }
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_pair(std::int64_t row, std::int64_t column, float first, float second,
                                              bool in_pairs) const {
    const Arguments& arguments = plain.arguments;
    const auto& C              = arguments.C;
    if (in_pairs && column + 1 < C.columns) {
      auto* const target = reinterpret_cast<Pack<Output, 2>*>(C.at(row, column));
      Pack<Output, 2> result{};
      if (arguments.beta != 0.0f) result = *target;
      result.value[0] = static_cast<Output>(arguments.result(first, result.value[0]));
      result.value[1] = static_cast<Output>(arguments.result(second, result.value[1]));
      *target         = result;
    } else {
      if (column < C.columns) arguments.write(row, column, first);
      if (column + 1 < C.columns) arguments.write(row, column + 1, second);
    }
  }
};

template <int tiles, class Atom, class ExecutionSpace, class Tiled, CrsMatrixType Matrix, class Output>
void launch_tiled_engine(const ExecutionSpace& exec, const Tiled& tiled, const SpmmEngineTiling& tiling,
                         const EngineSlices& slices, const CrsArraysOf<Matrix>& A,
                         const PackedRows<typename Atom::element>& packed,
                         const BlockArguments<typename Matrix::non_const_value_type, Output>& arguments) {
  using Policy      = SpmmTiledEnginePolicy;
  using Kernel      = SpmmTiledEngineKernel<ExecutionSpace, Atom, Matrix, Output, tiles>;
  const char* label = "Lacuna::spmm::tiled_engine";
  const auto arrays = tiled.arrays();
  const auto blocks = ceiling_quotient(arrays.groups, tiling.groups);
  const auto work_items =
      checked_product("spmm", blocks, ceiling_quotient(arguments.C.columns, Kernel::width) * slices.count);
  if (work_items > std::numeric_limits<int>::max())
    raise<NotSupported>("spmm", "C of ", arguments.C.rows, " x ", arguments.C.columns, " has too many blocks");
  const int threads = tiling.groups * ExecutionTraits<ExecutionSpace>::lane_width;
  constexpr EngineStage stage{Kernel::width, Kernel::by_engine};
  Kernel kernel{
      arrays,
      packed,
      {A, arguments},
      {slices, static_cast<int>(work_items), static_cast<int>(blocks), static_cast<int>(arrays.tiles_per_row)},
      0,
      {}};
  if constexpr (Kernel::by_engine) {
    kernel.at_once = EngineStage::box_rows(arrays.tile_columns);
    // The stride of a single row may be anything.
    const std::int64_t row_stride = arrays.columns > 1 ? packed.row_stride : round_up(packed.readable, 8);
    kernel.map = Kernel::Copies::map(label, packed.data, arrays.columns, packed.readable, row_stride, kernel.at_once,
                                     stage.panel(), stage.row_bytes());
  } else {
    kernel.at_once = engine_copies_a_step(arrays, tiled.steps(), Kernel::width, threads);
  }
  launch_teams<Policy::most_groups * Atom::lanes, 1>(
      exec, label, {Kernel::by_engine ? std::min<std::int64_t>(work_items, tiling.teams) : work_items, threads},
      static_cast<std::size_t>(stage.scratch(arrays.tile_columns)), kernel);
}

/// C = alpha A B + beta C for arguments that hold a product. `packed` is B in the engine's elements, rows start at
/// multiples of 16 bytes; C has any strides. The same bits on every run. Does not fence.
template <class Atom, CrsMatrixType Matrix, class ExecutionSpace, class Tiled, class Output>
void spmm_tiled_engine(const ExecutionSpace& exec, const Tiled& tiled, const SpmmEngineTiling& tiling,
                       const EngineSlices& slices, const CrsArraysOf<Matrix>& A,
                       const PackedRows<typename Atom::element>& packed,
                       const BlockArguments<typename Matrix::non_const_value_type, Output>& arguments) {
  switch (tiling.tiles) {
    case 2:
      return launch_tiled_engine<2, Atom, ExecutionSpace, Tiled, Matrix>(exec, tiled, tiling, slices, A, packed,
                                                                         arguments);
    case 4:
      return launch_tiled_engine<4, Atom, ExecutionSpace, Tiled, Matrix>(exec, tiled, tiling, slices, A, packed,
                                                                         arguments);
    default:
      return launch_tiled_engine<8, Atom, ExecutionSpace, Tiled, Matrix>(exec, tiled, tiling, slices, A, packed,
                                                                         arguments);
  }
}

}  // namespace lacuna::Impl

#endif

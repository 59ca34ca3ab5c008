// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMBRICKLAUNCH_HPP
#define LACUNA_SPMMBRICKLAUNCH_HPP

#include <Lacuna_BrickMatrix.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_SpmmBrickKernel.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_SpmmBrickPolicy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief How SpMM on bricks is launched: see Lacuna_SpmmBrickKernel.hpp.

namespace lacuna::Impl {

/// Columns of B and C in one launch, and those that partial sums begin with.
struct BrickColumns {
  std::int64_t first, count, partial_begin;
};

/// Launches on `columns`, tiles of Shape::columns.
template <class Engine, class Shape, LaunchPath path, class ExecutionSpace, class Arrays, class Schedule>
void launch_bricks(const ExecutionSpace& exec, const Arrays& bricks,
                   const BlockArguments<typename Arrays::Scalar>& arguments, const Schedule& schedule,
                   BrickColumns columns) {
  using Scalar                       = typename Arrays::Scalar;
  using Kernel                       = SpmmBrickKernel<Engine, Shape, Arrays>;
  using traits                       = ExecutionTraits<ExecutionSpace>;
  constexpr std::size_t shared_state = 2 * sizeof(BrickSharedState);  // wherever the team's scratch begins
  // Where a backend has no scratch but what TeamPolicy serves, it is known here how many rings fit: teams are smaller
  // then, and a lane has more registers.
  constexpr bool by_policy = path == LaunchPath::team_policy || !DeviceLaunch<ExecutionSpace>::is_possible;
  constexpr int most_groups =
      by_policy && traits::is_gpu
          ? std::clamp(static_cast<int>((traits::scratch_bytes - shared_state) / Kernel::Ring::bytes), 1, Shape::groups)
          : Shape::groups;
  const std::size_t scratch = by_policy ? traits::scratch_bytes : largest_scratch(exec);
  const int fitting         = static_cast<int>((scratch - shared_state) / Kernel::Ring::bytes);
  const int groups          = traits::is_gpu ? std::clamp(fitting, 1, most_groups) : 1;
  const std::int64_t tiles  = (columns.count + Shape::columns - 1) / Shape::columns;
  if (tiles > std::numeric_limits<int>::max() / std::max<std::int64_t>(1, schedule.segments))
    raise<NotSupported>("spmm", schedule.segments, " segments of panels times ", tiles,
                        " tiles of columns are too many");
  // Where segments are few, teams share the tiles of a run instead of taking them all.
  const std::int64_t runs_wanted = std::max<std::int64_t>(1, schedule.segments / (2 * groups));
  int tile_runs                  = 1;
  while (2 * tile_runs <= tiles && schedule.shares / tile_runs > runs_wanted) tile_runs *= 2;
  const int runs   = static_cast<int>(std::max<std::int64_t>(1, schedule.shares / tile_runs));
  const bool pairs = arguments.C.rows_aligned(2 * sizeof(Scalar)) && columns.first % 2 == 0;
  launch_teams<most_groups * traits::lane_width, 1, path>(
      exec, "Lacuna::spmm::bricks", {static_cast<std::int64_t>(runs) * tile_runs, groups * traits::lane_width},
      shared_state + static_cast<std::size_t>(groups * Kernel::Ring::bytes),
      Kernel{bricks, arguments, schedule.segment.data(), schedule.share_begin.data(), schedule.shares, runs,
             static_cast<int>(tiles), tile_runs, columns.first, columns.count, columns.partial_begin,
             schedule.partial.data(), schedule.arrived.data(), schedule.partial_columns, pairs});
}

/// Wide tiles; for the last columns the narrowest that holds them.
template <class Engine, int BrickRows, bool Shifted, LaunchPath path, class ExecutionSpace, class Arrays,
          class Schedule>
void launch_brick_tiles(const ExecutionSpace& exec, const Arrays& bricks,
                        const BlockArguments<typename Arrays::Scalar>& arguments, const Schedule& schedule) {
  using Tuning       = SpmmBrickPolicy;
  constexpr int size = sizeof(typename Arrays::Scalar);
  const auto launch  = [&](auto tile, BrickColumns columns) {
    using Tile = decltype(tile);
    if (columns.count > 0)
      launch_bricks<Engine, BrickShape<Tile::bytes / size, BrickRows, Tile::stages, Tile::groups(BrickRows), Shifted>,
                    path>(exec, bricks, arguments, schedule, columns);
  };
  constexpr int wide = Tuning::Wide::bytes / size, middle = Tuning::Middle::bytes / size;
  constexpr int narrow = Tuning::Narrow::bytes / size;
  // Memory of partial sums serves the columns that the schedule was made for: more are taken in turns.
  const std::int64_t all  = arguments.C.columns;
  const std::int64_t most = schedule.partial.extent(0) > 0 ? schedule.partial_columns : all;
  for (std::int64_t begin = 0; begin < all; begin += most) {
    const std::int64_t count = std::min(most, all - begin);
    const std::int64_t rest  = count % wide <= middle ? count % wide : 0;
    launch(typename Tuning::Wide(), {begin, count - rest, begin});
    if (rest > narrow)
      launch(typename Tuning::Middle(), {begin + count - rest, rest, begin});
    else
      launch(typename Tuning::Narrow(), {begin + count - rest, rest, begin});
  }
}

/// \brief C = alpha A B + beta C. B is row-major with any row stride, C has any strides.
///
/// `Engine`: how products are formed; the choice of `precision` where it is void. Reduced precisions of float have the
/// error bounds of `RoundedEngine`; for double there is `full` alone. Without `any_alignment` the rows of B must start
/// at multiples of 16 bytes, which saves the kernels that take others.
/// \throws NotSupported where the device has no matrix engine, B is not row-major or its rows are 4 GiB apart;
/// DimensionMismatch; InvalidArgument where the schedule is not that of the bricks, or those are not 16-byte aligned.
template <Precision precision = Precision::full, class Engine = void, LaunchPath path = LaunchPath::automatic,
          bool any_alignment = true, class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset,
          class Schedule>
void spmm_bricks(const ExecutionSpace& exec, const BrickMatrix<Scalar, Ordinal, Device, Offset>& bricks,
                 const BlockArguments<Scalar>& arguments, const Schedule& schedule) {
  static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
                "lacuna::spmm: bricks serve float and double");
  static_assert(std::is_same_v<Scalar, float> || precision == Precision::full,
                "lacuna::spmm: reduced precisions are for float");
  using Chosen =
      typename std::conditional_t<std::is_void_v<Engine>, BrickEngineChoice<ExecutionSpace, Scalar, precision>,
                                  std::type_identity<Engine>>::type;
  const auto& B = arguments.B;
  const auto& C = arguments.C;
  if (C.rows == 0 || C.columns == 0) return;
  if (!DeviceLaunch<ExecutionSpace>::has_matrix_engine(exec))
    raise<NotSupported>("spmm", "bricks need a matrix engine, which this device does not have; row_split does not");
  if (B.columns != C.columns || B.rows != static_cast<std::int64_t>(bricks.columns) ||
      C.rows != static_cast<std::int64_t>(bricks.rows))
    raise<DimensionMismatch>("spmm", "bricks ", shape_text(bricks.rows, bricks.columns), ", B ",
                             shape_text(B.rows, B.columns), ", C ", shape_text(C.rows, C.columns));
  if (schedule.segment.extent(0) == 0) raise<InvalidArgument>("spmm", "the schedule was made for other bricks");
  if (B.columns > 1 && !B.row_major())
    raise<NotSupported>("spmm", "bricks need B row-major, its columns are ", B.column_stride, " elements apart");
  if (B.row_stride < 0 ||
      B.row_stride * static_cast<std::int64_t>(sizeof(Scalar)) > std::numeric_limits<std::uint32_t>::max())
    raise<NotSupported>("spmm", "rows of B are ", B.row_stride, " elements apart, bricks support less than 4 GiB");
  for (const void* data :
       {static_cast<const void*>(bricks.step_columns.data()), static_cast<const void*>(bricks.patterns.data())})
    if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0)
      raise<InvalidArgument>("spmm", "step_columns and patterns of the bricks must be 16-byte aligned");
  const auto arrays = arrays_of(bricks);
  const auto launch = [&](auto brick_rows) {
    if (B.rows_aligned(16))
      launch_brick_tiles<Chosen, brick_rows.value, false, path>(exec, arrays, arguments, schedule);
    else if constexpr (any_alignment)
      launch_brick_tiles<Chosen, brick_rows.value, true, path>(exec, arrays, arguments, schedule);
    else
      raise<NotSupported>("spmm", "bricks in this precision need rows of B that are 16-byte aligned");
  };
  if (bricks.panel_rows == 8)
    launch(std::integral_constant<int, 1>());
  else
    launch(std::integral_constant<int, 2>());
}

}  // namespace lacuna::Impl

#endif

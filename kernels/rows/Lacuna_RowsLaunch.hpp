// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSLAUNCH_HPP
#define LACUNA_ROWSLAUNCH_HPP

#include <kernels/rows/Lacuna_ColumnTile.hpp>
#include <kernels/rows/Lacuna_EvenRows.hpp>
#include <kernels/rows/Lacuna_RowKernel.hpp>
#include <kernels/rows/Lacuna_RowsKernel.hpp>
#include <kernels/rows/Lacuna_WorkItemWalk.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

/// \file
/// \brief Starts the kernel that `choose_rows_kernel` named. Nothing is decided here but what a pointer's alignment
/// says.

namespace lacuna::Impl {

/// Threads of a team: as asked for, else `tuned`.
template <class ExecutionSpace>
int row_threads(int team_size, int tuned) {
  return team_threads<ExecutionSpace>(team_size > 0 ? std::min(team_size, RowsPolicy::row_team) : tuned);
}

/// Teams for `items` rows or work items, of which a team takes `by_team`: for one tile of N.
inline std::int64_t row_teams(std::int64_t items, std::int64_t by_team, const RowsShape& shape) {
  const std::int64_t teams = ceiling_quotient(items, by_team);
  if (checked_product("spmm", teams, shape.tiles) > std::numeric_limits<int>::max())
    raise<NotSupported>("spmm", "C of ", items, " rows or work items and ", shape.tiles,
                        " tiles of N needs more teams than one launch can have");
  return teams;
}

/// Whether the nonzeros can be read four at once, as the kernel that walks work items does.
template <class Arrays>
bool has_packs(const Arrays& A) {
  return NonzeroPacks<Arrays>(A).whole() > 0 || A.nonzeros < NonzeroPacks<Arrays>::width;
}

template <int vector, int lane_vectors, int fixed_lanes = 0, class ExecutionSpace, class Arrays, class Output>
void launch_work_items(const ExecutionSpace& exec, const Arrays& A,
                       const BlockArguments<typename Arrays::Scalar, Output>& arguments,
                       const RowWorkItems<Arrays>& items, const RowsShape& shape, int team_size) {
  using Kernel             = WorkItemWalk<ExecutionSpace, Arrays, Output, vector, lane_vectors, fixed_lanes>;
  using Tile               = typename Kernel::Tile;
  constexpr int sum_bytes  = vector * lane_vectors * static_cast<int>(sizeof(typename Tile::Arithmetic));
  const int threads        = row_threads<ExecutionSpace>(team_size, item_team_threads(shape, Tile::lane_width));
  const std::int64_t teams = row_teams(items.count, 1, shape);
  const Kernel kernel{A,
                      NonzeroPacks<Arrays>(A),
                      Tile(arguments, shape),
                      items,
                      shape.lanes,
                      shape.rows_per_warp(Tile::lane_width),
                      static_cast<int>(teams)};
  launch_teams<RowsPolicy::row_team, RowsPolicy::item_teams_at_once(sum_bytes)>(
      exec, "Lacuna::spmm::row_split", {teams * shape.tiles, threads}, kernel.scratch_bytes(threads), kernel);
}

/// The general kernel. `Tile`: of N, or of the one column of SpMV.
template <class Tile, RowKernelPolicy policy, RowSource source, class ExecutionSpace, class Arrays, class Output>
void launch_row_kernel(const ExecutionSpace& exec, const Arrays& A,
                       const BlockArguments<typename Arrays::Scalar, Output>& arguments, const RowsView<Arrays>& rows,
                       const RowsShape& shape, int team_size) {
  constexpr int row_bytes = policy.vector * policy.lane_vectors * static_cast<int>(sizeof(typename Arrays::Scalar));
  RowKernel<ExecutionSpace, Arrays, Tile, policy.vector, policy.lane_vectors, policy.unroll, source> kernel(
      A, Tile(arguments, shape), shape, rows.longest_here, rows.sorted);
  const bool has_teams = rows.sorted.by_team > 0 || rows.longest_here < no_row_limit;
  const int threads =
      row_threads<ExecutionSpace>(team_size, has_teams ? RowsPolicy::row_team : RowsPolicy::row_team_threads);
  const std::int64_t teams = row_teams(kernel.count_teams(threads), 1, shape);
  constexpr int at_once    = RowsPolicy::row_teams_at_once(policy.unroll, row_bytes) -
                          (source == RowSource::list_of_segments ? 1 : 0);  // double would spill a register
  launch_teams<RowsPolicy::row_team, at_once>(exec, "Lacuna::spmm::row_split", {teams * shape.tiles, threads},
                                              kernel.scratch_bytes(threads), kernel);
}

/// The kernel for even rows, whose shape its policy gives.
template <EvenRowsPolicy policy, class ExecutionSpace, class Arrays, class Output>
void launch_even_rows(const ExecutionSpace& exec, const Arrays& A,
                      const BlockArguments<typename Arrays::Scalar, Output>& arguments, int team_size) {
  constexpr int vector = widest_load<typename Arrays::Scalar>;
  using Kernel         = EvenRows<ExecutionSpace, Arrays, Output, vector, policy>;
  using Tile           = typename Kernel::Tile;
  RowsShape shape{vector, policy.lane_vectors, Kernel::lanes};
  shape.tiles              = arguments.C.columns / shape.tile();
  const int threads        = row_threads<ExecutionSpace>(team_size, policy.threads);
  const int by_team        = threads / Tile::lane_width * Kernel::subwarps;
  const std::int64_t teams = row_teams(static_cast<std::int64_t>(A.rows), by_team, shape);
  launch_teams<RowsPolicy::row_team, policy.teams_at_once>(
      exec, "Lacuna::spmm::row_split", {teams * shape.tiles, threads}, Kernel::scratch_bytes(threads),
      Kernel{A, Tile(arguments, shape), static_cast<std::int32_t>(teams)});
}

/// The kernels of one policy: that for work items, for sorted rows, or for rows as they stand.
template <RowKernelPolicy policy, class ExecutionSpace, class Arrays, class Output>
void launch_row_policy(const ExecutionSpace& exec, const Arrays& A,
                       const BlockArguments<typename Arrays::Scalar, Output>& arguments, const RowsView<Arrays>& rows,
                       const RowsShape& shape, int team_size) {
  using Scalar         = typename Arrays::Scalar;
  constexpr int vector = policy.vector, lane_vectors = policy.lane_vectors;
  if constexpr (vector == 1 || lane_vectors < 4)
    if (rows.items.count > 0 && has_packs(A)) {
      constexpr int lanes = std::min(RowsPolicy::item_lanes, ExecutionTraits<ExecutionSpace>::lane_width);
      if constexpr (vector == widest_load<Scalar> && vector > 1 && lane_vectors == 2)
        if (shape.lanes == lanes && arguments.C.columns % shape.tile() == 0)
          return launch_work_items<vector, lane_vectors, lanes>(exec, A, arguments, rows.items, shape, team_size);
      return launch_work_items<vector, lane_vectors>(exec, A, arguments, rows.items, shape, team_size);
    }
  using Tile = RowTile<ExecutionSpace, Arrays, Output, vector, lane_vectors>;
  if constexpr (takes_sorted_rows<Scalar>(policy))
    if (rows.sorted.rows != nullptr)
      return launch_row_kernel<Tile, policy, RowSource::list>(exec, A, arguments, rows, shape, team_size);
  launch_row_kernel<Tile, policy, RowSource::uneven>(exec, A, arguments, rows, shape, team_size);
}

/// One function for each policy that is compiled, in the order of the lists of policies.
template <class ExecutionSpace, class Arrays, class Output>
struct RowsLaunchTable {
  using Scalar    = typename Arrays::Scalar;
  using Arguments = BlockArguments<Scalar, Output>;
  using General   = void (*)(const ExecutionSpace&, const Arrays&, const Arguments&, const RowsView<Arrays>&,
                           const RowsShape&, int);
  using Even      = void (*)(const ExecutionSpace&, const Arrays&, const Arguments&, int);

  template <std::size_t... i>
  static constexpr std::array<General, sizeof...(i)> general(std::index_sequence<i...>) {
    return {&launch_row_policy<row_kernel_policies<Scalar>[i], ExecutionSpace, Arrays, Output>...};
  }
  template <std::size_t... i>
  static constexpr std::array<Even, sizeof...(i)> even(std::index_sequence<i...>) {
    return {&launch_even_rows<even_rows_policies<sizeof(Scalar)>[i], ExecutionSpace, Arrays, Output>...};
  }
};

/// Starts `kernel`. No inline function, so that `extern template` keeps the row kernels to one file of a program; there
/// are none where a host does not emulate lanes.
template <class ExecutionSpace, class Arrays, class Output>
void launch_rows(const ExecutionSpace& exec, const Arrays& A,
                 const BlockArguments<typename Arrays::Scalar, Output>& arguments, const RowsView<Arrays>& rows,
                 const RowsKernel& kernel, int team_size) {
  if constexpr (runs_lane_kernels<ExecutionSpace>) {
    using Scalar         = typename Arrays::Scalar;
    using Table          = RowsLaunchTable<ExecutionSpace, Arrays, Output>;
    const auto& policies = row_kernel_policies<Scalar>;
    if (kernel.even >= 0) {
      static constexpr auto table = Table::even(std::make_index_sequence<even_rows_policies<sizeof(Scalar)>.size()>());
      return table[static_cast<std::size_t>(kernel.even)](exec, A, arguments, team_size);
    }
    static constexpr auto table = Table::general(std::make_index_sequence<row_kernel_policies<Scalar>.size()>());
    const RowKernelPolicy policy{kernel.shape.vector, kernel.shape.lane_vectors, kernel.shape.unroll(sizeof(Scalar))};
    const auto index = std::find(policies.begin(), policies.end(), policy) - policies.begin();
    table[static_cast<std::size_t>(index)](exec, A, arguments, rows, kernel.shape, team_size);
  }
}

/// The same for one column, in a shape of one lane along it. Of the row kernels only those are compiled that one column
/// takes.
template <class ExecutionSpace, class Arrays>
void launch_column(const ExecutionSpace& exec, const Arrays& A,
                   const BlockArguments<typename Arrays::Scalar>& arguments, const RowsView<Arrays>& rows,
                   const RowsShape& shape, int team_size) {
  using Tile                       = ColumnTile<ExecutionSpace, Arrays>;
  constexpr RowKernelPolicy policy = {1, 1, RowsPolicy::short_row_unroll};
  if (rows.items.count > 0 && has_packs(A))
    launch_work_items<1, 1>(exec, A, arguments, rows.items, shape, team_size);
  else if (rows.sorted.segments != nullptr)
    launch_row_kernel<Tile, policy, RowSource::list_of_segments>(exec, A, arguments, rows, shape, team_size);
  else if (rows.sorted.rows != nullptr)
    launch_row_kernel<Tile, policy, RowSource::list>(exec, A, arguments, rows, shape, team_size);
  else if (rows.longest_here < no_row_limit)
    launch_row_kernel<Tile, policy, RowSource::uneven>(exec, A, arguments, rows, shape, team_size);
  else
    launch_row_kernel<Tile, policy, RowSource::even>(exec, A, arguments, rows, shape, team_size);
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSLAUNCH_HPP
#define LACUNA_ROWSLAUNCH_HPP

#include <kernels/rows/Lacuna_EvenRows.hpp>
#include <kernels/rows/Lacuna_HostRows.hpp>
#include <kernels/rows/Lacuna_RowKernel.hpp>
#include <kernels/rows/Lacuna_StagedRows.hpp>
#include <kernels/rows/Lacuna_WorkItemWalk.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief Starts a row kernel or the one that walks work items: picks the shape for N, the matrix and the alignment of
/// B.

namespace lacuna::Impl {

/// What is known beside the matrix when row_split runs.
struct RowsRun {
  std::int64_t longest_here = RowsPolicy::one_shot_limit;  ///< rows above it are taken by whole teams
  bool padded               = false;  ///< rows of B can be read up to the next multiple of 16 bytes
  int team_size             = 0;      ///< 0: the tuned one
  bool by_lanes             = false;  ///< on a host too: the kernel for warps (where it `runs_lane_kernels`)
};

/// What a plan knows of the rows of a matrix, at most one of both; or a default object.
template <class Arrays>
struct RowsPlan {
  RowWorkItems<Arrays> items = {};
  SortedRows<Arrays> order   = {};
};

/// Elements in a load of 16 bytes.
template <class Scalar>
inline constexpr int widest_load = std::max<int>(1, 16 / static_cast<int>(sizeof(Scalar)));

/// Columns of B that one load can take: the widest, half of it, or 1.
template <class Scalar>
int load_width(const DenseBlock<const Scalar>& B, bool padded) {
  for (const int width : {widest_load<Scalar>, widest_load<Scalar> / 2})
    if (width > 1 && B.rows_aligned(width * static_cast<int>(sizeof(Scalar))) && (padded || B.columns % width == 0))
      return width;
  return 1;
}

template <class ExecutionSpace, class Arrays>
RowsStatistics rows_statistics(const ExecutionSpace& exec, const Arrays& A) {
  RowsStatistics statistics;
  statistics.rows        = static_cast<std::int64_t>(A.rows);
  statistics.mean        = A.rows > 0 ? static_cast<double>(A.nonzeros) / static_cast<double>(A.rows) : 0.0;
  statistics.lane_width  = ExecutionTraits<ExecutionSpace>::lane_width;
  statistics.concurrency = exec.concurrency();
  return statistics;
}

/// Threads of a team: as asked for, else `tuned`.
template <class ExecutionSpace>
int row_threads(const RowsRun& run, int tuned) {
  return team_threads<ExecutionSpace>(run.team_size > 0 ? std::min(run.team_size, RowsPolicy::row_team) : tuned);
}

/// Teams for `items` rows or work items, of which a team takes `by_team`: for one tile of N.
inline std::int64_t row_teams(std::int64_t items, std::int64_t by_team, const RowsShape& shape) {
  const std::int64_t teams = ceiling_quotient(items, by_team);
  if (checked_product("spmm", teams, shape.tiles) > std::numeric_limits<int>::max())
    raise<NotSupported>("spmm", "C of ", items, " rows or work items and ", shape.tiles,
                        " tiles of N needs more teams than one launch can have");
  return teams;
}

template <int vector, int lane_vectors, int fixed_lanes = 0, class ExecutionSpace, class Arrays, class Output>
void launch_spmm_items(const ExecutionSpace& exec, const Arrays& A,
                       const BlockArguments<typename Arrays::Scalar, Output>& arguments,
                       const RowWorkItems<Arrays>& items, const RowsShape& shape, const RowsRun& run) {
  using Kernel             = WorkItemWalk<ExecutionSpace, Arrays, Output, vector, lane_vectors, fixed_lanes>;
  using Tile               = typename Kernel::Tile;
  constexpr int sum_bytes  = vector * lane_vectors * static_cast<int>(sizeof(typename Tile::Arithmetic));
  const int threads        = row_threads<ExecutionSpace>(run, item_team_threads(shape, Tile::lane_width));
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

template <class Tile, int vector, int lane_vectors, int unroll, RowSource source, class ExecutionSpace, class Arrays,
          class Output>
void launch_spmm_row_kernel(const ExecutionSpace& exec, const Arrays& A,
                            const BlockArguments<typename Arrays::Scalar, Output>& arguments,
                            const SortedRows<Arrays>& order, const RowsShape& shape, const RowsRun& run) {
  constexpr int row_bytes = vector * lane_vectors * static_cast<int>(sizeof(typename Arrays::Scalar));
  RowKernel<ExecutionSpace, Arrays, Tile, vector, lane_vectors, unroll, source> kernel(A, Tile(arguments, shape), shape,
                                                                                       run.longest_here, order);
  const bool has_teams = order.by_team > 0 || run.longest_here < no_row_limit;
  const int threads = row_threads<ExecutionSpace>(run, has_teams ? RowsPolicy::row_team : RowsPolicy::row_team_threads);
  const std::int64_t teams = row_teams(kernel.count_teams(threads), 1, shape);
  constexpr int at_once    = RowsPolicy::row_teams_at_once(unroll, row_bytes) -
                          (source == RowSource::list_of_segments ? 1 : 0);  // double would spill a register
  launch_teams<RowsPolicy::row_team, at_once>(exec, "Lacuna::spmm::row_split", {teams * shape.tiles, threads},
                                              kernel.scratch_bytes(threads), kernel);
}

/// Rows by `order`, or where it is a default object as they stand.
template <int vector, int lane_vectors, int unroll, class ExecutionSpace, class Arrays, class Output>
void launch_spmm_rows(const ExecutionSpace& exec, const Arrays& A,
                      const BlockArguments<typename Arrays::Scalar, Output>& arguments, const SortedRows<Arrays>& order,
                      const RowsShape& shape, const RowsRun& run) {
  using Tile = RowTile<ExecutionSpace, Arrays, Output, vector, lane_vectors>;
  using enum RowSource;
  if (order.rows != nullptr)
    launch_spmm_row_kernel<Tile, vector, lane_vectors, unroll, list>(exec, A, arguments, order, shape, run);
  else
    launch_spmm_row_kernel<Tile, vector, lane_vectors, unroll, uneven>(exec, A, arguments, order, shape, run);
}

/// The same for one column, where rows may be cut into segments. `shape`: of one lane along it. Teams that a processor
/// should hold, by a driver, H100, 26 November 2026: 8 spill and are up to 1.5 times slower; 5 make HEP-th-new 4 to 6 %
/// slower and gupta2 in double 4 % faster.
template <class ExecutionSpace, class Arrays>
void launch_spmv_rows(const ExecutionSpace& exec, const Arrays& A,
                      const BlockArguments<typename Arrays::Scalar>& arguments, const SortedRows<Arrays>& order,
                      const RowsShape& shape, const RowsRun& run) {
  using Tile           = ColumnTile<ExecutionSpace, Arrays>;
  constexpr int unroll = RowsPolicy::short_row_unroll;
  using enum RowSource;
  if (order.segments != nullptr)
    launch_spmm_row_kernel<Tile, 1, 1, unroll, list_of_segments>(exec, A, arguments, order, shape, run);
  else if (order.rows != nullptr)
    launch_spmm_row_kernel<Tile, 1, 1, unroll, list>(exec, A, arguments, order, shape, run);
  else if (run.longest_here < no_row_limit)
    launch_spmm_row_kernel<Tile, 1, 1, unroll, uneven>(exec, A, arguments, order, shape, run);
  else
    launch_spmm_row_kernel<Tile, 1, 1, unroll, even>(exec, A, arguments, order, shape, run);
}

template <EvenRowsPolicy policy, class ExecutionSpace, class Arrays, class Output>
void launch_spmm_even_rows(const ExecutionSpace& exec, const Arrays& A,
                           const BlockArguments<typename Arrays::Scalar, Output>& arguments, const RowsRun& run) {
  constexpr int vector = widest_load<typename Arrays::Scalar>;
  using Kernel         = std::conditional_t<policy.staged, StagedRows<ExecutionSpace, Arrays, Output, vector, policy>,
                                    EvenRows<ExecutionSpace, Arrays, Output, vector, policy>>;
  using Tile           = typename Kernel::Tile;
  RowsShape shape{vector, policy.lane_vectors, Kernel::lanes};
  shape.tiles              = arguments.C.columns / shape.tile();
  const int threads        = row_threads<ExecutionSpace>(run, policy.threads);
  const int by_team        = threads / Tile::lane_width * Kernel::subwarps;
  const std::int64_t teams = row_teams(static_cast<std::int64_t>(A.rows), by_team, shape);
  launch_teams<RowsPolicy::row_team, policy.teams_at_once>(
      exec, "Lacuna::spmm::row_split", {teams * shape.tiles, threads}, Kernel::scratch_bytes(threads),
      Kernel{A, Tile(arguments, shape), static_cast<std::int32_t>(teams)});
}

/// Policies for scalars of so many bytes, beside those for all of them.
template <EvenRowsPolicy... policies>
struct EvenRowsPolicies {
  /// Starts the kernel of the one that `is` asked for; false: none is.
  template <class ExecutionSpace, class Arrays, class Output>
  static bool launch(const ExecutionSpace& exec, const Arrays& A,
                     const BlockArguments<typename Arrays::Scalar, Output>& arguments, const RowsRun& run,
                     const EvenRowsPolicy& is) {
    return ((policies == is && (launch_spmm_even_rows<policies>(exec, A, arguments, run), true)) || ...);
  }
};
using EvenShortRows = EvenRowsPolicies<RowsPolicy::even_narrow, RowsPolicy::even_sixteen, RowsPolicy::even_short,
                                       RowsPolicy::even_middle, RowsPolicy::even_wide>;
using StagedEvenRows =
    EvenRowsPolicies<RowsPolicy::staged(8), RowsPolicy::staged(16), RowsPolicy::staged(32), RowsPolicy::staged_wide>;
using EvenLongRows =
    EvenRowsPolicies<RowsPolicy::even_long(4, 1), RowsPolicy::even_long(4, 2), RowsPolicy::even_long(4, 4),
                     RowsPolicy::even_long(8, 1), RowsPolicy::even_long(8, 2), RowsPolicy::even_long(8, 4),
                     RowsPolicy::even_long(16, 1), RowsPolicy::even_long(16, 2), RowsPolicy::even_long(32, 1),
                     RowsPolicy::even_wide_long>;

/// Starts the kernel for even rows of such `statistics` where it serves; else returns false. Rows of B take the widest
/// loads. `split_k`: what the general kernel would have, of which that for short rows has none.
template <class ExecutionSpace, class Arrays, class Output>
bool launch_spmm_even_rows(const ExecutionSpace& exec, const Arrays& A,
                           const BlockArguments<typename Arrays::Scalar, Output>& arguments,
                           const RowsStatistics& statistics, int split_k, const RowsRun& run) {
  constexpr int vector = widest_load<typename Arrays::Scalar>;
  constexpr auto bytes = sizeof(typename Arrays::Scalar);
  if constexpr (vector > 1) {
    constexpr auto most_nonzeros = std::numeric_limits<typename Arrays::Offset>::max() - 64;  // and a round overflows
    if (run.longest_here < no_row_limit || arguments.C.columns % vector != 0 || A.nonzeros > most_nonzeros)
      return false;
    const std::int64_t vectors = arguments.C.columns / vector;
    const double fill          = RowsPolicy::even_fill(statistics.rows, vectors, statistics.concurrency);
    if (split_k > 1 && !RowsPolicy::even_rows_are_long(vectors, statistics.mean, fill, bytes) &&
        !RowsPolicy::even_rows_are_staged(vectors, statistics.mean, fill, bytes))
      return false;
    const EvenRowsPolicy policy = RowsPolicy::even_policy(vectors, statistics.mean, fill, bytes);
    if constexpr (bytes == 4 || bytes == 8)
      if (StagedEvenRows::launch(exec, A, arguments, run, policy)) return true;
    if constexpr (bytes >= 4)
      if (EvenShortRows::launch(exec, A, arguments, run, policy)) return true;
    if constexpr (bytes < 4)
      if (EvenRowsPolicies<RowsPolicy::even_middle_half>::launch(exec, A, arguments, run, policy)) return true;
    if constexpr (bytes <= 4) return EvenLongRows::launch(exec, A, arguments, run, policy);
  }
  return false;
}

template <int vector, int lane_vectors, class ExecutionSpace, class Arrays, class Output>
void launch_spmm_shape(const ExecutionSpace& exec, const Arrays& A,
                       const BlockArguments<typename Arrays::Scalar, Output>& arguments, const RowsPlan<Arrays>& plan,
                       const RowsShape& shape, const RowsRun& run) {
  constexpr int unroll = RowsPolicy::row_unroll(vector * lane_vectors * sizeof(typename Arrays::Scalar));
  // Work items are read in whole packs of nonzeros, of which a matrix at an odd address has none.
  const bool has_packs = NonzeroPacks<Arrays>(A).whole() > 0 || A.nonzeros < NonzeroPacks<Arrays>::width;
  if constexpr (vector == 1 || lane_vectors < 4)
    if (plan.items.count > 0 && has_packs) {
      constexpr int lanes = std::min(RowsPolicy::item_lanes, ExecutionTraits<ExecutionSpace>::lane_width);
      if constexpr (vector == widest_load<typename Arrays::Scalar> && vector > 1 && lane_vectors == 2)
        if (shape.lanes == lanes && arguments.C.columns % shape.tile() == 0)
          return launch_spmm_items<vector, lane_vectors, lanes>(exec, A, arguments, plan.items, shape, run);
      return launch_spmm_items<vector, lane_vectors>(exec, A, arguments, plan.items, shape, run);
    }
  if constexpr (lane_vectors == 1 && unroll > RowsPolicy::short_row_unroll)
    if (shape.small_unroll)
      return launch_spmm_rows<vector, lane_vectors, RowsPolicy::short_row_unroll>(exec, A, arguments, plan.order, shape,
                                                                                  run);
  launch_spmm_rows<vector, lane_vectors, unroll>(exec, A, arguments, plan.order, shape, run);
}

template <int vector, class ExecutionSpace, class Arrays, class Output>
void launch_spmm_vectors(const ExecutionSpace& exec, const Arrays& A,
                         const BlockArguments<typename Arrays::Scalar, Output>& arguments, const RowsPlan<Arrays>& plan,
                         const RowsShape& shape, const RowsRun& run) {
  if (shape.lane_vectors == 1) return launch_spmm_shape<vector, 1>(exec, A, arguments, plan, shape, run);
  if (shape.lane_vectors == 2) return launch_spmm_shape<vector, 2>(exec, A, arguments, plan, shape, run);
  launch_spmm_shape<vector, 4>(exec, A, arguments, plan, shape, run);
}

/// Widths that `choose_row_shape` can return: the widest, half of it, and 1.
template <class ExecutionSpace, class Arrays, class Output>
void launch_spmm_rows_by_width(const ExecutionSpace& exec, const Arrays& A,
                               const BlockArguments<typename Arrays::Scalar, Output>& arguments,
                               const RowsPlan<Arrays>& plan, const RowsShape& shape, const RowsRun& run) {
  constexpr int widest = widest_load<typename Arrays::Scalar>;
  if constexpr (widest > 1)
    if (shape.vector == widest) return launch_spmm_vectors<widest>(exec, A, arguments, plan, shape, run);
  if constexpr (widest > 2)
    if (shape.vector == widest / 2) return launch_spmm_vectors<widest / 2>(exec, A, arguments, plan, shape, run);
  launch_spmm_vectors<1>(exec, A, arguments, plan, shape, run);
}

/// The kernels for lanes. \throws NotSupported where rows of B are 2 GiB or more apart.
template <class ExecutionSpace, class Arrays, class Output>
void spmm_rows_by_lanes(const ExecutionSpace& exec, const Arrays& A,
                        const BlockArguments<typename Arrays::Scalar, Output>& arguments, const RowsPlan<Arrays>& plan,
                        const RowsRun& run) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max(), most_columns = std::int64_t{1} << 30;
  constexpr auto size = static_cast<std::int64_t>(sizeof(typename Arrays::Scalar));
  const auto& B       = arguments.B;
  if (B.row_stride > most / size)
    raise<NotSupported>("spmm", "rows of B ", B.row_stride, " elements apart, at most ", most / size, " are supported");
  const std::int64_t columns      = arguments.C.columns;
  const auto schedule             = plan.items.count > 0         ? RowsOrder::items
                                    : plan.order.rows != nullptr ? RowsOrder::sorted_rows
                                                                 : RowsOrder::rows;
  const RowsStatistics statistics = rows_statistics(exec, A);
  std::int64_t panel              = std::min(columns, plan.items.columns > 0 ? plan.items.columns : most_columns);
  if (B.column_stride > most / size) panel = 1;  // a stride that the kernel does not take is then of no account
  for (std::int64_t first = 0; first < columns; first += panel) {
    const auto part        = column_panel(arguments, first, std::min(panel, columns - first));
    const auto shape       = choose_row_shape(statistics, part.C.columns, widest_load<typename Arrays::Scalar>,
                                              load_width(part.B, run.padded), schedule);
    const bool may_be_even = schedule == RowsOrder::rows && shape.vector == widest_load<typename Arrays::Scalar>;
    if (may_be_even && launch_spmm_even_rows(exec, A, part, statistics, shape.split_k, run)) continue;
    launch_spmm_rows_by_width(exec, A, part, plan, shape, run);
  }
}

/// C = alpha A B + beta C for arguments that hold a product. `plan`: what a plan made, or a default object. Does not
/// fence and does not allocate. \throws NotSupported where rows of B are 2 GiB or more apart.
template <class ExecutionSpace, class Arrays, class Output>
void spmm_rows(const ExecutionSpace& exec, const Arrays& A,
               const BlockArguments<typename Arrays::Scalar, Output>& arguments, const RowsPlan<Arrays>& plan = {},
               const RowsRun& run = {}) {
  if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu)
    if (!run.by_lanes) return host_rows(exec, A, arguments);
  if constexpr (runs_lane_kernels<ExecutionSpace>) spmm_rows_by_lanes(exec, A, arguments, plan, run);
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWS_HPP
#define LACUNA_SPMMROWS_HPP

#include <kernels/shared/rows/Lacuna_SpmmEvenRows.hpp>
#include <kernels/shared/rows/Lacuna_SpmmHostRows.hpp>
#include <kernels/shared/rows/Lacuna_SpmmRowKernel.hpp>
#include <kernels/shared/rows/Lacuna_SpmmStagedRows.hpp>
#include <kernels/shared/rows/Lacuna_SpmmWorkItemWalk.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief Starts a row kernel or the one that walks work items: picks the shape for N, the matrix and the alignment of
/// B.

namespace lacuna::Impl {

/// What is known beside the matrix when row_split runs.
struct SpmmRowRun {
  std::int64_t longest_here = SpmmRowPolicy::one_shot_limit;  ///< rows above it are taken by whole teams
  bool padded               = false;  ///< rows of B can be read up to the next multiple of 16 bytes
  int team_size             = 0;      ///< 0: the tuned one
  bool by_lanes             = false;  ///< on a host too: the kernel for lane groups (where it `runs_lane_kernels`)
};

/// What a plan knows of the rows of a matrix, at most one of both; or a default object.
template <class Arrays>
struct SpmmRowPlan {
  SpmmWorkItems<Arrays> items = {};
  SpmmRowOrder<Arrays> order  = {};
};

/// Elements in a load of 16 bytes.
template <class Scalar>
inline constexpr int widest_load = std::max<int>(1, 16 / static_cast<int>(sizeof(Scalar)));

/// Columns of B that one load can take: the widest, half of it, or 1.
template <class Scalar>
int spmm_load_width(const DenseBlock<const Scalar>& B, bool padded) {
  for (const int width : {widest_load<Scalar>, widest_load<Scalar> / 2})
    if (width > 1 && B.rows_aligned(width * static_cast<int>(sizeof(Scalar))) && (padded || B.columns % width == 0))
      return width;
  return 1;
}

template <class ExecutionSpace, class Arrays>
SpmmShapeStatistics spmm_shape_statistics(const ExecutionSpace& exec, const Arrays& A) {
  SpmmShapeStatistics statistics;
  statistics.rows        = static_cast<std::int64_t>(A.rows);
  statistics.mean        = A.rows > 0 ? static_cast<double>(A.nonzeros) / static_cast<double>(A.rows) : 0.0;
  statistics.lane_width  = ExecutionTraits<ExecutionSpace>::lane_width;
  statistics.concurrency = exec.concurrency();
  return statistics;
}

/// Threads of a team: as asked for, else `tuned`.
template <class ExecutionSpace>
int spmm_row_threads(const SpmmRowRun& run, int tuned) {
  return team_threads<ExecutionSpace>(run.team_size > 0 ? std::min(run.team_size, SpmmRowPolicy::row_team) : tuned);
}

/// Teams for `items` rows or work items, of which a team takes `by_team`: for one tile of N.
inline std::int64_t spmm_row_teams(std::int64_t items, std::int64_t by_team, const SpmmRowShape& shape) {
  const std::int64_t teams = ceiling_quotient(items, by_team);
  if (checked_product("spmm", teams, shape.tiles) > std::numeric_limits<int>::max())
    raise<NotSupported>("spmm", "C of ", items, " rows or work items and ", shape.tiles,
                        " tiles of N needs more teams than one launch can have");
  return teams;
}

template <int vector, int lane_vectors, int fixed_lanes = 0, class ExecutionSpace, class Arrays, class Output>
void launch_spmm_items(const ExecutionSpace& exec, const Arrays& A,
                       const SpmmArguments<typename Arrays::Scalar, Output>& arguments,
                       const SpmmWorkItems<Arrays>& items, const SpmmRowShape& shape, const SpmmRowRun& run) {
  using Kernel             = SpmmWorkItemWalk<ExecutionSpace, Arrays, Output, vector, lane_vectors, fixed_lanes>;
  using Tile               = typename Kernel::Tile;
  constexpr int sum_bytes  = vector * lane_vectors * static_cast<int>(sizeof(typename Tile::Arithmetic));
  const int threads        = spmm_row_threads<ExecutionSpace>(run, item_team_threads(shape, Tile::lane_width));
  const std::int64_t teams = spmm_row_teams(items.count, 1, shape);
  const Kernel kernel{A,
                      NonzeroPacks<Arrays>(A),
                      Tile(arguments, shape),
                      items,
                      shape.lanes,
                      shape.rows_per_group(Tile::lane_width),
                      static_cast<int>(teams)};
  launch_teams<SpmmRowPolicy::row_team, SpmmRowPolicy::item_teams_at_once(sum_bytes)>(
      exec, "Lacuna::spmm::row_split", {teams * shape.tiles, threads}, kernel.scratch_bytes(threads), kernel);
}

template <class Tile, int vector, int lane_vectors, int unroll, SpmmRowSource source, class ExecutionSpace,
          class Arrays, class Output>
void launch_spmm_row_kernel(const ExecutionSpace& exec, const Arrays& A,
                            const SpmmArguments<typename Arrays::Scalar, Output>& arguments,
                            const SpmmRowOrder<Arrays>& order, const SpmmRowShape& shape, const SpmmRowRun& run) {
  constexpr int row_bytes = vector * lane_vectors * static_cast<int>(sizeof(typename Arrays::Scalar));
  SpmmRowKernel<ExecutionSpace, Arrays, Tile, vector, lane_vectors, unroll, source> kernel(
      A, Tile(arguments, shape), shape, run.longest_here, order);
  const bool has_teams = order.by_team > 0 || run.longest_here < spmm_no_limit;
  const int threads =
      spmm_row_threads<ExecutionSpace>(run, has_teams ? SpmmRowPolicy::row_team : SpmmRowPolicy::row_team_threads);
  const std::int64_t teams = spmm_row_teams(kernel.count_teams(threads), 1, shape);
  constexpr int at_once    = SpmmRowPolicy::row_teams_at_once(unroll, row_bytes) -
                          (source == SpmmRowSource::list_of_pieces ? 1 : 0);  // double would spill a register
  launch_teams<SpmmRowPolicy::row_team, at_once>(exec, "Lacuna::spmm::row_split", {teams * shape.tiles, threads},
                                                 kernel.scratch_bytes(threads), kernel);
}

/// Rows by `order`, or where it is a default object as they stand.
template <int vector, int lane_vectors, int unroll, class ExecutionSpace, class Arrays, class Output>
void launch_spmm_rows(const ExecutionSpace& exec, const Arrays& A,
                      const SpmmArguments<typename Arrays::Scalar, Output>& arguments,
                      const SpmmRowOrder<Arrays>& order, const SpmmRowShape& shape, const SpmmRowRun& run) {
  using Tile = SpmmRowTile<ExecutionSpace, Arrays, Output, vector, lane_vectors>;
  using enum SpmmRowSource;
  if (order.rows != nullptr)
    launch_spmm_row_kernel<Tile, vector, lane_vectors, unroll, list>(exec, A, arguments, order, shape, run);
  else
    launch_spmm_row_kernel<Tile, vector, lane_vectors, unroll, uneven>(exec, A, arguments, order, shape, run);
}

/// The same for one column, where rows may be cut into pieces. `shape`: of one lane along it. Teams that a processor
/// should hold, by a driver, H100, 26 November 2026: 8 spill and are up to 1.5 times slower; 5 make HEP-th-new 4 to 6 %
/// slower and gupta2 in double 4 % faster.
template <class ExecutionSpace, class Arrays>
void launch_spmv_rows(const ExecutionSpace& exec, const Arrays& A,
                      const SpmmArguments<typename Arrays::Scalar>& arguments, const SpmmRowOrder<Arrays>& order,
                      const SpmmRowShape& shape, const SpmmRowRun& run) {
  using Tile           = SpmvRowTile<ExecutionSpace, Arrays>;
  constexpr int unroll = SpmmRowPolicy::short_row_unroll;
  using enum SpmmRowSource;
  if (order.pieces != nullptr)
    launch_spmm_row_kernel<Tile, 1, 1, unroll, list_of_pieces>(exec, A, arguments, order, shape, run);
  else if (order.rows != nullptr)
    launch_spmm_row_kernel<Tile, 1, 1, unroll, list>(exec, A, arguments, order, shape, run);
  else if (run.longest_here < spmm_no_limit)
    launch_spmm_row_kernel<Tile, 1, 1, unroll, uneven>(exec, A, arguments, order, shape, run);
  else
    launch_spmm_row_kernel<Tile, 1, 1, unroll, even>(exec, A, arguments, order, shape, run);
}

template <SpmmEvenPolicy policy, class ExecutionSpace, class Arrays, class Output>
void launch_spmm_even_rows(const ExecutionSpace& exec, const Arrays& A,
                           const SpmmArguments<typename Arrays::Scalar, Output>& arguments, const SpmmRowRun& run) {
  constexpr int vector = widest_load<typename Arrays::Scalar>;
  using Kernel = std::conditional_t<policy.staged, SpmmStagedRows<ExecutionSpace, Arrays, Output, vector, policy>,
                                    SpmmEvenRows<ExecutionSpace, Arrays, Output, vector, policy>>;
  using Tile   = typename Kernel::Tile;
  SpmmRowShape shape{vector, policy.lane_vectors, Kernel::lanes};
  shape.tiles              = arguments.C.columns / shape.tile();
  const int threads        = spmm_row_threads<ExecutionSpace>(run, policy.threads);
  const int by_team        = threads / Tile::lane_width * Kernel::sub_groups;
  const std::int64_t teams = spmm_row_teams(static_cast<std::int64_t>(A.rows), by_team, shape);
  launch_teams<SpmmRowPolicy::row_team, policy.teams_at_once>(
      exec, "Lacuna::spmm::row_split", {teams * shape.tiles, threads}, Kernel::scratch_bytes(threads),
      Kernel{A, Tile(arguments, shape), static_cast<std::int32_t>(teams)});
}

/// Policies for scalars of so many bytes, beside those for all of them.
template <SpmmEvenPolicy... policies>
struct SpmmEvenPolicies {
  /// Starts the kernel of the one that `is` asked for; false: none is.
  template <class ExecutionSpace, class Arrays, class Output>
  static bool launch(const ExecutionSpace& exec, const Arrays& A,
                     const SpmmArguments<typename Arrays::Scalar, Output>& arguments, const SpmmRowRun& run,
                     const SpmmEvenPolicy& is) {
    return ((policies == is && (launch_spmm_even_rows<policies>(exec, A, arguments, run), true)) || ...);
  }
};
using SpmmEvenShortRows =
    SpmmEvenPolicies<SpmmRowPolicy::even_narrow, SpmmRowPolicy::even_sixteen, SpmmRowPolicy::even_short,
                     SpmmRowPolicy::even_middle, SpmmRowPolicy::even_wide>;
using SpmmStagedEvenRows = SpmmEvenPolicies<SpmmRowPolicy::staged(8), SpmmRowPolicy::staged(16),
                                            SpmmRowPolicy::staged(32), SpmmRowPolicy::staged_wide>;
using SpmmEvenLongRows =
    SpmmEvenPolicies<SpmmRowPolicy::even_long(4, 1), SpmmRowPolicy::even_long(4, 2), SpmmRowPolicy::even_long(4, 4),
                     SpmmRowPolicy::even_long(8, 1), SpmmRowPolicy::even_long(8, 2), SpmmRowPolicy::even_long(8, 4),
                     SpmmRowPolicy::even_long(16, 1), SpmmRowPolicy::even_long(16, 2), SpmmRowPolicy::even_long(32, 1),
                     SpmmRowPolicy::even_wide_long>;

/// Starts the kernel for even rows of such `statistics` where it serves; else returns false. Rows of B take the widest
/// loads. `split_k`: what the general kernel would have, of which that for short rows has none.
template <class ExecutionSpace, class Arrays, class Output>
bool launch_spmm_even_rows(const ExecutionSpace& exec, const Arrays& A,
                           const SpmmArguments<typename Arrays::Scalar, Output>& arguments,
                           const SpmmShapeStatistics& statistics, int split_k, const SpmmRowRun& run) {
  constexpr int vector = widest_load<typename Arrays::Scalar>;
  constexpr auto bytes = sizeof(typename Arrays::Scalar);
  if constexpr (vector > 1) {
    constexpr auto most_nonzeros = std::numeric_limits<typename Arrays::Offset>::max() - 64;  // and a round overflows
    if (run.longest_here < spmm_no_limit || arguments.C.columns % vector != 0 || A.nonzeros > most_nonzeros)
      return false;
    const std::int64_t vectors = arguments.C.columns / vector;
    const double fill          = SpmmRowPolicy::even_fill(statistics.rows, vectors, statistics.concurrency);
    if (split_k > 1 && !SpmmRowPolicy::even_rows_are_long(vectors, statistics.mean, fill, bytes) &&
        !SpmmRowPolicy::even_rows_are_staged(vectors, statistics.mean, fill, bytes))
      return false;
    const SpmmEvenPolicy policy = SpmmRowPolicy::even_policy(vectors, statistics.mean, fill, bytes);
    if constexpr (bytes == 4 || bytes == 8)
      if (SpmmStagedEvenRows::launch(exec, A, arguments, run, policy)) return true;
    if constexpr (bytes >= 4)
      if (SpmmEvenShortRows::launch(exec, A, arguments, run, policy)) return true;
    if constexpr (bytes < 4)
      if (SpmmEvenPolicies<SpmmRowPolicy::even_middle_half>::launch(exec, A, arguments, run, policy)) return true;
    if constexpr (bytes <= 4) return SpmmEvenLongRows::launch(exec, A, arguments, run, policy);
  }
  return false;
}

template <int vector, int lane_vectors, class ExecutionSpace, class Arrays, class Output>
void launch_spmm_shape(const ExecutionSpace& exec, const Arrays& A,
                       const SpmmArguments<typename Arrays::Scalar, Output>& arguments, const SpmmRowPlan<Arrays>& plan,
                       const SpmmRowShape& shape, const SpmmRowRun& run) {
  constexpr int unroll = SpmmRowPolicy::row_unroll(vector * lane_vectors * sizeof(typename Arrays::Scalar));
  // Work items are read in whole packs of nonzeros, of which a matrix at an odd address has none.
  const bool has_packs = NonzeroPacks<Arrays>(A).whole() > 0 || A.nonzeros < NonzeroPacks<Arrays>::width;
  if constexpr (vector == 1 || lane_vectors < 4)
    if (plan.items.count > 0 && has_packs) {
      constexpr int lanes = std::min(SpmmRowPolicy::item_lanes, ExecutionTraits<ExecutionSpace>::lane_width);
      if constexpr (vector == widest_load<typename Arrays::Scalar> && vector > 1 && lane_vectors == 2)
        if (shape.lanes == lanes && arguments.C.columns % shape.tile() == 0)
          return launch_spmm_items<vector, lane_vectors, lanes>(exec, A, arguments, plan.items, shape, run);
      return launch_spmm_items<vector, lane_vectors>(exec, A, arguments, plan.items, shape, run);
    }
  if constexpr (lane_vectors == 1 && unroll > SpmmRowPolicy::short_row_unroll)
    if (shape.small_unroll)
      return launch_spmm_rows<vector, lane_vectors, SpmmRowPolicy::short_row_unroll>(exec, A, arguments, plan.order,
                                                                                     shape, run);
  launch_spmm_rows<vector, lane_vectors, unroll>(exec, A, arguments, plan.order, shape, run);
}

template <int vector, class ExecutionSpace, class Arrays, class Output>
void launch_spmm_vectors(const ExecutionSpace& exec, const Arrays& A,
                         const SpmmArguments<typename Arrays::Scalar, Output>& arguments,
                         const SpmmRowPlan<Arrays>& plan, const SpmmRowShape& shape, const SpmmRowRun& run) {
  if (shape.lane_vectors == 1) return launch_spmm_shape<vector, 1>(exec, A, arguments, plan, shape, run);
  if (shape.lane_vectors == 2) return launch_spmm_shape<vector, 2>(exec, A, arguments, plan, shape, run);
  launch_spmm_shape<vector, 4>(exec, A, arguments, plan, shape, run);
}

/// Widths that `choose_row_shape` can return: the widest, half of it, and 1.
template <class ExecutionSpace, class Arrays, class Output>
void launch_spmm_rows_by_width(const ExecutionSpace& exec, const Arrays& A,
                               const SpmmArguments<typename Arrays::Scalar, Output>& arguments,
                               const SpmmRowPlan<Arrays>& plan, const SpmmRowShape& shape, const SpmmRowRun& run) {
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
                        const SpmmArguments<typename Arrays::Scalar, Output>& arguments,
                        const SpmmRowPlan<Arrays>& plan, const SpmmRowRun& run) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max(), most_columns = std::int64_t{1} << 30;
  constexpr auto size = static_cast<std::int64_t>(sizeof(typename Arrays::Scalar));
  const auto& B       = arguments.B;
  if (B.row_stride > most / size)
    raise<NotSupported>("spmm", "rows of B ", B.row_stride, " elements apart, at most ", most / size, " are supported");
  const std::int64_t columns           = arguments.C.columns;
  const auto schedule                  = plan.items.count > 0         ? SpmmRowSchedule::items
                                         : plan.order.rows != nullptr ? SpmmRowSchedule::sorted_rows
                                                                      : SpmmRowSchedule::rows;
  const SpmmShapeStatistics statistics = spmm_shape_statistics(exec, A);
  std::int64_t panel                   = std::min(columns, plan.items.columns > 0 ? plan.items.columns : most_columns);
  if (B.column_stride > most / size) panel = 1;  // a stride that the kernel does not take is then of no account
  for (std::int64_t first = 0; first < columns; first += panel) {
    const auto part        = column_panel(arguments, first, std::min(panel, columns - first));
    const auto shape       = choose_row_shape(statistics, part.C.columns, widest_load<typename Arrays::Scalar>,
                                              spmm_load_width(part.B, run.padded), schedule);
    const bool may_be_even = schedule == SpmmRowSchedule::rows && shape.vector == widest_load<typename Arrays::Scalar>;
    if (may_be_even && launch_spmm_even_rows(exec, A, part, statistics, shape.split_k, run)) continue;
    launch_spmm_rows_by_width(exec, A, part, plan, shape, run);
  }
}

/// C = alpha A B + beta C for arguments that hold a product. `plan`: what a plan made, or a default object. Does not
/// fence and does not allocate. \throws NotSupported where rows of B are 2 GiB or more apart.
template <class ExecutionSpace, class Arrays, class Output>
void spmm_rows(const ExecutionSpace& exec, const Arrays& A,
               const SpmmArguments<typename Arrays::Scalar, Output>& arguments, const SpmmRowPlan<Arrays>& plan = {},
               const SpmmRowRun& run = {}) {
  if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu)
    if (!run.by_lanes) return spmm_host_rows(exec, A, arguments);
  if constexpr (runs_lane_kernels<ExecutionSpace>) spmm_rows_by_lanes(exec, A, arguments, plan, run);
}

}  // namespace lacuna::Impl

#endif

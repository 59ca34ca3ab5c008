// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWPLAN_HPP
#define LACUNA_SPMVROWPLAN_HPP

#include <kernels/rows/Lacuna_RowsLaunch.hpp>
#include <kernels/spmv/algorithms/row_split/Lacuna_SpmvRowSplitPolicy.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvHostRows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief SpMV as the product with a block of one column, by the row kernels of SpMM: CSR as it stands, rows sorted by
/// length, or work items.
///
/// Bound: as of those kernels (Lacuna_RowKernel.hpp). A lane stands alone along the one column, so all lanes of a
/// row take its nonzeros in turn, as many as its mean length keeps busy. Among sorted rows a very long one is cut into
/// segments, a team each, which leave their sums for a last arriver.

namespace lacuna::Impl {

/// What a plan knows of the rows: that they are even, or one of the two ways to deal with those that are not.
template <class Arrays, class MemorySpace>
struct SpmvRowPlan {
  RowsByLength<Arrays, MemorySpace> sorted;
  RowPartition<Arrays, MemorySpace> partition;
  std::int64_t longest_here =
      RowsPolicy::one_shot_limit;  ///< rows above it take whole teams, where rows stand as they are

  std::size_t bytes() const { return sorted.bytes() + partition.bytes(); }
  /// Whether teams leave sums in memory for a last arriver.
  bool cuts_rows() const { return sorted.cuts_rows() || partition.cuts_rows(); }
  bool is_sorted() const { return sorted.rows.extent(0) > 0; }
  bool has_items() const { return partition.cut.begin.extent(0) > 0; }
  std::string text() const {
    if (is_sorted())
      return "sorted by length: " + std::to_string(sorted.by_team) +
             (sorted.cuts_rows() ? " rows or segments of rows take a team each, " : " take a team each, ") +
             std::to_string(sorted.by_warp) + " a warp";
    return has_items() ? std::to_string(partition.items()) + " work items" : "as they stand";
  }
};

/// As `SpmmPlan` has it for N = 1. What does not fit into `memory` bytes is left out: rows as they stand always serve.
/// Waits for the result of one pass.
template <class ExecutionSpace, class Arrays>
auto make_spmv_row_plan(const ExecutionSpace& exec, const Arrays& A, const LengthStatistics& lengths,
                        std::size_t memory) {
  using Scalar = typename Arrays::Scalar;
  SpmvRowPlan<Arrays, typename ExecutionSpace::memory_space> plan;
  const auto statistics = rows_statistics(exec, A);
  const auto rows       = choose_row_shape(statistics, 1, 1, 1);
  const auto walks      = choose_row_shape(statistics, 1, 1, 1, RowsOrder::items);
  const auto sorted     = choose_row_shape(statistics, 1, 1, 1, RowsOrder::sorted_rows);
  const auto size       = work_item_nonzeros(statistics, walks, 1, sizeof(Scalar));
  auto limits           = row_limits(statistics, sorted, sizeof(Scalar));
  if (const auto segment = SpmvRowSplitPolicy::segment(lengths.longest); segment > 0) limits.segment = segment;
  if (static_cast<double>(lengths.longest) <= longest_even_row(statistics.mean)) plan.longest_here = no_row_limit;
  if (!rows_are_uneven(statistics, lengths, rows)) return plan;
  const auto counted = schedule_statistics(exec, A, size, limits);
  if (sorting_pays(statistics, SpmvRowSplitPolicy::longest_of_team(lengths.longest), rows, 1, sizeof(Scalar))) {
    if (rows_by_length_bytes(A, counted.kinds) <= memory)
      plan.sorted = make_rows_by_length(exec, A, counted.kinds, limits);
  } else if (row_partition_bytes<ExecutionSpace>(A, size, counted, lengths.empty, 1) <= memory) {
    plan.partition = make_row_partition(exec, A, size, counted, lengths.empty, 1);
  }
  return plan;
}

/// x and y as blocks of one column.
template <class Scalar>
BlockArguments<Scalar> one_column(const VectorArguments<Scalar>& arguments, std::int64_t rows, std::int64_t columns) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(Scalar));
  return {arguments.alpha, arguments.beta,
          DenseBlock<const Scalar>{arguments.x.data, arguments.x.stride_bytes / size, 1, columns, 1},
          DenseBlock<Scalar>{arguments.y.data, arguments.y.stride_bytes / size, 1, rows, 1}};
}

/// Starts the kernel for warps. Of the row kernels only those are compiled that one column takes.
template <class ExecutionSpace, class Arrays, class MemorySpace>
void launch_spmv_row_split(const ExecutionSpace& exec, const Arrays& A,
                           const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape wanted,
                           const SpmvRowPlan<Arrays, MemorySpace>& plan) {
  const auto block = one_column(arguments, static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(A.columns));
  const auto statistics = rows_statistics(exec, A);
  const bool has_packs  = NonzeroPacks<Arrays>(A).whole() > 0 || A.nonzeros < NonzeroPacks<Arrays>::width;
  const bool has_items  = plan.has_items() && has_packs;
  const auto schedule   = has_items ? RowsOrder::items : plan.is_sorted() ? RowsOrder::sorted_rows : RowsOrder::rows;
  RowsShape shape       = choose_row_shape(statistics, 1, 1, 1, schedule);
  RowsRun run;
  run.team_size    = wanted.team_size;
  run.longest_here = plan.longest_here;
  if (has_items) return launch_spmm_items<1, 1>(exec, A, block, plan.partition.pointers(), shape, run);
  if (wanted.lanes_per_row > 0) shape.split_k = std::min(wanted.lanes_per_row, statistics.lane_width);
  launch_spmv_rows(exec, A, block, plan.sorted.order(), shape, run);
}

/// y = alpha A x + beta y for arguments that hold a product. Hosts walk rows, balanced by nonzeros. Deterministic for a
/// given shape. Does not fence.
template <class ExecutionSpace, class Arrays, class MemorySpace>
void spmv_row_split(const ExecutionSpace& exec, const Arrays& A,
                    const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape,
                    const SpmvRowPlan<Arrays, MemorySpace>& plan) {
  if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu)
    launch_spmv_row_split(exec, A, arguments, shape, plan);
  else
    spmv_host_rows(exec, A, arguments);
}

}  // namespace lacuna::Impl

#endif

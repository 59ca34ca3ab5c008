// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSANALYSIS_HPP
#define LACUNA_ROWSANALYSIS_HPP

#include <core/impl/inspection/Lacuna_LengthStatistics.hpp>
#include <core/impl/passes/Lacuna_CrsWorkItems.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/rows/Lacuna_RowsByLength.hpp>
#include <kernels/rows/Lacuna_RowsShape.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief What decides how rows are taken: whether they are even, and whether uneven ones are sorted by length or cut
/// into work items. Pure functions of plain numbers, and the one pass over the row map that counts rows by length.

namespace lacuna::Impl {

/// Work items of a row of `length` nonzeros from `begin` on, if several share it; otherwise 0.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t shares_of_row(CrsWorkItemSize size, std::int64_t begin, std::int64_t length) {
  if (length <= size.longest) return 0;
  const std::int64_t items = (begin + length - 1) / size.item - begin / size.item + 1;
  return items > 1 ? items : 0;
}

/// Nonzeros of a subwarp in a work item. `wanted` gives every subwarp that the device holds one share. Where that is
/// more than `most`, the share is a fraction of it, chosen so that the last wave of shares fills the device too.
inline std::int64_t work_item_share(double wanted, std::int64_t most) {
  using Tuning       = RowsPolicy;
  const auto rounded = [](double share) {
    return std::max(Tuning::least_share, round_up(static_cast<std::int64_t>(share) + 1, 4));
  };
  if (wanted < static_cast<double>(most)) return rounded(wanted);
  const auto steps = [&](std::int64_t share) {
    return std::ceil(wanted * Tuning::item_fill / static_cast<double>(share)) * static_cast<double>(share);
  };
  const std::int64_t even = rounded(wanted / std::ceil(wanted / static_cast<double>(most)));
  return steps(even) < steps(most) ? even : most;
}

/// Nonzeros of a work item. A team takes one, and every subwarp that the device holds gets one share, within limits.
inline CrsWorkItemSize work_item_nonzeros(const RowsStatistics& statistics, const RowsShape& shape,
                                          std::int64_t columns, std::size_t arithmetic_bytes) {
  constexpr double processor_threads = 2048;
  const int sum_bytes                = shape.vector * shape.lane_vectors * static_cast<int>(arithmetic_bytes);
  const int at_once                  = RowsPolicy::item_teams_at_once(sum_bytes);
  const int threads                  = item_team_threads(shape, statistics.lane_width);
  const std::int64_t team_subwarps   = threads / statistics.lane_width * shape.rows_per_warp(statistics.lane_width);
  const double teams                 = static_cast<double>(statistics.concurrency) / processor_threads * at_once *
                       RowsPolicy::row_team / threads / static_cast<double>(shape.tiles);
  const double nonzeros   = statistics.mean * static_cast<double>(statistics.rows);
  const double wanted     = nonzeros / (RowsPolicy::item_fill * teams * static_cast<double>(team_subwarps));
  const std::int64_t item = work_item_share(wanted, RowsPolicy::most_share(statistics.mean, columns)) * team_subwarps;
  return {item, static_cast<std::int64_t>(RowsPolicy::longest_over_item * static_cast<double>(item))};
}

/// Statistics of the rows that a schedule needs.
struct ScheduleStatistics {
  std::int64_t slots    = 0;  ///< work items of shared rows
  std::int64_t cut_rows = 0;
  RowKinds kinds;

  KOKKOS_INLINE_FUNCTION void join(const ScheduleStatistics& other) {
    slots += other.slots;
    cut_rows += other.cut_rows;
    kinds.join(other.kinds);
  }
};

/// Nonzeros of the longest row that counts as even, where rows have `mean` nonzeros.
inline double longest_even_row(double mean) {
  return RowsPolicy::even_factor * mean + static_cast<double>(RowsPolicy::even_margin);
}

/// Lane steps that `rows` subwarps side by side take, each with one row, over the steps that have a nonzero.
inline double unevenness(const LengthStatistics& lengths, int rows, std::int64_t nonzeros) {
  int i = 0;
  while (i + 1 < LengthStatistics::group_choices && (2 << i) <= rows) ++i;
  return nonzeros > 0 ? static_cast<double>(lengths.group_span[i]) / static_cast<double>(nonzeros) : 1.0;
}

/// Whether rows are too uneven to be taken in their own order, in the shape `rows`.
inline bool rows_are_uneven(const RowsStatistics& statistics, const LengthStatistics& lengths, const RowsShape& rows) {
  const auto nonzeros = static_cast<std::int64_t>(statistics.mean * static_cast<double>(statistics.rows) + 0.5);
  return unevenness(lengths, rows.rows_per_warp(statistics.lane_width), nonzeros) > RowsPolicy::uneven_neighbours ||
         static_cast<double>(lengths.longest) > longest_even_row(statistics.mean);
}

/// A warp's longest row may take a multiple of a warp's mean work: a longer row would finish last. A subwarp takes a
/// few rounds, and more where warps take many.
inline RowLimits row_limits(const RowsStatistics& statistics, const RowsShape& shape, std::size_t scalar_bytes) {
  const double share =
      statistics.mean * static_cast<double>(statistics.rows) / static_cast<double>(statistics.concurrency);
  const double warp =
      std::clamp(RowsPolicy::longest_warp_share * share, RowsPolicy::least_warp_row, RowsPolicy::most_warp_row);
  const std::int64_t subwarp = shape.unroll(scalar_bytes) * std::max(RowsPolicy::unrolls_of_subwarp_row, shape.split_k);
  const std::int64_t times   = std::max<std::int64_t>(1, static_cast<std::int64_t>(warp) / 256);
  return {subwarp * times, std::max(subwarp * times, static_cast<std::int64_t>(warp))};
}

/// Whether uneven rows are better sorted by length than cut into work items: N is small, a team takes no longer for the
/// longest row than the device for all rows, and the order of rows matters little. `scalar_bytes`: of A, B and C.
inline bool sorting_pays(const RowsStatistics& statistics, std::int64_t longest, const RowsShape& shape,
                         std::int64_t columns, std::size_t scalar_bytes) {
  if (columns > RowsPolicy::most_sorted_columns) return false;
  const auto rows       = static_cast<double>(statistics.rows);
  const auto size       = static_cast<double>(scalar_bytes);
  const double bytes    = rows * (statistics.mean * (size + 4) + 2 * size * static_cast<double>(columns));
  const double team     = static_cast<double>(longest) / (RowsPolicy::row_team / shape.lanes);
  const double everyone = statistics.mean * rows / (static_cast<double>(statistics.concurrency) / shape.lanes);
  return team <= std::max<double>(RowsPolicy::longest_team_share, 4 * everyone) &&
         (bytes <= RowsPolicy::most_sorted_bytes || statistics.mean >= RowsPolicy::long_sorted_mean);
}

template <class Arrays>
struct ScheduleStatisticsPass {
  using value_type = ScheduleStatistics;
  Arrays A;
  CrsWorkItemSize size;
  RowLimits limits;

  KOKKOS_FUNCTION void init(value_type& schedule) const { schedule = value_type(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.join(from); }

  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& schedule) const {
    const auto begin          = static_cast<std::int64_t>(A.row_map[row]);
    const std::int64_t length = static_cast<std::int64_t>(A.row_map[row + 1]) - begin;
    const std::int64_t shares = shares_of_row(size, begin, length);
    schedule.slots += shares;
    if (shares > 0) ++schedule.cut_rows;
    schedule.kinds.rows[RowKinds::of(length, limits)] += limits.segments(length);
  }
};

/// Waits for the result.
template <class ExecutionSpace, class Arrays>
ScheduleStatistics schedule_statistics(const ExecutionSpace& exec, const Arrays& A, CrsWorkItemSize size,
                                       const RowLimits& limits = {}) {
  ScheduleStatistics schedule;
  if (A.rows == 0) return schedule;
  Kokkos::parallel_reduce("Lacuna::spmm::row_statistics", index_range(exec, static_cast<std::int64_t>(A.rows)),
                          ScheduleStatisticsPass<Arrays>{A, size, limits}, schedule);
  return schedule;
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWPARTITION_HPP
#define LACUNA_ROWPARTITION_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/inspection/Lacuna_LengthStatistics.hpp>
#include <core/impl/passes/Lacuna_CrsWorkItems.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/rows/Lacuna_RowsByLength.hpp>
#include <kernels/rows/Lacuna_RowsShape.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief What a plan keeps for the kernel that walks work items: the work items, and the memory where the last arriver
/// of a long row finds their sums.

namespace lacuna::Impl {

/// Work items of the row of `length` nonzeros from `begin` on that is shared; 0 where it is not.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t shares_of_row(CrsWorkItemSize size, std::int64_t begin, std::int64_t length) {
  if (length <= size.longest) return 0;
  const std::int64_t items = (begin + length - 1) / size.item - begin / size.item + 1;
  return items > 1 ? items : 0;
}

/// Nonzeros of a subwarp in a work item: `wanted`, of which every subwarp that the device holds has one, or where
/// that is more than `most`, a part of it. All parts but the last wave of them fill the device, so that wave should
/// too.
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

/// Nonzeros of a work item, which a team takes: as many as give every subwarp that the device holds one share, within
/// limits.
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

/// What a schedule needs of the rows.
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

/// Nonzeros of a row that is not long among rows of this mean.
inline double longest_even_row(double mean) {
  return RowsPolicy::even_factor * mean + static_cast<double>(RowsPolicy::even_margin);
}

/// Steps that `rows` subwarps side by side take, a row each, over those with work.
inline double unevenness(const LengthStatistics& lengths, int rows, std::int64_t nonzeros) {
  int i = 0;
  while (i + 1 < LengthStatistics::group_choices && (2 << i) <= rows) ++i;
  return nonzeros > 0 ? static_cast<double>(lengths.group_span[i]) / static_cast<double>(nonzeros) : 1.0;
}

/// Whether rows are too uneven for being taken in their own order, in the shape `rows`.
inline bool rows_are_uneven(const RowsStatistics& statistics, const LengthStatistics& lengths, const RowsShape& rows) {
  const auto nonzeros = static_cast<std::int64_t>(statistics.mean * static_cast<double>(statistics.rows) + 0.5);
  return unevenness(lengths, rows.rows_per_warp(statistics.lane_width), nonzeros) > RowsPolicy::uneven_neighbours ||
         static_cast<double>(lengths.longest) > longest_even_row(statistics.mean);
}

/// A row that a warp takes lasts so many times as long as what a warp has to do, on average: a longer one
/// would finish last. A subwarp takes a few rounds; more where warps take many.
inline RowLimits row_limits(const RowsStatistics& statistics, const RowsShape& shape, std::size_t scalar_bytes) {
  const double share =
      statistics.mean * static_cast<double>(statistics.rows) / static_cast<double>(statistics.concurrency);
  const double warp =
      std::clamp(RowsPolicy::longest_warp_share * share, RowsPolicy::least_warp_row, RowsPolicy::most_warp_row);
  const std::int64_t subwarp = shape.unroll(scalar_bytes) * std::max(RowsPolicy::unrolls_of_subwarp_row, shape.split_k);
  const std::int64_t times   = std::max<std::int64_t>(1, static_cast<std::int64_t>(warp) / 256);
  return {subwarp * times, std::max(subwarp * times, static_cast<std::int64_t>(warp))};
}

/// Whether uneven rows are better sorted by length than cut into work items: N is small, the longest row takes its team
/// no longer than the others take the device, and order is of little account. `scalar_bytes`: of A, B and C.
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

  KOKKOS_FUNCTION void init(value_type& found) const { found = value_type(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.join(from); }

  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& found) const {
    const auto begin          = static_cast<std::int64_t>(A.row_map[row]);
    const std::int64_t length = static_cast<std::int64_t>(A.row_map[row + 1]) - begin;
    const std::int64_t shares = shares_of_row(size, begin, length);
    found.slots += shares;
    if (shares > 0) ++found.cut_rows;
    found.kinds.rows[RowKinds::of(length, limits)] += limits.segments(length);
  }
};

/// Waits for the result.
template <class ExecutionSpace, class Arrays>
ScheduleStatistics schedule_statistics(const ExecutionSpace& exec, const Arrays& A, CrsWorkItemSize size,
                                       const RowLimits& limits = {}) {
  ScheduleStatistics found;
  if (A.rows == 0) return found;
  Kokkos::parallel_reduce("Lacuna::spmm::row_statistics",
                          IndexRange<ExecutionSpace>(exec, 0, static_cast<std::int64_t>(A.rows)),
                          ScheduleStatisticsPass<Arrays>{A, size, limits}, found);
  return found;
}

/// Columns of the workspace of `columns` columns of C: lanes at the ends of tiles have places of their own.
inline std::int64_t partial_width(std::int64_t columns) { return columns + columns / 32 + 16; }

/// Pointers into a partition, as the kernel takes them. A default object stands for rows as they are.
template <class Arrays>
struct RowWorkItems : CrsWorkItems<Arrays> {
  using Ordinal    = typename Arrays::Ordinal;
  using Arithmetic = typename ArithmeticOf<typename Arrays::Scalar>::type;

  const Ordinal* ranks = nullptr;  ///< for each 32 nonzeros: the rank of the row that holds the first
  const int* slots     = nullptr;  ///< for each work item that begins within a shared row: where its partial sums are
  Arithmetic* partial  = nullptr;  ///< null where no row is shared
  int* arrived         = nullptr;  ///< two counters for each slot and tile of N
  std::int64_t width   = 0;        ///< of a slot
  std::int64_t tiles   = 0;        ///< that counters are there for
  std::int64_t columns = 0;        ///< that the memory of partial sums serves at once; 0: any number
};

/// Numbers the slots: those of a row side by side, in the order of its work items. The work item in which a row begins
/// has the first; it has no entry of its own.
template <class Begin>
struct NumberSpmmSlots {
  using value_type = std::int64_t;
  const Begin* begin;
  int* slots;
  KOKKOS_FUNCTION void operator()(const std::int64_t item, value_type& count, const bool is_final) const {
    const std::int64_t first = begin[item].first_item;
    if (first < 0) return;
    if (first == item - 1) ++count;
    if (is_final) slots[item] = static_cast<int>(count);
    ++count;
  }
};

template <class Ordinal>
struct CountRowEnds {
  using value_type = std::int64_t;
  const std::uint32_t* row_ends;
  Ordinal* ranks;
  KOKKOS_FUNCTION void operator()(const std::int64_t word, value_type& count, const bool is_final) const {
    const std::uint32_t marks = row_ends[word];
    if (is_final) ranks[word] = static_cast<Ordinal>(count + static_cast<std::int64_t>(marks & 1u));
    count += count_bits(marks);
  }
};

template <class Arrays, class MemorySpace>
struct RowPartition {
  using Arithmetic = typename RowWorkItems<Arrays>::Arithmetic;

  CrsWorkItemStorage<Arrays, MemorySpace> cut;
  Kokkos::View<typename Arrays::Ordinal*, MemorySpace> ranks;
  Kokkos::View<int*, MemorySpace> slots;
  Kokkos::View<Arithmetic*, MemorySpace> partial;
  Kokkos::View<int*, MemorySpace> arrived;
  std::int64_t columns = 0;  ///< that the workspace serves at once
  std::int64_t tiles   = 0;

  std::size_t bytes() const { return cut.bytes() + bytes_of(ranks, slots, partial, arrived); }
  bool cuts_rows() const { return partial.extent(0) > 0; }
  std::int64_t items() const { return static_cast<std::int64_t>(cut.begin.extent(0)) - 1; }
  RowWorkItems<Arrays> pointers() const {
    return {cut.items(),    ranks.data(),           slots.data(), partial.data(),
            arrived.data(), partial_width(columns), tiles,        cuts_rows() ? columns : 0};
  }
};

/// Sizes of the memory where the last arriver finds the sums of work items of rows.
struct LastArriverExtents {
  std::int64_t slots, columns, width, tiles;

  /// `lane_width`: tiles of N are at least that wide, or all of N.
  LastArriverExtents(const ScheduleStatistics& found, std::int64_t n, int lane_width)
      : slots(found.slots),
        columns(round_up(std::max<std::int64_t>(n, 1), 16)),
        width(partial_width(columns)),
        tiles(columns / lane_width + 1) {}
};

/// Bytes that `make_row_partition` allocates.
template <class ExecutionSpace, class Arrays>
std::size_t row_partition_bytes(const Arrays& A, CrsWorkItemSize size, const ScheduleStatistics& found,
                                std::int64_t empty, std::int64_t columns) {
  using Arithmetic = typename RowWorkItems<Arrays>::Arithmetic;
  const CrsWorkItemExtents items(size, static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(A.nonzeros), empty);
  const LastArriverExtents extents(found, columns, ExecutionTraits<ExecutionSpace>::lane_width);
  const std::size_t cut =
      items.bytes<Arrays>() + static_cast<std::size_t>(items.words) * sizeof(typename Arrays::Ordinal);
  if (extents.slots == 0) return cut;
  return cut + static_cast<std::size_t>(items.items + 1) * sizeof(int) +
         static_cast<std::size_t>(extents.slots) * (static_cast<std::size_t>(extents.width) * sizeof(Arithmetic) +
                                                    2 * static_cast<std::size_t>(extents.tiles) * sizeof(int));
}

/// \param found with the same `size` \param empty rows without nonzeros
/// \throws OutOfMemory, NotSupported where slots outnumber `int`. Does not fence.
template <class ExecutionSpace, class Arrays>
auto make_row_partition(const ExecutionSpace& exec, const Arrays& A, CrsWorkItemSize size,
                        const ScheduleStatistics& found, std::int64_t empty, std::int64_t columns) {
  constexpr auto where = "SpmmPlan";
  const LastArriverExtents extents(found, columns, ExecutionTraits<ExecutionSpace>::lane_width);
  if (extents.slots > std::numeric_limits<int>::max())
    raise<NotSupported>(where, extents.slots, " segments of long rows, at most 2147483647 are supported");
  RowPartition<Arrays, typename ExecutionSpace::memory_space> partition;
  partition.columns = extents.columns;
  partition.tiles   = extents.tiles;
  partition.cut     = make_crs_items(exec, where, A, size, empty);
  const auto words  = static_cast<std::int64_t>(partition.cut.row_ends.extent(0));
  partition.ranks   = allocate<decltype(partition.ranks)>(where, exec, "Lacuna::spmm::ranks", words);
  Kokkos::parallel_scan("Lacuna::spmm::ranks", IndexRange<ExecutionSpace>(exec, 0, words),
                        CountRowEnds<typename Arrays::Ordinal>{partition.cut.row_ends.data(), partition.ranks.data()});
  if (extents.slots == 0) return partition;
  const std::int64_t begins = partition.items() + 1;
  partition.slots           = allocate<decltype(partition.slots)>(where, exec, "Lacuna::spmm::slots", begins);
  partition.partial         = allocate<decltype(partition.partial)>(where, exec, "Lacuna::spmm::partial",
                                                            checked_product(where, extents.slots, extents.width));
  partition.arrived         = allocate<decltype(partition.arrived)>(where, exec, "Lacuna::spmm::arrived",
                                                            checked_product(where, extents.slots, 2 * extents.tiles));
  Kokkos::deep_copy(exec, partition.arrived, 0);
  using Begin = typename CrsWorkItems<Arrays>::Begin;
  Kokkos::parallel_scan("Lacuna::spmm::slots", IndexRange<ExecutionSpace>(exec, 0, begins),
                        NumberSpmmSlots<Begin>{partition.cut.begin.data(), partition.slots.data()});
  return partition;
}

}  // namespace lacuna::Impl

#endif

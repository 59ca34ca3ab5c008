// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWPARTITION_HPP
#define LACUNA_ROWPARTITION_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/passes/Lacuna_CrsWorkItems.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/rows/Lacuna_RowsAnalysis.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief A plan's data for the kernel that walks work items: the work items, and the memory through which the last
/// arriver of a long row gets its partial sums.

namespace lacuna::Impl {

/// Columns of the workspace for `columns` columns of C: lanes at the ends of tiles have positions of their own.
inline std::int64_t partial_width(std::int64_t columns) { return columns + columns / 32 + 16; }

/// Pointers into a partition, in the form that the kernel takes. A default object stands for rows in their own order.
template <class Arrays>
struct RowWorkItems : CrsWorkItems<Arrays> {
  using Ordinal    = typename Arrays::Ordinal;
  using Arithmetic = typename ArithmeticOf<typename Arrays::Scalar>::type;

  const Ordinal* ranks = nullptr;  ///< for each 32 nonzeros: the rank of the row that holds the first
  const int* slots     = nullptr;  ///< for each work item that begins within a shared row: its slot of partial sums
  Arithmetic* partial  = nullptr;  ///< null where no row is shared
  int* arrived         = nullptr;  ///< two counters for each slot and tile of N
  std::int64_t width   = 0;        ///< of a slot
  std::int64_t tiles   = 0;        ///< tiles of N that have counters
  std::int64_t columns = 0;        ///< columns that the memory of partial sums serves at once; 0: any number
};

/// Numbers the slots. Slots of a row are contiguous, in the order of its work items. The work item in which a row
/// begins has the first slot, but no entry of its own.
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
  std::int64_t columns = 0;  ///< columns that the workspace serves at once
  std::int64_t tiles   = 0;

  std::size_t bytes() const { return cut.bytes() + bytes_of(ranks, slots, partial, arrived); }
  bool cuts_rows() const { return partial.extent(0) > 0; }
  std::int64_t items() const { return static_cast<std::int64_t>(cut.begin.extent(0)) - 1; }
  RowWorkItems<Arrays> pointers() const {
    return {cut.items(),    ranks.data(),           slots.data(), partial.data(),
            arrived.data(), partial_width(columns), tiles,        cuts_rows() ? columns : 0};
  }
};

/// Sizes of the memory through which the last arriver gets the partial sums of work items.
struct LastArriverExtents {
  std::int64_t slots, columns, width, tiles;

  /// `lane_width`: tiles of N are at least this wide, or all of N.
  LastArriverExtents(const ScheduleStatistics& schedule, std::int64_t n, int lane_width)
      : slots(schedule.slots),
        columns(round_up(std::max<std::int64_t>(n, 1), 16)),
        width(partial_width(columns)),
        tiles(columns / lane_width + 1) {}
};

/// Bytes that `make_row_partition` allocates.
template <class ExecutionSpace, class Arrays>
std::size_t row_partition_bytes(const Arrays& A, CrsWorkItemSize size, const ScheduleStatistics& schedule,
                                std::int64_t empty, std::int64_t columns) {
  using Arithmetic = typename RowWorkItems<Arrays>::Arithmetic;
  const CrsWorkItemExtents items(size, static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(A.nonzeros), empty);
  const LastArriverExtents extents(schedule, columns, ExecutionTraits<ExecutionSpace>::lane_width);
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
                        const ScheduleStatistics& schedule, std::int64_t empty, std::int64_t columns) {
  constexpr auto where = "SpmmPlan";
  const LastArriverExtents extents(schedule, columns, ExecutionTraits<ExecutionSpace>::lane_width);
  if (extents.slots > std::numeric_limits<int>::max())
    raise<NotSupported>(where, extents.slots, " segments of long rows, at most 2147483647 are supported");
  RowPartition<Arrays, typename ExecutionSpace::memory_space> partition;
  partition.columns = extents.columns;
  partition.tiles   = extents.tiles;
  partition.cut     = make_crs_items(exec, where, A, size, empty);
  const auto words  = static_cast<std::int64_t>(partition.cut.row_ends.extent(0));
  partition.ranks   = allocate<decltype(partition.ranks)>(where, exec, "Lacuna::spmm::ranks", words);
  Kokkos::parallel_scan("Lacuna::spmm::ranks", index_range(exec, words),
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
  Kokkos::parallel_scan("Lacuna::spmm::slots", index_range(exec, begins),
                        NumberSpmmSlots<Begin>{partition.cut.begin.data(), partition.slots.data()});
  return partition;
}

}  // namespace lacuna::Impl

#endif

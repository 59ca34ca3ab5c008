// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSSCHEDULE_HPP
#define LACUNA_ROWSSCHEDULE_HPP

#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/rows/Lacuna_RowPartition.hpp>
#include <kernels/rows/Lacuna_RowsByLength.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

/// \file
/// \brief How the rows of a matrix are dealt out to warps: as they stand, sorted by length, or in work items. A plan
/// decides it once and keeps it.

namespace lacuna::Impl {

/// The schedule as kernels take it: at most one of `items` and `sorted`. A default object serves every matrix.
template <class Arrays>
struct RowsView {
  RowWorkItems<Arrays> items = {};
  SortedRows<Arrays> sorted  = {};
  std::int64_t longest_here  = RowsPolicy::one_shot_limit;  ///< of rows as they stand; longer ones take whole teams

  RowsOrder order() const {
    return items.count > 0 ? RowsOrder::items : sorted.rows != nullptr ? RowsOrder::sorted : RowsOrder::as_they_stand;
  }
};

/// What a schedule is made for.
struct RowsDemand {
  std::int64_t columns;      ///< N
  int widest;                ///< columns of B that one load takes at most
  std::int64_t longest;      ///< nonzeros of the longest row, or of what a team has to do of it where it is cut
  std::int64_t segment = 0;  ///< nonzeros of the segments that sorted rows are cut into; 0: they are not cut
  int team_size        = 0;  ///< threads of a team; 0: as tuned
  int lanes_per_row    = 0;  ///< of one column; 0: as tuned
};

template <class Arrays, class MemorySpace>
class RowsSchedule {
 public:
  using Sorted    = RowsByLength<Arrays, MemorySpace>;
  using Partition = RowPartition<Arrays, MemorySpace>;

  /// Rows stand as they are until `build` finds them uneven.
  RowsSchedule() = default;
  explicit RowsSchedule(const LengthStatistics& lengths, double mean) {
    if (static_cast<double>(lengths.longest) <= longest_even_row(mean)) m_longest_here = no_row_limit;
  }

  /// Sorts uneven rows by length, or cuts them into work items, where memory suffices; else they stand as they are.
  /// Waits for one pass over the row map where rows are uneven. \throws OutOfMemory, NotSupported (too many segments).
  template <class ExecutionSpace>
  void build(const ExecutionSpace& exec, const Arrays& A, const RowsStatistics& statistics,
             const LengthStatistics& lengths, const RowsDemand& demand, MemoryBudget& budget) {
    const auto shape = [&](RowsOrder order) {
      return choose_row_shape(statistics, demand.columns, demand.widest, demand.widest, order);
    };
    const RowsShape standing = shape(RowsOrder::as_they_stand);
    if (!rows_are_uneven(statistics, lengths, standing)) return;
    constexpr std::size_t scalar = sizeof(typename Arrays::Scalar);
    const auto item              = work_item_nonzeros(statistics, shape(RowsOrder::items), demand.columns,
                                                      sizeof(typename RowWorkItems<Arrays>::Arithmetic));
    RowLimits limits             = row_limits(statistics, shape(RowsOrder::sorted), scalar);
    if (demand.segment > 0) limits.segment = demand.segment;
    m_counted = schedule_statistics(exec, A, item, limits);
    if (sorting_pays(statistics, demand.longest, standing, demand.columns, scalar)) {
      const std::size_t bytes = rows_by_length_bytes(A, m_counted.kinds);
      if (!budget.fits(bytes)) return;
      budget.take("the list of rows", bytes);
      m_order = make_rows_by_length(exec, A, m_counted.kinds, limits);
    } else {
      const std::size_t bytes = row_partition_bytes<ExecutionSpace>(A, item, m_counted, lengths.empty, demand.columns);
      if (!budget.fits(bytes)) return;
      budget.take("the work items of rows", bytes);
      m_order = make_row_partition(exec, A, item, m_counted, lengths.empty, demand.columns);
    }
  }

  const Sorted* sorted() const { return std::get_if<Sorted>(&m_order); }
  const Partition* partition() const { return std::get_if<Partition>(&m_order); }

  std::size_t bytes() const {
    return sorted() != nullptr ? sorted()->bytes() : partition() != nullptr ? partition()->bytes() : 0;
  }
  /// Whether teams leave sums in memory for a last arriver: then two products may not run at once.
  bool cuts_rows() const {
    return sorted() != nullptr ? sorted()->cuts_rows() : partition() != nullptr && partition()->cuts_rows();
  }
  RowsView<Arrays> view() const {
    RowsView<Arrays> view;
    view.longest_here = m_longest_here;
    if (sorted() != nullptr) view.sorted = sorted()->order();
    if (partition() != nullptr) view.items = partition()->pointers();
    return view;
  }

  std::string text() const {
    if (sorted() != nullptr)
      return "sorted by length: " + std::to_string(sorted()->by_team) +
             (sorted()->cuts_rows() ? " rows or segments of rows take a team each, " : " take a team each, ") +
             std::to_string(sorted()->by_warp) + " a warp";
    if (partition() != nullptr)
      return std::to_string(partition()->items()) + " work items, " + std::to_string(m_counted.cut_rows) +
             " rows shared by " + std::to_string(m_counted.slots) + " of them";
    return "as they stand";
  }

 private:
  std::variant<std::monostate, Sorted, Partition> m_order;
  ScheduleStatistics m_counted;
  std::int64_t m_longest_here = RowsPolicy::one_shot_limit;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWSPLITSTORAGE_HPP
#define LACUNA_SPMMROWSPLITSTORAGE_HPP

#include <kernels/rows/Lacuna_RowsLaunch.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowRepack.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmWorkspace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

namespace lacuna::Impl {

/// The schedule of row_split: none where rows are even or a host takes them, a list of rows by length, or work items.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmmRowSplitStorage {
  using Scalar    = typename Matrix::non_const_value_type;
  using Arrays    = CrsArraysOf<Matrix>;
  using Memory    = typename ExecutionSpace::memory_space;
  using Sorted    = RowsByLength<Arrays, Memory>;
  using Partition = RowPartition<Arrays, Memory>;

 public:
  template <class Context>
  void build(const Context& context) {
    m_repack        = {context.device, context.inspector.inspection(), context.request};
    m_run.team_size = context.request.team_size;
    const bool even = static_cast<double>(longest()) <= longest_even_row(m_repack.inspection.mean());
    if (even) m_run.longest_here = no_row_limit;
    if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) make_schedule(context);
    m_repack.reserve(context.exec, m_workspace, context.budget);
  }

  std::size_t bytes() const {
    if (const auto* sorted = std::get_if<Sorted>(&m_schedule)) return sorted->bytes();
    if (const auto* partition = std::get_if<Partition>(&m_schedule)) return partition->bytes();
    return 0;
  }
  std::size_t temporary_bytes() const { return m_workspace.bytes(); }
  bool shareable() const {
    const auto* partition = std::get_if<Partition>(&m_schedule);
    return !m_workspace.is_there() && (partition == nullptr || !partition->cuts_rows());
  }
  /// Values are read where CSR has them.
  template <class A>
  void update_values(const ExecutionSpace&, const A&) const {}
  std::string describe() const;

  template <class Output>
  void multiply(const ExecutionSpace& exec, const Arrays& A, const BlockArguments<Scalar, Output>& arguments) const {
    RowsPlan<Arrays> plan;
    if (const auto* sorted = std::get_if<Sorted>(&m_schedule)) plan.order = sorted->order();
    if (const auto* partition = std::get_if<Partition>(&m_schedule)) plan.items = partition->pointers();
    m_workspace.multiply(exec, arguments, m_repack.need(arguments.B),
                         [&](const BlockArguments<Scalar, Output>& part, bool padded) {
                           RowsRun run = m_run;
                           run.padded  = padded;
                           spmm_rows(exec, A, part, plan, run);
                         });
  }

 private:
  std::int64_t longest() const { return m_repack.inspection.lengths.longest; }

  /// Uneven rows are sorted by length, or cut, where memory suffices; else they are taken as they stand.
  template <class Context>
  void make_schedule(const Context& context) {
    const std::int64_t columns = context.request.planned_columns();
    constexpr int widest       = widest_load<Scalar>;
    const Arrays& A            = context.A.arrays();
    const auto statistics      = rows_statistics(context.exec, A);
    const auto rows            = choose_row_shape(statistics, columns, widest, widest);
    if (!rows_are_uneven(statistics, m_repack.inspection.lengths, rows)) return;
    const auto sorted = choose_row_shape(statistics, columns, widest, widest, RowsOrder::sorted_rows);
    const auto limits = row_limits(statistics, sorted, sizeof(Scalar));
    const auto walks  = choose_row_shape(statistics, columns, widest, widest, RowsOrder::items);
    const auto size = work_item_nonzeros(statistics, walks, columns, sizeof(typename RowWorkItems<Arrays>::Arithmetic));
    const bool sorts       = sorting_pays(statistics, longest(), rows, columns, sizeof(Scalar));
    const std::size_t list = row_list_bytes<Arrays>(static_cast<std::int64_t>(A.rows));  // none is cut
    if (sorts && !context.budget.fits(list)) return;
    m_statistics = schedule_statistics(context.exec, A, size, limits);
    if (sorts) {
      context.budget.take("the list of rows", list);
      m_schedule = make_rows_by_length(context.exec, A, m_statistics.kinds, limits);
      return;
    }
    const std::int64_t empty = m_repack.inspection.lengths.empty;
    const std::size_t bytes  = row_partition_bytes<ExecutionSpace>(A, size, m_statistics, empty, columns);
    if (!context.budget.fits(bytes)) return;
    context.budget.take("the work items of rows", bytes);
    m_schedule = make_row_partition(context.exec, A, size, m_statistics, empty, columns);
  }

  SpmmRowRepack m_repack;
  RowsRun m_run;
  ScheduleStatistics m_statistics;
  std::variant<std::monostate, Sorted, Partition> m_schedule;
  SpmmWorkspace<Scalar, Memory> m_workspace;
};

template <CrsMatrixType Matrix, class ExecutionSpace>
std::string SpmmRowSplitStorage<Matrix, ExecutionSpace>::describe() const {
  std::string text = "  rows        longest " + std::to_string(longest());
  if (const auto* sorted = std::get_if<Sorted>(&m_schedule))
    text += ", sorted by length: " + std::to_string(sorted->by_team) + " take a team each, " +
            std::to_string(sorted->by_warp) + " a warp";
  else if (const auto* partition = std::get_if<Partition>(&m_schedule))
    text += ", " + std::to_string(partition->items()) + " work items, " + std::to_string(m_statistics.cut_rows) +
            " rows shared by " + std::to_string(m_statistics.slots) + " of them";
  else
    text += ExecutionTraits<ExecutionSpace>::is_gpu ? ", as they stand" : ", balanced by nonzeros";
  return text + "\n";
}

}  // namespace lacuna::Impl

#endif

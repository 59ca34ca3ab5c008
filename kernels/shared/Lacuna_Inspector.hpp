// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_INSPECTOR_HPP
#define LACUNA_INSPECTOR_HPP

#include <core/impl/Lacuna_Inspection.hpp>
#include <core/impl/Lacuna_MemoryBudget.hpp>
#include <core/impl/Lacuna_RowRuns.hpp>
#include <formats/impl/Lacuna_PanelColumns.hpp>
#include <formats/impl/Lacuna_RowClustering.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace lacuna::Impl {

/// \brief Looks at the pattern of a matrix, a stage at a time and each at most once, and keeps what was found: the
/// numbers, and until `release` what storage can be made from without looking again.
///
/// \tparam Crs a `SharedCrs`
template <CrsMatrixType Crs, class ExecutionSpace>
class Inspector {
 public:
  static constexpr int panel_rows = 8;
  using PanelColumns              = PanelColumnsOf<Crs>;
  using Clustering                = RowClustering<Crs>;
  using Marks                     = RowMarks<typename ExecutionSpace::memory_space>;

  /// Looks at the lengths: one pass over the row map. Waits for `exec`.
  Inspector(const ExecutionSpace& exec, const Crs& A) : m_matrix(A) {
    const auto arrays = arrays_of(A);
    m_found.rows      = static_cast<std::int64_t>(arrays.rows);
    m_found.columns   = static_cast<std::int64_t>(arrays.columns);
    m_found.nonzeros  = static_cast<std::int64_t>(arrays.nonzeros);
    m_found.lengths   = length_statistics(exec, arrays);
  }

  const Inspection& found() const { return m_found; }

  /// What is kept counts in `budget`. Waits for `exec`. \throws OutOfMemory: nothing is known then that was not before.
  void look(const ExecutionSpace& exec, Stage stage, MemoryBudget& budget) {
    if constexpr (runs_lane_kernels<ExecutionSpace>) look_further(exec, stage, budget);
  }

  /// Empty where nobody looked.
  PanelColumns& panel_columns() { return m_panel_columns; }
  const Marks& row_marks() const { return m_row_marks; }
  Clustering& clustering() { return m_clustering; }

  /// Lets go of all but the numbers.
  void release(MemoryBudget& budget) {
    m_panel_columns = {};
    m_row_marks     = {};
    m_clustering    = {};
    budget.give_back(std::exchange(m_bytes, 0));
  }

 private:
  /// What is only asked for by kernels that are written for lanes.
  void look_further(const ExecutionSpace& exec, Stage stage, MemoryBudget& budget) {
    if (stage == Stage::panels && !m_found.panels) look_at_panels(exec, budget);
    if (stage == Stage::runs && !m_found.runs) look_at_runs(exec, budget);
    if (stage == Stage::clusters && !m_found.clusters) look_at_clusters(exec, budget);
  }

  void keep(MemoryBudget& budget, std::size_t bytes) {
    budget.take("what was found out", bytes);
    m_bytes += bytes;
  }

  void look_at_panels(const ExecutionSpace& exec, MemoryBudget& budget) {
    using Ordinal             = typename Crs::non_const_ordinal_type;
    const std::int64_t panels = ceiling_quotient(m_found.rows, panel_rows);
    m_panel_columns           = count_panel_columns<panel_rows>(
        "inspect", exec, m_matrix, PanelRows<Ordinal>{m_found.rows, panels, panel_rows, nullptr, nullptr}, 0,
        budget.left());
    keep(budget, m_panel_columns.bytes());
    const PanelTotals& totals = m_panel_columns.totals;
    m_found.panels = PanelStatistics{panels, totals.columns, totals.longest_panel, totals.steps, totals.brick_columns};
  }

  void look_at_runs(const ExecutionSpace& exec, MemoryBudget& budget) {
    const auto arrays = arrays_of(m_matrix);
    keep(budget, static_cast<std::size_t>(m_found.rows));
    m_row_marks  = mark_row_runs(exec, arrays);
    m_found.runs = count_row_runs(exec, arrays, m_row_marks);
  }

  void look_at_clusters(const ExecutionSpace& exec, MemoryBudget& budget) {
    look(exec, Stage::panels, budget);
    m_clustering = make_row_clustering<panel_rows>(exec, m_matrix, budget.left(), m_panel_columns);
    keep(budget, bytes_of(m_clustering.row_list) + m_clustering.columns.bytes());
    m_found.clusters = ClusterStatistics{m_clustering.share_of_columns()};
  }

  Crs m_matrix;
  Inspection m_found;
  PanelColumns m_panel_columns;
  Marks m_row_marks;
  Clustering m_clustering;
  std::size_t m_bytes = 0;
};

}  // namespace lacuna::Impl

#endif

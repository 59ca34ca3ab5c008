// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_INSPECTOR_HPP
#define LACUNA_INSPECTOR_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/Lacuna_Inspection.hpp>
#include <core/impl/Lacuna_MemoryBudget.hpp>
#include <core/impl/Lacuna_RowRuns.hpp>
#include <formats/impl/Lacuna_Convert_Hm.hpp>
#include <formats/impl/Lacuna_Convert_Sell.hpp>
#include <formats/impl/Lacuna_Convert_SlicedDia.hpp>
#include <formats/impl/Lacuna_Convert_VectorSlices.hpp>
#include <formats/impl/Lacuna_PanelColumns.hpp>
#include <formats/impl/Lacuna_RowClustering.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace lacuna::Impl {

/// \brief Looks at the pattern of a matrix, a stage at a time and each at most once, and keeps what was found: the
/// numbers, and until `release` what storage can be made from without looking again.
///
/// \tparam Operation says what is looked at: nothing else is compiled
/// \tparam Crs a `SharedCrs`
template <class Operation, CrsMatrixType Crs, class ExecutionSpace>
class Inspector {
 public:
  static constexpr int panel_rows = 8;
  using PanelColumns              = PanelColumnsOf<Crs>;
  using Clustering                = RowClustering<Crs>;
  using Marks                     = RowMarks<typename ExecutionSpace::memory_space>;
  using Slices                    = SellLayout<FormatOf<SellMatrix, Crs>>;
  using DiagonalSlices            = SlicedDiaLayout<FormatOf<SlicedDiaMatrix, Crs>>;
  using Request                   = typename Operation::Request;

  /// Looks at the lengths: one pass over the row map. Waits for `exec`. `device` and `request` must outlive it.
  Inspector(const ExecutionSpace& exec, const Crs& A, const Device& device, const Request& request)
      : m_matrix(A), m_device(device), m_request(request) {
    const auto arrays = arrays_of(A);
    m_found.rows      = static_cast<std::int64_t>(arrays.rows);
    m_found.columns   = static_cast<std::int64_t>(arrays.columns);
    m_found.nonzeros  = static_cast<std::int64_t>(arrays.nonzeros);
    m_found.lengths   = length_statistics(exec, arrays);
  }

  const Inspection& found() const { return m_found; }

  /// What is kept counts in `budget`. Waits for `exec`. \throws OutOfMemory: nothing is known then that was not before.
  void look(const ExecutionSpace& exec, Stage stage, MemoryBudget& budget) {
    if constexpr (runs_lane_kernels<ExecutionSpace>) {
      if (is_known(m_found, stage)) return;
      if constexpr (Operation::looks_at(Stage::panels))
        if (stage == Stage::panels) look_at_panels(exec, budget);
      if constexpr (Operation::looks_at(Stage::runs))
        if (stage == Stage::runs) look_at_runs(exec, budget);
      if constexpr (Operation::looks_at(Stage::diagonals))
        if (stage == Stage::diagonals) look_at_diagonals(exec);
      if constexpr (Operation::looks_at(Stage::diagonal_slices))
        if (stage == Stage::diagonal_slices) look_at_diagonal_slices(exec, budget);
      if constexpr (Operation::looks_at(Stage::slices))
        if (stage == Stage::slices) look_at_slices(exec, budget);
      if constexpr (Operation::looks_at(Stage::offsets))
        if (stage == Stage::offsets) look_at_offsets(exec, budget);
      if constexpr (Operation::looks_at(Stage::clusters))
        if (stage == Stage::clusters) look_at_clusters(exec, budget);
    }
    if constexpr (looks_on_hosts(Stage::vector_slices))
      if (stage == Stage::vector_slices && !is_known(m_found, stage))
        m_found.vector_slices = sample_vector_slices<FormatOf<VectorSlices, Crs>>(exec, arrays_of(m_matrix));
  }

  /// Whether there is anything to see at `stage`.
  static constexpr bool looks_at(Stage stage) {
    return (runs_lane_kernels<ExecutionSpace> && Operation::looks_at(stage)) || looks_on_hosts(stage);
  }

  /// Empty where nobody looked.
  PanelColumns& panel_columns() { return m_panel_columns; }
  const Marks& row_marks() const { return m_row_marks; }
  Clustering& clustering() { return m_clustering; }
  const DiagonalSlices& diagonal_slices() const { return m_diagonal_slices; }

  /// For the storage that is made of it. What it holds goes on counting in the budget.
  Slices take_slices() {
    m_bytes -= m_found.slices->bytes - m_found.slices->to_allocate;
    return std::exchange(m_slices, Slices());
  }
  DiagonalSlices take_diagonal_slices() {
    m_bytes -= bytes_of(m_diagonal_slices.dia.slice_begin, m_diagonal_slices.dia.diagonals);
    return std::exchange(m_diagonal_slices, DiagonalSlices());
  }

  /// Lets go of all but the numbers.
  void release(MemoryBudget& budget) {
    m_panel_columns   = {};
    m_row_marks       = {};
    m_clustering      = {};
    m_slices          = {};
    m_diagonal_slices = {};
    budget.give_back(std::exchange(m_bytes, 0));
  }

 private:
  /// What kernels that are written for hosts want to know.
  static constexpr bool looks_on_hosts(Stage stage) {
    if constexpr (requires { Operation::hosts_look_at(stage); })
      return !ExecutionTraits<ExecutionSpace>::is_gpu && Operation::hosts_look_at(stage);
    else
      return false;
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

  void look_at_diagonals(const ExecutionSpace& exec) {
    const SlicedDiaSample sample = sample_sliced_dia(exec, arrays_of(m_matrix));
    m_found.diagonals =
        DiagonalStatistics{sample.defects == 0, sample.best_group(), sample.best_fill(), sample.best_widest()};
  }

  void look_at_diagonal_slices(const ExecutionSpace& exec, MemoryBudget& budget) {
    look(exec, Stage::diagonals, budget);
    using Format            = FormatOf<SlicedDiaMatrix, Crs>;
    const std::size_t begin = begin_bytes(ceiling_quotient(m_found.rows, sliced_dia_rows));
    budget.check("counting diagonals", begin);
    const std::size_t left = budget.left() == unlimited ? unlimited : budget.left() - begin;
    m_diagonal_slices      = sliced_dia_layout<Format>(exec, arrays_of(m_matrix), m_found.diagonals->unknowns,
                                                  m_found.diagonals->widest, left);
    const auto& layout     = m_diagonal_slices;
    keep(budget, bytes_of(layout.dia.slice_begin, layout.dia.diagonals));
    DiagonalSliceStatistics found;
    found.possible    = layout.totals.defects == 0 && layout.fits();
    found.widest      = layout.totals.widest;
    found.bytes       = layout.bytes();
    found.to_allocate = found.bytes - bytes_of(layout.dia.slice_begin) -
                        (layout.keeps_diagonals() ? bytes_of(layout.dia.diagonals) : 0);
    m_found.diagonal_slices = found;
  }

  /// Of slices cut as the operation says.
  void look_at_slices(const ExecutionSpace& exec, MemoryBudget& budget) {
    const auto shape          = Operation::slice_shape(m_device, m_found, m_request);
    const std::int64_t slices = ceiling_quotient(m_found.rows * shape.parts, LengthStatistics::slice_rows);
    budget.check("counting slices", 2 * begin_bytes(slices));
    m_slices               = sell_layout<FormatOf<SellMatrix, Crs>>(exec, arrays_of(m_matrix), shape.parts, shape.chunk,
                                                      SellColumns::automatic);
    const std::size_t held = bytes_of(m_slices.sell.slice_begin);
    keep(budget, held);
    m_found.slices = SliceStatistics{m_slices.bytes(), m_slices.bytes() - held};
  }

  void look_at_offsets(const ExecutionSpace& exec, MemoryBudget& budget) {
    OffsetStatistics found;
    const DiagonalList offsets = stored_diagonals<typename Crs::device_type>("inspect", exec, arrays_of(m_matrix),
                                                                             budget.left(), OffsetStatistics::most);
    found.few                  = !offsets.empty();
    found.diagonals            = static_cast<std::int64_t>(offsets.size());
    for (std::size_t d = 0; d < offsets.size(); ++d) {
      found.runs += d == 0 || offsets[d] != offsets[d - 1] + 1 ? 1 : 0;
      found.elements += static_cast<double>(diagonal_length(m_found.rows, m_found.columns, offsets[d]));
    }
    m_found.offsets = found;
  }

  static std::size_t begin_bytes(std::int64_t slices) {
    return static_cast<std::size_t>(slices + 1) * sizeof(std::int32_t);
  }

  Crs m_matrix;
  const Device& m_device;
  const Request& m_request;
  Inspection m_found;
  PanelColumns m_panel_columns;
  Marks m_row_marks;
  Clustering m_clustering;
  Slices m_slices;
  DiagonalSlices m_diagonal_slices;
  std::size_t m_bytes = 0;
};

}  // namespace lacuna::Impl

#endif

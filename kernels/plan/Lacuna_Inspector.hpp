// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_INSPECTOR_HPP
#define LACUNA_INSPECTOR_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <core/impl/inspection/Lacuna_RowRuns.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <formats/impl/bricks/Lacuna_BrickStatistics.hpp>
#include <formats/impl/clustering/Lacuna_RowClustering.hpp>
#include <formats/impl/diagonals/Lacuna_Convert_Hm.hpp>
#include <formats/impl/panels/Lacuna_PanelColumns.hpp>
#include <formats/impl/sell/Lacuna_SellLayout.hpp>
#include <formats/impl/sliced_dia/Lacuna_Convert_SlicedDia.hpp>
#include <formats/impl/vector_slices/Lacuna_Convert_VectorSlices.hpp>
#include <kernels/plan/Lacuna_LayoutStatistics.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace lacuna::Impl {

/// \brief Inspects the pattern of a matrix, a stage at a time and each at most once. It keeps the numbers, and until
/// `release` what storage can be made from without another inspection.
///
/// \tparam Operation says which stages it inspects: nothing else is compiled
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

  /// Inspects the lengths: one pass over the row map. Waits for `exec`. `device` and `request` must outlive it.
  Inspector(const ExecutionSpace& exec, const Crs& A, const Device& device, const Request& request)
      : m_matrix(A), m_device(device), m_request(request) {
    const auto arrays     = arrays_of(A);
    m_inspection.rows     = static_cast<std::int64_t>(arrays.rows);
    m_inspection.columns  = static_cast<std::int64_t>(arrays.columns);
    m_inspection.nonzeros = static_cast<std::int64_t>(arrays.nonzeros);
    m_inspection.lengths  = length_statistics(exec, arrays);
    if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu) {
      m_inspection.neighbours = sample_neighbouring_rows(arrays);
      if constexpr (requires { Operation::samples_column_reach; }) m_inspection.reach = sample_column_reach(arrays);
    }
  }

  const Inspection& inspection() const { return m_inspection; }

  /// What is kept counts in `budget`. Waits for `exec`. \throws OutOfMemory: nothing is known then that was not before.
  void inspect(const ExecutionSpace& exec, Stage stage, MemoryBudget& budget) {
    if constexpr (runs_lane_kernels<ExecutionSpace>) {
      if (is_known(m_inspection, stage)) return;
      if constexpr (Operation::inspects(Stage::panels))
        if (stage == Stage::panels) inspect_panels(exec, budget);
      if constexpr (Operation::inspects(Stage::tall_panels))
        if (stage == Stage::tall_panels) inspect_tall_panels(exec, budget);
      if constexpr (Operation::inspects(Stage::runs))
        if (stage == Stage::runs) inspect_runs(exec, budget);
      if constexpr (Operation::inspects(Stage::diagonals))
        if (stage == Stage::diagonals) inspect_diagonals(exec);
      if constexpr (Operation::inspects(Stage::diagonal_slices))
        if (stage == Stage::diagonal_slices) inspect_diagonal_slices(exec, budget);
      if constexpr (Operation::inspects(Stage::slices))
        if (stage == Stage::slices) inspect_slices(exec, budget);
      if constexpr (Operation::inspects(Stage::offsets))
        if (stage == Stage::offsets) inspect_offsets(exec, budget);
      if constexpr (Operation::inspects(Stage::clusters))
        if (stage == Stage::clusters) inspect_clusters(exec, budget);
    }
    if constexpr (inspects_on_hosts(Stage::vector_slices))
      if (stage == Stage::vector_slices && !is_known(m_inspection, stage))
        m_inspection.vector_slices = sample_vector_slices<FormatOf<VectorSlices, Crs>>(exec, arrays_of(m_matrix));
  }

  /// Whether there is anything to see at `stage`.
  static constexpr bool inspects(Stage stage) {
    return (runs_lane_kernels<ExecutionSpace> && Operation::inspects(stage)) || inspects_on_hosts(stage);
  }

  /// Empty where that stage was not inspected.
  PanelColumns& panel_columns() { return m_panel_columns; }
  const Marks& row_marks() const { return m_row_marks; }
  Clustering& clustering() { return m_clustering; }
  const DiagonalSlices& diagonal_slices() const { return m_diagonal_slices; }

  /// For the storage that is made of it. What it holds goes on counting in the budget.
  Slices take_slices() {
    m_bytes -= m_inspection.slices->bytes - m_inspection.slices->to_allocate;
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
  static constexpr bool inspects_on_hosts(Stage stage) {
    if constexpr (requires { Operation::hosts_inspect(stage); })
      return !ExecutionTraits<ExecutionSpace>::is_gpu && Operation::hosts_inspect(stage);
    return false;
  }

  void keep(MemoryBudget& budget, std::size_t bytes) {
    budget.take("what was inspected", bytes);
    m_bytes += bytes;
  }

  void inspect_panels(const ExecutionSpace& exec, MemoryBudget& budget) {
    using Ordinal             = typename Crs::non_const_ordinal_type;
    const std::int64_t panels = ceiling_quotient(m_inspection.rows, panel_rows);
    m_panel_columns           = count_panel_columns<panel_rows>(
        "inspect", exec, m_matrix, PanelRows<Ordinal>{m_inspection.rows, panels, panel_rows, nullptr, nullptr}, 0,
        budget.left());
    keep(budget, m_panel_columns.bytes());
    const auto& totals  = m_panel_columns.totals;
    m_inspection.panels = {{panels, totals.columns, totals.longest_panel, totals.steps, totals.brick_columns}};
  }

  /// Numbers alone: nothing is made from these panels.
  void inspect_tall_panels(const ExecutionSpace& exec, const MemoryBudget& budget) {
    m_inspection.tall_panels = tall_panels_of(brick_statistics<16, 16>(exec, m_matrix, budget.left()));
  }

  void inspect_runs(const ExecutionSpace& exec, MemoryBudget& budget) {
    const auto arrays = arrays_of(m_matrix);
    keep(budget, static_cast<std::size_t>(m_inspection.rows));
    m_row_marks       = mark_row_runs(exec, arrays);
    m_inspection.runs = count_row_runs(exec, arrays, m_row_marks);
  }

  void inspect_clusters(const ExecutionSpace& exec, MemoryBudget& budget) {
    inspect(exec, Stage::panels, budget);
    m_clustering = make_row_clustering<panel_rows>(exec, m_matrix, budget.left(), m_panel_columns);
    keep(budget, bytes_of(m_clustering.row_list) + m_clustering.columns.bytes());
    m_inspection.clusters = ClusterStatistics{m_clustering.share_of_columns()};
  }

  void inspect_diagonals(const ExecutionSpace& exec) {
    const SlicedDiaSample sample = sample_sliced_dia(exec, arrays_of(m_matrix));
    m_inspection.diagonals =
        DiagonalStatistics{sample.defects == 0, sample.best_group(), sample.best_fill(), sample.best_widest()};
  }

  void inspect_diagonal_slices(const ExecutionSpace& exec, MemoryBudget& budget) {
    inspect(exec, Stage::diagonals, budget);
    using Format            = FormatOf<SlicedDiaMatrix, Crs>;
    const std::size_t begin = begin_bytes(ceiling_quotient(m_inspection.rows, sliced_dia_rows));
    budget.check("counting diagonals", begin);
    const std::size_t left = budget.left() == unlimited ? unlimited : budget.left() - begin;
    m_diagonal_slices      = sliced_dia_layout<Format>(exec, arrays_of(m_matrix), m_inspection.diagonals->unknowns,
                                                  m_inspection.diagonals->widest, left);
    keep(budget, bytes_of(m_diagonal_slices.dia.slice_begin, m_diagonal_slices.dia.diagonals));
    m_inspection.diagonal_slices = diagonal_slice_statistics(m_diagonal_slices);
  }

  /// Of slices cut as the operation says.
  void inspect_slices(const ExecutionSpace& exec, MemoryBudget& budget) {
    const auto shape          = Operation::slice_shape(m_device, m_inspection, m_request);
    const std::int64_t slices = ceiling_quotient(m_inspection.rows * shape.segments, LengthStatistics::slice_rows);
    budget.check("counting slices", 2 * begin_bytes(slices));
    m_slices = sell_layout<FormatOf<SellMatrix, Crs>>(exec, arrays_of(m_matrix), shape.segments, shape.chunk,
                                                      SellColumns::automatic);
    const std::size_t held = bytes_of(m_slices.sell.slice_begin);
    keep(budget, held);
    m_inspection.slices = SliceStatistics{m_slices.bytes(), m_slices.bytes() - held};
  }

  void inspect_offsets(const ExecutionSpace& exec, MemoryBudget& budget) {
    const DiagonalList offsets = stored_diagonals<typename Crs::device_type>("inspect", exec, arrays_of(m_matrix),
                                                                             budget.left(), OffsetStatistics::most);
    m_inspection.offsets       = offset_statistics(offsets, m_inspection.rows, m_inspection.columns);
  }

  static std::size_t begin_bytes(std::int64_t slices) {
    return static_cast<std::size_t>(slices + 1) * sizeof(std::int32_t);
  }

  Crs m_matrix;
  const Device& m_device;
  const Request& m_request;
  Inspection m_inspection;
  PanelColumns m_panel_columns;
  Marks m_row_marks;
  Clustering m_clustering;
  Slices m_slices;
  DiagonalSlices m_diagonal_slices;
  std::size_t m_bytes = 0;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMBRICKSSTORAGE_HPP
#define LACUNA_SPMMBRICKSSTORAGE_HPP

#include <Lacuna_Convert.hpp>
#include <formats/impl/bricks/Lacuna_BrickStatistics.hpp>
#include <kernels/plan/Lacuna_PlanStorage.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_BrickSchedule.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_SpmmBrickClusters.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_SpmmBrickLaunch.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowRepack.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace lacuna::Impl {

/// Bytes of a `BrickMatrix` in natural order, by what panels of 8 rows are; those of 16 have no more steps.
struct SpmmBrickBytes {
  static std::size_t of(const PanelStatistics& panels, std::int64_t nonzeros, std::size_t scalar_bytes,
                        int panel_rows) {
    constexpr std::int64_t index = 8;  // an ordinal or an offset, at most
    const std::int64_t patterns  = 2 * panel_rows / 8;
    return static_cast<std::size_t>(nonzeros * (static_cast<std::int64_t>(scalar_bytes) + index) +
                                    panels.steps * (8 * index + patterns * 4 + index) + (panels.panels + 1) * index +
                                    1024);
  }
};

/// Bricks, their schedule, and a workspace for a B that the kernel cannot read. Without a workspace row_split serves
/// such a B.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmmBricksStorage {
  using Scalar   = typename Matrix::non_const_value_type;
  using Arrays   = CrsArraysOf<Matrix>;
  using Memory   = typename ExecutionSpace::memory_space;
  using Crs      = SharedCrs<Matrix>;
  using Bricks   = FormatOf<BrickMatrix, Matrix>;
  using Schedule = BrickSchedule<Scalar, typename Arrays::Ordinal, typename Arrays::Offset, Memory>;
  using Columns  = PanelColumnsOf<Crs>;
  using RowOrder = RowListOf<Crs>;

 public:
  template <class Context>
  void build(const Context& context) {
    const SpmmRequest& request = context.request;
    m_precision                = request.precision;
    const int panel_rows       = brick_panel_rows(context.device, context.inspector.inspection(), request);
    if (panel_rows == context.inspector.panel_rows)
      make_of_what_was_found(context);
    else
      make_in_panels_of_16(context);
    const Inspection& inspection = context.inspector.inspection();
    m_repack                     = {context.device, inspection, request};
    const bool unaligned         = request.columns * static_cast<std::int64_t>(sizeof(Scalar)) % 16 != 0;
    m_repack.reserve_where(context.exec, m_workspace, context.budget,
                           unaligned && (m_precision != Precision::full || pays(request.columns)), true);
  }

  std::size_t bytes() const { return m_matrix.bytes() + m_schedule.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.bytes(); }
  bool shareable() const { return !m_workspace.is_there() && m_schedule.partial.extent(0) == 0; }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) const {
    lacuna::update_values(exec, A.crs(), m_matrix);
  }
  std::string describe() const {
    return "  bricks      panels of " + std::to_string(m_matrix.panel_rows) + " rows, " +
           std::to_string(m_matrix.steps()) + " steps of 8 columns, " +
           number_text(BrickStatistics::ratio(static_cast<std::int64_t>(m_matrix.nonzeros()), 8 * m_matrix.steps())) +
           " nonzeros for each" + m_clusters + "\n";
  }

  /// B must be row-major, in lower precisions aligned.
  template <class Output>
  void multiply(const ExecutionSpace& exec, const Arrays& A, const BlockArguments<Scalar, Output>& arguments) const {
    const auto& B         = arguments.B;
    const bool is_aligned = B.rows_aligned(16);
    const bool must       = !B.row_major() || (m_precision != Precision::full && !is_aligned);
    const auto need = must ? RepackNeed::must : is_aligned || !pays(B.columns) ? RepackNeed::none : RepackNeed::helps;
    const bool done = m_workspace.multiply(
        exec, arguments, need, [&](const BlockArguments<Scalar, Output>& part, bool) { launch(exec, part); });
    if (!done) multiply_rows(exec, A, arguments);
  }

 private:
  /// Whether a copy of B in aligned rows is worth it where the kernel could read B.
  bool pays(std::int64_t columns) const {
    using Policy = SpmmBrickPolicy;
    return m_repack.device.is_gpu && columns <= Policy::most_repacked_columns &&
           repacking_costs_less(m_repack.device, m_repack.inspection, m_repack.request, columns,
                                Policy::unaligned_cost);
  }

  template <class Context>
  void make_of_what_was_found(const Context& context) {
    auto& inspector = context.inspector;
    inspector.inspect(context.exec, Stage::panels, context.budget);
    if (context.request.row_order == lacuna::RowOrder::clustered)
      inspector.inspect(context.exec, Stage::clusters, context.budget);
    const bool clustered = bricks_take_clusters(context.device, inspector.inspection(), context.request) &&
                           inspector.clustering().row_list.extent(0) > 0;
    if (inspector.inspection().clusters)
      m_clusters = "; clustered rows leave " + percent_text(inspector.inspection().clusters->share_of_columns) +
                   " of the active columns" + (clustered ? "" : ", not taken");
    Columns& columns = clustered ? inspector.clustering().columns : inspector.panel_columns();
    make(context, inspector.panel_rows, clustered ? inspector.clustering().row_list : RowOrder(), columns,
         columns.bytes());
  }

  template <class Context>
  void make_in_panels_of_16(const Context& context) {
    Columns columns;
    RowOrder order;
    if (context.request.row_order == lacuna::RowOrder::clustered) {
      auto clustering = make_row_clustering<16>(context.exec, context.A.crs(), context.budget.left());
      order           = clustering.row_list;
      columns         = clustering.columns;
      m_clusters = "; clustered rows leave " + percent_text(clustering.share_of_columns()) + " of the active columns";
    }
    make(context, SpmmBrickPolicy::tall_panel_rows, order, columns, 0);
  }

  /// `held`: bytes of `columns` that the budget has counted.
  template <class Context>
  void make(const Context& context, int panel_rows, const RowOrder& order, Columns& columns, std::size_t held) {
    MemoryBudget& budget   = context.budget;
    const std::size_t left = budget.left() == unlimited ? unlimited : budget.left() + held;
    {
      const Kokkos::Profiling::ScopedRegion region("Lacuna::to_bricks");
      m_matrix = bricks_from_crs(context.exec, context.A.crs(), order,
                                 BrickOptions{.panel_rows = panel_rows, .memory_limit = left}, columns);
    }
    budget.take("bricks", m_matrix.bytes());
    m_schedule = make_brick_schedule(context.exec, m_matrix, context.request.columns, 0,
                                     columns.totals.longest_panel_steps(), budget.left());
    budget.take("the schedule of bricks", m_schedule.bytes());
  }

  template <class Output>
  void launch(const ExecutionSpace& exec, const BlockArguments<Scalar, Output>& arguments) const {
    constexpr auto path = LaunchPath::automatic;
    if constexpr (std::is_same_v<Scalar, float>) {
      switch (m_precision) {
        case Precision::full: break;
        case Precision::tf32:
          return spmm_bricks<Precision::tf32, void, path, false>(exec, m_matrix, arguments, m_schedule);
        case Precision::fp16:
          return spmm_bricks<Precision::fp16, void, path, false>(exec, m_matrix, arguments, m_schedule);
        case Precision::bf16:
          return spmm_bricks<Precision::bf16, void, path, false>(exec, m_matrix, arguments, m_schedule);
      }
    }
    spmm_bricks(exec, m_matrix, arguments, m_schedule);
  }

  Precision m_precision = Precision::full;
  SpmmRowRepack m_repack;
  Bricks m_matrix;
  Schedule m_schedule;
  std::string m_clusters;  // for the report
  SpmmWorkspace<Scalar, Memory> m_workspace;
};

}  // namespace lacuna::Impl

#endif

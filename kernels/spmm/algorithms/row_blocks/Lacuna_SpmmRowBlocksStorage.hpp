// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWBLOCKSSTORAGE_HPP
#define LACUNA_SPMMROWBLOCKSSTORAGE_HPP

#include <kernels/plan/Lacuna_PlanStorage.hpp>
#include <kernels/spmm/algorithms/row_blocks/Lacuna_SpmmRowBlockKernel.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowRepack.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace lacuna::Impl {

/// The list of blocks, and a workspace for a B whose rows are not aligned. row_split serves what blocks do not.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmmRowBlocksStorage {
  using Scalar = typename Matrix::non_const_value_type;
  using Arrays = CrsArraysOf<Matrix>;
  using Memory = typename ExecutionSpace::memory_space;
  using List   = SpmmRowBlockList<Arrays, Memory>;
  using Policy = SpmmRowBlockPolicy;

 public:
  static constexpr bool reads_values_of_A = true;

  template <class Context>
  void build(const Context& context) {
    context.inspector.inspect(context.exec, Stage::runs, context.budget);
    const Inspection& inspection = context.inspector.inspection();
    m_repack                     = {context.device, inspection, context.request};
    m_team_size                  = context.request.team_size;
    if (static_cast<double>(inspection.lengths.longest) <= longest_even_row(inspection.mean()))
      m_rows.longest_here = no_row_limit;
    context.budget.take("row_blocks",
                        static_cast<std::size_t>(Policy::blocks(*inspection.runs)) * sizeof(typename List::Block));
    m_list = make_row_blocks(context.exec, context.A.arrays(), context.inspector.row_marks(), *inspection.runs,
                             inspection.lengths.longest);
    m_list.is_scattered        = row_blocks_are_scattered(inspection);
    const std::int64_t columns = context.request.planned_columns();
    const int vector           = SpmmRowRepack::load_width_without_gaps<Scalar>(columns);
    m_repack.reserve_where(context.exec, m_workspace, context.budget, pays(columns, true, vector),
                           pays(columns, false, 1));
  }

  std::size_t bytes() const { return m_list.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.bytes(); }
  bool shareable() const { return !m_workspace.is_there(); }
  /// Values are read where CSR has them.
  template <class A>
  void update_values(const ExecutionSpace&, const A&) const {}
  std::string describe() const {
    const RunStatistics& runs = *m_repack.inspection.runs;
    return "  blocks      " + std::to_string(Policy::blocks(runs)) + " of up to " +
           std::to_string(Policy::most_rows(runs)) + " rows\n";
  }

  template <class Output>
  void multiply(const ExecutionSpace& exec, const Arrays& A, const BlockArguments<Scalar, Output>& arguments) const {
    const auto& B   = arguments.B;
    const auto need = pays(B.columns, B.row_major(), load_width(B, false)) ? RepackNeed::helps : RepackNeed::none;
    m_workspace.multiply(exec, arguments, need, [&](const BlockArguments<Scalar, Output>& part, bool padded) {
      if (row_blocks_serve(part, padded)) return spmm_row_blocks(exec, A, part, m_list);
      multiply_rows(exec, A, part, m_rows, {padded, m_team_size});
    });
  }

 private:
  /// Whether blocks gain when B is first copied to aligned rows: they have loads of 16 bytes alone.
  bool pays(std::int64_t columns, bool row_major, int vector) const {
    if (vector >= widest_load<Scalar>) return false;
    return repacking_costs_less(m_repack.device, m_repack.inspection, m_repack.request, columns,
                                row_major ? Policy::least_gain : SpmmCostPolicy::column_major_cost);
  }

  SpmmRowRepack m_repack;
  RowsView<Arrays> m_rows;  ///< as they stand
  int m_team_size = 0;
  List m_list;
  SpmmWorkspace<Scalar, Memory> m_workspace;
};

}  // namespace lacuna::Impl

#endif

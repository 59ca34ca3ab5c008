// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMGCOOSTORAGE_HPP
#define LACUNA_SPMMGCOOSTORAGE_HPP

#include <kernels/plan/Lacuna_PlanStorage.hpp>
#include <kernels/spmm/published/gcoo/Lacuna_SpmmGcooKernel.hpp>
#include <kernels/spmm/published/gcoo/Lacuna_SpmmGcooPolicy.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowRepack.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace lacuna::Impl {

/// Groups of rows, and a workspace for a column-major B where copying it pays.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmmGcooStorage {
  using Scalar = typename Matrix::non_const_value_type;
  using Arrays = CrsArraysOf<Matrix>;
  using Policy = SpmmGcooPolicy;

 public:
  template <class Context>
  void build(const Context& context) {
    const SpmmRequest& request = context.request;
    const std::int64_t rows    = request.panel_rows > 0 ? request.panel_rows : Policy::rows;
    if (request.team_size > 0) m_threads = std::min(request.team_size, most_gcoo_threads);
    m_matrix =
        to_gcoo(context.exec, context.A.crs(), GcooOptions{.group_size = rows, .memory_limit = context.budget.left()});
    context.budget.take("gcoo", m_matrix.bytes());
    m_repack = {context.device, context.inspector.inspection(), request};
    m_repack.reserve_where(context.exec, m_workspace, context.budget, false,
                           m_repack.pays(request.planned_columns(), false, 1, 1));
  }

  std::size_t bytes() const { return m_matrix.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.bytes(); }
  bool shareable() const { return !m_workspace.is_there(); }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) const {
    lacuna::update_values(exec, A.crs(), m_matrix);
  }
  std::string describe() const {
    return "  GCOO        " + std::to_string(m_matrix.groups()) + " groups of " + std::to_string(m_matrix.group_size) +
           " rows (p), " + std::to_string(m_threads) + " columns a team (b)\n";
  }

  template <class Output>
  void multiply(const ExecutionSpace& exec, const Arrays&, const BlockArguments<Scalar, Output>& arguments) const {
    const auto& B   = arguments.B;
    const auto need = !B.row_major() && m_repack.pays(B.columns, false, 1, 1) ? RepackNeed::helps : RepackNeed::none;
    m_workspace.multiply(exec, arguments, need, [&](const BlockArguments<Scalar, Output>& part, bool) {
      spmm_gcoo(exec, m_matrix, part, m_threads);
    });
  }

 private:
  FormatOf<GcooMatrix, Matrix> m_matrix;
  int m_threads = Policy::threads;
  SpmmRowRepack m_repack;
  SpmmWorkspace<Scalar, typename ExecutionSpace::memory_space> m_workspace;
};

}  // namespace lacuna::Impl

#endif

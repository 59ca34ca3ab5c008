// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWSPLITSTORAGE_HPP
#define LACUNA_SPMMROWSPLITSTORAGE_HPP

#include <kernels/rows/Lacuna_RowsEngine.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowRepack.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmWorkspace.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace lacuna::Impl {

/// The rows engine, and the workspace for a B that its kernels do not read well.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmmRowSplitStorage {
  using Scalar = typename Matrix::non_const_value_type;
  using Arrays = CrsArraysOf<Matrix>;

 public:
  static constexpr bool reads_values_of_A = true;

  template <class Context>
  void build(const Context& context) {
    m_repack = {context.device, context.inspector.inspection(), context.request};
    m_rows.build(context.exec, context.A.arrays(), m_repack.inspection.lengths,
                 {.columns   = context.request.planned_columns(),
                  .widest    = widest_load<Scalar>,
                  .longest   = longest(),
                  .team_size = context.request.team_size},
                 context.budget);
    m_repack.reserve(context.exec, m_workspace, context.budget);
  }

  std::size_t bytes() const { return m_rows.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.bytes(); }
  bool shareable() const { return !m_workspace.is_there() && !m_rows.cuts_rows(); }
  /// Values are read where CSR has them.
  template <class A>
  void update_values(const ExecutionSpace&, const A&) const {}
  std::string describe() const {
    return "  rows        longest " + std::to_string(longest()) + ", " +
           (ExecutionTraits<ExecutionSpace>::is_gpu ? m_rows.text() : "balanced by nonzeros") + "\n";
  }

  template <class Output>
  void multiply(const ExecutionSpace& exec, const Arrays& A, const BlockArguments<Scalar, Output>& arguments) const {
    constexpr bool is_gpu = ExecutionTraits<ExecutionSpace>::is_gpu;
    const RepackNeed need = m_repack.need(arguments.B);
    if constexpr (is_gpu)
      if (need == RepackNeed::none) return m_rows.multiply(exec, A, arguments, false);
    m_workspace.multiply(exec, arguments, need, [&](const BlockArguments<Scalar, Output>& part, bool padded) {
      if constexpr (is_gpu)
        m_rows.multiply(exec, A, part, padded);
      else
        host_rows(exec, A, part, RowsPolicy::are_short_and_even(m_repack.inspection.neighbours));
    });
  }

 private:
  std::int64_t longest() const { return m_repack.inspection.lengths.longest; }

  SpmmRowRepack m_repack;
  RowsEngine<Arrays, ExecutionSpace> m_rows;
  SpmmWorkspace<Scalar, typename ExecutionSpace::memory_space> m_workspace;
};

}  // namespace lacuna::Impl

#endif

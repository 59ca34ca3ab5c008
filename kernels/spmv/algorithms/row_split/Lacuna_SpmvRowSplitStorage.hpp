// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWSPLITSTORAGE_HPP
#define LACUNA_SPMVROWSPLITSTORAGE_HPP

#include <kernels/spmv/algorithms/row_split/Lacuna_SpmvRowPlan.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

#include <cstddef>
#include <string>

namespace lacuna::Impl {

/// What is to be done about uneven rows, as far as memory suffices. Nothing on hosts.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmvRowSplitStorage : public SpmvStorage {
  using Arrays = CrsArraysOf<Matrix>;

 public:
  template <class Context>
  void build(const Context& context) {
    take_request(context);
    if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) {
      if (context.A.arrays().nonzeros == 0) return;
      m_plan = make_spmv_row_plan(context.exec, context.A.arrays(), context.inspector.inspection().lengths,
                                  context.budget.left());
      context.budget.take("the schedule of rows", m_plan.bytes());
    }
  }
  std::size_t bytes() const { return m_plan.bytes(); }
  bool shareable() const { return !m_plan.cuts_rows(); }
  std::string describe() const { return describe_rows(", " + m_plan.text()) + "\n"; }

  void multiply(const ExecutionSpace& exec, const Arrays& A,
                const VectorArguments<typename Arrays::Scalar>& arguments) const {
    spmv_row_split(exec, A, arguments, shape(), m_plan);
  }

 private:
  SpmvRowPlan<Arrays, typename ExecutionSpace::memory_space> m_plan;
};

}  // namespace lacuna::Impl

#endif

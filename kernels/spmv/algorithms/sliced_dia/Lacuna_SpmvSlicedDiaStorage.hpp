// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSLICEDDIASTORAGE_HPP
#define LACUNA_SPMVSLICEDDIASTORAGE_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/spmv/algorithms/sliced_dia/Lacuna_SpmvSlicedDiaKernel.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

#include <cstddef>
#include <string>

namespace lacuna::Impl {

/// The diagonals.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmvSlicedDiaStorage : public SpmvStorage {
 public:
  template <class Context>
  void build(const Context& context) {
    take_request(context);
    auto& inspector      = context.inspector;
    MemoryBudget& budget = context.budget;
    inspector.inspect(context.exec, Stage::diagonals, budget);
    inspector.inspect(context.exec, Stage::diagonal_slices, budget);
    check_layout(inspector.diagonal_slices());
    budget.take("sliced_dia", inspector.inspection().diagonal_slices->to_allocate);
    const auto layout = inspector.take_diagonal_slices();
    m_matrix          = fill_sliced_dia(context.exec, context.A.arrays(), layout);
    // Diagonals that were found with gaps between them.
    if (m_matrix.diagonals.data() != layout.dia.diagonals.data()) budget.give_back(bytes_of(layout.dia.diagonals));
  }
  std::size_t bytes() const { return m_matrix.bytes(); }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) const {
    lacuna::update_values(exec, A.crs(), m_matrix);
  }
  std::string describe() const {
    return describe_rows("") + "\n  diagonals   " + std::to_string(m_matrix.diagonal_count()) + " in " +
           std::to_string(m_matrix.slices()) + " slices, " + std::to_string(m_matrix.group) + " rows a node\n";
  }

  void multiply(const ExecutionSpace& exec, const CrsArraysOf<Matrix>&,
                const VectorArguments<typename Matrix::non_const_value_type>& arguments) const {
    spmv_sliced_dia(exec, m_matrix, arguments, shape());
  }

 private:
  FormatOf<SlicedDiaMatrix, Matrix> m_matrix;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVVECTORSLICESSTORAGE_HPP
#define LACUNA_SPMVVECTORSLICESSTORAGE_HPP

#include <formats/impl/vector_slices/Lacuna_UpdateVectorSlices.hpp>
#include <kernels/spmv/algorithms/vector_slices/Lacuna_SpmvVectorSlicesKernel.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

#include <cstddef>
#include <string>

namespace lacuna::Impl {

/// The slices.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmvVectorSlicesStorage : public SpmvStorage {
  using Format = FormatOf<VectorSlices, Matrix>;

 public:
  template <class Context>
  void build(const Context& context) {
    take_request(context);
    const auto& A        = context.A.arrays();
    MemoryBudget& budget = context.budget;
    context.inspector.inspect(context.exec, Stage::vector_slices, budget);
    budget.take("counting slices", vector_slices_count_bytes<Format>(static_cast<std::int64_t>(A.rows)));
    const bool diagonals = context.inspector.inspection().vector_slices->diagonals_pay();
    const auto layout    = vector_slices_layout<Format>(context.exec, A, diagonals);
    budget.take("vector_slices", layout.bytes_to_allocate());
    m_matrix = fill_vector_slices(context.exec, A, layout);
  }
  std::size_t bytes() const { return m_matrix.bytes(); }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) const {
    update_vector_slices(exec, A.arrays(), m_matrix);
  }
  std::string describe() const {
    return describe_rows(", " + std::to_string(m_matrix.slice_count()) + " slices of " +
                         std::to_string(Format::rows_per_slice) + " rows, " + std::to_string(m_matrix.steps.extent(0)) +
                         " steps, " + std::to_string(m_matrix.narrow.extent(0) / Format::rows_per_slice) +
                         " with 16-bit columns") +
           "\n";
  }

  void multiply(const ExecutionSpace& exec, const CrsArraysOf<Matrix>&,
                const VectorArguments<typename Matrix::non_const_value_type>& arguments) const {
    spmv_vector_slices(exec, m_matrix, arguments);
  }

 private:
  Format m_matrix;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSELLSTORAGE_HPP
#define LACUNA_SPMVSELLSTORAGE_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/spmv/algorithms/sell/Lacuna_SpmvSellKernel.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

#include <cstddef>
#include <string>

namespace lacuna::Impl {

/// The slices.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmvSellStorage : public SpmvStorage {
 public:
  template <class Context>
  void build(const Context& context) {
    take_request(context);
    context.inspector.inspect(context.exec, Stage::slices, context.budget);
    context.budget.take("sell", context.inspector.inspection().slices->to_allocate);
    m_matrix = fill_sell(context.exec, context.A.arrays(), context.inspector.take_slices());
  }
  std::size_t bytes() const { return m_matrix.bytes(); }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) const {
    lacuna::update_values(exec, A.crs(), m_matrix);
  }
  std::string describe() const {
    return describe_rows("") + "\n  slices      " + std::to_string(m_matrix.slices()) + ", " +
           std::to_string(m_matrix.segments) + " slots a row, chunks of " + std::to_string(m_matrix.chunk) +
           (m_matrix.has_deltas ? ", 16-bit deltas\n" : ", whole columns\n");
  }

  void multiply(const ExecutionSpace& exec, const CrsArraysOf<Matrix>&,
                const VectorArguments<typename Matrix::non_const_value_type>& arguments) const {
    spmv_sell(exec, m_matrix, arguments, shape());
  }

 private:
  FormatOf<SellMatrix, Matrix> m_matrix;
};

}  // namespace lacuna::Impl

#endif

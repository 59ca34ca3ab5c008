// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSOFCRS_HPP
#define LACUNA_DIAGONALSOFCRS_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/diagonal/block/Lacuna_DiagonalTimesBlock.hpp>
#include <kernels/plan/Lacuna_PlanStorage.hpp>

#include <cstddef>
#include <string>

namespace lacuna::Impl {

/// \brief A matrix in CSR as HM. Where a diagonal has elements that CSR has not they are 0; a sum that an Inf or a NaN
/// reached is computed once more from CSR alone.
template <CrsMatrixType Matrix, class ExecutionSpace>
class DiagonalsOfCrs {
  using Scalar = typename Matrix::non_const_value_type;
  using Arrays = CrsArraysOf<Matrix>;

 public:
  template <class Context>
  void build(const Context& context) {
    m_matrix = to_hm(context.exec, context.A.crs(), {.memory_limit = context.budget.left()});
    context.budget.take("whole diagonals", m_matrix.bytes());
  }

  std::size_t bytes() const { return m_matrix.bytes(); }
  std::size_t temporary_bytes() const { return 0; }
  bool shareable() const { return true; }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) const {
    lacuna::update_values(exec, A.crs(), m_matrix);
  }
  std::string describe() const {
    return "  HM          " + std::to_string(m_matrix.dg()) + " diagonals, " + std::to_string(m_matrix.list.extent(0)) +
           " elements\n";
  }

 protected:
  void multiply_block(const ExecutionSpace& exec, const std::string& label, const Arrays& A,
                      const BlockArguments<Scalar>& arguments) const {
    if (m_matrix.list.extent(0) == static_cast<std::size_t>(A.nonzeros))
      diagonal_times_block(exec, label, walk_of(Op::none, m_matrix), NoExactRow{}, arguments);
    else
      diagonal_times_block(exec, label, walk_of(Op::none, m_matrix), ExactCrsRow<Arrays>{A}, arguments);
  }

 private:
  FormatOf<HmMatrix, Matrix> m_matrix;
};

}  // namespace lacuna::Impl

#endif

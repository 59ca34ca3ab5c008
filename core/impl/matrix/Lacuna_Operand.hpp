// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_OPERAND_HPP
#define LACUNA_OPERAND_HPP

#include <core/impl/inspection/Lacuna_PatternComparison.hpp>
#include <core/impl/matrix/Lacuna_TransposedMatrix.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>

#include <cstddef>
#include <memory>

namespace lacuna::Impl {

/// CSR that shares the Views of another one and writes to none of them: one type for every CSR matrix of the same
/// scalar, indices and device.
template <CrsMatrixType Matrix>
using SharedCrs =
    KokkosSparse::CrsMatrix<const typename Matrix::non_const_value_type, const typename Matrix::non_const_ordinal_type,
                            typename Matrix::device_type, void, const typename Matrix::non_const_size_type>;

template <CrsMatrixType Matrix>
SharedCrs<Matrix> shared_crs(const Matrix& A) {
  return SharedCrs<Matrix>("Lacuna::shared_crs", A.numRows(), A.numCols(),
                           static_cast<typename Matrix::non_const_size_type>(A.graph.entries.extent(0)), A.values,
                           A.graph.row_map, A.graph.entries);
}

/// \brief op(A) as a plan holds it: the user's matrix, whose Views it keeps alive, or a transposed copy.
template <CrsMatrixType Matrix>
class Operand {
 public:
  using Crs    = SharedCrs<Matrix>;
  using Arrays = CrsArraysOf<Matrix>;

  /// \throws OutOfMemory where a transposed copy does not fit `budget`, of which it takes what it keeps.
  template <class ExecutionSpace>
  Operand(const ExecutionSpace& exec, const Matrix& A, Op op, MemoryBudget& budget)
      : m_matrix(A), m_arrays(m_transposed.make(exec, A, op, budget.left())) {
    budget.take("the transposed matrix", bytes());
  }

  const Arrays& arrays() const { return m_arrays; }
  /// A as it was given.
  Arrays given() const { return arrays_of(m_matrix); }
  Crs crs() const { return m_transposed ? shared_crs(m_transposed.matrix()) : shared_crs(m_matrix); }
  bool is_copy() const { return static_cast<bool>(m_transposed); }
  /// Bytes beside the user's matrix.
  std::size_t bytes() const { return m_transposed.bytes(); }

  /// Takes the values of `A`. \throws InvalidArgument where it has other extents or another number of nonzeros, and
  /// where it has another pattern and that `compares`: nothing has changed then.
  template <class ExecutionSpace>
  void update_values(const char* function, const ExecutionSpace& exec, const Matrix& A, bool compares) {
    check_pattern_of_plan(function, exec, m_matrix, A, compares);
    std::destroy_at(&m_matrix);  // a CrsMatrix of constant indices cannot be assigned
    std::construct_at(&m_matrix, A);
    m_arrays = m_transposed.update_values(exec, A);
  }

 private:
  Matrix m_matrix;
  TransposedMatrix<Matrix> m_transposed;
  Arrays m_arrays;
};

}  // namespace lacuna::Impl

#endif

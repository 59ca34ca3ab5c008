// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVFORMATSTORAGE_HPP
#define LACUNA_SPMVFORMATSTORAGE_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

#include <cstddef>

namespace lacuna::Impl {

/// A matrix in a format of its own: `Algorithm::Format<Matrix>`, which `Algorithm::convert` makes.
template <class Algorithm, CrsMatrixType Matrix, class ExecutionSpace>
class SpmvFormatStorage : public SpmvStorage {
 public:
  template <class Context>
  void build(const Context& context) {
    take_request(context);
    m_matrix = Algorithm::convert(context.exec, context.A.crs(), context.budget.left());
    context.budget.take(name(Algorithm::id), m_matrix.bytes());
  }
  std::size_t bytes() const { return m_matrix.bytes(); }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) const {
    lacuna::update_values(exec, A.crs(), m_matrix);
  }
  template <class Arrays>
  void multiply(const ExecutionSpace& exec, const Arrays&,
                const VectorArguments<typename Arrays::Scalar>& arguments) const {
    Algorithm::multiply(exec, m_matrix, arguments, shape());
  }

 private:
  typename Algorithm::template Format<Matrix> m_matrix;
};

}  // namespace lacuna::Impl

#endif

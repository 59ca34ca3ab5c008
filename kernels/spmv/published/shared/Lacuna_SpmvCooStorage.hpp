// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVCOOSTORAGE_HPP
#define LACUNA_SPMVCOOSTORAGE_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/spmv/published/shared/Lacuna_CooTile.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// A format with a part in coordinates, `Algorithm::coo_part`, and the carries between the tiles of that.
template <class Algorithm, CrsMatrixType Matrix, class ExecutionSpace>
class SpmvCooStorage : public SpmvStorage {
  using Scalar  = typename Matrix::non_const_value_type;
  using Ordinal = typename Matrix::non_const_ordinal_type;

 public:
  template <class Context>
  void build(const Context& context) {
    take_request(context);
    MemoryBudget& budget = context.budget;
    // What is known before the conversion is taken before it.
    const std::int64_t certain = Algorithm::certainly_in_coo(context.inspector.inspection().nonzeros);
    const std::size_t known    = workspace_bytes(certain);
    budget.check("the matrix with its workspace",
                 known + static_cast<std::size_t>(certain) * (2 * sizeof(Ordinal) + sizeof(Scalar)));
    budget.take("the workspace", known);
    m_matrix = Algorithm::convert(context.exec, context.A.crs(), budget.left());
    budget.take(name(Algorithm::id), m_matrix.bytes());
    const auto nonzeros = static_cast<std::int64_t>(Algorithm::coo_part(m_matrix).nonzeros());
    budget.take("the workspace", workspace_bytes(nonzeros) - known);
    m_workspace = make_spmv_coo_workspace<Scalar, Ordinal>(context.exec, nonzeros);
  }
  std::size_t bytes() const { return m_matrix.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.bytes(); }
  bool shareable() const { return m_workspace.levels.empty(); }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) const {
    lacuna::update_values(exec, A.crs(), m_matrix);
  }
  template <class Arrays>
  void multiply(const ExecutionSpace& exec, const Arrays&,
                const VectorArguments<typename Arrays::Scalar>& arguments) const {
    Algorithm::multiply(exec, m_matrix, arguments, shape(), m_workspace);
  }

 private:
  static std::size_t workspace_bytes(std::int64_t nonzeros) {
    return spmv_coo_workspace_bytes<Scalar, Ordinal>(nonzeros);
  }

  typename Algorithm::template Format<Matrix> m_matrix;
  SpmvCooWorkspace<Scalar, Ordinal, ExecutionSpace> m_workspace;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSCANSTORAGE_HPP
#define LACUNA_SPMVSCANSTORAGE_HPP

#include <kernels/spmv/published/shared/Lacuna_SpmvScanWorkspace.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

#include <cstddef>

namespace lacuna::Impl {

/// CSR as it stands, the heads of its rows, and a workspace for products and their scan.
template <class Algorithm, CrsMatrixType Matrix, class ExecutionSpace>
class SpmvScanStorage : public SpmvStorage {
  using Scalar = typename Matrix::non_const_value_type;

 public:
  static constexpr bool reads_values_of_A = true;

  template <class Context>
  void build(const Context& context) {
    take_request(context);
    context.budget.take("the workspace", spmv_scan_workspace_bytes<Scalar>(context.inspector.inspection().nonzeros));
    m_workspace = make_spmv_scan_workspace(context.exec, context.A.arrays());
  }
  std::size_t bytes() const { return m_workspace.bytes() - m_workspace.value_bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.value_bytes(); }
  bool shareable() const { return m_workspace.levels.empty(); }
  template <class Arrays>
  void multiply(const ExecutionSpace& exec, const Arrays& A,
                const VectorArguments<typename Arrays::Scalar>& arguments) const {
    Algorithm::multiply(exec, A, arguments, shape(), m_workspace);
  }

 private:
  SpmvScanWorkspace<Scalar, ExecutionSpace> m_workspace;
};

}  // namespace lacuna::Impl

#endif

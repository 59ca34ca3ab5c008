// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TPETRALOCALPRODUCT_HPP
#define LACUNA_TPETRALOCALPRODUCT_HPP

#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>
#include <Lacuna_TpetraOptions.hpp>

#include <Kokkos_Core.hpp>
#include <Tpetra_Access.hpp>

#include <cstdint>
#include <optional>
#include <string>

/// \file
/// \brief What a rank multiplies: its rows of A times vectors by the column map.

namespace lacuna::Impl {

/// The plans of one matrix, each made when it is first needed. They are made again where the matrix has another graph,
/// and take the values of another array.
template <class TpetraMatrix>
class TpetraLocalProduct {
  using Local  = typename TpetraMatrix::local_matrix_device_type;
  using Space  = typename Local::execution_space;
  using Scalar = typename Local::non_const_value_type;

 public:
  TpetraLocalProduct(const TpetraMatrix& A, const TpetraOperatorOptions& options)
      : m_options(options), m_local(A.getLocalMatrixDevice()) {
    if (m_options.columns == 1)
      spmv_plan();
    else
      spmm_plan(m_options.columns);
  }

  /// Y = alpha A X + beta Y. X and Y have constant strides.
  template <class Vectors, class TpetraScalar>
  void apply(const TpetraMatrix& A, const TpetraScalar& alpha, const Vectors& X, const TpetraScalar& beta, Vectors& Y) {
    follow(A);
    const auto x = X.getLocalViewDevice(Tpetra::Access::ReadOnly);
    const auto y = Y.getLocalViewDevice(Tpetra::Access::ReadWrite);
    if (X.getNumVectors() == 1)
      spmv(Space{}, spmv_plan(), Scalar(alpha), Kokkos::subview(x, Kokkos::ALL, 0), Scalar(beta),
           Kokkos::subview(y, Kokkos::ALL, 0));
    else
      spmm(Space{}, spmm_plan(static_cast<std::int64_t>(X.getNumVectors())), Scalar(alpha), x, Scalar(beta), y);
  }

  void update_values(const TpetraMatrix& A) {
    follow(A);
    take_values();
  }

  std::string report() const {
    return (m_spmv ? m_spmv->report() : std::string()) + (m_spmm ? m_spmm->report() : std::string());
  }

 private:
  /// The plans hold the arrays that they were made for: no other array can have their addresses.
  void follow(const TpetraMatrix& A) {
    const Local now      = A.getLocalMatrixDevice();
    const bool same_rows = now.graph.row_map.data() == m_local.graph.row_map.data() &&
                           now.graph.entries.data() == m_local.graph.entries.data() && now.nnz() == m_local.nnz();
    const bool same_values = now.values.data() == m_local.values.data();
    if (same_rows && same_values) return;
    m_local = now;
    if (same_rows) return take_values();
    m_spmv.reset();
    m_spmm.reset();
  }

  void take_values() {
    if (m_spmv) m_spmv->update_values(Space{}, m_local);
    if (m_spmm) m_spmm->update_values(Space{}, m_local);
  }

  const SpmvPlan<Local, Space>& spmv_plan() {
    if (!m_spmv)
      m_spmv.emplace(Space{}, m_local,
                     SpmvOptions{.expected_calls    = m_options.expected_calls,
                                 .memory_limit      = m_options.memory_limit,
                                 .reads_values_of_A = m_options.reads_values_of_A});
    return *m_spmv;
  }
  /// `vectors`: those of the first product, where the options ask for a plan of SpMV.
  const SpmmPlan<Local, Space>& spmm_plan(std::int64_t vectors) {
    if (!m_spmm)
      m_spmm.emplace(Space{}, m_local,
                     SpmmOptions{.columns           = m_options.columns == 1 ? vectors : m_options.columns,
                                 .expected_calls    = m_options.expected_calls,
                                 .memory_limit      = m_options.memory_limit,
                                 .b_layout          = DenseLayout::column_major,
                                 .reads_values_of_A = m_options.reads_values_of_A});
    return *m_spmm;
  }

  TpetraOperatorOptions m_options;
  Local m_local;
  std::optional<SpmvPlan<Local, Space>> m_spmv;
  std::optional<SpmmPlan<Local, Space>> m_spmm;
};

}  // namespace lacuna::Impl

#endif

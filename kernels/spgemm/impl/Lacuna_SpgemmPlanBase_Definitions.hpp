// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPLANBASE_DEFINITIONS_HPP
#define LACUNA_SPGEMMPLANBASE_DEFINITIONS_HPP

#include <kernels/spgemm/impl/Lacuna_SpgemmPlanBase.hpp>

/// \file
/// \brief How a plan of SpGEMM is built, how C comes to be and is checked, and the report.

namespace lacuna::Impl {

template <CrsMatrixType Matrix, class ExecutionSpace, bool masked>
std::string SpgemmPlanBase<Matrix, ExecutionSpace, masked>::transposes_text() const {
  if (!m_a && !m_b) return "";
  return "  transposes  " + bytes_text(static_cast<double>(m_a.bytes() + m_b.bytes())) +
         ", formed with the plan; every call gathers their values\n";
}

template <CrsMatrixType Matrix, class ExecutionSpace, bool masked>
std::string SpgemmPlanBase<Matrix, ExecutionSpace, masked>::report() const {
  const double compression = m_nonzeros > 0 ? static_cast<double>(products()) / static_cast<double>(m_nonzeros) : 0;
  return "lacuna::SpgemmPlan of a " + shape_text(rows(), columns()) + " product with " + std::to_string(m_nonzeros) +
         " nonzeros of " + std::to_string(products()) + " products (" + number_text(compression) + " each), op " +
         std::string(name(m_options.op_a)) + " and " + std::string(name(m_options.op_b)) + "\n  algorithm   " +
         std::string(name(algorithm())) + ": " +
         (m_options.algorithm == SpgemmAlgorithm::automatic ? "serves every matrix" : "asked for") + "\n" +
         std::visit([](const auto& storage) { return storage.describe(); }, m_storage) +
         m_product_map.describe(products(), m_nonzeros, m_options.expected_calls) + transposes_text() +
         "  storage     " + bytes_text(static_cast<double>(persistent_bytes())) + " beside A, B and C, workspace " +
         bytes_text(static_cast<double>(temporary_bytes())) + "\n" + set_up_text(setup_seconds(), 0);
}

template <CrsMatrixType Matrix, class ExecutionSpace, bool masked>
void SpgemmPlanBase<Matrix, ExecutionSpace, masked>::build(const ExecutionSpace& exec, const Arrays& a, const Arrays& b,
                                                           Call* call) {
  const auto rows           = static_cast<std::int64_t>(a.rows);
  const std::size_t row_map = static_cast<std::size_t>(rows + 1) * sizeof(size_type);
  if (m_options.algorithm == SpgemmAlgorithm::bins) m_storage.template emplace<1>();
  // Before any work: what comes later depends on what is found.
  m_budget.check("the row map of C and the analysis of rows",
                 row_map + std::visit([&](const auto& storage) { return storage.least_bytes(a, b); }, m_storage));
  m_budget.take("the row map of C", row_map);
  if (call == nullptr) m_row_map = allocate_result<RowMap>("SpgemmPlan", exec, "Lacuna::spgemm::row_map", rows + 1);
  const SpgemmContext<Matrix, ExecutionSpace, Mask> context{exec,
                                                            a,
                                                            b,
                                                            m_mask.rows(),
                                                            m_options.deterministic,
                                                            m_budget,
                                                            m_options.expected_calls == 0,
                                                            call != nullptr ? &call->arena : nullptr};
  m_nonzeros = std::visit([&](auto& storage) { return storage.build(context, m_row_map.data()); }, m_storage);
  check_growth<size_type>(rows, static_cast<std::int64_t>(b.columns), m_nonzeros);
  if (call != nullptr) return make_result(exec, *call);
  if (!m_options.keep_products) return;
  const SpgemmOperands<Arrays, PlusTimes<value_type>, Mask> operands{a, b, value_type(1), {}, m_mask.rows()};
  m_product_map.make(context, m_row_map.data(), m_nonzeros, [&](const Target& target) {
    std::visit([&](const auto& storage) { storage.multiply(exec, operands, target, true); }, m_storage);
  });
}

template <CrsMatrixType Matrix, class ExecutionSpace, bool masked>
void SpgemmPlanBase<Matrix, ExecutionSpace, masked>::make_result(const ExecutionSpace& exec, const Call& call) {
  const auto rows = static_cast<std::int64_t>(m_rows);
  m_result.emplace();
  m_result->make(exec, call, rows, m_nonzeros);
  m_row_map = m_result->row_map;
  std::visit(
      [&](const auto& storage) {
        if constexpr (std::decay_t<decltype(storage)>::writes_row_map_later)
          storage.write_row_map(exec, rows, m_row_map.data());
      },
      m_storage);
}

template <CrsMatrixType Matrix, class ExecutionSpace, bool masked>
auto SpgemmPlanBase<Matrix, ExecutionSpace, masked>::new_result(const ExecutionSpace& exec) const -> result_type {
  using Entries = typename result_type::index_type::non_const_type;
  using Values  = typename result_type::values_type::non_const_type;
  const auto entries =
      m_product_map ? m_product_map.entries()
                    : allocate_result<Entries>("SpgemmPlan::allocate", exec, "Lacuna::spgemm::entries", m_nonzeros);
  const auto values = allocate_result<Values>("SpgemmPlan::allocate", exec, "Lacuna::spgemm::values", m_nonzeros);
  if (!m_product_map) advise_huge_pages(entries);
  advise_huge_pages(values);
  return result_type("C", m_rows, m_columns, static_cast<size_type>(m_nonzeros), values, m_row_map, entries);
}

template <CrsMatrixType Matrix, class ExecutionSpace, bool masked>
auto SpgemmPlanBase<Matrix, ExecutionSpace, masked>::result_of_call(const ExecutionSpace& exec) -> result_type {
  if (!m_result) return new_result(exec);
  const auto result = *std::exchange(m_result, std::nullopt);
  return result_type("C", m_rows, m_columns, static_cast<size_type>(m_nonzeros), result.values, m_row_map,
                     result.entries);
}

template <CrsMatrixType Matrix, class ExecutionSpace, bool masked>
void SpgemmPlanBase<Matrix, ExecutionSpace, masked>::check_result(const result_type& C) const {
  if (static_cast<std::int64_t>(C.numRows()) != rows() || static_cast<std::int64_t>(C.numCols()) != columns())
    raise<DimensionMismatch>("spgemm", "C is ", shape_text(C.numRows(), C.numCols()), ", the plan's product is ",
                             shape_text(rows(), columns()));
  if (C.graph.row_map.data() != m_row_map.data() || static_cast<std::int64_t>(C.values.extent(0)) != m_nonzeros ||
      static_cast<std::int64_t>(C.graph.entries.extent(0)) != m_nonzeros ||
      (m_product_map && C.graph.entries.data() != m_product_map.entries().data()))
    raise<InvalidArgument>("spgemm", "C, with ", C.values.extent(0),
                           " nonzeros, was not allocated by this plan, whose product has ", m_nonzeros,
                           ": use SpgemmPlan::allocate");
}

}  // namespace lacuna::Impl

#endif

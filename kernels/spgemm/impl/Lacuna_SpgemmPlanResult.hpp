// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPLANRESULT_HPP
#define LACUNA_SPGEMMPLANRESULT_HPP

#include <Lacuna_Error.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_HugePages.hpp>
#include <core/impl/memory/Lacuna_SharedBytes.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmCall.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace lacuna::Impl {

/// \brief What a plan of SpGEMM knows of C: its extents, its row map, which all that the plan allocates shares, and,
/// where the plan serves one call, C itself. Functions take the columns of C where the plan keeps those, else nullptr.
template <CrsMatrixType Matrix>
class SpgemmPlanResult {
 public:
  using Crs     = OwningCrs<Matrix>;
  using Scalar  = typename Crs::non_const_value_type;
  using Ordinal = typename Crs::non_const_ordinal_type;
  using Offset  = typename Crs::non_const_size_type;
  using RowMap  = typename Crs::row_map_type::non_const_type;
  using Entries = typename Crs::index_type::non_const_type;
  using Values  = typename Crs::values_type::non_const_type;
  using Target  = SpgemmTarget<Scalar, Ordinal, Offset>;

  std::int64_t rows() const { return static_cast<std::int64_t>(m_rows); }
  std::int64_t columns() const { return static_cast<std::int64_t>(m_columns); }
  std::int64_t nonzeros() const { return m_nonzeros; }
  Offset* row_map() const { return m_row_map.data(); }
  typename Crs::row_map_type row_map_view() const { return m_row_map; }
  std::size_t bytes() const { return bytes_of(m_row_map); }

  void set_extents(Ordinal rows, Ordinal columns) {
    m_rows    = rows;
    m_columns = columns;
  }
  void set_nonzeros(std::int64_t nonzeros) { m_nonzeros = nonzeros; }

  template <class ExecutionSpace>
  void allocate_row_map(const ExecutionSpace& exec) {
    m_row_map = allocate_result<RowMap>("SpgemmPlan", exec, "Lacuna::spgemm::row_map", rows() + 1);
  }
  /// C of a call, its row map too, which is not filled.
  template <class ExecutionSpace, class Space>
  void make(const ExecutionSpace& exec, const SpgemmCall<Space>& call) {
    m_of_call.emplace();
    m_of_call->make(exec, call, rows(), m_nonzeros);
    m_row_map = m_of_call->row_map;
  }

  /// A matrix for C. Values are not initialised, nor columns that are its own.
  template <class ExecutionSpace>
  Crs allocate(const ExecutionSpace& exec, const Entries* kept) const {
    constexpr auto where = "SpgemmPlan::allocate";
    const auto entries =
        kept != nullptr ? *kept : allocate_result<Entries>(where, exec, "Lacuna::spgemm::entries", m_nonzeros);
    const auto values = allocate_result<Values>(where, exec, "Lacuna::spgemm::values", m_nonzeros);
    if (kept == nullptr) advise_huge_pages(entries);
    advise_huge_pages(values);
    return crs(values, entries);
  }
  /// C of the call, once; else a new one.
  template <class ExecutionSpace>
  Crs take(const ExecutionSpace& exec, const Entries* kept) {
    if (!m_of_call) return allocate(exec, kept);
    const auto of_call = *std::exchange(m_of_call, std::nullopt);
    return crs(of_call.values, of_call.entries);
  }

  /// \throws DimensionMismatch, InvalidArgument where C is not from this plan.
  void check(const Crs& C, const Entries* kept) const {
    if (static_cast<std::int64_t>(C.numRows()) != rows() || static_cast<std::int64_t>(C.numCols()) != columns())
      raise<DimensionMismatch>("spgemm", "C is ", shape_text(C.numRows(), C.numCols()), ", the plan's product is ",
                               shape_text(rows(), columns()));
    if (C.graph.row_map.data() != m_row_map.data() || static_cast<std::int64_t>(C.values.extent(0)) != m_nonzeros ||
        static_cast<std::int64_t>(C.graph.entries.extent(0)) != m_nonzeros ||
        (kept != nullptr && C.graph.entries.data() != kept->data()))
      raise<InvalidArgument>("spgemm", "C, with ", C.values.extent(0),
                             " nonzeros, was not allocated by this plan, whose product has ", m_nonzeros,
                             ": use SpgemmPlan::allocate");
  }
  /// \throws InvalidArgument where X, which `what` names, has memory of C that a product writes.
  void check_apart(const char* what, const Matrix& X, const Crs& C, const Entries* kept) const {
    const auto apart_from = [&](const auto& written) {
      return !share_bytes(written, X.values) && !share_bytes(written, X.graph.entries) &&
             !share_bytes(written, X.graph.row_map);
    };
    if (!apart_from(C.values) || (kept == nullptr && !apart_from(C.graph.entries)))
      raise<InvalidArgument>("spgemm", "C, ", shape_text(rows(), columns()), " with ", m_nonzeros,
                             " nonzeros, shares memory with ", what, ", ", shape_text(X.numRows(), X.numCols()),
                             " with ", X.values.extent(0), " nonzeros");
  }
  /// All of a call. \throws DimensionMismatch, InvalidArgument.
  void check(const Matrix& A, const Matrix& B, const Crs& C, const Entries* kept) const {
    check(C, kept);
    check_apart("A", A, C, kept);
    check_apart("B", B, C, kept);
  }
  /// Where kernels write C.
  Target target(const Crs& C) const { return {m_row_map.data(), C.graph.entries.data(), C.values.data(), nullptr}; }

 private:
  Crs crs(const Values& values, const Entries& entries) const {
    return Crs("C", m_rows, m_columns, static_cast<Offset>(m_nonzeros), values, m_row_map, entries);
  }

  Ordinal m_rows          = 0;
  Ordinal m_columns       = 0;
  std::int64_t m_nonzeros = 0;
  RowMap m_row_map;
  std::optional<SpgemmCallResult<Matrix>> m_of_call;
};

}  // namespace lacuna::Impl

#endif

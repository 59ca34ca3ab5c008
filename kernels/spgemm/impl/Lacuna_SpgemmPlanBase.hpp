// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPLANBASE_HPP
#define LACUNA_SPGEMMPLANBASE_HPP

#include <Lacuna_SpgemmOptions.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/choice/Lacuna_SetupClock.hpp>
#include <core/impl/matrix/Lacuna_Operand.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmConcatenation.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmMaskRows.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmCall.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmExtents.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperation.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmProductMap.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace lacuna::Impl {

/// What a plan of SpGEMM holds, how it is made, and what it tells of itself. `masked`: C has the places of a mask.
template <CrsMatrixType Matrix, class ExecutionSpace, bool masked>
class SpgemmPlanBase {
 public:
  using matrix_type     = Matrix;
  using execution_space = ExecutionSpace;
  using result_type     = OwningCrs<Matrix>;  ///< of C
  using value_type      = typename Matrix::non_const_value_type;
  using ordinal_type    = typename Matrix::non_const_ordinal_type;
  using size_type       = typename Matrix::non_const_size_type;

  SpgemmPlanBase(SpgemmPlanBase&&)                 = default;
  SpgemmPlanBase& operator=(SpgemmPlanBase&&)      = default;
  SpgemmPlanBase(const SpgemmPlanBase&)            = delete;
  SpgemmPlanBase& operator=(const SpgemmPlanBase&) = delete;

  /// Of C.
  std::int64_t rows() const { return static_cast<std::int64_t>(m_rows); }
  std::int64_t columns() const { return static_cast<std::int64_t>(m_columns); }
  std::int64_t nonzeros() const { return m_nonzeros; }
  /// Multiplications that the product takes.
  std::int64_t products() const {
    return std::visit([](const auto& storage) { return storage.products(); }, m_storage);
  }

  Op op_a() const { return m_options.op_a; }
  Op op_b() const { return m_options.op_b; }
  /// What runs; never `automatic`.
  SpgemmAlgorithm algorithm() const {
    return std::visit([](const auto& storage) { return storage.id; }, m_storage);
  }
  double setup_seconds() const { return m_clock.seconds(); }
  /// Bytes that the plan keeps, the row map of C among them, less those that products write to.
  std::size_t persistent_bytes() const {
    return m_a.bytes() + m_b.bytes() + m_mask.bytes() + m_concatenated.bytes() + bytes_of(m_row_map) +
           m_product_map.bytes() + std::visit([](const auto& storage) { return storage.bytes(); }, m_storage);
  }
  /// Bytes of the plan that products write to. Products allocate nothing.
  std::size_t temporary_bytes() const {
    return std::visit([](const auto& storage) { return storage.temporary_bytes(); }, m_storage);
  }

  /// \brief What was asked for, what runs, rows by class, bytes, set-up.
  std::string report() const;

 protected:
  /// What op(A) and op(B) cost beside the product.
  std::string transposes_text() const;

  using Arrays     = CrsArraysOf<Matrix>;
  using Target     = SpgemmTarget<value_type, ordinal_type, size_type>;
  using RowMap     = typename result_type::row_map_type::non_const_type;
  using Mask       = decltype(SpgemmHeldMask<Matrix, masked>().rows());
  using RowClasses = typename SpgemmStorages<Matrix, ExecutionSpace, Mask>::RowClasses;
  using Storage    = typename SpgemmStorages<Matrix, ExecutionSpace, Mask>::type;
  using Call       = SpgemmCall<typename ExecutionSpace::memory_space>;

  /// `call`: the plan serves that alone, and lives no longer.
  SpgemmPlanBase(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const Matrix* D,
                 [[maybe_unused]] const SpgemmMask<Matrix>* mask, const SpgemmOptions& options, Call* call = nullptr)
      : m_options(options), m_budget("SpgemmPlan", options.memory_limit), m_given_a(A), m_given_b(B) {
    const Kokkos::Profiling::ScopedRegion region("Lacuna::SpgemmPlan");
    check_spgemm("SpgemmPlan", options.op_a, A, options.op_b, B);
    if (options.expected_calls < 0) raise<InvalidArgument>("SpgemmPlan", "expected_calls is ", options.expected_calls);
    const std::int64_t rows    = options.op_a == Op::none ? A.numRows() : A.numCols();
    const std::int64_t columns = options.op_b == Op::none ? B.numCols() : B.numRows();
    if (D != nullptr && (D->numRows() != rows || D->numCols() != columns))
      raise<DimensionMismatch>("SpgemmPlan", "D is ", shape_text(D->numRows(), D->numCols()), ", the product is ",
                               shape_text(rows, columns));
    if constexpr (masked) {
      const Matrix& M = mask->matrix;
      if (M.numRows() != rows || M.numCols() != columns)
        raise<DimensionMismatch>("SpgemmPlan", "the mask is ", shape_text(M.numRows(), M.numCols()),
                                 ", the product is ", shape_text(rows, columns));
      m_mask.make(exec, *mask, m_budget);
    }
    // A limit is kept by who allocates.
    if (!uses_call_memory(options) || D != nullptr) call = nullptr;
    if (call != nullptr && call->arena.bytes() == 0)
      call->arena = Arena<typename ExecutionSpace::memory_space>("spgemm", exec, "Lacuna::spgemm::call",
                                                                 lent_bytes(A, B, options));
    const auto lent = call != nullptr ? &call->arena : nullptr;
    auto a          = m_a.make(exec, A, options.op_a, m_budget.left(), lent);
    m_budget.take("op(A)", m_a.bytes());
    auto b = m_b.make(exec, B, options.op_b, m_budget.left(), lent);
    m_budget.take("op(B)", m_b.bytes());
    m_rows    = a.rows;
    m_columns = b.columns;
    if (D != nullptr) {
      m_given_d.emplace(*D);
      const auto d = arrays_of(*D);
      m_concatenated.make(exec, a, b, d, m_budget);
      m_concatenated.fill(exec, value_type(1), a, b, value_type(1), d);
      a = m_concatenated.a();
      b = m_concatenated.b();
    }
    build(exec, a, b, call);
    if (call == nullptr) m_clock.stop(exec, "Lacuna: set-up of a plan done");
  }

 public:
  /// \brief Whether a call with these options works in memory that it allocates at once (see SpgemmCall).
  static bool uses_call_memory(const SpgemmOptions& options) {
    return RowClasses::writes_row_map_later && options.algorithm != SpgemmAlgorithm::bins &&
           options.memory_limit == unlimited && !options.keep_products;
  }
  /// \brief Bytes of that: rows and nonzeros of op(A), then of op(B).
  static std::size_t lent_bytes(std::int64_t rows, std::int64_t nonzeros_a, std::int64_t rows_b,
                                std::int64_t nonzeros_b) {
    if constexpr (RowClasses::writes_row_map_later)
      return RowClasses::lent_bytes(rows, nonzeros_a, rows_b, nonzeros_b);
    else
      return 0;
  }

 protected:
  static std::size_t lent_bytes(const Matrix& A, const Matrix& B, const SpgemmOptions& options) {
    const bool by_columns = options.op_a != Op::none, b_by_columns = options.op_b != Op::none;
    return lent_bytes(static_cast<std::int64_t>(by_columns ? A.numCols() : A.numRows()),
                      static_cast<std::int64_t>(A.graph.entries.extent(0)),
                      static_cast<std::int64_t>(b_by_columns ? B.numCols() : B.numRows()),
                      static_cast<std::int64_t>(B.graph.entries.extent(0))) +
           (by_columns ? lent_to_transpose<ExecutionSpace>(A) : 0) +
           (b_by_columns ? lent_to_transpose<ExecutionSpace>(B) : 0) +
           Arena<typename ExecutionSpace::memory_space>::alignment;
  }

  void check_result(const result_type& C) const;

  /// What `SpgemmPlan::allocate` and `take_result` return.
  result_type new_result(const ExecutionSpace& exec) const;
  result_type result_of_call(const ExecutionSpace& exec);

  /// C of operands that the plan was made for.
  template <class Operands>
  void compute(const ExecutionSpace& exec, const Operands& operands, const Target& target, bool values_of_plan) const {
    if (m_product_map)
      m_product_map.multiply(exec, operands, target.values);
    else
      std::visit([&](const auto& storage) { storage.multiply(exec, operands, target, values_of_plan); }, m_storage);
  }

  SpgemmOptions m_options;
  MemoryBudget m_budget;
  SetupClock m_clock;
  SpgemmExtents m_given_a, m_given_b;
  std::optional<SpgemmExtents> m_given_d;
  TransposedMatrix<Matrix> m_a, m_b;
  SpgemmConcatenation<Arrays, typename ExecutionSpace::memory_space> m_concatenated;
  SpgemmHeldMask<Matrix, masked> m_mask;
  ordinal_type m_rows     = 0;
  ordinal_type m_columns  = 0;
  std::int64_t m_nonzeros = 0;
  RowMap m_row_map;
  Storage m_storage;
  SpgemmProductMap<Matrix, ExecutionSpace> m_product_map;
  std::optional<SpgemmCallResult<Matrix>> m_result;  ///< C of the call that the plan is made for

 private:
  void build(const ExecutionSpace& exec, const Arrays& a, const Arrays& b, Call* call);
  /// C, with its row map.
  void make_result(const ExecutionSpace& exec, const Call& call);
};

}  // namespace lacuna::Impl

#endif

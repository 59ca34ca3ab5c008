// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPLAN_HPP
#define LACUNA_SPGEMMPLAN_HPP

#include <Lacuna_SpgemmOptions.hpp>
#include <core/impl/Lacuna_MemoryBudget.hpp>
#include <core/impl/Lacuna_Operand.hpp>
#include <core/impl/Lacuna_ReportText.hpp>
#include <core/impl/Lacuna_SetupClock.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperation.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmAddWithin.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmConcatenation.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lacuna {

/// \brief What is known of C = op(A) op(B) before values are looked at: its row map, and how each of its rows is added.
///
/// Made on `exec`; its constructor waits for counts, calls of `spgemm` do not wait. Move-only; it holds no execution
/// space. It keeps no values: A and B are given to every call, with the pattern that they had when the plan was made.
/// Extents and numbers of nonzeros are compared; other columns than those of the plan are not noticed, and undefined.
/// Kernels write to workspaces in the plan: it must not run on two instances at once.
///
/// A and B may be rectangular, and have empty rows, rows that are not sorted, and entries that occur more than once
/// (`bins` wants the rows of B sorted, without duplicates). Rows of C are sorted, without duplicates; values that
/// cancel to zero stay as entries.
/// Deterministic from run to run where `deterministic` was asked for (see SpgemmOptions), and on hosts.
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`, the type of A, B and (without const) of C
template <Impl::CrsMatrixType Matrix, class ExecutionSpace = typename Matrix::execution_space>
class SpgemmPlan {
  static_assert(Impl::is_accessible<ExecutionSpace, typename Matrix::values_type>,
                "lacuna::SpgemmPlan: A and B must be accessible from the execution space");

 public:
  using matrix_type     = Matrix;
  using execution_space = ExecutionSpace;
  using result_type     = Impl::OwningCrs<Matrix>;  ///< of C
  using value_type      = typename Matrix::non_const_value_type;
  using ordinal_type    = typename Matrix::non_const_ordinal_type;
  using size_type       = typename Matrix::non_const_size_type;

  /// \throws DimensionMismatch where columns of op(A) are not rows of op(B); NotSupported where the nonzeros of C do
  /// not fit `size_type`; InvalidMatrix where `bins` is asked for and rows of op(B) are not sorted; OutOfMemory where
  /// `memory_limit` does not suffice; InvalidArgument for options out of range.
  SpgemmPlan(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const SpgemmOptions& options = {})
      : SpgemmPlan(exec, A, B, static_cast<const Matrix*>(nullptr), options) {}

  /// \brief A plan for C = alpha op(A) op(B) + beta D: C has the pattern of the product and of D together. Keeps copies
  /// of A, B and D beside each other. \throws as above, and DimensionMismatch where D is not of the product's shape.
  SpgemmPlan(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const Matrix& D,
             const SpgemmOptions& options = {})
      : SpgemmPlan(exec, A, B, &D, options) {}

  /// \brief The same on the default instance, fenced before and after.
  SpgemmPlan(const Matrix& A, const Matrix& B, const SpgemmOptions& options = {})
      : SpgemmPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpgemmPlan: before"), A, B, options) {}

  SpgemmPlan(const Matrix& A, const Matrix& B, const Matrix& D, const SpgemmOptions& options = {})
      : SpgemmPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpgemmPlan: before"), A, B, D, options) {}

  SpgemmPlan(SpgemmPlan&&)                 = default;
  SpgemmPlan& operator=(SpgemmPlan&&)      = default;
  SpgemmPlan(const SpgemmPlan&)            = delete;
  SpgemmPlan& operator=(const SpgemmPlan&) = delete;

  /// \brief A matrix that `spgemm` can write C to: its row map is that of the plan, shared with all that the plan
  /// allocates; its columns and values are its own, and not initialised. Does not fence. \throws OutOfMemory.
  result_type allocate(const ExecutionSpace& exec) const {
    using Entries      = typename result_type::index_type::non_const_type;
    using Values       = typename result_type::values_type::non_const_type;
    const auto entries = Impl::allocate<Entries>("SpgemmPlan::allocate", exec, "Lacuna::spgemm::entries", m_nonzeros);
    const auto values  = Impl::allocate<Values>("SpgemmPlan::allocate", exec, "Lacuna::spgemm::values", m_nonzeros);
    return result_type("C", m_rows, m_columns, static_cast<size_type>(m_nonzeros), values, m_row_map, entries);
  }
  /// \brief The same on the default instance, fenced before and after.
  result_type allocate() const {
    return Impl::with_default_instance<ExecutionSpace>("SpgemmPlan::allocate",
                                                       [&](const ExecutionSpace& exec) { return allocate(exec); });
  }

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
    return m_a.bytes() + m_b.bytes() + m_concatenated.bytes() + Impl::bytes_of(m_row_map) +
           std::visit([](const auto& storage) { return storage.bytes(); }, m_storage);
  }
  /// Bytes of the plan that products write to. Products allocate nothing.
  std::size_t temporary_bytes() const {
    return std::visit([](const auto& storage) { return storage.temporary_bytes(); }, m_storage);
  }

  /// \brief What was asked for, what runs, rows by class, bytes, set-up.
  std::string report() const {
    const double compression = m_nonzeros > 0 ? static_cast<double>(products()) / static_cast<double>(m_nonzeros) : 0;
    return "lacuna::SpgemmPlan of a " + Impl::shape_text(rows(), columns()) + " product with " +
           std::to_string(m_nonzeros) + " nonzeros of " + std::to_string(products()) + " products (" +
           Impl::number_text(compression) + " each), op " + std::string(name(m_options.op_a)) + " and " +
           std::string(name(m_options.op_b)) + "\n  algorithm   " + std::string(name(algorithm())) + ": " +
           (m_options.algorithm == SpgemmAlgorithm::automatic ? "serves every matrix" : "asked for") + "\n" +
           std::visit([](const auto& storage) { return storage.describe(); }, m_storage) + "  storage     " +
           Impl::bytes_text(static_cast<double>(persistent_bytes())) + " beside A, B and C, workspace " +
           Impl::bytes_text(static_cast<double>(temporary_bytes())) + "\n" + Impl::set_up_text(setup_seconds(), 0);
  }

  /// \brief C = alpha op(A) op(B); `spgemm` is the way to call it. `values_of_plan`: alpha is 1, and A and B are those
  /// that the plan was just made with.
  void apply(const ExecutionSpace& exec, const value_type& alpha, const Matrix& A, const Matrix& B,
             const result_type& C, bool values_of_plan = false) const {
    if (m_given_d)
      Impl::raise<InvalidArgument>("spgemm", "the plan was made for alpha A B + beta D: beta and D are missing");
    check_of_plan("A", A, m_given_a);
    check_of_plan("B", B, m_given_b);
    check_result(C);
    const Kokkos::Profiling::ScopedRegion region("Lacuna::spgemm[" + std::string(name(algorithm())) + ",full]");
    if (m_nonzeros == 0) return;
    const Impl::SpgemmOperands<Arrays> operands{m_a.update_values(exec, A), m_b.update_values(exec, B), alpha};
    const Target target{m_row_map.data(), C.graph.entries.data(), C.values.data(), nullptr};
    std::visit([&](const auto& storage) { storage.multiply(exec, operands, target, values_of_plan); }, m_storage);
    if (alpha == value_type(0)) Kokkos::deep_copy(exec, C.values, value_type(0));
  }

  /// \brief C = alpha op(A) op(B) + beta D; `spgemm` is the way to call it.
  void apply(const ExecutionSpace& exec, const value_type& alpha, const Matrix& A, const Matrix& B,
             const value_type& beta, const Matrix& D, const result_type& C) const {
    if (!m_given_d) return apply_within(exec, alpha, A, B, beta, D, C);
    check_of_plan("A", A, m_given_a);
    check_of_plan("B", B, m_given_b);
    check_of_plan("D", D, *m_given_d);
    check_result(C);
    const Kokkos::Profiling::ScopedRegion region("Lacuna::spgemm[" + std::string(name(algorithm())) + ",full]");
    if (m_nonzeros == 0) return;
    m_concatenated.fill(exec, alpha, m_a.update_values(exec, A), m_b.update_values(exec, B), beta, Impl::arrays_of(D));
    const Impl::SpgemmOperands<Arrays> operands{m_concatenated.a(), m_concatenated.b(), value_type(1)};
    const Target target{m_row_map.data(), C.graph.entries.data(), C.values.data(), nullptr};
    std::visit([&](const auto& storage) { storage.multiply(exec, operands, target, false); }, m_storage);
  }

 private:
  using Arrays  = Impl::CrsArraysOf<Matrix>;
  using Target  = Impl::SpgemmTarget<value_type, ordinal_type, size_type>;
  using RowMap  = typename result_type::row_map_type::non_const_type;
  using Storage = typename Impl::SpgemmStorages<Matrix, ExecutionSpace>::type;

  /// The same by a plan that was made without D, which must lie within the pattern of the product.
  void apply_within(const ExecutionSpace& exec, const value_type& alpha, const Matrix& A, const Matrix& B,
                    const value_type& beta, const Matrix& D, const result_type& C) const {
    if (D.numRows() != m_rows || D.numCols() != m_columns)
      Impl::raise<DimensionMismatch>("spgemm", "D is ", Impl::shape_text(D.numRows(), D.numCols()), ", the product is ",
                                     Impl::shape_text(rows(), columns()));
    const auto d = Impl::arrays_of(D);
    if (beta != value_type(0) && d.nonzeros > 0 && d.values == C.values.data())
      Impl::raise<InvalidArgument>("spgemm", "C and D share memory");
    apply(exec, alpha, A, B, C);
    if (beta == value_type(0)) return;
    const Target target{m_row_map.data(), C.graph.entries.data(), C.values.data(), nullptr};
    const std::int64_t outside = Impl::spgemm_add_within(exec, beta, d, target);
    if (outside > 0)
      Impl::raise<InvalidArgument>("spgemm", outside, " of the ", d.nonzeros,
                                   " nonzeros of D have no place in C, which has the rest: a plan made with D, "
                                   "SpgemmPlan(exec, A, B, D, options), has places for all");
  }

  /// What is remembered of A and B.
  struct Extents {
    explicit Extents(const Matrix& matrix)
        : rows(static_cast<std::int64_t>(matrix.numRows())),
          columns(static_cast<std::int64_t>(matrix.numCols())),
          nonzeros(static_cast<std::int64_t>(matrix.graph.entries.extent(0))) {}
    std::int64_t rows, columns, nonzeros;
  };

  SpgemmPlan(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const Matrix* D,
             const SpgemmOptions& options)
      : m_options(options), m_budget("SpgemmPlan", options.memory_limit), m_given_a(A), m_given_b(B) {
    const Kokkos::Profiling::ScopedRegion region("Lacuna::SpgemmPlan");
    Impl::check_spgemm("SpgemmPlan", options.op_a, A, options.op_b, B);
    if (options.expected_calls < 0)
      Impl::raise<InvalidArgument>("SpgemmPlan", "expected_calls is ", options.expected_calls);
    const std::int64_t rows    = options.op_a == Op::none ? A.numRows() : A.numCols();
    const std::int64_t columns = options.op_b == Op::none ? B.numCols() : B.numRows();
    if (D != nullptr && (D->numRows() != rows || D->numCols() != columns))
      Impl::raise<DimensionMismatch>("SpgemmPlan", "D is ", Impl::shape_text(D->numRows(), D->numCols()),
                                     ", the product is ", Impl::shape_text(rows, columns));
    auto a = m_a.make(exec, A, options.op_a, m_budget.left());
    m_budget.take("op(A)", m_a.bytes());
    auto b = m_b.make(exec, B, options.op_b, m_budget.left());
    m_budget.take("op(B)", m_b.bytes());
    m_rows    = a.rows;
    m_columns = b.columns;
    if (D != nullptr) {
      m_given_d.emplace(*D);
      const auto d = Impl::arrays_of(*D);
      m_concatenated.make(exec, a, b, d, m_budget);
      m_concatenated.fill(exec, value_type(1), a, b, value_type(1), d);
      a = m_concatenated.a();
      b = m_concatenated.b();
    }
    build(exec, a, b);
    m_clock.stop(exec, "Lacuna: set-up of a plan done");
  }

  void build(const ExecutionSpace& exec, const Arrays& a, const Arrays& b) {
    const auto rows = static_cast<std::int64_t>(a.rows);
    m_budget.take("the row map of C", static_cast<std::size_t>(rows + 1) * sizeof(size_type));
    m_row_map = Impl::allocate<RowMap>("SpgemmPlan", exec, "Lacuna::spgemm::row_map", rows + 1);
    if (m_options.algorithm == SpgemmAlgorithm::bins) m_storage.template emplace<1>();
    const Impl::SpgemmContext<Matrix, ExecutionSpace> context{exec, a, b, m_options.deterministic, m_budget};
    m_nonzeros = std::visit([&](auto& storage) { return storage.build(context, m_row_map.data()); }, m_storage);
    Impl::check_growth<size_type>(rows, static_cast<std::int64_t>(b.columns), m_nonzeros);
  }

  static void check_of_plan(const char* what, const Matrix& matrix, const Extents& expected) {
    const Extents given(matrix);
    if (given.rows != expected.rows || given.columns != expected.columns)
      Impl::raise<DimensionMismatch>("spgemm", what, " is ", Impl::shape_text(given.rows, given.columns),
                                     ", the plan was made for ", Impl::shape_text(expected.rows, expected.columns));
    if (given.nonzeros != expected.nonzeros || static_cast<std::int64_t>(matrix.values.extent(0)) != expected.nonzeros)
      Impl::raise<InvalidArgument>("spgemm", what, " has ", given.nonzeros, " nonzeros and ", matrix.values.extent(0),
                                   " values, the plan was made for ", expected.nonzeros);
  }
  void check_result(const result_type& C) const {
    if (static_cast<std::int64_t>(C.numRows()) != rows() || static_cast<std::int64_t>(C.numCols()) != columns())
      Impl::raise<DimensionMismatch>("spgemm", "C is ", Impl::shape_text(C.numRows(), C.numCols()),
                                     ", the plan's product is ", Impl::shape_text(rows(), columns()));
    if (C.graph.row_map.data() != m_row_map.data() || static_cast<std::int64_t>(C.values.extent(0)) != m_nonzeros ||
        static_cast<std::int64_t>(C.graph.entries.extent(0)) != m_nonzeros)
      Impl::raise<InvalidArgument>("spgemm", "C, with ", C.values.extent(0),
                                   " nonzeros, was not allocated by this plan, whose product has ", m_nonzeros,
                                   ": use SpgemmPlan::allocate");
  }

  SpgemmOptions m_options;
  Impl::MemoryBudget m_budget;
  Impl::SetupClock m_clock;
  Extents m_given_a, m_given_b;
  std::optional<Extents> m_given_d;
  Impl::TransposedMatrix<Matrix> m_a, m_b;
  Impl::SpgemmConcatenation<Arrays, typename ExecutionSpace::memory_space> m_concatenated;
  ordinal_type m_rows     = 0;
  ordinal_type m_columns  = 0;
  std::int64_t m_nonzeros = 0;
  RowMap m_row_map;
  Storage m_storage;
};

}  // namespace lacuna

#endif

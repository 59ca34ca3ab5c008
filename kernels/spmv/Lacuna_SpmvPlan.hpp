// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVPLAN_HPP
#define LACUNA_SPMVPLAN_HPP

#include <Lacuna_Convert.hpp>
#include <Lacuna_SpmvOptions.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Arguments.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Choice.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_NonzeroSplit.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_RowLanes.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Sell.hpp>

#include <string>
#include <utility>
#include <variant>

namespace lacuna {

/// \brief What was found out, chosen and stored for many products with one matrix.
///
/// Made on `exec`; its constructor fences, calls of `spmv` do not. Move-only. It holds no execution space and keeps the
/// Views of A alive. The pattern of A must not change. Values: algorithms that read A itself see new values at once;
/// those with storage of their own need `update_values` (calling it is right for all).
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`
template <Impl::CrsMatrixType Matrix, class ExecutionSpace = typename Matrix::execution_space>
class SpmvPlan {
 public:
  using matrix_type     = Matrix;
  using execution_space = ExecutionSpace;
  using value_type      = typename Matrix::non_const_value_type;

  /// \throws NotSupported for a precision other than `full` and for an algorithm that cannot serve A; InvalidArgument
  /// for options out of range; OutOfMemory where `memory_limit` does not suffice.
  SpmvPlan(const ExecutionSpace& exec, const Matrix& A, const SpmvOptions& options = {})
      : m_matrix(A), m_arrays(Impl::arrays_of(A)), m_options(options) {
    const Kokkos::Timer timer;
    check_options();
    choose(exec);
    build(exec);
    exec.fence("Lacuna::SpmvPlan: set-up done");
    m_setup_seconds = timer.seconds();
  }

  /// \brief The same on the default instance, fenced before and after.
  explicit SpmvPlan(const Matrix& A, const SpmvOptions& options = {}) : SpmvPlan(fenced_default(), A, options) {}

  SpmvPlan(SpmvPlan&&)                 = default;
  SpmvPlan& operator=(SpmvPlan&&)      = default;
  SpmvPlan(const SpmvPlan&)            = delete;
  SpmvPlan& operator=(const SpmvPlan&) = delete;

  /// Rows and columns of op(A).
  std::int64_t rows() const { return static_cast<std::int64_t>(m_arrays.rows); }
  std::int64_t columns() const { return static_cast<std::int64_t>(m_arrays.columns); }
  std::int64_t nonzeros() const { return static_cast<std::int64_t>(m_arrays.nonzeros); }

  Op op() const { return m_options.op; }
  /// What runs; never `automatic`.
  SpmvAlgorithm algorithm() const { return m_choice.algorithm; }
  /// Calls after which the set-up is paid back, by the byte model; 0 where there is none to pay back.
  std::int64_t break_even() const { return m_choice.break_even; }
  double setup_seconds() const { return m_setup_seconds; }
  /// Bytes that the plan keeps beside A.
  std::size_t persistent_bytes() const {
    return std::visit([](const auto& storage) { return bytes_of(storage); }, m_storage);
  }
  /// Bytes that a call allocates: none.
  std::size_t temporary_bytes() const { return 0; }
  std::string report() const;

  /// \brief Takes new values of the same pattern.
  /// \throws InvalidArgument where the pattern of `A` is another one (compared on the device).
  void update_values(const ExecutionSpace& exec, const Matrix& A);

  /// \brief y = alpha op(A) x + beta y for checked arguments; `spmv` is the way to call it.
  void apply(const ExecutionSpace& exec, const Impl::SpmvArguments<value_type>& arguments) const;

 private:
  using Arrays    = Impl::CrsArraysOf<Matrix>;
  using Memory    = typename Matrix::memory_space;
  using Partition = Impl::SpmvPartition<Arrays, typename ExecutionSpace::memory_space>;
  using Sell      = Impl::FormatOf<SellMatrix, Matrix>;
  using Storage   = std::variant<std::monostate, Partition, Sell>;

  static ExecutionSpace fenced_default() {
    const ExecutionSpace exec;
    exec.fence("Lacuna::SpmvPlan: before");
    return exec;
  }
  static std::size_t bytes_of(const std::monostate&) { return 0; }
  template <class Stored>
  static std::size_t bytes_of(const Stored& storage) {
    return storage.bytes();
  }
  Impl::SpmvShape shape() const { return {m_options.team_size, m_options.lanes_per_row}; }

  void check_options() const;
  void choose(const ExecutionSpace& exec);
  void build(const ExecutionSpace& exec);
  void build_slices(const ExecutionSpace& exec);

  Matrix m_matrix;
  Arrays m_arrays;
  SpmvOptions m_options;
  Impl::SpmvChoice m_choice;
  Impl::SpmvFacts m_facts;
  Storage m_storage;
  double m_setup_seconds = 0;
};

}  // namespace lacuna

#include <kernels/spmv/impl/Lacuna_SpmvPlan_Impl.hpp>

#endif

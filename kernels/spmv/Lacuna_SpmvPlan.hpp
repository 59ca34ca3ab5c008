// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVPLAN_HPP
#define LACUNA_SPMVPLAN_HPP

#include <Lacuna_Convert.hpp>
#include <Lacuna_SpmvOptions.hpp>
#include <core/impl/Lacuna_TransposedMatrix.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Arguments.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Choice.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Coo.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_NonzeroSplit.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_RowSplit.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Scan.hpp>

#include <string>
#include <utility>
#include <variant>

namespace lacuna {

/// \brief What was found out, chosen and stored for many products with one matrix.
///
/// Made on `exec`; its constructor fences, calls of `spmv` do not. Move-only. It holds no execution space and keeps the
/// Views of A alive. The pattern of A must not change. Values: algorithms that read A itself see new values at once;
/// those with storage of their own, and all with a transposed A, need `update_values` (calling it is right for all).
///
/// A transposed operation stores op(A) explicitly, with the place that every nonzero came from. Every algorithm adds in
/// an order that does not depend on scheduling: the same bits from run to run. scan_flat, scan_matrix, coo, hyb and,
/// for matrices with long rows, nonzero_split and row_split write to a workspace in the plan: such a plan must not run
/// on two instances at once (`shareable`).
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`
template <Impl::CrsMatrixType Matrix, class ExecutionSpace = typename Matrix::execution_space>
class SpmvPlan {
  static_assert(Impl::is_accessible<ExecutionSpace, typename Matrix::values_type>,
                "lacuna::SpmvPlan: A must be accessible from the execution space");

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
    m_arrays = m_transposed.make(exec, A, options.op, options.memory_limit);
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
  /// Whether two instances may use the plan at once.
  bool shareable() const;
  /// Bytes that the plan keeps beside A.
  std::size_t persistent_bytes() const;
  /// Bytes that a call allocates: none.
  std::size_t temporary_bytes() const { return 0; }
  std::string report() const;

  /// \brief Takes new values of the same pattern.
  /// \throws InvalidArgument where the pattern of `A` is another one (compared on the device); the plan is then as it
  /// was.
  void update_values(const ExecutionSpace& exec, const Matrix& A);

  /// \brief The same on the default instance, fenced before and after.
  void update_values(const Matrix& A) {
    const ExecutionSpace exec = fenced_default();
    update_values(exec, A);
    exec.fence("Lacuna::SpmvPlan: after new values");
  }

  /// \brief y = alpha op(A) x + beta y for checked arguments; `spmv` is the way to call it.
  void apply(const ExecutionSpace& exec, const Impl::SpmvArguments<value_type>& arguments) const;

 private:
  using Arrays    = Impl::CrsArraysOf<Matrix>;
  using Memory    = typename Matrix::memory_space;
  using Partition = Impl::SpmvPartition<Arrays, typename ExecutionSpace::memory_space>;
  using RowPlan   = Impl::SpmvRowPlan<Arrays, typename ExecutionSpace::memory_space>;
  using Sell      = Impl::FormatOf<SellMatrix, Matrix>;
  using SlicedDia = Impl::FormatOf<SlicedDiaMatrix, Matrix>;
  template <template <class, class, class, class> class Format>
  using FormatOf = Impl::FormatOf<Format, Matrix>;
  using Scan     = Impl::SpmvScanWorkspace<value_type, ExecutionSpace>;
  using CooWork  = Impl::SpmvCooWorkspace<value_type, typename Arrays::Ordinal, ExecutionSpace>;
  struct CooStorage {
    FormatOf<CooMatrix> matrix;
    CooWork workspace;
    std::size_t bytes() const { return matrix.bytes() + workspace.bytes(); }
  };
  struct HybStorage {
    FormatOf<HybMatrix> matrix;
    CooWork workspace;
    std::size_t bytes() const { return matrix.bytes() + workspace.bytes(); }
  };
  using Storage =
      std::variant<std::monostate, Partition, RowPlan, Scan, Sell, SlicedDia, FormatOf<PaddedRowsMatrix>,
                   FormatOf<RowBlockMatrix>, FormatOf<EllMatrix>, FormatOf<DiaMatrix>, CooStorage, HybStorage>;

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
  void build_sliced_dia(const ExecutionSpace& exec);
  std::size_t memory_left(std::size_t needed, const char* what) const;
  const typename Impl::OwningCrs<Matrix>& transposed() const { return m_transposed.matrix(); }

  Matrix m_matrix;
  Impl::TransposedMatrix<Matrix> m_transposed;
  Arrays m_arrays;  // of op(A)
  SpmvOptions m_options;
  Impl::SpmvChoice m_choice;
  Impl::SpmvFacts m_facts;
  Storage m_storage;
  double m_setup_seconds = 0;
};

}  // namespace lacuna

#include <kernels/spmv/impl/Lacuna_SpmvPlan_Impl.hpp>

#endif

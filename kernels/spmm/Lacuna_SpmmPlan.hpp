// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMPLAN_HPP
#define LACUNA_SPMMPLAN_HPP

#include <Lacuna_Convert.hpp>
#include <Lacuna_SpmmOptions.hpp>
#include <core/impl/Lacuna_TransposedMatrix.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_Arguments.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_BrickWork.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_Choice.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_HrpbWork.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_RowBlocks.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_RowPartition.hpp>

#include <optional>
#include <string>
#include <variant>

namespace lacuna {

/// \brief What was found out, chosen and stored for many products of one matrix with dense blocks.
///
/// Made on `exec`; its constructor fences, calls of `spmm` do not. Move-only. It holds no execution space and keeps the
/// Views of A alive. The pattern of A must not change. Values: row_split and row_blocks without a transpose read A
/// itself and see new values at once; everything else needs `update_values` (calling it is right for all).
///
/// A transposed operation stores op(A) explicitly, with the place that every nonzero came from. A plan is made for
/// `SpmmOptions::columns` and serves any number of them. Where B is column-major, or its rows are not aligned, and it
/// pays, a product first copies B to a workspace in the plan; the workspace is allocated with the plan where `columns`
/// tells that it will be needed, else by the first product that needs it. A plan that has a workspace or cuts long rows
/// must not run on two instances at once (`shareable`).
///
/// The same bits from run to run, except for hrpb where panels are cut and `SpmmOptions::deterministic` is not set.
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`, of half precision too
template <Impl::CrsMatrixType Matrix, class ExecutionSpace = typename Matrix::execution_space>
class SpmmPlan {
 public:
  using matrix_type     = Matrix;
  using execution_space = ExecutionSpace;
  using value_type      = typename Matrix::non_const_value_type;

  /// \throws NotSupported for a precision or an algorithm that this device or the scalar type of A does not have;
  /// InvalidArgument for options out of range; OutOfMemory where `memory_limit` does not suffice.
  SpmmPlan(const ExecutionSpace& exec, const Matrix& A, const SpmmOptions& options = {})
      : m_matrix(A), m_arrays(Impl::arrays_of(A)), m_options(options) {
    const Kokkos::Profiling::ScopedRegion region("Lacuna::SpmmPlan");
    const Kokkos::Timer timer;
    check_options(exec);
    m_arrays = m_transposed.make(exec, A, options.op, options.memory_limit);
    choose(exec);
    build(exec);
    exec.fence("Lacuna::SpmmPlan: set-up done");
    m_setup_seconds = timer.seconds();
  }

  /// \brief The same on the default instance, fenced before and after.
  explicit SpmmPlan(const Matrix& A, const SpmmOptions& options = {}) : SpmmPlan(fenced_default(), A, options) {}

  SpmmPlan(SpmmPlan&&)                 = default;
  SpmmPlan& operator=(SpmmPlan&&)      = default;
  SpmmPlan(const SpmmPlan&)            = delete;
  SpmmPlan& operator=(const SpmmPlan&) = delete;

  /// Rows and columns of op(A).
  std::int64_t rows() const { return static_cast<std::int64_t>(m_arrays.rows); }
  std::int64_t columns() const { return static_cast<std::int64_t>(m_arrays.columns); }
  std::int64_t nonzeros() const { return static_cast<std::int64_t>(m_arrays.nonzeros); }

  Op op() const { return m_options.op; }
  /// What runs; never `automatic`.
  SpmmAlgorithm algorithm() const { return m_choice.algorithm; }
  /// What runs: `full` where no matrix engine is used, whatever was asked for.
  Precision precision() const { return uses_engine() ? m_options.precision : Precision::full; }
  /// Calls after which the set-up is paid back, by the model of the choice; 0 where there is none to pay back.
  std::int64_t break_even() const { return m_choice.break_even; }
  double setup_seconds() const { return m_setup_seconds; }
  /// Whether two instances may use the plan at once.
  bool shareable() const;
  /// Bytes that the plan keeps beside A, less the workspace.
  std::size_t persistent_bytes() const;
  /// Bytes of the workspace for B that the plan holds by now.
  std::size_t temporary_bytes() const { return m_workspace.extent(0) * sizeof(value_type); }
  std::string report() const;

  /// \brief Takes new values of the same pattern.
  /// \throws InvalidArgument where the pattern of `A` is another one (compared on the device).
  void update_values(const ExecutionSpace& exec, const Matrix& A);

  /// \brief C = alpha op(A) B + beta C for checked arguments; `spmm` is the way to call it.
  template <class Output>
  void apply(const ExecutionSpace& exec, const Impl::SpmmArguments<value_type, Output>& arguments) const;

 private:
  using Arrays     = Impl::CrsArraysOf<Matrix>;
  using Memory     = typename ExecutionSpace::memory_space;
  using Partition  = Impl::SpmmRowPartition<Arrays, Memory>;
  using SortedRows = Impl::SpmmRowsByLength<typename Arrays::Ordinal, Memory>;
  using RowBlocks  = Impl::SpmmRowBlockList<Arrays, Memory>;
  using Workspace  = Kokkos::View<value_type*, Memory>;
  using Bricks     = Impl::FormatOf<BrickMatrix, Matrix>;
  struct BrickStorage {
    Bricks matrix;
    Impl::BrickWork<value_type, typename Arrays::Ordinal, typename Arrays::Offset, Memory> work;
    std::size_t bytes() const { return matrix.bytes() + work.bytes(); }
  };
  using Hrpb = Impl::FormatOf<HrpbMatrix, Matrix>;
  struct HrpbStorage {
    Hrpb matrix;
    Impl::HrpbWork<value_type, typename Arrays::Offset, Memory> work;
    std::size_t bytes() const { return matrix.bytes() + work.bytes(); }
  };
  using Storage = std::variant<std::monostate, Partition, SortedRows, RowBlocks, BrickStorage, HrpbStorage>;
  /// What was found out of equal rows, while the plan is made.
  struct RowRuns {
    Impl::SpmmRowMarks<Memory> marks;
    Impl::SpmmRowBlockStatistics statistics;
  };

  static constexpr bool is_gpu = ExecutionTraits<ExecutionSpace>::is_gpu;
  /// Whether matrix engines take the scalar type. Hosts emulate them.
  static constexpr bool fits_engine = std::is_same_v<value_type, float> || std::is_same_v<value_type, double>;

  /// Whether row_blocks takes the scalar type: sums of all rows of a block fit into registers.
  static constexpr bool fits_blocks = sizeof(value_type) >= sizeof(float);

  static ExecutionSpace fenced_default() {
    const ExecutionSpace exec;
    exec.fence("Lacuna::SpmmPlan: before");
    return exec;
  }

  bool uses_engine() const {
    return m_choice.algorithm == SpmmAlgorithm::bricks || m_choice.algorithm == SpmmAlgorithm::hrpb;
  }
  void check_options(const ExecutionSpace& exec) const;
  void choose(const ExecutionSpace& exec);
  void hope_for_another_order();
  void count_bricks(const ExecutionSpace& exec);
  void look_for_row_blocks(const ExecutionSpace& exec);
  RowRuns row_runs(const ExecutionSpace& exec) const;
  void build(const ExecutionSpace& exec);
  void build_rows(const ExecutionSpace& exec);
  void build_row_blocks(const ExecutionSpace& exec);
  void reserve_for_unaligned_rows(const ExecutionSpace& exec);
  void build_bricks(const ExecutionSpace& exec);
  template <class Crs>
  bool make_bricks(const ExecutionSpace& exec, const Crs& A, BrickStorage& storage);
  bool settle_choice(bool is_clustered);
  template <int PanelRows, class Crs>
  Impl::RowListOf<Matrix> panel_order(const ExecutionSpace& exec, const Crs& A);
  void build_hrpb(const ExecutionSpace& exec);
  template <class Stored>
  void check_memory_of(const Stored& storage) const;
  std::size_t memory_left() const;
  const typename Impl::OwningCrs<Matrix>& transposed() const { return m_transposed.matrix(); }
  template <class Output>
  bool repacking_helps(const Impl::SpmmArguments<value_type, Output>& arguments) const;
  template <class Output>
  bool must_repack(const Impl::SpmmArguments<value_type, Output>& arguments) const;
  bool reserve_workspace(const ExecutionSpace& exec, std::int64_t columns) const;
  std::int64_t workspace_panel() const;
  template <class Output>
  void multiply(const ExecutionSpace& exec, const Impl::SpmmArguments<value_type, Output>& arguments,
                bool padded) const;
  template <class Output>
  void multiply_rows(const ExecutionSpace& exec, const Impl::SpmmArguments<value_type, Output>& arguments,
                     bool padded) const;

  Matrix m_matrix;
  Impl::TransposedMatrix<Matrix> m_transposed;
  Arrays m_arrays;  // of op(A)
  SpmmOptions m_options;
  Impl::SpmmChoice m_choice;
  std::optional<Impl::SpmmChoice> m_natural_choice;  // where bricks would not pay if rows kept their order
  Impl::SpmmFacts m_facts;
  Impl::SpmmRowStatistics m_row_statistics;
  Impl::PanelColumnsOf<Matrix> m_counted;  // while the plan is made
  std::optional<RowRuns> m_runs;           // so too
  std::string m_pattern;                   // what the report says of it
  Storage m_storage;
  mutable Workspace m_workspace;
  double m_setup_seconds = 0;
};

}  // namespace lacuna

#include <kernels/spmm/impl/Lacuna_SpmmPlan_Impl.hpp>

#endif

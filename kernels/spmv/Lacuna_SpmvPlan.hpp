// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVPLAN_HPP
#define LACUNA_SPMVPLAN_HPP

#include <Lacuna_SpmvOptions.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <kernels/diagonal/block/Lacuna_FormatPlan.hpp>
#include <kernels/plan/Lacuna_CrsPlan.hpp>
#include <kernels/spmv/impl/Lacuna_SpmvOperation.hpp>
#include <kernels/spmv/shared/Lacuna_MakeSpmvArguments.hpp>

#include <string>
#include <variant>

/// \file
/// \brief A plan of y = alpha op(A) x + beta y for many products with one matrix.

namespace lacuna {

/// \brief The statistics, the choice of an algorithm and the storage for many products with one matrix.
///
/// The constructor runs on `exec` and fences; `spmv` with the plan does not. A plan can be moved but not copied. It
/// holds no execution space and keeps the Views of A alive. The pattern of A must not change (`check_pattern`). Some
/// algorithms read the values of A itself, so new values count at once (`reads_values_of_A`); the others, and every
/// plan with a transposed A, need `update_values`. It is right to call it always.
///
/// The same matrix, options and device always give the same choice: it depends on estimates, never on measured times. A
/// plan with a transposed op stores op(A) explicitly, with the origin of every nonzero. Every algorithm adds in an
/// order that does not depend on scheduling: products have the same bits from run to run.
///
/// Some algorithms write to a workspace in the plan: `scan_flat` and `scan_matrix` always; `coo`, `hyb`,
/// `nonzero_split` and `row_split` for large matrices or long rows. `shareable` is then false, and the plan must not
/// run on two instances at once.
///
/// Members that it shares with other plans (kernels/plan/Lacuna_PlanBase.hpp):
///   - `rows()`, `columns()`, `nonzeros()` and `op()`, of op(A);
///   - `algorithm()`, what runs; `report()`, a text that says why, and why not the others;
///   - `persistent_bytes()`, `temporary_bytes()`, what the plan holds and what products write to; `shareable()`;
///   - `setup_seconds()`, and `break_even()`, the number of products that pays for the set-up;
///   - `update_values(exec, A)`, for new values of the same pattern. It throws `InvalidArgument` for another pattern;
///   - `reads_values_of_A()`, whether new values in the arrays of A count without it.
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`, or an `HmMatrix` or `CdmMatrix` (below)
/// \tparam ExecutionSpace where products run; the default is that of `Matrix`
/// \tparam Operation holds the list of algorithms; tests have others
template <Impl::PlannedMatrixType Matrix, class ExecutionSpace = typename Matrix::execution_space,
          class Operation = Impl::SpmvOperation>
class SpmvPlan : public Impl::CrsPlan<Operation, Matrix, ExecutionSpace> {
  using Base = Impl::CrsPlan<Operation, Matrix, ExecutionSpace>;
  static_assert(Impl::is_accessible<ExecutionSpace, typename Matrix::values_type>,
                "lacuna::SpmvPlan: A must be accessible from the execution space");

 public:
  using value_type = typename Base::value_type;

  /// \brief Inspects A, chooses an algorithm and builds its storage.
  /// \param[in] exec all work goes to this instance. The constructor fences.
  /// \param[in] A a valid matrix, see `validate`. Rows may be in any order and entries may occur more than once, unless
  ///     the algorithm that is asked for says otherwise.
  /// \param[in] options op, algorithm, limits
  /// \throws NotSupported for a precision other than `full`, and for an algorithm that cannot serve A or the device
  /// \throws InvalidArgument for options out of range
  /// \throws OutOfMemory where `memory_limit` does not suffice
  SpmvPlan(const ExecutionSpace& exec, const Matrix& A, const SpmvOptions& options = {}) : Base(exec, A, options) {}

  /// \brief The same on the default instance, fenced before and after.
  explicit SpmvPlan(const Matrix& A, const SpmvOptions& options = {})
      : SpmvPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpmvPlan: before"), A, options) {}

  /// \brief Internal: `spmv` checks the arguments and calls this function.
  void apply(const ExecutionSpace& exec, const Impl::VectorArguments<value_type>& arguments) const;
};

// No inline function, so that `extern template` keeps its kernels to one file of a program.
template <Impl::PlannedMatrixType Matrix, class ExecutionSpace, class Operation>
void SpmvPlan<Matrix, ExecutionSpace, Operation>::apply(const ExecutionSpace& exec,
                                                        const Impl::VectorArguments<value_type>& arguments) const {
  const auto region = [&] { return "Lacuna::spmv[" + std::string(name(this->algorithm())) + ",full]"; };
  Impl::in_region("spmv", region, [&] {
    this->check_pattern(exec);
    if (Impl::spmv_without_product(exec, arguments, this->rows(), this->nonzeros())) return;
    std::visit([&](const auto& storage) { Impl::multiply_by(storage, exec, this->A().arrays(), arguments); },
               this->storage());
  });
}

/// \brief The plan of an `HmMatrix` or a `CdmMatrix`. It multiplies A as it is, op included, and stores nothing.
///
/// New values in the Views of A count at once. Products multiply every stored element: an element that is 0 gives NaN
/// for an Inf or NaN in x. In CDM such elements include those at the ends of a band's compact diagonals.
template <Impl::DiagonalMatrixType Format, class ExecutionSpace, class Operation>
class SpmvPlan<Format, ExecutionSpace, Operation> : public Impl::FormatPlan<Operation, Format, ExecutionSpace> {
  using Base = Impl::FormatPlan<Operation, Format, ExecutionSpace>;

 public:
  using value_type = typename Base::value_type;

  /// \brief Checks A and the options. `automatic` stands for `diagonals`.
  /// \throws NotSupported for a precision other than `full`, and for an algorithm other than `diagonals`
  /// \throws InvalidMatrix where the lists of A contradict its extents
  /// \throws InvalidArgument for options out of range
  SpmvPlan(const ExecutionSpace& exec, const Format& A, const SpmvOptions& options = {}) : Base(exec, A, options) {}
  /// \brief The same on the default instance, fenced before and after.
  explicit SpmvPlan(const Format& A, const SpmvOptions& options = {})
      : SpmvPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpmvPlan: before"), A, options) {}

  /// \brief Internal: `spmv` checks the arguments and calls this function.
  void apply(const ExecutionSpace& exec, const Impl::VectorArguments<value_type>& arguments) const {
    const auto region = [] { return std::string("Lacuna::spmv[diagonals,full]"); };
    Impl::in_region("spmv", region, [&] {
      if (Impl::spmv_without_product(exec, arguments, this->rows(), this->nonzeros())) return;
      Impl::diagonal_times_block(exec, "Lacuna::spmv::diagonals", this->walk(), Impl::NoExactRow{},
                                 Impl::as_block(arguments, this->rows(), this->columns()));
    });
  }
};

}  // namespace lacuna

#ifdef LACUNA_COMPILED_PLANS  // in a library that the program links (lacuna_add_plans)
#include <lacuna_plans/Spmv.hpp>
#endif

#endif

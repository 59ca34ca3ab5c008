// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMPLAN_HPP
#define LACUNA_SPMMPLAN_HPP

#include <Lacuna_SpmmOptions.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <kernels/diagonal/block/Lacuna_FormatPlan.hpp>
#include <kernels/plan/Lacuna_CrsPlan.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/spmm/impl/Lacuna_SpmmOperation.hpp>

#include <cstddef>
#include <string>
#include <variant>

/// \file
/// \brief A plan of C = alpha op(A) B + beta C for many products with one matrix.

namespace lacuna {

/// \brief The statistics, the choice of an algorithm and the storage for many products of one matrix with dense
/// matrices.
///
/// The constructor runs on `exec` and fences; `spmm` with the plan does not. A plan can be moved but not copied. It
/// holds no execution space and keeps the Views of A alive. The pattern of A must not change (`check_pattern`).
/// `row_split` and `row_blocks` without a transpose read the values of A itself, so new values count at once
/// (`reads_values_of_A`); everything else needs `update_values`. It is right to call it always.
///
/// The same matrix, options and device always give the same choice: it depends on estimates, never on measured times,
/// unless `SpmmOptions::autotune` asks for a search. A plan with a transposed op stores op(A) explicitly, with the
/// origin of every nonzero.
///
/// A plan is made for `SpmmOptions::columns` columns of B and serves any number. A product copies a B that is
/// column-major, or whose rows are not aligned, to a workspace in the plan where that is faster
/// (`SpmmOptions::b_layout`); a B that does not fit is copied and multiplied some columns at a time. Products allocate
/// nothing.
///
/// A plan that has a workspace, cuts long rows, or uses `dense` on a GPU must not run on two instances at once:
/// `shareable` is then false. The vendor's library behind `dense` keeps memory of its own for each plan, which
/// `SpmmOptions::memory_limit` does not count.
///
/// Products have the same bits from run to run, except those of `hrpb` by name where it cuts panels and
/// `SpmmOptions::deterministic` is not set.
///
/// Members that it shares with other plans (kernels/plan/Lacuna_PlanBase.hpp):
///   - `rows()`, `columns()`, `nonzeros()` and `op()`, of op(A);
///   - `algorithm()`, what runs; `report()`, a text that says why, and why not the others;
///   - `persistent_bytes()`, `temporary_bytes()`, what the plan holds and what products write to; `shareable()`;
///   - `setup_seconds()`, and `break_even()`, the number of products that pays for the set-up;
///   - `update_values(exec, A)`, for new values of the same pattern. It throws `InvalidArgument` for another pattern;
///   - `reads_values_of_A()`, whether new values in the arrays of A count without it.
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`, of half precision too, or an `HmMatrix` or `CdmMatrix` (below)
/// \tparam ExecutionSpace where products run; the default is that of `Matrix`
/// \tparam Operation the list of algorithms; leave the default (tests have other lists)
template <Impl::PlannedMatrixType Matrix, class ExecutionSpace = typename Matrix::execution_space,
          class Operation = Impl::SpmmOperation>
class SpmmPlan : public Impl::CrsPlan<Operation, Matrix, ExecutionSpace> {
  using Base = Impl::CrsPlan<Operation, Matrix, ExecutionSpace>;

 public:
  using value_type = typename Base::value_type;

  /// \brief Inspects A, chooses an algorithm and builds its storage.
  /// \param[in] exec all work goes to this instance. The constructor fences.
  /// \param[in] A a valid matrix, see `validate`. Rows may be in any order and entries may occur more than once.
  /// \param[in] options op, number of columns, algorithm, precision, limits
  /// \throws NotSupported for a precision or an algorithm that the device or the scalar type of A does not have
  /// \throws InvalidArgument for options out of range
  /// \throws OutOfMemory where `memory_limit` does not suffice
  SpmmPlan(const ExecutionSpace& exec, const Matrix& A, const SpmmOptions& options = {}) : Base(exec, A, options) {}

  /// \brief The same on the default instance, fenced before and after.
  explicit SpmmPlan(const Matrix& A, const SpmmOptions& options = {})
      : SpmmPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpmmPlan: before"), A, options) {}

  /// \brief The precision of products: `full` where the algorithm rounds nothing, whatever was asked for.
  Precision precision() const {
    bool rounds = false;
    Base::List::for_each([&]<class Algorithm>(std::size_t) {
      if (Algorithm::id == this->algorithm()) rounds = Algorithm::on_engine;
    });
    std::visit(
        [&](const auto& storage) {
          if constexpr (requires { storage.rounds(); }) rounds = storage.rounds();
        },
        this->storage());
    return rounds ? this->request().precision : Precision::full;
  }

  /// \brief Internal: `spmm` checks the arguments and calls this function.
  template <class Output>
  void apply(const ExecutionSpace& exec, const Impl::BlockArguments<value_type, Output>& arguments) const;
};

// No inline function, so that `extern template` keeps its kernels to one file of a program.
template <Impl::PlannedMatrixType Matrix, class ExecutionSpace, class Operation>
template <class Output>
void SpmmPlan<Matrix, ExecutionSpace, Operation>::apply(
    const ExecutionSpace& exec, const Impl::BlockArguments<value_type, Output>& arguments) const {
  const auto region = [&] {
    return "Lacuna::spmm[" + std::string(name(this->algorithm())) + "," + std::string(name(precision())) + "]";
  };
  Impl::in_region("spmm", region, [&] {
    this->check_pattern(exec);
    if (Impl::spmm_without_product(exec, arguments, this->nonzeros())) return;
    std::visit([&](const auto& storage) { Impl::multiply_by(storage, exec, this->A().arrays(), arguments); },
               this->storage());
  });
}

/// \brief The plan of an `HmMatrix` or a `CdmMatrix`. It multiplies A as it is, op included, for any layout of B and C,
/// and stores nothing.
///
/// New values in the Views of A count at once. Products multiply every stored element: an element that is 0 gives NaN
/// for an Inf or NaN in B. In CDM such elements include those at the ends of a band's compact diagonals.
template <Impl::DiagonalMatrixType Format, class ExecutionSpace, class Operation>
class SpmmPlan<Format, ExecutionSpace, Operation> : public Impl::FormatPlan<Operation, Format, ExecutionSpace> {
  using Base = Impl::FormatPlan<Operation, Format, ExecutionSpace>;

 public:
  using value_type = typename Base::value_type;

  /// \brief Checks A and the options. `automatic` stands for `diagonals`.
  /// \throws NotSupported for an algorithm other than `diagonals`, and for `diagonals` with a precision other than
  /// `full`
  /// \throws InvalidMatrix where the lists of A contradict its extents
  /// \throws InvalidArgument for options out of range
  SpmmPlan(const ExecutionSpace& exec, const Format& A, const SpmmOptions& options = {}) : Base(exec, A, options) {}
  /// \brief The same on the default instance, fenced before and after.
  explicit SpmmPlan(const Format& A, const SpmmOptions& options = {})
      : SpmmPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpmmPlan: before"), A, options) {}

  /// \brief The precision of products: `full`.
  Precision precision() const { return Precision::full; }

  /// \brief Internal: `spmm` checks the arguments and calls this function.
  void apply(const ExecutionSpace& exec, const Impl::BlockArguments<value_type>& arguments) const {
    const auto region = [] { return std::string("Lacuna::spmm[diagonals,full]"); };
    Impl::in_region("spmm", region, [&] {
      if (Impl::spmm_without_product(exec, arguments, this->nonzeros())) return;
      Impl::diagonal_times_block(exec, "Lacuna::spmm::diagonals", this->walk(), Impl::NoExactRow{}, arguments);
    });
  }
};

}  // namespace lacuna

#ifdef LACUNA_COMPILED_PLANS  // in a library that the program links (lacuna_add_plans)
#include <lacuna_plans/Spmm.hpp>
#endif

#endif

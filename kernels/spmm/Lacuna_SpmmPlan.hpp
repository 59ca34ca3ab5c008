// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMPLAN_HPP
#define LACUNA_SPMMPLAN_HPP

#include <Lacuna_SpmmOptions.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <kernels/diagonal/block/Lacuna_FormatPlan.hpp>
#include <kernels/plan/Lacuna_PlanBase.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/spmm/impl/Lacuna_SpmmOperation.hpp>

#include <cstddef>
#include <string>
#include <variant>

namespace lacuna {

/// \brief What was found out, chosen and stored for many products of one matrix with dense blocks.
///
/// Made on `exec`; its constructor fences, calls of `spmm` do not. Move-only. It holds no execution space and keeps the
/// Views of A alive. The pattern of A must not change. Values: row_split and row_blocks without a transpose read A
/// itself and see new values at once; everything else needs `update_values` (calling it is right for all).
///
/// The same matrix, options and device give the same choice, always: it is made from estimates, never from times,
/// unless `SpmmOptions::autotune` asks for the clock. A transposed operation stores op(A) explicitly, and where every
/// nonzero came from. A plan is made for `SpmmOptions::columns` columns and serves any number of them. Where B is
/// column-major or its rows are not aligned, and a copy pays, a product first copies B to a workspace of the plan
/// (`SpmmOptions::b_layout`), one panel of columns after the other where the workspace does not hold all of B. Products
/// allocate nothing. A plan that has a workspace, cuts long rows or, on GPUs, is dense must not run on two instances at
/// once (`shareable`). The library behind dense keeps memory of its own for each plan, which
/// `SpmmOptions::memory_limit` does not count.
///
/// The same bits from run to run, except for hrpb where panels are cut and `SpmmOptions::deterministic` is not set.
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`, of half precision too, or an `HmMatrix` or `CdmMatrix` (below)
/// \tparam Operation holds the list of algorithms; tests have others
template <Impl::PlannedMatrixType Matrix, class ExecutionSpace = typename Matrix::execution_space,
          class Operation = Impl::SpmmOperation>
class SpmmPlan : public Impl::PlanBase<Operation, Matrix, ExecutionSpace> {
  using Base = Impl::PlanBase<Operation, Matrix, ExecutionSpace>;

 public:
  using value_type = typename Base::value_type;

  /// \throws NotSupported for a precision or an algorithm that this device or the scalar type of A does not have;
  /// InvalidArgument for options out of range; OutOfMemory where `memory_limit` does not suffice.
  SpmmPlan(const ExecutionSpace& exec, const Matrix& A, const SpmmOptions& options = {}) : Base(exec, A, options) {}

  /// \brief The same on the default instance, fenced before and after.
  explicit SpmmPlan(const Matrix& A, const SpmmOptions& options = {})
      : SpmmPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpmmPlan: before"), A, options) {}

  /// What runs: `full` where nothing is rounded, whatever was asked for.
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

  /// \brief C = alpha op(A) B + beta C for checked arguments; `spmm` is the way to call it.
  template <class Output>
  void apply(const ExecutionSpace& exec, const Impl::BlockArguments<value_type, Output>& arguments) const;

 private:
  template <class Output>
  struct Multiply {
    const ExecutionSpace& exec;
    const Impl::CrsArraysOf<Matrix>& A;
    const Impl::BlockArguments<value_type, Output>& arguments;

    template <class Storage>
    void operator()(const Storage& storage) const {
      if constexpr (requires { storage.multiply(exec, A, arguments); }) storage.multiply(exec, A, arguments);
    }
  };
};

// No inline function, so that `extern template` keeps its kernels to one file of a program.
template <Impl::PlannedMatrixType Matrix, class ExecutionSpace, class Operation>
template <class Output>
void SpmmPlan<Matrix, ExecutionSpace, Operation>::apply(
    const ExecutionSpace& exec, const Impl::BlockArguments<value_type, Output>& arguments) const {
  const Impl::Region region([&] {
    return "Lacuna::spmm[" + std::string(name(this->algorithm())) + "," + std::string(name(precision())) + "]";
  });
  if (Impl::spmm_without_product(exec, arguments, this->nonzeros())) return;
  std::visit(Multiply<Output>{exec, this->A().arrays(), arguments}, this->storage());
}

/// \brief The same of a matrix in HM or CDM: multiplied as it stands, op included, for any layout of B and C, so that
/// nothing is stored beside it and new values in its Views are seen at once. Every stored element counts, those that
/// are 0 too: times Inf or NaN they are NaN. Of CDM those are also the elements that a band has not, at the ends of its
/// diagonals.
template <Impl::DiagonalMatrixType Format, class ExecutionSpace, class Operation>
class SpmmPlan<Format, ExecutionSpace, Operation> : public Impl::FormatPlan<Operation, Format, ExecutionSpace> {
  using Base = Impl::FormatPlan<Operation, Format, ExecutionSpace>;

 public:
  using value_type = typename Base::value_type;

  /// \throws NotSupported for an algorithm other than `diagonals`, and for that with a precision other than `full`;
  /// InvalidArgument for options out of range.
  SpmmPlan(const ExecutionSpace& exec, const Format& A, const SpmmOptions& options = {}) : Base(exec, A, options) {}
  explicit SpmmPlan(const Format& A, const SpmmOptions& options = {})
      : SpmmPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpmmPlan: before"), A, options) {}

  Precision precision() const { return Precision::full; }

  /// Called by `spmm`.
  void apply(const ExecutionSpace& exec, const Impl::BlockArguments<value_type>& arguments) const {
    const Impl::Region region([] { return std::string("Lacuna::spmm[diagonals,full]"); });
    if (Impl::spmm_without_product(exec, arguments, this->nonzeros())) return;
    Impl::diagonal_times_block(exec, "Lacuna::spmm::diagonals", this->walk(), Impl::NoExactRow{}, arguments);
  }
};

}  // namespace lacuna

#endif

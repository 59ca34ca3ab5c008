// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVPLAN_HPP
#define LACUNA_SPMVPLAN_HPP

#include <Lacuna_SpmvOptions.hpp>
#include <kernels/diagonal/block/Lacuna_FormatPlan.hpp>
#include <kernels/plan/Lacuna_PlanBase.hpp>
#include <kernels/spmv/impl/Lacuna_SpmvOperation.hpp>
#include <kernels/spmv/shared/Lacuna_MakeSpmvArguments.hpp>

#include <string>
#include <variant>

namespace lacuna {

/// \brief What was found out, chosen and stored for many products with one matrix.
///
/// Made on `exec`; its constructor fences, calls of `spmv` do not. Move-only. It holds no execution space and keeps the
/// Views of A alive. The pattern of A must not change. Values: algorithms that read A itself see new values at once;
/// those with storage of their own, and all with a transposed A, need `update_values` (calling it is right for all).
///
/// The same matrix, options and device give the same choice, always: it is made from estimates, never from times.
/// A transposed operation stores op(A) explicitly, with the place that every nonzero came from. Every algorithm adds in
/// an order that does not depend on scheduling: the same bits from run to run. scan_flat, scan_matrix, and, for
/// matrices that are large or have long rows, coo, hyb, nonzero_split and row_split write to a workspace in the plan:
/// such a plan must not run on two instances at once (`shareable`).
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`, or an `HmMatrix` or `CdmMatrix` (below)
template <Impl::PlannedMatrixType Matrix, class ExecutionSpace = typename Matrix::execution_space>
class SpmvPlan : public Impl::PlanBase<Impl::SpmvOperation, Matrix, ExecutionSpace> {
  using Base = Impl::PlanBase<Impl::SpmvOperation, Matrix, ExecutionSpace>;
  static_assert(Impl::is_accessible<ExecutionSpace, typename Matrix::values_type>,
                "lacuna::SpmvPlan: A must be accessible from the execution space");

 public:
  using value_type = typename Base::value_type;

  /// \throws NotSupported for a precision other than `full` and for an algorithm that cannot serve A or this device;
  /// InvalidArgument for options out of range; OutOfMemory where `memory_limit` does not suffice.
  SpmvPlan(const ExecutionSpace& exec, const Matrix& A, const SpmvOptions& options = {}) : Base(exec, A, options) {}

  /// \brief The same on the default instance, fenced before and after.
  explicit SpmvPlan(const Matrix& A, const SpmvOptions& options = {})
      : SpmvPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpmvPlan: before"), A, options) {}

  /// \brief y = alpha op(A) x + beta y for checked arguments; `spmv` is the way to call it.
  void apply(const ExecutionSpace& exec, const Impl::VectorArguments<value_type>& arguments) const;

 private:
  struct Multiply {
    const ExecutionSpace& exec;
    const Impl::CrsArraysOf<Matrix>& A;
    const Impl::VectorArguments<value_type>& arguments;

    template <class Storage>
    void operator()(const Storage& storage) const {
      if constexpr (requires { storage.multiply(exec, A, arguments); }) storage.multiply(exec, A, arguments);
    }
  };
};

// No inline function, so that `extern template` keeps its kernels to one file of a program.
template <Impl::PlannedMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::apply(const ExecutionSpace& exec,
                                             const Impl::VectorArguments<value_type>& arguments) const {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::spmv[" + std::string(name(this->algorithm())) + ",full]");
  if (Impl::spmv_without_product(exec, arguments, this->rows(), this->nonzeros())) return;
  std::visit(Multiply{exec, this->A().arrays(), arguments}, this->storage());
}

/// \brief The same of a matrix in HM or CDM: multiplied as it stands, op included, so that nothing is stored beside it
/// and new values in its Views are seen at once. Every stored element counts, those that are 0 too: times Inf or NaN
/// they are NaN. Of CDM those are also the elements that a band has not, at the ends of its diagonals.
template <Impl::DiagonalMatrixType Format, class ExecutionSpace>
class SpmvPlan<Format, ExecutionSpace> : public Impl::FormatPlan<Impl::SpmvOperation, Format, ExecutionSpace> {
  using Base = Impl::FormatPlan<Impl::SpmvOperation, Format, ExecutionSpace>;

 public:
  using value_type = typename Base::value_type;

  /// \throws NotSupported for a precision other than `full` and an algorithm other than `diagonals`; InvalidArgument
  /// for options out of range.
  SpmvPlan(const ExecutionSpace& exec, const Format& A, const SpmvOptions& options = {}) : Base(exec, A, options) {}
  explicit SpmvPlan(const Format& A, const SpmvOptions& options = {})
      : SpmvPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpmvPlan: before"), A, options) {}

  /// Called by `spmv`.
  void apply(const ExecutionSpace& exec, const Impl::VectorArguments<value_type>& arguments) const {
    const Kokkos::Profiling::ScopedRegion region("Lacuna::spmv[diagonals,full]");
    if (Impl::spmv_without_product(exec, arguments, this->rows(), this->nonzeros())) return;
    Impl::diagonal_times_block(exec, "Lacuna::spmv::diagonals", this->walk(), Impl::NoExactRow{},
                               Impl::as_block(arguments, this->rows(), this->columns()));
  }
};

}  // namespace lacuna

#endif

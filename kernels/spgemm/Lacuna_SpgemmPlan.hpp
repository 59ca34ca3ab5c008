// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPLAN_HPP
#define LACUNA_SPGEMMPLAN_HPP

#include <Lacuna_Semirings.hpp>
#include <Lacuna_SpgemmMask.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmAddWithin.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmPlanBase.hpp>

namespace lacuna {

/// \brief What is known of C = op(A) op(B) before values are looked at: its row map, and how each of its rows is added.
///
/// Made on `exec`; its constructor waits for counts, calls of `spgemm` do not, unless they add a D that the plan was
/// made without. Move-only; it holds no execution space. It keeps no values: A and B are given to every call, with the
/// pattern that they had when the plan was made. Extents and numbers of nonzeros are compared, columns where
/// `SpgemmOptions::check_pattern` says so; other ones are undefined. Kernels write to workspaces in the plan: it must
/// not run on two instances at once.
///
/// A and B may be rectangular, and have empty rows, unsorted rows, and entries that occur more than once (`bins` and
/// `bins_by_subwarps` want rows of B sorted, without duplicates). Rows of C are sorted, without duplicates; values that
/// cancel to zero stay as entries. op(A) and op(B) that are not A and B are formed with the plan, within
/// `memory_limit`; a gather takes their values at every call. Deterministic from run to run where `deterministic` was
/// asked for, where products are kept (see SpgemmOptions), and on hosts.
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`, the type of A, B and (without const) of C
/// \tparam masked whether it was made with a mask: `SpgemmPlan plan(exec, A, B, within(M))` is
/// \tparam Operation holds the list of algorithms; tests have others
template <Impl::CrsMatrixType Matrix, class ExecutionSpace = typename Matrix::execution_space, bool masked = false,
          class Operation = Impl::SpgemmOperation>
class SpgemmPlan : public Impl::SpgemmPlanBase<Matrix, ExecutionSpace, masked, Operation> {
  using Base = Impl::SpgemmPlanBase<Matrix, ExecutionSpace, masked, Operation>;
  static_assert(Impl::is_accessible<ExecutionSpace, typename Matrix::values_type>,
                "lacuna::SpgemmPlan: A and B must be accessible from the execution space");

 public:
  using value_type  = typename Base::value_type;
  using size_type   = typename Base::size_type;
  using result_type = typename Base::result_type;

  /// \throws DimensionMismatch where columns of op(A) are not rows of op(B); NotSupported where nonzeros of C do not
  /// fit `size_type`, with `KeepProducts::yes` those of op(A) or op(B) 32 bits; InvalidMatrix where `bins` is asked for
  /// and rows of op(B) are not sorted; OutOfMemory by `memory_limit`; InvalidArgument for options out of range.
  SpgemmPlan(const ExecutionSpace& exec, const Matrix& A, const Matrix& B,
             const SpgemmOptions& options = {}) requires(!masked)
      : Base(exec, A, B, nullptr, nullptr, options) {}

  /// \brief A plan for C = alpha op(A) op(B) + beta D: C has the pattern of the product and of D together. GPUs, `bins`
  /// and kept products take copies of A, B and D. \throws as above, and DimensionMismatch where D has another shape.
  SpgemmPlan(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const Matrix& D,
             const SpgemmOptions& options = {}) requires(!masked)
      : Base(exec, A, B, &D, nullptr, options) {}

  /// \brief A plan for the entries of op(A) op(B) at positions that the mask has (`within(M)`), or at all others
  /// (`outside(M)`). Products elsewhere are not added; `within`, they are not looked at where searching the columns of
  /// a short row of M in sorted rows of B is less work. The plan holds the Views of M, or a copy with sorted rows.
  /// \throws as above, and DimensionMismatch where M is not of the product's shape.
  SpgemmPlan(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const SpgemmMask<Matrix>& mask,
             const SpgemmOptions& options = {}) requires masked : Base(exec, A, B, nullptr, &mask, options) {}

  /// \brief A plan for C = alpha op(A) op(B) + beta D at the positions of a mask, or outside of it: C has the pattern
  /// of the product and of D together, as far as the mask lets it. Nonzeros of D at other positions are dropped, as
  /// GraphBLAS drops them with REPLACE. \throws as above.
  SpgemmPlan(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const Matrix& D,
             const SpgemmMask<Matrix>& mask, const SpgemmOptions& options = {}) requires masked
      : Base(exec, A, B, &D, &mask, options) {}

  /// \brief The same on the default instance, fenced before and after.
  SpgemmPlan(const Matrix& A, const Matrix& B, const SpgemmOptions& options = {}) requires(!masked)
      : SpgemmPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpgemmPlan: before"), A, B, options) {}

  SpgemmPlan(const Matrix& A, const Matrix& B, const Matrix& D, const SpgemmOptions& options = {}) requires(!masked)
      : SpgemmPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpgemmPlan: before"), A, B, D, options) {}
  SpgemmPlan(const Matrix& A, const Matrix& B, const SpgemmMask<Matrix>& mask,
             const SpgemmOptions& options = {}) requires masked
      : SpgemmPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpgemmPlan: before"), A, B, mask, options) {}
  SpgemmPlan(const Matrix& A, const Matrix& B, const Matrix& D, const SpgemmMask<Matrix>& mask,
             const SpgemmOptions& options = {}) requires masked
      : SpgemmPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpgemmPlan: before"), A, B, D, mask,
                   options) {}

  /// \brief A matrix that `spgemm` can write C to: its row map is that of the plan, shared with all that the plan
  /// allocates, and so are its columns where products are kept. What is its own is not initialised. Does not fence,
  /// but for `keep_memory_of_results` (Lacuna_MemoryPool.hpp). \throws OutOfMemory.
  result_type allocate(const ExecutionSpace& exec) const {
    return Impl::in_region("SpgemmPlan::allocate", [&] { return m_result.allocate(exec, this->kept_columns()); });
  }
  /// \brief The same on the default instance, fenced before and after.
  result_type allocate() const {
    return Impl::with_default_instance<ExecutionSpace>("SpgemmPlan::allocate",
                                                       [&](const ExecutionSpace& exec) { return allocate(exec); });
  }

  /// \brief C = alpha op(A) op(B); `spgemm` is the way to call it.
  void apply(const ExecutionSpace& exec, const value_type& alpha, const Matrix& A, const Matrix& B,
             const result_type& C) const {
    multiply(exec, PlusTimes<value_type>{}, alpha, A, B, C, false);
    if (alpha == value_type(0) && this->nonzeros() > 0) Kokkos::deep_copy(exec, C.values, value_type(0));
  }
  /// \brief The same with the sums and products of a semiring.
  template <SemiringOf<value_type> Semiring>
  void apply(const ExecutionSpace& exec, const Semiring& semiring, const Matrix& A, const Matrix& B,
             const result_type& C) const {
    multiply(exec, semiring, value_type(1), A, B, C, false);
  }
  /// \brief C = alpha op(A) op(B) + beta D; `spgemm` is the way to call it.
  void apply(const ExecutionSpace& exec, const value_type& alpha, const Matrix& A, const Matrix& B,
             const value_type& beta, const Matrix& D, const result_type& C) const;

 private:
  friend struct Impl::SpgemmOneCall;
  using Arrays = typename Base::Arrays;
  using Mask   = typename Base::Mask;
  using Base::m_operands, Base::m_result, Base::m_storage;

  /// Of a call without a plan: it makes C at once, see `take_result`, and works in memory of the call.
  SpgemmPlan(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const SpgemmMask<Matrix>* mask,
             const SpgemmOptions& options, typename Base::Call& call)
      : Base(exec, A, B, nullptr, mask, options, &call) {}
  /// C of the call that the plan was made for; else a new one.
  result_type take_result(const ExecutionSpace& exec) { return m_result.take(exec, this->kept_columns()); }

  /// `values_of_plan`: alpha is 1, and A and B are those that the plan was just made with.
  template <class Semiring>
  void multiply(const ExecutionSpace& exec, const Semiring& semiring, const value_type& alpha, const Matrix& A,
                const Matrix& B, const result_type& C, bool values_of_plan) const;
};

// No inline functions, so that `extern template` keeps their kernels to one file of a program.

template <Impl::CrsMatrixType Matrix, class ExecutionSpace, bool masked, class Operation>
template <class Semiring>
void SpgemmPlan<Matrix, ExecutionSpace, masked, Operation>::multiply(const ExecutionSpace& exec,
                                                                     const Semiring& semiring, const value_type& alpha,
                                                                     const Matrix& A, const Matrix& B,
                                                                     const result_type& C, bool values_of_plan) const {
  Impl::translate_bad_alloc("spgemm", [&] {
    if (m_operands.has_d())
      Impl::raise<InvalidArgument>("spgemm", "the plan was made for alpha A B + beta D: beta and D are missing");
    m_operands.check(exec, A, B);
    m_result.check(A, B, C, this->kept_columns());
    const Impl::Region region = this->product_region();
    if (this->nonzeros() == 0) return;
    const auto factors = m_operands.factors(exec, A, B, values_of_plan);
    const Impl::SpgemmOperands<Arrays, Semiring, Mask> operands{factors.a, factors.b, alpha, semiring,
                                                                m_operands.mask()};
    this->compute(exec, operands, m_result.target(C), values_of_plan);
  });
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace, bool masked, class Operation>
void SpgemmPlan<Matrix, ExecutionSpace, masked, Operation>::apply(const ExecutionSpace& exec, const value_type& alpha,
                                                                  const Matrix& A, const Matrix& B,
                                                                  const value_type& beta, const Matrix& D,
                                                                  const result_type& C) const {
  Impl::translate_bad_alloc("spgemm", [&] {
    const auto target = m_result.target(C);
    if (!m_operands.has_d()) {  // D must lie within the pattern of the product
      Impl::check_spgemm_within(beta, D, C, this->rows(), this->columns());
      apply(exec, alpha, A, B, C);
      if (beta != value_type(0)) Impl::spgemm_add_within(exec, beta, Impl::arrays_of(D), target);
      return;
    }
    m_operands.check(exec, A, B, D);
    m_result.check(A, B, C, this->kept_columns());
    const Impl::Region region = this->product_region();
    if (this->nonzeros() == 0) return;
    using Sum                = Impl::SpgemmOperands<Arrays, PlusTimes<value_type>, Mask>;
    const auto [a, b, added] = m_operands.factors(exec, alpha, A, B, beta, D);
    if (m_operands.is_concatenated())  // by alpha and beta, too
      return this->compute(exec, Sum{.A = a, .B = b, .mask = m_operands.mask()}, target, false);
    Impl::spgemm_multiply_and_add(exec, m_storage, Sum{a, b, alpha, {}, m_operands.mask()}, added, target);
  });
}

template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace> SpgemmPlan(const ExecutionSpace&, const Matrix&, const Matrix&,
                                                                 const SpgemmMask<Matrix>&, const SpgemmOptions& = {})
->SpgemmPlan<Matrix, ExecutionSpace, true>;
template <Impl::CrsMatrixType Matrix>
SpgemmPlan(const Matrix&, const Matrix&, const SpgemmMask<Matrix>&, const SpgemmOptions& = {})
    -> SpgemmPlan<Matrix, typename Matrix::execution_space, true>;
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace> SpgemmPlan(const ExecutionSpace&, const Matrix&, const Matrix&,
                                                                 const Matrix&, const SpgemmMask<Matrix>&,
                                                                 const SpgemmOptions& = {})
->SpgemmPlan<Matrix, ExecutionSpace, true>;
template <Impl::CrsMatrixType Matrix>
SpgemmPlan(const Matrix&, const Matrix&, const Matrix&, const SpgemmMask<Matrix>&, const SpgemmOptions& = {})
    -> SpgemmPlan<Matrix, typename Matrix::execution_space, true>;

}  // namespace lacuna

#ifdef LACUNA_COMPILED_PLANS  // in a library that the program links (lacuna_add_plans)
#include <lacuna_plans/Spgemm.hpp>
#endif
#endif

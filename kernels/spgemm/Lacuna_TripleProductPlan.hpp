// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TRIPLEPRODUCTPLAN_HPP
#define LACUNA_TRIPLEPRODUCTPLAN_HPP

#include <Lacuna_TripleProduct.hpp>
#include <kernels/plan/Lacuna_OperandExtents.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief R A P again and again, with new values of the same patterns, as multigrid needs it from time step to time
/// step.
///
///     lacuna::TripleProductPlan plan(exec, R, A, P);
///     auto coarse = plan.allocate(exec);
///     lacuna::triple_product(exec, plan, R, A, P, coarse);
///
/// Without `exec` all three use the default instance, fenced before and after.

namespace lacuna {

/// \brief The plans of both products of R A P, and the product between, which every call writes: a plan must not run on
/// two instances at once.
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`, the type of R, A and P
/// \tparam ExecutionSpace where products run; the default is that of `Matrix`
template <Impl::CrsMatrixType Matrix, class ExecutionSpace = typename Matrix::execution_space>
class TripleProductPlan {
 public:
  using result_type = CrsOf<Matrix>;  ///< of R A P

  /// \brief Finds the pattern of R A P, in the given order. Waits for `exec`.
  /// \param[in] exec all work goes to this instance
  /// \param[in] R, A, P the factors
  /// \param[in] options of both products, of which each may allocate `memory_limit`; the product between is not
  ///     counted
  /// \param[in] order which product comes first
  /// \throws InvalidArgument where op_a or op_b is not `none`; else what `SpgemmPlan` throws.
  TripleProductPlan(const ExecutionSpace& exec, const Matrix& R, const Matrix& A, const Matrix& P,
                    const SpgemmOptions& options, TripleOrder order)
      : m_order(order),
        m_given{Impl::OperandExtents(R), Impl::OperandExtents(A), Impl::OperandExtents(P)},
        m_first(exec, checked(R, A, P, options, order), order == TripleOrder::left_first ? A : P, options),
        m_between(m_first.allocate(exec)),
        m_second(exec, order == TripleOrder::left_first ? filled(exec, R, A) : R,
                 order == TripleOrder::left_first ? P : filled(exec, A, P), options) {}
  /// \brief The same in the order of `triple_product_order`.
  TripleProductPlan(const ExecutionSpace& exec, const Matrix& R, const Matrix& A, const Matrix& P,
                    const SpgemmOptions& options = {})
      : TripleProductPlan(exec, R, A, P, options, triple_product_order(exec, R, A, P)) {}
  /// \brief The same on the default instance, fenced before and after.
  TripleProductPlan(const Matrix& R, const Matrix& A, const Matrix& P, const SpgemmOptions& options = {})
      : TripleProductPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::TripleProductPlan: before"), R, A, P,
                          options) {}

  TripleOrder order() const { return m_order; }
  /// Of R A P.
  std::int64_t rows() const { return m_second.rows(); }
  std::int64_t columns() const { return m_second.columns(); }
  std::int64_t nonzeros() const { return m_second.nonzeros(); }
  /// Bytes that the plan keeps, the product between among them.
  std::size_t persistent_bytes() const {
    return m_first.persistent_bytes() + m_second.persistent_bytes() + Impl::bytes_of(m_between.values) +
           Impl::bytes_of(m_between.graph.entries);
  }
  /// Bytes that products write to beside it.
  std::size_t temporary_bytes() const { return m_first.temporary_bytes() + m_second.temporary_bytes(); }
  /// Seconds that both plans took.
  double setup_seconds() const { return m_first.setup_seconds() + m_second.setup_seconds(); }
  /// The order, and the reports of both plans.
  std::string report() const {
    return "lacuna::TripleProductPlan, " + std::string(name(m_order)) + "\n" + m_first.report() + m_second.report();
  }

  /// \brief A matrix for R A P, see `SpgemmPlan::allocate`.
  result_type allocate(const ExecutionSpace& exec) const { return m_second.allocate(exec); }
  /// \brief The same on the default instance, fenced before and after.
  result_type allocate() const { return m_second.allocate(); }

  /// \brief C = R A P; `triple_product` is the way to call it.
  void apply(const ExecutionSpace& exec, const Matrix& R, const Matrix& A, const Matrix& P,
             const result_type& C) const {
    m_given[0].check("triple_product", "R", exec, R);
    m_given[1].check("triple_product", "A", exec, A);
    m_given[2].check("triple_product", "P", exec, P);
    if (static_cast<std::int64_t>(C.numRows()) != rows() || static_cast<std::int64_t>(C.numCols()) != columns() ||
        static_cast<std::int64_t>(C.values.extent(0)) != nonzeros())
      Impl::raise<InvalidArgument>("triple_product", "C, ", Impl::shape_text(C.numRows(), C.numCols()), " with ",
                                   C.values.extent(0), " nonzeros, is not from this plan, whose product is ",
                                   Impl::shape_text(rows(), columns()), " with ", nonzeros());
    const bool left = m_order == TripleOrder::left_first;
    spgemm(exec, m_first, 1, left ? R : A, left ? A : P, m_between);
    const Matrix between = m_between;
    spgemm(exec, m_second, 1, left ? between : R, left ? P : between, C);
  }

 private:
  /// The first factor of the first product.
  static const Matrix& checked(const Matrix& R, const Matrix& A, const Matrix& P, const SpgemmOptions& options,
                               TripleOrder order) {
    if (options.op_a != Op::none || options.op_b != Op::none)
      Impl::raise<InvalidArgument>("TripleProductPlan",
                                   "factors are multiplied as they are: op_a and op_b must be none");
    Impl::check_spgemm("TripleProductPlan", Op::none, R, Op::none, A);
    Impl::check_spgemm("TripleProductPlan", Op::none, A, Op::none, P);
    return order == TripleOrder::left_first ? R : A;
  }
  /// The product between, whose columns the second plan needs.
  Matrix filled(const ExecutionSpace& exec, const Matrix& X, const Matrix& Y) const {
    spgemm(exec, m_first, 1, X, Y, m_between);
    return m_between;
  }

  TripleOrder m_order;
  Impl::OperandExtents m_given[3];  // R, A, P; the plans of both products compare patterns
  SpgemmPlan<Matrix, ExecutionSpace> m_first;
  result_type m_between;
  SpgemmPlan<Matrix, ExecutionSpace> m_second;
};

/// \brief C = R A P with a plan. Allocates nothing and does not fence.
/// \param[in] exec all work goes to this instance
/// \param[in] plan made for matrices of these patterns
/// \param[in] R, A, P may have other values than the plan was made with, but the same patterns.
/// \param[in,out] C from `TripleProductPlan::allocate` of this plan
/// \throws DimensionMismatch, InvalidArgument where R, A, P or C is not of the plan. C is then unchanged.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void triple_product(const ExecutionSpace& exec, const TripleProductPlan<Matrix, ExecutionSpace>& plan, const Matrix& R,
                    const Matrix& A, const Matrix& P, const CrsOf<Matrix>& C) {
  plan.apply(exec, R, A, P, C);
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void triple_product(const TripleProductPlan<Matrix, ExecutionSpace>& plan, const Matrix& R, const Matrix& A,
                    const Matrix& P, const CrsOf<Matrix>& C) {
  Impl::with_default_instance<ExecutionSpace>(
      "triple_product", [&](const ExecutionSpace& exec) { triple_product(exec, plan, R, A, P, C); });
}

}  // namespace lacuna

#endif

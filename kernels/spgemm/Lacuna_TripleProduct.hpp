// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TRIPLEPRODUCT_HPP
#define LACUNA_TRIPLEPRODUCT_HPP

#include <Lacuna_Spgemm.hpp>
#include <core/impl/Lacuna_Arena.hpp>
#include <core/impl/Lacuna_Crs.hpp>
#include <kernels/spgemm/shared/Lacuna_TripleOrder.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief R A P, as multigrid needs it, in one call, in the order that takes less time.
///
///     auto coarse = lacuna::triple_product(exec, R, A, P);
///
/// With new values again and again: a plan for each of both products, in the order that `triple_product_order` says.

namespace lacuna {

/// \brief The order in which `triple_product` multiplies. Where R has not the shape and the nonzeros of Pᵀ,
/// multiplications of the first product of either order are counted, of up to 65536 nonzeros evenly chosen, which waits
/// once. Where both take about as many, the length of A's rows decides. The same from run to run.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace> TripleOrder triple_product_order(const ExecutionSpace& exec,
                                                                                       const Matrix& R, const Matrix& A,
                                                                                       const Matrix& P) {
  Impl::check_spgemm("triple_product", Op::none, R, Op::none, A);
  Impl::check_spgemm("triple_product", Op::none, A, Op::none, P);
  return Impl::triple_order(exec, Impl::arrays_of(R), Impl::arrays_of(A), Impl::arrays_of(P));
}

/// \brief R A P. The product between is not kept, and both products work in the same memory: sooner than two calls of
/// `spgemm`, on small matrices much. Sums are those of the two products in that order.
///
/// \param options of both products, of which each may allocate `memory_limit`; the product between is not counted.
/// \throws InvalidArgument where op_a or op_b is not `none`; else what `spgemm` throws.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace> Impl::OwningCrs<Matrix> triple_product(
    const ExecutionSpace& exec, const Matrix& R, const Matrix& A, const Matrix& P, const SpgemmOptions& options,
    TripleOrder order) {
  using Space = typename ExecutionSpace::memory_space;
  using Plan  = SpgemmPlan<Matrix, ExecutionSpace>;
  if (options.op_a != Op::none || options.op_b != Op::none)
    Impl::raise<InvalidArgument>("triple_product", "factors are multiplied as they are: op_a and op_b must be none");
  Impl::check_spgemm("triple_product", Op::none, R, Op::none, A);
  Impl::check_spgemm("triple_product", Op::none, A, Op::none, P);
  const bool left = order == TripleOrder::left_first;
  Impl::Arena<Space> room;
  if (Plan::uses_call_memory(options)) {
    // Of the product between, rows are known. Its nonzeros are taken for those of A; where they are more and that
    // matters, the second product allocates.
    const auto bytes = [](const Matrix& rows_of, const Matrix& nonzeros_of, const Matrix& B) {
      return Plan::lent_bytes(rows_of.numRows(), static_cast<std::int64_t>(nonzeros_of.graph.entries.extent(0)),
                              B.numRows(), static_cast<std::int64_t>(B.graph.entries.extent(0)));
    };
    room =
        Impl::Arena<Space>("triple_product", exec, "Lacuna::triple_product::room",
                           left ? std::max(bytes(R, R, A), bytes(R, A, P)) : std::max(bytes(A, A, P), bytes(R, R, A)));
  }
  // Both products start at the beginning of the room: the second comes after the first on `exec`.
  const auto product = [&](const Matrix& first, const Matrix& second, Impl::Arena<Space>* result) {
    Impl::SpgemmCall<Space> call{room, result};
    Plan plan(exec, first, second, Impl::for_one_call(options), call);
    auto C = plan.take_result(exec);
    plan.apply(exec, typename Matrix::non_const_value_type(1), first, second, C, true);
    return C;
  };
  Impl::Arena<Space> memory_between;
  const Matrix between = left ? product(R, A, &memory_between) : product(A, P, &memory_between);
  return left ? product(between, P, nullptr) : product(R, between, nullptr);
}

/// \brief The same in the order of `triple_product_order`.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace> Impl::OwningCrs<Matrix> triple_product(
    const ExecutionSpace& exec, const Matrix& R, const Matrix& A, const Matrix& P, const SpgemmOptions& options = {}) {
  return triple_product(exec, R, A, P, options, triple_product_order(exec, R, A, P));
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
Impl::OwningCrs<Matrix> triple_product(const Matrix& R, const Matrix& A, const Matrix& P,
                                       const SpgemmOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "triple_product", [&](const auto& exec) { return triple_product(exec, R, A, P, options); });
}

}  // namespace lacuna

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TRIPLEPRODUCT_HPP
#define LACUNA_TRIPLEPRODUCT_HPP

#include <Lacuna_CrsOf.hpp>
#include <Lacuna_Spgemm.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOneCall.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperation.hpp>
#include <kernels/spgemm/impl/Lacuna_TripleOrder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief R A P, as multigrid needs it, in one call, in the order that takes less time.
///
///     auto coarse = lacuna::triple_product(exec, R, A, P);
///
/// With new values again and again: `TripleProductPlan`.

namespace lacuna {

/// \brief The order in which `triple_product` multiplies. Where R has not the shape and the nonzeros of Pᵀ,
/// multiplications of the first product of either order are counted, of up to 65536 nonzeros evenly chosen, which waits
/// once. Where both take about as many, hosts take (R A) P, and on GPUs the length of A's rows decides. The same from
/// run to run.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace> TripleOrder triple_product_order(const ExecutionSpace& exec,
                                                                                       const Matrix& R, const Matrix& A,
                                                                                       const Matrix& P) {
  return Impl::in_region("triple_product_order", [&] {
    Impl::check_spgemm("triple_product", Op::none, R, Op::none, A);
    Impl::check_spgemm("triple_product", Op::none, A, Op::none, P);
    return Impl::triple_order(exec, Impl::arrays_of(R), Impl::arrays_of(A), Impl::arrays_of(P));
  });
}

/// \brief R A P. The product between is not kept, and both products work in the same memory: sooner than two calls of
/// `spgemm`, on small matrices much. Sums are those of the two products in that order.
///
/// \param[in] exec all work goes to this instance
/// \param[in] R, A, P the factors
/// \param[in] options of both products, of which each may allocate `memory_limit`; the product between is not counted.
/// \param[in] order which product comes first
/// \throws InvalidArgument where op_a or op_b is not `none`; else what `spgemm` throws.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace> CrsOf<Matrix> triple_product(const ExecutionSpace& exec,
                                                                                   const Matrix& R, const Matrix& A,
                                                                                   const Matrix& P,
                                                                                   const SpgemmOptions& options,
                                                                                   TripleOrder order) {
  using Space = typename ExecutionSpace::memory_space;
  return Impl::in_region("triple_product", [&] {
    if (options.op_a != Op::none || options.op_b != Op::none)
      Impl::raise<InvalidArgument>("triple_product", "factors are multiplied as they are: op_a and op_b must be none");
    Impl::check_spgemm("triple_product", Op::none, R, Op::none, A);
    Impl::check_spgemm("triple_product", Op::none, A, Op::none, P);
    const bool left = order == TripleOrder::left_first;
    // Of the product between, rows are known. Its nonzeros are guessed: it is put behind the room. Where they are more,
    // it gets an allocation of its own, and so may what looks at it.
    const Matrix& first     = left ? R : A;
    const Matrix& second    = left ? A : P;
    const std::int64_t rows = first.numRows();
    const std::int64_t likely =
        Impl::likely_between(Impl::arrays_of(first), Impl::arrays_of(A), Impl::arrays_of(second));
    const auto lent_bytes = [&](const Impl::SpgemmInspection& known) {
      return Impl::spgemm_lent_bytes<Matrix>(exec, options, known);
    };
    const auto of_first                       = Impl::spgemm_inspection(Op::none, first, Op::none, second);
    auto of_second                            = Impl::spgemm_inspection(Op::none, left ? A : R, Op::none, left ? P : A);
    (left ? of_second.rows : of_second.inner) = rows;
    (left ? of_second.nonzeros_a : of_second.nonzeros_b) = likely;
    Impl::Arena<Space> arena, memory_between;
    if (const std::size_t work = std::max(lent_bytes(of_first), lent_bytes(of_second)); work > 0) {
      const std::size_t guessed = Impl::SpgemmCallResult<Matrix>::arena_bytes(rows, likely);
      memory_between            = Impl::Arena<Space>(
          "triple_product", exec, "Lacuna::triple_product::room",
          work + Impl::Arena<Space>::alignment + (guessed <= Impl::TripleBetweenPolicy::most_guessed ? guessed : 0));
      arena = memory_between.cut(work);
    }
    // Both products start at the beginning of the room: the second comes after the first on `exec`.
    const auto product = [&](const Matrix& X, const Matrix& Y, Impl::Arena<Space>* result) {
      Impl::SpgemmCall<Space> call{arena, result};
      return Impl::SpgemmOneCall::multiply(exec, call, X, Y, options);
    };
    const Matrix between = product(first, second, &memory_between);
    return left ? product(between, P, nullptr) : product(R, between, nullptr);
  });
}

/// \brief The same in the order of `triple_product_order`.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
requires Kokkos::is_execution_space_v<ExecutionSpace> CrsOf<Matrix> triple_product(const ExecutionSpace& exec,
                                                                                   const Matrix& R, const Matrix& A,
                                                                                   const Matrix& P,
                                                                                   const SpgemmOptions& options = {}) {
  return triple_product(exec, R, A, P, options, triple_product_order(exec, R, A, P));
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
CrsOf<Matrix> triple_product(const Matrix& R, const Matrix& A, const Matrix& P, const SpgemmOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "triple_product", [&](const auto& exec) { return triple_product(exec, R, A, P, options); });
}

}  // namespace lacuna

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMONECALL_HPP
#define LACUNA_SPGEMMONECALL_HPP

#include <Lacuna_SpgemmPlan.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmCall.hpp>

namespace lacuna::Impl {

/// \brief A product by a plan that is dropped behind it. The plan works in memory of the call and makes C as soon as
/// its nonzeros are counted. The only user of what SpgemmPlan has for that.
struct SpgemmOneCall {
  /// op(A) op(B), at the positions of a mask if there is one. `call`: where to work, and where C goes.
  template <bool masked = false, class ExecutionSpace, CrsMatrixType Matrix>
  static OwningCrs<Matrix> multiply(const ExecutionSpace& exec, SpgemmCall<typename ExecutionSpace::memory_space>& call,
                                    const Matrix& A, const Matrix& B, const SpgemmOptions& options,
                                    const SpgemmMask<Matrix>* mask = nullptr) {
    using Scalar = typename Matrix::non_const_value_type;
    return translate_bad_alloc("spgemm", [&] {
      SpgemmPlan<Matrix, ExecutionSpace, masked> plan(exec, A, B, mask, of_one_call(options), call);
      const auto C = plan.take_result(exec);
      plan.multiply(exec, PlusTimes<Scalar>{}, Scalar(1), A, B, C, true);
      return C;
    });
  }
  template <bool masked = false, class ExecutionSpace, CrsMatrixType Matrix>
  static OwningCrs<Matrix> multiply(const ExecutionSpace& exec, const Matrix& A, const Matrix& B,
                                    const SpgemmOptions& options, const SpgemmMask<Matrix>* mask = nullptr) {
    SpgemmCall<typename ExecutionSpace::memory_space> call;
    return multiply<masked>(exec, call, A, B, options, mask);
  }

  /// The same with the sums and products of a semiring.
  template <bool masked = false, class ExecutionSpace, class Semiring, CrsMatrixType Matrix>
  static OwningCrs<Matrix> multiply_in(const ExecutionSpace& exec, const Semiring& semiring, const Matrix& A,
                                       const Matrix& B, const SpgemmOptions& options,
                                       const SpgemmMask<Matrix>* mask = nullptr) {
    return translate_bad_alloc("spgemm", [&] {
      SpgemmCall<typename ExecutionSpace::memory_space> call;
      SpgemmPlan<Matrix, ExecutionSpace, masked> plan(exec, A, B, mask, of_one_call(options), call);
      const auto C = plan.take_result(exec);
      plan.apply(exec, semiring, A, B, C);
      return C;
    });
  }

 private:
  static SpgemmOptions of_one_call(SpgemmOptions options) {
    options.keep_products  = KeepProducts::no;
    options.check_pattern  = PatternCheck::off;
    options.expected_calls = 0;  // none but the one that the plan is made for
    return options;
  }
};

}  // namespace lacuna::Impl

#endif

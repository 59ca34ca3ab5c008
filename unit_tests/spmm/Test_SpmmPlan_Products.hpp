// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_SPMMPLAN_PRODUCTS_HPP
#define LACUNA_TEST_SPMMPLAN_PRODUCTS_HPP

#include <spmm/Spmm_Check.hpp>
#include <spmm/Spmm_Plans.hpp>
#include <support/Spmm_Algorithms.hpp>

#include <string>
#include <vector>

/// \file
/// \brief Every algorithm of a plan against the serial reference. One translation unit per type combination.

namespace lacuna::Test {

/// What an algorithm's copy of A adds to the error of a product: `dense` rounds the sum of duplicates to A's type.
template <class Scalar>
double error_of_copy(SpmmAlgorithm algorithm) {
  return algorithm == SpmmAlgorithm::dense && is_half<Scalar> ? epsilon<Scalar>() : 0.0;
}

/// One plan, many products; each twice, since what a call leaves in the plan must not disturb the next.
template <class Matrix>
void check_plan(const NamedMatrix<ScalarOf<Matrix>>& sample, const SpmmOptions& options,
                const std::vector<SpmmCase<ScalarOf<Matrix>>>& cases) {
  using Scalar = ScalarOf<Matrix>;
  const typename Matrix::execution_space exec;
  const SpmmPlan plan(exec, make_crs<Matrix>(sample.matrix), options);
  EXPECT_TRUE(options.algorithm == SpmmAlgorithm::automatic || plan.algorithm() == options.algorithm);
  EXPECT_NE(plan.algorithm(), SpmmAlgorithm::automatic);
  for (auto call : cases) {
    call.relative += error_of_copy<Scalar>(plan.algorithm());
    check_spmm<typename Matrix::device_type>(sample, call, std::string(lacuna::name(options.algorithm)),
                                             [&](const SpmmCase<Scalar>& now, const auto& b, const auto& c) {
                                               if (now.beta == Arithmetic<Scalar>(0))
                                                 spmm(exec, plan, now.alpha, b, now.beta, c);
                                               spmm(exec, plan, now.alpha, b, now.beta, c);
                                             });
  }
}

/// A plan that takes new values of its pattern multiplies with them.
template <class Matrix>
void check_new_values(SpmmAlgorithm algorithm, Op op) {
  using Scalar     = ScalarOf<Matrix>;
  const auto host  = shuffled(with_duplicates(banded_matrix<Scalar>(70, 61, 3, 2)));
  const auto fresh = with_new_values(host);
  SpmmPlan plan(make_crs<Matrix>(host), {.op = op, .columns = 9, .algorithm = algorithm});
  const typename Matrix::execution_space exec;
  plan.update_values(exec, make_crs<Matrix>(fresh));
  check_spmm<typename Matrix::device_type>(
      NamedMatrix<Scalar>{"new values", fresh},
      SpmmCase<Scalar>{.columns = 9, .op = op, .relative = error_of_copy<Scalar>(algorithm)},
      std::string(lacuna::name(algorithm)),
      [&](const SpmmCase<Scalar>& now, const auto& b, const auto& c) { spmm(exec, plan, now.alpha, b, now.beta, c); });
}

/// Rows that are cut, several in a row, with short ones between.
template <class Scalar>
NamedMatrix<Scalar> long_rows() {
  Random random(3);
  std::vector<std::vector<std::int64_t>> rows(40, {1, 2, 3});
  for (const std::int64_t length : {5, 1900, 0, 512, 513, 2, 1, 3000, 0, 0, 3, 256, 255, 1025, 6})
    rows.push_back(random.distinct(length, 4000));
  return {"long rows", from_rows<Scalar>(4000, rows)};
}

}  // namespace lacuna::Test

#endif

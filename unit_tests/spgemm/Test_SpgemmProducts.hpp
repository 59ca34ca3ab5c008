// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_SPGEMMPRODUCTS_HPP
#define LACUNA_TEST_SPGEMMPRODUCTS_HPP

#include <Lacuna_Spgemm.hpp>

#include <reference/Reference_Spgemm.hpp>
#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief Every algorithm of SpGEMM against the serial reference. One translation unit per type combination.

namespace lacuna::Test {

template <class Matrix>
using ScalarOf = typename Matrix::non_const_value_type;

/// C with columns out of range and values NaN: what a product leaves out shows. Columns are the plan's where it keeps
/// products.
template <class Plan>
typename Plan::result_type poisoned(const Plan& plan) {
  using Scalar = typename Plan::value_type;
  const auto C = plan.allocate();
  if (!plan.keeps_products()) Kokkos::deep_copy(C.graph.entries, typename Plan::ordinal_type(-1));
  Kokkos::deep_copy(C.values, Scalar(std::numeric_limits<typename RealOf<Scalar>::type>::quiet_NaN()));
  return C;
}

/// Plan, product, product with new values, one-shot call.
template <class Matrix>
void check_spgemm(const std::string& what, const HostMatrix<ScalarOf<Matrix>>& A, const HostMatrix<ScalarOf<Matrix>>& B,
                  const SpgemmOptions& options = {}) {
  using Scalar      = ScalarOf<Matrix>;
  const auto a      = make_crs<Matrix>(A);
  const auto b      = make_crs<Matrix>(B);
  const auto label  = what + ", " + std::string(name(options.algorithm));
  const Scalar half = Scalar(-0.5);
  const typename Matrix::execution_space exec;
  const SpgemmPlan plan(exec, a, b, options);
  EXPECT_TRUE(options.algorithm == SpgemmAlgorithm::automatic || plan.algorithm() == options.algorithm);
  const auto C = poisoned(plan);
  spgemm(exec, plan, half, a, b, C);
  exec.fence();
  EXPECT_TRUE(matches(reference_spgemm(half, options.op_a, A, options.op_b, B), to_host(C))) << label;

  const auto A2 = with_new_values(A), B2 = with_new_values(B);
  const auto D = poisoned(plan);
  spgemm(exec, plan, 2, make_crs<Matrix>(A2), make_crs<Matrix>(B2), D);
  exec.fence();
  EXPECT_TRUE(matches(reference_spgemm(Scalar(2), options.op_a, A2, options.op_b, B2), to_host(D)))
      << label << ", new values";

  const auto E = spgemm(a, b, options);
  EXPECT_TRUE(matches(reference_spgemm(Scalar(1), options.op_a, A, options.op_b, B), to_host(E)))
      << label << ", one-shot";
}

/// Whether an algorithm refuses rows of B that are not sorted.
constexpr bool wants_sorted_rows(SpgemmAlgorithm algorithm) {
  return algorithm == SpgemmAlgorithm::bins || algorithm == SpgemmAlgorithm::bins_by_subwarps;
}

/// All algorithms, `bins` with sorted rows; products kept.
template <class Matrix>
void check_all(const std::string& what, const HostMatrix<ScalarOf<Matrix>>& A, const HostMatrix<ScalarOf<Matrix>>& B) {
  check_spgemm<Matrix>(what, A, B);
  check_spgemm<Matrix>(what, A, B, {.deterministic = true});
  check_spgemm<Matrix>(what, A, B, {.algorithm = SpgemmAlgorithm::bins});
  check_spgemm<Matrix>(what, A, B, {.algorithm = SpgemmAlgorithm::bins_by_subwarps});
  check_spgemm<Matrix>(what, A, B, {.keep_products = KeepProducts::yes});
}

/// A row of `products` products each of which is a column of its own, for every one of `counts`.
template <class Scalar>
HostMatrix<Scalar> rows_of_lengths(const std::vector<std::int64_t>& counts, std::int64_t columns,
                                   std::uint64_t seed = 9) {
  Random random(seed);
  std::vector<std::vector<std::int64_t>> rows;
  for (const std::int64_t length : counts) rows.push_back(random.distinct(length, columns));
  return from_rows<Scalar>(columns, rows, seed);
}

}  // namespace lacuna::Test

#endif

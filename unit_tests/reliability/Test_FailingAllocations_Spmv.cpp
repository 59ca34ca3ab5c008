// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmv.hpp>

#include <reference/Reference_Spmv.hpp>

#include "FailingAllocations.hpp"

/// \file
/// \brief SpMV of which each allocation fails once: y is untouched then, and the plan goes on.

namespace lacuna::Test {
namespace {

TEST(SpmvFailingAllocations, PlansValuesAndProducts) {
  using Vector = Kokkos::View<double*, Exec>;
  const Exec exec;
  const auto source = banded_matrix<double>(200, 190, 3, 4);
  const Matrix A    = make_crs<Matrix>(source);
  const auto x      = make_view<Vector>("x", random_vector<double>(190));
  const Vector y("y", 200);
  Vector expected("expected", 200);
  spmv(exec, 1.0, A, x, 0.0, expected);
  exec.fence();

  const auto check_y = [&](bool has_thrown) {
    exec.fence();
    for (std::size_t i = 0; i < y.extent(0); ++i) {
      if (has_thrown) {
        ASSERT_EQ(y(i), -7.0) << "written to, row " << i;
      } else {
        ASSERT_NEAR(y(i), expected(i), 1e-12) << i;
      }
    }
  };
  const auto product = [&](const auto&... arguments) {
    for (std::size_t i = 0; i < y.extent(0); ++i) y(i) = -7.0;
    spmv(exec, arguments..., x, 0.0, y);
  };
  fail_each_allocation(
      "a call without a plan", [&] { product(1.0, A); }, check_y);
  for (const SpmvAlgorithm algorithm : spmv_algorithms) {
    const SpmvOptions options{.algorithm = algorithm};
    try {
      SpmvPlan plan(exec, A, options);
    } catch (const NotSupported&) {
      continue;
    }
    SCOPED_TRACE(std::string(name(algorithm)));
    EXPECT_GT(fail_each_allocation("a plan", [&] { SpmvPlan plan(exec, A, options); }), 0);
    SpmvPlan plan(exec, A, options);
    fail_each_allocation(
        "a product", [&] { product(plan, 1.0); }, check_y);
    fail_each_allocation("new values", [&] { plan.update_values(exec, A); });
    product(plan, 1.0);
    check_y(false);
    EXPECT_GT(
        fail_each_allocation("a plan with a transpose",
                             [&] { SpmvPlan transposed(exec, A, {.op = Op::transpose, .algorithm = algorithm}); }),
        0);
  }
}

}  // namespace
}  // namespace lacuna::Test

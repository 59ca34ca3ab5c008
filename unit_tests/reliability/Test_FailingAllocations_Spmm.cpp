// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>

#include <spmm/Spmm_Plans.hpp>

#include "FailingAllocations.hpp"

/// \file
/// \brief SpMM of which each allocation fails once: C is untouched then, and the plan goes on.

namespace lacuna::Test {
namespace {

TEST(SpmmFailingAllocations, PlansValuesAndProducts) {
  using Dense = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;
  const Exec exec;
  const auto A = make_crs<SharedPlanMatrix<float>>(banded_matrix<float>(100, 90, 3, 4));
  const Dense B("B", 90, 12), C("C", 100, 12), expected("expected", 100, 12);
  Random random(3);
  for (std::size_t i = 0; i < B.extent(0); ++i)
    for (std::size_t j = 0; j < B.extent(1); ++j) B(i, j) = random.value<float>();
  spmm(exec, 1.0f, A, B, 0.0f, expected);
  exec.fence();

  const auto check_C = [&](bool has_thrown) {
    exec.fence();
    for (std::size_t i = 0; i < C.extent(0); ++i)
      for (std::size_t j = 0; j < C.extent(1); ++j) {
        if (has_thrown) {
          ASSERT_EQ(C(i, j), -7.0f) << "written to, row " << i;
        } else {
          ASSERT_NEAR(C(i, j), expected(i, j), 1e-5) << i;
        }
      }
  };
  const auto product = [&](const auto&... arguments) {
    for (std::size_t i = 0; i < C.size(); ++i) C.data()[i] = -7.0f;
    spmm(exec, arguments..., B, 0.0f, C);
  };
  fail_each_allocation(
      "a call without a plan", [&] { product(1.0f, A); }, check_C);
  for (const SpmmAlgorithm algorithm : spmm_algorithms) {
    const SpmmOptions options{.columns = 12, .algorithm = algorithm};
    try {
      SpmmPlan plan(exec, A, options);
    } catch (const NotSupported&) {
      continue;
    }
    SCOPED_TRACE(std::string(name(algorithm)));
    EXPECT_GT(fail_each_allocation("a plan", [&] { SpmmPlan plan(exec, A, options); }), 0);
    SpmmPlan plan(exec, A, options);
    fail_each_allocation(
        "a product", [&] { product(plan, 1.0f); }, check_C);
    fail_each_allocation("new values", [&] { plan.update_values(exec, A); });
    product(plan, 1.0f);
    check_C(false);
  }
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_SpgemmFormats.hpp>
#include <Lacuna_TripleProduct.hpp>
#include <Lacuna_TripleProductPlan.hpp>

#include "FailingAllocations.hpp"

/// \file
/// \brief Sparse products of which each allocation fails once: C is untouched then, and the plan goes on.

namespace lacuna::Test {
namespace {

struct SpgemmFailingAllocations : testing::Test {
  const Exec exec;
  const Matrix A = make_crs<Matrix>(uneven_matrix<double>(80, 70, 9));
  const Matrix B = make_crs<Matrix>(uneven_matrix<double>(70, 60, 7));
  const Matrix M = make_crs<Matrix>(uneven_matrix<double>(80, 60, 20));
};

TEST_F(SpgemmFailingAllocations, Calls) {
  EXPECT_GT(fail_each_allocation("a call", [&] { spgemm(exec, A, B); }), 0);
  EXPECT_GT(fail_each_allocation("a call with a transpose", [&] { spgemm(exec, A, A, {.op_b = Op::transpose}); }), 0);
  EXPECT_GT(fail_each_allocation("a mask", [&] { spgemm(exec, A, B, within(M)); }), 0);
  const Matrix R = make_crs<Matrix>(uneven_matrix<double>(20, 80, 5));
  EXPECT_GT(fail_each_allocation("triple_product", [&] { triple_product(exec, R, A, B); }), 0);
}

TEST_F(SpgemmFailingAllocations, PlansAndProducts) {
  const auto expected = to_host(spgemm(exec, A, B));
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
    SCOPED_TRACE(std::string(name(algorithm)));
    const SpgemmOptions options{.algorithm = algorithm};
    EXPECT_GT(fail_each_allocation("a plan", [&] { SpgemmPlan plan(exec, A, B, options); }), 0);
    const SpgemmPlan plan(exec, A, B, options);
    EXPECT_GT(fail_each_allocation("C", [&] { plan.allocate(exec); }), 0);
    const auto C = plan.allocate(exec);
    spgemm(exec, plan, 1.0, A, B, C);
    fail_each_allocation(
        "a product",
        [&] {
          for (std::size_t k = 0; k < C.values.extent(0); ++k) C.values(k) = -7.0;
          spgemm(exec, plan, 1.0, A, B, C);
        },
        [&](bool has_thrown) {
          exec.fence();
          for (std::size_t k = 0; k < C.values.extent(0); ++k) {
            if (has_thrown) {
              ASSERT_EQ(C.values(k), -7.0) << "written to, value " << k;
            } else {
              ASSERT_NEAR(C.values(k), expected.values[k], 1e-12) << k;
            }
          }
        });
  }
}

}  // namespace
}  // namespace lacuna::Test

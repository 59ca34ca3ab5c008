// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>

#include <spmm/Spmm_Check.hpp>
#include <support/Spmm_Algorithms.hpp>

#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

/// \file
/// \brief What the contract asks of every algorithm.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Plan   = SpmmPlan<Matrix>;

/// Those that plans of double can take: all but tiled_engine, which Test_SpmmTiledEngine.cpp asks the same.
std::vector<SpmmAlgorithm> of_double() { return spmm_algorithms_here<Matrix>(); }

/// C = A B by the plan is what the serial reference says of `host`.
template <class Scalar, class AnyPlan>
void expect_product(const AnyPlan& plan, const HostMatrix<Scalar>& host, const std::string& what) {
  check_spmm<Device>(NamedMatrix<Scalar>{"contract", host}, SpmmCase<Scalar>{.columns = 24}, what,
                     [&](const auto&, const auto& b, const auto& c) { spmm(plan, 1, b, 0, c); });
}

TEST(SpmmEveryAlgorithm, APlanWorksOnAfterARefusedUpdate) {
  const auto host = banded_matrix<double>(70, 90, 3, 4), other = banded_matrix<double>(70, 90, 4, 3);
  const auto fresh = with_new_values(host);
  for (const SpmmAlgorithm algorithm : of_double()) {
    Plan plan(make_crs<Matrix>(host), {.columns = 24, .algorithm = algorithm});
    EXPECT_THROW(plan.update_values(Exec(), make_crs<Matrix>(other)), InvalidArgument);
    expect_product(plan, host, std::string(name(algorithm)) + ", refused");
    plan.update_values(Exec(), make_crs<Matrix>(fresh));
    Exec().fence();
    expect_product(plan, fresh, std::string(name(algorithm)) + ", updated");
  }
}

TEST(SpmmEveryAlgorithm, NewValuesWithoutAnInstance) {
  const auto host = banded_matrix<double>(70, 90, 3, 4), fresh = with_new_values(host);
  for (const SpmmAlgorithm algorithm : of_double()) {
    Plan plan(make_crs<Matrix>(host), {.columns = 24, .algorithm = algorithm});
    plan.update_values(make_crs<Matrix>(fresh));
    expect_product(plan, fresh, std::string(name(algorithm)));
    EXPECT_THROW(plan.update_values(make_crs<Matrix>(banded_matrix<double>(70, 90, 4, 3))), InvalidArgument);
    expect_product(plan, fresh, std::string(name(algorithm)) + ", refused");
  }
}

// With matrix engines, which test_spmm_autotune leaves out.
TEST(SpmmEveryAlgorithm, ASearchTriesAllThatServe) {
  const auto host = banded_matrix<double>(70, 90, 3, 4);
  setenv("LACUNA_TUNING_FILE", "/dev/null", 1);
  for (const SpmmAlgorithm algorithm : of_double()) {
    const std::string what = std::string(name(algorithm)) + ", searched for";
    const Plan plan(make_crs<Matrix>(host), {.columns = 24, .algorithm = algorithm, .autotune = true});
    const bool has_panels = algorithm == SpmmAlgorithm::bricks || algorithm == SpmmAlgorithm::hrpb;
    EXPECT_THAT(plan.report(), testing::HasSubstr(has_panels ? "the best of 2 tried" : "the best of")) << what;
    EXPECT_THAT(plan.report(), testing::HasSubstr("/dev/null is no regular file")) << what;
    if (algorithm != SpmmAlgorithm::automatic) {
      EXPECT_EQ(plan.algorithm(), algorithm);
    }
    expect_product(plan, host, what);
  }
  unsetenv("LACUNA_TUNING_FILE");
}

// What a plan has no room for a product does without: no call throws for want of memory, whatever the plan was allowed.
TEST(SpmmEveryAlgorithm, CallsTakeNoMemoryAndNeverRunOutOfIt) {
  const NamedMatrix<double> sample{"limit", random_matrix<double>(64, 50, 9)};
  const auto A           = make_crs<Matrix>(sample.matrix);
  const std::size_t copy = 50 * 40 * sizeof(double);
  for (const SpmmAlgorithm algorithm : of_double()) {
    const auto with_limit = [&](std::size_t limit) {
      return Plan(A, {.columns = 40, .algorithm = algorithm, .memory_limit = limit});
    };
    int plans = 0;
    for (std::size_t limit = 0; limit < 24 * copy; limit += copy / 2) {
      std::optional<Plan> plan;
      try {
        plan.emplace(with_limit(limit));
      } catch (const OutOfMemory& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("memory_limit is " + std::to_string(limit))) << name(algorithm);
        EXPECT_EQ(plans, 0) << name(algorithm) << ": less was enough before " << limit;
        continue;
      }
      ++plans;
      const std::size_t held = plan->persistent_bytes() + plan->temporary_bytes();
      for (const Storage b : {Storage::rows, Storage::columns, Storage::odd_rows})
        check_spmm<Device>(sample, SpmmCase<double>{.columns = 40, .beta = 0.5, .b = b},
                           std::string(name(algorithm)) + ", limit " + std::to_string(limit),
                           [&](const auto& call, const auto& B, const auto& C) { spmm(*plan, 1, B, call.beta, C); });
      EXPECT_EQ(plan->persistent_bytes() + plan->temporary_bytes(), held) << name(algorithm);
    }
    EXPECT_GT(plans, 0) << name(algorithm);
  }
}

}  // namespace
}  // namespace lacuna::Test

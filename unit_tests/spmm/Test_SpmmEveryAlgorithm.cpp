// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>

#include <spmm/Spmm_Check.hpp>
#include <support/Spmm_Algorithms.hpp>
#include <support/Test_Messages.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
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

/// Stored zeros are factors, also in bricks and blocks, where a zero fills gaps; and infinities stay in rows that use
/// them, but in `dense`, which multiplies what A has not. C is full of NaN before.
TEST(SpmmEveryAlgorithm, AStoredZeroTimesInfinityIsNan) {
  constexpr std::int64_t columns = 24;
  constexpr double inf           = std::numeric_limits<double>::infinity();
  using Block                    = Kokkos::View<double**, Kokkos::LayoutRight, Device>;
  for (auto host : {uneven_matrix<double>(200, 700, 9), banded_matrix<double>(300, 290, 4, 3),
                    block_matrix<double>(40, 40, 3, 4)}) {
    for (std::size_t k = 0; k < host.values.size(); ++k) host.values[k] = k % 3 == 0 ? 0.0 : 1.0;
    std::vector<double> b(static_cast<std::size_t>(host.columns * columns), 1.0);
    for (std::int64_t j = 0; j < columns; j += 5)
      b[static_cast<std::size_t>(host.entries[host.entries.size() / 2] * columns + j)] = j % 2 == 0 ? inf : -inf;
    std::vector<double> expected(static_cast<std::size_t>(host.rows * columns));
    for (std::size_t row = 0; row < static_cast<std::size_t>(host.rows); ++row)
      for (auto k = static_cast<std::size_t>(host.row_map[row]); k < static_cast<std::size_t>(host.row_map[row + 1]);
           ++k)
        for (std::size_t j = 0; j < columns; ++j)
          expected[row * columns + j] += host.values[k] * b[static_cast<std::size_t>(host.entries[k]) * columns + j];
    EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), [](double value) { return std::isnan(value); }));
    for (const SpmmAlgorithm algorithm : of_double()) {
      const Block C("C", static_cast<std::size_t>(host.rows), columns);
      Kokkos::deep_copy(C, not_a_number<double>());
      spmm(Plan(make_crs<Matrix>(host), {.columns = columns, .algorithm = algorithm}), 1,
           make_block<Block>("B", b, host.columns, columns), 0, C);
      const auto result = to_row_major(C);
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_TRUE(result[i] == expected[i] || (algorithm == SpmmAlgorithm::dense && !std::isnan(expected[i])) ||
                    (std::isnan(result[i]) && std::isnan(expected[i])))
            << name(algorithm) << ", row " << i / columns << ", column " << i % columns << " is " << result[i]
            << ", expected " << expected[i];
    }
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

/// New values in the arrays of A count at once exactly where a plan says so.
TEST(SpmmEveryAlgorithm, APlanSaysWhetherItReadsTheValuesOfA) {
  using Block = Kokkos::View<double**, Kokkos::LayoutRight, Device>;
  const Block B("B", 90, 24), before("before", 70, 24), after("after", 70, 24);
  Kokkos::deep_copy(B, 1.0);
  std::set<bool> said;
  for (const SpmmAlgorithm algorithm : of_double()) {
    const auto A = make_crs<Matrix>(banded_matrix<double>(70, 90, 3, 4));
    const Plan plan(A, {.columns = 24, .algorithm = algorithm});
    spmm(plan, 1, B, 0, before);
    Kokkos::deep_copy(A.values, 3.0);
    spmm(plan, 1, B, 0, after);
    EXPECT_EQ(plan.reads_values_of_A(), to_row_major(before) != to_row_major(after)) << name(algorithm);
    said.insert(plan.reads_values_of_A());
  }
  EXPECT_EQ(said.size(), 2U);
}

TEST(SpmmEveryAlgorithm, ValuesOfAAreReadWhereAPlanMust) {
  const auto A = make_crs<Matrix>(banded_matrix<double>(70, 90, 3, 4));
  for (const SpmmAlgorithm algorithm : of_double()) {
    const auto plan = [&](bool must) {
      return Plan(A, {.columns = 24, .algorithm = algorithm, .reads_values_of_A = must});
    };
    if (plan(false).reads_values_of_A())
      EXPECT_TRUE(plan(true).reads_values_of_A()) << name(algorithm);
    else
      EXPECT_THAT(error_of<NotSupported>([&] { plan(true); }),
                  testing::HasSubstr(std::string(name(algorithm)) + ": keeps a copy of the values of A"));
  }
  EXPECT_THAT(error_of<NotSupported>([&] { Plan(A, {.op = Op::transpose, .reads_values_of_A = true}); }),
              testing::HasSubstr("reads_values_of_A with op transpose"));
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

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmv.hpp>

#include <reference/Reference_Spmv.hpp>
#include <support/Spmv_Algorithms.hpp>
#include <support/Test_Matrices.hpp>
#include <support/Test_Messages.hpp>
#include <support/Test_UnreachableSpace.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using Vector = Kokkos::View<double*, Exec::device_type>;
using Plan   = SpmvPlan<Matrix>;

static_assert(std::is_nothrow_move_constructible_v<Plan> || std::is_move_constructible_v<Plan>);
static_assert(!std::is_copy_constructible_v<Plan> && !std::is_copy_assignable_v<Plan>);
static_assert(Impl::is_accessible<Exec, Vector, Matrix::values_type>);
static_assert(!Impl::is_accessible<Exec, Vector, Kokkos::View<double*, UnreachableSpace>>);

constexpr double inf = std::numeric_limits<double>::infinity();

Matrix sample() { return make_crs<Matrix>(banded_matrix<double>(70, 90, 3, 4)); }

TEST(SpmvContract, ExtentsThatDoNotFitAreNamedAndNothingIsTouched) {
  const Plan plan(sample());
  const Vector x("x", 89), good("good", 90), y = make_view<Vector>("y", std::vector<double>(70, 5.0)), bad("bad", 71);
  const auto message = error_of<DimensionMismatch>([&] { spmv(Exec(), plan, 1, x, 0, y); });
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("lacuna::spmv"), testing::HasSubstr("70x90"),
                                      testing::HasSubstr("89")));
  EXPECT_THROW(spmv(Exec(), plan, 1, good, 0, bad), DimensionMismatch);
  EXPECT_THROW(spmv(Exec(), 1, sample(), x, 0, y), DimensionMismatch);
  EXPECT_THAT(to_vector(y), testing::Each(5.0));
}

TEST(SpmvContract, ATransposedPlanHasTheOtherExtents) {
  const Plan plan(sample(), {.op = Op::transpose});
  EXPECT_EQ(plan.rows(), 90);
  EXPECT_EQ(plan.columns(), 70);
  EXPECT_THROW(spmv(Exec(), plan, 1, Vector("x", 90), 0, Vector("y", 70)), DimensionMismatch);
}

TEST(SpmvContract, OverlapOfXAndYIsRefusedButInterleavingIsNot) {
  const auto A = make_crs<Matrix>(banded_matrix<double>(64, 64, 1, 1));
  const Vector both("both", 128);
  const auto x = Kokkos::subview(both, Kokkos::make_pair(0, 64)), y = Kokkos::subview(both, Kokkos::make_pair(63, 127));
  EXPECT_THROW(spmv(Exec(), 1, A, x, 0, y), InvalidArgument);
  EXPECT_THROW(spmv(Exec(), 1, A, x, 0, x), InvalidArgument);
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec::device_type> columns("columns", 64, 2);
  EXPECT_NO_THROW(spmv(1, A, Kokkos::subview(columns, Kokkos::ALL, 0), 0, Kokkos::subview(columns, Kokkos::ALL, 1)));
  // Strides that differ: an element of a column, and the column beside it or itself; every third and every second.
  const auto tall = make_crs<Matrix>(banded_matrix<double>(64, 1, 63, 0));
  const auto y64  = Kokkos::subview(columns, Kokkos::ALL, 1);
  EXPECT_NO_THROW(spmv(1, tall, Kokkos::subview(columns, Kokkos::make_pair(2, 3), 0), 0, y64));
  EXPECT_THROW(spmv(1, tall, Kokkos::subview(columns, Kokkos::make_pair(2, 3), 1), 0, y64), InvalidArgument);
  using Strided = Kokkos::View<double*, Kokkos::LayoutStride, Exec::device_type>;
  const auto by = [&](int first, int count, int step) {
    return Strided(both.data() + first, Kokkos::LayoutStride(count, step));
  };
  const auto small = make_crs<Matrix>(banded_matrix<double>(4, 4, 1, 1));
  EXPECT_NO_THROW(spmv(1, small, by(0, 4, 6), 0, by(3, 4, 2)));                // 0 6 12 18 and 3 5 7 9
  EXPECT_THROW(spmv(1, small, by(0, 4, 6), 0, by(3, 4, 3)), InvalidArgument);  // 3 6 9 12
}

TEST(SpmvContract, ElementsOfYThatShareMemoryAreRefused) {
  const Vector x = make_view<Vector>("x", random_vector<double>(90)), y = make_view<Vector>("y", std::vector{5.0});
  using Strided = Kokkos::View<double*, Kokkos::LayoutStride, Exec::device_type>;
  const Strided same(y.data(), Kokkos::LayoutStride(70, 0));
  const auto message = error_of<InvalidArgument>([&] { spmv(Exec(), Plan(sample()), 1, x, 0, same); });
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("lacuna::spmv: elements of y share memory"),
                                      testing::HasSubstr("70 elements")));
  EXPECT_THROW(spmv(Exec(), 1, sample(), x, 0, same), InvalidArgument);
  EXPECT_THAT(to_vector(y), testing::Each(5.0));
  // One element shares memory with no other, and x may be one number for all columns.
  const auto one_row = make_crs<Matrix>(banded_matrix<double>(1, 90, 0, 89));
  EXPECT_NO_THROW(spmv(1, one_row, x, 0, Strided(y.data(), Kokkos::LayoutStride(1, 0))));
  EXPECT_NO_THROW(spmv(1, sample(), Strided(y.data(), Kokkos::LayoutStride(90, 0)), 0, Vector("y", 70)));
}

TEST(SpmvContract, StridedVectors) {
  const auto host = random_matrix<double>(77, 60, 9);
  const auto x = random_vector<double>(60), y = random_vector<double>(77, 3);
  const auto reference = reference_spmv(Op::none, 2.0, host, x, 0.5, y);
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec::device_type> xs("xs", 60, 3), ys("ys", 77, 5);
  const auto sx = Kokkos::subview(xs, Kokkos::ALL, 2);
  const auto sy = Kokkos::subview(ys, Kokkos::ALL, 1);
  Kokkos::deep_copy(sx, make_view<Vector>("x", x));
  for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
    Kokkos::deep_copy(ys, -7.0);
    Kokkos::deep_copy(sy, make_view<Vector>("y", y));
    spmv(Plan(make_crs<Matrix>(host), {.algorithm = algorithm}), 2.0, sx, 0.5, sy);
    const Vector result("result", 77), beside("beside", 77);
    Kokkos::deep_copy(result, sy);
    Kokkos::deep_copy(beside, Kokkos::subview(ys, Kokkos::ALL, 2));
    EXPECT_TRUE(matches(reference, to_vector(result))) << name(algorithm);
    EXPECT_THAT(to_vector(beside), testing::Each(-7.0)) << name(algorithm);
  }
}

TEST(SpmvContract, BetaZeroStoresAndAlphaZeroScales) {
  const auto A = sample();
  for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
    const Plan plan(A, {.algorithm = algorithm});
    const Vector x("x", 90), y("y", 70);
    Kokkos::deep_copy(y, inf);
    spmv(plan, 0.0, x, 0.0, y);
    EXPECT_THAT(to_vector(y), testing::Each(0.0)) << name(algorithm);
    Kokkos::deep_copy(y, inf);
    spmv(plan, 1.0, x, 0.0, y);
    EXPECT_THAT(to_vector(y), testing::Each(0.0)) << name(algorithm);
    Kokkos::deep_copy(y, 3.0);
    Kokkos::deep_copy(x, inf);  // alpha == 0: x is not read
    spmv(plan, 0.0, x, -2.0, y);
    EXPECT_THAT(to_vector(y), testing::Each(-6.0)) << name(algorithm);
  }
}

TEST(SpmvContract, InfinityInXReachesOnlyRowsThatUseIt) {
  auto host = uneven_matrix<double>(200, 70000, 9);
  for (auto& value : host.values) value = 1.0;
  std::vector<double> x(70000, 1.0);
  const std::size_t poisoned = static_cast<std::size_t>(host.entries[host.entries.size() / 2]);
  x[poisoned]                = inf;
  const auto A               = make_crs<Matrix>(host);
  for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
    const Vector y("y", 200);
    spmv(Plan(A, {.algorithm = algorithm}), 1, make_view<Vector>("x", x), 0, y);
    const auto result = to_vector(y);
    for (std::size_t row = 0; row < 200; ++row) {
      double expected = 0;
      for (auto k = host.row_map[row]; k < host.row_map[row + 1]; ++k)
        expected += x[static_cast<std::size_t>(host.entries[static_cast<std::size_t>(k)])];
      EXPECT_EQ(result[row], expected) << name(algorithm) << " row " << row;
    }
  }
}

/// Stored zeros are factors, also where a format has a bit or a place for each element, and where a zero fills a gap.
TEST(SpmvContract, AStoredZeroTimesInfinityIsNan) {
  for (auto host : {uneven_matrix<double>(200, 700, 9), banded_matrix<double>(300, 290, 4, 3),
                    block_matrix<double>(40, 40, 3, 4)}) {
    for (std::size_t k = 0; k < host.values.size(); ++k) host.values[k] = k % 3 == 0 ? 0.0 : 1.0;
    std::vector<double> x(static_cast<std::size_t>(host.columns), 1.0);
    x[static_cast<std::size_t>(host.entries[host.entries.size() / 2])] = inf;
    x[static_cast<std::size_t>(host.entries[host.entries.size() / 3])] = -inf;
    const auto A                                                       = make_crs<Matrix>(host);
    for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
      const Vector y("y", static_cast<std::size_t>(host.rows));
      spmv(Plan(A, {.algorithm = algorithm}), 1, make_view<Vector>("x", x), 0, y);
      const auto result = to_vector(y);
      int of_zeros      = 0;
      for (std::size_t row = 0; row < result.size(); ++row) {
        double expected = 0;
        for (auto k = host.row_map[row]; k < host.row_map[row + 1]; ++k)
          expected += host.values[static_cast<std::size_t>(k)] *
                      x[static_cast<std::size_t>(host.entries[static_cast<std::size_t>(k)])];
        if (std::isnan(expected))
          EXPECT_TRUE(std::isnan(result[row])) << name(algorithm) << " row " << row;
        else
          EXPECT_EQ(result[row], expected) << name(algorithm) << " row " << row;
        of_zeros += std::isnan(expected) ? 1 : 0;
      }
      EXPECT_GT(of_zeros, 0);
    }
  }
}

TEST(SpmvContract, OptionsOutOfRangeAreRefused) {
  const auto A = sample();
  EXPECT_THROW(Plan(A, {.precision = Precision::tf32}), NotSupported);
  EXPECT_THROW(Plan(A, {.team_size = 33}), InvalidArgument);
  EXPECT_THROW(Plan(A, {.lanes_per_row = 3}), InvalidArgument);
  EXPECT_THROW(Plan(A, {.lanes_per_row = 128}), InvalidArgument);
  EXPECT_THROW(Plan(A, {.expected_calls = -1}), InvalidArgument);
}

TEST(SpmvContract, MemoryLimitComesBeforeWork) {
  const auto A = sample();
  for (const SpmvAlgorithm algorithm :
       {SpmvAlgorithm::sell, SpmvAlgorithm::sliced_dia, SpmvAlgorithm::ell, SpmvAlgorithm::coo, SpmvAlgorithm::hyb,
        SpmvAlgorithm::padded_rows, SpmvAlgorithm::row_block, SpmvAlgorithm::dia, SpmvAlgorithm::scan_flat,
        SpmvAlgorithm::scan_matrix}) {
    const auto message = error_of<OutOfMemory>([&] { Plan(A, {.algorithm = algorithm, .memory_limit = 100}); });
    EXPECT_THAT(message, testing::AllOf(testing::StartsWith("lacuna::"), testing::HasSubstr("memory_limit is 100")))
        << name(algorithm);
  }
  EXPECT_THROW(Plan(A, {.op = Op::transpose, .memory_limit = 100}), OutOfMemory);
  EXPECT_THROW(
      Plan(make_crs<Matrix>(shuffled(random_matrix<double>(40, 50, 9))), {.algorithm = SpmvAlgorithm::sliced_dia}),
      InvalidMatrix);
  const Plan plan(A, {.memory_limit = 100});  // automatic finds what fits
  EXPECT_LE(plan.persistent_bytes(), 100u);
}

TEST(SpmvContract, ReportSaysWhatWasNotTaken) {
  const Plan plan(sample());
  EXPECT_THAT(plan.report(), testing::AllOf(testing::HasSubstr("rows        longest 8"),
                                            testing::HasSubstr("dia: published; asked for by name only")));
  EXPECT_THAT(Plan(sample(), {.algorithm = SpmvAlgorithm::naive}).report(), testing::HasSubstr("naive: asked for"));
  const double seconds = plan.expected_seconds();
  EXPECT_GT(seconds, 0.0);
  EXPECT_LE(plan.expected_seconds(), seconds) << "a host that is measured again is found no slower";
  EXPECT_EQ(Plan(sample(), {.algorithm = SpmvAlgorithm::naive}).expected_seconds(), 0.0);
}

TEST(SpmvContract, PlansThatWriteToAWorkspaceAreNotShared) {
  const auto A = make_crs<Matrix>(banded_matrix<double>(700, 690, 3, 4));
  for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
    const Plan plan(A, {.algorithm = algorithm});
    EXPECT_EQ(plan.shareable(), plan.temporary_bytes() == 0) << name(algorithm);
    const bool has_workspace = algorithm == SpmvAlgorithm::coo || algorithm == SpmvAlgorithm::scan_flat ||
                               algorithm == SpmvAlgorithm::scan_matrix;
    EXPECT_TRUE(!has_workspace || plan.temporary_bytes() > 0) << name(algorithm);
  }
}

TEST(SpmvContract, AnotherPatternIsRefused) {
  Plan plan(sample());
  const Exec exec;
  EXPECT_THROW(plan.update_values(exec, make_crs<Matrix>(banded_matrix<double>(70, 90, 4, 3))), InvalidArgument);
  EXPECT_THROW(plan.update_values(exec, make_crs<Matrix>(banded_matrix<double>(70, 91, 3, 4))), InvalidArgument);
  EXPECT_NO_THROW(plan.update_values(exec, make_crs<Matrix>(banded_matrix<double>(70, 90, 3, 4))));
}

/// Whoever says that the pattern is known is not asked again.
TEST(SpmvContract, APatternThatIsKnownIsNotCompared) {
  const auto A = from_rows<double>(4, {{0, 1}, {2}, {3}}), other = from_rows<double>(4, {{0, 1}, {1}, {3}}, 7);
  const Exec exec;
  Plan plan(make_crs<Matrix>(A), {.check_pattern = PatternCheck::off});
  EXPECT_THROW(plan.update_values(exec, make_crs<Matrix>(from_rows<double>(4, {{0, 1}, {2}, {}}))), InvalidArgument);
  EXPECT_THROW(plan.update_values(exec, make_crs<Matrix>(from_rows<double>(5, {{0, 1}, {2}, {3}}))), InvalidArgument);
  EXPECT_NO_THROW(plan.update_values(exec, make_crs<Matrix>(other)));
  EXPECT_THROW(Plan(make_crs<Matrix>(A)).update_values(exec, make_crs<Matrix>(other)), InvalidArgument);
}

/// A column or a row that changes in the arrays of A, under a plan that compares.
TEST(SpmvContract, AnotherPatternIsRefusedWhereItIsCompared) {
  const auto A = make_crs<Matrix>(from_rows<double>(4, {{0, 1}, {2}, {3}}));
  const Vector x("x", 4), y = make_view<Vector>("y", std::vector<double>(3, 5.0));
  const Plan plan(A, {.check_pattern = PatternCheck::on});
  Plan copy(A, {.algorithm = SpmvAlgorithm::ell, .check_pattern = PatternCheck::on});
  EXPECT_NO_THROW(spmv(plan, 1, x, 1, y));
  const auto set = [](const auto& view, std::size_t i, int value) {
    Kokkos::deep_copy(Kokkos::subview(view, i), value);
  };
  const Kokkos::View<int*, Exec::device_type> row_map(const_cast<int*>(A.graph.row_map.data()), 4);
  const auto expect_refused = [&](const std::string& what) {
    EXPECT_THAT(error_of<InvalidArgument>([&] { spmv(plan, 1, x, 0, y); }),
                testing::HasSubstr("lacuna::spmv: the pattern of A, 3x4 with 4 nonzeros"))
        << what;
    EXPECT_THROW(copy.update_values(Exec(), A), InvalidArgument) << what;
  };
  set(A.graph.entries, 3, 2);
  expect_refused("a column");
  set(A.graph.entries, 3, 3);
  set(row_map, 1, 1);
  expect_refused("a row");
  set(row_map, 1, 2);
  EXPECT_THAT(to_vector(y), testing::Each(5.0));
  EXPECT_NO_THROW(spmv(plan, 1, x, 0, y));
}

/// y = A x by the plan is what the serial reference says of `host`.
void expect_product(const Plan& plan, const HostMatrix<double>& host, const std::string& what) {
  const auto x = random_vector<double>(host.columns);
  const Vector y("y", static_cast<std::size_t>(host.rows));
  Kokkos::deep_copy(y, inf);
  spmv(plan, 1, make_view<Vector>("x", x), 0, y);
  EXPECT_TRUE(matches(reference_spmv(Op::none, 1.0, host, x, 0.0, {}), to_vector(y))) << what;
}

TEST(SpmvContract, APlanWorksOnAfterARefusedUpdate) {
  const auto host = banded_matrix<double>(70, 90, 3, 4), other = banded_matrix<double>(70, 90, 4, 3);
  const auto fresh = with_new_values(host);
  for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
    Plan plan(make_crs<Matrix>(host), {.algorithm = algorithm});
    EXPECT_THROW(plan.update_values(Exec(), make_crs<Matrix>(other)), InvalidArgument);
    EXPECT_THROW(plan.update_values(make_crs<Matrix>(other)), InvalidArgument);
    expect_product(plan, host, std::string(name(algorithm)) + ", refused");
    plan.update_values(Exec(), make_crs<Matrix>(fresh));
    Exec().fence();
    expect_product(plan, fresh, std::string(name(algorithm)) + ", updated");
  }
}

TEST(SpmvContract, NewValuesWithoutAnInstance) {
  const auto host = banded_matrix<double>(70, 90, 3, 4), fresh = with_new_values(host);
  for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
    Plan plan(make_crs<Matrix>(host), {.algorithm = algorithm});
    plan.update_values(make_crs<Matrix>(fresh));
    expect_product(plan, fresh, std::string(name(algorithm)));
  }
}

/// New values in the arrays of A count at once exactly where a plan says so.
TEST(SpmvContract, APlanSaysWhetherItReadsTheValuesOfA) {
  const Vector x = make_view<Vector>("x", random_vector<double>(90)), before("before", 70), after("after", 70);
  std::set<bool> said;
  for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
    const auto A = sample();
    const Plan plan(A, {.algorithm = algorithm});
    spmv(plan, 1, x, 0, before);
    Kokkos::deep_copy(A.values, 3.0);
    spmv(plan, 1, x, 0, after);
    EXPECT_EQ(plan.reads_values_of_A(), to_vector(before) != to_vector(after)) << name(algorithm);
    said.insert(plan.reads_values_of_A());
  }
  EXPECT_EQ(said.size(), 2U);
  EXPECT_FALSE(Plan(sample(), {.op = Op::transpose, .algorithm = SpmvAlgorithm::naive}).reads_values_of_A());
}

TEST(SpmvContract, ValuesOfAAreReadWhereAPlanMust) {
  EXPECT_TRUE(Plan(sample(), {.expected_calls = 1000000000, .reads_values_of_A = true}).reads_values_of_A());
  for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
    const auto plan = [&] { return Plan(sample(), {.algorithm = algorithm, .reads_values_of_A = true}); };
    if (algorithm == SpmvAlgorithm::automatic || Plan(sample(), {.algorithm = algorithm}).reads_values_of_A())
      EXPECT_TRUE(plan().reads_values_of_A()) << name(algorithm);
    else
      EXPECT_THAT(error_of<NotSupported>(plan),
                  testing::HasSubstr(std::string(name(algorithm)) + ": keeps a copy of the values of A"));
  }
  EXPECT_THAT(error_of<NotSupported>([] { Plan(sample(), {.op = Op::transpose, .reads_values_of_A = true}); }),
              testing::HasSubstr("reads_values_of_A with op transpose"));
}

TEST(SpmvContract, OtherInstances) {
  const auto host      = power_law_matrix<double>(257, 400);
  const auto x         = random_vector<double>(400);
  const auto reference = reference_spmv(Op::none, 1.0, host, x, 0.0, {});
  const auto A         = make_crs<Matrix>(host);
  const auto dx        = make_view<Vector>("x", x);
  const auto check     = [&](const Exec& exec, const std::string& what, const auto& product) {
    const Vector y("y", 257);
    Kokkos::deep_copy(y, inf);
    product(y);
    exec.fence();
    EXPECT_TRUE(matches(reference, to_vector(y))) << what;
  };
  for (const Exec& exec : Kokkos::Experimental::partition_space(Exec(), 1, 1)) {
    for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
      const Plan plan(exec, A, {.algorithm = algorithm});
      check(exec, std::string(name(algorithm)), [&](const Vector& y) { spmv(exec, plan, 1, dx, 0, y); });
    }
    check(exec, "one shot", [&](const Vector& y) { spmv(exec, 1, A, dx, 0, y); });
    // Made on one instance, called on another.
    const Plan plan(A);
    check(exec, "plan of the default instance", [&](const Vector& y) { spmv(exec, plan, 1, dx, 0, y); });
  }
}

TEST(SpmvContract, ReportNamesWhatRuns) {
  const Plan plan(sample(), {.algorithm = SpmvAlgorithm::sell});
  EXPECT_THAT(plan.report(),
              testing::AllOf(testing::HasSubstr("sell"), testing::HasSubstr("70x90"), testing::HasSubstr("set-up")));
  EXPECT_GT(plan.persistent_bytes(), 0u);
  EXPECT_NE(Plan(sample()).algorithm(), SpmvAlgorithm::automatic);
}

TEST(SpmvContract, ManyEmptyRowsAreSharedOut) {
  // A matrix that is nearly all empty rows: every one must still be stored.
  std::vector<std::vector<std::int64_t>> rows(100000);
  rows[50000]          = {3, 7};
  const auto host      = from_rows<double>(10, rows);
  const auto x         = random_vector<double>(10);
  const auto reference = reference_spmv(Op::none, 1.0, host, x, 0.0, {});
  for (const SpmvAlgorithm algorithm :
       {SpmvAlgorithm::nonzero_split, SpmvAlgorithm::sell, SpmvAlgorithm::sliced_dia, SpmvAlgorithm::row_split}) {
    const Vector y("y", 100000);
    Kokkos::deep_copy(y, inf);
    spmv(Plan(make_crs<Matrix>(host), {.algorithm = algorithm}), 1, make_view<Vector>("x", x), 0, y);
    EXPECT_TRUE(matches(reference, to_vector(y))) << name(algorithm);
  }
}

/// A band in the slices that a sample looks at, and where `outside` says so something else in one that it does not.
HostMatrix<double> band_with(std::int64_t slices, const std::vector<std::int64_t>& outside) {
  const std::int64_t samples = Impl::FormatTuning::sliced_dia_samples;
  std::set<std::int64_t> sampled;
  for (std::int64_t i = 0; i < samples; ++i) sampled.insert(i * (slices - 1) / (samples - 1));
  Random random(8);
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t row = 0; row < 32 * slices; ++row) {
    rows.push_back({row, row + 1, row + 2, row + 9, row + 100, row + 101});
    if (sampled.count(row / 32) > 0 || outside.empty()) continue;
    rows.back() = outside.size() == 1 ? random.distinct(6, 32 * slices) : outside;
  }
  return from_rows<double>(32 * slices + 200, rows);
}

TEST(SpmvContract, DiagonalsAreChosenWhereTheyFillAndOnlyThere) {
  const std::int64_t slices = 2000;
  const bool is_gpu         = ExecutionTraits<Exec>::is_gpu;
  const auto x              = random_vector<double>(32 * slices + 200);
  // All a band; what the sample does not see is scattered; it is not sorted.
  for (const std::vector<std::int64_t>& outside : {std::vector<std::int64_t>{}, {0}, {9, 7, 5, 3, 1}}) {
    const auto host = band_with(slices, outside);
    const Plan plan(make_crs<Matrix>(host), {.expected_calls = 1000000000});
    EXPECT_EQ(plan.algorithm() == SpmvAlgorithm::sliced_dia, is_gpu && outside.empty()) << plan.report();
    const Vector y("y", static_cast<std::size_t>(32 * slices));
    spmv(plan, 1, make_view<Vector>("x", x), 0, y);
    EXPECT_TRUE(matches(reference_spmv(Op::none, 1.0, host, x, 0.0, {}), to_vector(y))) << plan.report();
  }
}

TEST(SpmvContract, UnalignedArraysOfAMatrix) {
  // Views into larger allocations: values and columns start at odd places.
  const auto host = random_matrix<double>(90, 90, 11);
  const auto A    = make_crs<Matrix>(host);
  const auto n    = static_cast<std::size_t>(host.nonzeros());
  const Vector values("values", n + 1);
  const Kokkos::View<int*, Exec::device_type> entries("entries", n + 3);
  const auto own_values  = Kokkos::subview(values, Kokkos::make_pair(std::size_t(1), n + 1));
  const auto own_entries = Kokkos::subview(entries, Kokkos::make_pair(std::size_t(3), n + 3));
  Kokkos::deep_copy(own_values, A.values);
  Kokkos::deep_copy(own_entries, A.graph.entries);
  const Matrix shifted("shifted", 90, 90, static_cast<int>(n), own_values, A.graph.row_map, own_entries);
  const auto x         = random_vector<double>(90);
  const auto reference = reference_spmv(Op::none, 1.0, host, x, 0.0, {});
  for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
    const Vector y("y", 90);
    spmv(Plan(shifted, {.algorithm = algorithm}), 1, make_view<Vector>("x", x), 0, y);
    EXPECT_TRUE(matches(reference, to_vector(y))) << name(algorithm);
  }
}

}  // namespace
}  // namespace lacuna::Test

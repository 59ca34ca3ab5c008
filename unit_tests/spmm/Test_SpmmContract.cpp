// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>

#include <spmm/Spmm_Check.hpp>
#include <support/Reference_Space.hpp>
#include <support/Test_UnreachableSpace.hpp>

#include <gmock/gmock.h>

#include <optional>
#include <type_traits>
#include <utility>

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Block  = Kokkos::View<double**, Kokkos::LayoutRight, Device>;
using Plan   = SpmmPlan<Matrix>;

static_assert(std::is_move_constructible_v<Plan> && std::is_move_assignable_v<Plan>);
static_assert(!std::is_copy_constructible_v<Plan> && !std::is_copy_assignable_v<Plan>);
static_assert(Impl::is_accessible<Exec, Block, Matrix::values_type>);
static_assert(!Impl::is_accessible<Exec, Block, Kokkos::View<double**, UnreachableSpace>>);

constexpr double inf = std::numeric_limits<double>::infinity();

/// 70 × 90
Matrix sample() { return make_crs<Matrix>(banded_matrix<double>(70, 90, 3, 4)); }

Block filled(double value, std::int64_t rows, std::int64_t columns) {
  const Block block("block", static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  Kokkos::deep_copy(block, value);
  return block;
}

TEST(SpmmContract, ExtentsThatDoNotFitAreNamedAndNothingIsTouched) {
  const Plan plan(sample(), {.columns = 8});
  const auto C       = filled(5.0, 70, 8);
  const auto message = error_of<DimensionMismatch>([&] { spmm(Exec(), plan, 1, filled(1, 89, 8), 0, C); });
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("lacuna::spmm"), testing::HasSubstr("70x90"),
                                      testing::HasSubstr("89x8"), testing::HasSubstr("70x8")));
  EXPECT_THROW(spmm(Exec(), plan, 1, filled(1, 90, 7), 0, C), DimensionMismatch);
  EXPECT_THROW(spmm(Exec(), plan, 1, filled(1, 90, 8), 0, filled(1, 71, 8)), DimensionMismatch);
  EXPECT_THROW(spmm(Exec(), 1, sample(), filled(1, 90, 7), 0, C), DimensionMismatch);
  EXPECT_THROW(spmm(plan, 1, filled(1, 90, 7), 0, C), DimensionMismatch);
  EXPECT_THAT(to_row_major(C), testing::Each(5.0));
}

TEST(SpmmContract, AnotherPatternIsRefusedWhereItIsCompared) {
  const auto A = sample();
  const Plan plan(A, {.columns = 8, .check_pattern = PatternCheck::on});
  const auto C = filled(5.0, 70, 8);
  EXPECT_NO_THROW(spmm(plan, 1, filled(0, 90, 8), 1, C));
  Kokkos::deep_copy(A.graph.entries, 1);
  EXPECT_THAT(error_of<InvalidArgument>([&] { spmm(plan, 1, filled(1, 90, 8), 0, C); }),
              testing::HasSubstr("lacuna::spmm: the pattern of A, 70x90 with "));
  EXPECT_THAT(to_row_major(C), testing::Each(5.0));
}

TEST(SpmmContract, AliasingIsRefusedAndNothingIsTouched) {
  const auto A     = make_crs<Matrix>(banded_matrix<double>(64, 64, 1, 1));
  const auto block = filled(2.0, 64, 20);
  const auto part = [&](int begin, int end) { return Kokkos::subview(block, Kokkos::ALL, std::make_pair(begin, end)); };
  EXPECT_THROW(spmm(Exec(), 1, A, block, 0, block), InvalidArgument);
  EXPECT_THROW(spmm(Plan(A), 1, part(0, 8), 0, part(7, 15)), InvalidArgument);
  EXPECT_THAT(to_row_major(block), testing::Each(2.0));
  EXPECT_NO_THROW(spmm(Plan(A), 1, part(0, 8), 0, part(8, 16)));
}

TEST(SpmmContract, ATransposedPlanHasTheOtherExtents) {
  const Plan plan(sample(), {.op = Op::transpose, .columns = 3});
  EXPECT_EQ(plan.rows(), 90);
  EXPECT_EQ(plan.columns(), 70);
  EXPECT_EQ(plan.op(), Op::transpose);
  EXPECT_THROW(spmm(Exec(), plan, 1, filled(1, 90, 3), 0, filled(1, 70, 3)), DimensionMismatch);
}

TEST(SpmmContract, BetaZeroStoresAndAlphaZeroScales) {
  for (const std::int64_t columns : {1, 5, 33}) {
    const Plan plan(sample(), {.columns = columns});
    const auto B = filled(0.0, 90, columns), C = filled(inf, 70, columns);
    spmm(plan, 0.0, B, 0.0, C);
    EXPECT_THAT(to_row_major(C), testing::Each(0.0));
    Kokkos::deep_copy(C, std::numeric_limits<double>::quiet_NaN());
    spmm(plan, 1.0, B, 0.0, C);
    EXPECT_THAT(to_row_major(C), testing::Each(0.0));
    Kokkos::deep_copy(C, 3.0);
    Kokkos::deep_copy(B, inf);  // alpha == 0: B is not read
    spmm(plan, 0.0, B, -2.0, C);
    EXPECT_THAT(to_row_major(C), testing::Each(-6.0));
    Kokkos::deep_copy(C, inf);
    spmm(Exec(), 0, sample(), B, 0, C);
    Exec().fence();
    EXPECT_THAT(to_row_major(C), testing::Each(0.0));
  }
}

TEST(SpmmContract, InfinityInBReachesOnlyRowsThatUseIt) {
  auto host = uneven_matrix<double>(200, 700, 9);
  for (auto& value : host.values) value = 1.0;
  const std::int64_t poisoned = host.entries[host.entries.size() / 2];
  for (const std::int64_t columns : {1, 4, 7}) {
    std::vector<double> b(static_cast<std::size_t>(700 * columns), 1.0);
    for (std::int64_t j = 0; j < columns; ++j) b[static_cast<std::size_t>(poisoned * columns + j)] = inf;
    const auto C = filled(0, 200, columns);
    spmm(Plan(make_crs<Matrix>(host), {.columns = columns}), 1, make_block<Block>("B", b, 700, columns), 0, C);
    const auto result = to_row_major(C);
    for (std::size_t row = 0; row < 200; ++row) {
      double expected = 0;
      for (auto k = host.row_map[row]; k < host.row_map[row + 1]; ++k)
        expected += host.entries[static_cast<std::size_t>(k)] == poisoned ? inf : 1.0;
      for (std::int64_t j = 0; j < columns; ++j)
        EXPECT_EQ(result[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(j)], expected) << row;
    }
  }
}

TEST(SpmmContract, OptionsOutOfRangeAreRefused) {
  const auto A = sample();
  EXPECT_THROW(Plan(A, {.columns = -1}), InvalidArgument);
  EXPECT_THROW(Plan(A, {.expected_calls = -1}), InvalidArgument);
  EXPECT_THROW(Plan(A, {.panel_rows = 9}), InvalidArgument);
  EXPECT_THROW(Plan(A, {.team_size = 33}), InvalidArgument);
  EXPECT_NO_THROW(Plan(A, {.columns = 0}));
}

TEST(SpmmContract, MemoryLimitComesBeforeWork) {
  const auto message = error_of<OutOfMemory>([&] { Plan(sample(), {.op = Op::transpose, .memory_limit = 100}); });
  EXPECT_THAT(message, testing::AllOf(testing::StartsWith("lacuna::"), testing::HasSubstr("memory_limit is 100")));
  const Plan plan(sample(), {.columns = 5, .memory_limit = 100});  // automatic finds what fits
  EXPECT_LE(plan.persistent_bytes() + plan.temporary_bytes(), 100u);
  // A column-major B is then read as it stands.
  check_spmm<Device>(NamedMatrix<double>{"limit", banded_matrix<double>(70, 90, 3, 4)},
                     SpmmCase<double>{.columns = 5, .b = Storage::columns}, "",
                     [&](const auto&, const auto& b, const auto& c) { spmm(plan, 1, b, 0, c); });
  EXPECT_EQ(plan.temporary_bytes(), 0u);
}

TEST(SpmmContract, AColumnMajorBIsCopiedToTheWorkspaceInPanels) {
  const auto host = random_matrix<double>(600, 500, 90);
  const auto A    = make_crs<Matrix>(host);
  for (const DenseLayout layout : {DenseLayout::any, DenseLayout::row_major, DenseLayout::column_major}) {
    const Plan plan(A, {.columns = 64, .b_layout = layout});
    const std::size_t room = plan.temporary_bytes();
    EXPECT_EQ(room == 0, layout == DenseLayout::row_major);
    EXPECT_EQ(plan.shareable(), layout == DenseLayout::row_major);
    if (layout == DenseLayout::column_major) EXPECT_EQ(room, 500 * 64 * sizeof(double));
    for (const std::int64_t columns : {64, 30, 101, 1})
      for (const Storage b : {Storage::long_columns, Storage::rows})
        check_spmm<Device>(
            NamedMatrix<double>{"repacked", host}, SpmmCase<double>{.columns = columns, .b = b, .c = Storage::columns},
            std::string(name(layout)), [&](const auto&, const auto& B, const auto& C) { spmm(plan, 1, B, 0, C); });
    EXPECT_EQ(plan.temporary_bytes(), room) << "products allocate nothing";
  }
}

TEST(SpmmContract, TheWorkspaceKeepsToTheMemoryLimit) {
  const auto host = random_matrix<double>(600, 500, 90);
  const auto A    = make_crs<Matrix>(host);
  for (const std::size_t columns : {0, 16, 48}) {
    const std::size_t limit = columns * 500 * sizeof(double);
    const Plan plan(A, {.columns = 64, .memory_limit = limit, .b_layout = DenseLayout::column_major});
    EXPECT_LE(plan.temporary_bytes(), limit);  // panels are whole tiles of 32 columns at most
    EXPECT_GE(plan.temporary_bytes(), columns / 32 * 32 * 500 * sizeof(double));
    check_spmm<Device>(NamedMatrix<double>{"limit", host}, SpmmCase<double>{.columns = 64, .b = Storage::columns},
                       std::to_string(columns),
                       [&](const auto&, const auto& B, const auto& C) { spmm(plan, 1, B, 0, C); });
  }
}

TEST(SpmmContract, AnotherPatternIsRefused) {
  Plan plan(sample());
  const Exec exec;
  EXPECT_THROW(plan.update_values(exec, make_crs<Matrix>(banded_matrix<double>(70, 90, 4, 3))), InvalidArgument);
  EXPECT_THROW(plan.update_values(exec, make_crs<Matrix>(banded_matrix<double>(70, 91, 3, 4))), InvalidArgument);
  EXPECT_NO_THROW(plan.update_values(exec, make_crs<Matrix>(banded_matrix<double>(70, 90, 3, 4))));
}

TEST(SpmmContract, ReportSaysWhatRunsAndWhy) {
  const Plan plan(sample(), {.columns = 17});
  EXPECT_NE(plan.algorithm(), SpmmAlgorithm::automatic);
  EXPECT_THAT(plan.report(),
              testing::AllOf(testing::HasSubstr(std::string(name(plan.algorithm())) + ": "),
                             testing::HasSubstr("70x90"), testing::HasSubstr("N = 17"), testing::HasSubstr("set-up")));
  EXPECT_GT(plan.setup_seconds(), 0.0);
  EXPECT_GT(plan.expected_seconds(), 0.0);
}

TEST(SpmmContract, MatricesWithoutAnything) {
  const auto check = [](std::int64_t rows, std::int64_t columns, std::int64_t n) {
    const auto A = make_crs<Matrix>(
        from_rows<double>(columns, std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(rows))));
    const auto B = filled(inf, columns, n), C = filled(4.0, rows, n);
    spmm(Plan(A, {.columns = n}), 1, B, 0.5, C);
    EXPECT_THAT(to_row_major(C), testing::Each(2.0));
    spmm(Plan(A, {.op = Op::transpose, .columns = n}), 1, C, 0, B);
    EXPECT_THAT(to_row_major(B), testing::Each(0.0));
    spmm(1, A, B, 0, C);
    EXPECT_THAT(to_row_major(C), testing::Each(0.0));
  };
  check(0, 0, 4);
  check(0, 5, 4);
  check(5, 0, 4);
  check(5, 7, 4);
  check(5, 7, 0);
  // A matrix that was never given anything.
  const Block none("none", 0, 3);
  EXPECT_NO_THROW(spmm(1, Matrix(), none, 0, none));
}

TEST(SpmmContract, ConstViewsAndMatrices) {
  using Constant  = KokkosSparse::CrsMatrix<const double, const int, Device, void, const int>;
  const auto host = random_matrix<double>(33, 20, 4);
  const auto A    = make_crs<Matrix>(host);
  const Constant constant("A", 33, 20, static_cast<int>(host.nonzeros()), A.values, A.graph.row_map, A.graph.entries);
  const auto b                                                      = random_vector<double>(20 * 6);
  const Kokkos::View<const double**, Kokkos::LayoutRight, Device> B = make_block<Block>("B", b, 20, 6);
  const auto C                                                      = filled(inf, 33, 6);
  const auto reference = reference_spmm(Op::none, 1.0, host, b, 6, 0.0, {});
  SpmmPlan plan(constant, {.columns = 6});
  spmm(plan, 1, B, 0, C);
  EXPECT_TRUE(matches(reference, to_row_major(C)));

  // It takes new values too, in other arrays here.
  auto twice = host;
  for (double& value : twice.values) value *= 2;
  const auto other = make_crs<Matrix>(twice);
  plan.update_values(
      Constant("A", 33, 20, static_cast<int>(host.nonzeros()), other.values, A.graph.row_map, A.graph.entries));
  spmm(plan, 1, B, 0, C);
  EXPECT_TRUE(matches(reference_spmm(Op::none, 1.0, twice, b, 6, 0.0, {}), to_row_major(C)));
}

TEST(SpmmContract, HalfPrecisionCanBeSummedIntoFloat) {
  using Half     = Kokkos::Experimental::half_t;
  using Halves   = KokkosSparse::CrsMatrix<Half, int, Device, void, int>;
  const auto A   = random_matrix<Half>(40, 300, 200);
  const auto b   = random_vector<Half>(300 * 10);
  const auto B   = make_block<Kokkos::View<Half**, Kokkos::LayoutRight, Device>>("B", b, 300, 10);
  const auto run = [&](const auto& C) { spmm(SpmmPlan(make_crs<Halves>(A), {.columns = 10}), 1.0f, B, 0.0f, C); };
  const Kokkos::View<float**, Kokkos::LayoutRight, Device> C("C", 40, 10);
  run(C);
  EXPECT_TRUE(matches(reference_spmm(Op::none, 1.0f, A, b, 10, 0.0f, {}), to_row_major(C)));
}

TEST(SpmmContract, OtherInstances) {
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const auto host      = power_law_matrix<double>(257, 400);
  for (const auto& exec : instances) {
    const SpmmPlan plan(exec, make_crs<Matrix>(host), {.columns = 24});
    check_spmm<Device>(NamedMatrix<double>{"instance", host}, SpmmCase<double>{.columns = 24}, "",
                       [&](const auto&, const auto& b, const auto& c) { spmm(exec, plan, 1, b, 0, c); });
    check_spmm<Device>(
        NamedMatrix<double>{"instance", host}, SpmmCase<double>{.columns = 24}, "one shot",
        [&](const auto&, const auto& b, const auto& c) { spmm(exec, 1, make_crs<Matrix>(host), b, 0, c); });
  }
}

TEST(SpmmContract, SerialBesideTheDefaultSpace) {
  if (!has_serial) GTEST_SKIP() << no_serial;
  using Complex = Kokkos::complex<float>;
  using Host    = KokkosSparse::CrsMatrix<Complex, int, ReferenceSpace::device_type, void, int>;
  const auto A  = make_crs<Host>(power_law_matrix<Complex>(257, 400));
  for (const std::int64_t columns : {3, 32, 45})
    check_spmm<ReferenceSpace::device_type>(
        NamedMatrix<Complex>{"serial", to_host(A)}, SpmmCase<Complex>{.columns = columns}, "",
        [&](const auto&, const auto& b, const auto& c) {
          spmm(ReferenceSpace(), SpmmPlan(ReferenceSpace(), A, {.columns = columns}), 1, b, 0, c);
        });
}

TEST(SpmmContract, MovedPlansWork) {
  const auto host = uneven_matrix<double>(50, 60, 9);
  Plan plan(make_crs<Matrix>(host), {.op = Op::transpose, .columns = 4});
  Plan other(make_crs<Matrix>(host));
  other = std::move(plan);
  check_spmm<Device>(NamedMatrix<double>{"moved", host}, SpmmCase<double>{.columns = 4, .op = Op::transpose}, "",
                     [&](const auto&, const auto& b, const auto& c) { spmm(other, 1, b, 0, c); });
}

}  // namespace
}  // namespace lacuna::Test

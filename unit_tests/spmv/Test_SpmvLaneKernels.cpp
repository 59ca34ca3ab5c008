// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmv/Spmv_OneShot_Cases.hpp>

// On the default execution space: a GPU, or a host, whose teams have one thread.

namespace lacuna::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class Kernels>
class SpmvLaneKernels : public testing::Test {};
using Types =
    testing::Types<LaneKernels<Exec, Exec, float, int, int>, LaneKernels<Exec, Exec, double, int, std::size_t>,
                   LaneKernels<Exec, Exec, Kokkos::complex<double>, std::int64_t, std::int64_t>>;
TYPED_TEST_SUITE(SpmvLaneKernels, Types);

TYPED_TEST(SpmvLaneKernels, OneShotOnSamples) { TypeParam::one_shot_samples(); }
TYPED_TEST(SpmvLaneKernels, OneShotAtLimitsOfTiles) { TypeParam::one_shot_limits(); }
TYPED_TEST(SpmvLaneKernels, OneShotHasTheSameBitsOnEveryRun) { TypeParam::one_shot_has_the_same_bits(); }
TYPED_TEST(SpmvLaneKernels, RowSplitOnSamples) { TypeParam::row_split_samples(); }

TEST(SpmvOneShot, TilesFollowTheMatrixAndTheDevice) {
  const std::int64_t places = 4096;
  EXPECT_EQ(Impl::spmv_one_shot_tile(1000, places, 264), 512) << "the least";
  EXPECT_EQ(Impl::spmv_one_shot_tile(264 * 2000, places, 264), 2000) << "as many tiles as are wanted";
  EXPECT_EQ(Impl::spmv_one_shot_tile(100000000, places, 264), 3584) << "the most: there is room for one more row";
  EXPECT_LE(Impl::spmv_one_shot_tile(1000, 512, 264), 512);
}

/// The schedule of a plan of SpMV.
template <class Arrays>
auto schedule_of(const Arrays& A, std::size_t memory) {
  const auto lengths    = Impl::length_statistics(Exec(), A);
  const auto statistics = Impl::rows_statistics(Exec(), A);
  Impl::RowsSchedule<Arrays, Exec::memory_space> schedule(lengths, statistics.mean);
  Impl::MemoryBudget budget("SpmvPlan", memory);
  schedule.build(Exec(), A, statistics, lengths, Impl::spmv_rows_demand(lengths.longest, {}), budget);
  return schedule;
}

TEST(SpmvRowSplit, RowsAreSortedCutOrLeft) {
  using Matrix    = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
  const auto plan = [](const HostMatrix<double>& host, std::size_t memory) {
    const auto A = make_crs<Matrix>(host);
    return schedule_of(Impl::arrays_of(A), memory);
  };
  const auto even = plan(random_matrix<double>(500, 400, 9), unlimited);
  EXPECT_EQ(even.bytes(), 0u);
  EXPECT_EQ(even.view().longest_here, Impl::no_row_limit);
  EXPECT_EQ(even.text(), "as they stand");
  const auto skewed = dense_row_matrix<double>(500, 400, 7);
  const auto sorted = plan(skewed, unlimited);
  EXPECT_TRUE(sorted.sorted() != nullptr);
  EXPECT_FALSE(sorted.cuts_rows());
  constexpr std::size_t list = 500 * sizeof(Impl::ListedRow<Impl::CrsArraysOf<Matrix>>);
  EXPECT_EQ(sorted.bytes(), list);
  EXPECT_NE(sorted.text().find("sorted by length"), std::string::npos);
  const auto refused = plan(skewed, list - 1);
  EXPECT_EQ(refused.bytes(), 0u);
  EXPECT_NE(refused.view().longest_here, Impl::no_row_limit) << "a long row takes a team";
  const auto longer = dense_row_matrix<double>(500, 20000, 7);
  const auto cut    = plan(longer, unlimited);
  ASSERT_NE(cut.sorted(), nullptr);
  EXPECT_TRUE(cut.cuts_rows());
  EXPECT_EQ(cut.sorted()->by_team, 10) << "20000 in segments of 2048";
  EXPECT_EQ(cut.sorted()->rows.extent(0), 509u);
  EXPECT_EQ(plan(longer, cut.bytes()).bytes(), cut.bytes());
  EXPECT_EQ(plan(longer, cut.bytes() - 1).bytes(), 0u);
}

TEST(SpmvRowSplit, SegmentsAreAddedUpInEveryCall) {
  using Matrix      = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
  using Vector      = Kokkos::View<double*, Exec::device_type>;
  const auto host   = dense_row_matrix<double>(500, 20000, 7);
  const auto x      = random_vector<double>(20000, 5);
  const auto A      = make_crs<Matrix>(host);
  const auto arrays = Impl::arrays_of(A);
  const auto plan   = schedule_of(arrays, unlimited);
  const auto shape  = Impl::column_shape(Impl::rows_statistics(Exec(), arrays), plan.view().order(), 0);
  EXPECT_TRUE(plan.cuts_rows());
  const auto dx = make_view<Vector>("x", x);
  std::vector<double> first;
  for (int call = 0; call < 4; ++call) {
    Vector y("y", 500);
    const Impl::VectorArguments<double> arguments{2.0, {dx.data(), sizeof(double)}, 0.0, {y.data(), sizeof(double)}};
    Impl::launch_column(Exec(), arrays, Impl::one_column(arguments, arrays.rows, arrays.columns), plan.view(), shape,
                        0);
    Kokkos::fence();
    const auto result = to_vector(y);
    EXPECT_TRUE(matches(reference_spmv<double>(Op::none, 2.0, host, x, 0.0, std::vector<double>(500)), result)) << call;
    if (call == 0) first = result;
    EXPECT_EQ(first, result) << "call " << call;
  }
}

}  // namespace
}  // namespace lacuna::Test

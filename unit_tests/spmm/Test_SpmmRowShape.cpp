// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/rows/Lacuna_RowsKernel.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <set>

namespace lacuna::Test {
namespace {

using Impl::choose_row_shape;
using Impl::RowsPolicy;

/// Threads of an H200, 27 nonzeros a row.
constexpr Impl::RowsStatistics device{.rows = 1000000, .mean = 27, .lane_width = 32, .concurrency = 270336};

TEST(RowsShape, NoLaneIdlesWhereNIsSmall) {
  for (const auto& [columns, lanes] :
       {std::pair<std::int64_t, int>{4, 1}, {8, 2}, {12, 3}, {16, 4}, {24, 6}, {32, 8}}) {
    const auto shape = choose_row_shape(device, columns, 4, 4);
    EXPECT_EQ(shape.vector, 4) << columns;
    EXPECT_EQ(shape.lanes * shape.lane_vectors, lanes) << columns;
    EXPECT_EQ(shape.tiles, 1) << columns;
  }
}

TEST(RowsShape, EveryNIsCoveredByLanesThatFitAGroup) {
  for (const int lane_width : {1, 32, 64})
    for (const int widest : {1, 2, 4, 8})
      for (int vector = widest; vector >= 1; vector = vector == widest && widest > 2 ? widest / 2 : vector > 1 ? 1 : 0)
        for (const double mean : {0.0, 1.0, 5.0, 30.0, 500.0})
          for (std::int64_t columns = 1; columns <= 1100; ++columns) {
            auto statistics       = device;
            statistics.lane_width = lane_width, statistics.mean = mean;
            const auto shape = choose_row_shape(statistics, columns, widest, vector);
            ASSERT_GE(shape.tiles * shape.tile(), columns);
            ASSERT_LT((shape.tiles - 1) * shape.tile(), columns) << "an empty tile";
            ASSERT_GE(shape.rows_per_warp(lane_width), 1);
            ASSERT_LE(shape.vector, vector);
            ASSERT_TRUE(shape.vector == widest || shape.vector == widest / 2 || shape.vector == 1);
            ASSERT_TRUE(shape.lane_vectors == 1 || shape.lane_vectors == 2 || shape.lane_vectors == 4);
            const auto walks = choose_row_shape(statistics, columns, widest, vector, Impl::RowsOrder::items);
            ASSERT_EQ(walks.split_k, 1);
            ASSERT_TRUE(walks.lane_vectors <= 2 || walks.vector == 1) << "no such kernel";
            ASSERT_GE(walks.tiles * walks.tile(), columns);
            ASSERT_LE(walks.tiles * walks.tile(), columns + columns / 32 + 16)
                << "more than the partial sums have room for";
            ASSERT_LE(walks.tiles, columns / lane_width + 1) << "more tiles than counters";
          }
}

TEST(RowsShape, EvenRowsHaveAPolicyWhereTheirTilesFillN) {
  using Tuning = Impl::RowsPolicy;
  for (const std::size_t bytes : {2, 4, 8})
    for (std::int64_t vectors = 1; vectors <= 1024; ++vectors)
      for (const double mean : {2., 9.9, 10., 40., 80., 600.})
        for (const double fill : {0.01, 0.2, 0.3, 0.6, 1., 1.6, 40.}) {
          const auto policy = Tuning::even_policy(vectors, mean, fill, bytes);
          if (policy.lanes == 0) continue;
          ASSERT_EQ(vectors % (policy.lanes * policy.lane_vectors), 0) << "a tile that is not whole";
          ASSERT_LE(policy.lanes * policy.split_k, 32) << "more lanes than a warp has";
          ASSERT_EQ(policy.threads % 64, 0) << "a team of whole warps";
          ASSERT_LE(policy.threads, Tuning::row_team);
        }
  const auto policy = [](std::int64_t vectors, double mean) { return Tuning::even_policy(vectors, mean, 8, 4); };
  EXPECT_EQ(policy(8, 6), Tuning::even_narrow);
  EXPECT_EQ(policy(16, 27), Tuning::even_sixteen);
  EXPECT_EQ(policy(32, 6), Tuning::even_short);
  EXPECT_EQ(policy(32, 27), Tuning::even_middle);
  EXPECT_EQ(policy(128, 27), Tuning::even_wide);
  EXPECT_EQ(policy(10, 27).lanes, 0);
  EXPECT_EQ(policy(24, 27).lanes, 0);
  EXPECT_EQ(policy(48, 27), Tuning::even_sixteen);
  EXPECT_EQ(policy(48, 6), Tuning::even_short);
  EXPECT_EQ(Tuning::even_policy(32, 27, 8, 2), Tuning::even_middle_half);
  EXPECT_EQ(Tuning::even_policy(16, 27, 8, 2).lanes, 0);
}

TEST(RowsShape, LongEvenRowsAndFewOfThemHaveManyNonzerosOnTheirWay) {
  using Tuning = Impl::RowsPolicy;
  // Threads that an H200 holds: 270,336.
  const auto policy = [](std::int64_t rows, std::int64_t columns, double mean, std::size_t bytes = 4) {
    const std::int64_t vectors = columns * static_cast<std::int64_t>(bytes) / 16;
    return Tuning::even_policy(vectors, mean, static_cast<double>(rows * vectors) / 135168, bytes);
  };
  EXPECT_EQ(policy(4096, 128, 82), Tuning::staged(32));
  EXPECT_EQ(policy(4096, 128, 39), Tuning::even_long(32, 1)) << "too short to be staged";
  EXPECT_EQ(policy(4096, 64, 82), Tuning::even_long(16, 2));
  EXPECT_EQ(policy(4096, 32, 82), Tuning::even_long(8, 4));
  EXPECT_EQ(policy(14000, 32, 132), Tuning::even_narrow) << "nothing to share, and teams enough";
  EXPECT_EQ(policy(20000, 32, 132), Tuning::staged(8));
  EXPECT_FALSE(Tuning::even_rows_are_long(8, 132, 0.83, 4)) << "the general kernel may have parts there";
  EXPECT_TRUE(Tuning::even_rows_are_long(8, 82, 0.24, 4));
  EXPECT_EQ(policy(14000, 64, 132), Tuning::staged(16));
  EXPECT_EQ(policy(4096, 128, 82, 2), Tuning::even_long(16, 2)) << "the same rows of half precision";
  EXPECT_EQ(policy(4096, 64, 82, 2), Tuning::even_long(8, 4));
  EXPECT_EQ(policy(1024, 128, 205), Tuning::even_long(8, 4)) << "narrower tiles, for rows are few";
  EXPECT_EQ(policy(2048, 128, 102), Tuning::even_long(16, 2));
  EXPECT_EQ(policy(2048, 128, 410), Tuning::staged(32)) << "such long rows stay whole";
  EXPECT_EQ(policy(4096, 512, 410), Tuning::staged(16));
  EXPECT_EQ(policy(2048, 512, 102), Tuning::even_long(32, 1)) << "few rows in wide tiles";
  EXPECT_EQ(policy(2048, 512, 410), Tuning::staged_wide) << "but long ones";
  EXPECT_EQ(policy(4096, 512, 410, 2), Tuning::even_long(32, 1));
  EXPECT_EQ(policy(4096, 2048, 410, 2), Tuning::even_wide_long);
  EXPECT_EQ(policy(4096, 512, 82), Tuning::staged(16)) << "may be random";
  EXPECT_EQ(policy(40000, 512, 82), Tuning::staged_wide) << "a mesh, it may be";
  EXPECT_EQ(policy(400, 400, 20), Tuning::even_long(4, 2));
  EXPECT_EQ(policy(400, 400, 8), Tuning::even_long(4, 1)) << "nothing to share";
  EXPECT_EQ(policy(4096, 2000, 80).lanes, 0) << "tiles of 16 columns do not fill a warp";
  EXPECT_EQ(policy(16000, 128, 80, 2), Tuning::even_long(16, 1));
  EXPECT_EQ(policy(17000, 128, 80, 2).lanes, 0) << "a mesh, it may be";
  EXPECT_EQ(policy(100000, 128, 80), Tuning::staged(32));
  EXPECT_EQ(policy(100000, 128, 27), Tuning::even_middle);
  EXPECT_EQ(policy(40000, 128, 82, 8), Tuning::staged_wide);
  EXPECT_EQ(policy(4096, 128, 82, 8), Tuning::even_wide) << "few rows in wide tiles";
  EXPECT_EQ(policy(4096, 128, 39, 8), Tuning::even_wide);
  EXPECT_EQ(policy(400, 128, 82, 8), Tuning::even_wide) << "rows are few";
  EXPECT_EQ(policy(4096, 16, 82, 8), Tuning::even_narrow) << "not measured";
  EXPECT_EQ(policy(4096, 128, 82, 16), Tuning::even_wide) << "nor complex double";
}

TEST(RowsShape, LongRowsAndSmallMatricesGetLanesAlongTheRow) {
  auto statistics = device;
  EXPECT_EQ(choose_row_shape(statistics, 32, 4, 4).split_k, 1);
  statistics.mean = 75;
  EXPECT_EQ(choose_row_shape(statistics, 32, 4, 4).split_k, 1) << "rows fill the device";
  statistics.rows = 40000;
  EXPECT_EQ(choose_row_shape(statistics, 32, 4, 4).split_k, 2);
  EXPECT_GE(choose_row_shape(statistics, 4, 4, 4).split_k, 4);
  statistics.mean = 20;
  EXPECT_EQ(choose_row_shape(statistics, 32, 4, 4).split_k, 1);
  statistics.rows = 2000;
  EXPECT_GT(choose_row_shape(statistics, 32, 4, 4).split_k, 1);
  statistics.mean = 3;
  EXPECT_EQ(choose_row_shape(statistics, 32, 4, 4).split_k, 1) << "nothing to share";
}

TEST(RowsShape, NarrowSubwarpsGrowWithTheLengthOfRows) {
  const auto split_k = [](double mean, std::int64_t columns, int vector = 4) {
    auto statistics = device;
    statistics.mean = mean;
    return choose_row_shape(statistics, columns, 4, vector).split_k;
  };
  for (const std::int64_t columns : {1, 2, 4}) {
    EXPECT_EQ(split_k(6, columns), 1);
    EXPECT_EQ(split_k(10, columns), 4);
    EXPECT_EQ(split_k(31, columns), 8);
    EXPECT_EQ(split_k(500, columns), 8);
  }
  EXPECT_EQ(split_k(10, 8), 2);
  EXPECT_EQ(split_k(31, 8), 4);
  EXPECT_EQ(split_k(31, 20), 1);
  EXPECT_EQ(split_k(45, 20), 2);
  EXPECT_EQ(split_k(90, 12), 2) << "four parts would leave eight lanes without a row";
  EXPECT_EQ(split_k(90, 24), 1) << "two parts would leave six more lanes without a row, of 30";
}

TEST(RowsShape, TwoLanesShareTheColumnsOfOneWhereRowsAreSorted) {
  EXPECT_EQ(choose_row_shape(device, 4, 4, 4).lanes, 1);
  const auto shape = choose_row_shape(device, 4, 4, 4, Impl::RowsOrder::sorted);
  EXPECT_EQ(shape.lanes, 2);
  EXPECT_EQ(shape.vector, 2);
  EXPECT_EQ(shape.unroll(sizeof(float)), 4);
  EXPECT_EQ(choose_row_shape(device, 1, 1, 1, Impl::RowsOrder::sorted).vector, 1) << "a scalar of 16 bytes";
}

TEST(RowsShape, UnrollIsSmallWhereSplitKDoItsWork) {
  const auto unroll = [](double mean, std::int64_t columns, Impl::RowsOrder schedule = Impl::RowsOrder::as_they_stand,
                         int vector = 4) {
    auto statistics = device;
    statistics.mean = mean;
    return choose_row_shape(statistics, columns, 4, vector, schedule).unroll(sizeof(float));
  };
  for (const std::int64_t columns : {1, 2, 3, 4}) EXPECT_EQ(unroll(27, columns), 4) << columns;
  EXPECT_EQ(unroll(27, 3, Impl::RowsOrder::as_they_stand, 1), 4);
  EXPECT_EQ(unroll(27, 8), 8);
  EXPECT_EQ(unroll(6, 8), 4) << "short rows";
  EXPECT_EQ(unroll(6, 8, Impl::RowsOrder::sorted), 8) << "sorted, longer ones take as long as others";
  EXPECT_EQ(unroll(27, 64), 4) << "two vectors of 16 bytes a lane";
  EXPECT_EQ(unroll(6, 512), 2) << "four";
}

TEST(RowsShape, ElementsOfFewColumnsAreSpreadOverLanes) {
  const auto shape = [](std::int64_t columns) { return choose_row_shape(device, columns, 4, 1); };
  EXPECT_EQ(shape(3).lanes, 3);
  EXPECT_EQ(shape(5).lanes, 5);
  for (const std::int64_t columns : {9, 17, 31}) EXPECT_EQ(shape(columns).lane_vectors, 2) << columns;
  EXPECT_EQ(shape(33).lane_vectors, 4);
}

TEST(RowWorkItems, FillTheDeviceOnceWithinLimits) {
  const auto size = [](std::int64_t rows, double mean, std::int64_t columns) {
    auto statistics = device;
    statistics.rows = rows, statistics.mean = mean;
    const auto shape = choose_row_shape(statistics, columns, 4, 4, Impl::RowsOrder::items);
    return Impl::work_item_nonzeros(statistics, shape, columns, 4);
  };
  // 528 teams of 32 subwarps at N = 32: 95 % of them get a work item.
  EXPECT_EQ(size(38132, 15.4, 32).item, 32 * 40);
  EXPECT_EQ(size(38132, 15.4, 32).longest, 32 * 40);
  EXPECT_EQ(size(100, 3, 32).item, 32 * RowsPolicy::least_share);
  EXPECT_EQ(size(1000000, 10, 32).item, 32 * RowsPolicy::most_share(10, 32));
  EXPECT_EQ(size(1000000, 100, 32).item, 32 * RowsPolicy::most_share(100, 32));
  // A lane a subwarp at N = 4: teams of 32 subwarps too.
  EXPECT_EQ(size(36692, 10, 4).item, 32 * RowsPolicy::least_share);
  EXPECT_EQ(size(64000000, 10, 4).item, 32 * RowsPolicy::most_share(10, 4));
  // Half a warp a subwarp at N = 128, and 396 teams.
  EXPECT_EQ(size(38132, 8, 128).item, 16 * 52);
}

// amazon_photo in double at N = 128: 79 nonzeros a subwarp, 64 at most.
TEST(RowWorkItems, FillTheLastWaveToo) {
  EXPECT_EQ(Impl::work_item_share(63, 64), 64);
  EXPECT_EQ(Impl::work_item_share(79, 64), 40) << "two waves of 40, not 1.2 of 64";
  EXPECT_EQ(Impl::work_item_share(64, 64), 64) << "the device is all but full";
  EXPECT_EQ(Impl::work_item_share(124, 64), 64);
  EXPECT_EQ(Impl::work_item_share(2, 64), RowsPolicy::least_share);
  EXPECT_EQ(Impl::work_item_share(100000, 64), 64);
}

TEST(RowsShape, WideRowsTakeSeveralLoadsALane) {
  EXPECT_EQ(choose_row_shape(device, 32, 4, 4).lane_vectors, 1);
  EXPECT_EQ(choose_row_shape(device, 64, 4, 4).lane_vectors, 2);
  EXPECT_EQ(choose_row_shape(device, 128, 4, 4).lane_vectors, 2);
  EXPECT_EQ(choose_row_shape(device, 512, 4, 4).lane_vectors, 4);
  auto statistics = device;
  statistics.mean = 5;
  EXPECT_EQ(choose_row_shape(statistics, 128, 4, 4).lane_vectors, 4) << "short rows";
  EXPECT_EQ(choose_row_shape(statistics, 64, 4, 4).lane_vectors, 2);
}

TEST(RowsShape, LaneDivisionIsExact) {
  for (int divisor = 1; divisor <= 64; ++divisor) {
    const Impl::LaneDivision division(divisor);
    for (int number = 0; number < 1024; ++number) ASSERT_EQ(division(number), number / divisor) << divisor;
  }
}

TEST(RowWorkItems, AreWalkedWhereRowsAreUneven) {
  const auto walked = [](double mean, std::int64_t longest, double span, std::int64_t columns) {
    auto statistics = device;
    statistics.mean = mean;
    Impl::LengthStatistics lengths;
    lengths.longest = longest;
    for (auto& sum : lengths.group_span) sum = static_cast<std::int64_t>(span * mean * 1e6);
    return Impl::rows_are_uneven(statistics, lengths, choose_row_shape(statistics, columns, 4, 4));
  };
  EXPECT_FALSE(walked(6, 8, 1.0, 32)) << "short";
  EXPECT_FALSE(walked(27, 30, 1.05, 128));
  EXPECT_FALSE(walked(27, 60, 1.8, 32)) << "neighbours differ somewhat";
  EXPECT_TRUE(walked(27, 60, 2.8, 32)) << "neighbours differ";
  EXPECT_TRUE(walked(27, 300, 1.05, 128)) << "a long row";
}

TEST(RowsByLength, SubwarpsTakeLongerRowsWhereTheyAreBusy) {
  const auto limits = [](std::int64_t rows, double mean, std::int64_t columns) {
    auto statistics = device;
    statistics.rows = rows, statistics.mean = mean;
    return Impl::row_limits(statistics, choose_row_shape(statistics, columns, 4, 4, Impl::RowsOrder::sorted),
                            sizeof(float));
  };
  EXPECT_EQ(limits(36692, 10.02, 32).subwarp, 32) << "email-Enron";
  EXPECT_EQ(limits(36692, 10.02, 32).warp, 261);
  EXPECT_EQ(limits(36692, 10.02, 4).subwarp, 16) << "a small unroll";
  EXPECT_EQ(limits(36692, 10.02, 64).subwarp, 16);
  EXPECT_EQ(limits(23133, 8.08, 32).subwarp, 32) << "ca-CondMat";
  EXPECT_EQ(limits(23133, 8.08, 32).warp, 132);
  EXPECT_EQ(limits(1000, 8, 32).warp, 128);
  EXPECT_EQ(limits(62064, 68, 32).subwarp, 96) << "gupta2";
  EXPECT_EQ(limits(62064, 68, 32).warp, 768);
  EXPECT_EQ(limits(62064, 68, 1).subwarp, 96) << "eight parts with a small unroll";
}

TEST(RowsByLength, ServeGraphsOfFewColumns) {
  const auto sorted = [](std::int64_t rows, double mean, std::int64_t longest, std::int64_t columns) {
    auto statistics = device;
    statistics.rows = rows, statistics.mean = mean;
    return Impl::sorting_pays(statistics, longest, choose_row_shape(statistics, columns, 4, 4), columns, sizeof(float));
  };
  EXPECT_TRUE(sorted(36692, 10, 1383, 32)) << "email-Enron";
  EXPECT_TRUE(sorted(36692, 10, 1383, 8));
  EXPECT_TRUE(sorted(36692, 10, 1383, 1));
  EXPECT_FALSE(sorted(36692, 10, 1383, 128)) << "N is large";
  EXPECT_FALSE(sorted(25187, 7.7, 22774, 32)) << "mult_dcop: a row as long as all others together";
  EXPECT_FALSE(sorted(500000, 8.2, 10000, 32)) << "short rows beyond the cache";
  EXPECT_TRUE(sorted(62064, 68, 8413, 32)) << "gupta2: longer ones";
}

/// What `choose_rows_kernel` returns for matrices and widths of all kinds.
template <class Scalar>
struct ChosenKernels {
  using Arrays = Impl::CrsArrays<Scalar, int, int>;
  std::set<int> even;
  std::set<std::array<int, 4>> general;  ///< vector, lane_vectors, unroll, whether rows are sorted

  ChosenKernels() {
    for (std::int64_t rows = 1; rows < 20000000; rows = 2 * rows + 1)
      for (const double mean : {1., 4., 9., 10., 20., 31., 40., 100., 130., 300., 1000.}) {
        Impl::RowsStatistics statistics{rows, mean, 32, 270336};
        Arrays A;
        A.nonzeros = static_cast<int>(std::min(static_cast<double>(rows) * mean, 2e9));
        for (std::int64_t columns = 1; columns <= 2048; columns += columns < 40 ? 1 : columns / 8)
          for (const std::int64_t n : {columns, (columns + 31) / 32 * 32}) add(A, statistics, n);
      }
  }

 private:
  void add(const Arrays& A, const Impl::RowsStatistics& statistics, std::int64_t columns) {
    for (const int width : Impl::load_widths<Scalar>)
      for (const auto order : {Impl::RowsOrder::as_they_stand, Impl::RowsOrder::sorted})
        for (const std::int64_t longest_here : {std::int64_t{5}, Impl::no_row_limit}) {
          const auto kernel = Impl::choose_rows_kernel(A, statistics, order, longest_here, columns, width);
          const auto& shape = kernel.shape;
          if (kernel.even >= 0)
            even.insert(kernel.even);
          else
            general.insert({shape.vector, shape.lane_vectors, shape.unroll(sizeof(Scalar)),
                            order == Impl::RowsOrder::sorted ? 1 : 0});
        }
  }
};

template <class Scalar>
void expect_that_what_is_compiled_is_what_may_run() {
  const ChosenKernels<Scalar> chosen;
  EXPECT_EQ(chosen.even.size(), Impl::even_rows_policies<sizeof(Scalar)>.size());
  std::set<std::array<int, 4>> compiled;
  for (const auto& policy : Impl::row_kernel_policies<Scalar>) {
    compiled.insert({policy.vector, policy.lane_vectors, policy.unroll, 0});
    if (Impl::takes_sorted_rows<Scalar>(policy))
      compiled.insert({policy.vector, policy.lane_vectors, policy.unroll, 1});
  }
  EXPECT_EQ(chosen.general, compiled);
}

TEST(RowsKernel, WhatIsCompiledIsWhatMayRun) {
  expect_that_what_is_compiled_is_what_may_run<float>();
  expect_that_what_is_compiled_is_what_may_run<double>();
  expect_that_what_is_compiled_is_what_may_run<Kokkos::complex<double>>();
  expect_that_what_is_compiled_is_what_may_run<Impl::Half>();
}

}  // namespace
}  // namespace lacuna::Test

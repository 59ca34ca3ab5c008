// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/choice/Lacuna_HostRates.hpp>
#include <core/impl/choice/Lacuna_MeasuredHost.hpp>
#include <core/impl/inspection/Lacuna_ColumnReach.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

namespace lacuna::Test {
namespace {

using Impl::HostRates;

constexpr HostRates rates{.speed = 0.5, .sizes = {1, 10, 100, 1000, 10000}, .reads = {8, 8, 4, 1, 1}};

TEST(HostRates, LieOnACurve) {
  EXPECT_DOUBLE_EQ(rates.read_seconds(10), 10 / 8.0);
  EXPECT_DOUBLE_EQ(rates.read_seconds(100), 100 / 4.0);
  EXPECT_DOUBLE_EQ(rates.read_seconds(std::sqrt(1e5)), std::sqrt(1e5) / 2) << "half way from 100 to 1000";
  EXPECT_DOUBLE_EQ(rates.read_seconds(0.5), 0.5 / 8) << "below the curve";
  EXPECT_DOUBLE_EQ(rates.read_seconds(1e6), 1e6) << "above it";
  EXPECT_EQ(rates.read_seconds(0), 0);
  EXPECT_DOUBLE_EQ(rates.read_seconds(6, 100), 1.5) << "from among others";
  EXPECT_DOUBLE_EQ(rates.read_seconds(6, 0), 0.75);
}

TEST(HostRates, GrowWithThreads) {
  EXPECT_EQ(HostRates::nominal(1).scaled(6), HostRates::nominal(6));
  EXPECT_EQ(HostRates::nominal(6).speed, 1) << "of a thread";
  EXPECT_DOUBLE_EQ(HostRates::nominal(6).reads.back(), 6 * HostRates::nominal(1).reads.back());
  EXPECT_EQ(Device::host(2).with_processors(6).host_rates, Device::host(6).host_rates);
}

TEST(HostRates, TheFasterOfEachIsKept) {
  HostRates other      = rates;
  other.speed          = 2;
  other.reads          = {1, 9, 4, 0.5, 2};
  const HostRates both = rates.or_faster(other);
  EXPECT_EQ(both.speed, 2);
  EXPECT_EQ(both.reads, (HostRates::Curve{8, 9, 4, 1, 2}));
  EXPECT_EQ(both.sizes, rates.sizes);
}

/// A host that computes and reads at any sane rate.
void check(const HostRates& measured) {
  EXPECT_GT(measured.speed, 1e-3);
  EXPECT_LT(measured.speed, 1e2);
  for (std::size_t i = 0; i < HostRates::points; ++i) {
    EXPECT_GT(measured.reads[i], 1e6) << i;
    EXPECT_LT(measured.reads[i], 1e15) << i;
    if (i > 0) EXPECT_EQ(measured.sizes[i], 4 * measured.sizes[i - 1]);
  }
}

TEST(HostRates, AreMeasuredWhenTheyAreAskedForFirst) {
  const int most = Kokkos::DefaultHostExecutionSpace().concurrency();
  for (const int threads : {1, most}) {
    const HostRates first = Impl::measured_host_rates(threads);
    check(first);
    EXPECT_EQ(Impl::measured_host_rates(threads), first);
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(1.1 * Impl::HostMeter::seconds_between));
  const HostRates before = Impl::measured_host_rates(most), later = Impl::measured_host_rates(most);
  EXPECT_EQ(later, before.or_faster(later)) << "nothing gets slower";
  EXPECT_EQ(Impl::measured_host_rates(most + 5), Impl::measured_host_rates(most)) << "there are no more threads";
  EXPECT_EQ(Impl::measured_host_rates(0), Impl::measured_host_rates(1));
}

TEST(HostRates, ThreadsThatAskAtOnceAreToldTheSame) {
  std::vector<HostRates> told(4);
  std::vector<std::thread> threads;
  for (HostRates& rate : told) threads.emplace_back([&rate] { rate = Impl::measured_host_rates(1); });
  for (std::thread& thread : threads) thread.join();
  for (const HostRates& rate : told) EXPECT_EQ(rate, told.front());
}

TEST(HostRates, MeasuringLeavesAllElseOfADevice) {
  EXPECT_EQ(Impl::as_measured(Device::h200()), Device::h200());
  Device host           = Device::host(1);
  const Device measured = Impl::as_measured(host);
  host.host_rates       = measured.host_rates;
  host.copy_rate        = measured.copy_rate;
  host.gather_rate      = measured.gather_rate;
  EXPECT_EQ(measured, host);
  check(measured.host_rates);
}

/// CSR in vectors.
struct Pattern {
  std::int64_t rows, columns;
  std::vector<int> starts, of_rows;

  Impl::ColumnReach reach() const {
    const struct {
      std::int64_t rows, columns;
      const int *row_map, *entries;
    } arrays{rows, columns, starts.data(), of_rows.data()};
    return Impl::sample_column_reach(arrays);
  }
};

TEST(ColumnReach, IsThatOfAFewNonzeros) {
  for (const Pattern& none : {Pattern{0, 7, {0}, {}}, Pattern{3, 3, {0, 0, 0, 0}, {}}}) {
    EXPECT_EQ(none.reach().distance, 0);
    EXPECT_EQ(none.reach().new_share, 0);
  }
  EXPECT_EQ((Pattern{3, 3, {0, 1, 2, 3}, {0, 1, 2}}.reach().distance), 0);
  EXPECT_EQ((Pattern{3, 3, {0, 1, 2, 3}, {0, 1, 2}}.reach().new_share), 1);
  const Pattern uneven{3, 3, {0, 2, 2, 3}, {0, 2, 0}};
  EXPECT_DOUBLE_EQ(uneven.reach().distance, 4.0 / 3);
  EXPECT_EQ(uneven.reach().new_share, 1) << "the row before is empty";
  EXPECT_DOUBLE_EQ((Pattern{2, 8, {0, 1, 2}, {1, 7}}.reach().distance), 2) << "the diagonal is steeper";
  EXPECT_DOUBLE_EQ((Pattern{2, 8, {0, 2, 4}, {1, 7, 3, 7}}.reach().new_share), 0.75);
}

/// First, middle and last third of long rows, of a few of many.
TEST(ColumnReach, LooksAtAllParts) {
  Pattern A{1000, 1000, {0}, {}};
  for (int row = 0; row < 1000; ++row) {
    for (int j = -30; j <= 30; ++j)
      if (row / 2 * 2 + j >= 0 && row / 2 * 2 + j < 1000) A.of_rows.push_back(row / 2 * 2 + j);
    A.starts.push_back(static_cast<int>(A.of_rows.size()));
  }
  EXPECT_GT(A.reach().distance, 10);
  EXPECT_LT(A.reach().distance, 20);
  EXPECT_LT(A.reach().new_share, 0.1) << "pairs of equal rows, of pairs two columns apart";
}

/// Of rows that are too long to be searched whole.
TEST(ColumnReach, SearchesLongRowsWhereTheColumnWouldStand) {
  Pattern A{10, 20000, {0}, {}};
  for (int row = 0; row < 10; ++row) {
    for (int j = 0; j < 10000; ++j) A.of_rows.push_back(2 * j + row / 5);
    A.starts.push_back(10000 * (row + 1));
  }
  EXPECT_DOUBLE_EQ(A.reach().new_share, 0.2) << "the first row, and the first that has odd columns";
  std::rotate(A.of_rows.begin() + 10000, A.of_rows.begin() + 15000, A.of_rows.begin() + 20000);
  EXPECT_DOUBLE_EQ(A.reach().new_share, 0.4) << "two rows more whose columns stand elsewhere in the row before";
}

}  // namespace
}  // namespace lacuna::Test

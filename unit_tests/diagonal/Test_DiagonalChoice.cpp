// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Diagonal.hpp>

#include <gmock/gmock.h>

#include <array>

/// \file
/// \brief What is known of a product before it, and the choice: pure functions of plain values.

namespace lacuna::Test {
namespace {

using Impl::DiagonalFormat;
using Impl::DiagonalList;
using Impl::DiagonalRequest;
using testing::ElementsAre;
using testing::HasSubstr;

/// The sums by definition.
DiagonalList sums(const DiagonalList& a, const DiagonalList& b, std::int64_t least, std::int64_t most) {
  DiagonalList all;
  for (const std::int64_t x : a)
    for (const std::int64_t y : b)
      if (x + y >= least && x + y <= most) all.push_back(x + y);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

DiagonalList range(std::int64_t first, std::int64_t last, std::int64_t step = 1) {
  DiagonalList list;
  for (; first <= last; first += step) list.push_back(first);
  return list;
}

TEST(DiagonalChoice, SumsOfRunsAndOfMarks) {
  const DiagonalList lists[] = {{}, {0}, {-3, -2, 5, 6, 7, 100}, range(-20, 20), range(-300, 300, 3), range(7, 700, 7)};
  for (const auto& a : lists)
    for (const auto& b : lists)  // 201 x 100 runs are too many to be added as runs
      for (const std::int64_t most : {10, 150, 5000})
        EXPECT_EQ(Impl::sums_of(a, b, -most, most), sums(a, b, -most, most));
}

TEST(DiagonalChoice, WrappedSums) {
  EXPECT_THAT(Impl::wrapped(Impl::sums_of({0, 1, 4}, {0, 1, 4}, 0, 8), 5), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(Impl::wrapped(Impl::sums_of({0, 9}, {0, 9}, 0, 18), 10), ElementsAre(0, 8, 9));
}

TEST(DiagonalChoice, RunsWithoutGaps) {
  EXPECT_EQ(Impl::first_of_run({-2, -1, 0, 1}, DiagonalFormat::hm, 10), -2);
  EXPECT_EQ(Impl::first_of_run({-2, 0, 1}, DiagonalFormat::hm, 10), std::nullopt);
  EXPECT_EQ(Impl::first_of_run({}, DiagonalFormat::hm, 10), std::nullopt);
  EXPECT_EQ(Impl::first_of_run({0, 1, 8, 9}, DiagonalFormat::cdm, 10), -2);
  EXPECT_EQ(Impl::first_of_run({1, 8, 9}, DiagonalFormat::cdm, 10), std::nullopt);
  EXPECT_EQ(Impl::first_of_run({3, 4}, DiagonalFormat::cdm, 10), 3);
}

TEST(DiagonalChoice, DiagonalsThatRowsMeet) {
  EXPECT_EQ(Impl::most_within({}, 5), 0);
  EXPECT_EQ(Impl::most_within({-10, -9, 0, 1, 2, 3, 11}, 4), 4);
  EXPECT_EQ(Impl::most_within({-10, -9, 0, 1, 2, 3, 11}, 14), 6);
  EXPECT_EQ(Impl::most_within({-10, -9, 0, 1, 2, 3, 11}, 22), 7);
}

DiagonalRequest band(std::int64_t n, std::int64_t w) {
  DiagonalRequest request;
  request.scalar = {Impl::ScalarKind::real, 8};
  request.rows = request.inner = request.columns = n;
  request.dg_a = request.dg_b = 2 * w + 1;
  request.dg_c                = 4 * w + 1;
  request.near_a              = request.dg_a;
  request.band_a = request.band_b = -w;
  return request;
}
DiagonalRequest diagonals(std::int64_t n, std::int64_t count, std::int64_t of_c) {
  DiagonalRequest request = band(n, 0);
  request.dg_a = request.dg_b = count;
  request.dg_c                = of_c;
  request.near_a              = count / 2;
  request.band_a = request.band_b = std::nullopt;
  return request;
}

DiagonalAlgorithm chosen(const Device& device, const DiagonalRequest& request) {
  return Impl::algorithm_of(Impl::choose_diagonal("gemm", device, request, unlimited));
}

TEST(DiagonalChoice, Automatic) {
  const Device h200 = Device::h200(), host = Device::host(2);
  EXPECT_EQ(chosen(h200, band(1000000, 20)), DiagonalAlgorithm::band);
  EXPECT_EQ(chosen(h200, band(10240, 5)), DiagonalAlgorithm::band);
  EXPECT_EQ(chosen(h200, band(1000000, 5)), DiagonalAlgorithm::window);
  EXPECT_EQ(chosen(h200, band(10240, 1)), DiagonalAlgorithm::window);
  EXPECT_EQ(chosen(h200, band(1000000, 8)), DiagonalAlgorithm::band);
  for (const auto& [n, w] : {std::pair{30000, 10}, std::pair{100000, 7}, std::pair{100000, 8}, std::pair{100000, 10},
                             std::pair{1000000, 7}, std::pair{10240, 2}, std::pair{1000, 2}})
    EXPECT_EQ(chosen(h200, band(n, w)), DiagonalAlgorithm::band) << n << ", " << w;
  for (const auto& [n, w] : {std::pair{30000, 2}, std::pair{100000, 3}, std::pair{100000, 5}, std::pair{1000000, 3}})
    EXPECT_EQ(chosen(h200, band(n, w)), DiagonalAlgorithm::window) << n << ", " << w;
  for (const std::int64_t w : {1, 2, 3, 5, 10, 20}) {  // a plan pays lists of pairs back, but they are not faster
    auto planned           = band(10240, w);
    planned.expected_calls = 1000;
    EXPECT_NE(chosen(h200, planned), DiagonalAlgorithm::strips) << w;
  }
  EXPECT_EQ(chosen(host, band(1000000, 20)), DiagonalAlgorithm::gather);
  EXPECT_EQ(chosen(h200, diagonals(10000, 600, 19000)), DiagonalAlgorithm::strips);
  EXPECT_EQ(chosen(h200, diagonals(1000000, 7, 49)), DiagonalAlgorithm::gather);
  EXPECT_EQ(chosen(host, diagonals(10000, 600, 19000)), DiagonalAlgorithm::gather);
  auto single   = band(1000000, 20);
  single.scalar = {Impl::ScalarKind::real, 4};
  EXPECT_NE(chosen(h200, single), DiagonalAlgorithm::band);
  single        = band(1000000, 8);
  single.scalar = {Impl::ScalarKind::real, 4};
  EXPECT_EQ(chosen(h200, single), DiagonalAlgorithm::window);
  EXPECT_EQ(chosen(host, single), DiagonalAlgorithm::gather);
  EXPECT_NE(chosen(h200, band(100000, 20000)), DiagonalAlgorithm::band);  // fits no scratch
}

TEST(DiagonalChoice, MemoryDecides) {
  const DiagonalRequest request = diagonals(10000, 600, 19000);
  const auto choice             = Impl::choose_diagonal("gemm", Device::h200(), request, 1000);
  EXPECT_EQ(Impl::algorithm_of(choice), DiagonalAlgorithm::gather);
  auto named      = request;
  named.algorithm = DiagonalAlgorithm::strips;
  EXPECT_THROW(Impl::choose_diagonal("gemm", Device::h200(), named, 1000), OutOfMemory);
}

TEST(DiagonalChoice, PublishedAreTakenByNameAlone) {
  auto request = band(1000, 5);
  for (const DiagonalAlgorithm algorithm : {DiagonalAlgorithm::entries, DiagonalAlgorithm::entries_by_case}) {
    request.algorithm = algorithm;
    EXPECT_EQ(chosen(Device::h200(), request), algorithm);
    auto fixed          = request;
    fixed.deterministic = true;
    EXPECT_THROW(chosen(Device::h200(), fixed), NotSupported);
  }
  request.algorithm = DiagonalAlgorithm::tiles;
  EXPECT_THROW(chosen(Device::h200(), request), NotSupported);
  request.format = DiagonalFormat::cdm;
  EXPECT_EQ(chosen(Device::h200(), request), DiagonalAlgorithm::tiles);
}

// As measured: 600 diagonals of A are taken in passes, so that scratch holds two rows a lane; where lists would be
// short fewer rows are better.
TEST(DiagonalChoice, StripShapes) {
  auto format      = DiagonalFormat::hm;
  const auto shape = [&](std::int64_t n, std::int64_t count_a, std::int64_t count_b, std::int64_t of_c) {
    auto request   = diagonals(n, count_a, of_c);
    request.format = format;
    request.dg_b   = count_b;
    request.near_a = count_a;
    return Impl::diagonal_strips_shape(Device::h200(), request);
  };
  const auto cut = [&](std::int64_t count, std::int64_t of_c) {
    const auto found = shape(10000, count, count, of_c);
    return std::array{found.rows_per_lane, static_cast<int>(found.passes), found.splits};
  };
  EXPECT_EQ(cut(200, 8635), (std::array{4, 1, 5}));
  EXPECT_EQ(cut(300, 9469), (std::array{2, 1, 5}));
  EXPECT_EQ(cut(400, 9620), (std::array{2, 1, 5}));
  EXPECT_EQ(cut(500, 9752), (std::array{2, 2, 5}));
  EXPECT_EQ(cut(600, 9813), (std::array{2, 2, 5}));
  EXPECT_EQ(cut(1000, 9950), (std::array{2, 3, 5}));
  EXPECT_EQ(shape(10000, 600, 20, 9000).rows_per_lane, 1) << "a diagonal of C has one pair and a third";
  EXPECT_EQ(shape(10000, 600, 20, 9000).passes, 1);
  EXPECT_EQ(shape(10000, 1000, 20, 9000).rows_per_lane, 0) << "and does not fit";
  EXPECT_EQ(shape(0, 0, 0, 0).passes, 1);
  format = DiagonalFormat::cdm;
  EXPECT_EQ(cut(160, 8003), (std::array{4, 1, 5}));
  EXPECT_EQ(cut(200, 8635), (std::array{2, 1, 5})) << "4 rows would leave no cache to B";
  EXPECT_EQ(cut(400, 9620), (std::array{2, 1, 5}));
  for (const Device& device : {Device::h200(), Device::mi300x()})
    for (const std::int64_t count : {1, 7, 200, 500, 1000, 3000, 5000})
      for (const std::size_t bytes : {4u, 8u, 16u}) {
        auto request     = diagonals(10000, count, 9999);
        request.near_a   = count;
        request.scalar   = {Impl::ScalarKind::real, bytes};
        const auto found = Impl::diagonal_strips_shape(device, request);
        if (found.rows_per_lane == 0) continue;
        EXPECT_LE(found.scratch, device.scratch);
        EXPECT_GE(found.passes * found.of_pass, count);
        EXPECT_LT((found.passes - 1) * found.of_pass, count) << "no pass is empty";
        EXPECT_GE(found.splits, 1);
      }
}

TEST(DiagonalChoice, BandShapes) {
  for (const Device& device : {Device::h200(), Device::mi300x()})
    for (const std::int64_t n : {100, 1024, 10240, 1000000})
      for (const std::int64_t w : {0, 1, 5, 20, 60}) {
        const auto shape = Impl::diagonal_band_shape(device, band(n, w));
        if (shape.rows == 0) continue;
        EXPECT_LE(shape.scratch(device.lane_width), device.scratch);
        EXPECT_EQ(shape.threads % device.lane_width, 0);
        EXPECT_LE(shape.threads, Impl::DiagonalBandPolicy::groups * device.lane_width);
        EXPECT_GE(shape.column_groups() * shape.columns, shape.width_c() + 15);
        EXPECT_EQ(shape.leading_a() % 8, 4);
        EXPECT_EQ(shape.leading_b() % 8, 4);
        EXPECT_EQ(shape.leading_c() % 8, 2);
      }
  const auto shape = [](std::int64_t n, std::int64_t w) {
    return Impl::diagonal_band_shape(Device::h200(), band(n, w));
  };
  const auto cut = [&](std::int64_t n, std::int64_t w) {
    return std::array{shape(n, w).columns, shape(n, w).rows, shape(n, w).threads / 32};
  };
  EXPECT_EQ(cut(1000000, 5), (std::array{40, 64, 4}));
  EXPECT_EQ(cut(1000000, 8), (std::array{48, 64, 4}));
  EXPECT_EQ(cut(1000000, 10), (std::array{32, 32, 4}));
  EXPECT_EQ(cut(1000000, 15), (std::array{40, 64, 8}));
  EXPECT_EQ(cut(1000000, 20), (std::array{48, 64, 8}));  // of B 104 rows for 64, not 72 for 32
  EXPECT_EQ(cut(1000000, 30), (std::array{48, 64, 12}));
  EXPECT_EQ(cut(1000000, 50), (std::array{48, 32, 10}));  // 64 rows have more items than a team warps
  EXPECT_EQ(cut(30000, 20), (std::array{48, 64, 8}));
  EXPECT_EQ(cut(10240, 20), (std::array{48, 32, 8}));  // all teams on the device at once
  EXPECT_EQ(cut(4096, 20), (std::array{32, 32, 12}));
  EXPECT_EQ(cut(4096, 8), (std::array{48, 32, 12}));
  auto compact   = band(1000000, 20);
  compact.format = DiagonalFormat::cdm;
  EXPECT_EQ(Impl::diagonal_band_shape(Device::h200(), compact).columns, 32);
  EXPECT_EQ(Impl::diagonal_band_shape(Device::h200(), compact).rows, 64);
  EXPECT_TRUE(shape(1000000, 20).overlaid);
  EXPECT_FALSE(shape(1000000, 60).overlaid && shape(1000000, 60).items > 12);
}

}  // namespace
}  // namespace lacuna::Test

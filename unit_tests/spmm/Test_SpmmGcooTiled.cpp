// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/Spmm_Check.hpp>
#include <spmm/Spmm_Plans.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

/// \file
/// \brief What is special to the kernels for matrices without structure: groups and teams of GCOO, and how tiles are
/// cut.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Matrix = KokkosSparse::CrsMatrix<float, int, Device, void, int>;
using Tiles  = Impl::TiledMatrix<Matrix, Exec::memory_space>;

/// Of a sum, relative to that of its products without signs, where B is rounded to half precision.
constexpr double half_rounding = 0x1.01p-11;

TEST(SpmmGcoo, EveryGroupAndTeam) {
  const NamedMatrix<float> sample{"uneven", uneven_matrix<float>(45, 60, 40)};
  const auto A = make_crs<Matrix>(sample.matrix);
  for (const int p : {0, 2, 4, 8, 16, 32})
    for (const int b : {0, 32, 96, 256, 1024})
      for (const std::int64_t columns : {1, 31, 130, 257}) {
        const SpmmPlan plan(A, {.columns = columns, .algorithm = SpmmAlgorithm::gcoo, .panel_rows = p, .team_size = b});
        EXPECT_THAT(plan.report(), testing::HasSubstr("groups of " + std::to_string(p == 0 ? 4 : p) + " rows (p)"));
        check_spmm<Device>(
            sample, SpmmCase<float>{.columns = columns, .alpha = 2, .beta = -0.5f},
            "p " + std::to_string(p) + ", b " + std::to_string(b),
            [&](const auto& call, const auto& B, const auto& C) { spmm(plan, call.alpha, B, call.beta, C); });
      }
  EXPECT_THROW(SpmmPlan(A, {.algorithm = SpmmAlgorithm::gcoo, .panel_rows = 3}), InvalidArgument);
}

// A column that many rows share is read once for a group, and Inf times a zero that is not stored reaches no row.
TEST(SpmmGcoo, NothingButTheRowsThatHoldAColumnSeeIt) {
  const auto host = banded_matrix<float>(40, 40, 2, 1);
  const auto A    = make_crs<Matrix>(host);
  for (const SpmmAlgorithm algorithm : {SpmmAlgorithm::gcoo, SpmmAlgorithm::tiled}) {
    if (algorithm == SpmmAlgorithm::tiled && !Impl::runs_lane_kernels<Exec>) continue;
    const Kokkos::View<float**, Kokkos::LayoutRight, Device> B("B", 40, 5), C("C", 40, 5);
    Kokkos::deep_copy(Kokkos::subview(B, 20, Kokkos::ALL), std::numeric_limits<float>::infinity());
    Kokkos::deep_copy(Kokkos::subview(B, 0, Kokkos::ALL), std::numeric_limits<float>::quiet_NaN());
    spmm(SpmmPlan(A, {.columns = 5, .algorithm = algorithm}), 1, B, 0, C);
    const auto c = to_row_major(C);
    for (std::int64_t row = 0; row < 40; ++row) {
      bool holds = false;
      for (auto k = host.row_map[static_cast<std::size_t>(row)]; k < host.row_map[static_cast<std::size_t>(row) + 1];
           ++k)
        holds =
            holds || host.entries[static_cast<std::size_t>(k)] == 20 || host.entries[static_cast<std::size_t>(k)] == 0;
      EXPECT_EQ(std::isfinite(c[static_cast<std::size_t>(row * 5)]), !holds) << name(algorithm) << ", row " << row;
    }
  }
}

/// Row, column and value of everything that tiles hold.
template <class Host>
std::vector<std::tuple<std::int64_t, std::int64_t, float>> elements_of(const Tiles& tiles, const Host& host) {
  const auto arrays  = tiles.arrays();
  const auto& shape  = arrays.shape;
  const auto count   = static_cast<std::size_t>(tiles.tiles());
  const auto begins  = to_vector(Kokkos::View<const std::int32_t*, Device>(arrays.begins, count + 1));
  const auto numbers = static_cast<std::size_t>(shape.numbers());
  const auto records = to_vector(Kokkos::View<const std::uint16_t*, Device>(arrays.records, count * numbers));
  const auto entries = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(),
      Kokkos::View<const Impl::TiledEntry<float>*, Device>(arrays.entries, static_cast<std::size_t>(begins.back())));
  const auto on_host = Impl::TiledArrays<float>{shape, 0, 0, 0, begins.data(), nullptr, nullptr};
  std::vector<std::tuple<std::int64_t, std::int64_t, float>> elements;
  for (std::int64_t tile = 0; tile < tiles.tiles(); ++tile) {
    EXPECT_LE(on_host.end(tile) - on_host.first(tile), tiles.largest_tile());
    std::int64_t last = begins[static_cast<std::size_t>(tile)];
    for (int g = 0; g < shape.groups; ++g)
      for (int r = 0; r + 1 < shape.record; ++r) {
        const auto number = static_cast<std::size_t>(tile) * numbers + static_cast<std::size_t>(g * shape.record + r);
        const auto first = on_host.first(tile) + records[number], end = on_host.first(tile) + records[number + 1];
        EXPECT_EQ(first, last) << "rows and groups lie one behind the other";
        last = end;
        for (auto k = first; k < end; ++k) {
          const auto& entry = entries(static_cast<std::size_t>(k));
          elements.emplace_back(tile / arrays.tiles_per_row * shape.rows + g * shape.rows_of_group() + r,
                                tile % arrays.tiles_per_row * shape.columns + entry.column, entry.value);
        }
      }
    EXPECT_EQ(last, begins[static_cast<std::size_t>(tile) + 1]);
  }
  std::sort(elements.begin(), elements.end());
  EXPECT_EQ(static_cast<std::int64_t>(elements.size()), host.nonzeros());
  return elements;
}

/// Row, column and value of everything that a matrix holds.
template <class Host>
std::vector<std::tuple<std::int64_t, std::int64_t, float>> elements_of(const Host& host) {
  std::vector<std::tuple<std::int64_t, std::int64_t, float>> elements;
  for (std::int64_t i = 0; i < host.rows; ++i)
    for (auto k = host.row_map[static_cast<std::size_t>(i)]; k < host.row_map[static_cast<std::size_t>(i) + 1]; ++k)
      elements.emplace_back(i, host.entries[static_cast<std::size_t>(k)], host.values[static_cast<std::size_t>(k)]);
  std::sort(elements.begin(), elements.end());
  return elements;
}

constexpr Impl::TileShape shape_of(std::int64_t rows, std::int64_t columns, int groups) {
  return {rows, columns, groups, Impl::TileShape::record_for((rows + groups - 1) / groups)};
}

TEST(SpmmTiled, TilesHoldWhatTheMatrixHolds) {
  const Exec exec;
  for (const auto& samples : {sample_matrices<float>(), messy_matrices<float>()})
    for (const auto& sample : samples) {
      if (sample.matrix.rows == 0) continue;
      const auto A = make_crs<Matrix>(sample.matrix);
      for (const Impl::TileShape& shape :
           {shape_of(1, 8, 1), shape_of(7, 9, 3), shape_of(8, 16, 24), shape_of(64, 1000, 4), shape_of(60, 33, 8)}) {
        Tiles tiles;
        Impl::MemoryBudget budget("test");
        tiles.make(exec, Impl::shared_crs(A), shape, 8, budget, [](const auto&, std::int64_t) { return true; });
        EXPECT_EQ(elements_of(tiles, sample.matrix), elements_of(sample.matrix)) << sample.name;
        EXPECT_EQ(budget.used(), tiles.bytes()) << sample.name;
      }
    }
}

TEST(SpmmTiled, TilesThatDoNotFitGetFewerColumns) {
  const Exec exec;
  const auto host = uneven_matrix<float>(64, 256, 200);
  const auto A    = make_crs<Matrix>(host);
  std::vector<std::int64_t> tried;
  Tiles tiles;
  Impl::MemoryBudget budget("test");
  tiles.make(exec, Impl::shared_crs(A), shape_of(64, 256, 4), 8, budget,
             [&](const Impl::TileShape& shape, std::int64_t) {
               tried.push_back(shape.columns);
               return shape.columns < 100;
             });
  EXPECT_THAT(tried, testing::ElementsAre(256, 128, 64));
  EXPECT_EQ(budget.used(), tiles.bytes());
  EXPECT_EQ(static_cast<std::int64_t>(elements_of(tiles, host).size()), host.nonzeros());
  const auto used = budget.used();
  Tiles none;
  EXPECT_THROW(none.make(exec, Impl::shared_crs(A), shape_of(64, 256, 4), 8, budget,
                         [](const Impl::TileShape&, std::int64_t) { return false; }),
               NotSupported);
  EXPECT_EQ(budget.used(), used);
}

// A tile of more nonzeros than a number of a record can say gets fewer columns.
TEST(SpmmTiled, TilesOfTooManyNonzerosGetFewerColumns) {
  const auto host = random_matrix<float>(300, 512, 256);
  Tiles tiles;
  Impl::MemoryBudget budget("test");
  tiles.make(Exec(), Impl::shared_crs(make_crs<Matrix>(host)), shape_of(300, 512, 24), 8, budget,
             [](const Impl::TileShape&, std::int64_t) { return true; });
  EXPECT_EQ(tiles.shape().columns, 256);
  EXPECT_EQ(elements_of(tiles, host), elements_of(host));
}

TEST(SpmmTiled, TakesNewValues) {
  auto host = uneven_matrix<float>(45, 60, 40);
  Tiles tiles;
  Impl::MemoryBudget budget("test");
  tiles.make(Exec(), Impl::shared_crs(make_crs<Matrix>(host)), shape_of(20, 16, 3), 8, budget,
             [](const Impl::TileShape&, std::int64_t) { return true; });
  for (auto& value : host.values) value = 3 - value;
  tiles.update_values(Exec(), Impl::shared_crs(make_crs<Matrix>(host)));
  EXPECT_EQ(elements_of(tiles, host), elements_of(host));
}

/// C = alpha A B + beta C with B as it is, or rounded to half precision.
template <class BView, class CView>
void multiply(const Exec& exec, const Tiles& tiles, const Impl::TileForm& form, const Matrix& A, bool rounds,
              const SpmmCase<float>& call, const BView& B, const CView& C) {
  const auto b = Impl::dense_block<const float>(B);
  const Impl::BlockArguments<float> arguments{call.alpha, call.beta, b, Impl::dense_block<float>(C)};
  ASSERT_TRUE(b.rows_aligned(16));
  if (!rounds) return Impl::spmm_tiled(exec, tiles, form, arguments);
  const auto room = static_cast<std::size_t>(b.rows * Impl::packed_row(b.columns, sizeof(Impl::Half)));
  const Kokkos::View<Impl::Half*, Device> halves("halves", room);
  const auto packed = Impl::repack<Impl::HalfOperand>(exec, b, halves.data());
  const auto shared = Impl::shared_crs(A);
  Impl::spmm_tiled(exec, tiles, form,
                   Impl::BlockArguments<Impl::Half, float>{call.alpha, call.beta, packed, arguments.C},
                   Impl::PlainSums<Matrix, float>{Impl::arrays_of(shared), arguments});
  exec.fence();
}

// Every form with rows and columns at the limits of its tiles, of packs and of boxes of a copy engine.
void check_edges(const Impl::TiledScalars& scalars) {
  const Exec exec;
  const auto device = device_of(exec);
  Impl::static_for_each_form([&]<Impl::TileForm form>() {
    if (!form.is_possible(device.lane_width, scalars)) return;
    const Impl::TiledSizes sizes(device, form, scalars);
    const std::int64_t most = std::int64_t{sizes.groups} * sizes.rows, width = sizes.width;
    const std::int64_t fewer = std::max(1, sizes.groups - 1);  // rows than groups
    for (const auto& [rows, of_tile] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                        {45, 1},
                                        {45, 5},
                                        {fewer, fewer},
                                        {most - 1, most - 1},
                                        {most, most},
                                        {most + 1, most},
                                        {2 * most, most}})
      for (const std::int64_t columns : {1, 64, 255, 257}) {
        const NamedMatrix<float> sample{"random", random_matrix<float>(rows, columns, columns > 9 ? 9 : 1)};
        const auto A = make_crs<Matrix>(sample.matrix);
        Tiles tiles;
        Impl::MemoryBudget budget("test");
        const auto fits = [&](const Impl::TileShape& tile, std::int64_t entries) {
          return Impl::TileStage(tile, form, device.lane_width, scalars, entries).all_bytes() <=
                 static_cast<std::int64_t>(device.scratch);
        };
        tiles.make(exec, Impl::shared_crs(A), sizes.shape(std::min(of_tile, most), columns), 1, budget, fits);
        for (const std::int64_t n : {std::int64_t{4}, width - 4, width, 2 * width + 4}) {
          if (n <= 0) continue;
          SpmmCase<float> edge{.columns = n, .alpha = 2, .beta = -0.5f};
          if (scalars.rounds_B()) edge.relative = half_rounding;
          check_spmm<Device>(sample, edge,
                             "tiles of " + std::to_string(form.load) + " bytes, " + std::to_string(form.packs) +
                                 " packs, rows " + std::to_string(rows),
                             [&](const auto& call, const auto& B, const auto& C) {
                               multiply(exec, tiles, form, A, scalars.rounds_B(), call, B, C);
                             });
        }
      }
  });
}

TEST(SpmmTiled, GroupsWithoutRowsHaveNoRecords) {
  const Impl::TiledSizes sizes(lacuna::Device::h200(), {16, 1}, sizeof(float));
  for (const std::int64_t rows : {1, 5, sizes.groups - 1, sizes.groups})
    EXPECT_EQ(sizes.shape(rows, 60).numbers(), rows * Impl::TileShape::record_for(sizes.rows));
  EXPECT_EQ(sizes.shape(500, 60).groups, sizes.groups);
}

TEST(SpmmTiled, EveryFormAtItsEdges) {
  if (!Impl::runs_lane_kernels<Exec>) GTEST_SKIP() << "kernels for lanes";
  check_edges(sizeof(float));
}
TEST(SpmmTiled, EveryFormAtItsEdgesWithBInHalfPrecision) {
  if (!Impl::runs_lane_kernels<Exec>) GTEST_SKIP() << "kernels for lanes";
  check_edges({sizeof(float), sizeof(Impl::Half)});
}

/// A matrix for which rounding B pays, and a plan that does.
struct Rounded {
  HostMatrix<float> host = random_matrix<float>(1500, 2000, 60);
  Matrix A               = make_crs<Matrix>(host);

  SpmmPlan<Matrix> plan(std::int64_t columns, SpmmOptions options = {}) const {
    options.columns   = columns;
    options.algorithm = SpmmAlgorithm::tiled;
    options.precision = Precision::fp16;
    return SpmmPlan(A, options);
  }
};

TEST(SpmmTiled, RoundsBWhereThatIsAskedForAndPays) {
  if (!Impl::runs_lane_kernels<Exec>) GTEST_SKIP() << "kernels for lanes";
  const Rounded rounded;
  const NamedMatrix<float> sample{"rounded", rounded.host};
  const SpmmPlan plan = rounded.plan(4096);
  const bool rounds   = plan.precision() == Precision::fp16;
  EXPECT_EQ(plan.report().find("rounded to half precision") != std::string::npos, rounds);
  EXPECT_FALSE(plan.shareable());
  EXPECT_TRUE(rounds || !ExecutionTraits<Exec>::is_gpu) << "on hosts no copy pays";
  for (const Storage b : {Storage::rows, Storage::columns, Storage::odd_rows})
    for (const std::int64_t columns : {3, 64, 130})
      check_spmm<Device>(
          sample, {.columns = columns, .alpha = -1, .beta = 0.25f, .b = b, .relative = half_rounding}, "rounded",
          [&](const auto& call, const auto& B, const auto& C) { spmm(plan, call.alpha, B, call.beta, C); });
}

// With less memory B is rounded a panel at a time, and where none is left rows are multiplied one by one.
TEST(SpmmTiled, RoundsPanelsOfB) {
  if (!Impl::runs_lane_kernels<Exec>) GTEST_SKIP() << "kernels for lanes";
  const Rounded rounded;
  const NamedMatrix<float> sample{"rounded", rounded.host};
  const std::size_t tiles = rounded.plan(4096).persistent_bytes();
  for (const std::size_t room : {0, 1000, 2000 * 16 * 2, 2000 * 560 * 2}) {
    const SpmmPlan plan = rounded.plan(4096, {.memory_limit = tiles + room});
    EXPECT_LE(plan.persistent_bytes() + plan.temporary_bytes(), tiles + room);
    check_spmm<Device>(
        sample, {.columns = 700, .beta = 0.5f, .relative = half_rounding}, std::to_string(room),
        [&](const auto& call, const auto& B, const auto& C) { spmm(plan, call.alpha, B, call.beta, C); });
  }
}

// What half precision cannot hold is multiplied as it is, and reaches no more sums than it does in float.
TEST(SpmmTiled, WhatHalfPrecisionCannotHold) {
  if (!Impl::runs_lane_kernels<Exec>) GTEST_SKIP() << "kernels for lanes";
  const Rounded rounded;
  constexpr std::int64_t columns = 70;
  const auto rows = static_cast<std::size_t>(rounded.host.rows), depth = static_cast<std::size_t>(rounded.host.columns);
  const SpmmPlan plan = rounded.plan(4096),
                 exact(rounded.A, {.columns = columns, .algorithm = SpmmAlgorithm::row_split});
  using Rows = Kokkos::View<float**, Kokkos::LayoutRight, Device>;
  for (const float special :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 70000.0f, -3e38f}) {
    auto b = random_vector<float>(static_cast<std::int64_t>(depth) * columns);
    for (const std::size_t at : {5, 70 * 11 + 3, 70 * 11 + 69, 70 * 1999 + 20}) b[at] = special;
    const auto B = make_block<Rows>("B", b, rounded.host.columns, columns);
    const Rows C("C", rows, columns), expected("expected", rows, columns);
    spmm(plan, 1, B, 0, C);
    spmm(exact, 1, B, 0, expected);
    const auto ours = to_row_major(C), plain = to_row_major(expected);
    std::int64_t touched = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (std::isnan(plain[i])) {
        ++touched;
        ASSERT_TRUE(std::isnan(ours[i])) << special << ", " << i;
      } else if (std::isinf(plain[i]) || std::abs(plain[i]) > 1e4f) {
        ++touched;
        ASSERT_TRUE(ours[i] == plain[i] || std::abs(ours[i] - plain[i]) < 1e-5f * std::abs(plain[i])) << special;
      } else {
        ASSERT_NEAR(ours[i], plain[i], 0.1f) << special << ", " << i;
      }
    EXPECT_GT(touched, 0) << special;
  }
}

// Rows of B may be one and the same, or only one, whatever its stride.
TEST(SpmmTiled, RowsOfBOverEachOther) {
  if (!Impl::runs_lane_kernels<Exec>) GTEST_SKIP() << "kernels for lanes";
  using Strided = Kokkos::View<float**, Kokkos::LayoutStride, Device>;
  const Kokkos::View<float**, Kokkos::LayoutRight, Device> row("row", 1, 8);
  copy_in(row, random_vector<float>(8));
  for (const std::int64_t depth : {1, 40}) {
    const auto rows = static_cast<std::size_t>(depth);
    const SpmmPlan plan(make_crs<Matrix>(random_matrix<float>(30, depth, depth > 1 ? 7 : 1)),
                        {.columns = 8, .algorithm = SpmmAlgorithm::tiled});
    const Strided same(row.data(), Kokkos::LayoutStride(rows, 0, 8, 1));
    const Kokkos::View<float**, Kokkos::LayoutRight, Device> B("B", rows, 8), C("C", 30, 8),
        expected("expected", 30, 8);
    for (std::size_t k = 0; k < rows; ++k)
      Kokkos::deep_copy(Kokkos::subview(B, k, Kokkos::ALL), Kokkos::subview(row, 0, Kokkos::ALL));
    spmm(plan, 1, same, 0, C);
    spmm(plan, 1, B, 0, expected);
    EXPECT_EQ(to_row_major(C), to_row_major(expected)) << depth;
  }
}

TEST(SpmmTiled, TheSameBitsOnEveryRun) {
  if (!Impl::runs_lane_kernels<Exec>) GTEST_SKIP() << "kernels for lanes";
  const auto A = make_crs<Matrix>(random_matrix<float>(200, 300, 40));
  const Kokkos::View<float**, Kokkos::LayoutRight, Device> B("B", 300, 70), C("C", 200, 70);
  copy_in(B, random_vector<float>(300 * 70));
  std::vector<float> first;
  for (int run = 0; run < 3; ++run) {
    spmm(SpmmPlan(A, {.columns = 70, .algorithm = SpmmAlgorithm::tiled}), 1, B, 0, C);
    const auto c = to_row_major(C);
    if (run == 0) first = c;
    EXPECT_EQ(c, first);
  }
}

}  // namespace
}  // namespace lacuna::Test

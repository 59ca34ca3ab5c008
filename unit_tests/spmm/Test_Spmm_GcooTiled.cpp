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

TEST(SpmmGcoo, EveryGroupAndTeam) {
  const NamedMatrix<float> sample{"uneven", uneven_matrix<float>(45, 60, 40)};
  const auto A = make_crs<Matrix>(sample.matrix);
  for (const int p : {0, 8, 16})
    for (const int b : {0, 32, 96, 256, 1024})
      for (const std::int64_t columns : {1, 31, 130, 257}) {
        const SpmmPlan plan(A, {.columns = columns, .algorithm = SpmmAlgorithm::gcoo, .panel_rows = p, .team_size = b});
        EXPECT_THAT(plan.report(), testing::HasSubstr("rows (p)"));
        check_spmm<Device>(
            sample, SpmmCase<float>{.columns = columns, .alpha = 2, .beta = -0.5f},
            "p " + std::to_string(p) + ", b " + std::to_string(b),
            [&](const auto& call, const auto& B, const auto& C) { spmm(plan, call.alpha, B, call.beta, C); });
      }
  EXPECT_THROW(SpmmPlan(A, {.algorithm = SpmmAlgorithm::gcoo, .panel_rows = 32}), NotSupported);
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

/// Row, column and value of everything that tiles hold, fillers left out.
template <class Host>
std::vector<std::tuple<std::int64_t, std::int64_t, float>> elements_of(const Tiles& tiles, const Host& host) {
  const auto arrays = tiles.arrays();
  const auto& shape = arrays.shape;
  const auto count  = static_cast<std::size_t>(tiles.tiles() * shape.begins() + 1);
  const auto begins = to_vector(Kokkos::View<const std::int32_t*, Device>(arrays.begins, count));
  const auto loads  = Kokkos::create_mirror_view_and_copy(
       Kokkos::HostSpace(),
       Kokkos::View<const Impl::TiledEntries<float>*, Device>(arrays.entries, static_cast<std::size_t>(begins.back())));
  std::vector<std::tuple<std::int64_t, std::int64_t, float>> elements;
  for (std::int64_t tile = 0; tile < tiles.tiles(); ++tile)
    for (std::int64_t r = 0; r < shape.rows; ++r) {
      const auto s = static_cast<std::size_t>(tile * shape.begins() + r);
      for (auto q = begins[s]; q < begins[s + 1]; ++q)
        for (int e = 0; e < Impl::TiledEntries<float>::count; ++e) {
          const auto& load = loads(static_cast<std::size_t>(q));
          if (load.place[e] == static_cast<std::uint32_t>(shape.columns)) {
            EXPECT_EQ(load.value[e], 0.0f);
            continue;
          }
          elements.emplace_back(tile / arrays.tiles_per_row * shape.rows + r,
                                tile % arrays.tiles_per_row * shape.columns + load.place[e], load.value[e]);
        }
    }
  std::sort(elements.begin(), elements.end());
  EXPECT_EQ(static_cast<std::int64_t>(elements.size()), host.nonzeros());
  return elements;
}

TEST(SpmmTiled, TilesHoldWhatTheMatrixHolds) {
  const Exec exec;
  for (const auto& samples : {sample_matrices<float>(), messy_matrices<float>()})
    for (const auto& sample : samples) {
      if (sample.matrix.rows == 0) continue;
      const auto A = make_crs<Matrix>(sample.matrix);
      std::vector<std::tuple<std::int64_t, std::int64_t, float>> expected;
      for (std::int64_t i = 0; i < sample.matrix.rows; ++i)
        for (auto k = sample.matrix.row_map[static_cast<std::size_t>(i)];
             k < sample.matrix.row_map[static_cast<std::size_t>(i) + 1]; ++k)
          expected.emplace_back(i, sample.matrix.entries[static_cast<std::size_t>(k)],
                                sample.matrix.values[static_cast<std::size_t>(k)]);
      std::sort(expected.begin(), expected.end());
      for (const Impl::TileShape shape : {Impl::TileShape{1, 8}, Impl::TileShape{7, 9}, Impl::TileShape{64, 1000}}) {
        Tiles tiles;
        Impl::MemoryBudget budget("test");
        tiles.make(exec, Impl::shared_crs(A), shape, 8, budget, [](const auto&, std::int64_t) { return true; });
        EXPECT_EQ(elements_of(tiles, sample.matrix), expected) << sample.name;
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
  tiles.make(exec, Impl::shared_crs(A), {64, 256}, 8, budget, [&](const Impl::TileShape& shape, std::int64_t) {
    tried.push_back(shape.columns);
    return shape.columns < 100;
  });
  EXPECT_THAT(tried, testing::ElementsAre(256, 128, 64));
  EXPECT_EQ(budget.used(), tiles.bytes());
  EXPECT_EQ(static_cast<std::int64_t>(elements_of(tiles, host).size()), host.nonzeros());
  Tiles none;
  EXPECT_THROW(none.make(exec, Impl::shared_crs(A), {64, 256}, 8, budget,
                         [](const Impl::TileShape&, std::int64_t) { return false; }),
               NotSupported);
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

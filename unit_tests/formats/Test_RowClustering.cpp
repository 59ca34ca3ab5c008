// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>
#include <formats/impl/clustering/Lacuna_RowClustering.hpp>

#include <Lacuna_Convert.hpp>
#include <formats/Test_Conversions.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace lacuna::Test;
using lacuna::Impl::cluster_rows;
using lacuna::Impl::make_row_clustering;

template <class Types>
class RowClustering : public testing::Test {};
using ClusteringTypes = testing::Types<MatrixTypes<float, int, int>, MatrixTypes<double, std::int64_t, std::int64_t>,
                                       MatrixTypes<double, int, std::size_t, ReferenceSpace>>;
TYPED_TEST_SUITE(RowClustering, ClusteringTypes);

TYPED_TEST(RowClustering, ListsEveryRowOnce) {
  using Matrix = typename TypeParam::Matrix;
  const typename TypeParam::Space exec{};
  for (const auto& [name, matrix] : all_matrices<typename TypeParam::Scalar>()) {
    const auto A = make_crs<Matrix>(matrix);
    for (const int height : {8, 16}) {
      const auto list = cluster_rows(exec, A, height);
      if (matrix.rows == 0 || matrix.rows != matrix.columns) {
        EXPECT_EQ(list.extent(0), 0u) << name;
        continue;
      }
      const auto rows = to_vector(list);
      EXPECT_EQ(rows.size(), static_cast<std::size_t>((matrix.rows + height - 1) / height * height)) << name;
      // Conversion refuses a list that does not hold every row once.
      const auto bricks = lacuna::to_bricks(exec, A, list, {.panel_rows = height});
      EXPECT_TRUE(same(to_host(lacuna::to_crs(bricks)), matrix, Order::free)) << name;
    }
  }
}

TYPED_TEST(RowClustering, IsTheSameOnEveryRun) {
  using Matrix = typename TypeParam::Matrix;
  const typename TypeParam::Space exec{};
  const auto A     = lacuna::generate<Matrix>(exec, "mesh27:n=9");
  const auto first = to_vector(cluster_rows(exec, A, 16));
  for (int run = 0; run < 3; ++run) EXPECT_EQ(to_vector(cluster_rows(exec, A, 16)), first);
}

/// FNV-1a, so that long lists can stand here.
std::uint64_t hash_of(const auto& rows) {
  std::uint64_t hash = 14695981039346656037u;
  for (const auto row : rows)
    hash = (hash ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(row))) * 1099511628211u;
  return hash;
}

/// Rows of all kinds: empty ones, some with columns twice, some that are longer than clustering looks at.
std::vector<std::vector<std::int64_t>> mixed_rows(std::size_t count, bool sorted) {
  Random random(77);
  std::vector<std::vector<std::int64_t>> rows(count);
  for (std::size_t pair = 0; pair < 9 * count; ++pair) {
    const auto n = static_cast<std::int64_t>(count), a = random.below(n), b = (a + 1 + random.below(15)) % n;
    rows[static_cast<std::size_t>(a)].push_back(b);
    rows[static_cast<std::size_t>(b)].push_back(a);
  }
  for (std::size_t i = 0; i < count; ++i) {
    auto& row = rows[i];
    if (i % 61 == 7) row.clear();
    if (i % 97 == 5)
      for (std::size_t k = 0; k < 230 + i % 29; ++k) row.push_back(static_cast<std::int64_t>(k * (count / 260)));
    std::sort(row.begin(), row.end());
    if (i % 3 > 0) row.erase(std::unique(row.begin(), row.end()), row.end());
    if (!sorted && i % 7 == 3) std::reverse(row.begin(), row.end());
  }
  return rows;
}

TYPED_TEST(RowClustering, ListsAreThoseThatAreKnown) {
  // Lists of the first implementation, which merged rows one thread each.
  using Matrix = typename TypeParam::Matrix;
  using Scalar = typename TypeParam::Scalar;
  const typename TypeParam::Space exec{};
  const auto expect = [&](const std::string& name, const Matrix& A, std::uint64_t of_8, std::uint64_t of_16) {
    for (const int height : {8, 16}) {
      // However the number of groups becomes known.
      for (const std::int64_t least_counted : {std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
        const auto list = to_vector(cluster_rows(exec, A, height, lacuna::unlimited, least_counted));
        EXPECT_EQ(hash_of(list), height == 8 ? of_8 : of_16) << name << ", " << height << ", " << least_counted;
      }
    }
  };
  expect("mesh", lacuna::generate<Matrix>(exec, "mesh27:n=11"), 16165271961362574141u, 5224838426027445765u);
  expect("sorted", make_crs<Matrix>(from_rows<Scalar>(1501, mixed_rows(1501, true))), 12639130362715909502u,
         17266852941665180950u);
  expect("unsorted", make_crs<Matrix>(from_rows<Scalar>(1501, mixed_rows(1501, false))), 6518762964253737902u,
         17214068212961150222u);
}

TYPED_TEST(RowClustering, OfAFewRowsThatShareNothing) {
  using Matrix = typename TypeParam::Matrix;
  using Scalar = typename TypeParam::Scalar;
  const typename TypeParam::Space exec{};
  const auto list_of = [&](const std::vector<std::vector<std::int64_t>>& rows) {
    const auto count = static_cast<std::int64_t>(rows.size());
    const auto list  = to_vector(cluster_rows(exec, make_crs<Matrix>(from_rows<Scalar>(count, rows)), 8));
    return std::vector<std::int64_t>(list.begin(), list.end());
  };
  using List = std::vector<std::int64_t>;
  EXPECT_EQ(list_of({}), List());
  EXPECT_EQ(list_of({{}}), List({0, -1, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(list_of({{0}}), List({0, -1, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(list_of({{}, {}, {}}), List({0, 1, 2, -1, -1, -1, -1, -1}));
  EXPECT_EQ(list_of({{0, 2}, {1}, {0, 2}}), List({0, 2, 1, -1, -1, -1, -1, -1}));
}

using Matrix = KokkosSparse::CrsMatrix<float, int, DefaultSpace, void, int>;

TEST(RowClusteringGain, MeshesInNaturalOrder) {
  // Cubes of 2 x 2 x 4 nodes would have (4 x 4 x 6) / 16 = 6 columns a row inside; natural order has 3 x 3 x 18 / 16.
  const DefaultSpace exec{};
  const auto A          = lacuna::generate<Matrix>(exec, "mesh27:n=24");
  const auto clustering = make_row_clustering<16>(exec, A);
  const auto per_row    = [&](const auto& statistics) {
    return static_cast<double>(statistics.active_columns) / static_cast<double>(statistics.rows);
  };
  EXPECT_GT(per_row(clustering.natural), 8.0);
  EXPECT_LT(per_row(clustering.clustered), 6.2);
  EXPECT_LT(clustering.share_of_columns(), 0.7);
  EXPECT_EQ(clustering.row_list.extent(0), 24u * 24 * 24);
  EXPECT_LT(make_row_clustering<8>(exec, A).share_of_columns(), 0.8);
  EXPECT_EQ(clustering.clustered.active_columns, 76654);
}

TEST(RowClusteringGain, WhatWasCountedIsNotCountedAgain) {
  using lacuna::Impl::count_panel_columns, lacuna::Impl::bricks_from_crs;
  const DefaultSpace exec{};
  const auto A            = lacuna::generate<Matrix>(exec, "mesh27:n=13");
  const std::int64_t rows = 13 * 13 * 13;
  const auto of_panels    = [&](std::int64_t height) {
    return lacuna::Impl::PanelRows<int>{rows, (rows + height - 1) / height, static_cast<int>(height), nullptr, nullptr};
  };
  auto natural               = count_panel_columns<8>("test", exec, A, of_panels(8), 0, lacuna::unlimited);
  const std::int64_t columns = natural.totals.columns;
  // A count that is none shows who takes it.
  natural.totals.columns = 2 * columns;
  EXPECT_EQ(make_row_clustering<8>(exec, A).natural.active_columns, columns);
  EXPECT_EQ(make_row_clustering<8>(exec, A, lacuna::unlimited, natural).natural.active_columns, 2 * columns);
  EXPECT_EQ(make_row_clustering<16>(exec, A, lacuna::unlimited, natural).natural.active_columns,
            make_row_clustering<16>(exec, A).natural.active_columns);

  auto clustering = make_row_clustering<8>(exec, A);
  ASSERT_GT(clustering.row_list.extent(0), 0u);
  EXPECT_EQ(clustering.columns.totals.columns, clustering.clustered.active_columns);
  const auto* const counted = clustering.columns.panel_begin;
  const auto bricks         = bricks_from_crs(exec, A, clustering.row_list, {.panel_rows = 8}, clustering.columns);
  EXPECT_EQ(clustering.columns.panel_begin, counted);
  const auto again = lacuna::to_bricks(exec, A, clustering.row_list, {.panel_rows = 8});
  EXPECT_EQ(to_vector(bricks.panel_begin), to_vector(again.panel_begin));
  EXPECT_EQ(to_vector(bricks.step_columns), to_vector(again.step_columns));
  EXPECT_EQ(to_vector(bricks.patterns), to_vector(again.patterns));
  EXPECT_EQ(to_vector(bricks.values), to_vector(again.values));
  // Of another order, or of other panels: counted here.
  natural.totals.columns = columns;
  EXPECT_EQ(to_vector(bricks_from_crs(exec, A, clustering.row_list, {.panel_rows = 8}, natural).patterns),
            to_vector(again.patterns));
  EXPECT_EQ(natural.totals.columns, clustering.clustered.active_columns);
  EXPECT_EQ(to_vector(bricks_from_crs(exec, A, {}, {.panel_rows = 8}, clustering.columns).patterns),
            to_vector(lacuna::to_bricks(exec, A, {.panel_rows = 8}).patterns));
}

TEST(RowClusteringGain, RowsThatWereShuffledComeTogetherAgain) {
  // Blocks of 16 equal rows, spread out: each becomes a panel.
  std::vector<std::int64_t> order(160);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  Random(9).shuffle(order);
  std::vector<std::vector<std::int64_t>> rows(160);
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto& row = rows[static_cast<std::size_t>(order[i])];
    for (std::size_t j = i / 16 * 16; j < i / 16 * 16 + 16; ++j) row.push_back(order[j]);
    std::sort(row.begin(), row.end());
  }
  const auto A          = make_crs<Matrix>(from_rows<float>(160, rows));
  const auto clustering = make_row_clustering<16>(DefaultSpace{}, A);
  EXPECT_GT(clustering.natural.active_columns, 1000);
  EXPECT_LT(clustering.clustered.active_columns, 480);  // 160 were every block found whole
}

TEST(RowClusteringGain, NaturalOrderWhereItIsAsGood) {
  const auto A          = make_crs<Matrix>(banded_matrix<float>(320, 320, 4, 4));
  const auto clustering = make_row_clustering<16>(DefaultSpace{}, A);
  EXPECT_EQ(clustering.row_list.extent(0), 0u);
  EXPECT_EQ(clustering.share_of_columns(), 1.0);
  EXPECT_THROW(cluster_rows(DefaultSpace{}, A, 16, 1000), lacuna::OutOfMemory);
}

}  // namespace

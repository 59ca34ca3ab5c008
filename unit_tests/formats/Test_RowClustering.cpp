// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>
#include <formats/impl/Lacuna_RowClustering.hpp>

#include <Lacuna_Convert.hpp>
#include <formats/Test_Conversions.hpp>

namespace {

using namespace lacuna::Test;
using lacuna::Impl::cluster_rows;
using lacuna::Impl::make_row_clustering;

template <class Types>
class RowClustering : public testing::Test {};
using ClusteringTypes = testing::Types<MatrixTypes<float, int, int>, MatrixTypes<double, std::int64_t, std::int64_t>,
                                       MatrixTypes<double, int, std::size_t, Kokkos::Serial>>;
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

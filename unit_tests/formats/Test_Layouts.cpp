// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Conversions.hpp>

namespace {

using namespace lacuna::Test;
using testing::ElementsAre;
using testing::HasSubstr;

using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;

TEST(CooLayout, SmallMatrix) {
  const auto coo = lacuna::to_coo(make_crs<Matrix>(small_matrix()));
  EXPECT_EQ(coo.rows, 3);
  EXPECT_EQ(coo.columns, 4);
  EXPECT_EQ(coo.nonzeros(), 5);
  EXPECT_EQ(coo.bytes(), 5u * (4 + 4 + 8));
  EXPECT_THAT(to_vector(coo.row_indices), ElementsAre(0, 0, 2, 2, 2));
  EXPECT_THAT(to_vector(coo.column_indices), ElementsAre(0, 1, 1, 2, 3));
  EXPECT_THAT(to_vector(coo.values), ElementsAre(10, 11, 21, 22, 23));
}

TEST(CooLayout, RefusesRowsOutOfOrder) {
  auto coo        = lacuna::to_coo(make_crs<Matrix>(small_matrix()));
  coo.row_indices = make_view<decltype(coo.row_indices)>("rows", std::vector<int>{0, 0, 2, 1, 2});
  EXPECT_THROW(lacuna::to_crs(coo), lacuna::InvalidMatrix);
  coo.row_indices = make_view<decltype(coo.row_indices)>("rows", std::vector<int>{0, 0, 2, 2, 3});
  EXPECT_THROW(lacuna::to_crs(coo), lacuna::InvalidMatrix);
}

TEST(EllLayout, SmallMatrix) {
  const auto ell = lacuna::to_ell(make_crs<Matrix>(small_matrix()), {.alignment = 4});
  EXPECT_EQ(ell.width, 3);
  EXPECT_EQ(ell.stride, 4);
  EXPECT_EQ(ell.nonzeros(), 5);
  EXPECT_EQ(ell.bytes(), 12u * (4 + 8));
  EXPECT_THAT(to_vector(ell.column_indices), ElementsAre(0, -1, 1, -1, 1, -1, 2, -1, -1, -1, 3, -1));
  EXPECT_THAT(to_vector(ell.values), ElementsAre(10, 0, 21, 0, 11, 0, 22, 0, 0, 0, 23, 0));
}

TEST(EllLayout, StrideIsAMultipleOfTheLaneWidth) {
  for (const int rows : {1, 31, 32, 33, 65}) {
    const auto ell = lacuna::to_ell(make_crs<Matrix>(random_matrix<double>(rows, 10, 2)));
    EXPECT_GE(ell.stride, rows);
    EXPECT_EQ(ell.stride % 32, 0);
    EXPECT_EQ(ell.stride % lacuna::ExecutionTraits<DefaultSpace>::lane_width, 0);
  }
}

TEST(EllLayout, RefusesFillAndMemory) {
  const auto A = make_crs<Matrix>(dense_row_matrix<double>(2000, 3000, 5));
  EXPECT_THROW(lacuna::to_ell(A), lacuna::NotSupported);
  EXPECT_NO_THROW(lacuna::to_ell(A, {.fill_limit = 0}));
  EXPECT_THROW(lacuna::to_ell(A, {.memory_limit = 1000, .fill_limit = 0}), lacuna::OutOfMemory);
  EXPECT_THROW(lacuna::to_ell(A, {.alignment = -1}), lacuna::InvalidArgument);
}

TEST(PaddedRowsLayout, SmallMatrix) {
  const auto padded = lacuna::to_padded_rows(make_crs<Matrix>(small_matrix()), {.multiple = 2});
  EXPECT_THAT(to_vector(padded.row_map), ElementsAre(0, 2, 2, 6));
  EXPECT_THAT(to_vector(padded.entries), ElementsAre(0, 1, 1, 2, 3, -1));
  EXPECT_THAT(to_vector(padded.values), ElementsAre(10, 11, 21, 22, 23, 0));
  EXPECT_EQ(padded.bytes(), 4u * 4 + 6 * (4 + 8));
  EXPECT_THROW(lacuna::to_padded_rows(make_crs<Matrix>(small_matrix()), {.multiple = 0}), lacuna::InvalidArgument);
}

TEST(PaddedRowsLayout, SixteenIsTheDefault) {
  const auto padded = lacuna::to_padded_rows(make_crs<Matrix>(random_matrix<double>(40, 100, 17)));
  const auto starts = to_vector(padded.row_map);
  for (std::size_t i = 0; i < starts.size(); ++i) EXPECT_EQ(starts[i], 32 * static_cast<int>(i));
}

TEST(Conversions, MemoryLimitIsRespectedToTheByte) {
  const auto A           = make_crs<Matrix>(uneven_matrix<double>(50, 60, 9));
  const auto coo_bytes   = lacuna::to_coo(A).bytes();
  const auto ell_bytes   = lacuna::to_ell(A).bytes();
  const auto padded_size = lacuna::to_padded_rows(A).bytes();
  EXPECT_NO_THROW(lacuna::to_coo(A, {.memory_limit = coo_bytes}));
  EXPECT_THROW(lacuna::to_coo(A, {.memory_limit = coo_bytes - 1}), lacuna::OutOfMemory);
  EXPECT_NO_THROW(lacuna::to_ell(A, {.memory_limit = ell_bytes}));
  EXPECT_THROW(lacuna::to_ell(A, {.memory_limit = ell_bytes - 1}), lacuna::OutOfMemory);
  EXPECT_NO_THROW(lacuna::to_padded_rows(A, {.memory_limit = padded_size}));
  EXPECT_THROW(lacuna::to_padded_rows(A, {.memory_limit = padded_size - 1}), lacuna::OutOfMemory);
}

TEST(Conversions, UpdateRefusesAnotherShape) {
  const auto ell = lacuna::to_ell(make_crs<Matrix>(small_matrix()));
  try {
    lacuna::update_values(make_crs<Matrix>(random_matrix<double>(3, 4, 2)), ell);
    FAIL() << "accepted 6 nonzeros for 5";
  } catch (const lacuna::InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("lacuna::update_values: A is 3x4 with 6 nonzeros"));
  }
}

TEST(Conversions, ConstMatricesAndOtherInstances) {
  using ConstMatrix = KokkosSparse::CrsMatrix<const double, const int, DefaultSpace, void, const int>;
  const auto source = uneven_matrix<double>(100, 80, 9);
  const auto A      = make_crs<Matrix>(source);
  const ConstMatrix B(A);
  const auto instances = Kokkos::Experimental::partition_space(DefaultSpace(), 1, 1);
  for (const auto& exec : instances) {
    const auto back = lacuna::to_crs(exec, lacuna::to_padded_rows(exec, B));
    exec.fence();
    EXPECT_TRUE(same(to_host(back), source));
  }
}

}  // namespace

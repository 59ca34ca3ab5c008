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
  const auto padded = lacuna::to_padded_rows(make_crs<Matrix>(random_matrix<double>(40, 100, 33)));
  const auto starts = to_vector(padded.row_map);
  for (std::size_t i = 0; i < starts.size(); ++i) EXPECT_EQ(starts[i], 48 * static_cast<int>(i));
}

TEST(HybLayout, WidthIsThatOfBellAndGarland) {
  EXPECT_EQ(lacuna::hyb_width({}), 0);
  EXPECT_EQ(lacuna::hyb_width({0, 0, 4095}), 0);              // too few rows
  EXPECT_EQ(lacuna::hyb_width({0, 0, 4096}), 2);              // all rows
  EXPECT_EQ(lacuna::hyb_width({0, 0, 8192, 0, 4096}), 4);     // exactly a third
  EXPECT_EQ(lacuna::hyb_width({0, 0, 8193, 0, 4096}), 2);     // less than a third
  EXPECT_EQ(lacuna::hyb_width({1, 0, 4095, 0, 4096, 1}), 4);  // the longest row does not count
}

TEST(HybLayout, SmallMatrix) {
  const auto hyb = lacuna::to_hyb(make_crs<Matrix>(small_matrix()), {.width = 1, .alignment = 1});
  EXPECT_THAT(to_vector(hyb.ell.column_indices), ElementsAre(0, -1, 1));
  EXPECT_THAT(to_vector(hyb.ell.values), ElementsAre(10, 0, 21));
  EXPECT_EQ(hyb.ell.nonzeros(), 2);
  EXPECT_THAT(to_vector(hyb.coo_row_map), ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(to_vector(hyb.coo.row_indices), ElementsAre(0, 2, 2));
  EXPECT_THAT(to_vector(hyb.coo.column_indices), ElementsAre(1, 2, 3));
  EXPECT_THAT(to_vector(hyb.coo.values), ElementsAre(11, 22, 23));
  EXPECT_EQ(hyb.bytes(), 3u * 12 + 3 * 16 + 4 * 4);
}

TEST(HybLayout, AutomaticWidthOfManyRows) {
  auto source    = random_matrix<double>(9000, 500, 5);
  const auto hyb = lacuna::to_hyb(make_crs<Matrix>(source));
  EXPECT_EQ(hyb.ell.width, 5);
  EXPECT_EQ(hyb.coo.nonzeros(), 0);
  EXPECT_EQ(lacuna::to_hyb(make_crs<Matrix>(dense_row_matrix<double>(9000, 500, 17))).coo.nonzeros(), 498);
}

TEST(DiaLayout, SmallMatrix) {
  const auto dia = lacuna::to_dia(make_crs<Matrix>(small_matrix()));
  EXPECT_EQ(dia.stride, 32);
  EXPECT_THAT(to_vector(dia.offsets), ElementsAre(-1, 0, 1));
  EXPECT_THAT(to_vector(dia.occupied), ElementsAre(0b100u, 0b101u, 0b101u));
  const auto values = to_vector(dia.values);
  EXPECT_EQ(values.size(), 96u);
  EXPECT_EQ(values[2], 21);
  EXPECT_EQ(values[32 + 0], 10);
  EXPECT_EQ(values[32 + 1], 0);
  EXPECT_EQ(values[32 + 2], 22);
  EXPECT_EQ(values[64 + 0], 11);
  EXPECT_EQ(values[64 + 2], 23);
  EXPECT_EQ(dia.bytes(), 96u * 8 + 3 * 4 + 3 * 4);
}

TEST(DiaLayout, DuplicatesAreAddedInTheOrderOfTheRow) {
  HostMatrix<double> source;
  source.rows = source.columns = 1;
  source.row_map               = {0, 3};
  source.entries               = {0, 0, 0};
  source.values                = {1e16, 1.0, -1e16};  // 0 in this order, 1 in others
  const auto dia               = lacuna::to_dia(make_crs<Matrix>(source));
  EXPECT_EQ(to_vector(dia.values)[0], 0.0);
  EXPECT_EQ(dia.nonzeros(), 3);
}

TEST(DiaLayout, RefusesFill) {
  const auto A = make_crs<Matrix>(random_matrix<double>(2000, 2000, 1));
  EXPECT_THROW(lacuna::to_dia(A), lacuna::NotSupported);
  EXPECT_THROW(lacuna::to_dia(A, {.memory_limit = 1 << 20, .fill_limit = 0}), lacuna::OutOfMemory);
}

TEST(RowBlockLayout, SmallMatrixByHand) {
  // Rows 0 and 1: columns 17 and 40 share the block that starts at 16; column 48 starts one of its own.
  HostMatrix<double> source;
  source.rows    = 3;
  source.columns = 50;
  source.row_map = {0, 3, 4, 5};
  source.entries = {17, 40, 48, 31, 2};
  source.values  = {1, 2, 3, 4, 5};
  const auto blocks =
      lacuna::to_row_block(make_crs<Matrix>(source), {.block_rows = 2, .block_columns = 32, .multiple = 2});
  constexpr std::uint16_t none = 65535;
  EXPECT_EQ(blocks.groups(), 2);
  EXPECT_THAT(to_vector(blocks.group_map), ElementsAre(0, 2, 3));
  EXPECT_THAT(to_vector(blocks.start_columns), ElementsAre(16, 48, 0));
  EXPECT_THAT(to_vector(blocks.row_map), ElementsAre(0, 2, 4, 6, 6, 8, 8));
  EXPECT_THAT(to_vector(blocks.entries), ElementsAre(1, 24, 15, none, 0, none, 2, none));
  EXPECT_THAT(to_vector(blocks.values), ElementsAre(1, 2, 4, 0, 3, 0, 5, 0));
  EXPECT_THAT(to_vector(blocks.slots), ElementsAre(0, 1, 4, 2, 6));
  EXPECT_EQ(blocks.bytes(), 3u * 4 + 3 * 4 + 7 * 4 + 8 * 2 + 8 * 8 + 5 * 4);
}

TEST(RowBlockLayout, StartsAreAlignedAndBlocksDoNotOverlap) {
  for (const auto& [name, source] : messy_matrices<double>()) {
    const auto blocks = lacuna::to_row_block(make_crs<Matrix>(source), {.block_rows = 8, .block_columns = 64});
    const auto map    = to_vector(blocks.group_map);
    const auto starts = to_vector(blocks.start_columns);
    const auto rows   = to_vector(blocks.row_map);
    for (std::size_t g = 0; g + 1 < map.size(); ++g)
      for (int b = map[g] + 1; b < map[g + 1]; ++b)
        EXPECT_GE(starts[static_cast<std::size_t>(b)], starts[static_cast<std::size_t>(b) - 1] + 64) << name;
    for (const int start : starts) EXPECT_EQ(start % blocks.alignment, 0) << name;
    for (const int begin : rows) EXPECT_EQ(begin % 16, 0) << name;
  }
}

TEST(RowBlockLayout, RefusesSizesItCannotHold) {
  const auto A = make_crs<Matrix>(small_matrix());
  EXPECT_THROW(lacuna::to_row_block(A, {.block_rows = 0}), lacuna::InvalidArgument);
  EXPECT_THROW(lacuna::to_row_block(A, {.block_rows = 65}), lacuna::InvalidArgument);
  EXPECT_THROW(lacuna::to_row_block(A, {.block_columns = 24}), lacuna::InvalidArgument);
  EXPECT_THROW(lacuna::to_row_block(A, {.block_columns = 65536}), lacuna::InvalidArgument);
  EXPECT_THROW(lacuna::to_row_block(A, {.multiple = 0}), lacuna::InvalidArgument);
  EXPECT_THROW(lacuna::to_row_block(A, {.memory_limit = 50}), lacuna::OutOfMemory);
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
  if (DefaultSpace().concurrency() < 2) GTEST_SKIP() << "one thread cannot be shared by two instances";
  const auto instances = Kokkos::Experimental::partition_space(DefaultSpace(), 1, 1);
  for (const auto& exec : instances) {
    const auto back = lacuna::to_crs(exec, lacuna::to_padded_rows(exec, B));
    exec.fence();
    EXPECT_TRUE(same(to_host(back), source));
  }
}

}  // namespace

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Defects.hpp>

namespace {

using namespace lacuna::Test;
using testing::HasSubstr;

using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;

TEST(ValidateBricks, SamplesAreValid) {
  for (const auto& [name, source] : all_matrices<double>())
    for (const int height : {8, 16})
      EXPECT_EQ(defects_of(lacuna::to_bricks(make_crs<Matrix>(source), {.panel_rows = height})), "valid") << name;
}

TEST(ValidateBricks, FindsWhatIsBroken) {
  // One panel of 3 rows with the columns 0 1 2 3, padded with 3.
  auto bricks = lacuna::to_bricks(make_crs<Matrix>(small_matrix()));
  EXPECT_EQ(defects_of(bricks), "valid");
  poke(bricks.step_columns, 3, 4);
  EXPECT_THAT(defects_of(bricks), HasSubstr("step columns out of range or out of order, first at 0"));
  poke(bricks.step_columns, 3, 3);
  poke(bricks.step_columns, 1, 3);
  EXPECT_EQ(defects_of(bricks), "1 step columns out of range or out of order, first at 0");
  poke(bricks.step_columns, 1, 1);
  poke(bricks.step_columns, 7, 2);
  EXPECT_THAT(defects_of(bricks), HasSubstr("1 step columns without a nonzero, first at 0"));
  poke(bricks.step_columns, 7, 3);
  poke(bricks.patterns, 0, 0x1e03u);  // one bit more, in row 3, which does not exist
  EXPECT_EQ(
      defects_of(bricks),
      "1 steps whose values are not as many as their bits, first at 0; 1 bits of rows that do not exist, first at 0");
  poke(bricks.patterns, 0, 0x603u);
  EXPECT_THAT(defects_of(bricks), HasSubstr("1 steps whose values are not as many as their bits"));
  EXPECT_THAT(defects_of(bricks), HasSubstr("step columns without a nonzero"));
  poke(bricks.patterns, 0, 0xe03u);
  EXPECT_EQ(defects_of(bricks), "valid");
  poke(bricks.source, 2, 3);
  EXPECT_EQ(defects_of(bricks), "1 elements of source out of range or there twice; source holds 4 of 5");
  poke(bricks.source, 2, 2);
  poke(bricks.value_begin, 1, 4);
  EXPECT_EQ(defects_of(bricks), "1 wrong ends of value_begin, first at 1");
  poke(bricks.value_begin, 1, 5);
  poke(bricks.panel_begin, 1, 0);
  EXPECT_EQ(defects_of(bricks), "1 wrong ends of panel_begin, first at 1");
  poke(bricks.panel_begin, 1, 1);
  bricks.values = decltype(bricks.values)("short", 5);
  EXPECT_EQ(defects_of(bricks), "values has 5 elements, not 7");
  bricks.panel_rows = 4;
  EXPECT_EQ(defects_of(bricks), "panels of 4 rows");
}

TEST(ValidateBricks, RowList) {
  const auto list = make_view<lacuna::RowListOf<Matrix>>("list", std::vector<int>{2, 0, -1, 1, -1, -1, -1, -1});
  auto bricks     = lacuna::to_bricks(DefaultSpace{}, make_crs<Matrix>(small_matrix()), list);
  EXPECT_EQ(defects_of(bricks), "valid");
  poke(bricks.row_list, 3, 0);
  EXPECT_EQ(defects_of(bricks), "1 elements of row_list out of range or there twice; row_list holds 2 of 3");
  poke(bricks.row_list, 3, -1);
  EXPECT_EQ(defects_of(bricks), "row_list holds 2 of 3");
  bricks.rows = 2000000000;  // no memory is asked for to find out
  EXPECT_EQ(defects_of(bricks), "row_list has 8 elements for 2000000000");
}

TEST(ValidateHrpb, SamplesAreValid) {
  for (const auto& [name, source] : all_matrices<double>())
    for (const int height : {16, 32})
      EXPECT_EQ(defects_of(lacuna::to_hrpb(make_crs<Matrix>(source), {.panel_rows = height})), "valid") << name;
}

TEST(ValidateHrpb, FindsWhatIsBroken) {
  // One panel of 3 rows with the columns 0 1 2 3: 5 doubles in 48 bytes, one pattern at 48, colPtr at 80, rows at 100.
  auto hrpb = lacuna::to_hrpb(make_crs<Matrix>(small_matrix()));
  EXPECT_EQ(defects_of(hrpb), "valid");
  poke(hrpb.activeCols, 3, 4);
  EXPECT_THAT(defects_of(hrpb), HasSubstr("active columns out of range or out of order, first at 0"));
  poke(hrpb.activeCols, 3, 3);
  poke(hrpb.activeCols, 15, 2);
  EXPECT_THAT(defects_of(hrpb), HasSubstr("1 active columns without a nonzero, first at 0"));
  poke(hrpb.activeCols, 15, 3);
  poke(hrpb.packedBlocks, 49, 0x1e);  // one bit more, in row 3, which does not exist
  EXPECT_EQ(defects_of(hrpb), "1 bits of rows that do not exist, first at 0");
  poke(hrpb.packedBlocks, 49, 0x00);
  EXPECT_THAT(defects_of(hrpb), HasSubstr("1 blocks whose size does not fit their bits, first at 0"));
  poke(hrpb.packedBlocks, 49, 0x0e);
  poke(hrpb.packedBlocks, 100, 1);
  EXPECT_EQ(defects_of(hrpb), "1 blocks whose colPtr, rows and patterns are no list of bricks, first at 0");
  poke(hrpb.packedBlocks, 100, 0);
  poke(hrpb.packedBlocks, 84, 9);
  EXPECT_EQ(defects_of(hrpb), "1 blocks whose colPtr, rows and patterns are no list of bricks, first at 0");
  poke(hrpb.packedBlocks, 84, 1);
  EXPECT_EQ(defects_of(hrpb), "valid");
  poke(hrpb.slots, 2, 5);
  EXPECT_EQ(defects_of(hrpb), "1 slots that are no nonzero of a block or there twice, first at 2");
  poke(hrpb.slots, 2, 3);
  EXPECT_EQ(defects_of(hrpb), "1 slots that are no nonzero of a block or there twice");
  poke(hrpb.slots, 2, 2);
  poke(hrpb.sizePtr, 1, 112);
  EXPECT_EQ(defects_of(hrpb), "1 wrong ends of sizePtr, first at 1");
  poke(hrpb.sizePtr, 1, 128);
  poke(hrpb.blockedRowPtr, 0, 1);
  EXPECT_EQ(defects_of(hrpb), "1 wrong ends of blockedRowPtr, first at 0");
  hrpb.TM = 8;
  EXPECT_EQ(defects_of(hrpb), "row panels of 8 rows");
}

}  // namespace

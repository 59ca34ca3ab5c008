// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Conversions.hpp>

namespace {

using namespace lacuna::Test;

template <class Types>
class RoundTripRowBlock : public testing::Test {};
TYPED_TEST_SUITE(RoundTripRowBlock, ConversionTypes);

TYPED_TEST(RoundTripRowBlock, RowBlock) {
  check_round_trips<TypeParam>([](const auto& exec, const auto& A) { return lacuna::to_row_block(exec, A); },
                               Order::free);
  check_round_trips<TypeParam>(
      [](const auto& exec, const auto& A) {
        return lacuna::to_row_block(exec, A, {.block_rows = 1, .block_columns = 16, .multiple = 1});
      },
      Order::free);
  check_round_trips<TypeParam>(
      [](const auto& exec, const auto& A) {
        return lacuna::to_row_block(exec, A, {.block_rows = 37, .block_columns = 48, .multiple = 4});
      },
      Order::free);
}

TYPED_TEST(RoundTripRowBlock, RowBlockOfEmptyRowMap) {
  const auto back = to_host(lacuna::to_crs(lacuna::to_row_block(matrix_without_row_map<typename TypeParam::Matrix>())));
  EXPECT_EQ(back.rows, 0);
  EXPECT_EQ(back.columns, 5);
  EXPECT_EQ(back.nonzeros(), 0);
}

}  // namespace

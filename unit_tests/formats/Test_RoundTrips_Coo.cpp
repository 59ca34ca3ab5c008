// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Conversions.hpp>

namespace {

using namespace lacuna::Test;

template <class Types>
class RoundTripCoo : public testing::Test {};
TYPED_TEST_SUITE(RoundTripCoo, ConversionTypes);

TYPED_TEST(RoundTripCoo, Coo) {
  check_round_trips<TypeParam>([](const auto& exec, const auto& A) { return lacuna::to_coo(exec, A); });
}

TYPED_TEST(RoundTripCoo, PaddedRows) {
  check_round_trips<TypeParam>([](const auto& exec, const auto& A) { return lacuna::to_padded_rows(exec, A); });
  check_round_trips<TypeParam>(
      [](const auto& exec, const auto& A) { return lacuna::to_padded_rows(exec, A, {.multiple = 5}); });
}

TYPED_TEST(RoundTripCoo, CooOfEmptyRowMap) {
  const auto back = to_host(lacuna::to_crs(lacuna::to_coo(matrix_without_row_map<typename TypeParam::Matrix>())));
  EXPECT_EQ(back.rows, 0);
  EXPECT_EQ(back.columns, 5);
  EXPECT_EQ(back.nonzeros(), 0);
}

TYPED_TEST(RoundTripCoo, PaddedRowsOfEmptyRowMap) {
  const auto back =
      to_host(lacuna::to_crs(lacuna::to_padded_rows(matrix_without_row_map<typename TypeParam::Matrix>())));
  EXPECT_EQ(back.rows, 0);
  EXPECT_EQ(back.columns, 5);
  EXPECT_EQ(back.nonzeros(), 0);
}

}  // namespace

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Conversions.hpp>

namespace {

using namespace lacuna::Test;

template <class Types>
class RoundTripEll : public testing::Test {};
TYPED_TEST_SUITE(RoundTripEll, ConversionTypes);

TYPED_TEST(RoundTripEll, Ell) {
  check_round_trips<TypeParam>([](const auto& exec, const auto& A) { return lacuna::to_ell(exec, A); });
  check_round_trips<TypeParam>(
      [](const auto& exec, const auto& A) { return lacuna::to_ell(exec, A, {.alignment = 1}); });
}

TYPED_TEST(RoundTripEll, Hyb) {
  check_round_trips<TypeParam>([](const auto& exec, const auto& A) { return lacuna::to_hyb(exec, A); });
  check_round_trips<TypeParam>([](const auto& exec, const auto& A) { return lacuna::to_hyb(exec, A, {.width = 3}); });
  check_round_trips<TypeParam>(
      [](const auto& exec, const auto& A) { return lacuna::to_hyb(exec, A, {.width = 1000, .alignment = 1}); });
}

TYPED_TEST(RoundTripEll, EllOfEmptyRowMap) {
  const auto back = to_host(lacuna::to_crs(lacuna::to_ell(matrix_without_row_map<typename TypeParam::Matrix>())));
  EXPECT_EQ(back.rows, 0);
  EXPECT_EQ(back.columns, 5);
  EXPECT_EQ(back.nonzeros(), 0);
}

TYPED_TEST(RoundTripEll, HybOfEmptyRowMap) {
  const auto back = to_host(lacuna::to_crs(lacuna::to_hyb(matrix_without_row_map<typename TypeParam::Matrix>())));
  EXPECT_EQ(back.rows, 0);
  EXPECT_EQ(back.columns, 5);
  EXPECT_EQ(back.nonzeros(), 0);
}

}  // namespace

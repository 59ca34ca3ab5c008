// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Conversions.hpp>

namespace {

using namespace lacuna::Test;

template <class Types>
class RoundTrip : public testing::Test {};
TYPED_TEST_SUITE(RoundTrip, ConversionTypes);

TYPED_TEST(RoundTrip, Coo) {
  check_round_trips<TypeParam>([](const auto& exec, const auto& A) { return lacuna::to_coo(exec, A); });
}

TYPED_TEST(RoundTrip, Ell) {
  check_round_trips<TypeParam>([](const auto& exec, const auto& A) { return lacuna::to_ell(exec, A); });
  check_round_trips<TypeParam>(
      [](const auto& exec, const auto& A) { return lacuna::to_ell(exec, A, {.alignment = 1}); });
}

TYPED_TEST(RoundTrip, PaddedRows) {
  check_round_trips<TypeParam>([](const auto& exec, const auto& A) { return lacuna::to_padded_rows(exec, A); });
  check_round_trips<TypeParam>(
      [](const auto& exec, const auto& A) { return lacuna::to_padded_rows(exec, A, {.multiple = 5}); });
}

TYPED_TEST(RoundTrip, EmptyRowMap) {
  const auto A = matrix_without_row_map<typename TypeParam::Matrix>();
  for (const auto& back : {to_host(lacuna::to_crs(lacuna::to_coo(A))), to_host(lacuna::to_crs(lacuna::to_ell(A))),
                           to_host(lacuna::to_crs(lacuna::to_padded_rows(A)))}) {
    EXPECT_EQ(back.rows, 0);
    EXPECT_EQ(back.columns, 5);
    EXPECT_EQ(back.nonzeros(), 0);
  }
}

}  // namespace

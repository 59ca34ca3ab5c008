// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Conversions.hpp>

namespace {

using namespace lacuna::Test;

template <class Types>
class RoundTripSlicedDia : public testing::Test {};
TYPED_TEST_SUITE(RoundTripSlicedDia, ConversionTypes);

struct ToSlicedDia {
  int group;
  template <class Exec, class Matrix>
  auto operator()(const Exec& exec, const Matrix& A) const {
    return lacuna::to_sliced_dia(exec, A, {.group = group});
  }
};

TYPED_TEST(RoundTripSlicedDia, EveryGroup) {
  for (const int group : {0, 1, 3, 33})
    for (const auto& sample : sample_matrices<typename TypeParam::Scalar>())
      check_round_trip<TypeParam>(ToSlicedDia{group}, sample);
}

TYPED_TEST(RoundTripSlicedDia, LongSlicesAreReadWhereTheyStand) {
  // Slices of up to 32 times 9000 nonzeros, beside many of few: none of the long ones fits in scratch.
  using Scalar = typename TypeParam::Scalar;
  std::vector<std::vector<std::int64_t>> rows(700);
  Random random(5);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = random.distinct(i % 90 == 40 ? 9000 : 3, 10000);
  check_round_trip<TypeParam>(ToSlicedDia{1}, {"long rows", from_rows<Scalar>(10000, rows)});
  check_round_trip<TypeParam>(ToSlicedDia{0}, far_columns<Scalar>());
}

TYPED_TEST(RoundTripSlicedDia, ExplicitZerosAreKept) {
  auto source = uneven_matrix<typename TypeParam::Scalar>(100, 110, 12);
  for (std::size_t k = 0; k < source.values.size(); k += 3) source.values[k] = 0;
  check_round_trip<TypeParam>(ToSlicedDia{0}, {"zeros", source});
}

TYPED_TEST(RoundTripSlicedDia, OfEmptyRowMap) {
  const auto back =
      to_host(lacuna::to_crs(lacuna::to_sliced_dia(matrix_without_row_map<typename TypeParam::Matrix>())));
  EXPECT_EQ(back.rows, 0);
  EXPECT_EQ(back.columns, 5);
  EXPECT_EQ(back.nonzeros(), 0);
}

}  // namespace

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Conversions.hpp>

namespace {

using namespace lacuna::Test;
using lacuna::SellColumns;

constexpr std::array all_segments{1, 2, 4, 8, 16};

template <class Types>
class RoundTripSell : public testing::Test {};
TYPED_TEST_SUITE(RoundTripSell, ConversionTypes);

/// How to convert, as an argument of the checks.
struct ToSell {
  SellColumns columns;
  int segments;
  int chunk = 4;
  template <class Exec, class Matrix>
  auto operator()(const Exec& exec, const Matrix& A) const {
    return lacuna::to_sell(exec, A, {.columns = columns, .segments = segments, .chunk = chunk});
  }
};

TYPED_TEST(RoundTripSell, EveryNumberOfSegments) {
  for (const int segments : all_segments) {
    check_round_trips<TypeParam>(ToSell{SellColumns::automatic, segments});
    check_round_trips<TypeParam>(ToSell{SellColumns::absolute, segments});
    for (const auto& sample : sample_matrices<typename TypeParam::Scalar>())
      check_round_trip<TypeParam>(ToSell{SellColumns::deltas, segments}, sample);
  }
}

TYPED_TEST(RoundTripSell, SmallChunks) {
  check_round_trips<TypeParam>(ToSell{SellColumns::automatic, 1, 2});
  check_round_trips<TypeParam>(ToSell{SellColumns::absolute, 4, 2});
}

TYPED_TEST(RoundTripSell, SortedRowsMayHoldDuplicates) {
  using Scalar = typename TypeParam::Scalar;
  for (const int segments : all_segments)
    check_round_trip<TypeParam>(ToSell{SellColumns::deltas, segments},
                                {"duplicates", with_duplicates(uneven_matrix<Scalar>(77, 90, 30))});
}

TYPED_TEST(RoundTripSell, FarColumns) {
  using Scalar = typename TypeParam::Scalar;
  // Gaps on both sides of the multiples of 65535, where the number of hops changes.
  std::vector<std::vector<std::int64_t>> rows(40);
  for (std::int64_t i = 0; i < 40; ++i) {
    std::int64_t column = i;
    for (const std::int64_t gap : {65533, 65534, 65535, 65536, 131069, 131070, 131071, 1, 0, 196605})
      rows[static_cast<std::size_t>(i)].push_back(column += gap);
  }
  const NamedMatrix<Scalar> edges{"edges", from_rows<Scalar>(1000000, rows)};
  for (const int segments : all_segments)
    for (const SellColumns columns : {SellColumns::automatic, SellColumns::deltas, SellColumns::absolute}) {
      check_round_trip<TypeParam>(ToSell{columns, segments}, far_columns<Scalar>());
      check_round_trip<TypeParam>(ToSell{columns, segments}, edges);
    }
}

TYPED_TEST(RoundTripSell, OfEmptyRowMap) {
  for (const int segments : all_segments) {
    const auto back = to_host(
        lacuna::to_crs(lacuna::to_sell(matrix_without_row_map<typename TypeParam::Matrix>(), {.segments = segments})));
    EXPECT_EQ(back.rows, 0);
    EXPECT_EQ(back.columns, 5);
    EXPECT_EQ(back.nonzeros(), 0);
  }
}

}  // namespace

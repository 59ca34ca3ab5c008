// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Conversions.hpp>

#include <gmock/gmock.h>

#include <limits>

namespace {

using namespace lacuna::Test;
using lacuna::SellColumns;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;

constexpr int gone = 65535;

/// The elements of a View of one chunk that stand at [begin, begin + count).
template <class View>
auto part_of(const View& view, std::size_t begin, std::size_t count) {
  const auto all = to_vector(view);
  return std::vector(all.begin() + static_cast<std::ptrdiff_t>(begin),
                     all.begin() + static_cast<std::ptrdiff_t>(begin + count));
}

TEST(SellLayout, SmallMatrixWithDeltas) {
  const auto sell = lacuna::to_sell(make_crs<Matrix>(small_matrix()));
  EXPECT_TRUE(sell.has_deltas);
  EXPECT_EQ(sell.rows, 3);
  EXPECT_EQ(sell.columns, 4);
  EXPECT_EQ(sell.nonzeros(), 5);
  EXPECT_EQ(sell.slices(), 1);
  EXPECT_EQ(sell.bytes(), 2u * 4 + 32 * 4 + 128 * (8 + 2));
  EXPECT_EQ(sell.column_indices.extent(0), 0u);
  EXPECT_THAT(to_vector(sell.slice_begin), ElementsAre(0, 1));
  EXPECT_THAT(part_of(sell.first_column, 0, 4), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(part_of(sell.deltas, 0, 12), ElementsAre(0, 1, gone, gone, gone, gone, gone, gone, 0, 1, 1, gone));
  EXPECT_THAT(part_of(sell.deltas, 12, 116), Each(gone));
  // Two planes of two values a slot.
  EXPECT_THAT(part_of(sell.values, 0, 6), ElementsAre(10, 11, 0, 0, 21, 22));
  EXPECT_THAT(part_of(sell.values, 64, 6), ElementsAre(0, 0, 0, 0, 23, 0));
}

TEST(SellLayout, SmallMatrixWithColumns) {
  const auto sell = lacuna::to_sell(make_crs<Matrix>(small_matrix()), {.columns = SellColumns::absolute});
  EXPECT_FALSE(sell.has_deltas);
  EXPECT_EQ(sell.bytes(), 2u * 4 + 128 * (8 + 4));
  EXPECT_EQ(sell.deltas.extent(0), 0u);
  EXPECT_EQ(sell.first_column.extent(0), 0u);
  EXPECT_THAT(part_of(sell.column_indices, 0, 12), ElementsAre(0, 1, -1, -1, -1, -1, -1, -1, 1, 2, 3, -1));
  EXPECT_THAT(part_of(sell.column_indices, 12, 116), Each(-1));
  EXPECT_THAT(part_of(sell.values, 0, 6), ElementsAre(10, 11, 0, 0, 21, 22));
  EXPECT_THAT(part_of(sell.values, 64, 6), ElementsAre(0, 0, 0, 0, 23, 0));
}

TEST(SellLayout, NarrowSlicesBecomeUniformWhereThatCostsLittle) {
  // 40 slices, two chunks of 2 each but for `short_slices` of them.
  const auto chunks_of = [](std::int64_t short_slices) {
    std::vector<std::vector<std::int64_t>> rows(40 * 32, {0, 1, 2});
    for (std::int64_t row = 0; row < 32 * short_slices; ++row) rows[static_cast<std::size_t>(row)] = {5};
    const auto sell = lacuna::to_sell(make_crs<Matrix>(from_rows<double>(9, rows)), {.chunk = 2});
    return std::pair(sell.uniform_chunks, to_vector(sell.slice_begin).back());
  };
  EXPECT_EQ(chunks_of(0), std::pair(2, 80));
  EXPECT_EQ(chunks_of(1), std::pair(2, 80));
  EXPECT_EQ(chunks_of(10), std::pair(0, 70));
}

TEST(SellLayout, PartsOfARow) {
  // 17 rows in slices of 16: two slots a row, the second 16 slots behind the first. Row 1 has 10 nonzeros: 3 chunks, of
  // which the first part takes two.
  std::vector<std::vector<std::int64_t>> rows(17);
  rows[1]           = {0, 2, 4, 6, 8, 10, 12, 14, 100, 101};
  rows[16]          = {5};
  const auto source = from_rows<double>(200, rows);
  const auto sell   = lacuna::to_sell(make_crs<Matrix>(source), {.segments = 2});
  EXPECT_EQ(sell.rows_per_slice(), 16);
  EXPECT_EQ(sell.slices(), 2);
  EXPECT_THAT(to_vector(sell.slice_begin), ElementsAre(0, 2, 3));
  EXPECT_EQ(part_of(sell.first_column, 0, 64)[1], 0);
  EXPECT_EQ(part_of(sell.first_column, 0, 64)[17], 100);
  EXPECT_EQ(part_of(sell.first_column, 0, 64)[32], 5);
  EXPECT_THAT(part_of(sell.deltas, 4, 4), ElementsAre(0, 2, 2, 2));             // chunk 0 of slot 1
  EXPECT_THAT(part_of(sell.deltas, 128 + 4, 4), ElementsAre(2, 2, 2, 2));       // chunk 1 of slot 1
  EXPECT_THAT(part_of(sell.deltas, 4 * 17, 4), ElementsAre(0, 1, gone, gone));  // chunk 0 of slot 17
  EXPECT_THAT(part_of(sell.deltas, 128 + 4 * 17, 4), Each(gone));               // chunk 1 of slot 17
  EXPECT_THAT(part_of(sell.deltas, 256, 4), ElementsAre(0, gone, gone, gone));  // row 16
  EXPECT_THAT(part_of(sell.deltas, 256 + 4 * 16, 4), Each(gone));               // and its second segment
  EXPECT_EQ(to_vector(sell.values)[2], source.values[0]);
  EXPECT_EQ(to_vector(sell.values)[64 + 2 + 1], source.values[3]);
  EXPECT_EQ(to_vector(sell.values)[2 * 17 + 1], source.values[9]);
}

TEST(SellLayout, HopsAndTheirOrder) {
  // Gaps of 65534 (a delta), 65535 (a hop and 0) and 131071 (two hops and 1).
  const auto source = from_rows<double>(500000, {{7, 7 + 65534, 7 + 131069, 7 + 262140}});
  const auto sell   = lacuna::to_sell(make_crs<Matrix>(source), {.columns = SellColumns::deltas});
  EXPECT_THAT(to_vector(sell.slice_begin), ElementsAre(0, 2));
  EXPECT_EQ(to_vector(sell.first_column)[0], 7);
  EXPECT_THAT(part_of(sell.deltas, 0, 4), ElementsAre(0, 65534, gone, 0));
  EXPECT_THAT(part_of(sell.deltas, 128, 4), ElementsAre(gone, gone, 1, gone));
  const auto values = to_vector(sell.values);
  EXPECT_EQ(values[1], source.values[1]);
  EXPECT_EQ(values[64], 0);
  EXPECT_EQ(values[65], source.values[2]);
  EXPECT_EQ(values[128 + 64], source.values[3]);
}

TEST(SellLayout, PlanesFollowTheSizeOfTheScalar) {
  using Single       = KokkosSparse::CrsMatrix<float, int, DefaultSpace, void, int>;
  using Complex      = KokkosSparse::CrsMatrix<Kokkos::complex<double>, int, DefaultSpace, void, int>;
  const auto single  = random_matrix<float>(2, 9, 3);
  const auto complex = random_matrix<Kokkos::complex<double>>(2, 9, 3);
  const auto floats  = to_vector(lacuna::to_sell(make_crs<Single>(single)).values);
  const auto pairs   = to_vector(lacuna::to_sell(make_crs<Complex>(complex)).values);
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t e = 0; e < 3; ++e) {
      EXPECT_EQ(floats[4 * row + e], single.values[3 * row + e]);
      EXPECT_EQ(pairs[32 * e + row], complex.values[3 * row + e]);
    }
}

TEST(SellLayout, AutomaticTakesWhatNeedsFewerBytes) {
  // Every gap needs 4 hops: 4 bytes a column are fewer.
  std::vector<std::vector<std::int64_t>> rows(64);
  for (auto& row : rows)
    for (std::int64_t k = 0; k < 20; ++k) row.push_back(300000 * k);
  const auto far = make_crs<Matrix>(from_rows<double>(6000000, rows));
  EXPECT_FALSE(lacuna::to_sell(far).has_deltas);
  EXPECT_LT(lacuna::to_sell(far).bytes(), lacuna::to_sell(far, {.columns = SellColumns::deltas}).bytes());
  EXPECT_TRUE(lacuna::to_sell(make_crs<Matrix>(random_matrix<double>(64, 70000, 20))).has_deltas);
  EXPECT_FALSE(lacuna::to_sell(make_crs<Matrix>(shuffled(random_matrix<double>(64, 500, 20)))).has_deltas);
}

TEST(SellLayout, MoreHopsThanASliceHolds) {
  using Wide        = KokkosSparse::CrsMatrix<double, std::int64_t, DefaultSpace, void, std::int64_t>;
  const auto source = from_rows<double>(std::int64_t(1) << 60, {{3, (std::int64_t(1) << 60) - 1}, {0, 5}});
  const auto A      = make_crs<Wide>(source);
  EXPECT_THROW(lacuna::to_sell(A, {.columns = SellColumns::deltas}), lacuna::OutOfMemory);
  const auto sell = lacuna::to_sell(A);
  EXPECT_FALSE(sell.has_deltas);
  EXPECT_TRUE(same(to_host(lacuna::to_crs(sell)), source));
}

TEST(SellLayout, RefusesSegmentsOutOfRange) {
  const auto A = make_crs<Matrix>(small_matrix());
  for (const int segments : {-1, 0, 3, 5, 32, 64}) try {
      lacuna::to_sell(A, {.segments = segments});
      FAIL() << "accepted " << segments;
    } catch (const lacuna::InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr("lacuna::to_sell: segments is " + std::to_string(segments)));
    }
}

TEST(SellLayout, RefusesDeltasOfUnsortedRows) {
  const auto A = make_crs<Matrix>(shuffled(random_matrix<double>(40, 50, 9)));
  EXPECT_THROW(lacuna::to_sell(A, {.columns = SellColumns::deltas}), lacuna::InvalidMatrix);
  EXPECT_THROW(lacuna::to_sell(A, {.columns = SellColumns::deltas, .segments = 2}), lacuna::InvalidMatrix);
}

TEST(SellLayout, MemoryLimitIsRespectedToTheByte) {
  const auto A = make_crs<Matrix>(uneven_matrix<double>(50, 60, 9));
  for (const SellColumns columns : {SellColumns::automatic, SellColumns::deltas, SellColumns::absolute})
    for (const int segments : {1, 4, 16}) {
      const std::size_t bytes = lacuna::to_sell(A, {.columns = columns, .segments = segments}).bytes();
      EXPECT_NO_THROW(lacuna::to_sell(A, {.columns = columns, .segments = segments, .memory_limit = bytes}));
      EXPECT_THROW(lacuna::to_sell(A, {.columns = columns, .segments = segments, .memory_limit = bytes - 1}),
                   lacuna::OutOfMemory);
    }
}

}  // namespace

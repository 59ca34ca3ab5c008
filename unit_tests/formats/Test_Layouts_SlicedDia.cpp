// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Conversions.hpp>
#include <support/Test_Messages.hpp>

#include <gmock/gmock.h>

namespace {

using namespace lacuna::Test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;

template <class View>
auto part_of(const View& view, std::size_t begin, std::size_t count) {
  const auto all = to_vector(view);
  return std::vector(all.begin() + static_cast<std::ptrdiff_t>(begin),
                     all.begin() + static_cast<std::ptrdiff_t>(begin + count));
}

/// Offsets and masks of diagonals, one behind the other.
template <class Format>
std::vector<int> offsets_of(const Format& dia) {
  std::vector<int> offsets;
  for (const auto& diagonal : to_vector(dia.diagonals)) offsets.push_back(diagonal.offset);
  return offsets;
}
template <class Format>
std::vector<std::uint32_t> masks_of(const Format& dia) {
  std::vector<std::uint32_t> masks;
  for (const auto& diagonal : to_vector(dia.diagonals)) masks.push_back(diagonal.mask);
  return masks;
}

/// Every node of a chain has `unknowns`, coupled with those of itself and of its neighbours.
HostMatrix<double> chain(std::int64_t nodes, std::int64_t unknowns) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t node = 0; node < nodes; ++node)
    for (std::int64_t i = 0; i < unknowns; ++i) {
      rows.emplace_back();
      for (std::int64_t other = std::max<std::int64_t>(0, node - 1); other <= std::min(nodes - 1, node + 1); ++other)
        for (std::int64_t j = 0; j < unknowns; ++j) rows.back().push_back(other * unknowns + j);
    }
  return from_rows<double>(nodes * unknowns, rows);
}

TEST(SlicedDiaLayout, SmallMatrix) {
  // [10 11 . .; . . . .; . 21 22 23]: offsets 0 and 1 of row 0, -1, 0 and 1 of row 2.
  const auto dia = lacuna::to_sliced_dia(make_crs<Matrix>(small_matrix()), {.group = 1});
  EXPECT_EQ(dia.rows, 3);
  EXPECT_EQ(dia.columns, 4);
  EXPECT_EQ(dia.nonzeros(), 5);
  EXPECT_EQ(dia.slices(), 1);
  EXPECT_EQ(dia.diagonal_count(), 3);
  EXPECT_EQ(dia.bytes(), 2u * 4 + 3 * (4 + 4 + 32 * 8));
  EXPECT_THAT(to_vector(dia.slice_begin), ElementsAre(0, 3));
  EXPECT_THAT(offsets_of(dia), ElementsAre(-1, 0, 1));
  EXPECT_THAT(masks_of(dia), ElementsAre(0b100u, 0b101u, 0b101u));
  EXPECT_THAT(part_of(dia.values, 0, 3), ElementsAre(0, 0, 21));
  EXPECT_THAT(part_of(dia.values, 32, 3), ElementsAre(10, 0, 22));
  EXPECT_THAT(part_of(dia.values, 64, 3), ElementsAre(11, 0, 23));
  for (const std::size_t d : {0u, 1u, 2u}) EXPECT_THAT(part_of(dia.values, 32 * d + 3, 29), Each(0));
}

TEST(SlicedDiaLayout, RowsOfANodeCountFromItsFirst) {
  // The same with two rows a node: row 2 counts from 2, so does row 3; row 1 would count from 0.
  const auto dia =
      lacuna::to_sliced_dia(make_crs<Matrix>(from_rows<double>(9, {{0, 1}, {0, 1}, {2, 3}, {3, 8}})), {.group = 2});
  EXPECT_THAT(offsets_of(dia), ElementsAre(0, 1, 6));
  EXPECT_THAT(masks_of(dia), ElementsAre(0b0111u, 0b1111u, 0b1000u));
}

TEST(SlicedDiaLayout, ABandFillsItsDiagonals) {
  const auto source = banded_matrix<double>(96, 96, 2, 1);
  const auto dia    = lacuna::to_sliced_dia(make_crs<Matrix>(source));
  EXPECT_EQ(dia.group, 1);
  EXPECT_THAT(to_vector(dia.slice_begin), ElementsAre(0, 4, 8, 12));
  EXPECT_EQ(dia.uniform_diagonals, 4);
  EXPECT_THAT(offsets_of(dia), ElementsAre(-2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1));
  EXPECT_THAT(masks_of(dia), ElementsAre(~3u, ~1u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u >> 1));
  // Row 40, the ninth of slice 1, begins with column 38.
  EXPECT_EQ(to_vector(dia.values)[32 * 4 + 8], source.values[static_cast<std::size_t>(source.row_map[40])]);
}

TEST(SlicedDiaLayout, TheGroupIsChosenByWhatFills) {
  for (const int unknowns : {1, 2, 3, 4, 6}) {
    const auto A   = make_crs<Matrix>(chain(100, unknowns));
    const auto dia = lacuna::to_sliced_dia(A);
    EXPECT_EQ(dia.group, unknowns);
    EXPECT_LE(dia.diagonal_count(), 3 * unknowns * dia.slices() + 2);
    for (const int group : {1, 2, 3, 4, 5, 6})
      EXPECT_LE(dia.bytes(), lacuna::to_sliced_dia(A, {.group = group}).bytes()) << unknowns << " " << group;
  }
}

TEST(SlicedDiaLayout, NarrowSlicesBecomeUniformWhereThatCostsLittle) {
  // 40 slices of three diagonals each, but for `short_slices` of them.
  const auto diagonals_of = [](std::int64_t short_slices) {
    std::vector<std::vector<std::int64_t>> rows(40 * 32);
    for (std::int64_t row = 0; row < 40 * 32; ++row) {
      rows[static_cast<std::size_t>(row)] = {row};
      if (row >= 32 * short_slices) rows[static_cast<std::size_t>(row)] = {row, row + 1, row + 7};
    }
    const auto source = from_rows<double>(40 * 32 + 7, rows);
    const auto dia    = lacuna::to_sliced_dia(make_crs<Matrix>(source), {.group = 1});
    EXPECT_TRUE(same(to_host(lacuna::to_crs(dia)), source));
    return std::pair(dia.uniform_diagonals, to_vector(dia.slice_begin).back());
  };
  EXPECT_EQ(diagonals_of(0), std::pair(3, 120));
  EXPECT_EQ(diagonals_of(1), std::pair(3, 120));
  EXPECT_EQ(diagonals_of(10), std::pair(0, 100));
}

TEST(SlicedDiaLayout, UniformDiagonalsThatDoNotExistAreEmpty) {
  std::vector<std::vector<std::int64_t>> rows(40 * 32);
  for (std::int64_t row = 0; row < 40 * 32; ++row) rows[static_cast<std::size_t>(row)] = {row, row + 1};
  for (std::int64_t row = 32; row < 64; ++row) rows[static_cast<std::size_t>(row)] = {row};
  const auto dia = lacuna::to_sliced_dia(make_crs<Matrix>(from_rows<double>(40 * 32 + 1, rows)), {.group = 1});
  ASSERT_EQ(dia.uniform_diagonals, 2);
  EXPECT_EQ(masks_of(dia)[2], ~0u);
  EXPECT_EQ(masks_of(dia)[3], 0u);
  EXPECT_THAT(part_of(dia.values, 3 * 32, 32), Each(0));
}

TEST(SlicedDiaLayout, RefusesRowsThatAreNotSortedOrHoldAColumnTwice) {
  for (const std::size_t where : {0u, 31u, 32u, 99u})
    for (const int group : {0, 1, 3}) {
      std::vector<std::vector<std::int64_t>> rows(100, {3, 7, 11});
      rows[where] = {3, 11, 7};
      EXPECT_THAT(error_of<lacuna::InvalidMatrix>(
                      [&] { lacuna::to_sliced_dia(make_crs<Matrix>(from_rows<double>(50, rows)), {.group = group}); }),
                  HasSubstr("lacuna::to_sliced_dia: a row of the 100x50 matrix is not sorted"));
      rows[where] = {3, 7, 7};
      EXPECT_THAT(error_of<lacuna::InvalidMatrix>(
                      [&] { lacuna::to_sliced_dia(make_crs<Matrix>(from_rows<double>(50, rows)), {.group = group}); }),
                  HasSubstr("a row of the 100x50 matrix has more than one entry in a column"));
    }
  EXPECT_THAT(error_of<lacuna::InvalidMatrix>([] {
                lacuna::to_sliced_dia(make_crs<Matrix>(shuffled(with_duplicates(random_matrix<double>(40, 50, 9)))));
              }),
              HasSubstr("cannot be stored as diagonals"));
}

TEST(SlicedDiaLayout, RefusesANegativeGroup) {
  EXPECT_THROW(lacuna::to_sliced_dia(make_crs<Matrix>(small_matrix()), {.group = -1}), lacuna::InvalidArgument);
}

TEST(SlicedDiaLayout, MemoryLimitIsRespectedToTheByte) {
  const auto A = make_crs<Matrix>(uneven_matrix<double>(50, 60, 9));
  for (const int group : {0, 1, 4}) {
    const std::size_t bytes = lacuna::to_sliced_dia(A, {.group = group}).bytes();
    EXPECT_NO_THROW(lacuna::to_sliced_dia(A, {.group = group, .memory_limit = bytes}));
    EXPECT_THROW(lacuna::to_sliced_dia(A, {.group = group, .memory_limit = bytes - 1}), lacuna::OutOfMemory);
  }
}

TEST(SlicedDiaSample, SaysHowFullDiagonalsAre) {
  const auto A = make_crs<Matrix>(chain(1000, 3));
  const auto s = lacuna::Impl::sample_sliced_dia(DefaultSpace(), lacuna::Impl::arrays_of(A));
  EXPECT_EQ(s.best_group(), 3);
  EXPECT_EQ(s.entries, A.nnz());  // 94 slices: all are looked at
  EXPECT_GT(s.best_fill(), 0.9);
  EXPECT_LE(s.best_fill(), 1.0);
  EXPECT_EQ(s.defects, 0);
  // Of more slices some are left out, the first and the last are not.
  const auto long_chain = make_crs<Matrix>(chain(20000, 1));
  const auto some       = lacuna::Impl::sample_sliced_dia(DefaultSpace(), lacuna::Impl::arrays_of(long_chain));
  EXPECT_EQ(some.entries, 256 * 32 * 3 - 2);
  EXPECT_EQ(some.diagonals[0], 256 * 3);
}

TEST(SlicedDiaSample, GivesUpWhatDoesNotFill) {
  const auto A = make_crs<Matrix>(random_matrix<double>(3200, 100000, 40));
  const auto s = lacuna::Impl::sample_sliced_dia(DefaultSpace(), lacuna::Impl::arrays_of(A));
  EXPECT_LT(s.best_fill(), 0.4);
  for (const auto diagonals : s.diagonals) EXPECT_LE(diagonals, 100 * (40 * 3 + 16));
  const auto messy = make_crs<Matrix>(shuffled(random_matrix<double>(3200, 300, 40)));
  EXPECT_NE(lacuna::Impl::sample_sliced_dia(DefaultSpace(), lacuna::Impl::arrays_of(messy)).defects, 0);
}

}  // namespace

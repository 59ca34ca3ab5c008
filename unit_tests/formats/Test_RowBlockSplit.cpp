// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Conversions.hpp>

#include <Lacuna_RowBlockSplit.hpp>

#include <string>
#include <vector>

/// \file
/// \brief Dense sub-blocks and a rest in CSR (002, section 4: "identify and extract dense sub-blocks").

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;

/// Rows 0 and 1: columns 0 to 2 in both, 20 in row 0, 33 and 40 in row 1. Row 2: 5. Row 3: 17, 18.
HostMatrix<double> small_matrix() {
  auto A   = from_rows<double>(48, {{0, 1, 2, 20}, {0, 1, 2, 33, 40}, {5}, {17, 18}});
  A.values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  return A;
}

// Blocks of 2 x 16. Group 0 has those from columns 0 (six nonzeros), 16 (one) and 32 (two), group 1 from 0 (one) and 16
// (two).
TEST(RowBlockSplit, LayoutByHand) {
  const Exec exec;
  const auto split   = extract_row_blocks(exec, make_crs<Matrix>(small_matrix()), 2,
                                          {.block_rows = 2, .block_columns = 16, .multiple = 4});
  const auto& blocks = split.blocks;
  EXPECT_EQ(blocks.nonzeros(), 10);
  expect_equal(blocks.group_map, std::vector<int>{0, 2, 3}, "group_map");
  expect_equal(blocks.start_columns, std::vector<int>{0, 32, 16}, "start_columns");
  expect_equal(blocks.row_map, std::vector<int>{0, 4, 8, 8, 12, 12, 16}, "row_map");
  constexpr std::uint16_t none = 65535;
  expect_equal(blocks.entries,
               std::vector<std::uint16_t>{0, 1, 2, none, 0, 1, 2, none, 1, 8, none, none, 1, 2, none, none}, "entries");
  expect_equal(blocks.values, std::vector<double>{1, 2, 3, 0, 5, 6, 7, 0, 8, 9, 0, 0, 11, 12, 0, 0}, "values");
  const auto rest = to_host(split.rest);
  EXPECT_EQ(rest.row_map, (std::vector<std::int64_t>{0, 1, 1, 2, 2}));
  EXPECT_EQ(rest.entries, (std::vector<std::int64_t>{20, 5}));
  EXPECT_EQ(rest.values, (std::vector<double>{4, 10}));
  expect_equal(split.slots, std::vector<std::int64_t>{0, 1, 2, -1, 4, 5, 6, 8, 9, -2, 12, 13}, "slots");
}

TEST(RowBlockSplit, AllOrNothingInBlocks) {
  const Exec exec;
  const auto A    = make_crs<Matrix>(small_matrix());
  const auto all  = extract_row_blocks(exec, A, 0, {.block_rows = 2, .block_columns = 16});
  const auto none = extract_row_blocks(exec, A, 7, {.block_rows = 2, .block_columns = 16});
  EXPECT_EQ(all.rest.nnz(), 0u);
  EXPECT_EQ(all.blocks.nonzeros(), 12);
  EXPECT_TRUE(same(to_host(to_crs(all.blocks)), small_matrix()));
  EXPECT_EQ(none.blocks.blocks(), 0);
  EXPECT_TRUE(same(to_host(none.rest), small_matrix()));
  EXPECT_EQ(none.bytes(), Impl::bytes_of(none.blocks.group_map, none.blocks.row_map, none.rest.graph.row_map,
                                         none.rest.graph.entries, none.rest.values, none.slots));
}

/// The sum of both parts as rows of numbers.
std::vector<double> sum_of(const RowBlockSplitOf<Matrix>& split) {
  const auto rows    = static_cast<std::int64_t>(split.blocks.rows),
             columns = static_cast<std::int64_t>(split.blocks.columns);
  std::vector<double> sum(static_cast<std::size_t>(rows * columns), 0);
  for (const auto& part : {to_host(to_crs(split.blocks)), to_host(split.rest)})
    for (std::int64_t i = 0; i < rows; ++i)
      for (auto k = part.row_map[static_cast<std::size_t>(i)]; k < part.row_map[static_cast<std::size_t>(i) + 1]; ++k)
        sum[static_cast<std::size_t>(i * columns + part.entries[static_cast<std::size_t>(k)])] +=
            part.values[static_cast<std::size_t>(k)];
  return sum;
}

TEST(RowBlockSplit, BothPartsAreA) {
  const Exec exec;
  for (const auto& sample : sample_matrices<double>())
    for (const std::int64_t least : {0, 1, 5, 40, 1000000}) {
      auto A            = sample.matrix;
      const auto split  = extract_row_blocks(exec, make_crs<Matrix>(A), least, {.block_rows = 7, .block_columns = 32});
      const auto as_one = extract_row_blocks(exec, make_crs<Matrix>(A), 1000000000);
      EXPECT_EQ(sum_of(split), sum_of(as_one)) << sample.name << ", " << least;
      EXPECT_EQ(static_cast<std::int64_t>(split.blocks.nonzeros()) + static_cast<std::int64_t>(split.rest.nnz()),
                A.nonzeros());
      for (double& value : A.values) value = 3 - value;
      update_values(exec, make_crs<Matrix>(A), split);
      EXPECT_EQ(sum_of(split), sum_of(extract_row_blocks(exec, make_crs<Matrix>(A), 1000000000))) << sample.name;
    }
}

TEST(RowBlockSplit, Errors) {
  const Exec exec;
  const auto A = make_crs<Matrix>(small_matrix());
  EXPECT_THROW(extract_row_blocks(exec, A, -1), InvalidArgument);
  EXPECT_THROW(extract_row_blocks(exec, A, 1, {.block_columns = 24}), InvalidArgument);
  EXPECT_THROW(extract_row_blocks(exec, A, 1, {.memory_limit = 300}), OutOfMemory);
  const auto split = extract_row_blocks(exec, A, 2);
  EXPECT_THROW(update_values(exec, make_crs<Matrix>(banded_matrix<double>(4, 48, 0, 0)), split), DimensionMismatch);
}

}  // namespace
}  // namespace lacuna::Test

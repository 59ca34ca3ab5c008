// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_RowStatistics.hpp>

#include <formats/Test_Conversions.hpp>
#include <support/Reference_Space.hpp>

#include <cmath>
#include <set>

namespace {

using namespace lacuna::Test;
using testing::ElementsAre;
using testing::HasSubstr;

/// The same numbers by their definitions, with sets and sorting, on the host.
template <class Scalar>
lacuna::RowStatistics expected_statistics(const HostMatrix<Scalar>& A) {
  lacuna::RowStatistics s;
  s.rows      = A.rows;
  s.columns   = A.columns;
  s.nonzeros  = A.nonzeros();
  s.inspected = true;
  std::vector<std::int64_t> lengths;
  std::set<std::int64_t> diagonals;
  std::set<std::pair<std::int64_t, std::int64_t>> panels;
  std::array<std::set<std::pair<std::int64_t, std::int64_t>>, 4> blocks;
  std::vector<std::int64_t> before;
  for (std::int64_t i = 0; i < A.rows; ++i) {
    const auto begin = A.entries.begin() + A.row_map[static_cast<std::size_t>(i)];
    const auto end   = A.entries.begin() + A.row_map[static_cast<std::size_t>(i) + 1];
    std::vector<std::int64_t> row(begin, end);
    lengths.push_back(static_cast<std::int64_t>(row.size()));
    if (!std::is_sorted(row.begin(), row.end())) ++s.unsorted_rows;
    if (i > 0 && !row.empty() && row == before) ++s.equal_rows;
    before = row;
    std::sort(row.begin(), row.end());
    for (std::size_t k = 0; k < row.size(); ++k) {
      s.lower_bandwidth = std::max(s.lower_bandwidth, i - row[k]);
      s.upper_bandwidth = std::max(s.upper_bandwidth, row[k] - i);
      diagonals.insert(row[k] - i);
      panels.insert({i / 8, row[k]});
      for (std::size_t choice = 0; choice < 4; ++choice)
        blocks[choice].insert({i / s.block_sizes[choice], row[k] / s.block_sizes[choice]});
      if (k == 0) continue;
      const std::int64_t gap = row[k] - row[k - 1];
      ++s.gaps;
      s.largest_gap = std::max(s.largest_gap, gap);
      if (gap == 0) ++s.duplicates;
      if (gap > 65535) ++s.wide_gaps;
    }
  }
  for (const auto& value : A.values) s.zeros += value == Scalar(0) ? 1 : 0;
  s.diagonals     = static_cast<std::int64_t>(diagonals.size());
  s.panel_columns = static_cast<std::int64_t>(panels.size());
  for (std::size_t choice = 0; choice < 4; ++choice)
    s.blocks[choice] = static_cast<std::int64_t>(blocks[choice].size());
  if (lengths.empty()) return s;
  for (std::size_t first = 0; first < lengths.size(); first += 32)
    s.sell_entries +=
        32 * *std::max_element(lengths.begin() + static_cast<std::ptrdiff_t>(first),
                               lengths.begin() + static_cast<std::ptrdiff_t>(std::min(first + 32, lengths.size())));
  double square = 0;
  for (const auto length : lengths) {
    ++s.rows_by_log2[static_cast<std::size_t>(length == 0 ? 0 : 1 + std::ilogb(static_cast<double>(length)))];
    square += static_cast<double>(length) * static_cast<double>(length);
  }
  std::sort(lengths.begin(), lengths.end());
  s.shortest_row       = lengths.front();
  s.longest_row        = lengths.back();
  s.empty_rows         = std::count(lengths.begin(), lengths.end(), 0);
  const auto n         = static_cast<double>(lengths.size());
  s.mean               = static_cast<double>(s.nonzeros) / n;
  s.standard_deviation = std::sqrt(std::max(0.0, square / n - s.mean * s.mean));
  const auto quantile  = [&](double share) {
    return lengths[static_cast<std::size_t>(std::max(1.0, std::ceil(share * n))) - 1];
  };
  s.median      = quantile(0.5);
  s.quantile_90 = quantile(0.9);
  s.quantile_99 = quantile(0.99);
  return s;
}

void expect_quantile(std::int64_t actual, std::int64_t expected, const std::string& name) {
  if (expected <= 256)
    EXPECT_EQ(actual, expected) << name;
  else
    EXPECT_TRUE(actual >= expected && 16 * (actual - expected) <= expected) << name << ": " << actual;
}

void expect_lengths(const lacuna::RowStatistics& actual, const lacuna::RowStatistics& expected,
                    const std::string& name) {
  EXPECT_EQ(actual.rows, expected.rows) << name;
  EXPECT_EQ(actual.columns, expected.columns) << name;
  EXPECT_EQ(actual.nonzeros, expected.nonzeros) << name;
  EXPECT_EQ(actual.shortest_row, expected.shortest_row) << name;
  EXPECT_EQ(actual.longest_row, expected.longest_row) << name;
  EXPECT_EQ(actual.empty_rows, expected.empty_rows) << name;
  EXPECT_DOUBLE_EQ(actual.mean, expected.mean) << name;
  EXPECT_NEAR(actual.standard_deviation, expected.standard_deviation, 1e-6 * (1 + expected.mean)) << name;
  expect_quantile(actual.median, expected.median, name);
  expect_quantile(actual.quantile_90, expected.quantile_90, name);
  expect_quantile(actual.quantile_99, expected.quantile_99, name);
  EXPECT_EQ(actual.sell_entries, expected.sell_entries) << name;
  EXPECT_EQ(actual.rows_by_log2, expected.rows_by_log2) << name;
}

void expect_columns(const lacuna::RowStatistics& actual, const lacuna::RowStatistics& expected,
                    const std::string& name) {
  EXPECT_EQ(actual.inspected, expected.inspected) << name;
  EXPECT_EQ(actual.lower_bandwidth, expected.lower_bandwidth) << name;
  EXPECT_EQ(actual.upper_bandwidth, expected.upper_bandwidth) << name;
  EXPECT_EQ(actual.diagonals, expected.diagonals) << name;
  EXPECT_EQ(actual.unsorted_rows, expected.unsorted_rows) << name;
  EXPECT_EQ(actual.duplicates, expected.duplicates) << name;
  EXPECT_EQ(actual.zeros, expected.zeros) << name;
  EXPECT_EQ(actual.equal_rows, expected.equal_rows) << name;
  EXPECT_EQ(actual.panel_columns, expected.panel_columns) << name;
  EXPECT_EQ(actual.blocks, expected.blocks) << name;
  EXPECT_EQ(actual.gaps, expected.gaps) << name;
  EXPECT_EQ(actual.largest_gap, expected.largest_gap) << name;
  EXPECT_EQ(actual.wide_gaps, expected.wide_gaps) << name;
}

/// Rows longer than what one team looks at: equal ones, and one that differs in its last column only.
template <class Scalar>
NamedMatrix<Scalar> long_equal_rows() {
  std::vector<std::int64_t> row;
  for (std::int64_t column = 0; column < 40000; column += 2) row.push_back(column);
  std::vector<std::vector<std::int64_t>> rows{row, row, row, {}, row, row};
  rows.back().back() = 39999;
  return {"long equal rows", from_rows<Scalar>(40000, rows)};
}

template <class Types>
class Inspector : public testing::Test {};
TYPED_TEST_SUITE(Inspector, ConversionTypes);

TYPED_TEST(Inspector, MatchesTheDefinitions) {
  using Scalar = typename TypeParam::Scalar;
  auto samples = all_matrices<Scalar>();
  samples.push_back({"blocks of 6", block_matrix<Scalar>(11, 13, 6, 3)});
  samples.push_back({"long rows", random_matrix<Scalar>(70, 3000, 1500)});
  samples.push_back({"many rows", uneven_matrix<Scalar>(20000, 300, 5)});
  auto zeros = banded_matrix<Scalar>(50, 50, 2, 2);
  for (std::size_t k = 0; k < zeros.values.size(); k += 7) zeros.values[k] = 0;
  samples.push_back({"stored zeros", zeros});
  samples.push_back(long_equal_rows<Scalar>());
  samples.push_back(
      {"one long row of duplicates", from_rows<Scalar>(9, {{1}, std::vector<std::int64_t>(5000, 4), {4}})});
  samples.push_back({"a long row among empty ones", mostly_empty_matrix<Scalar>(9000, 3000, 4000, 2500)});
  samples.push_back({"long rows, not sorted", shuffled(dense_row_matrix<Scalar>(50, 40000, 17, 3))});
  samples.push_back(far_columns<Scalar>());
  const typename TypeParam::Space exec{};
  for (const auto& [name, matrix] : samples) {
    const auto A        = make_crs<typename TypeParam::Matrix>(matrix);
    const auto expected = expected_statistics(matrix);
    expect_lengths(lacuna::row_length_statistics(exec, A), expected, name);
    const auto statistics = lacuna::row_statistics(exec, A);
    expect_lengths(statistics, expected, name);
    expect_columns(statistics, expected, name);
  }
}

using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;

TEST(RowStatistics, SmallMatrixByHand) {
  const auto s = lacuna::row_statistics(make_crs<Matrix>(small_matrix()));
  EXPECT_EQ(s.shortest_row, 0);
  EXPECT_EQ(s.longest_row, 3);
  EXPECT_EQ(s.empty_rows, 1);
  EXPECT_EQ(s.median, 2);
  EXPECT_EQ(s.quantile_90, 3);
  EXPECT_EQ(s.sell_entries, 96);
  EXPECT_EQ(s.diagonals, 3);
  EXPECT_EQ(s.lower_bandwidth, 1);
  EXPECT_EQ(s.upper_bandwidth, 1);
  EXPECT_EQ(s.panel_columns, 4);
  EXPECT_THAT(s.blocks, ElementsAre(3, 2, 1, 1));
  EXPECT_EQ(s.gaps, 3);
  EXPECT_EQ(s.largest_gap, 1);
  EXPECT_DOUBLE_EQ(s.ell_padding(), 9.0 / 5);
  EXPECT_DOUBLE_EQ(s.sell_padding(), 96.0 / 5);
  EXPECT_DOUBLE_EQ(s.diagonal_fill(), 5.0 / 9);
  EXPECT_DOUBLE_EQ(s.nonzeros_per_panel_column(), 5.0 / 4);
  EXPECT_DOUBLE_EQ(s.block_fill(0), 5.0 / 12);
}

TEST(RowStatistics, BestBlock) {
  EXPECT_EQ(lacuna::row_statistics(make_crs<Matrix>(block_matrix<double>(30, 30, 3, 4))).best_block(), 3);
  EXPECT_EQ(lacuna::row_statistics(make_crs<Matrix>(block_matrix<double>(30, 30, 6, 2))).best_block(), 6);
  EXPECT_EQ(lacuna::row_statistics(make_crs<Matrix>(random_matrix<double>(300, 300, 3))).best_block(), 1);
}

TEST(RowStatistics, BinsAreExactThenASixteenth) {
  using Bins = lacuna::Impl::LengthBins;
  int last   = -1;
  for (std::int64_t length = 0; length < 100000; ++length) {
    const int bin = Bins::bin(length);
    EXPECT_TRUE(bin == last || bin == last + 1) << length;
    if (bin != last && last >= 0) EXPECT_EQ(Bins::last_of(last), length - 1);
    last = bin;
  }
  EXPECT_EQ(Bins::bin(INT64_MAX), Bins::count - 1);
}

TEST(RowStatistics, NothingToInspect) {
  const auto s = lacuna::row_statistics(matrix_without_row_map<Matrix>());
  EXPECT_EQ(s.rows, 0);
  EXPECT_EQ(s.columns, 5);
  EXPECT_EQ(s.longest_row, 0);
  EXPECT_EQ(s.ell_padding(), 1.0);
  EXPECT_FALSE(report(s).empty());
}

TEST(RowStatistics, SameOnEverySpace) {
  using ReferenceMatrix = KokkosSparse::CrsMatrix<double, int, ReferenceSpace, void, int>;
  const auto source     = power_law_matrix<double>(3000, 4000);
  const auto s          = lacuna::row_statistics(make_crs<Matrix>(source));
  const auto reference  = lacuna::row_statistics(reference_instance(), make_crs<ReferenceMatrix>(source));
  expect_lengths(s, reference, "power law");
  expect_columns(s, reference, "power law");
  EXPECT_EQ(s.standard_deviation, reference.standard_deviation);
}

TEST(RowStatistics, MemoryLimit) {
  const auto A = make_crs<Matrix>(shuffled(random_matrix<double>(100, 100, 10)));
  EXPECT_THROW(lacuna::row_statistics(A, {.memory_limit = 100}), lacuna::OutOfMemory);
  EXPECT_THROW(lacuna::row_statistics(A, {.memory_limit = 1500}), lacuna::OutOfMemory);
  EXPECT_NO_THROW(lacuna::row_statistics(A, {.memory_limit = 100000}));
}

TEST(RowStatistics, MemoryLimitToTheByte) {
  const auto A            = make_crs<Matrix>(random_matrix<double>(1000, 3000, 5));
  const std::size_t bytes = lacuna::Impl::InspectionWorkspace<DefaultSpace>(1000, 3000).bytes();
  EXPECT_NO_THROW(lacuna::row_statistics(A, {.memory_limit = bytes}));
  EXPECT_THROW(lacuna::row_statistics(A, {.memory_limit = bytes - 1}), lacuna::OutOfMemory);
  const auto unsorted = make_crs<Matrix>(shuffled(random_matrix<double>(1000, 3000, 5)));
  EXPECT_THROW(lacuna::row_statistics(unsorted, {.memory_limit = bytes}), lacuna::OutOfMemory);
}

TEST(RowStatistics, ReportIsReadable) {
  const auto text = report(lacuna::row_statistics(make_crs<Matrix>(block_matrix<double>(30, 30, 3, 4))));
  EXPECT_THAT(text, HasSubstr("matrix       90 x 90, 1080 nonzeros\n"));
  EXPECT_THAT(text, HasSubstr("rows         12.00 nonzeros each on average, deviation 0.00, 12 to 12, 0 empty\n"));
  EXPECT_THAT(text, HasSubstr("lengths      8-15: 90\n"));
  EXPECT_THAT(text, HasSubstr("order        all rows sorted, 0 duplicates, 0 stored zeros\n"));
  EXPECT_THAT(text, HasSubstr("3x3 100.0 %"));
  EXPECT_THAT(text, HasSubstr("best size 3\n"));
}

}  // namespace

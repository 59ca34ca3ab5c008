// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Validate.hpp>

#include <formats/Test_Conversions.hpp>
#include <reference/Reference_Spmv.hpp>

#include <limits>

namespace {

using namespace lacuna::Test;
using testing::HasSubstr;

template <class Types>
class Validate : public testing::Test {};
TYPED_TEST_SUITE(Validate, ConversionTypes);

void expect_finding(const lacuna::Finding& finding, std::int64_t count, std::int64_t first_row,
                    const std::string& what) {
  EXPECT_EQ(finding.count, count) << what;
  EXPECT_EQ(finding.first_row, first_row) << what;
}

/// Rows not sorted and duplicates, by their definitions.
template <class Scalar>
void expect_statistics(const lacuna::ValidationReport& report, const HostMatrix<Scalar>& A, const std::string& name) {
  std::int64_t unsorted = 0, first_unsorted = -1, duplicates = 0, first_duplicate = -1;
  for (std::int64_t i = 0; i < A.rows; ++i) {
    std::vector<std::int64_t> row(A.entries.begin() + A.row_map[static_cast<std::size_t>(i)],
                                  A.entries.begin() + A.row_map[static_cast<std::size_t>(i) + 1]);
    if (!std::is_sorted(row.begin(), row.end()) && unsorted++ == 0) first_unsorted = i;
    std::sort(row.begin(), row.end());
    for (std::size_t k = 1; k < row.size(); ++k)
      if (row[k] == row[k - 1] && duplicates++ == 0) first_duplicate = i;
  }
  expect_finding(report.unsorted_rows, unsorted, first_unsorted, name + ", unsorted");
  expect_finding(report.duplicates, duplicates, first_duplicate, name + ", duplicates");
}

TYPED_TEST(Validate, StatisticsOfValidMatrices) {
  using Scalar = typename TypeParam::Scalar;
  for (const auto& [name, A] : all_matrices<Scalar>()) {
    const auto report = lacuna::validate(typename TypeParam::Space(), make_crs<typename TypeParam::Matrix>(A));
    EXPECT_TRUE(report.valid) << name << "\n" << report.text();
    EXPECT_EQ(report.nonzeros, A.nonzeros()) << name;
    expect_statistics(report, A, name);
    expect_finding(report.columns_out_of_range, 0, -1, name);
    expect_finding(report.decreasing_row_map, 0, -1, name);
    expect_finding(report.not_finite, 0, -1, name);
  }
}

TYPED_TEST(Validate, ColumnsOutOfRange) {
  auto A            = random_matrix<typename TypeParam::Scalar>(100, 40, 3);
  A.entries[4]      = 40;
  A.entries[5]      = -1;
  A.entries[250]    = 1 << 30;
  const auto report = lacuna::validate(make_crs<typename TypeParam::Matrix>(A));
  EXPECT_FALSE(report.valid);
  expect_finding(report.columns_out_of_range, 3, 1, "columns");
  EXPECT_THAT(report.text(), HasSubstr("3 columns out of range, first in row 1"));
}

TYPED_TEST(Validate, ValuesThatAreNotFinite) {
  using Scalar      = typename TypeParam::Scalar;
  using Real        = typename RealOf<Scalar>::type;
  auto A            = random_matrix<Scalar>(100, 40, 3);
  A.values[9]       = Scalar(std::numeric_limits<Real>::infinity());
  A.values[99]      = Scalar(std::numeric_limits<Real>::quiet_NaN());
  const auto report = lacuna::validate(make_crs<typename TypeParam::Matrix>(A));
  EXPECT_TRUE(report.valid);
  expect_finding(report.not_finite, 2, 3, "values");
}

TYPED_TEST(Validate, RowMapsThatLie) {
  const auto good = random_matrix<typename TypeParam::Scalar>(100, 40, 3);
  using Matrix    = typename TypeParam::Matrix;
  auto A          = good;
  A.row_map[50]   = 10;
  auto report     = lacuna::validate(make_crs<Matrix>(A));
  EXPECT_FALSE(report.valid);
  expect_finding(report.decreasing_row_map, 1, 49, "one row ends early");
  A                 = good;
  A.row_map.front() = 2;
  report            = lacuna::validate(make_crs<Matrix>(A));
  EXPECT_FALSE(report.valid);
  EXPECT_EQ(report.row_map_begin, 2);
  A                = good;
  A.row_map.back() = 400;  // beyond the entries
  A.entries[7]     = 99;
  report           = lacuna::validate(make_crs<Matrix>(A));
  EXPECT_FALSE(report.valid);
  EXPECT_EQ(report.row_map_end, 400);
  expect_finding(report.columns_out_of_range, 1, -1, "no row can be told");
  EXPECT_THAT(report.text(), HasSubstr("row map ends with 400, not 300"));
  Random random(3);
  for (auto& begin : A.row_map) begin = random.below(std::int64_t{1} << 31) - (1 << 30);
  EXPECT_FALSE(lacuna::validate(make_crs<Matrix>(A)).valid);
}

using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;

TEST(ValidateCrs, EmptyAndWithoutRowMap) {
  EXPECT_TRUE(lacuna::validate(matrix_without_row_map<Matrix>()).valid);
  const auto report = lacuna::validate(make_crs<Matrix>(from_rows<double>(0, {})));
  EXPECT_TRUE(report.valid);
  EXPECT_EQ(report.text(), "valid: 0x0 with 0 nonzeros\n");
}

TEST(ValidateCrs, MemoryLimit) {
  const auto A = make_crs<Matrix>(shuffled(random_matrix<double>(100, 100, 10)));
  EXPECT_THROW(lacuna::validate(A, {.memory_limit = 100}), lacuna::OutOfMemory);
  EXPECT_THROW(lacuna::validate(A, {.memory_limit = 500}), lacuna::OutOfMemory);
}

}  // namespace

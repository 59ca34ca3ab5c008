// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmv.hpp>

#include <reference/Reference_Spmv.hpp>
#include <support/Test_Matrices.hpp>
#include <support/Test_Messages.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/// \file
/// \brief Options of single algorithms of paper 002: x past the cache, orders of rows, sizes of blocks, dense blocks.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using Vector = Kokkos::View<double*, Exec::device_type>;
using testing::HasSubstr;

/// A x by a loop over the rows.
std::vector<double> product(const HostMatrix<double>& A, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(A.rows), 0);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (auto k = static_cast<std::size_t>(A.row_map[i]); k < static_cast<std::size_t>(A.row_map[i + 1]); ++k)
      y[i] += A.values[k] * x[static_cast<std::size_t>(A.entries[k])];
  return y;
}

/// y = 2 A x - y, with these options, before and after new values.
void check(const std::string& what, HostMatrix<double> A, const SpmvOptions& options) {
  const Exec exec;
  std::vector<double> x(static_cast<std::size_t>(A.columns)), before(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 11) - 4;
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<double>(i % 5);
  SpmvPlan plan(exec, make_crs<Matrix>(A), options);
  for (int values = 0; values < 2; ++values) {
    const auto y        = make_view<Vector>("y", before);
    const auto expected = product(A, x);
    spmv(exec, plan, 2.0, make_view<Vector>("x", x), -1.0, y);
    exec.fence();
    const auto found = to_vector(y);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], 2 * expected[i] - before[i], 1e-9 * (1 + std::abs(expected[i])))
          << what << ", row " << i << ", " << values;
    for (double& value : A.values) value = 1 - value;
    plan.update_values(exec, make_crs<Matrix>(A));
  }
}

std::vector<NamedMatrix<double>> matrices() {
  auto all = sample_matrices<double>();
  for (auto& messy : messy_matrices<double>()) all.push_back(std::move(messy));
  Random random(3);
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t i = 0; i < 300; ++i) rows.push_back(random.distinct(i % 7 == 0 ? 90 : i % 5, 300));
  all.push_back({"uneven rows", from_rows<double>(300, rows)});
  return all;
}

TEST(SpmvPublishedOptions, XPastTheCache) {
  for (const auto& [name, A] : matrices())
    for (const SpmvAlgorithm algorithm :
         {SpmvAlgorithm::vector_csr, SpmvAlgorithm::ell, SpmvAlgorithm::coo, SpmvAlgorithm::hyb})
      check(name + ", " + std::string(lacuna::name(algorithm)), A, {.algorithm = algorithm, .x_past_cache = true});
}

TEST(SpmvPublishedOptions, OrdersOfRows) {
  for (const auto& [name, A] : matrices())
    for (const SpmvAlgorithm algorithm : {SpmvAlgorithm::aligned, SpmvAlgorithm::cached, SpmvAlgorithm::row_block})
      for (const SpmvRowOrder order : {SpmvRowOrder::by_length, SpmvRowOrder::by_columns})
        check(name + ", " + std::string(lacuna::name(algorithm)) + ", " + std::string(lacuna::name(order)), A,
              {.algorithm = algorithm, .row_order = order});
}

TEST(SpmvPublishedOptions, Blocks) {
  for (const auto& [name, A] : matrices())
    for (const int rows : {0, 5, 64})
      for (const int columns : {0, 16, 512})
        for (const int least : {0, 12, 100000})
          for (const SpmvRowOrder order : {SpmvRowOrder::natural, SpmvRowOrder::by_length})
            check(name + ", " + std::to_string(rows) + " x " + std::to_string(columns) + ", " + std::to_string(least),
                  A,
                  {.algorithm      = SpmvAlgorithm::row_block,
                   .row_order      = order,
                   .block_rows     = rows,
                   .block_columns  = columns,
                   .least_in_block = least});
}

/// Rows by length: 8 rows of lengths 0, 1, 9, 2, 3, 16, 8, 1 stand as 5 (16), 2, 6 (8 to 15), 3, 4 (2, 3), 1, 7, 0.
TEST(SpmvPublishedOptions, LongestRowsFirst) {
  std::vector<std::vector<std::int64_t>> rows;
  for (const std::int64_t length : {0, 1, 9, 2, 3, 16, 8, 1}) {
    rows.emplace_back();
    for (std::int64_t k = 0; k < length; ++k) rows.back().push_back(k);
  }
  const auto A    = make_crs<Matrix>(from_rows<double>(20, rows));
  const auto list = Impl::rows_by_length_class<RowListOf<Matrix>>(Exec(), Impl::arrays_of(A));
  EXPECT_THAT(to_vector(list), testing::ElementsAre(5, 2, 6, 3, 4, 1, 7, 0));
}

/// Rows i and i + 64 have equal columns: side by side they share blocks of their own.
TEST(SpmvPublishedOptions, RowsThatShareColumnsShareBlocks) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t i = 0; i < 128; ++i)
    rows.push_back({i % 64 / 8, 20 + i % 64 / 8, 70 + i % 64 / 8, 100 + i % 64 / 8});
  const auto A     = make_crs<Matrix>(from_rows<double>(128, rows));
  const auto list  = Impl::rows_by_columns<RowListOf<Matrix>>(Exec(), A, unlimited);
  const auto found = to_vector(list);
  ASSERT_EQ(found.size(), 128u);
  auto sorted = found;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 128; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
  int equal = 0;
  for (std::size_t i = 0; i + 1 < found.size(); ++i)
    equal += rows[static_cast<std::size_t>(found[i])] == rows[static_cast<std::size_t>(found[i + 1])];
  EXPECT_GE(equal, 100);
  EXPECT_EQ(
      Impl::rows_by_columns<RowListOf<Matrix>>(Exec(), make_crs<Matrix>(banded_matrix<double>(4, 5, 1, 1)), unlimited)
          .extent(0),
      0u);
}

TEST(SpmvPublishedOptions, ReportsAndBytes) {
  const auto A = make_crs<Matrix>(banded_matrix<double>(100, 100, 3, 3));
  const SpmvPlan plain(Exec(), A, {.algorithm = SpmvAlgorithm::row_block});
  const SpmvPlan split(Exec(), A, {.algorithm = SpmvAlgorithm::row_block, .block_rows = 8, .least_in_block = 40});
  const SpmvPlan ordered(Exec(), A, {.algorithm = SpmvAlgorithm::cached, .row_order = SpmvRowOrder::by_length});
  EXPECT_THAT(plain.report(), HasSubstr("7 of 16x256, 0 nonzeros in none"));
  EXPECT_THAT(split.report(), HasSubstr("12 of 8x256, 22 nonzeros in none"));
  EXPECT_THAT(ordered.report(), HasSubstr("in an order of their own"));
  EXPECT_EQ(ordered.persistent_bytes(), 400u);
  EXPECT_THROW(
      SpmvPlan(Exec(), A,
               {.algorithm = SpmvAlgorithm::cached, .memory_limit = 300, .row_order = SpmvRowOrder::by_length}),
      OutOfMemory);
}

TEST(SpmvPublishedOptions, OthersAreRefused) {
  const auto A       = make_crs<Matrix>(banded_matrix<double>(20, 20, 1, 1));
  const auto refused = [&](const SpmvOptions& options) {
    return error_of<NotSupported>([&] { SpmvPlan(Exec(), A, options); });
  };
  EXPECT_THAT(refused({.algorithm = SpmvAlgorithm::cached, .x_past_cache = true}),
              HasSubstr("x_past_cache is for vector_csr, ell, coo and hyb, not for cached"));
  EXPECT_THAT(refused({.row_order = SpmvRowOrder::by_length}),
              HasSubstr("row_order is for aligned, cached and row_block, not for automatic"));
  EXPECT_THAT(refused({.algorithm = SpmvAlgorithm::ell, .block_rows = 8}), HasSubstr("are for row_block, not for ell"));
  const auto invalid = [&](SpmvOptions options) {
    options.algorithm = SpmvAlgorithm::row_block;
    return error_of<InvalidArgument>([&] { SpmvPlan(Exec(), A, options); });
  };
  EXPECT_THAT(invalid({.block_rows = 65}), HasSubstr("block_rows is 65"));
  EXPECT_THAT(invalid({.block_columns = 40}), HasSubstr("block_columns is 40"));
  EXPECT_THAT(invalid({.least_in_block = -1}), HasSubstr("least_in_block is -1"));
}

}  // namespace
}  // namespace lacuna::Test

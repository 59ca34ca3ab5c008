// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Semirings.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostColumns.hpp>

#include <spgemm/Test_SpgemmProducts.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// \file
/// \brief Plans on hosts keep the columns of C, where memory allows: products have the bits of those that find them.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultHostExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using Plan   = SpgemmPlan<Matrix>;

bool keeps_columns(const Plan& plan) { return plan.report().find("columns of C kept") != std::string::npos; }

/// Room for what `kept` keeps, but not for the lists that it was made of.
Plan plan_without_columns(const Plan& kept, const Matrix& A, const Matrix& B) {
  return Plan(Exec(), A, B, {.memory_limit = kept.persistent_bytes() + kept.temporary_bytes()});
}

void check(const std::string& what, const HostMatrix<double>& A, const HostMatrix<double>& B) {
  const Exec exec;
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  const Plan kept(exec, a, b), found    = plan_without_columns(kept, a, b);
  ASSERT_TRUE(keeps_columns(kept)) << what << "\n" << kept.report();
  ASSERT_FALSE(keeps_columns(found)) << what << "\n" << found.report();
  EXPECT_GT(kept.expected_seconds(), 0.0) << what;
  EXPECT_GT(kept.persistent_bytes(), found.persistent_bytes()) << what;
  const auto C = poisoned(kept), D = poisoned(found);
  const auto same = [&](const std::string& product) {
    exec.fence();
    const auto c = to_host(C), d = to_host(D);
    EXPECT_EQ(c.row_map, d.row_map) << what << product;
    EXPECT_EQ(c.entries, d.entries) << what << product;
    EXPECT_EQ(c.values, d.values) << what << product << ": the same bits";
  };
  spgemm(exec, kept, -0.5, a, b, C);
  spgemm(exec, found, -0.5, a, b, D);
  EXPECT_TRUE(matches(reference_spgemm(-0.5, Op::none, A, Op::none, B), to_host(C))) << what;
  same("");
  const auto a2 = make_crs<Matrix>(with_new_values(A)), b2 = make_crs<Matrix>(with_new_values(B));
  spgemm(exec, kept, 2.0, a2, b2, C);
  spgemm(exec, found, 2.0, a2, b2, D);
  same(", new values");
  kept.apply(exec, MinPlus<double>{}, a, b, C);
  found.apply(exec, MinPlus<double>{}, a, b, D);
  same(", min plus");
}

TEST(SpgemmHostColumns, TheSameBitsAsWhereTheyAreFound) {
  const auto wide = uneven_matrix<double>(300, 4000, 60);
  check("uneven", uneven_matrix<double>(300, 300, 40), wide);
  check("messy", shuffled(with_duplicates(uneven_matrix<double>(300, 300, 40))), shuffled(with_duplicates(wide)));
  check("equal rows", block_matrix<double>(60, 60, 3, 5), block_matrix<double>(60, 60, 3, 5));
  check("empty rows", mostly_empty_matrix<double>(400, 300, 7, 9), wide);
  // Runs of rows of B, which is read by words and by columns.
  check("words", banded_matrix<double>(500, 500, 3, 4), banded_matrix<double>(500, 500, 40, 40));
  check("band", banded_matrix<double>(500, 500, 3, 4), banded_matrix<double>(500, 500, 2, 2));
}

/// Rows whose window is wider than rows of sums may be are found again, those beside them are not.
TEST(SpgemmHostColumns, RowsWithoutSumsAmongOthers) {
  const std::int64_t columns = 4 * Impl::SpgemmHostPolicy::dense_bytes / static_cast<std::int64_t>(sizeof(double));
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t row = 0; row < 200; ++row)
    rows.push_back(row % 10 == 3 ? std::vector<std::int64_t>{row, columns - 1 - row}
                                 : std::vector<std::int64_t>{row, row + 5, row + 90});
  check("far columns", random_matrix<double>(150, 200, 4), from_rows<double>(columns, rows));
}

/// Row i has the columns of `pattern`, i further; rows from `changed` on are one column off, each second one.
HostMatrix<double> shifted_rows(std::int64_t rows, std::int64_t columns, const std::vector<std::int64_t>& pattern,
                                std::int64_t changed) {
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t row = 0; row < rows; ++row) {
    all.emplace_back();
    for (const std::int64_t column : pattern) {
      const std::int64_t at = row + column + (row >= changed ? row % 2 : 0);
      if (at < columns) all.back().push_back(at);
    }
  }
  return from_rows<double>(columns, all);
}

void check_call(const std::string& what, const HostMatrix<double>& A, const HostMatrix<double>& B) {
  const Exec exec;
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  const auto expected = reference_spgemm(1.0, Op::none, A, Op::none, B);
  const auto C        = spgemm(exec, a, b);
  exec.fence();
  EXPECT_TRUE(matches(expected, to_host(C))) << what;
  const Plan plan(exec, a, b);
  const auto D = poisoned(plan);
  spgemm(exec, plan, 1.0, a, b, D);
  exec.fence();
  EXPECT_TRUE(matches(expected, to_host(D))) << what << ", plan";
}

/// Most rows of such products are the row before, one column further.
TEST(SpgemmHostColumns, RowsThatAreTheRowBeforeShifted) {
  using Columns               = std::vector<std::int64_t>;
  constexpr std::int64_t rows = 300, far = 3000000;
  constexpr std::int64_t dense = Impl::SpgemmHostPolicy::dense_bytes / static_cast<std::int64_t>(sizeof(double));
  Columns many;
  for (std::int64_t column = 0; column < 70; ++column) many.push_back(column);
  for (const std::int64_t changed : {rows, rows / 2}) {
    const auto shifted = [&](const Columns& pattern, std::int64_t columns, std::int64_t from) {
      return shifted_rows(rows, columns, pattern, from);
    };
    const auto A = shifted({0, 1, 7}, rows, rows);
    check_call("sums", A, shifted({0, 5, 90}, 500, changed));
    check_call("A changes", shifted({0, 1, 7}, rows, changed), shifted({0, 5, 90}, 500, rows));
    check_call("rows of B not sorted, twice the same column", A, shifted({9, 0, 9, 4}, 500, changed));
    check_call("few products, sorted", A, shifted({0, far}, far + rows + 2, changed));
    check_call("many products, hashed", shifted(many, rows, rows), shifted({0, 1, far}, far + rows + 2, changed));
    check_call("windows of as many words as there are sums, and of one more", A,
               shifted({0, dense - 70}, dense + rows, changed));
    check_call("rows of B without a nonzero", A, shifted({}, 500, changed));
    check_call("rows of A without one", shifted({}, rows, changed), shifted({0, 5}, 500, changed));
  }
}

TEST(SpgemmHostColumns, AFullListSaysSo) {
  Impl::Counter next = 0;
  std::vector<int> columns(5000);
  std::int64_t begin = -1;
  const Impl::SpgemmHostColumnList<int> list{&next, 5000, columns.data(), &begin};
  Impl::SpgemmHostColumnPart<int> one, other;
  EXPECT_EQ(one.take(list, 4000, 3), columns.data());
  EXPECT_EQ(one.take(list, 93, 3), columns.data() + 4000);
  EXPECT_FALSE(list.is_full());
  EXPECT_EQ(other.take(list, 1, 3), nullptr) << "a part is longer than what is left";
  EXPECT_EQ(one.take(list, 1, 3), nullptr) << "the slack behind it is the next part's";
  EXPECT_TRUE(list.is_full());
}

}  // namespace
}  // namespace lacuna::Test

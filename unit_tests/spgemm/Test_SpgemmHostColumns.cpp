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

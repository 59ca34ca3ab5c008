// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Semirings.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostTable.hpp>

#include <spgemm/Test_SpgemmProducts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief Rows of C on hosts whose columns may stand in any order: sorted, they have the bits of sorted products.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultHostExecutionSpace;
using Policy = Impl::SpgemmHostPolicy;
template <class Ordinal>
using Matrix = KokkosSparse::CrsMatrix<double, Ordinal, Exec::device_type, void, Ordinal>;

constexpr int most = Policy::most_in_table;
/// Columns of the widest window that has dense sums.
constexpr std::int64_t widest = 64 * Policy::dense_words<double>();

bool is_sorted(const HostMatrix<double>& C) {
  for (std::size_t row = 0; row < static_cast<std::size_t>(C.rows); ++row)
    if (!std::is_sorted(C.entries.begin() + C.row_map[row], C.entries.begin() + C.row_map[row + 1])) return false;
  return true;
}

HostMatrix<double> with_sorted_rows(HostMatrix<double> C) {
  for (std::size_t row = 0; row < static_cast<std::size_t>(C.rows); ++row) {
    std::vector<std::pair<std::int64_t, double>> nonzeros;
    for (auto k = static_cast<std::size_t>(C.row_map[row]); k < static_cast<std::size_t>(C.row_map[row + 1]); ++k)
      nonzeros.emplace_back(C.entries[k], C.values[k]);
    std::sort(nonzeros.begin(), nonzeros.end());
    auto k = static_cast<std::size_t>(C.row_map[row]);
    for (const auto& [column, value] : nonzeros) {
      C.entries[k]  = column;
      C.values[k++] = value;
    }
  }
  return C;
}

/// Compares plans for products, for sums with D and calls without a plan; returns whether some row was not sorted.
template <class Ordinal = int>
bool check(const std::string& what, const HostMatrix<double>& A, const HostMatrix<double>& B) {
  using M = Matrix<Ordinal>;
  const Exec exec;
  const auto D = random_matrix<double>(A.rows, B.columns, 5);
  const auto a = make_crs<M>(A), b = make_crs<M>(B), d = make_crs<M>(D);
  const SpgemmOptions options{.sorted_output = false};
  bool sorted     = true;
  const auto same = [&](const std::string& product, const auto& expected, const auto& found) {
    exec.fence();
    const auto c = to_host(expected), e = to_host(found), ordered = with_sorted_rows(e);
    sorted = sorted && is_sorted(e);
    EXPECT_EQ(c.row_map, ordered.row_map) << what << product;
    EXPECT_EQ(c.entries, ordered.entries) << what << product;
    EXPECT_EQ(c.values, ordered.values) << what << product << ": the same bits";
  };
  const SpgemmPlan<M> plan(exec, a, b), free(exec, a, b, options);
  const auto C = poisoned(plan), E = poisoned(free);
  spgemm(exec, plan, -0.3, a, b, C);
  spgemm(exec, free, -0.3, a, b, E);
  same("", C, E);
  plan.apply(exec, MinPlus<double>{}, a, b, C);
  free.apply(exec, MinPlus<double>{}, a, b, E);
  same(", min plus", C, E);
  same(", call", spgemm(exec, a, b), spgemm(exec, a, b, options));
  const SpgemmPlan<M> sum(exec, a, b, d), free_sum(exec, a, b, d, options);
  const auto F = poisoned(sum), G = poisoned(free_sum);
  for (const auto& [alpha, beta] : {std::pair(0.7, -0.3), std::pair(0.7, 0.0), std::pair(0.0, 0.7)}) {
    spgemm(exec, sum, alpha, a, b, beta, d, F);
    spgemm(exec, free_sum, alpha, a, b, beta, d, G);
    same(", " + std::to_string(alpha) + " and " + std::to_string(beta) + " times D", F, G);
  }
  same(", within a mask", spgemm(exec, a, b, within(d)), spgemm(exec, a, b, within(d), options));
  return !sorted;
}

/// More rows than marks tell apart, in windows of dense sums.
TEST(SpgemmHostAnyOrder, Marks) {
  const auto A = uneven_matrix<double>(700, 300, 40), B = uneven_matrix<double>(300, 8000, 60);
  EXPECT_TRUE(check("uneven", A, B));
  EXPECT_TRUE(check("nothing in order", shuffled(with_duplicates(A)), shuffled(with_duplicates(B))));
  EXPECT_TRUE(check<std::int64_t>("far columns", A, B));
  EXPECT_TRUE(check("empty rows", mostly_empty_matrix<double>(600, 300, 7, 9), B));
  EXPECT_TRUE(check("equal rows", block_matrix<double>(60, 60, 3, 5), random_matrix<double>(180, 8000, 4)));
  check("words", random_matrix<double>(500, 500, 3), block_matrix<double>(100, 1600, 5, 3));
  check("band", banded_matrix<double>(500, 500, 3, 4), banded_matrix<double>(500, 500, 40, 40));
}

/// Windows of as many columns as have dense sums, and of one more.
TEST(SpgemmHostAnyOrder, AtTheWidestWindow) {
  const auto A = from_rows<double>(3, {{0, 1}, {0, 2}, {1, 2}, {2}});
  for (const std::int64_t off : {-1, 0, 1})
    check("window", A, from_rows<double>(widest + 1, {{3, widest - 1 + off}, {0, 2, 500}, {1, 700}}));
}

/// Rows that are counted by marks, more than these tell apart, with few products and with more than a table is counted
/// of; in the widest window that has marks, and in one of a word more.
TEST(SpgemmHostAnyOrder, CountedByMarks) {
  const auto B = random_matrix<double>(200, 3 * widest, 4);
  check("few products", random_matrix<double>(700, 200, 5), B);
  check("more", random_matrix<double>(300, 200, 70), B);
  check("nothing in order", shuffled(with_duplicates(random_matrix<double>(300, 200, 9))),
        shuffled(with_duplicates(B)));
  check<std::int64_t>("far columns", random_matrix<double>(700, 200, 5), B);
  for (const std::int64_t last : {Policy::most_marked - 1, Policy::most_marked, Policy::most_marked + 64})
    check("window", from_rows<double>(3, {{0, 1}, {0, 2}, {1, 2}, {2}}),
          from_rows<double>(last + 1, {{0, last}, {64, 70, last}, {0, 700}}));
}

TEST(SpgemmHostAnyOrder, Tables) {
  const auto B = random_matrix<double>(200, 40 * widest, 3);
  EXPECT_TRUE(check("few products", random_matrix<double>(300, 200, 6), B));
  EXPECT_TRUE(check("nothing in order", shuffled(with_duplicates(random_matrix<double>(300, 200, 6))),
                    shuffled(with_duplicates(B))));
  EXPECT_TRUE(check("the same columns again", random_matrix<double>(300, 200, 50),
                    from_rows<double>(3 * widest, std::vector<std::vector<std::int64_t>>(
                                                      200, {0, 64, 500, widest + 7, 3 * widest - 1}))));
  EXPECT_TRUE(check<std::int64_t>("far columns", random_matrix<double>(50, 200, 6), B));
}

/// One product less than are added in a table and than are counted in one, as many and one more.
TEST(SpgemmHostAnyOrder, AtTheLimitsOfTables) {
  for (const int limit : {Policy::most_ranked, most}) {
    const auto A = from_rows<double>(3, {{2}, {1}, {0}, {0, 2}});
    check("limit", A, rows_of_lengths<double>({limit - 1, limit, limit + 1}, 4 * widest));
    // Nonzeros of D count as products.
    check("limit with D", A, rows_of_lengths<double>({limit - 6, limit - 5, limit - 4}, 4 * widest));
  }
}

TEST(SpgemmHostAnyOrder, TablesNumberColumnsAsTheyCome) {
  Impl::SpgemmHostTable<int> table;
  for (const int products : {1, 2, 3, 64, most}) {
    table.open(products);
    for (int i = 0; i < products; ++i) {
      EXPECT_EQ(table.number_of(std::numeric_limits<int>::max() - 1024 * i), i);
      EXPECT_EQ(table.number_of(std::numeric_limits<int>::max()), 0);
    }
    EXPECT_EQ(table.count(), products);
  }
}

/// Products that are kept need sorted rows, and memory that does not hold lists leaves rows sorted.
TEST(SpgemmHostAnyOrder, WhereRowsAreSortedAnyway) {
  const Exec exec;
  const auto A = uneven_matrix<double>(300, 300, 40), B = uneven_matrix<double>(300, 8000, 60);
  const auto a = make_crs<Matrix<int>>(A), b = make_crs<Matrix<int>>(B);
  const auto expected = reference_spgemm(2.0, Op::none, A, Op::none, B);
  const SpgemmPlan<Matrix<int>> lists(exec, a, b, {.sorted_output = false});
  const SpgemmPlan<Matrix<int>> kept(exec, a, b, {.sorted_output = false, .keep_products = KeepProducts::yes});
  const SpgemmPlan<Matrix<int>> little(
      exec, a, b, {.sorted_output = false, .memory_limit = lists.persistent_bytes() + lists.temporary_bytes()});
  for (const auto* const plan : {&kept, &little}) {
    const auto C = poisoned(*plan);
    spgemm(exec, *plan, 2.0, a, b, C);
    exec.fence();
    EXPECT_TRUE(is_sorted(to_host(C)));
    EXPECT_TRUE(matches(expected, to_host(C)));
  }
}

}  // namespace
}  // namespace lacuna::Test

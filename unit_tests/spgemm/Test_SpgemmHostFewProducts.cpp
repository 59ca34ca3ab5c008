// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Semirings.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostRanks.hpp>

#include <spgemm/Test_SpgemmProducts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief Rows of C on hosts whose products are added in a table, because they are few and far apart: they have the
/// bits of rows with dense sums, which the same rows have where their columns are near each other.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultHostExecutionSpace;
using Policy = Impl::SpgemmHostPolicy;
template <class Ordinal>
using Matrix = KokkosSparse::CrsMatrix<double, Ordinal, Exec::device_type, void, Ordinal>;

constexpr int most = Policy::most_ranked;
/// Columns of the widest window that has dense sums, so that two columns this far apart have none.
constexpr std::int64_t apart = 64 * Policy::dense_words<double>();

template <class Ordinal>
void expect_ranks(const std::vector<Ordinal>& columns) {
  Impl::SpgemmHostRanks<Ordinal> ranks;
  const auto [least, largest] = std::minmax_element(columns.begin(), columns.end());
  ranks.rank({*least, *largest}, columns.data(), static_cast<int>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i)
    EXPECT_EQ(ranks[static_cast<int>(i)],
              std::count_if(columns.begin(), columns.end(), [&](Ordinal column) { return column < columns[i]; }))
        << columns.size() << " columns";
}

/// In windows that 32 bits count, and in one that they do not.
TEST(SpgemmHostFewProducts, HowManyColumnsAreLess) {
  constexpr auto last = std::numeric_limits<std::int32_t>::max();
  for (int n = 1; n <= most; ++n) {
    std::vector<std::int64_t> far, farther;
    std::vector<int> near;
    for (const std::int64_t column : Random(static_cast<std::uint64_t>(n)).distinct(n, 100000)) {
      near.insert(near.begin() + column % static_cast<std::int64_t>(near.size() + 1), static_cast<int>(column));
      far.insert(far.begin() + column % static_cast<std::int64_t>(far.size() + 1), column + (std::int64_t{1} << 40));
      farther.push_back(column % 2 == 0 ? column << 40 : column);
    }
    near.back() = n > 1 ? last : 0;
    expect_ranks(near);
    expect_ranks(far);
    expect_ranks(farther);
  }
}

/// The same with columns that are `factor` times as far apart.
HostMatrix<double> spread(HostMatrix<double> A, std::int64_t factor) {
  A.columns = (A.columns - 1) * factor + 1;
  for (std::int64_t& column : A.entries) column *= factor;
  return A;
}

/// A times `narrow` and times the same, spread out: the same bits, but for D, masks and semirings too.
template <class Ordinal>
void check(const std::string& what, const HostMatrix<double>& A, const HostMatrix<double>& B,
           const HostMatrix<double>& D, std::int64_t factor) {
  using M = Matrix<Ordinal>;
  const Exec exec;
  const auto a = make_crs<M>(A), b = make_crs<M>(B), d = make_crs<M>(D);
  const auto far_b = make_crs<M>(spread(B, factor)), far_d = make_crs<M>(spread(D, factor));
  const auto same = [&](const std::string& product, const auto& near, const auto& far) {
    exec.fence();
    const auto c = spread(to_host(near), factor), e = to_host(far);
    EXPECT_EQ(c.row_map, e.row_map) << what << product;
    EXPECT_EQ(c.entries, e.entries) << what << product;
    EXPECT_EQ(c.values, e.values) << what << product;
  };
  const SpgemmPlan<M> plan(exec, a, b), far_plan(exec, a, far_b);
  const auto C = poisoned(plan), E = poisoned(far_plan);
  spgemm(exec, plan, -0.3, a, b, C);
  spgemm(exec, far_plan, -0.3, a, far_b, E);
  EXPECT_TRUE(matches(reference_spgemm(-0.3, Op::none, A, Op::none, B), to_host(C))) << what;
  same("", C, E);
  plan.apply(exec, MinPlus<double>{}, a, b, C);
  far_plan.apply(exec, MinPlus<double>{}, a, far_b, E);
  same(", min plus", C, E);
  const SpgemmPlan<M> sum(exec, a, b, d), far_sum(exec, a, far_b, far_d);
  const auto F = poisoned(sum), G = poisoned(far_sum);
  for (const auto& [alpha, beta] :
       {std::pair(0.7, -0.3), std::pair(0.7, 0.0), std::pair(0.0, 0.7), std::pair(0.0, 0.0)}) {
    spgemm(exec, sum, alpha, a, b, beta, d, F);
    spgemm(exec, far_sum, alpha, a, far_b, beta, far_d, G);
    same(", " + std::to_string(alpha) + " and " + std::to_string(beta) + " times D", F, G);
  }
  for (const bool complemented : {false, true}) {
    const auto mask = complemented ? outside(d) : within(d), far_mask = complemented ? outside(far_d) : within(far_d);
    same(complemented ? ", outside" : ", within", spgemm(exec, a, b, mask), spgemm(exec, a, far_b, far_mask));
  }
}

/// Rows of one nonzero or several times rows of B of 3, so that rows of C have products at the edges.
TEST(SpgemmHostFewProducts, TheSameBitsAsDenseSums) {
  std::vector<std::vector<std::int64_t>> rows;
  for (const std::int64_t factors : {0, 1, 2, 3, 5, 8, 13, 21, most / 3, most / 3 + 1, most / 3 + 2})
    for (int time = 0; time < 3; ++time)
      rows.push_back(Random(static_cast<std::uint64_t>(7 * factors + time)).distinct(factors, 200));
  const auto A = from_rows<double>(200, rows);
  const auto B = random_matrix<double>(200, 90, 3);
  const auto D = random_matrix<double>(A.rows, 90, 20);
  check<int>("sorted rows", A, B, D, apart);
  check<int>("nothing in order", shuffled(with_duplicates(A)), shuffled(with_duplicates(B)), D, apart);
  check<std::int64_t>("far away", A, B, D, apart << 20);
}

/// One product less than most, as many and one more.
TEST(SpgemmHostFewProducts, AtTheLimit) {
  std::vector<std::int64_t> lengths;
  for (const int off : {-1, 0, 1}) lengths.push_back(most + off);
  const auto B = rows_of_lengths<double>(lengths, 2 * most);
  const auto A = from_rows<double>(3, {{0}, {1}, {2}, {0}, {1}, {2}});
  check<int>("limit", A, B, random_matrix<double>(6, 2 * most, 1), apart);
  // Windows of as many words as have dense sums, and of one more.
  const auto C = from_rows<double>(apart + 64, {{0, 5, apart - 1}, {0, 5, apart}});
  check<int>("window", from_rows<double>(2, {{0}, {1}, {0, 1}}), C, random_matrix<double>(3, apart + 64, 1), 64);
}

}  // namespace
}  // namespace lacuna::Test

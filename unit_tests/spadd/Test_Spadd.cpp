// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spadd.hpp>

#include <formats/Test_Conversions.hpp>

#include <cmath>
#include <limits>
#include <map>

namespace {

using namespace lacuna::Test;

/// alpha A + beta B and, for each element, the sum of the sizes of its terms.
template <class Scalar>
struct ExpectedSum {
  using Row = std::map<std::int64_t, std::pair<Scalar, double>>;
  std::vector<Row> rows;

  ExpectedSum(const Scalar& alpha, const HostMatrix<Scalar>& A, const Scalar& beta, const HostMatrix<Scalar>& B)
      : rows(static_cast<std::size_t>(A.rows)) {
    add(alpha, A);
    add(beta, B);
  }
  void add(const Scalar& factor, const HostMatrix<Scalar>& X) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (auto k = static_cast<std::size_t>(X.row_map[i]); k < static_cast<std::size_t>(X.row_map[i + 1]); ++k) {
        auto& [sum, size] = rows[i][X.entries[k]];
        sum += factor * X.values[k];
        size += Kokkos::abs(factor) * Kokkos::abs(X.values[k]);
      }
  }
};

/// The same columns in the same order, and sums of a few terms, each off by a few roundings.
template <class Scalar>
void expect_sum(const HostMatrix<Scalar>& C, const ExpectedSum<Scalar>& expected, const std::string& what) {
  using Real                = typename lacuna::Impl::RealOf<Scalar>::type;
  constexpr double rounding = std::numeric_limits<Real>::epsilon() / 2;
  ASSERT_EQ(static_cast<std::size_t>(C.rows), expected.rows.size()) << what;
  for (std::size_t i = 0; i < expected.rows.size(); ++i) {
    auto k = static_cast<std::size_t>(C.row_map[i]);
    ASSERT_EQ(static_cast<std::size_t>(C.row_map[i + 1]) - k, expected.rows[i].size()) << what << ", row " << i;
    for (const auto& [column, element] : expected.rows[i]) {
      ASSERT_EQ(C.entries[k], column) << what << ", row " << i;
      ASSERT_LE(Kokkos::abs(C.values[k] - element.first), 12 * rounding * element.second) << what << ", row " << i;
      ++k;
    }
  }
}

/// Other matrices of that shape.
template <class Scalar>
std::vector<NamedMatrix<Scalar>> partners(const HostMatrix<Scalar>& A) {
  std::vector<NamedMatrix<Scalar>> others{
      {"itself", A},
      {"new values", with_new_values(A)},
      {"nothing",
       from_rows<Scalar>(A.columns, std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(A.rows)))},
      {"its messy copy", shuffled(with_duplicates(A))}};
  if (A.columns > 0) {
    others.push_back({"few", random_matrix<Scalar>(A.rows, A.columns, 3)});
    others.push_back({"uneven", uneven_matrix<Scalar>(A.rows, A.columns, 40)});
    others.push_back({"messy", shuffled(with_duplicates(uneven_matrix<Scalar>(A.rows, A.columns, 11)))});
  }
  return others;
}

template <class Types>
class Spadd : public testing::Test {};
TYPED_TEST_SUITE(Spadd, ConversionTypes);

TYPED_TEST(Spadd, MatchesTheHost) {
  using Matrix = typename TypeParam::Matrix;
  using Scalar = typename TypeParam::Scalar;
  using Real   = typename lacuna::Impl::RealOf<Scalar>::type;
  const typename TypeParam::Space exec{};
  const Scalar alpha(2), beta(Real(-0.5));
  const Scalar nan(std::numeric_limits<Real>::quiet_NaN());
  for (const auto& [name, A] : all_matrices<Scalar>()) {
    for (const auto& [other, B] : partners(A)) {
      const std::string what = name + " and " + other;
      const Matrix a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
      const ExpectedSum<Scalar> expected(alpha, A, beta, B);
      const auto C = lacuna::spadd(exec, alpha, a, beta, b);
      exec.fence();
      expect_sum(to_host(C), expected, what);

      const lacuna::SpaddPlan plan(exec, a, b);
      const auto D = plan.allocate(exec);
      Kokkos::deep_copy(exec, D.values, nan);
      lacuna::spadd(exec, plan, alpha, a, beta, b, D);
      exec.fence();
      expect_sum(to_host(D), expected, what + ", plan");
      EXPECT_EQ(plan.nonzeros(), static_cast<std::int64_t>(D.nnz()));

      const auto A2 = with_new_values(A, 3), B2 = with_new_values(B, 4);
      lacuna::spadd(exec, plan, beta, make_crs<Matrix>(A2), alpha, make_crs<Matrix>(B2), D);
      exec.fence();
      expect_sum(to_host(D), ExpectedSum<Scalar>(beta, A2, alpha, B2), what + ", new values");
    }
  }
}

template <class Scalar, class Ordinal>
struct PlainSink {
  lacuna::Impl::SpaddElements<lacuna::Impl::CrsArrays<Scalar, Ordinal, int>> A, B;
  Ordinal* entries;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(std::int64_t k, Ordinal, std::int64_t p, std::int64_t q) const {
    entries[k] = p >= 0 ? A.entries[p] : B.entries[q];
    values[k]  = (p >= 0 ? A.values[p] : Scalar(0)) + (q >= 0 ? B.values[q] : Scalar(0));
  }
  KOKKOS_FUNCTION void either(std::int64_t k, Ordinal row, std::int64_t p, bool takes_p, std::int64_t q,
                              bool takes_q) const {
    (*this)(k, row, takes_p ? p : -1, takes_q ? q : -1);
  }
};

/// The way of hosts and that of GPUs, both on this backend.
template <bool by_rows>
void check_merge(const std::string& what, const HostMatrix<double>& A, const HostMatrix<double>& B) {
  using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;
  const DefaultSpace exec;
  const Matrix a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  lacuna::Impl::MemoryBudget budget("spadd");
  lacuna::Impl::SpaddOperand<Matrix> kept_a, kept_b;
  const lacuna::Impl::SpaddMerge<Matrix, DefaultSpace, by_rows> merge(exec, a, kept_a, b, kept_b, budget);
  EXPECT_FALSE(kept_a.is_reordered());
  EXPECT_FALSE(kept_b.is_reordered());
  const Kokkos::View<int*, DefaultSpace> entries("entries", static_cast<std::size_t>(merge.nonzeros()));
  const Kokkos::View<double*, DefaultSpace> values("values", static_cast<std::size_t>(merge.nonzeros()));
  merge.for_each(exec, "Lacuna::spadd::sums",
                 PlainSink<double, int>{merge.a(), merge.b(), entries.data(), values.data()});
  exec.fence();
  const Matrix C("C", a.numRows(), a.numCols(), static_cast<int>(merge.nonzeros()), values, merge.row_map(), entries);
  expect_sum(to_host(C), ExpectedSum<double>(1, A, 1, B), what);
}

/// What a plan does on a GPU, on this backend.
void check_positions(const std::string& what, const HostMatrix<double>& A, const HostMatrix<double>& B) {
  using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;
  using Arrays = lacuna::Impl::CrsArraysOf<Matrix>;
  const DefaultSpace exec;
  const Matrix a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  lacuna::Impl::MemoryBudget budget("spadd");
  lacuna::Impl::SpaddOperand<Matrix> kept_a, kept_b;
  const lacuna::Impl::SpaddMerge<Matrix, DefaultSpace, false> merge(exec, a, kept_a, b, kept_b, budget);
  const auto count = static_cast<std::size_t>(merge.nonzeros());
  const Kokkos::View<int*, DefaultSpace> entries("entries", count), of_a("of_a", count), of_b("of_b", count);
  const Kokkos::View<double*, DefaultSpace> values("values", count);
  merge.for_each(exec, "Lacuna::spadd::positions",
                 lacuna::Impl::WritePositions<Arrays>{merge.a(), merge.b(), entries.data(), of_a.data(), of_b.data()});
  for (const double alpha : {0.5, 0.0}) {
    lacuna::Impl::with_spadd_terms(merge.a(), merge.b(), alpha, 2.0, [&](const auto& terms) {
      using Body = lacuna::Impl::SumAtPositions<std::remove_cvref_t<decltype(terms)>>;
      lacuna::Impl::for_each_nonzero(exec, "Lacuna::spadd::sums", a.numRows(), static_cast<int>(count),
                                     merge.row_map().data(), Body{terms, of_a.data(), of_b.data(), values.data()});
    });
    exec.fence();
    const Matrix C("C", a.numRows(), a.numCols(), static_cast<int>(count), values, merge.row_map(), entries);
    expect_sum(to_host(C), ExpectedSum<double>(alpha, A, 2, B), what);
  }
}

TEST(SpaddMerge, BothWays) {
  for (const auto& [name, A] : sample_matrices<double>()) {
    if (A.columns == 0) continue;
    for (const auto& B :
         {random_matrix<double>(A.rows, A.columns, 3), uneven_matrix<double>(A.rows, A.columns, 40), A}) {
      check_merge<true>(name + ", by rows", A, B);
      check_merge<false>(name + ", by elements", A, B);
      check_positions(name + ", positions", A, B);
      check_positions(name + ", positions, messy", shuffled(with_duplicates(A)), B);
    }
  }
}

}  // namespace

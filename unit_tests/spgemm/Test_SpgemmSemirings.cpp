// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spgemm/Test_SpgemmPatterns.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;

// Kernels for lanes that are emulated take every semiring alike: there those of this file do.
#if defined(LACUNA_EMULATE_LANES)
constexpr bool all_semirings = false;
#else
constexpr bool all_semirings = true;
#endif

/// A semiring of a user, which holds something: the widest path, no edge of which counts as wider than `most`. A NaN
/// stays.
struct MaxMin {
  double most;
  KOKKOS_FUNCTION double zero() const { return -Kokkos::Experimental::infinity_v<double>; }
  KOKKOS_FUNCTION double add(double a, double b) const { return a > b || a != a ? a : b; }
  KOKKOS_FUNCTION double multiply(double a, double b) const {
    const double least = a < b || a != a ? a : b;
    return most < least ? most : least;
  }
};

/// One that adds atomically itself, and whose multiplication does not commute.
struct PlusLeft {
  KOKKOS_FUNCTION double zero() const { return 0; }
  KOKKOS_FUNCTION double add(double a, double b) const { return a + b; }
  KOKKOS_FUNCTION double multiply(double a, double) const { return a; }
  KOKKOS_FUNCTION void add_to(double* sum, const double& value) const { Kokkos::atomic_add(sum, value); }
};

static_assert(SemiringOf<PlusTimes<float>, float> &&
              SemiringOf<OrAnd<Kokkos::complex<double>>, Kokkos::complex<double>>);
static_assert(SemiringOf<MaxMin, double> && !SemiringOf<double, double>);

template <class Matrix, class Semiring>
void check_semiring(const std::string& what, const Semiring& semiring, const HostMatrix<ScalarOf<Matrix>>& A,
                    const HostMatrix<ScalarOf<Matrix>>& B, double slack = 0) {
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  const auto expected = semiring_product(semiring, A, B, nullptr, false);
  for (const SpgemmOptions& options :
       {SpgemmOptions{}, SpgemmOptions{.deterministic = true}, SpgemmOptions{.algorithm = SpgemmAlgorithm::bins},
        SpgemmOptions{.algorithm = SpgemmAlgorithm::bins_by_subwarps}})
    try {
      const SpgemmPlan plan(a, b, options);
      const auto C = poisoned(plan);
      spgemm(plan, semiring, a, b, C);
      EXPECT_TRUE(equals(expected, to_host(C), slack)) << what << ", " << name(plan.algorithm());
      // The same plan serves the usual sums; other types have them in the tests of products.
      if constexpr (std::is_same_v<ScalarOf<Matrix>, double>) {
        spgemm(plan, 2, a, b, C);
        EXPECT_TRUE(matches(reference_spgemm(2.0, Op::none, A, Op::none, B), to_host(C))) << what;
      }
    } catch (const InvalidMatrix&) {
      EXPECT_TRUE(wants_sorted_rows(options.algorithm)) << what;  // rows of B that are not sorted
    }
}

template <bool all = all_semirings>
void check_semirings(const std::string& what, const HostMatrix<double>& A, const HostMatrix<double>& B) {
  check_semiring<Matrix>(what + ", widest path", MaxMin{0.4}, A, B);
  if constexpr (all) {
    check_semiring<Matrix>(what + ", min plus", MinPlus<double>{}, A, B);
    check_semiring<Matrix>(what + ", or and", OrAnd<double>{}, A, B);
    check_semiring<Matrix>(what + ", max times", MaxTimes<double>{}, A, B);
  }
}

/// Values of 0 to 6, half of them 0: ties and products that vanish.
template <class Scalar>
HostMatrix<Scalar> with_small_values(HostMatrix<Scalar> matrix) {
  for (std::size_t i = 0; i < matrix.values.size(); ++i)
    matrix.values[i] = Scalar(static_cast<typename RealOf<Scalar>::type>(i % 2 * (i % 7)));
  return matrix;
}

/// [ 1 4 ]   [ 7 2 . ]     min plus [ 8 3 9 ]   max times [ 20 2 20 ]   or and [ 1 1 1 ]
/// [ . . ] * [ 5 . 5 ]  =           [ . . . ]             [  . .  . ]          [ . . . ]
template <bool all = all_semirings>
void check_by_hand() {
  const HostMatrix<double> A{2, 2, {0, 2, 2}, {0, 1}, {1, 4}}, B{2, 3, {0, 2, 4}, {0, 1, 0, 2}, {7, 2, 5, 5}};
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
    const SpgemmOptions options{.algorithm = algorithm};
    EXPECT_EQ(to_host(spgemm(PlusTimes<double>{}, a, b, options)).values, (std::vector<double>{27, 2, 20}));
    EXPECT_EQ(to_host(spgemm(MaxMin{3.5}, a, b, options)).values, (std::vector<double>{3.5, 1, 3.5}));
    EXPECT_EQ(to_host(spgemm(MaxMin{3.5}, a, b, options)).row_map, (std::vector<std::int64_t>{0, 3, 3}));
    if constexpr (all) {
      EXPECT_EQ(to_host(spgemm(MinPlus<double>{}, a, b, options)).values, (std::vector<double>{8, 3, 9}));
      EXPECT_EQ(to_host(spgemm(MaxTimes<double>{}, a, b, options)).values, (std::vector<double>{20, 2, 20}));
      EXPECT_EQ(to_host(spgemm(OrAnd<double>{}, a, b, options)).values, (std::vector<double>{1, 1, 1}));
    }
  }
}

TEST(SpgemmSemirings, ByHand) { check_by_hand(); }

TEST(SpgemmSemirings, RowsOfEveryClass) {
  for (const std::int64_t columns : {400000, 21000}) {
    const auto A = left_of_every_class<double>(), B = rows_of_every_class<double>(columns);
    check_semirings("mixed", A, B);
    check_semiring<Matrix>("adds itself", PlusLeft{}, A, B, 1e-12);
    check_semirings("small values", with_small_values(A), with_small_values(B));
  }
  check_semirings("messy", shuffled(with_duplicates(left_of_every_class<double>())),
                  shuffled(with_duplicates(rows_of_every_class<double>(3000))));
  const auto hub = dense_row_matrix<double>(700, 700, 3);
  check_semirings("hub", hub, hub);
}

/// Sums of 4, 8 and 16 bytes are exchanged in different ways.
TEST(SpgemmSemirings, OtherTypes) {
  using Floats  = KokkosSparse::CrsMatrix<float, int, Exec::device_type, void, std::size_t>;
  using Complex = KokkosSparse::CrsMatrix<Kokkos::complex<double>, std::int64_t, Exec::device_type, void, std::int64_t>;
  check_semiring<Floats>("float, min plus", MinPlus<float>{}, left_of_every_class<float>(),
                         shuffled(rows_of_every_class<float>(9000)));
  check_semiring<Complex>("complex, or and", OrAnd<Kokkos::complex<double>>{},
                          left_of_every_class<Kokkos::complex<double>>(),
                          shuffled(rows_of_every_class<Kokkos::complex<double>>(9000)));
}

#if !defined(LACUNA_EMULATE_LANES)
/// n - 1 squarings of min plus give the lengths of all shortest paths: those of a ring with a chord.
TEST(SpgemmSemirings, ShortestPaths) {
  const std::int64_t n = 40;
  HostMatrix<double> D{n, n, {0}, {}, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    std::map<std::int64_t, double> row{{i, 0.0}, {(i + 1) % n, 1.0}, {(i + n - 1) % n, 1.0}};
    if (i == 0) row[n / 2] = 2;
    if (i == n / 2) row[0] = 2;
    for (const auto& [column, value] : row) D.entries.push_back(column), D.values.push_back(value);
    D.row_map.push_back(D.nonzeros());
  }
  auto d = make_crs<Matrix>(D);
  for (int length = 1; length < n; length *= 2) d = spgemm(MinPlus<double>{}, d, d);
  const auto all = to_host(d);
  ASSERT_EQ(all.nonzeros(), n * n);
  const auto ring = [n](std::int64_t a, std::int64_t b) { return std::min((a - b + n) % n, (b - a + n) % n); };
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      ASSERT_EQ(all.values[static_cast<std::size_t>(i * n + j)],
                static_cast<double>(
                    std::min({ring(i, j), ring(i, 0) + 2 + ring(n / 2, j), ring(i, n / 2) + 2 + ring(0, j)})));
}
#endif

TEST(SpgemmSemirings, APlanWithDIsForTheUsualSums) {
  const auto a = make_crs<Matrix>(random_matrix<double>(20, 20, 3));
  const SpgemmPlan plan(a, a, a);
  EXPECT_THROW(spgemm(plan, MaxMin{1}, a, a, plan.allocate()), InvalidArgument);
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

/// Options of every way in which a plan adds.
const std::vector<SpgemmOptions> ways{
    {}, {.deterministic = true}, {.keep_products = KeepProducts::yes}, {.algorithm = SpgemmAlgorithm::bins}};

/// A row of the numbers times a column of `others`.
template <class Semiring>
double sum_of(const Semiring& semiring, const std::vector<double>& numbers, double others,
              const SpgemmOptions& options) {
  const auto n = static_cast<std::int64_t>(numbers.size());
  HostMatrix<double> row{1, n, {0, n}, {}, numbers}, column{n, 1, {0}, {}, std::vector<double>(numbers.size(), others)};
  for (std::int64_t i = 0; i < n; ++i) {
    row.entries.push_back(i);
    column.entries.push_back(0);
    column.row_map.push_back(i + 1);
  }
  const auto a = make_crs<Matrix>(row), b = make_crs<Matrix>(column);
  const SpgemmPlan plan(a, b, options);
  const auto C = poisoned(plan);
  spgemm(plan, semiring, a, b, C);
  return to_vector(C.values)[0];
}

/// Expected values are written out, so that nothing here depends on what a semiring makes of a NaN.
TEST(SpgemmSemirings, ANanStaysWhereverItStands) {
  for (const SpgemmOptions& options : ways)
    for (const std::size_t length : {1u, 2u, 3u, 40u, 700u, 5000u})
      for (const std::size_t place : {std::size_t(0), length / 2, length - 1}) {
        std::vector<double> numbers(length, 2);
        numbers[0] = 3;
        numbers[length / 3] += 1;
        numbers[place]  = nan;
        const auto what = std::to_string(place) + " of " + std::to_string(length);
        EXPECT_TRUE(std::isnan(sum_of(MaxMin{9}, numbers, 1, options))) << what;
        if constexpr (all_semirings) {
          EXPECT_TRUE(std::isnan(sum_of(MinPlus<double>{}, numbers, 0, options))) << what;
          EXPECT_TRUE(std::isnan(sum_of(MaxTimes<double>{}, numbers, 1, options))) << what;
          EXPECT_EQ(sum_of(OrAnd<double>{}, std::vector<double>(length, nan), 1, options), 1) << what;
        }
        numbers[place] = 2;  // and none is made up
        EXPECT_EQ(sum_of(MaxMin{1.5}, numbers, 8, options), 1.5) << what;
      }
}

TEST(SpgemmSemirings, InfinitiesAndZerosAreTerms) {
  for (const SpgemmOptions& options : ways) {
    EXPECT_TRUE(std::isnan(sum_of(PlusTimes<double>{}, {1, 0, 2}, inf, options)));
    EXPECT_TRUE(std::isnan(sum_of(PlusTimes<double>{}, {inf, 1, -inf}, 1, options)));
    EXPECT_EQ(sum_of(MaxMin{inf}, {-inf, -inf}, 1, options), -inf);  // zero() itself
    EXPECT_EQ(sum_of(MaxMin{inf}, {-inf, 0, -2}, 1, options), 0);
    if constexpr (all_semirings) {
      EXPECT_EQ(sum_of(MinPlus<double>{}, {inf, inf}, 0, options), inf);
      EXPECT_EQ(sum_of(MinPlus<double>{}, {inf, 0, 5}, 0, options), 0);
      EXPECT_TRUE(std::isnan(sum_of(MinPlus<double>{}, {1, -inf}, inf, options)));
      EXPECT_TRUE(std::isnan(sum_of(MaxTimes<double>{}, {0, 1}, inf, options)));
      EXPECT_EQ(sum_of(OrAnd<double>{}, {0, 0}, nan, options), 0);
    }
  }
}

template <class Semiring>
void check_special_values(const Semiring& semiring) {
  for (const std::int64_t columns : {400000, 3000}) {
    const auto A = with_special_values(left_of_every_class<double>(), 1),
               B = with_special_values(rows_of_every_class<double>(columns), 2);
    const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
    const auto expected = semiring_product(semiring, A, B, nullptr, false);
    for (const SpgemmOptions& options : ways) {
      const SpgemmPlan plan(a, b, options);
      const auto C = poisoned(plan);
      spgemm(plan, semiring, a, b, C);
      EXPECT_TRUE(equals(expected, to_host(C), 0)) << name(plan.algorithm()) << ", " << columns << " columns";
    }
  }
}

TEST(SpgemmSemirings, SpecialValuesInRowsOfEveryClass) {
  check_special_values(MaxMin{2});
  check_special_values(PlusTimes<double>{});  // integers: exact in any order
  if constexpr (all_semirings) {
    check_special_values(MinPlus<double>{});
    check_special_values(MaxTimes<double>{});
    check_special_values(OrAnd<double>{});
  }
}

TEST(SpgemmSemirings, NaNsDoNotHang) {
  auto A = left_of_every_class<double>(), B = rows_of_every_class<double>(5000);
  for (double& value : B.values) value = std::numeric_limits<double>::quiet_NaN();
  const auto C =
      to_host(spgemm(PlusLeft{}, make_crs<Matrix>(B),
                     make_crs<Matrix>(from_rows<double>(3, std::vector<std::vector<std::int64_t>>(5000, {1})))));
  for (const double value : C.values) ASSERT_TRUE(std::isnan(value));
  EXPECT_NO_THROW(spgemm(MaxMin{1}, make_crs<Matrix>(A), make_crs<Matrix>(B)));
  EXPECT_NO_THROW(spgemm(MaxMin{1}, make_crs<Matrix>(A), make_crs<Matrix>(shuffled(B))));
}

}  // namespace
}  // namespace lacuna::Test

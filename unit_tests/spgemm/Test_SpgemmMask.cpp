// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spgemm/Test_SpgemmPatterns.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;

template <class Matrix>
void check_mask(const std::string& what, const HostMatrix<ScalarOf<Matrix>>& A, const HostMatrix<ScalarOf<Matrix>>& B,
                const HostMatrix<ScalarOf<Matrix>>& M) {
  using Scalar = ScalarOf<Matrix>;
  const PlusTimes<Scalar> sums;
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B), m = make_crs<Matrix>(M);
  const Pattern pattern = pattern_of(M);
  const double slack    = 2000 * static_cast<double>(std::numeric_limits<typename RealOf<Scalar>::type>::epsilon());
  for (const bool complemented : {false, true}) {
    const auto mask     = complemented ? outside(m) : within(m);
    const auto expected = semiring_product(sums, A, B, &pattern, complemented);
    for (const SpgemmOptions& options :
         {SpgemmOptions{}, SpgemmOptions{.deterministic = true}, SpgemmOptions{.algorithm = SpgemmAlgorithm::bins},
          SpgemmOptions{.algorithm = SpgemmAlgorithm::bins_by_subwarps},
          SpgemmOptions{.keep_products = KeepProducts::yes}})
      try {
        const std::string label = what + (complemented ? ", outside, " : ", within, ") +
                                  std::string(name(options.algorithm)) + (options.deterministic ? ", in order" : "") +
                                  (options.keep_products == KeepProducts::yes ? ", products kept" : "");
        const SpgemmPlan plan(a, b, mask, options);
        const auto C = poisoned(plan);
        spgemm(plan, 1, a, b, C);
        EXPECT_TRUE(equals(expected, to_host(C), slack)) << label;
        if constexpr (std::is_same_v<Scalar, double>) {  // a second semiring, compiled once
          const MinPlus<Scalar> paths;
          Kokkos::deep_copy(C.values, Scalar(std::numeric_limits<typename RealOf<Scalar>::type>::quiet_NaN()));
          spgemm(plan, paths, a, b, C);
          EXPECT_TRUE(equals(semiring_product(paths, A, B, &pattern, complemented), to_host(C), 0))
              << label << ", paths";
        }
        EXPECT_TRUE(equals(expected, to_host(spgemm(a, b, mask, options)), slack)) << label << ", one-shot";
      } catch (const InvalidMatrix&) {
        EXPECT_TRUE(wants_sorted_rows(options.algorithm)) << what;
      }
  }
}

/// Rows of the mask: none, short, long, whole.
template <class Scalar>
HostMatrix<Scalar> some_positions(std::int64_t rows, std::int64_t columns, std::int64_t longest = 3000) {
  Random random(5);
  std::vector<std::vector<std::int64_t>> of_mask;
  for (std::int64_t i = 0; i < rows; ++i)
    of_mask.push_back(random.distinct(std::min(i % 9 == 0 ? 0 : i % 4 == 0 ? longest : 1 + i % 40, columns), columns));
  return from_rows<Scalar>(columns, of_mask);
}

/// [ 1 1 ]   [ 1 2 . ]   [ 1 5 4 ]         [ x . x ]   [ 1 . 4 ]            [ . 5 . ]
/// [ . 1 ] * [ . 3 4 ] = [ . 3 4 ] within  [ x x . ] = [ . 3 . ], outside   [ . . 4 ]
TEST(SpgemmMask, ByHand) {
  const HostMatrix<double> A{2, 2, {0, 2, 3}, {0, 1, 1}, {1, 1, 1}}, B{2, 3, {0, 2, 4}, {0, 1, 1, 2}, {1, 2, 3, 4}},
      M{2, 3, {0, 3, 5}, {2, 0, 2, 1, 0}, {0, 0, 0, 0, 0}};  // not sorted, with a duplicate
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B), m = make_crs<Matrix>(M);
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
    const auto in = to_host(spgemm(a, b, within(m), {.algorithm = algorithm}));
    EXPECT_EQ(in.row_map, (std::vector<std::int64_t>{0, 2, 3}));
    EXPECT_EQ(in.entries, (std::vector<std::int64_t>{0, 2, 1}));
    EXPECT_EQ(in.values, (std::vector<double>{1, 4, 3}));
    const auto out = to_host(spgemm(a, b, outside(m), {.algorithm = algorithm}));
    EXPECT_EQ(out.row_map, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(out.entries, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(out.values, (std::vector<double>{5, 4}));
  }
}

TEST(SpgemmMask, MaskedIsWithin) {
  const auto A = random_matrix<double>(30, 30, 4), M = random_matrix<double>(30, 30, 8);
  const auto a = make_crs<Matrix>(A), m = make_crs<Matrix>(M);
  EXPECT_FALSE(masked(m).complemented);
  const auto named = to_host(spgemm(a, a, masked(m))), expected = to_host(spgemm(a, a, within(m)));
  EXPECT_EQ(named.row_map, expected.row_map);
  EXPECT_EQ(named.entries, expected.entries);
}

TEST(SpgemmMask, ComplementIsOutside) {
  const auto A = random_matrix<double>(30, 30, 4), M = random_matrix<double>(30, 30, 8);
  const auto a = make_crs<Matrix>(A), m = make_crs<Matrix>(M);
  EXPECT_TRUE(complement(m).complemented);
  const auto named = to_host(spgemm(a, a, complement(m))), expected = to_host(spgemm(a, a, outside(m)));
  EXPECT_EQ(named.row_map, expected.row_map);
  EXPECT_EQ(named.entries, expected.entries);
}

TEST(SpgemmMask, RowsOfEveryClass) {
  const auto A = left_of_every_class<double>();
  for (const std::int64_t columns : {400000, 21000}) {
    const auto B = rows_of_every_class<double>(columns), M = some_positions<double>(A.rows, columns);
    check_mask<Matrix>("mixed", A, B, M);
    check_mask<Matrix>("messy mask", A, B, shuffled(with_duplicates(M)));
  }
  const auto B = rows_of_every_class<double>(3000), M = some_positions<double>(A.rows, 3000);
  check_mask<Matrix>("messy", shuffled(with_duplicates(A)), shuffled(with_duplicates(B)), M);
  const auto hub = dense_row_matrix<double>(700, 700, 3);
  check_mask<Matrix>("hub", hub, hub, hub);
}

/// Every row of the mask is short and every row of B long: found by search, what is not sorted by looking at all.
/// Rows whose products are far apart; masks that have every second one, and columns that no product has.
TEST(SpgemmMask, WidthsOfB) {
  constexpr std::int64_t width = std::numeric_limits<int>::max();
  const auto B                 = rows_of_lengths<double>({0, 1, 2, 60, 300, 511, 513, 1500, 90, 2}, width);
  const auto A = from_rows<double>(10, {{}, {0, 1}, {2, 9}, {3, 4}, {5}, {6, 8}, {7}, {3, 4, 5, 6, 7, 8}, {4, 7}});
  std::vector<std::vector<std::int64_t>> of_mask;
  Random random(8);
  for (const auto& columns : pattern_of(A)) {
    std::set<std::int64_t> row{0, width - 1};
    bool every_second = false;
    for (const std::int64_t inner : columns)
      for (auto k = B.row_map[static_cast<std::size_t>(inner)]; k < B.row_map[static_cast<std::size_t>(inner) + 1]; ++k)
        if ((every_second = !every_second)) row.insert(B.entries[static_cast<std::size_t>(k)]);
    for (const std::int64_t other : random.distinct(50, width)) row.insert(other);
    of_mask.emplace_back(row.begin(), row.end());
  }
  check_mask<Matrix>("far apart", A, B, from_rows<double>(width, of_mask));
}

TEST(SpgemmMask, ShortRowsAreSearchedFor) {
  const auto A = random_matrix<double>(20, 40, 5), B = random_matrix<double>(40, 12000, 1500),
             M = some_positions<double>(20, 12000, 20);
  check_mask<Matrix>("long rows of B", A, B, M);
  check_mask<Matrix>("long rows of B, not sorted", A, shuffled(B), M);
  check_mask<Matrix>("mask with duplicates", A, B, with_duplicates(M));
  // The lone entry of the mask in each row is one that the product has.
  HostMatrix<double> lone{20, 12000, {0}, {}, {}};
  for (std::size_t row = 0; row < 20; ++row) {
    const auto inner = static_cast<std::size_t>(A.entries[5 * row]);
    lone.entries.push_back(B.entries[1500 * inner + 17 * row]);
    lone.values.push_back(0);
    lone.row_map.push_back(lone.nonzeros());
  }
  check_mask<Matrix>("one place a row", A, B, lone);
  EXPECT_EQ(to_host(spgemm(make_crs<Matrix>(A), make_crs<Matrix>(B), within(make_crs<Matrix>(lone)))).nonzeros(), 20);
}

/// Emulated lanes add float as they add double: they take complex numbers alone.
template <class... Floats>
void check_other_types() {
  using Complex = KokkosSparse::CrsMatrix<Kokkos::complex<double>, std::int64_t, Exec::device_type, void, std::int64_t>;
  (check_mask<Floats>("float", left_of_every_class<float>(), rows_of_every_class<float>(9000),
                      some_positions<float>(300, 9000)),
   ...);
  check_mask<Complex>("complex", left_of_every_class<Kokkos::complex<double>>(),
                      rows_of_every_class<Kokkos::complex<double>>(9000),
                      some_positions<Kokkos::complex<double>>(300, 9000));
}

TEST(SpgemmMask, OtherTypes) {
#if defined(LACUNA_EMULATE_LANES)
  check_other_types<>();
#else
  check_other_types<KokkosSparse::CrsMatrix<float, int, Exec::device_type, void, std::size_t>>();
#endif
}

TEST(SpgemmMask, EmptyMasksAndRowsThatDoNotMeet) {
  const auto A = random_matrix<double>(50, 40, 6), B = banded_matrix<double>(40, 90, 3, 4);
  check_mask<Matrix>("empty", A, B, from_rows<double>(90, std::vector<std::vector<std::int64_t>>(50)));
  check_mask<Matrix>("beyond", A, B, from_rows<double>(90, std::vector<std::vector<std::int64_t>>(50, {80, 85, 89})));
  check_mask<Matrix>("everything", A, B, to_host(spgemm(make_crs<Matrix>(A), make_crs<Matrix>(B))));
  const auto empty = from_rows<double>(7, {});
  check_mask<Matrix>("no rows", from_rows<double>(5, {}), random_matrix<double>(5, 7, 2), empty);
  check_mask<Matrix>("no inner", from_rows<double>(0, std::vector<std::vector<std::int64_t>>(4)), empty,
                     random_matrix<double>(4, 7, 2));
}

TEST(SpgemmMask, TransposesAreMaskedToo) {
  const auto A = random_matrix<double>(40, 60, 6), M = random_matrix<double>(60, 60, 9);
  const auto a = make_crs<Matrix>(A), m = make_crs<Matrix>(M);
  const auto C          = to_host(spgemm(a, a, within(m), {.op_a = Op::transpose}));
  const auto whole      = to_host(spgemm(a, a, {.op_a = Op::transpose}));
  const auto pattern    = pattern_of(M);
  std::int64_t expected = 0;
  for (std::size_t row = 0; row < 60; ++row)
    for (auto k = static_cast<std::size_t>(whole.row_map[row]); k < static_cast<std::size_t>(whole.row_map[row + 1]);
         ++k)
      expected += static_cast<std::int64_t>(pattern[row].count(whole.entries[k]));
  EXPECT_EQ(C.nonzeros(), expected);
}

/// A host adds what a mask lets through in the order in which it adds all: where rows of the mask are short, long, or
/// longer than the window, and where windows are hashed.
TEST(SpgemmMask, HostsAddTheSameBitsAsWithoutIt) {
  if (Impl::runs_lane_kernels<Exec>) GTEST_SKIP() << "kernels for lanes choose by the mask how they add";
  for (const std::int64_t columns : {130, 9000, 3000000}) {
    const auto a    = make_crs<Matrix>(random_matrix<double>(90, 70, 12)),
               b    = make_crs<Matrix>(uneven_matrix<double>(70, columns, 100));
    const auto mask = some_positions<double>(90, columns);
    const auto all = to_host(spgemm(a, b)), some = to_host(spgemm(a, b, within(make_crs<Matrix>(mask))));
    std::size_t next = 0;
    for (std::size_t i = 0; i < 90; ++i) {
      const auto begin = mask.entries.begin() + mask.row_map[i], end = mask.entries.begin() + mask.row_map[i + 1];
      for (auto k = static_cast<std::size_t>(all.row_map[i]); k < static_cast<std::size_t>(all.row_map[i + 1]); ++k) {
        if (std::find(begin, end, all.entries[k]) == end) continue;
        ASSERT_LT(next, some.entries.size());
        ASSERT_EQ(some.entries[next], all.entries[k]) << columns << " columns, row " << i;
        ASSERT_EQ(some.values[next], all.values[k]) << columns << " columns, row " << i;
        ++next;
      }
      ASSERT_EQ(static_cast<std::int64_t>(next), some.row_map[i + 1]) << columns << " columns, row " << i;
    }
    EXPECT_GT(next, 0u) << columns;
  }
}

/// alpha A B + beta D at the places of a mask: entries of D elsewhere are dropped, like those of the product. NaN
/// stands in what must not be read.
TEST(SpgemmMask, AddsAnotherMatrixAtThePlacesOfTheMask) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto A = left_of_every_class<double>(), B = rows_of_every_class<double>(3000);
  const auto M = some_positions<double>(A.rows, 3000);
  for (const auto& D :
       {uneven_matrix<double>(300, 3000, 40), shuffled(with_duplicates(uneven_matrix<double>(300, 3000, 9))),
        from_rows<double>(3000, std::vector<std::vector<std::int64_t>>(300))})
    for (const bool complemented : {false, true}) {
      const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B), d = make_crs<Matrix>(D), m = make_crs<Matrix>(M);
      const Pattern pattern = pattern_of(M);
      const auto sum_of     = [&](double alpha, double beta) {
        auto sum = reference_spgemm(alpha, Op::none, A, Op::none, B);
        for (std::size_t row = 0; row < 300; ++row) {
          for (auto k = static_cast<std::size_t>(D.row_map[row]); k < static_cast<std::size_t>(D.row_map[row + 1]);
               ++k) {
            auto& element = sum.rows[row][D.entries[k]];
            element.value += beta * D.values[k];
            element.magnitude += std::abs(beta * D.values[k]);
            ++element.terms;
          }
          std::erase_if(sum.rows[row],
                            [&](const auto& entry) { return (pattern[row].count(entry.first) == 0) != complemented; });
        }
        return sum;
      };
      for (const SpgemmAlgorithm algorithm : spgemm_algorithms) try {
          const std::string label = std::string(complemented ? "outside, " : "within, ") + std::string(name(algorithm));
          const SpgemmPlan plan(a, b, d, complemented ? outside(m) : within(m), {.algorithm = algorithm});
          static_assert(std::is_same_v<decltype(plan), const SpgemmPlan<Matrix, Exec, true>>);
          const auto C = poisoned(plan);
          spgemm(plan, -0.5, a, b, 3, d, C);
          EXPECT_TRUE(matches(sum_of(-0.5, 3), to_host(C))) << label;
          auto bad = D;
          for (double& value : bad.values) value = nan;
          spgemm(plan, 2, a, b, 0, make_crs<Matrix>(bad), C);
          EXPECT_TRUE(matches(sum_of(2, 0), to_host(C))) << label << ", beta 0";
          EXPECT_THROW(spgemm(plan, 1, a, b, C), InvalidArgument);
          EXPECT_THROW(spgemm(plan, MinPlus<double>{}, a, b, C), InvalidArgument);
        } catch (const InvalidMatrix&) {
          EXPECT_TRUE(wants_sorted_rows(algorithm));
        }
    }
  // A plan without D has places for the product alone, and says so.
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B), m = make_crs<Matrix>(M);
  const SpgemmPlan without(a, b, within(m));
  const auto C = poisoned(without);
  EXPECT_THROW(spgemm(without, 1, a, b, 1, m, C), InvalidArgument);
  const auto product = spgemm(a, b, within(m));
  spgemm(without, 2, a, b, -1, product, C);
  const Pattern pattern = pattern_of(M);
  EXPECT_TRUE(equals(semiring_product(PlusTimes<double>{}, A, B, &pattern, false), to_host(C), 1e-12));
  EXPECT_THROW(SpgemmPlan(a, b, a, within(m)), DimensionMismatch);
}

/// A NaN at a place of the mask stays; what stands elsewhere reaches nothing.
TEST(SpgemmMask, SpecialValues) {
  const auto A = with_special_values(left_of_every_class<double>(), 1),
             B = with_special_values(rows_of_every_class<double>(3000), 2);
  const auto M = some_positions<double>(A.rows, 3000);
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B), m = make_crs<Matrix>(M);
  const Pattern pattern = pattern_of(M);
  for (const bool complemented : {false, true})
    for (const SpgemmOptions& options :
         {SpgemmOptions{}, SpgemmOptions{.deterministic = true}, SpgemmOptions{.algorithm = SpgemmAlgorithm::bins},
          SpgemmOptions{.algorithm = SpgemmAlgorithm::bins_by_subwarps},
          SpgemmOptions{.keep_products = KeepProducts::yes}}) {
      const SpgemmPlan plan(a, b, complemented ? outside(m) : within(m), options);
      const auto C = poisoned(plan);
      spgemm(plan, MinPlus<double>{}, a, b, C);
      EXPECT_TRUE(equals(semiring_product(MinPlus<double>{}, A, B, &pattern, complemented), to_host(C), 0))
          << name(plan.algorithm()) << (complemented ? ", outside" : ", within");
      spgemm(plan, 1, a, b, C);
      EXPECT_TRUE(equals(semiring_product(PlusTimes<double>{}, A, B, &pattern, complemented), to_host(C), 0))
          << name(plan.algorithm()) << (complemented ? ", outside" : ", within");
    }
}

TEST(SpgemmMask, OtherShapesAreRefused) {
  const auto a = make_crs<Matrix>(random_matrix<double>(10, 10, 3)),
             m = make_crs<Matrix>(random_matrix<double>(10, 11, 3));
  try {
    spgemm(a, a, within(m));
    ADD_FAILURE();
  } catch (const DimensionMismatch& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("10x11"), testing::HasSubstr("10x10")));
  }
}

TEST(SpgemmMask, TheSameBitsFromRunToRun) {
  const auto a = make_crs<Matrix>(left_of_every_class<double>()), b = make_crs<Matrix>(rows_of_every_class<double>());
  const auto m = make_crs<Matrix>(some_positions<double>(300, 400000));
  for (const auto& mask : {within(m), outside(m)}) {
    const auto first = to_host(spgemm(a, b, mask, {.deterministic = true}));
    for (int run = 0; run < 3; ++run) {
      const auto again = to_host(spgemm(a, b, mask, {.deterministic = true}));
      ASSERT_EQ(first.entries, again.entries);
      ASSERT_EQ(std::memcmp(first.values.data(), again.values.data(), first.values.size() * sizeof(double)), 0);
    }
  }
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>

#include <spgemm/Test_SpgemmPatterns.hpp>
#include <tools/Tools_MemoryMeter.hpp>

#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

/// \file
/// \brief Plans that keep where products go.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using Plan   = SpgemmPlan<Matrix>;

template <class Any>
void fill_with_nan(const Any& C) {
  Kokkos::deep_copy(C.values, std::numeric_limits<double>::quiet_NaN());
}

bool same_bits(const HostMatrix<double>& a, const HostMatrix<double>& b) {
  if (a.values.empty()) return b.values.empty();
  return a.entries == b.entries && a.values.size() == b.values.size() &&
         std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0;
}

/// A product, one with new values, and the same bits again, from this plan and from another.
void check_product_map(const std::string& what, const HostMatrix<double>& A, const HostMatrix<double>& B,
                       SpgemmOptions options = {}) {
  options.keep_products = KeepProducts::yes;
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  const Plan plan(a, b, options);
  const auto C = plan.allocate();
  fill_with_nan(C);
  spgemm(plan, -0.5, a, b, C);
  const auto first = to_host(C);
  EXPECT_TRUE(matches(reference_spgemm(-0.5, options.op_a, A, options.op_b, B), first)) << what;

  const auto A2 = with_new_values(A), B2 = with_new_values(B);
  const auto D = plan.allocate();
  EXPECT_EQ(D.graph.entries.data(), C.graph.entries.data());
  fill_with_nan(D);
  spgemm(plan, 2, make_crs<Matrix>(A2), make_crs<Matrix>(B2), D);
  EXPECT_TRUE(matches(reference_spgemm(2.0, options.op_a, A2, options.op_b, B2), to_host(D))) << what << ", new values";

  spgemm(plan, -0.5, a, b, D);
  EXPECT_TRUE(same_bits(first, to_host(D))) << what;
  const Plan other(a, b, options);
  const auto E = other.allocate();
  spgemm(other, -0.5, a, b, E);
  EXPECT_TRUE(same_bits(first, to_host(E))) << what << ", another plan";
}

/// Row i of the one has `lengths[i]` nonzeros from the left, row i of the other the column 0 alone: their product with
/// op_b = none has one column, whose elements are sums of so many products.
HostMatrix<double> rows_from_the_left(const std::vector<std::int64_t>& lengths, std::int64_t columns) {
  std::vector<std::vector<std::int64_t>> rows;
  for (const std::int64_t length : lengths) {
    rows.emplace_back();
    for (std::int64_t i = 0; i < length; ++i) rows.back().push_back(i);
  }
  return from_rows<double>(columns, rows);
}

TEST(SpgemmProductMap, ByHand) {
  // [ 1 2 0 ]   [ 0 3 ]   [ 8 3 ]
  // [ 0 0 0 ] * [ 4 0 ] = [ 0 0 ]
  // [ 0 0 5 ]   [ 6 7 ]   [30 35]
  const auto a = make_crs<Matrix>(HostMatrix<double>{3, 3, {0, 2, 2, 3}, {0, 1, 2}, {1, 2, 5}});
  const auto b = make_crs<Matrix>(HostMatrix<double>{3, 2, {0, 1, 2, 4}, {1, 0, 0, 1}, {3, 4, 6, 7}});
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
    const Plan plan(a, b, {.algorithm = algorithm, .keep_products = KeepProducts::yes});
    const auto C = plan.allocate();
    fill_with_nan(C);
    spgemm(plan, 1, a, b, C);
    const auto host = to_host(C);
    EXPECT_EQ(host.row_map, (std::vector<std::int64_t>{0, 2, 2, 4}));
    EXPECT_EQ(host.entries, (std::vector<std::int64_t>{0, 1, 0, 1}));
    EXPECT_EQ(host.values, (std::vector<double>{8, 3, 30, 35}));
    EXPECT_THAT(plan.report(), testing::HasSubstr("4 kept"));
  }
  EXPECT_GT(Plan(a, b, {.expected_calls = 1000}).expected_seconds(), 0.0);
  EXPECT_THAT(Plan(a, b, {.expected_calls = 2}).report(), testing::HasSubstr("keep_products would take"));
}

/// A GPU on which a product costs 15 ps, and 4 where it is kept.
TEST(SpgemmProductMap, AutomaticWeighs) {
  const auto weigh = [](std::int64_t calls, std::size_t left = unlimited, bool has_positions = true) {
    return Impl::spgemm_reuse(Device::h200(), {.call_seconds  = 15e-5,
                                               .products      = 10000000,
                                               .nonzeros      = 1000000,
                                               .calls         = calls,
                                               .bytes_left    = left,
                                               .has_positions = has_positions});
  };
  EXPECT_TRUE(weigh(100).keeps);
  EXPECT_FALSE(weigh(20).keeps);
  EXPECT_THAT(weigh(20).text(), testing::StartsWith("not kept, for so few calls"));
  EXPECT_FALSE(weigh(100, std::size_t{20} << 20).keeps);
  EXPECT_THAT(weigh(100, std::size_t{20} << 20).text(), testing::HasSubstr("memory_limit"));
  EXPECT_FALSE(weigh(100, unlimited, false).keeps);
  const auto large = Impl::spgemm_reuse(Device::h200(), {.call_seconds = 10, .products = 3000000000, .calls = 1000});
  EXPECT_THAT(large.text(), testing::HasSubstr("for their size"));
  const auto fast = Impl::spgemm_reuse(Device::h200(), {.call_seconds = 3e-5, .products = 10000000, .calls = 100000});
  EXPECT_THAT(fast.text(), testing::HasSubstr("calls would be slower"));
}

/// Milliseconds that were measured, double, two threads, without kept products (Zen 5, but for tables) and, where there
/// is a number, with (Zen 4); within a factor of 1.5.
TEST(SpgemmProductMap, HostsPredictTheirTimes) {
  struct Measured {
    Impl::SpgemmHostWork work;
    double milliseconds, kept;
  };
  const auto is_near = [](double seconds, double milliseconds) {
    EXPECT_LT(seconds, 1.5e-3 * milliseconds);
    EXPECT_GT(1.5 * seconds, 1e-3 * milliseconds);
  };
  for (const Measured& of : {
           Measured{{1639580, 839890, 1101970, 17636150}, 5.7, 4.9},      // banded:n=40000,half=10
           Measured{{6382336, 1810432, 8954880, 12527104}, 13.6, 7.1},    // mesh7:n=64
           Measured{{3652264, 830584, 4808288, 21484952}, 10.7, 6.9},     // mesh27:n=32
           Measured{{8158876, 1828364, 11310654, 47936644}, 26.8, 18.1},  // cfd1
           Measured{{396773, 83883, 392413, 4554541}, 1.16, 2.2},         // bcsstk13
           Measured{{6819653, 2014701, 8393156, 101687697}, 35.8, 0},     // bcsstk32
           Measured{{5121784, 126150, 1434689, 9518740}, 9.6, 0},         // memplus
           // Rows of 2, 7, 10 and 13 nonzeros; on Zen 4, of C sorted and not.
           Measured{{4000000, 2000000, 3999840, 4000000, 0, 998803, 3995212, 3995212}, 50.4, 0},
           Measured{{4000000, 2000000, 3999840, 4000000, 0, 998803, 3995212, 0}, 46.5, 0},
           Measured{{9798935, 1400000, 9790174, 9800000, 0, 200000, 9800000, 9800000}, 87, 0},
           Measured{{9798935, 1400000, 9790174, 9800000, 0, 200000, 9800000, 0}, 57.1, 0},
           Measured{{9995682, 1000000, 9970226, 10000000, 0, 100000, 10000000, 10000000}, 91, 0},
           Measured{{9995682, 1000000, 9970226, 10000000, 0, 100000, 10000000, 0}, 50.5, 0},
           Measured{{16886820, 1300000, 16831540, 16900000, 16900000}, 65, 0},
       }) {
    const double seconds = Impl::SpgemmHostPolicy::seconds(of.work) / 2;
    is_near(seconds, of.milliseconds);
    if (of.kept == 0) continue;
    const auto reuse = Impl::spgemm_reuse(
        Device::host(2),
        {.call_seconds = seconds, .products = of.work.products, .nonzeros = of.work.nonzeros, .calls = 1000});
    is_near(reuse.kept_seconds, of.kept);
  }
}

TEST(SpgemmProductMap, AutomaticKeepsForManyCalls) {
  const auto A = random_matrix<double>(600, 600, 6);
  const auto a = make_crs<Matrix>(A);
  const Plan few(a, a, {.expected_calls = 2}), many(a, a, {.expected_calls = 1000000000});
  EXPECT_FALSE(few.keeps_products());
  EXPECT_TRUE(many.keeps_products());
  EXPECT_THAT(many.report(), testing::HasSubstr("products    kept: a call takes about"));
  const auto C = poisoned(many);
  spgemm(many, 2, a, a, C);
  EXPECT_TRUE(matches(reference_spgemm(2.0, Op::none, A, Op::none, A), to_host(C)));
  // Without room for places, a plan does without; what is asked for is refused.
  const std::size_t limit = few.persistent_bytes() + few.temporary_bytes() + (1 << 14);
  const Plan narrow(a, a, {.expected_calls = 1000000000, .memory_limit = limit});
  EXPECT_FALSE(narrow.keeps_products());
  EXPECT_THAT(narrow.report(), testing::HasSubstr("not kept, for memory_limit"));
  EXPECT_THROW(Plan(a, a, {.memory_limit = limit, .keep_products = KeepProducts::yes}), OutOfMemory);
  EXPECT_FALSE(Plan(a, a, {.expected_calls = 1000000000, .keep_products = KeepProducts::no}).keeps_products());
  EXPECT_FALSE(Plan(a, a, {.algorithm = SpgemmAlgorithm::bins, .expected_calls = 1000000000}).keeps_products());
}

TEST(SpgemmProductMap, Squares) {
  for (const auto& [name, A] : sample_matrices<double>())
    if (A.rows == A.columns) check_product_map(name, A, A);
  for (const auto& [name, A] : messy_matrices<double>())
    if (A.rows == A.columns) check_product_map(name, shuffled(A), A);
}

TEST(SpgemmProductMap, RowsOfEveryClass) {
  const auto A = left_of_every_class<double>();
  for (const SpgemmAlgorithm algorithm : {SpgemmAlgorithm::row_classes, SpgemmAlgorithm::bins})
    for (const std::int64_t columns : {900, 21000})
      check_product_map("every class, " + std::string(name(algorithm)), A, rows_of_every_class<double>(columns),
                        {.algorithm = algorithm});
  check_product_map("empty rows", mostly_empty_matrix<double>(200, 200, 7, 5),
                    mostly_empty_matrix<double>(200, 90, 5, 3));
}

constexpr std::int64_t window_cost = Impl::SpgemmWindowPolicy::most;  // of doubles

/// Sums of a lane, of a warp, and of more products than a window has places for; windows of sums of one product each.
TEST(SpgemmProductMap, LongSums) {
  std::vector<std::int64_t> lengths;
  for (const std::int64_t length :
       {std::int64_t{0},   std::int64_t{1},   std::int64_t{3},     std::int64_t{31}, std::int64_t{32},
        std::int64_t{33},  std::int64_t{63},  std::int64_t{64},    std::int64_t{65}, std::int64_t{127},
        std::int64_t{128}, std::int64_t{129}, std::int64_t{1000},  window_cost - 2,  window_cost - 1,
        window_cost,       window_cost + 1,   2 * window_cost - 1, 2 * window_cost,  5 * window_cost}) {
    lengths.push_back(length);
    lengths.push_back(length);
  }
  const auto B = rows_from_the_left(std::vector<std::int64_t>(5 * window_cost, 3), 3);
  check_product_map("long sums", rows_from_the_left(lengths, 5 * window_cost), B);
  lengths.resize(lengths.size() + 20000, 1);
  check_product_map("long sums, short on average", rows_from_the_left(lengths, 5 * window_cost), B);
  const auto hub = dense_row_matrix<double>(700, 700, 3);
  check_product_map("a hub meets a hub", hub, hub);
}

/// Rows of many more products than a window has: each has a part of many rows of B, also of rows that do not ascend.
TEST(SpgemmProductMap, RowsOfManyWindows) {
  const auto A = dense_row_matrix<double>(60, 400, 2);
  const auto B = random_matrix<double>(400, 9000, 80, 5);
  check_product_map("sorted", A, B);
  check_product_map("not sorted", A, shuffled(B));
  check_product_map("empty rows of B", A, mostly_empty_matrix<double>(400, 9000, 7, 3));
  check_product_map("not sorted, with duplicates", A, shuffled(with_duplicates(B)));
}

/// What a window takes at most fits the scratch of a team, on AMD GPUs (64 KiB) too.
TEST(SpgemmProductMap, WindowsFitScratch) {
  using Policy = Impl::SpgemmWindowPolicy;
  for (const std::size_t scalar : {4, 8, 16})
    for (const std::size_t kib : {64, 99, 227}) {
      const std::int64_t cost = Policy::cost(scalar, kib << 10);
      EXPECT_GE(cost, 512) << scalar << ", " << kib;
      EXPECT_LE(static_cast<std::size_t>(3 * cost + Policy::gaps + 16) * scalar, kib << 10) << scalar << ", " << kib;
    }
  EXPECT_EQ(Policy::cost(8, 227 << 10), window_cost);
  EXPECT_EQ(Policy::most_of_lane(32), 64);
  EXPECT_EQ(Policy::most_of_lane(64), 32);
}

TEST(SpgemmProductMap, Transposed) {
  const auto A = random_matrix<double>(40, 70, 6), B = random_matrix<double>(40, 50, 8, 7);
  check_product_map("A^T B", A, B, {.op_a = Op::transpose});
  check_product_map("A A^T", A, A, {.op_b = Op::transpose, .algorithm = SpgemmAlgorithm::bins});
}

TEST(SpgemmProductMap, Nothing) {
  const auto shape = [](std::int64_t rows, std::int64_t columns) {
    return from_rows<double>(columns, std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(rows)));
  };
  check_product_map("no rows", shape(0, 5), shape(5, 3));
  check_product_map("no products", random_matrix<double>(50, 40, 9), shape(40, 60));
}

TEST(SpgemmProductMap, AddsAnotherMatrix) {
  const auto A = random_matrix<double>(60, 50, 6), B = random_matrix<double>(50, 70, 5),
             D = random_matrix<double>(60, 70, 4);
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B), d = make_crs<Matrix>(D);
  const Plan plan(a, b, d, {.keep_products = KeepProducts::yes}), plain(a, b, d);
  const auto C = plan.allocate(), expected = plain.allocate();
  fill_with_nan(C);
  spgemm(plan, 2, a, b, 3, d, C);
  spgemm(plain, 2, a, b, 3, d, expected);
  const auto found = to_host(C), wanted = to_host(expected);
  EXPECT_EQ(found.entries, wanted.entries);
  for (std::size_t k = 0; k < wanted.values.size(); ++k) ASSERT_NEAR(found.values[k], wanted.values[k], 1e-12);
}

TEST(SpgemmProductMap, SemiringsAndZero) {
  const auto A = random_matrix<double>(60, 50, 6), B = random_matrix<double>(50, 70, 5);
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  const Plan plan(a, b, {.keep_products = KeepProducts::yes});
  const auto C = plan.allocate();
  fill_with_nan(C);
  spgemm(plan, MinPlus<double>{}, a, b, C);
  EXPECT_TRUE(equals(semiring_product(MinPlus<double>{}, A, B, nullptr, false), to_host(C), 0));
  spgemm(plan, 0, a, b, C);
  EXPECT_THAT(to_vector(C.values), testing::Each(0.0));
}

TEST(SpgemmProductMap, OtherColumnsAreRefused) {
  const auto a = make_crs<Matrix>(random_matrix<double>(30, 30, 3));
  const Plan plan(a, a, {.keep_products = KeepProducts::yes}), other(a, a, {.keep_products = KeepProducts::yes});
  EXPECT_THROW(spgemm(plan, 1, a, a, other.allocate()), InvalidArgument);
  const auto C = plan.allocate();
  const Plan::result_type own_columns("C", C.numRows(), C.numCols(), C.nnz(), C.values, C.graph.row_map,
                                      other.allocate().graph.entries);
  EXPECT_THROW(spgemm(plan, 1, a, a, own_columns), InvalidArgument);
}

TEST(SpgemmProductMap, MemoryLimitHolds) {
  const auto A = left_of_every_class<double>(), B = rows_of_every_class<double>(2000);
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  constexpr std::size_t rounding = 128;  // Kokkos rounds every allocation up to eight bytes
  const auto fits                = [&](std::size_t limit) {
    MemoryMeter meter;
    try {
      const Plan plan(a, b, {.memory_limit = limit, .keep_products = KeepProducts::yes});
      EXPECT_LE(meter.peak(), limit < unlimited ? limit + rounding : meter.peak()) << meter.at_peak();
      const std::size_t said = plan.persistent_bytes() + plan.temporary_bytes();
      EXPECT_LE(said, meter.live());
      EXPECT_GE(said + rounding, meter.live());
      const auto C = plan.allocate();
      spgemm(plan, 1, a, b, C);
      EXPECT_TRUE(matches(reference_spgemm(1.0, Op::none, A, Op::none, B), to_host(C)));
      return true;
    } catch (const OutOfMemory& error) {
      EXPECT_EQ(meter.live(), 0U);
      EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("bytes"), testing::HasSubstr("memory_limit is")));
      return false;
    }
  };
  EXPECT_TRUE(fits(unlimited));
  const Plan plan(a, b, {.keep_products = KeepProducts::yes});
  std::size_t refused = 1, suffices = 2 * (plan.persistent_bytes() + plan.temporary_bytes());
  ASSERT_TRUE(fits(suffices));
  while (suffices - refused > 1) {
    const std::size_t middle            = refused + (suffices - refused) / 2;
    (fits(middle) ? suffices : refused) = middle;
  }
  try {
    const Plan least(a, b, {.memory_limit = suffices - 1, .keep_products = KeepProducts::yes});
    ADD_FAILURE() << "a byte less suffices";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("products needs"));
  }
}

/// Products that do not fit are known by their number, before a row is counted.
TEST(SpgemmProductMap, WhatDoesNotFitIsSaidFirst) {
  const auto a         = make_crs<Matrix>(banded_matrix<double>(500, 500, 20, 20));
  const auto products  = Plan(a, a).products();
  const auto too_small = static_cast<std::size_t>(products) * sizeof(Impl::SpgemmPlace);
  for (const SpgemmAlgorithm algorithm : {SpgemmAlgorithm::row_classes, SpgemmAlgorithm::bins}) try {
      const Plan plan(a, a, {.algorithm = algorithm, .memory_limit = too_small, .keep_products = KeepProducts::yes});
      ADD_FAILURE() << name(algorithm);
    } catch (const OutOfMemory& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("keeping " + std::to_string(products) + " products needs"));
    }
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>
#include <Lacuna_SpgemmFormats.hpp>
#include <Lacuna_Transpose.hpp>

#include <spgemm/Test_SpgemmPatterns.hpp>
#include <support/Test_Messages.hpp>

#include <tools/Tools_MemoryMeter.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <type_traits>

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using Plan   = SpgemmPlan<Matrix>;

static_assert(std::is_move_constructible_v<Plan> && !std::is_copy_constructible_v<Plan>);
static_assert(std::is_same_v<decltype(spgemm(std::declval<Matrix>(), std::declval<Matrix>())), Matrix>);

HostMatrix<double> dense_matrix_of_ones(std::int64_t n) {
  auto matrix = banded_matrix<double>(n, n, n, n);
  for (double& value : matrix.values) value = 1;
  return matrix;
}

HostMatrix<double> mixed(std::int64_t columns = 400000) { return rows_of_every_class<double>(columns); }
HostMatrix<double> left_of_mixed() { return left_of_every_class<double>(); }

TEST(SpgemmContract, RowsOfEveryClass) {
  check_all<Matrix>("mixed", left_of_mixed(), mixed());
  check_all<Matrix>("mixed, narrow", left_of_mixed(), mixed(21000));
  check_spgemm<Matrix>("mixed, messy", left_of_mixed(), shuffled(with_duplicates(mixed())));
  check_spgemm<Matrix>("mixed, messy on the left", shuffled(with_duplicates(left_of_mixed())), mixed());
}

TEST(SpgemmContract, OneCallPreparesLess) {
  // Most rows of B are not read at all.
  std::vector<std::vector<std::int64_t>> rows(300);
  for (std::int64_t i = 0; i < 300; ++i) rows[static_cast<std::size_t>(i)] = {20 * i, 20 * i + 1, 20 * i + 2};
  const auto a = from_rows<double>(6000, rows), b = banded_matrix<double>(6000, 5000, 60, 3);
  const auto A = make_crs<Matrix>(a), B = make_crs<Matrix>(b);
  const auto bytes = [&](std::int64_t calls) {
    return Plan(A, B, {.expected_calls = calls, .keep_products = KeepProducts::no}).persistent_bytes();
  };
  EXPECT_EQ(bytes(1), bytes(100));
  EXPECT_LT(bytes(0), bytes(1));
  check_spgemm<Matrix>("most rows of B are not read", a, b);  // as one call too
}

TEST(SpgemmContract, AHubMeetsAHub) {
  // The longest row of C equals its width, and long rows of B are shared by the threads of a team.
  const auto A = dense_row_matrix<double>(700, 700, 3);
  check_all<Matrix>("dense row squared", A, A);
  std::vector<std::vector<std::int64_t>> column(5000, std::vector<std::int64_t>{0});
  std::vector<std::vector<std::int64_t>> row(1);
  for (std::int64_t i = 0; i < 3000; ++i) row[0].push_back(i);
  check_all<Matrix>("row times column", from_rows<double>(3000, row),
                    from_rows<double>(1, {column.begin(), column.begin() + 3000}));
  check_all<Matrix>("column times row", from_rows<double>(1, {column.begin(), column.begin() + 90}),
                    from_rows<double>(3000, row));
}

TEST(SpgemmContract, MergeGrowsSeveralTimes) {
  const auto a = make_crs<Matrix>(left_of_mixed()), b = make_crs<Matrix>(mixed());
  const Plan plan(a, b, {.algorithm = SpgemmAlgorithm::bins});
  // Rows of C of about 19,000 nonzeros, from 1024 on: 2048, 4096, 8192, 16384, 32768.
  EXPECT_THAT(plan.report(), testing::HasSubstr("by merge in 6 rounds"));
  const Plan other(a, make_crs<Matrix>(mixed(900)), {.algorithm = SpgemmAlgorithm::bins});
  EXPECT_THAT(other.report(), testing::HasSubstr("by merge in 1 rounds"));
}

/// alpha A B + beta D, which overlaps the product in some places and none in others.
TEST(SpgemmContract, AddsAnotherMatrix) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto A = left_of_mixed(), B = mixed(3000);
  for (const auto& D :
       {uneven_matrix<double>(300, 3000, 40), shuffled(with_duplicates(uneven_matrix<double>(300, 3000, 9))),
        from_rows<double>(3000, std::vector<std::vector<std::int64_t>>(300))}) {
    const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B), d = make_crs<Matrix>(D);
    const auto bad = [&](HostMatrix<double> matrix) {
      for (double& value : matrix.values) value = nan;
      return make_crs<Matrix>(matrix);
    };
    const auto sum_of = [&](double alpha, double beta) {
      auto sum = reference_spgemm(alpha, Op::none, A, Op::none, B);
      for (std::int64_t row = 0; row < D.rows; ++row)
        for (auto k = D.row_map[static_cast<std::size_t>(row)]; k < D.row_map[static_cast<std::size_t>(row) + 1]; ++k) {
          auto& element = sum.rows[static_cast<std::size_t>(row)][D.entries[static_cast<std::size_t>(k)]];
          element.value += beta * D.values[static_cast<std::size_t>(k)];
          element.magnitude += std::abs(beta * D.values[static_cast<std::size_t>(k)]);
          ++element.terms;
        }
      return sum;
    };
    for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
      std::optional<Plan> plan;
      try {
        plan.emplace(a, b, d, SpgemmOptions{.algorithm = algorithm});
      } catch (const InvalidMatrix&) {
        EXPECT_TRUE(wants_sorted_rows(algorithm));
        continue;
      }
      const auto C = poisoned(*plan);
      spgemm(*plan, -0.5, a, b, 3, d, C);
      EXPECT_TRUE(matches(sum_of(-0.5, 3), to_host(C))) << name(algorithm);
      spgemm(*plan, 2, a, b, 0, bad(D), C);
      EXPECT_TRUE(matches(sum_of(2, 0), to_host(C))) << name(algorithm) << ", beta 0";
      spgemm(*plan, 0, bad(A), bad(B), 2, d, C);
      EXPECT_TRUE(matches(sum_of(0, 2), to_host(C))) << name(algorithm) << ", alpha 0";
      EXPECT_THROW(spgemm(*plan, 1, a, b, C), InvalidArgument);
    }
    const Plan without(a, b);
    if (D.nonzeros() > 0)
      EXPECT_THAT(error_of<InvalidArgument>([&] { spgemm(without, 1, a, b, 1, d, without.allocate()); }),
                  testing::HasSubstr("have no place in C"));
    EXPECT_NO_THROW(spgemm(without, 1, a, b, 0, d, without.allocate()));
    EXPECT_THAT(error_of<DimensionMismatch>([&] { Plan plan(a, b, a); }),
                testing::AllOf(testing::HasSubstr("300x400"), testing::HasSubstr("300x3000")));
  }
  const auto empty = make_crs<Matrix>(from_rows<double>(5, {}));
  EXPECT_EQ(Plan(empty, make_crs<Matrix>(random_matrix<double>(5, 4, 2)), make_crs<Matrix>(from_rows<double>(4, {})))
                .nonzeros(),
            0);
}

/// [factor X, identity * I], and [Y; Z].
HostMatrix<double> beside(double factor, const HostMatrix<double>& X, double identity) {
  HostMatrix<double> both{X.rows, X.columns + X.rows, {0}, {}, {}};
  for (std::int64_t i = 0; i < X.rows; ++i) {
    for (auto k = static_cast<std::size_t>(X.row_map[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(X.row_map[static_cast<std::size_t>(i) + 1]); ++k) {
      both.entries.push_back(X.entries[k]);
      both.values.push_back(factor * X.values[k]);
    }
    both.entries.push_back(X.columns + i);
    both.values.push_back(identity);
    both.row_map.push_back(both.nonzeros());
  }
  return both;
}
HostMatrix<double> above(const HostMatrix<double>& Y, const HostMatrix<double>& Z) {
  HostMatrix<double> both = Y;
  both.rows += Z.rows;
  for (std::size_t i = 1; i < Z.row_map.size(); ++i) both.row_map.push_back(Y.nonzeros() + Z.row_map[i]);
  both.entries.insert(both.entries.end(), Z.entries.begin(), Z.entries.end());
  both.values.insert(both.values.end(), Z.values.begin(), Z.values.end());
  return both;
}

/// D comes last in every sum, as it does in the product of [alpha A, beta I] and [B; D]: with rows of A that have the
/// same columns, and D that have them, too, or not; in windows of columns that are hashed; where products are kept.
TEST(SpgemmContract, AddsAnotherMatrixWithTheBitsOfOneProduct) {
  const auto A = block_matrix<double>(40, 30, 3, 4), B = block_matrix<double>(30, 50, 3, 5);
  const auto wide_a = random_matrix<double>(60, 90, 3), wide_b = random_matrix<double>(90, 3000000, 2);
  const std::vector<std::array<HostMatrix<double>, 3>> samples{
      {A, B, block_matrix<double>(40, 50, 3, 2)},
      {A, B, shuffled(with_duplicates(uneven_matrix<double>(120, 150, 20)))},
      {left_of_mixed(), mixed(3000), uneven_matrix<double>(300, 3000, 40)},
      {wide_a, wide_b, uneven_matrix<double>(60, 3000000, 9)}};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& [left, right, D] = samples[i];
    const auto a = make_crs<Matrix>(left), b = make_crs<Matrix>(right), d = make_crs<Matrix>(D);
    const auto both_a = make_crs<Matrix>(beside(0.3, left, -0.7)), both_b = make_crs<Matrix>(above(right, D));
    std::array<std::size_t, 2> bytes{};
    for (const std::int64_t calls : {1, 1000}) {
      const SpgemmOptions options{.deterministic = true, .expected_calls = calls};
      const Plan product(both_a, both_b, options), plan(a, b, d, options);
      const auto one = poisoned(product), C = poisoned(plan);
      spgemm(product, 1, both_a, both_b, one);
      spgemm(plan, 0.3, a, b, -0.7, d, C);
      const auto expected = to_host(one), sum = to_host(C);
      EXPECT_EQ(sum.row_map, expected.row_map) << i;
      EXPECT_EQ(sum.entries, expected.entries) << i;
      EXPECT_EQ(sum.values, expected.values) << i;
      bytes[calls == 1 ? 0 : 1] = plan.persistent_bytes();
    }
    if (!Impl::runs_lane_kernels<Exec>) {
      EXPECT_LT(bytes[0], bytes[1]) << "no copies of A, B and D";
    }
  }
}

/// A plan without D takes one that lies within the product: here the product itself, and every third of its nonzeros.
TEST(SpgemmContract, AddsAMatrixWithinTheProduct) {
  const auto A = left_of_mixed(), B = mixed(3000);
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  const Plan plan(a, b);
  const auto product = to_host(spgemm(a, b));
  HostMatrix<double> third{product.rows, product.columns, {0}, {}, {}};
  for (std::size_t row = 0; row < static_cast<std::size_t>(product.rows); ++row) {
    for (auto k = static_cast<std::size_t>(product.row_map[row]);
         k < static_cast<std::size_t>(product.row_map[row + 1]); k += 3) {
      third.entries.push_back(product.entries[k]);
      third.values.push_back(2.5);
    }
    third.row_map.push_back(third.nonzeros());
  }
  const auto C = poisoned(plan);
  /// C is the product with `added` on every third nonzero.
  const auto expect_sum = [&](double added) {
    const auto sum = to_host(C);
    for (std::size_t row = 0; row < static_cast<std::size_t>(product.rows); ++row) {
      const auto begin = static_cast<std::size_t>(product.row_map[row]);
      for (std::size_t k = begin; k < static_cast<std::size_t>(product.row_map[row + 1]); ++k)
        ASSERT_NEAR(sum.values[k], product.values[k] + ((k - begin) % 3 == 0 ? added : 0.0), 1e-10);
    }
  };
  spgemm(plan, 2, a, b, -1, make_crs<Matrix>(product), C);
  expect_sum(0);
  spgemm(plan, 1, a, b, 4, make_crs<Matrix>(third), C);
  expect_sum(10);
  EXPECT_THROW(spgemm(plan, 1, a, b, 1, Matrix(C), C), InvalidArgument);
  EXPECT_THROW(spgemm(plan, 1, a, b, 1, a, C), DimensionMismatch);
}

TEST(SpgemmContract, PermutationMovesRows) {
  Random random(4);
  const std::int64_t n = 500;
  std::vector<std::int64_t> order(n);
  for (std::int64_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  random.shuffle(order);
  HostMatrix<double> P{n, n, {0}, order, std::vector<double>(n, 1.0)};
  for (std::int64_t i = 1; i <= n; ++i) P.row_map.push_back(i);
  const auto A = random_matrix<double>(n, 90, 12);
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
    const auto C = to_host(spgemm(make_crs<Matrix>(P), make_crs<Matrix>(A), {.algorithm = algorithm}));
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      for (std::int64_t k = 0; k < 12; ++k) {
        const auto from = static_cast<std::size_t>(12 * order[i] + k), to = 12 * i + static_cast<std::size_t>(k);
        ASSERT_EQ(C.entries[to], A.entries[from]);
        ASSERT_EQ(C.values[to], A.values[from]);
      }
  }
}

TEST(SpgemmContract, WhatCancelsStays) {
  const HostMatrix<double> A{1, 2, {0, 2}, {0, 1}, {1, 1}}, B{2, 3, {0, 2, 4}, {0, 2, 0, 2}, {3, 5, -3, 5}};
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
    const auto C = to_host(spgemm(make_crs<Matrix>(A), make_crs<Matrix>(B), {.algorithm = algorithm}));
    EXPECT_EQ(C.entries, (std::vector<std::int64_t>{0, 2}));
    EXPECT_EQ(C.values, (std::vector<double>{0, 10}));
  }
}

TEST(SpgemmContract, NothingTimesNothing) {
  const auto shape = [](std::int64_t rows, std::int64_t columns) {
    return from_rows<double>(columns, std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(rows)));
  };
  for (const auto& [rows, inner, columns] :
       {std::array<std::int64_t, 3>{0, 0, 0}, {0, 5, 3}, {4, 0, 3}, {4, 5, 0}, {4, 5, 3}})
    check_all<Matrix>("empty", shape(rows, inner), shape(inner, columns));
  check_all<Matrix>("empty rows of B", random_matrix<double>(50, 40, 9), shape(40, 60));
  check_all<Matrix>("mostly empty", mostly_empty_matrix<double>(200, 200, 7, 5),
                    mostly_empty_matrix<double>(200, 90, 5, 3));
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
    const auto C = spgemm(Matrix(), Matrix(), {.algorithm = algorithm});
    EXPECT_EQ(C.numRows(), 0);
    EXPECT_EQ(C.nnz(), 0);
  }
}

TEST(SpgemmContract, AlphaZeroReadsNoValues) {
  auto A = random_matrix<double>(60, 60, 5);
  for (double& value : A.values) value = std::numeric_limits<double>::quiet_NaN();
  const auto a = make_crs<Matrix>(A);
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
    const Plan plan(a, a, {.algorithm = algorithm});
    const auto C = poisoned(plan);
    spgemm(plan, 0, a, a, C);
    EXPECT_THAT(to_vector(C.values), testing::Each(0.0));
    EXPECT_THAT(to_vector(C.graph.entries), testing::Each(testing::Ge(0)));
  }
}

/// By CSR; groups of rows as they stand are in Test_SpgemmGcoo.cpp.
TEST(SpgemmContract, GroupedCoordinatesTimesSparse) {
  const auto A = random_matrix<double>(70, 50, 6), B = random_matrix<double>(50, 40, 5);
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  for (const GcooGrouping grouping : {GcooGrouping::rows, GcooGrouping::columns}) {
    const auto grouped = to_gcoo(a, {.group_size = 16, .grouping = grouping});
    EXPECT_TRUE(matches(reference_spgemm(1.0, Op::none, A, Op::none, B), to_host(spgemm(grouped, b))));
    EXPECT_TRUE(matches(reference_spgemm(1.0, Op::transpose, A, Op::none, A),
                        to_host(spgemm(Exec(), grouped, a, {.op_a = Op::transpose}))));
    EXPECT_THROW(spgemm(grouped, a), DimensionMismatch);
  }
}

TEST(SpgemmContract, TransposesAreReported) {
  const auto a = make_crs<Matrix>(random_matrix<double>(70, 50, 6));
  const Plan plan(a, a, {.op_b = Op::transpose});
  EXPECT_THAT(plan.report(), testing::HasSubstr("formed with the plan"));
  const Plan without(a, transpose(a).matrix);
  EXPECT_THAT(without.report(), testing::Not(testing::HasSubstr("formed with the plan")));
  EXPECT_EQ(without.nonzeros(), plan.nonzeros());
  // 51 row offsets, and sources, columns and values of 420 nonzeros, each at a multiple of 256 bytes.
  EXPECT_EQ(plan.persistent_bytes() - without.persistent_bytes(), 256 + 256 + 1792 + 1792 + 3584);
}

TEST(SpgemmContract, ExtentsThatDoNotFitAreNamed) {
  const auto A       = make_crs<Matrix>(random_matrix<double>(10, 20, 3)),
             B       = make_crs<Matrix>(random_matrix<double>(21, 30, 3));
  const auto message = error_of<DimensionMismatch>([&] { Plan plan(A, B); });
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("lacuna::SpgemmPlan"), testing::HasSubstr("10x20"),
                                      testing::HasSubstr("21x30")));
  EXPECT_THROW(spgemm(A, A), DimensionMismatch);
  EXPECT_NO_THROW(spgemm(A, A, {.op_a = Op::transpose}));
  EXPECT_THROW(Plan(A, A, {.op_a = Op::transpose, .expected_calls = -1}), InvalidArgument);
}

TEST(SpgemmContract, APlanOfOtherMatricesIsRefusedAndNothingIsTouched) {
  const auto A      = make_crs<Matrix>(random_matrix<double>(30, 30, 3)),
             more   = make_crs<Matrix>(random_matrix<double>(30, 30, 4)),
             larger = make_crs<Matrix>(random_matrix<double>(31, 31, 3));
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
    const Plan plan(A, A, {.algorithm = algorithm}), other(A, A, {.algorithm = algorithm});
    const auto C = plan.allocate(), of_other = other.allocate();
    Kokkos::deep_copy(C.values, 7.0);
    Kokkos::deep_copy(of_other.values, 7.0);
    EXPECT_THAT(error_of<InvalidArgument>([&] { spgemm(plan, 1, A, more, C); }),
                testing::AllOf(testing::HasSubstr("B has 120"), testing::HasSubstr("90")));
    EXPECT_THAT(error_of<DimensionMismatch>([&] { spgemm(plan, 1, larger, A, C); }),
                testing::AllOf(testing::HasSubstr("31x31"), testing::HasSubstr("30x30")));
    EXPECT_THAT(error_of<InvalidArgument>([&] { spgemm(plan, 1, A, A, of_other); }), testing::HasSubstr("allocate"));
    EXPECT_THROW(spgemm(plan, 1, A, A, larger), DimensionMismatch);
    EXPECT_THAT(to_vector(C.values), testing::Each(7.0));
    EXPECT_THAT(to_vector(of_other.values), testing::Each(7.0));
  }
}

/// C = C A and C = A C are refused, as is a part of C; another result of the plan, with the row map of C, is not.
TEST(SpgemmContract, AResultThatSharesMemoryWithAFactorIsRefused) {
  const auto full = make_crs<Matrix>(dense_matrix_of_ones(20));
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms)
    for (const KeepProducts keep : {KeepProducts::no, KeepProducts::yes}) {
      const Plan plan(full, full, {.algorithm = algorithm, .keep_products = keep});
      const auto C = plan.allocate(), other = plan.allocate();
      spgemm(plan, 1, full, full, other);
      Kokkos::deep_copy(C.graph.entries, 7);
      Kokkos::deep_copy(C.values, 7.0);
      EXPECT_THAT(error_of<InvalidArgument>([&] { spgemm(plan, 1, C, full, C); }),
                  testing::AllOf(testing::HasSubstr("C, 20x20 with 400 nonzeros, shares memory with A, 20x20")));
      EXPECT_THAT(error_of<InvalidArgument>([&] { spgemm(plan, 1, full, C, C); }),
                  testing::HasSubstr("shares memory with B"));
      EXPECT_THROW(spgemm(plan, PlusTimes<double>{}, full, C, C), InvalidArgument);
      const Kokkos::View<double*, Exec::device_type> memory("memory", 799);
      const Matrix first("first", 20, 20, 400, Kokkos::subview(memory, Kokkos::make_pair(0, 400)), full.graph.row_map,
                         full.graph.entries),
          last("last", 20, 20, 400, Kokkos::subview(memory, Kokkos::make_pair(399, 799)), C.graph.row_map,
               C.graph.entries);
      EXPECT_THROW(spgemm(plan, 1, full, first, last), InvalidArgument) << "one element";
      EXPECT_THAT(to_vector(C.values), testing::Each(7.0));
      EXPECT_THAT(to_vector(C.graph.entries), testing::Each(7));
      spgemm(plan, 1, full, other, C);
      EXPECT_THAT(to_vector(C.values), testing::Each(400.0)) << name(algorithm);
    }
}

TEST(SpgemmContract, DMayBeCWhereThePlanHasD) {
  const auto full = make_crs<Matrix>(dense_matrix_of_ones(20));
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
    const Plan plan(full, full, full, SpgemmOptions{.algorithm = algorithm});
    const auto C = plan.allocate();
    spgemm(plan, 1, full, full, 1, full, C);
    spgemm(plan, 1, full, full, 2, C, C);
    EXPECT_THAT(to_vector(C.values), testing::Each(62.0)) << name(algorithm);
    EXPECT_THROW(spgemm(plan, 1, full, C, 2, full, C), InvalidArgument);
  }
}

TEST(SpgemmContract, BinsWantsSortedRows) {
  const auto A    = banded_matrix<double>(40, 40, 3, 2);
  const auto good = make_crs<Matrix>(A);
  for (const auto& bad : {shuffled(A), with_duplicates(A)})
    EXPECT_THAT(
        error_of<InvalidMatrix>([&] { spgemm(good, make_crs<Matrix>(bad), {.algorithm = SpgemmAlgorithm::bins}); }),
        testing::AllOf(testing::HasSubstr("bins"), testing::HasSubstr("sort_rows"), testing::HasSubstr("40x40")));
  // Which matrix it is, by its own extents, and where.
  const auto B      = make_crs<Matrix>(from_rows<double>(50, {{1, 2}, {3, 3}})),
             D      = make_crs<Matrix>(from_rows<double>(50, {{}, {}, {7, 4}})),
             left   = make_crs<Matrix>(from_rows<double>(2, {{0}, {1}, {0, 1}})),
             good_b = make_crs<Matrix>(from_rows<double>(50, {{1}, {3}})),
             good_d = make_crs<Matrix>(from_rows<double>(50, {{1}, {}, {4, 7}}));
  const auto said   = [&](const Matrix& b, const Matrix& d) {
    return error_of<InvalidMatrix>([&] { Plan(left, b, d, {.algorithm = SpgemmAlgorithm::bins}); });
  };
  EXPECT_THAT(said(B, good_d), testing::HasSubstr("row 1 of op(B), 2x50, is not sorted"));
  EXPECT_THAT(said(good_b, D), testing::HasSubstr("row 2 of D, 3x50, is not sorted"));
  EXPECT_THAT(said(B, D), testing::HasSubstr("row 1 of op(B), 2x50, and row 2 of D, 3x50, are not sorted"));
  // Rows of A may stand as they like.
  check_spgemm<Matrix>("A not sorted", shuffled(A), A, {.algorithm = SpgemmAlgorithm::bins});
}

/// As many nonzeros in other columns, of A, B or D.
TEST(SpgemmContract, AnotherPatternIsRefusedWhereItIsCompared) {
  const auto one   = make_crs<Matrix>(from_rows<double>(3, {{0}, {1}, {2}})),
             other = make_crs<Matrix>(from_rows<double>(3, {{0}, {2}, {1}}));
  const Plan plan(one, one, {.check_pattern = PatternCheck::on}),
      sum(one, one, one, {.op_a = Op::transpose, .check_pattern = PatternCheck::on});
  const auto C = poisoned(plan), S = poisoned(sum);
  const auto before = to_vector(C.values);
  EXPECT_THAT(error_of<InvalidArgument>([&] { spgemm(plan, 1, other, one, C); }),
              testing::HasSubstr("lacuna::spgemm: the pattern of A, 3x3 with 3 nonzeros, is not the one"));
  EXPECT_THROW(spgemm(plan, 1, one, other, C), InvalidArgument);
  EXPECT_THROW(spgemm(plan, MinPlus<double>{}, one, other, C), InvalidArgument);
  EXPECT_THROW(spgemm(sum, 1, one, one, 1, other, S), InvalidArgument);
  EXPECT_EQ(std::memcmp(before.data(), to_vector(C.values).data(), before.size() * sizeof(double)), 0);
  const auto copy = make_crs<Matrix>(from_rows<double>(3, {{0}, {1}, {2}}));
  EXPECT_NO_THROW(spgemm(plan, 1, copy, one, C));
  EXPECT_NO_THROW(spgemm(sum, 1, one, copy, 1, copy, S));
}

TEST(SpgemmContract, MoreNonzerosThanOffsetsCount) {
  EXPECT_NO_THROW(Impl::check_growth<int>(70000, 70000, 2147483647));
  EXPECT_THAT(error_of<NotSupported>([] { Impl::check_growth<int>(70000, 70000, 2147483648); }),
              testing::AllOf(testing::HasSubstr("2147483648"), testing::HasSubstr("type int"),
                             testing::HasSubstr("std::int64_t or std::size_t"), testing::HasSubstr("70000x70000")));
  EXPECT_NO_THROW(Impl::check_growth<std::size_t>(70000, 70000, 4900000000));
}

TEST(SpgemmContract, TheSameBitsFromRunToRun) {
  const auto a = make_crs<Matrix>(left_of_mixed()), b = make_crs<Matrix>(mixed());
  for (const SpgemmOptions& options : {SpgemmOptions{.deterministic = true},
                                       SpgemmOptions{.algorithm = SpgemmAlgorithm::bins, .deterministic = true}}) {
    const auto first = to_host(spgemm(a, b, options));
    for (int run = 0; run < 3; ++run) {
      const auto again = to_host(spgemm(a, b, options));
      ASSERT_EQ(first.entries, again.entries);
      ASSERT_EQ(std::memcmp(first.values.data(), again.values.data(), first.values.size() * sizeof(double)), 0);
    }
  }
}

TEST(SpgemmContract, AnotherInstance) {
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1);
  const auto A         = banded_matrix<double>(500, 500, 5, 9);
  const auto a         = make_crs<Matrix>(A);
  for (const SpgemmAlgorithm algorithm : spgemm_algorithms) {
    const auto C = spgemm(instances[0], a, a, {.algorithm = algorithm});
    instances[0].fence();
    EXPECT_TRUE(matches(reference_spgemm(1.0, Op::none, A, Op::none, A), to_host(C)));
  }
}

TEST(SpgemmContract, APlanCanMove) {
  const auto a = make_crs<Matrix>(left_of_mixed()), b = make_crs<Matrix>(mixed());
  std::optional<Plan> kept;
  {
    Plan plan(a, b);
    kept.emplace(std::move(plan));
  }
  const auto C = poisoned(*kept);
  spgemm(*kept, 1, a, b, C);
  EXPECT_TRUE(matches(reference_spgemm(1.0, Op::none, left_of_mixed(), Op::none, mixed()), to_host(C)));
  EXPECT_EQ(kept->rows(), 300);
  EXPECT_EQ(kept->columns(), 400000);
  EXPECT_EQ(kept->nonzeros(), C.nnz());
  EXPECT_GE(kept->products(), kept->nonzeros());
  EXPECT_THAT(kept->report(), testing::AllOf(testing::HasSubstr("row_classes"), testing::HasSubstr("300x400000")));
}

/// What a plan says that it keeps is what it keeps, at every limit: from what suffices for all rows at once down to the
/// least, where a byte less is refused before anything is multiplied.
TEST(SpgemmContract, MemoryLimitHolds) {
  // Kokkos rounds every allocation up to eight bytes.
  constexpr std::size_t rounding = 64;
  for (const SpgemmAlgorithm algorithm :
       {SpgemmAlgorithm::row_classes, SpgemmAlgorithm::bins, SpgemmAlgorithm::bins_by_subwarps})
    for (const Op op : {Op::none, Op::transpose}) {
      const auto A = left_of_mixed(), B = mixed(op == Op::none ? 400000 : 2000);
      const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
      const auto reference = reference_spgemm(1.0, Op::none, A, Op::none, B);
      const auto left      = op == Op::none ? a : transpose(a).matrix;
      /// Bytes that a plan with this limit keeps, 0 where it is refused. `check`: multiplies too.
      const auto bytes_within = [&](std::size_t limit, bool check) -> std::size_t {
        MemoryMeter meter;
        try {
          const Plan plan(left, b, {.op_a = op, .algorithm = algorithm, .memory_limit = limit});
          const std::size_t said = plan.persistent_bytes() + plan.temporary_bytes();
          const std::size_t made = meter.live(), peak = meter.peak();
          EXPECT_LE(meter.peak(), limit < unlimited ? limit + rounding : meter.peak()) << meter.at_peak();
          EXPECT_LE(said, made);
          EXPECT_GE(said + rounding, made) << meter.at_peak();
          if (check) {
            const auto C = poisoned(plan);
            spgemm(plan, 1, left, b, C);
            EXPECT_TRUE(matches(reference, to_host(C))) << name(algorithm) << " within " << limit;
            // Products have no memory beside what the plan said and C.
            EXPECT_EQ(meter.peak(), std::max(made + C.values.extent(0) * (sizeof(double) + sizeof(int)), peak));
            EXPECT_EQ(plan.persistent_bytes() + plan.temporary_bytes(), said);
          }
          return said;
        } catch (const OutOfMemory& error) {
          EXPECT_EQ(meter.live(), 0U);
          EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("bytes"), testing::HasSubstr("memory_limit is")));
          return 0;
        }
      };
      const std::size_t free = bytes_within(unlimited, false);
      std::size_t refused = 1, suffices = 2 * free;
      EXPECT_EQ(bytes_within(refused, false), 0U);
      EXPECT_GT(bytes_within(suffices, false), 0U);
      while (suffices - refused > 1) {
        const std::size_t middle                               = refused + (suffices - refused) / 2;
        (bytes_within(middle, false) > 0 ? suffices : refused) = middle;
      }
      const std::size_t least = bytes_within(suffices, true);
      // One thread of a host has the one dense row that is needed.
      if (Exec().concurrency() > 1 || wants_sorted_rows(algorithm))
        EXPECT_LT(least, free) << name(algorithm);
      else
        EXPECT_LE(least, free) << name(algorithm);
      if (op == Op::none) EXPECT_EQ(least, suffices);  // a transpose needs more while it is made
      bytes_within(suffices + (free - suffices) / 2, true);
      const auto once = to_host(spgemm(left, b, {.op_a = op, .algorithm = algorithm, .memory_limit = suffices}));
      EXPECT_TRUE(matches(reference, once)) << name(algorithm) << ", one-shot";
    }
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>

#include <diagonal/Diagonal_Check.hpp>
#include <reference/Reference_Spmv.hpp>
#include <support/Test_Messages.hpp>

#include <cmath>

// What diagonal storage is for, each against an answer that is had in another way; and what plans of such matrices
// promise.

namespace lacuna::Test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Hm     = HmMatrix<double, int, Device, int>;
using Cdm    = CdmMatrix<double, int, Device, int>;
using Vector = Kokkos::View<double*, Device>;
using Block  = Kokkos::View<double**, Kokkos::LayoutRight, Device>;

Hm hm(const HostMatrix<double>& A) { return to_hm(make_crs<Matrix>(A), {.fill_limit = 0}); }

/// Solves L L' x = b, with L the Cholesky factor of a band of `w` to either side.
std::vector<double> solve_by_cholesky(DenseMatrix<double> A, std::int64_t w, std::vector<double> b) {
  const std::int64_t n = A.rows;
  const auto first     = [&](std::int64_t i) { return std::max<std::int64_t>(0, i - w); };
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t k = first(j); k < j; ++k) A(j, j) -= A(j, k) * A(j, k);
    EXPECT_GT(A(j, j), 0) << "not positive definite";
    A(j, j) = std::sqrt(A(j, j));
    for (std::int64_t i = j + 1; i <= std::min(n - 1, j + w); ++i) {
      for (std::int64_t k = first(i); k < j; ++k) A(i, j) -= A(i, k) * A(j, k);
      A(i, j) /= A(j, j);
    }
  }
  const auto at = [&](std::int64_t i) -> double& { return b[static_cast<std::size_t>(i)]; };
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = first(i); k < i; ++k) at(i) -= A(i, k) * at(k);
    at(i) /= A(i, i);
  }
  for (std::int64_t i = n - 1; i >= 0; --i) {
    for (std::int64_t k = i + 1; k <= std::min(n - 1, i + w); ++k) at(i) -= A(k, i) * at(k);
    at(i) /= A(i, i);
  }
  return b;
}

// Least squares with a banded A: A' A by syrk, A' b by a transposed product, then a banded Cholesky factor.
template <class Format>
void check_normal_equations(const Format& A, std::int64_t n) {
  const Exec exec;
  const auto x = random_vector<double>(n, 5);
  const Vector b("b", static_cast<std::size_t>(n)), right("right", static_cast<std::size_t>(n));
  spmv(exec, 1.0, A, make_view<Vector>("x", x), 0.0, b);
  spmv(exec, SpmvPlan(exec, A, {.op = Op::transpose}), 1.0, b, 0.0, right);
  const Format product = syrk(exec, Op::transpose, A);
  exec.fence();
  const auto solved = solve_by_cholesky(dense_of(product), 6, to_vector(right));
  for (std::int64_t i = 0; i < n; ++i)
    EXPECT_NEAR(solved[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(i)], 1e-9) << i;
}

TEST(DiagonalExamples, NormalEquationsByCholesky) {
  const std::int64_t n = 200;
  auto A               = banded_matrix<double>(n, n, 2, 4, 3);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = A.row_map[static_cast<std::size_t>(i)]; k < A.row_map[static_cast<std::size_t>(i) + 1]; ++k)
      if (A.entries[static_cast<std::size_t>(k)] == i) A.values[static_cast<std::size_t>(k)] += 8;
  check_normal_equations(to_hm(make_crs<Matrix>(A)), n);
  check_normal_equations(to_cdm(make_crs<Matrix>(A)), n);
}

// A stencil's power as a matrix, times a block, is the stencil three times.
TEST(DiagonalExamples, PowersOfAStencilTimesABlock) {
  const Exec exec;
  const std::int64_t n = 300, columns = 8;
  const auto host = diagonal_matrix<double>(n, n, {-25, -1, 0, 1, 25}, 3);
  const Hm A      = to_hm(make_crs<Matrix>(host));
  const Hm square = gemm(exec, Op::none, A, Op::none, A);
  const Hm cube   = gemm(exec, Op::none, square, Op::none, A);
  EXPECT_EQ(square.dg(), 13);
  EXPECT_EQ(cube.dg(), 25);
  const Block B = make_block<Block>("B", random_vector<double>(n * columns), n, columns);
  const Block once("once", B.extent(0), B.extent(1)), twice("twice", B.extent(0), B.extent(1)),
      thrice("thrice", B.extent(0), B.extent(1)), C("C", B.extent(0), B.extent(1));
  const SpmmPlan plan(exec, A, {.columns = columns});
  spmm(exec, plan, 1, B, 0, once);
  spmm(exec, plan, 1, once, 0, twice);
  spmm(exec, plan, 1, twice, 0, thrice);
  spmm(exec, 1, cube, B, 0, C);
  exec.fence();
  const auto expected = to_row_major(thrice), actual = to_row_major(C);
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12) << i;
}

/// exp(A), by as many terms as change anything.
DenseMatrix<double> dense_exponential(const DenseMatrix<double>& A) {
  const std::int64_t n = A.rows;
  DenseMatrix<double> sum(n, n), term(n, n);
  for (std::int64_t i = 0; i < n; ++i) sum(i, i) = term(i, i) = 1;
  for (int k = 1; k <= 40; ++k) {
    DenseMatrix<double> next(n, n);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        if (A(i, j) == 0) continue;
        for (std::int64_t c = 0; c < n; ++c) next(i, c) += A(i, j) * term(j, c) / k;
      }
    term = next;
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += term.values[i];
  }
  return sum;
}

// The exponential of a few-diagonal operator as a matrix in HM (what quantum users ask for), and its action on a
// vector.
TEST(DiagonalExamples, ExponentialOfAFewDiagonals) {
  const Exec exec;
  const int n = 80, terms = 20;
  auto host = diagonal_matrix<double>(n, n, {-10, -1, 0, 1, 10}, 3);
  for (double& value : host.values) value *= 0.2;
  const auto expected = dense_exponential(dense(Op::none, host));
  const Hm A          = to_hm(exec, make_crs<Matrix>(host));
  std::vector<std::int64_t> all;
  for (int d = 1 - n; d < n; ++d) all.push_back(d);
  const Hm sum = make_hm<Hm>(exec, n, n, all), identity = make_hm<Hm>(exec, n, n, {0});
  Kokkos::deep_copy(exec, identity.list, 1.0);
  Hm term = identity;
  gemm(exec, Op::none, identity, Op::none, identity, sum);
  const Vector x = make_view<Vector>("x", random_vector<double>(n)), y("y", n), now("now", n), next("next", n);
  Kokkos::deep_copy(exec, y, x);
  Kokkos::deep_copy(exec, now, x);
  for (int k = 1; k <= terms; ++k) {
    const Hm power = make_hm<Hm>(exec, n, n, product_diagonals(Op::none, term, Op::none, A));
    gemm(exec, 1.0 / k, Op::none, term, Op::none, A, 0.0, power);
    gemm(exec, 1.0, Op::none, power, Op::none, identity, 1.0, sum);
    term = power;
    spmv(exec, 1.0 / k, A, now, 0.0, next);
    Kokkos::deep_copy(exec, now, next);
    spmv(exec, 1.0, identity, now, 1.0, y);
  }
  exec.fence();
  const auto actual = dense_of(sum);
  const auto from = to_vector(x), to = to_vector(y);
  for (std::int64_t i = 0; i < n; ++i) {
    double applied = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      EXPECT_NEAR(actual(i, j), expected(i, j), 1e-13) << i << ", " << j;
      applied += expected(i, j) * from[static_cast<std::size_t>(j)];
    }
    EXPECT_NEAR(to[static_cast<std::size_t>(i)], applied, 1e-12) << i;
  }
}

// The ends of compact diagonals that a band has not are elements like any other; in HM they are not there.
TEST(DiagonalExamples, PaddingOfCdmIsMultiplied) {
  const Exec exec;
  const std::int64_t n = 50;
  auto host            = banded_matrix<double>(n, n, 1, 1, 3);
  host.values.back()   = std::numeric_limits<double>::infinity();  // in row and column n - 1
  const auto A         = make_crs<Matrix>(host);
  const Cdm cdm        = to_cdm(exec, A);
  const Hm hm          = to_hm(exec, A);
  // Row n - 1 of the compact diagonal 1 is column 0: Inf times that 0 is NaN.
  const auto product = dense_of(gemm(exec, Op::none, cdm, Op::none, cdm));
  EXPECT_TRUE(std::isnan(product(n - 1, 0)));
  EXPECT_TRUE(std::isinf(product(n - 1, n - 1)));
  const auto clean = dense_of(gemm(exec, Op::none, hm, Op::none, hm));
  EXPECT_EQ(clean(n - 1, 0), 0);
  EXPECT_TRUE(std::isinf(clean(n - 1, n - 1)));
  // The same in products with vectors: element 0 of x meets the padding of row n - 1.
  std::vector<double> x(static_cast<std::size_t>(n), 1.0);
  x[0]          = std::numeric_limits<double>::infinity();
  const auto in = make_view<Vector>("x", x);
  const Vector out("y", static_cast<std::size_t>(n));
  auto finite = banded_matrix<double>(n, n, 1, 1, 3);
  spmv(exec, 1, to_cdm(exec, make_crs<Matrix>(finite)), in, 0, out);
  exec.fence();
  EXPECT_TRUE(std::isnan(to_vector(out)[static_cast<std::size_t>(n - 1)]));
  spmv(exec, 1, to_hm(exec, make_crs<Matrix>(finite)), in, 0, out);
  exec.fence();
  EXPECT_TRUE(std::isfinite(to_vector(out)[static_cast<std::size_t>(n - 1)]));
}

TEST(DiagonalTimesBlocks, LengthsThatDoNotFit) {
  const Exec exec;
  Hm A         = hm(banded_matrix<double>(10, 10, 1, 1));
  const Hm B   = A;
  const auto C = gemm(exec, Op::none, A, Op::none, B);
  A.list       = Kokkos::subview(A.list, std::pair<int, int>(0, 27));
  const Kokkos::View<double*, Device> x("x", 10), y("y", 10);
  const auto says = AllOf(HasSubstr("A 10x10 names 3 diagonals"), HasSubstr("of 28 elements; list has 27"));
  EXPECT_THAT(error_of<InvalidMatrix>([&] { gemm(exec, Op::none, A, Op::none, B, C); }), says);
  EXPECT_THAT(error_of<InvalidMatrix>([&] { spmv(exec, 1, A, x, 0, y); }), says);
  EXPECT_THAT(error_of<InvalidMatrix>([&] { SpmvPlan(exec, A); }), says);
  EXPECT_THAT(error_of<InvalidMatrix>([&] { SpmmPlan(exec, A); }), says);
}

// Matrices put together by hand whose lists are wrong are refused before anything runs.
TEST(DiagonalTimesBlocks, ListsThatAreWrong) {
  const Exec exec;
  const auto refused = [&](const auto& good, const std::vector<int>& diagonals, const char* says) {
    auto A       = good;
    const auto C = gemm(exec, Op::none, good, Op::none, good);
    A.host_Ds    = decltype(A.host_Ds)("by hand", diagonals.size());
    for (std::size_t d = 0; d < diagonals.size(); ++d) A.host_Ds(d) = diagonals[d];
    A.Ds = Kokkos::create_mirror_view_and_copy(Device::memory_space(), A.host_Ds);
    const Kokkos::View<double*, Device> x("x", 10), y("y", 10);
    fill_nan(C.list);
    fill_nan(y);
    const auto about = AllOf(HasSubstr("10x10: "), HasSubstr(says));
    EXPECT_THAT(error_of<InvalidMatrix>([&] { gemm(exec, Op::none, A, Op::none, good, C); }), about);
    EXPECT_THAT(error_of<InvalidMatrix>([&] { gemm(exec, Op::none, good, Op::transpose, A); }), about);
    EXPECT_THAT(error_of<InvalidMatrix>([&] { gemm(exec, Op::none, good, Op::none, good, A); }), about);
    EXPECT_THAT(error_of<InvalidMatrix>([&] { syrk(exec, Op::transpose, A); }), about);
    EXPECT_THAT(error_of<InvalidMatrix>([&] { DiagonalPlan(exec, Op::none, A, Op::none, good, C); }), about);
    EXPECT_THAT(error_of<InvalidMatrix>([&] { spmv(exec, 1, A, x, 0, y); }), about);
    EXPECT_THAT(error_of<InvalidMatrix>([&] { SpmmPlan(exec, A); }), about);
    for (const double value : to_vector(C.list)) EXPECT_TRUE(std::isnan(value));
    for (const double value : to_vector(y)) EXPECT_TRUE(std::isnan(value));
  };
  const auto source = make_crs<Matrix>(banded_matrix<double>(10, 10, 1, 1));
  refused(to_hm(source), {0, 1, 1}, "diagonal 1 is named twice");
  refused(to_hm(source), {0, -1, 1}, "diagonal 1 stands behind -1; in HM 0, 1, 2, ... stand before -1, -2, ...");
  refused(to_hm(source), {0, 10, -1}, "diagonal 10 is outside of -9 to 9");
  refused(to_cdm(source), {0, 0, 9}, "diagonal 0 is named twice");
  refused(to_cdm(source), {0, 9, 1}, "diagonal 1 stands behind 9; in CDM diagonals ascend");
  refused(to_cdm(source), {-1, 0, 1}, "diagonal -1 is outside of 0 to 9");
}

TEST(DiagonalTimesBlocks, PlansForVectorsAndBlocks) {
  const Exec exec;
  const auto host = banded_matrix<double>(10, 12, 1, 1), other = with_new_values(host);
  const Hm A = hm(host);
  const Kokkos::View<double*, Device> x("x", 12), y("y", 10), z("z", 11);
  const Kokkos::View<double**, Device> B("B", 12, 3), C("C", 10, 3);
  SpmvPlan plan(A);
  EXPECT_EQ(plan.algorithm(), SpmvAlgorithm::diagonals);
  EXPECT_EQ(plan.persistent_bytes() + plan.temporary_bytes(), 0u);
  EXPECT_THAT(plan.report(), HasSubstr("10x12 matrix in HM with 3 diagonals, 29 elements"));
  const SpmmPlan blocks(exec, A, {.op = Op::transpose, .columns = 3});
  EXPECT_EQ(blocks.algorithm(), SpmmAlgorithm::diagonals);
  EXPECT_THAT(blocks.report(), HasSubstr("op transpose, for N = 3"));
  EXPECT_EQ(blocks.rows(), 12);
  fill_nan(y);
  EXPECT_THAT(error_of<DimensionMismatch>([&] { spmv(exec, plan, 1, z, 0, y); }), HasSubstr("op(A) 10x12, x 11, y 10"));
  EXPECT_THAT(error_of<DimensionMismatch>([&] { spmv(exec, 1, A, y, 0, x); }), HasSubstr("op(A) 10x12, x 10, y 12"));
  EXPECT_THAT(error_of<DimensionMismatch>([&] { spmm(exec, blocks, 1, B, 0, C); }),
              HasSubstr("op(A) 12x10, B 12x3, C 10x3"));
  EXPECT_THAT(error_of<NotSupported>([&] { SpmvPlan(A, {.algorithm = SpmvAlgorithm::sell}); }),
              HasSubstr("algorithm sell of a matrix in HM, which diagonals multiplies"));
  EXPECT_THAT(error_of<NotSupported>([&] { SpmmPlan(A, {.algorithm = SpmmAlgorithm::bricks}); }),
              HasSubstr("algorithm bricks"));
  EXPECT_THAT(error_of<NotSupported>([&] { SpmvPlan(A, {.precision = Precision::tf32}); }),
              HasSubstr("precision tf32"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { plan.update_values(hm(banded_matrix<double>(10, 12, 1, 2))); }),
              HasSubstr("10x12 with 4 diagonals, not what the plan was made for: 10x12, 3 diagonals"));
  for (const double value : to_vector(y)) EXPECT_TRUE(std::isnan(value));
  const auto in = random_vector<double>(12);
  plan.update_values(hm(other));
  spmv(plan, 1, make_view<Kokkos::View<double*, Device>>("x", in), 0, y);
  EXPECT_TRUE(matches(reference_spmv(Op::none, 1.0, other, in, 0.0, {}), to_vector(y)));
}

}  // namespace
}  // namespace lacuna::Test

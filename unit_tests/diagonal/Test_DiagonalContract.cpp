// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Diagonal_Check.hpp>
#include <support/Reference_Space.hpp>
#include <support/Test_Messages.hpp>

#include <cmath>

/// \file
/// \brief What products in diagonal storage promise: errors before any work, instances, memory, what is not finite; and
/// what they are used for.

namespace lacuna::Test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Hm     = HmMatrix<double, int, Device, int>;

Hm hm(const HostMatrix<double>& A) { return to_hm(make_crs<Matrix>(A), {.fill_limit = 0}); }
auto cdm(const HostMatrix<double>& A) { return to_cdm(make_crs<Matrix>(A), {.fill_limit = 0}); }

TEST(DiagonalContract, Structure) {
  const auto A = hm(diagonal_matrix<double>(10, 12, {-3, 0, 11})), B = hm(diagonal_matrix<double>(12, 5, {-11, 4}));
  EXPECT_THAT(product_diagonals(Op::none, A, Op::none, B), testing::ElementsAre(0, 1, 4));
  EXPECT_THAT(product_diagonals(Op::transpose, A, Op::none, A), testing::ElementsAre(-11, -3, 0, 3, 11));
  const auto C = cdm(banded_matrix<double>(10, 10, 1, 1));
  EXPECT_THAT(product_diagonals(Op::none, C, Op::none, C), testing::ElementsAre(0, 1, 2, 8, 9));
}

TEST(DiagonalContract, BadInputLeavesCUntouched) {
  const Exec exec;
  const auto A = hm(banded_matrix<double>(10, 12, 1, 1)), B = hm(banded_matrix<double>(12, 9, 1, 1));
  const auto C = gemm(Op::none, A, Op::none, B);
  fill_nan(C.list);
  EXPECT_THAT(error_of<DimensionMismatch>([&] { gemm(Op::none, A, Op::transpose, B, C); }),
              AllOf(HasSubstr("lacuna::gemm"), HasSubstr("op(A) is 10x12, op(B) is 9x12")));
  EXPECT_THAT(error_of<DimensionMismatch>([&] { gemm(Op::none, B, Op::none, gemm(Op::transpose, B, Op::none, B), C); }),
              HasSubstr("the product is 12x9, C is 10x9"));
  EXPECT_THAT(error_of<DimensionMismatch>([&] { syr2k(Op::none, A, B); }), HasSubstr("A is 10x12, B is 12x9"));
  const auto narrow = hm(banded_matrix<double>(10, 9, 1, 2));
  fill_nan(narrow.list);
  EXPECT_THAT(error_of<InvalidArgument>([&] { gemm(Op::none, A, Op::none, B, narrow); }),
              AllOf(HasSubstr("C has 4 diagonals and lacks 1 of the 5 of the product"), HasSubstr("first of them -2")));
  const auto S = hm(banded_matrix<double>(10, 10, 0, 0));
  EXPECT_THAT(error_of<InvalidArgument>([&] { gemm(Op::none, S, Op::none, S, S); }), HasSubstr("shares memory"));
  EXPECT_THAT(
      error_of<NotSupported>([&] { gemm(Op::none, A, Op::none, B, C, {.algorithm = DiagonalAlgorithm::tiles}); }),
      HasSubstr("tiles: multiplies CDM"));
  EXPECT_THAT(error_of<NotSupported>([&] {
                gemm(Op::none, A, Op::none, B, C, {.algorithm = DiagonalAlgorithm::entries, .deterministic = true});
              }),
              HasSubstr("deterministic"));
  for (const double value : to_vector(C.list)) EXPECT_TRUE(std::isnan(value));
  for (const double value : to_vector(narrow.list)) EXPECT_TRUE(std::isnan(value));
}

TEST(DiagonalContract, Plan) {
  const Exec exec;
  const auto a = diagonal_matrix<double>(90, 80, {-60, -3, 0, 1, 50}, 3), b = banded_matrix<double>(70, 80, 2, 4, 4);
  const Hm A = hm(a), B = hm(b);
  const Hm C = gemm(exec, Op::none, A, Op::transpose, B);
  const DenseProduct<double> expected(dense(Op::none, a), dense(Op::transpose, b));
  for (const DiagonalAlgorithm algorithm : diagonal_algorithms) {
    try {
      const DiagonalPlan plan(exec, Op::none, A, Op::transpose, B, C, {.algorithm = algorithm});
      EXPECT_THAT(plan.report(), AllOf(HasSubstr("op(A) 90x80, op(B) 80x70, 5 x 7 diagonals"),
                                       HasSubstr("algorithm   " + std::string(name(plan.algorithm())))));
      for (int call = 0; call < 2; ++call) {
        fill_nan(C.list);
        gemm(exec, plan, 1.0, A, B, 0.0, C);
        exec.fence();
        expect_near<double>(dense_of(C), expected, std::string(name(algorithm)));
      }
      EXPECT_THAT(error_of<InvalidArgument>([&] { gemm(exec, plan, 1.0, B, B, 0.0, C); }),
                  HasSubstr("A is 70x80 with 7 diagonals, not what the plan was made for"));
      EXPECT_THAT(error_of<InvalidArgument>([&] { gemm(exec, plan, 1.0, A, B, 0.0, A); }), HasSubstr("C is 90x80"));
    } catch (const NotSupported&) {
      continue;
    }
  }
}

/// So many diagonals that `strips` takes A's in passes: against `gather`, and the same bits twice.
template <class Format>
void check_passes(const Format& A, const Format& B, Op op_a, Op op_b) {
  const Exec exec;
  const Format C = gemm(exec, op_a, A, op_b, B, {.algorithm = DiagonalAlgorithm::gather});
  const Format D = gemm(exec, op_a, A, op_b, B, {.algorithm = DiagonalAlgorithm::gather});
  for (const double beta : {0.0, 0.5}) {
    std::vector<double> before;
    for (int call = 0; call < 2; ++call) {
      if (beta == 0)
        fill_nan(D.list);
      else
        Kokkos::deep_copy(exec, D.list, C.list);
      const DiagonalPlan plan(exec, op_a, A, op_b, B, D, {.algorithm = DiagonalAlgorithm::strips});
      EXPECT_THAT(plan.report(), HasSubstr("takes A in "));
      gemm(exec, plan, 2.0, A, B, beta, D);
      exec.fence();
      const auto now = to_vector(D.list), expected = to_vector(C.list);
      double worst = 0;
      for (std::size_t k = 0; k < now.size(); ++k)
        worst = std::max(worst, std::isnan(now[k]) ? 1e300 : std::abs(now[k] - (2 + beta) * expected[k]));
      EXPECT_LT(worst, 1e-11) << "beta = " << beta;
      if (call == 1) EXPECT_TRUE(before == now) << "other bits";
      before = now;
    }
  }
}

TEST(DiagonalContract, StripsInPasses) {
  if (!device_of(Exec()).is_gpu) GTEST_SKIP() << "hosts emulate passes in test_diagonal_emulated_lanes";
  const std::int64_t n = 600;
  const auto a         = diagonal_matrix<double>(n, n, random_offsets(n, n, 1000, 3), 4),
             b         = diagonal_matrix<double>(n, n, random_offsets(n, n, 900, 5), 6);
  check_passes(hm(a), hm(b), Op::none, Op::none);
  check_passes(hm(a), hm(b), Op::transpose, Op::none);
  const auto wide = diagonal_matrix<double>(n, 500, random_offsets(n, 500, 900, 5), 6);
  check_passes(hm(a), hm(wide), Op::none, Op::none);
  const auto c = diagonal_matrix<double>(n, n, random_offsets(n, n, 700, 3), 4);
  check_passes(cdm(c), cdm(b), Op::none, Op::transpose);
}

TEST(DiagonalContract, MemoryLimit) {
  const auto A         = hm(banded_matrix<double>(100, 100, 3, 3));
  const auto C         = gemm(Op::none, A, Op::none, A);
  const std::size_t is = C.bytes();
  EXPECT_NO_THROW(gemm(Op::none, A, Op::none, A, {.memory_limit = is}));
  EXPECT_THAT(error_of<OutOfMemory>([&] { gemm(Op::none, A, Op::none, A, {.memory_limit = is - 1}); }),
              HasSubstr("memory_limit is " + std::to_string(is - 1)));
}

TEST(DiagonalContract, OtherInstancesAndOneThread) {
  const auto A = banded_matrix<double>(200, 200, 4, 5, 3), B = diagonal_matrix<double>(200, 200, {-150, 0, 7}, 4);
  const DenseProduct<double> expected(dense(Op::none, A), dense(Op::transpose, B));
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const auto C         = gemm(instances[1], Op::none, hm(A), Op::transpose, hm(B));
  instances[1].fence();
  expect_near<double>(dense_of(C), expected, "another instance");
  using ReferenceMatrix = KokkosSparse::CrsMatrix<double, int, ReferenceSpace, void, int>;
  const auto serial     = reference_instance();
  const auto a = make_crs<ReferenceMatrix>(A), b = make_crs<ReferenceMatrix>(B);
  expect_near<double>(dense_of(gemm(serial, Op::none, to_hm(serial, a), Op::transpose, to_hm(serial, b))), expected,
                      "one thread, HM");
  expect_near<double>(dense_of(gemm(serial, Op::none, to_cdm(serial, a), Op::transpose, to_cdm(serial, b))), expected,
                      "one thread, CDM");
}

/// Inf and NaN reach the elements that they are multiplied into, and no others: not even where an engine multiplies
/// the zeros beside a band.
TEST(DiagonalContract, InfAndNanStayInTheirElements) {
  const Exec exec;
  auto A = banded_matrix<double>(150, 150, 3, 4, 3), B = banded_matrix<double>(150, 150, 2, 5, 4);
  A.values[100]               = std::numeric_limits<double>::infinity();
  B.values[300]               = std::numeric_limits<double>::quiet_NaN();
  B.values[700]               = -std::numeric_limits<double>::infinity();
  const DenseMatrix<double> a = dense(Op::none, A), b = dense(Op::none, B);
  const auto check = [&](const auto& stored_a, const auto& stored_b) {
    const auto C = gemm(exec, Op::none, stored_a, Op::none, stored_b);
    for (const DiagonalAlgorithm algorithm : diagonal_algorithms) {
      try {
        fill_nan(C.list);
        gemm(exec, Op::none, stored_a, Op::none, stored_b, C, {.algorithm = algorithm});
      } catch (const NotSupported&) {
        continue;
      }
      exec.fence();
      const auto c = dense_of(C);
      int wrong    = 0;
      for (std::int64_t i = 0; i < 150; ++i)
        for (std::int64_t k = 0; k < 150; ++k) {
          double sum = 0;
          for (std::int64_t j = std::max<std::int64_t>(0, i - 3); j <= std::min<std::int64_t>(149, i + 4); ++j)
            if (k - j >= -2 && k - j <= 5) sum += a(i, j) * b(j, k);
          if (std::isfinite(sum) != std::isfinite(c(i, k)) || std::isnan(sum) != std::isnan(c(i, k))) ++wrong;
        }
      EXPECT_EQ(wrong, 0) << name(algorithm);
    }
  };
  check(hm(A), hm(B));
}

TEST(DiagonalContract, PowersOfAStencil) {
  // Five points on a grid of 12 x 11 that is a torus in neither direction, in HM: A^4 has 41 diagonals at most.
  std::vector<std::int64_t> offsets{-12, -1, 0, 1, 12};
  const auto A = diagonal_matrix<double>(132, 132, offsets, 3);
  auto power   = hm(A);
  auto exact   = dense(Op::none, A);
  for (int k = 2; k <= 4; ++k) {
    const DenseProduct<double> next(exact, dense(Op::none, A));
    power = gemm(Op::none, power, Op::none, hm(A));
    expect_near<double>(dense_of(power), next, "power " + std::to_string(k));
    exact = next.sum;
  }
  EXPECT_EQ(power.dg(), 41);
}

TEST(DiagonalContract, ExponentialByTaylorSeries) {
  // exp(i t H) of a tridiagonal operator: what quantum walks on a line compute. Unitary, so U^H U is the identity.
  using Complex       = Kokkos::complex<double>;
  using ComplexMatrix = KokkosSparse::CrsMatrix<Complex, int, Device, void, int>;
  using ComplexCdm    = CdmMatrix<Complex, int, Device, int>;
  const Exec exec;
  const int n = 64, terms = 18;
  auto H = banded_matrix<Complex>(n, n, 1, 1);
  for (auto& value : H.values) value = Complex(0, -0.5);  // i t H with H = -1 beside and on the diagonal, t = 0.5
  const auto A = to_cdm(exec, make_crs<ComplexMatrix>(H));
  std::vector<std::int64_t> all;
  for (int k = 0; k < n; ++k)
    if (k <= terms || k >= n - terms) all.push_back(k);
  ComplexCdm sum = make_cdm<ComplexCdm>(exec, n, all), identity = make_cdm<ComplexCdm>(exec, n, {0});
  Kokkos::deep_copy(exec, identity.list, Complex(1));
  ComplexCdm term = identity;
  gemm(exec, 1.0, Op::none, identity, Op::none, identity, 0.0, sum);
  for (int k = 1; k <= terms; ++k) {
    ComplexCdm next = make_cdm<ComplexCdm>(exec, n, product_diagonals(Op::none, term, Op::none, A));
    gemm(exec, 1.0 / k, Op::none, term, Op::none, A, 0.0, next);
    gemm(exec, 1.0, Op::none, next, Op::none, identity, 1.0, sum);
    term = next;
  }
  const auto unit = dense_of(syrk(exec, Op::conjugate_transpose, sum));
  exec.fence();
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) EXPECT_NEAR(std::abs(unit(i, j) - (i == j ? 1.0 : 0.0)), 0, 1e-12);
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Diagonal_Check.hpp>
#include <formats/Test_Conversions.hpp>
#include <support/Test_Messages.hpp>

#include <Lacuna_Convert.hpp>
#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>
#include <Lacuna_ValidateFormats.hpp>

#include <algorithm>
#include <complex>
#include <set>
#include <string>
#include <vector>

/// \file
/// \brief Symmetric matrices in HM, stored by half: 003, 3.1, names them among those that it holds alike.

namespace lacuna::Test {
namespace {

using Exec    = Kokkos::DefaultExecutionSpace;
using Device  = Exec::device_type;
using Matrix  = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Hm      = HmMatrix<double, int, Device, int>;
using Complex = Kokkos::complex<double>;
using testing::HasSubstr;

/// The diagonals of `offsets`, from 0 on, and those across: element (i, j) is that of (j, i).
template <class Scalar>
HostMatrix<Scalar> symmetric_matrix(std::int64_t n, const std::vector<std::int64_t>& offsets, int seed) {
  std::vector<std::int64_t> both;
  for (const std::int64_t d : offsets) {
    both.push_back(d);
    if (d > 0) both.push_back(-d);
  }
  std::sort(both.begin(), both.end());
  auto A           = diagonal_matrix<Scalar>(n, n, both, seed);
  const auto whole = dense(Op::none, A);
  for (std::int64_t i = 0; i < n; ++i)
    for (auto k = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i) + 1]); ++k)
      if (A.entries[k] < i) A.values[k] = Scalar(whole(A.entries[k], i));
  return A;
}

template <class S = double>
auto half(const HostMatrix<S>& A) {
  return to_hm(make_crs<KokkosSparse::CrsMatrix<S, int, Device, void, int>>(A), {.fill_limit = 0, .symmetric = true});
}
template <class S = double>
auto full(const HostMatrix<S>& A) {
  return to_hm(make_crs<KokkosSparse::CrsMatrix<S, int, Device, void, int>>(A), {.fill_limit = 0});
}

// ( a b . )
// ( b c d )   is stored as  ( a c f | b d ): diagonals 1 and -1 begin at 3.
// ( . d f )
HostMatrix<double> by_hand() {
  auto A   = from_rows<double>(3, {{0, 1}, {0, 1, 2}, {1, 2}});
  A.values = {1, 2, 2, 3, 4, 4, 6};
  return A;
}

TEST(DiagonalSymmetric, Layout) {
  const Hm hm = half(by_hand());
  EXPECT_TRUE(hm.symmetric);
  expect_equal(hm.Ds, std::vector<int>{0, 1, -1}, "Ds");
  expect_equal(hm.StartDg, std::vector<int>{0, 3, 3}, "StartDg");
  expect_equal(hm.list, std::vector<double>{1, 3, 6, 2, 4}, "list");
  expect_equal(hm.DiagDense, std::vector<int>{-1, 3, 0, 3, -1}, "DiagDense");
  EXPECT_EQ(hm.nonzeros(), 7);
  EXPECT_EQ(hm.bytes() + 2 * sizeof(double), full(by_hand()).bytes());
  EXPECT_TRUE(validate(hm).valid);
  EXPECT_TRUE(same(to_host(to_crs(hm)), by_hand()));
  EXPECT_EQ(dense_of(hm).values, dense(Op::none, by_hand()).values);
  EXPECT_EQ(dense_of(to_cdm(hm)).values, dense(Op::none, by_hand()).values);
}

TEST(DiagonalSymmetric, MadeOfDiagonals) {
  const Hm hm = make_hm<Hm>(Exec(), 5, 5, {2, 0}, {.symmetric = true});
  expect_equal(hm.Ds, std::vector<int>{0, 2, -2}, "Ds");
  expect_equal(hm.StartDg, std::vector<int>{0, 5, 5}, "StartDg");
  EXPECT_EQ(hm.list.extent(0), 8u);
  EXPECT_EQ(make_hm<Hm>(Exec(), 5, 5, {-1, 1}, {.symmetric = true}).list.extent(0), 4u);
  EXPECT_EQ(make_hm<Hm>(Exec(), 0, 0, {}, {.symmetric = true}).list.extent(0), 0u);
  EXPECT_THAT(error_of<InvalidArgument>([] { make_hm<Hm>(Exec(), 5, 4, {0}, {.symmetric = true}); }),
              HasSubstr("a symmetric matrix of 5x4"));
}

TEST(DiagonalSymmetric, OthersAreRefused) {
  auto A      = by_hand();
  A.values[2] = 7;
  EXPECT_THAT(error_of<InvalidArgument>([&] { half(A); }), HasSubstr("not symmetric: 1 elements differ"));
  EXPECT_THAT(error_of<InvalidArgument>([&] {
                half(diagonal_matrix<double>(9, 9, {0, 3}, 1));
              }),
              HasSubstr("not symmetric: 6 elements differ"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { half(banded_matrix<double>(4, 5, 1, 1)); }), HasSubstr("4x5"));
  EXPECT_THROW(to_hm(make_crs<Matrix>(by_hand()), {.memory_limit = 150, .symmetric = true}), OutOfMemory);
}

TEST(DiagonalSymmetric, Validate) {
  Hm hm      = half(by_hand());
  hm.StartDg = full(by_hand()).StartDg;
  EXPECT_THAT(validate(hm).defects, testing::ElementsAre(HasSubstr("diagonal -1 begins at 5, not at 3")));
  Hm lame        = to_hm(make_crs<Matrix>(banded_matrix<double>(9, 9, 0, 1)));
  lame.symmetric = true;
  EXPECT_THAT(validate(lame).defects, testing::ElementsAre(HasSubstr("none across the main diagonal")));
  EXPECT_THAT(error_of<InvalidMatrix>([&] { gemm(Op::none, lame, Op::none, lame); }),
              HasSubstr("A 9x9 is stored by half"));
}

TEST(DiagonalSymmetric, NewValues) {
  const Exec exec;
  const Hm hm = half(by_hand());
  auto A      = by_hand();
  for (double& value : A.values) value *= 10;
  update_values(exec, make_crs<Matrix>(A), hm);
  expect_equal(hm.list, std::vector<double>{10, 30, 60, 20, 40}, "list");
}

/// op(A) op(B) by every algorithm that serves, with either or both stored by half.
template <class Scalar>
void check_products(const HostMatrix<Scalar>& S, const HostMatrix<Scalar>& X, std::set<DiagonalAlgorithm>& served) {
  const auto check = [&](const std::string& what, Op op_a, const auto& A, Op op_b, const auto& B,
                         const auto& expected) {
    for (const DiagonalAlgorithm algorithm : diagonal_algorithms) {
      const auto C = gemm(op_a, A, op_b, B);
      fill_nan(C.list);
      try {
        gemm(op_a, A, op_b, B, C, {.algorithm = algorithm});
      } catch (const NotSupported&) {
        continue;
      }
      served.insert(algorithm);
      expect_near<Scalar>(dense_of(C), expected, what + ", " + std::string(name(algorithm)));
    }
  };
  for (const Op op_a : {Op::none, Op::transpose, Op::conjugate_transpose})
    for (const Op op_b : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      const std::string ops = ", " + std::string(name(op_a)) + ", " + std::string(name(op_b));
      check("S X" + ops, op_a, half(S), op_b, full(X), DenseProduct<Scalar>(dense(op_a, S), dense(op_b, X)));
      check("X S" + ops, op_a, full(X), op_b, half(S), DenseProduct<Scalar>(dense(op_a, X), dense(op_b, S)));
      check("S S" + ops, op_a, half(S), op_b, half(S), DenseProduct<Scalar>(dense(op_a, S), dense(op_b, S)));
    }
}

TEST(DiagonalSymmetric, Products) {
  std::set<DiagonalAlgorithm> served;
  for (const std::int64_t n : {1, 2, 37, 130}) {
    const auto offsets = [n](std::vector<std::int64_t> list) {
      std::erase_if(list, [n](std::int64_t d) { return d >= n; });
      return list;
    };
    check_products(symmetric_matrix<double>(n, offsets({0, 1, 2, 3}), 3), banded_matrix<double>(n, n, n > 1, 0, 4),
                   served);
    check_products(symmetric_matrix<double>(n, offsets({0, 3, 17, 36, 129}), 3),
                   diagonal_matrix<double>(n, n, random_offsets(n, n, std::min<std::int64_t>(n, 9), 5), 6), served);
    check_products(symmetric_matrix<Complex>(n, offsets({1, 5, 6}), 3), banded_matrix<Complex>(n, n, 0, n > 1, 4),
                   served);
  }
  for (const auto algorithm :
       {DiagonalAlgorithm::gather, DiagonalAlgorithm::entries, DiagonalAlgorithm::entries_by_case})
    EXPECT_TRUE(served.contains(algorithm)) << name(algorithm);
  if (Impl::runs_lane_kernels<Exec>)
    for (const auto algorithm : {DiagonalAlgorithm::window, DiagonalAlgorithm::band, DiagonalAlgorithm::strips})
      EXPECT_TRUE(served.contains(algorithm)) << name(algorithm);
}

TEST(DiagonalSymmetric, EntriesOfHalfAreRefused) {
  const Hm S = half(by_hand());
  EXPECT_THAT(
      error_of<NotSupported>([&] { gemm(Op::none, S, Op::none, S, {.algorithm = DiagonalAlgorithm::entries}); }),
      HasSubstr("threads for the elements of A, of which half are stored; there is gather"));
}

TEST(DiagonalSymmetric, VectorsAndBlocks) {
  using Vector = Kokkos::View<double*, Device>;
  using Block  = Kokkos::View<double**, Kokkos::LayoutRight, Device>;
  const auto A = symmetric_matrix<double>(75, {0, 1, 9, 60}, 3);
  const Hm S = half(A), F = full(A);
  const Exec exec;
  const Vector x("x", 75), y("y", 75), z("z", 75);
  const Block B("B", 75, 5), C("C", 75, 5), E("E", 75, 5);
  const auto number = [](auto& view) {
    const auto mirror = Kokkos::create_mirror_view(view);
    for (std::size_t k = 0; k < view.size(); ++k) mirror.data()[k] = static_cast<double>(k % 13) - 4;
    Kokkos::deep_copy(view, mirror);
  };
  number(x);
  number(B);
  for (const Op op : {Op::none, Op::transpose}) {
    const SpmvPlan s(exec, S, {.op = op}), f(exec, F, {.op = op});
    spmv(exec, s, 2.0, x, 0.0, y);
    spmv(exec, f, 2.0, x, 0.0, z);
    const SpmmPlan block_s(exec, S, {.op = op, .columns = 5}), block_f(exec, F, {.op = op, .columns = 5});
    spmm(exec, block_s, 2.0, B, 0.0, C);
    spmm(exec, block_f, 2.0, B, 0.0, E);
    exec.fence();
    EXPECT_TRUE(to_vector(y) == to_vector(z)) << name(op);
    const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
    const auto e = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), E);
    EXPECT_TRUE(std::equal(c.data(), c.data() + c.size(), e.data())) << name(op);
  }
}

/// C = alpha op(A) op(A)' + beta C, and with B, where C is stored by half.
TEST(DiagonalSymmetric, UpdatesOfHalf) {
  const auto A = diagonal_matrix<double>(61, 44, {-50, -3, 0, 1, 20, 43}, 3);
  const auto B = diagonal_matrix<double>(61, 44, {-7, -3, 2, 19}, 4);
  const Hm a = full(A), b = full(B);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose})
    for (const bool twice : {false, true})
      for (const DiagonalAlgorithm algorithm : {DiagonalAlgorithm::automatic, DiagonalAlgorithm::gather}) {
        const auto diagonals = twice ? syr2k_diagonals(op, a, b) : syrk_diagonals(op, a);
        const int n          = op == Op::none ? 61 : 44;
        const Hm whole       = make_hm<Hm>(Exec(), n, n, diagonals),
                 S           = make_hm<Hm>(Exec(), n, n, diagonals, {.symmetric = true});
        EXPECT_LT(S.list.extent(0), whole.list.extent(0));
        const auto update = [&](const Hm& C, double alpha, double beta) {
          if (twice)
            syr2k(alpha, op, a, b, beta, C, {.algorithm = algorithm});
          else
            syrk(alpha, op, a, beta, C, {.algorithm = algorithm});
        };
        fill_nan(S.list);
        update(S, 1.0, 0.0);
        update(whole, 1.0, 0.0);
        const auto once = dense_of(whole);
        update(S, -0.5, 2.0);  // 1.5 times the product
        for (std::size_t k = 0; k < once.values.size(); ++k)
          EXPECT_NEAR(dense_of(S).values[k], 1.5 * once.values[k], 1e-12) << name(op) << ", " << twice;
      }
}

TEST(DiagonalSymmetric, ResultsThatCannotBeHalf) {
  const Hm S = half(by_hand());
  const Hm C = make_hm<Hm>(Exec(), 3, 3, {0, 1, 2}, {.symmetric = true});
  const Hm W = make_hm<Hm>(Exec(), 3, 3, {-2, -1, 0, 1, 2});
  EXPECT_THAT(error_of<NotSupported>([&] { gemm(Op::none, S, Op::none, S, C); }), HasSubstr("C is stored by half"));
  EXPECT_THAT(error_of<NotSupported>([&] { DiagonalPlan(Exec(), Op::none, S, Op::none, S, C); }),
              HasSubstr("C is stored by half"));
  const DiagonalPlan plan(Exec(), Op::none, S, Op::none, S, W);
  EXPECT_THAT(error_of<NotSupported>([&] { gemm(plan, 1.0, S, S, 0.0, C); }), HasSubstr("C is stored by half"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { gemm(plan, 1.0, full(by_hand()), S, 0.0, W); }), HasSubstr("A is 3x3"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { gemm(plan, 1.0, S, full(by_hand()), 0.0, W); }), HasSubstr("B is 3x3"));
  EXPECT_THAT(
      error_of<NotSupported>([&] { syrk(1.0, Op::none, W, 0.0, C, {.algorithm = DiagonalAlgorithm::entries}); }),
      HasSubstr("adds to all diagonals of C"));
  const auto complex = full(banded_matrix<Complex>(9, 9, 1, 1));
  using ComplexHm    = std::remove_cv_t<decltype(complex)>;
  const auto D       = make_hm<ComplexHm>(Exec(), 9, 9, {0, 1, 2}, {.symmetric = true});
  EXPECT_THAT(error_of<NotSupported>([&] { syrk(1.0, Op::conjugate_transpose, complex, 0.0, D); }),
              HasSubstr("Hermitian"));
  syrk(1.0, Op::transpose, complex, 0.0, D);
  // Sums of two layouts of C, which a GPU contracts in other places.
  const auto half = dense_of(D).values, whole = dense_of(syrk(Op::transpose, complex)).values;
  ASSERT_EQ(half.size(), whole.size());
  for (std::size_t i = 0; i < half.size(); ++i) EXPECT_LE(std::abs(half[i] - whole[i]), 1e-14) << i;
}

}  // namespace
}  // namespace lacuna::Test

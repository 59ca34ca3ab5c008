// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Diagonal_Check.hpp>
#include <support/Test_Messages.hpp>

#include <Lacuna_Diagonal.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

/// \file
/// \brief The parameters of the published algorithms: T of algorithm 1, k threads an entry, and the thirteen cases.

namespace lacuna::Test {
namespace {

using Device = Kokkos::DefaultExecutionSpace::device_type;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Impl::DiagonalCases;
using Impl::DiagonalMeeting;
using testing::HasSubstr;

int sign(std::int64_t number) { return number < 0 ? -1 : number > 0 ? 1 : 0; }

template <int... Cases>
DiagonalMeeting meeting(int which, std::int64_t e, std::int64_t m, std::int64_t f,
                        std::integer_sequence<int, Cases...>) {
  DiagonalMeeting found{-1, -1};
  ((which == Cases ? void(found = Impl::meeting_in_case<Cases>(e, m, f)) : void()), ...);
  return found;
}

/// Each pair of elements that meet has one case, and this says where both are by their rows and columns.
TEST(DiagonalPublished, ThirteenCasesAreTheMeetingsOfRowsAndColumns) {
  constexpr std::int64_t n = 5;
  std::set<int> seen;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t e = j - i, f = k - j, d = k - i;
        std::vector<int> fitting;
        for (int which = 0; which < DiagonalCases::count; ++which) {
          const auto& signs = DiagonalCases::list[which];
          if (std::tuple(signs.e, signs.f, signs.d) == std::tuple(sign(e), sign(f), sign(d))) fitting.push_back(which);
        }
        ASSERT_EQ(fitting.size(), 1u) << i << ", " << j << ", " << k;
        seen.insert(fitting[0]);
        const std::int64_t m = std::min(i, j);
        const DiagonalMeeting at =
            meeting(fitting[0], e, m, f, std::make_integer_sequence<int, DiagonalCases::count>());
        EXPECT_EQ(std::pair(at.b, at.c), std::pair(std::min(j, k), std::min(i, k))) << fitting[0];
        const DiagonalMeeting nested = d == 0  ? Impl::meeting_on_main(e, m, f)
                                       : d > 0 ? Impl::meeting_on_super(e, m, f)
                                               : Impl::meeting_on_sub(e, m, f);
        EXPECT_EQ(std::pair(nested.b, nested.c), std::pair(at.b, at.c)) << fitting[0];
      }
  EXPECT_EQ(seen.size(), 13u);
}

TEST(DiagonalPublished, ThreadsShareTheCases) {
  for (int threads = 2; threads <= 13; ++threads) {
    EXPECT_EQ(DiagonalCases::first(0, threads), 0);
    EXPECT_EQ(DiagonalCases::first(threads, threads), 13);
    for (int thread = 0; thread < threads; ++thread) {
      const int cases = DiagonalCases::first(thread + 1, threads) - DiagonalCases::first(thread, threads);
      EXPECT_GE(cases, 1) << thread << " of " << threads;
      EXPECT_LE(cases, threads == 3 ? 5 : (13 + threads - 1) / threads) << thread << " of " << threads;
    }
  }
  EXPECT_EQ(DiagonalCases::first(1, 3), 3);  // the paper's categories: main, super, sub
  EXPECT_EQ(DiagonalCases::first(2, 3), 8);
}

constexpr Op ops[] = {Op::none, Op::transpose};

auto hm(const HostMatrix<double>& A) { return to_hm(make_crs<Matrix>(A), {.fill_limit = 0}); }
auto cdm(const HostMatrix<double>& A) { return to_cdm(make_crs<Matrix>(A), {.fill_limit = 0}); }

/// op(A) op(B) with these options, into poisoned memory.
template <class Format>
void check(const std::string& what, Op op_a, const Format& A, Op op_b, const Format& B,
           const DenseProduct<double>& expected, const DiagonalOptions& options) {
  const auto C = gemm(op_a, A, op_b, B);
  fill_nan(C.list);
  gemm(op_a, A, op_b, B, C, options);
  expect_near<double>(dense_of(C), expected, what);
}

TEST(DiagonalPublished, EachNumberOfThreadsAnEntry) {
  const auto A = diagonal_matrix<double>(61, 61, {-50, -20, -3, -1, 0, 1, 4, 20, 43, 60}, 3);
  const auto B = diagonal_matrix<double>(61, 61, {-60, -31, -7, -3, 0, 2, 3, 19, 59}, 4);
  const auto P = diagonal_matrix<double>(40, 90, {-39, -7, 0, 1, 50, 89}, 5);  // wide: B has columns that A's rows miss
  const auto Q = diagonal_matrix<double>(90, 17, {-89, -60, -11, 0, 3, 16}, 6);
  const auto R = diagonal_matrix<double>(90, 80, {-60, -3, 0, 1, 50}, 3), S = banded_matrix<double>(70, 80, 2, 4, 4);
  for (int threads = 2; threads <= 13; ++threads) {
    const DiagonalOptions options{.algorithm = DiagonalAlgorithm::entries_by_case, .threads_per_entry = threads};
    const std::string what = std::to_string(threads) + " threads";
    for (const Op op_a : ops)
      for (const Op op_b : ops)
        check(what + ", " + std::string(name(op_a)) + ", " + std::string(name(op_b)), op_a, hm(A), op_b, hm(B),
              DenseProduct<double>(dense(op_a, A), dense(op_b, B)), options);
    check(what + ", B transposed", Op::none, hm(R), Op::transpose, hm(S),
          DenseProduct<double>(dense(Op::none, R), dense(Op::transpose, S)), options);
    check(what + ", rectangular", Op::none, hm(P), Op::none, hm(Q),
          DenseProduct<double>(dense(Op::none, P), dense(Op::none, Q)), options);
    check(what + ", rectangular, transposed", Op::transpose, hm(Q), Op::transpose, hm(P),
          DenseProduct<double>(dense(Op::transpose, Q), dense(Op::transpose, P)), options);
  }
}

TEST(DiagonalPublished, EachTile) {
  const auto A = banded_matrix<double>(70, 70, 11, 9, 3), B = banded_matrix<double>(70, 70, 4, 14, 4);
  for (const int tile : {4, 8, 16})
    for (const Op op_a : ops)
      for (const Op op_b : ops)
        check(std::to_string(tile) + ", " + std::string(name(op_a)) + ", " + std::string(name(op_b)), op_a, cdm(A),
              op_b, cdm(B), DenseProduct<double>(dense(op_a, A), dense(op_b, B)),
              {.algorithm = DiagonalAlgorithm::tiles, .tile = tile});
}

TEST(DiagonalPublished, OthersAreRefused) {
  const auto A = banded_matrix<double>(10, 10, 1, 1, 3);
  const auto H = hm(A);
  const auto K = cdm(A);
  for (const int threads : {-1, 0, 1, 14})
    EXPECT_THAT(error_of<NotSupported>([&] {
                  gemm(Op::none, H, Op::none, H,
                       {.algorithm = DiagonalAlgorithm::entries_by_case, .threads_per_entry = threads});
                }),
                HasSubstr("2 to 13 threads an element of A, threads_per_entry is " + std::to_string(threads)));
  for (const int tile : {0, 5, 32})
    EXPECT_THAT(error_of<NotSupported>(
                    [&] { gemm(Op::none, K, Op::none, K, {.algorithm = DiagonalAlgorithm::tiles, .tile = tile}); }),
                HasSubstr("tiles of 4, 8 or 16, tile is " + std::to_string(tile)));
  const auto C = gemm(Op::none, H, Op::none, H);
  const DiagonalPlan plan(Kokkos::DefaultExecutionSpace(), Op::none, H, Op::none, H, C,
                          {.algorithm = DiagonalAlgorithm::entries_by_case, .threads_per_entry = 13});
  EXPECT_THAT(plan.report(), HasSubstr("13 threads an element of A"));
}

}  // namespace
}  // namespace lacuna::Test

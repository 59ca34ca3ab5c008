// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <reference/Reference_Spmv.hpp>
#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <algorithm>

namespace {

using namespace lacuna::Test;
using testing::ElementsAre;

using Complex = Kokkos::complex<double>;
using Matrix  = KokkosSparse::CrsMatrix<double, int, Kokkos::DefaultExecutionSpace, void, std::size_t>;

TEST(TestMatrices, RowsAreSortedAndInRange) {
  for (const auto& [name, A] : sample_matrices<double>()) {
    ASSERT_EQ(A.row_map.size(), static_cast<std::size_t>(A.rows) + 1) << name;
    ASSERT_EQ(A.row_map.back(), A.nonzeros()) << name;
    for (std::int64_t i = 0; i < A.rows; ++i) {
      for (auto k = A.row_map[static_cast<std::size_t>(i)]; k < A.row_map[static_cast<std::size_t>(i) + 1]; ++k) {
        const auto column = A.entries[static_cast<std::size_t>(k)];
        EXPECT_TRUE(column >= 0 && column < A.columns) << name;
        if (k > A.row_map[static_cast<std::size_t>(i)])
          EXPECT_LT(A.entries[static_cast<std::size_t>(k) - 1], column) << name;
      }
    }
  }
}

TEST(TestMatrices, CrsAndBackIsTheSame) {
  for (const auto& [name, A] : messy_matrices<double>()) {
    const auto back = to_host(make_crs<Matrix>(A));
    EXPECT_EQ(back.row_map, A.row_map) << name;
    EXPECT_EQ(back.entries, A.entries) << name;
    EXPECT_EQ(back.values, A.values) << name;
  }
}

TEST(TestMatrices, DuplicatesAndShufflesKeepTheRows) {
  const auto A = with_duplicates(random_matrix<double>(50, 60, 8));
  EXPECT_GT(A.nonzeros(), 400);
  auto rows = shuffled(A).entries;
  EXPECT_NE(rows, A.entries);
  std::sort(rows.begin(), rows.begin() + A.row_map[1]);
  EXPECT_TRUE(std::equal(rows.begin(), rows.begin() + A.row_map[1], A.entries.begin()));
}

TEST(ReferenceSpmv, SmallComplexMatrixByHand) {
  HostMatrix<Complex> A;  // [1 i; 0 2]
  A.rows    = 2;
  A.columns = 2;
  A.row_map = {0, 2, 3};
  A.entries = {0, 1, 1};
  A.values  = {Complex(1, 0), Complex(0, 1), Complex(2, 0)};
  const std::vector<Complex> x{Complex(1, 0), Complex(3, 0)}, y{Complex(10, 0), Complex(0, 10)};
  using W = std::complex<double>;
  EXPECT_THAT(reference_spmv(lacuna::Op::none, Complex(1), A, x, Complex(0), {}).y, ElementsAre(W(1, 3), W(6, 0)));
  EXPECT_THAT(reference_spmv(lacuna::Op::transpose, Complex(2), A, x, Complex(1), y).y,
              ElementsAre(W(12, 0), W(12, 12)));
  const auto adjoint = reference_spmv(lacuna::Op::conjugate_transpose, Complex(2), A, x, Complex(1), y);
  EXPECT_THAT(adjoint.y, ElementsAre(W(12, 0), W(12, 8)));
  EXPECT_THAT(adjoint.magnitude, ElementsAre(12.0, 24.0));
  EXPECT_THAT(adjoint.terms, ElementsAre(1, 2));
}

TEST(ReferenceSpmv, MatchesRefusesAWrongElement) {
  const auto A = random_matrix<float>(10, 10, 3);
  const auto x = random_vector<float>(10);
  const auto r = reference_spmv(lacuna::Op::none, 1.0f, A, x, 0.0f, {});
  std::vector<float> y;
  for (const double value : r.y) y.push_back(static_cast<float>(value));
  EXPECT_TRUE(matches(r, y));
  y[7] += 1e-3f;
  EXPECT_FALSE(matches(r, y));
  y[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(matches(r, y));
}

}  // namespace

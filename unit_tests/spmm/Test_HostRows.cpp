// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>
#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>
#include <kernels/rows/Lacuna_HostColumn.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief The row kernels of hosts: a B that caches do not hold, and one column.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultHostExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using Block  = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
using Vector = Kokkos::View<double*, Exec>;

Block block_of(std::int64_t rows, std::int64_t columns) {
  const Block B("B", rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) B(i, j) = static_cast<double>((7 * i + 3 * j) % 19) - 9;
  return B;
}

/// Column j of A B is A times column j of B.
void expect_columns(const Exec& exec, const Matrix& A, const Block& B, const Block& C) {
  const auto n = static_cast<std::int64_t>(B.extent(1));
  const Vector x("x", B.extent(0)), y("y", C.extent(0));
  for (const std::int64_t column : {std::int64_t{0}, n / 2, n - 1}) {
    Kokkos::deep_copy(exec, x, Kokkos::subview(B, Kokkos::ALL, column));
    spmv(exec, 2.0, A, x, 0.0, y);
    exec.fence();
    for (std::size_t i = 0; i < y.extent(0); ++i)
      ASSERT_NEAR(C(i, column), y(i), 1e-12 * (1 + std::abs(y(i)))) << "row " << i << ", column " << column;
  }
}

TEST(HostRows, AskForRowsOfALargeB) {
  const Exec exec;
  const auto A         = generate<Matrix>(exec, "random:rows=26000,cols=26000,per_row=9");
  constexpr int wanted = 131;
  ASSERT_GT(26000.0 * wanted * sizeof(double), Impl::RowsPolicy::host_prefetch_bytes);
  const Block B = block_of(26000, wanted), C("C", 26000, wanted);
  spmm(exec, 2.0, A, B, 0.0, C);
  exec.fence();
  expect_columns(exec, A, B, C);
}

TEST(HostRows, OneColumnIsAVector) {
  const Exec exec;
  const auto A  = generate<Matrix>(exec, "random:rows=3000,cols=2000,per_row=7");
  const Block B = block_of(2000, 1), C("C", 3000, 1);
  const Vector x("x", 2000), y("y", 3000);
  Kokkos::deep_copy(exec, C, 3.0);
  Kokkos::deep_copy(exec, y, 3.0);
  Kokkos::deep_copy(exec, x, Kokkos::subview(B, Kokkos::ALL, 0));
  spmm(exec, 2.0, A, B, -1.0, C);
  spmv(exec, 2.0, A, x, -1.0, y);
  exec.fence();
  for (std::size_t i = 0; i < y.extent(0); ++i) EXPECT_EQ(C(i, 0), y(i)) << "the same bits";
}

struct RowsOfHost {
  const int* row_map;
  std::int64_t rows;
};

bool are_short_and_even(const std::vector<int>& lengths) {
  std::vector<int> row_map(1, 0);
  for (const int length : lengths) row_map.push_back(row_map.back() + length);
  return Impl::has_short_even_rows(RowsOfHost{row_map.data(), static_cast<std::int64_t>(lengths.size())});
}

TEST(HostShortRows, AreToldByThePattern) {
  constexpr int longest = Impl::RowsPolicy::host_short_row;
  EXPECT_FALSE(are_short_and_even({}));
  EXPECT_FALSE(are_short_and_even({3})) << "nothing stands beside it";
  EXPECT_TRUE(are_short_and_even({3, 3}));
  EXPECT_FALSE(are_short_and_even({3, 4}));
  EXPECT_TRUE(are_short_and_even(std::vector<int>(1000, longest)));
  EXPECT_FALSE(are_short_and_even(std::vector<int>(1000, longest + 1)));
  std::vector<int> mesh(4096, 7);
  for (std::size_t row = 0; row < mesh.size(); row += 64) mesh[row] = mesh[row + 63] = 6;
  EXPECT_TRUE(are_short_and_even(mesh)) << "its edges are few";
  for (std::size_t row = 0; row < mesh.size(); ++row) mesh[row] = static_cast<int>(row % 2) + 4;
  EXPECT_FALSE(are_short_and_even(mesh)) << "no two neighbours are alike";
}

/// Row i has `lengths[i]` nonzeros, in columns that go round.
Matrix matrix_of(const std::vector<int>& lengths, int columns) {
  const auto rows = static_cast<int>(lengths.size());
  Kokkos::View<int*, Exec> row_map("row map", rows + 1);
  for (int row = 0; row < rows; ++row) row_map(row + 1) = row_map(row) + lengths[static_cast<std::size_t>(row)];
  const int nonzeros = row_map(rows);
  Kokkos::View<int*, Exec> entries("entries", nonzeros);
  Kokkos::View<double*, Exec> values("values", nonzeros);
  for (int row = 0; row < rows; ++row)
    for (int k = row_map(row); k < row_map(row + 1); ++k) {
      entries(k) = (row + 3 * (k - row_map(row))) % columns;
      values(k)  = 1 + k % 5;
    }
  return Matrix("A", rows, columns, nonzeros, values, row_map, entries);
}

/// Whole numbers: every order of a sum is exact.
void expect_product(const Matrix& A, std::int64_t stride_of_x, std::int64_t stride_of_y, double beta) {
  const Exec exec;
  const Block of_x("x", A.numCols(), stride_of_x), of_y("y", A.numRows(), stride_of_y);
  for (int i = 0; i < A.numCols(); ++i) of_x(i, 0) = i % 7 - 3;
  Kokkos::deep_copy(of_y, beta == 0 ? std::numeric_limits<double>::quiet_NaN() : 2.0);
  const auto x = Kokkos::subview(of_x, Kokkos::ALL, 0);
  const auto y = Kokkos::subview(of_y, Kokkos::ALL, 0);
  spmv(exec, 3.0, A, x, beta, y);
  exec.fence();
  for (int row = 0; row < A.numRows(); ++row) {
    double sum = 0;
    for (int k = A.graph.row_map(row); k < A.graph.row_map(row + 1); ++k) sum += A.values(k) * x(A.graph.entries(k));
    ASSERT_EQ(y(row), 3 * sum + (beta == 0 ? 0 : 2 * beta)) << "row " << row;
    if (stride_of_y > 1) {
      ASSERT_TRUE(beta != 0 ? of_y(row, 1) == 2 : std::isnan(of_y(row, 1))) << "beside row " << row;
    }
  }
}

TEST(HostShortRows, AndTheLongOnesAmongThem) {
  std::vector<int> long_among(5000, 2);
  long_among[4321]                    = 900;
  std::vector<std::vector<int>> cases = {
      {}, {4}, {0, 0, 0}, std::vector<int>(2049, 1), std::vector<int>(3000, 5), long_among};
  cases.push_back(std::vector<int>(220000, 5));  // so many that nonzeros are asked for ahead
  cases.push_back(std::vector<int>(52000, 21));
  for (const auto& large : {cases[cases.size() - 2], cases.back()})
    ASSERT_GT(12.0 * static_cast<double>(large.size() * static_cast<std::size_t>(large[0])),
              Impl::RowsPolicy::host_ahead_bytes);
  cases.push_back(std::vector<int>(700, Impl::RowsPolicy::host_short_row));
  cases.push_back(std::vector<int>(700, Impl::RowsPolicy::host_short_row + 1));
  for (const auto& lengths : cases)
    for (const std::int64_t stride : {1, 2})
      for (const double beta : {0.0, -1.0}) {
        SCOPED_TRACE(std::to_string(lengths.size()) + " rows, stride " + std::to_string(stride));
        const Matrix A = matrix_of(lengths, 1000);
        expect_product(A, stride, 1, beta);
        expect_product(A, 1, stride, beta);
      }
}

}  // namespace
}  // namespace lacuna::Test

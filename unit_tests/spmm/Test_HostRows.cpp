// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>
#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>

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

}  // namespace
}  // namespace lacuna::Test

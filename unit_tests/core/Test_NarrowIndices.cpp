// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>
#include <Lacuna_Spgemm.hpp>
#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>
#include <Lacuna_Transpose.hpp>

#include <formats/Test_Conversions.hpp>
#include <reference/Reference_Spgemm.hpp>
#include <reference/Reference_Spmv.hpp>
#include <support/Test_Matrices.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// \brief Matrices whose row maps and columns have 16 bits, on hosts. GPUs have no kernels for them, and say so.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultHostExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, std::int16_t, Exec::device_type, void, std::int16_t>;
using Vector = Kokkos::View<double*, Exec::device_type>;
using Block  = Kokkos::View<double**, Kokkos::LayoutRight, Exec::device_type>;

static_assert(Impl::serves_indices<std::int16_t, std::int16_t>(false));
static_assert(!Impl::serves_indices<std::int16_t, int>(true) && !Impl::serves_indices<int, std::int16_t>(true));
static_assert(!Impl::serves_indices<std::int8_t, int>(false));

/// As many rows, columns and nonzeros as 16 bits number.
HostMatrix<double> widest() {
  std::vector<std::vector<std::int64_t>> rows(32767);
  for (std::int64_t i = 0; i < 32767; ++i) rows[static_cast<std::size_t>(i)] = {7919 * i % 32767};
  return from_rows<double>(32767, rows);
}
HostMatrix<double> sample() { return random_matrix<double>(300, 200, 9); }

TEST(NarrowIndices, Transposes) {
  for (const auto& host : {sample(), widest()}) {
    const auto A = make_crs<Matrix>(host);
    EXPECT_TRUE(same(to_host(transpose(transpose(A).matrix).matrix), host));
    EXPECT_TRUE(same(to_host(sort_rows(A).matrix), host));
  }
}

/// A column, and every other place of a row: more diagonals than 16 bits count.
TEST(NarrowIndices, MoreDiagonalsThanRows) {
  using Longer = KokkosSparse::CrsMatrix<double, std::int16_t, Exec::device_type, void, int>;
  std::vector<std::vector<std::int64_t>> rows(17000, {0});
  for (std::int64_t column = 2; column < 32767; column += 2) rows[0].push_back(column);
  const auto A       = make_crs<Longer>(from_rows<double>(32767, rows));
  const auto offsets = to_vector(Impl::occupied_diagonals<Kokkos::View<std::int16_t*, Exec::device_type>>(
      "to_dia", Exec(), Impl::arrays_of(A), unlimited));
  ASSERT_EQ(offsets.size(), 16999U + 16384U);
  EXPECT_EQ(offsets.front(), -16999);
  EXPECT_EQ(offsets.back(), 32766);
}

TEST(NarrowIndices, Products) {
  for (const auto& host : {sample(), widest()}) {
    const auto A         = make_crs<Matrix>(host);
    const auto x         = random_vector<double>(host.columns);
    const auto reference = reference_spmv(Op::none, 1.0, host, x, 0.0, {});
    const auto dx        = make_view<Vector>("x", x);
    const Vector y("y", static_cast<std::size_t>(host.rows));
    spmv(1, A, dx, 0, y);
    EXPECT_TRUE(matches(reference, to_vector(y)));
    spmv(SpmvPlan<Matrix, Exec>(A), 1, dx, 0, y);
    EXPECT_TRUE(matches(reference, to_vector(y)));
    const Block B("B", x.size(), 1), C("C", y.extent(0), 1);
    Kokkos::deep_copy(Kokkos::subview(B, Kokkos::ALL, 0), dx);
    spmm(SpmmPlan<Matrix, Exec>(A, {.columns = 1}), 1, B, 0, C);
    Kokkos::deep_copy(y, Kokkos::subview(C, Kokkos::ALL, 0));
    EXPECT_TRUE(matches(reference, to_vector(y)));
    const auto product = spgemm(A, A, {.op_b = Op::transpose});
    EXPECT_TRUE(matches(reference_spgemm(1.0, Op::none, host, Op::transpose, host), to_host(product)));
  }
}

TEST(NarrowIndices, WhatTheyDoNotCountIsRefused) {
  const auto column = make_crs<Matrix>(from_rows<double>(1, std::vector<std::vector<std::int64_t>>(200, {0})));
  EXPECT_THROW(spgemm(column, column, {.op_b = Op::transpose}), NotSupported);  // 40,000 nonzeros
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/rows/Lacuna_BlockArguments.hpp>

#include <reference/Reference_Spmm.hpp>

#include <gmock/gmock.h>

#include <utility>
#include <vector>

namespace lacuna::Test {
namespace {

using Exec      = Kokkos::DefaultExecutionSpace;
using RowMajor  = Kokkos::View<double**, Kokkos::LayoutRight, Exec::device_type>;
using ColumnMaj = Kokkos::View<double**, Kokkos::LayoutLeft, Exec::device_type>;
using Strided   = Kokkos::View<double**, Kokkos::LayoutStride, Exec::device_type>;
using Range     = std::pair<int, int>;

template <class B, class C>
auto arguments(const B& b, const C& c, std::int64_t rows, std::int64_t columns) {
  return Impl::make_block_arguments<double>(1, b, 0, c, rows, columns);
}

TEST(BlockArguments, ExtentsThatDoNotFitAreNamed) {
  const RowMajor B("B", 6, 4), C("C", 5, 4), narrow("narrow", 5, 3);
  EXPECT_NO_THROW(arguments(B, C, 5, 6));
  EXPECT_THROW(arguments(B, C, 5, 7), DimensionMismatch);
  EXPECT_THROW(arguments(B, C, 4, 6), DimensionMismatch);
  try {
    arguments(B, narrow, 5, 6);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DimensionMismatch& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("lacuna::spmm"), testing::HasSubstr("5x6"),
                                             testing::HasSubstr("6x4"), testing::HasSubstr("5x3")));
  }
}

TEST(BlockArguments, OverlapIsRefusedButBlocksSideBySideAreNot) {
  const RowMajor right("right", 12, 40);
  const ColumnMaj left("left", 12, 40);
  const auto check = [](const auto& view) {
    const auto part = [&](Range rows, Range columns) { return Kokkos::subview(view, rows, columns); };
    EXPECT_NO_THROW(arguments(part({0, 6}, {0, 8}), part({6, 12}, {0, 8}), 6, 6));
    EXPECT_NO_THROW(arguments(part({0, 6}, {0, 8}), part({0, 6}, {8, 16}), 6, 6));
    EXPECT_NO_THROW(arguments(part({3, 9}, {20, 28}), part({0, 12}, {12, 20}), 12, 6));
    EXPECT_THROW(arguments(part({0, 6}, {0, 8}), part({0, 6}, {0, 8}), 6, 6), InvalidArgument);
    EXPECT_THROW(arguments(part({0, 6}, {0, 8}), part({5, 11}, {7, 15}), 6, 6), InvalidArgument);
    EXPECT_THROW(arguments(part({5, 11}, {7, 15}), part({0, 6}, {0, 8}), 6, 6), InvalidArgument);
  };
  check(right);
  check(left);
  // Other strides over the same memory.
  const Strided every_second(right.data(), Kokkos::LayoutStride(6, 80, 8, 2));
  EXPECT_THROW(arguments(every_second, Kokkos::subview(right, Range(0, 6), Range(1, 9)), 6, 6), InvalidArgument);
  EXPECT_NO_THROW(arguments(every_second, Strided(right.data() + 1, Kokkos::LayoutStride(6, 40, 8, 2)), 6, 6));
  EXPECT_NO_THROW(arguments(every_second, Strided(right.data() + 40, Kokkos::LayoutStride(6, 80, 8, 1)), 6, 6));
  EXPECT_NO_THROW(arguments(Kokkos::subview(right, Range(0, 0), Range(0, 40)), right, 12, 0)) << "nothing is shared";
}

TEST(BlockArguments, RowsAndColumnsOfOneViewMayBeBothBAndC) {
  const RowMajor right("right", 12, 40);
  const ColumnMaj left("left", 12, 40);
  const auto check = [](const auto& view) {
    const auto part = [&](Range rows, Range columns) { return Kokkos::subview(view, rows, columns); };
    EXPECT_NO_THROW(arguments(part({3, 4}, {0, 40}), part({4, 5}, {0, 40}), 1, 1));
    EXPECT_NO_THROW(arguments(part({0, 12}, {7, 8}), part({0, 12}, {6, 7}), 12, 12));
    EXPECT_NO_THROW(arguments(part({0, 6}, {0, 1}), part({0, 12}, {1, 2}), 12, 6));
    EXPECT_NO_THROW(arguments(part({11, 12}, {0, 8}), part({0, 11}, {0, 8}), 11, 1));
    EXPECT_THROW(arguments(part({3, 4}, {0, 40}), part({3, 4}, {0, 40}), 1, 1), InvalidArgument);
    EXPECT_THROW(arguments(part({0, 12}, {7, 8}), part({11, 12}, {7, 8}), 1, 12), InvalidArgument);
  };
  check(right);
  check(left);
}

TEST(BlockArguments, ElementsOfCThatShareMemoryAreRefused) {
  const RowMajor B("B", 6, 4), memory("memory", 5, 4);
  EXPECT_THROW(arguments(B, Strided(memory.data(), Kokkos::LayoutStride(5, 3, 4, 1)), 5, 6), InvalidArgument);
  EXPECT_NO_THROW(arguments(B, Strided(memory.data(), Kokkos::LayoutStride(5, 1, 4, 5)), 5, 6));
  EXPECT_THROW(arguments(B, Strided(memory.data(), Kokkos::LayoutStride(5, 0, 4, 1)), 5, 6), InvalidArgument);
  EXPECT_THROW(arguments(B, Strided(memory.data(), Kokkos::LayoutStride(5, 1, 4, 0)), 5, 6), InvalidArgument);
}

TEST(BlockArguments, AlignmentOfRows) {
  const RowMajor B("B", 4, 6), C("C", 3, 6);
  EXPECT_TRUE(arguments(B, C, 3, 4).B.rows_aligned(16));
  const RowMajor odd("odd", 4, 7);
  EXPECT_FALSE(arguments(odd, RowMajor("C", 3, 7), 3, 4).B.rows_aligned(16));
  EXPECT_TRUE(arguments(odd, RowMajor("C", 3, 7), 3, 4).B.rows_aligned(8));
  const ColumnMaj left("left", 4, 6), one_column("one", 4, 1);
  EXPECT_FALSE(arguments(left, C, 3, 4).B.rows_aligned(8));
  EXPECT_TRUE(arguments(one_column, RowMajor("C", 3, 1), 3, 4).B.row_major());
}

TEST(BlockArguments, WithoutAProductCIsScaledInAnyLayout) {
  const auto check = [](const auto& C) {
    const RowMajor B("B", 6, 4);
    copy_in(C, std::vector<double>(20, 3.0));
    EXPECT_TRUE(Impl::spmm_without_product(Exec(), Impl::make_block_arguments<double>(0, B, -2, C, 5, 6), 9));
    EXPECT_THAT(to_row_major(C), testing::Each(-6.0));
    copy_in(C, std::vector<double>(20, std::numeric_limits<double>::quiet_NaN()));
    EXPECT_TRUE(Impl::spmm_without_product(Exec(), Impl::make_block_arguments<double>(1, B, 0, C, 5, 6), 0));
    EXPECT_THAT(to_row_major(C), testing::Each(0.0));
    EXPECT_FALSE(Impl::spmm_without_product(Exec(), Impl::make_block_arguments<double>(1, B, 0, C, 5, 6), 9));
  };
  check(RowMajor("C", 5, 4));
  check(ColumnMaj("C", 5, 4));
  check(Kokkos::subview(RowMajor("wide", 9, 9), Range(2, 7), Range(3, 7)));
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_SPMM_CHECK_HPP
#define LACUNA_TEST_SPMM_CHECK_HPP

#include <reference/Reference_Spmm.hpp>
#include <support/Test_Matrices.hpp>
#include <support/Test_Messages.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief What tests of SpMM share: dense blocks in every layout, and the comparison of a product with the reference.

namespace lacuna::Test {

template <class Matrix>
using ScalarOf = typename Matrix::non_const_value_type;

/// How a block lies in memory.
enum class Storage {
  rows,          ///< LayoutRight, rows side by side
  columns,       ///< LayoutLeft
  wide_rows,     ///< LayoutRight in rows of a multiple of 16 bytes, with other elements behind
  odd_rows,      ///< LayoutRight from the second element of longer rows of odd length
  long_columns,  ///< LayoutLeft in longer columns
  spread,        ///< every second row, every third element
  even_columns   ///< LayoutLeft in longer columns that begin at multiples of 16 bytes; not among `storages`
};
inline constexpr Storage storages[] = {Storage::rows,     Storage::columns,      Storage::wide_rows,
                                       Storage::odd_rows, Storage::long_columns, Storage::spread};
inline std::string name(Storage storage) {
  static constexpr const char* names[] = {"rows",         "columns", "wide rows",   "odd rows",
                                          "long columns", "spread",  "even columns"};
  return names[static_cast<int>(storage)];
}

/// A strided View within memory of its own, whose other elements hold a mark.
template <class Scalar, class Device>
struct TestBlock {
  using View   = Kokkos::View<Scalar**, Kokkos::LayoutStride, Device>;
  using Memory = Kokkos::View<Scalar*, Device>;

  Memory memory;
  View view;
  std::vector<bool> is_beside;

  static Scalar mark() { return Scalar(77.0f); }

  TestBlock(Storage storage, std::int64_t rows, std::int64_t columns, const std::vector<Scalar>& values,
            Scalar beside = mark()) {
    std::int64_t row_stride = columns, column_stride = 1, first = 0;
    switch (storage) {
      case Storage::rows: break;
      case Storage::columns: row_stride = 1, column_stride = rows; break;
      case Storage::wide_rows: row_stride = (columns / 16 + 2) * 16, first = 16; break;
      case Storage::odd_rows: row_stride = columns + 2 - columns % 2 + 1, first = 1; break;
      case Storage::long_columns: row_stride = 1, column_stride = rows + 5, first = 3; break;
      case Storage::even_columns: row_stride = 1, column_stride = (rows / 16 + 2) * 16, first = 16; break;
      case Storage::spread: row_stride = 2 * (3 * columns + 1), column_stride = 3, first = 2; break;
    }
    const auto size = static_cast<std::size_t>(
        first + (rows > 0 && columns > 0 ? (rows - 1) * row_stride + (columns - 1) * column_stride + 1 : 0));
    memory = Memory("memory", size);
    view   = View(memory.data() + first,
                  Kokkos::LayoutStride(static_cast<std::size_t>(rows), static_cast<std::size_t>(row_stride),
                                       static_cast<std::size_t>(columns), static_cast<std::size_t>(column_stride)));
    Kokkos::deep_copy(memory, beside);
    is_beside.assign(size, true);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        is_beside[static_cast<std::size_t>(first + i * row_stride + j * column_stride)] = false;
    copy_in(view, values);
  }

  /// Whether nothing was written beside the elements of the view.
  bool untouched_beside() const {
    const auto all = to_vector(memory);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (is_beside[i] && all[i] != mark()) return false;
    return true;
  }
};

template <class Scalar>
Scalar not_a_number() {
  return Scalar(std::numeric_limits<typename RealOf<Arithmetic<Scalar>>::type>::quiet_NaN());
}

/// One call: everything that a product depends on beside the matrix.
template <class Scalar>
struct SpmmCase {
  std::int64_t columns     = 1;
  Op op                    = Op::none;
  Arithmetic<Scalar> alpha = Arithmetic<Scalar>(1);
  Arithmetic<Scalar> beta  = Arithmetic<Scalar>(0);
  Storage b                = Storage::rows;
  Storage c                = Storage::rows;
  double relative          = 0;  ///< error allowed beside that of the arithmetic
};

/// Runs `product(case, B, C)` with random B among NaN, and random C or, where beta == 0, C full of NaN; compares with
/// the reference, and makes sure that nothing beside C was written.
template <class Device, class Scalar, class Product>
void check_spmm(const NamedMatrix<Scalar>& sample, const SpmmCase<Scalar>& call, const std::string& what,
                const Product& product) {
  const auto& A        = sample.matrix;
  const auto rows      = call.op == Op::none ? A.rows : A.columns;
  const auto depth     = call.op == Op::none ? A.columns : A.rows;
  const auto b         = random_vector<Scalar>(depth * call.columns);
  const auto c_size    = rows * call.columns;
  const auto c         = call.beta == Arithmetic<Scalar>(0)
                             ? std::vector<Scalar>(static_cast<std::size_t>(c_size), not_a_number<Scalar>())
                             : random_vector<Scalar>(c_size, 17);
  const auto reference = reference_spmm(call.op, call.alpha, A, b, call.columns, call.beta, c);
  const TestBlock<Scalar, Device> B(call.b, depth, call.columns, b, not_a_number<Scalar>());
  const TestBlock<Scalar, Device> C(call.c, rows, call.columns, c);
  product(call, B.view, C.view);
  Kokkos::fence();
  const std::string all = sample.name + ", N " + std::to_string(call.columns) + ", B " + name(call.b) + ", C " +
                          name(call.c) + ", op " + std::string(lacuna::name(call.op)) + ", " + what;
  EXPECT_TRUE(matches(reference, to_row_major(C.view), call.relative)) << all;
  EXPECT_TRUE(C.untouched_beside()) << all;
}

}  // namespace lacuna::Test

#endif

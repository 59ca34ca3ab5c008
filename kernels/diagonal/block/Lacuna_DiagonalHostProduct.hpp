// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALHOSTPRODUCT_HPP
#define LACUNA_DIAGONALHOSTPRODUCT_HPP

#include <kernels/diagonal/block/Lacuna_DiagonalBlockPolicy.hpp>
#include <kernels/diagonal/block/Lacuna_DiagonalBlockProduct.hpp>

#include <core/impl/passes/Lacuna_Passes.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// \brief Diagonals times vectors and blocks on hosts, in loops that compilers make vectors of: along a diagonal where
/// columns of B are contiguous, along a row of B where rows are. By ascending offset for every element: the same bits
/// on every run. Host code only.

namespace lacuna::Impl {

/// An item has some rows of one column.
template <class ProductType>
struct DiagonalHostColumns {
  using Product = ProductType;
  using Scalar  = typename Product::Scalar;

  Product product;
  std::int64_t row_tiles;

  void operator()(const std::int64_t item) const {
    const auto& A             = product.A;
    const auto& B             = product.arguments.B;
    const std::int64_t column = item / row_tiles;
    const std::int64_t top    = item % row_tiles * DiagonalBlockPolicy::host_rows;
    const std::int64_t end    = std::min<std::int64_t>(top + DiagonalBlockPolicy::host_rows, A.X.rows);
    Scalar sums[DiagonalBlockPolicy::host_rows];
    std::fill(sums, sums + (end - top), Scalar(0));
    for (std::int64_t position = 0; position < A.count(); ++position) {
      const SignedDiagonal now = A(position);
      const std::int64_t from  = std::max(top, product.first_row(now.offset));
      const std::int64_t stop  = std::min(end, product.end_row(now.offset));
      if (from >= stop) continue;
      const Scalar* const a = A.X.list + now.base + from;
      const Scalar* const b = B.at(from + now.offset, column);
      if (A.X.conjugated)
        for (std::int64_t i = 0; i < stop - from; ++i) sums[from - top + i] += taken(a[i], true) * b[i * B.row_stride];
      else if (B.row_stride == 1)
        for (std::int64_t i = 0; i < stop - from; ++i) sums[from - top + i] += a[i] * b[i];
      else
        for (std::int64_t i = 0; i < stop - from; ++i) sums[from - top + i] += a[i] * b[i * B.row_stride];
    }
    for (std::int64_t row = top; row < end; ++row) product.write(row, column, sums[row - top]);
  }
};

/// An item has some rows, and of them some columns at a time. B is row-major.
template <class ProductType>
struct DiagonalHostRows {
  using Product = ProductType;
  using Scalar  = typename Product::Scalar;

  Product product;

  void operator()(const std::int64_t item) const {
    constexpr int most     = DiagonalBlockPolicy::host_columns;
    const std::int64_t top = item * DiagonalBlockPolicy::host_item;
    const std::int64_t end = std::min<std::int64_t>(top + DiagonalBlockPolicy::host_item, product.A.X.rows);
    const std::int64_t n   = product.arguments.B.columns;
    for (std::int64_t left = 0; left < n; left += most) {
      if (n - left >= most)
        for (std::int64_t row = top; row < end; ++row) add_row(row, left, std::integral_constant<int, most>());
      else
        for (std::int64_t row = top; row < end; ++row) add_row(row, left, static_cast<int>(n - left));
    }
  }

 private:
  /// `count`: a constant where a whole tile is.
  template <class Count>
  void add_row(std::int64_t row, std::int64_t left, Count count) const {
    const auto& A = product.A;
    const auto& B = product.arguments.B;
    Scalar sums[DiagonalBlockPolicy::host_columns];
    for (int c = 0; c < count; ++c) sums[c] = Scalar(0);
    for (std::int64_t position = 0; position < A.count(); ++position) {
      const SignedDiagonal now  = A(position);
      const std::int64_t column = row + now.offset;
      if (column < 0 || column >= A.X.columns) continue;
      const Scalar a        = taken(A.X.list[now.base + row], A.X.conjugated);
      const Scalar* const b = B.at(column, left);
      for (int c = 0; c < count; ++c) sums[c] += a * b[c];
    }
    for (int c = 0; c < count; ++c) product.write(row, left + c, sums[c]);
  }
};

template <class ExecutionSpace, class Product>
void diagonal_host(const ExecutionSpace& exec, const std::string& label, const Product& product) {
  using Policy            = DiagonalBlockPolicy;
  const auto& B           = product.arguments.B;
  const std::int64_t rows = product.A.X.rows;
  if (B.row_major() && B.columns > 1) {
    for_each_index(exec, label, ceiling_quotient(rows, Policy::host_item), DiagonalHostRows<Product>{product});
    return;
  }
  const std::int64_t row_tiles = ceiling_quotient(rows, Policy::host_rows);
  for_each_index(exec, label, row_tiles * B.columns, DiagonalHostColumns<Product>{product, row_tiles});
}

}  // namespace lacuna::Impl

#endif

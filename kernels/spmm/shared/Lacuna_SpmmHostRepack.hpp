// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMHOSTREPACK_HPP
#define LACUNA_SPMMHOSTREPACK_HPP

#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/rows/Lacuna_HostVector.hpp>

#include <algorithm>
#include <cstdint>

namespace lacuna::Impl {

/// A block of any strides copied to rows on a host. An index is a block of rows; of these, squares whose sides are a
/// cache line or so are copied one after the other: columns that lie a multiple of 4 KiB apart share one set of a
/// cache, which holds no more lines than that.
template <class Scalar, class To, class Convert>
struct HostRepack {
  static constexpr std::int64_t height = 64;
  static constexpr std::int64_t side   = 8;

  DenseBlock<const Scalar> from;
  To* to;
  std::int64_t row;  ///< elements from one row of `to` to the next; what is behind the last column becomes 0
  Convert convert;   ///< an element of `to` from one of B

  void operator()(const std::int64_t block) const {
    const std::int64_t end = std::min(from.rows, (block + 1) * height);
    for (std::int64_t column = 0; column < row; column += side)
      for (std::int64_t first = block * height; first < end; first += side)
        if (first + side <= end && column + side <= from.columns)
          for (std::int64_t i = first; i < first + side; ++i) copy_row(from.at(i, column), to + i * row + column);
        else
          copy_edge(first, std::min(side, end - first), column, std::min(side, row - column));
  }

 private:
  /// The part of a row that a square has. No loop: compilers unroll some at -O3 alone.
  void copy_row(const Scalar* source, To* target) const {
    HostVector<To, side>::of([&](int j) { return convert(source[j * from.column_stride]); }).store(target);
  }
  void copy(std::int64_t first, std::int64_t rows, std::int64_t column, std::int64_t columns) const {
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < rows; ++i) to[(first + i) * row + column + j] = convert(from(first + i, column + j));
  }
  void copy_edge(std::int64_t first, std::int64_t rows, std::int64_t column, std::int64_t columns) const {
    const std::int64_t there = std::clamp<std::int64_t>(from.columns - column, 0, columns);
    copy(first, rows, column, there);
    for (std::int64_t i = 0; i < rows; ++i)
      std::fill_n(to + (first + i) * row + column + there, columns - there, convert(Scalar(0)));
  }
};

}  // namespace lacuna::Impl

#endif

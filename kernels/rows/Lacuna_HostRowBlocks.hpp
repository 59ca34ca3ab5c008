// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HOSTROWBLOCKS_HPP
#define LACUNA_HOSTROWBLOCKS_HPP

#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/rows/Lacuna_HostRows.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief The row kernel for hosts where rows of C are not contiguous, as in LayoutLeft: blocks of rows by way of a
/// small row-major panel. Host code only.
///
/// Bound: bytes of B and C from memory. Columns that lie a multiple of 4 KiB apart, as those of meshes do, share one
/// set of every cache: a row that is stored element by element evicts its own lines before the next row completes them,
/// and each line goes to memory several times. A block of rows fills whole lines, one after the other.
/// Evidence: kernels/rows/tuning.md.

namespace lacuna::Impl {

/// Work item p of `items` takes the rows of `first_row_of_share`. `B_row_major`: rows of B are contiguous.
template <class Arrays, class Output, bool B_row_major>
struct HostRowBlocks {
  using Scalar     = typename Arrays::Scalar;
  using Arguments  = BlockArguments<Scalar, Output>;
  using Arithmetic = typename Arguments::Arithmetic;
  using Rows       = HostRows<Arrays, Arithmetic, B_row_major>;

  static constexpr std::int64_t height = RowsPolicy::host_block_rows;
  static constexpr std::int64_t tile   = std::int64_t{Rows::widest} * RowsPolicy::host_tile_vectors;

  Arrays A;
  Arguments arguments;
  std::int64_t items;
  bool prefetches;  ///< asks for rows of B ahead; they are contiguous

  void operator()(const std::int64_t item) const {
    const std::int64_t first = first_row_of_share(A, item, items), last = first_row_of_share(A, item + 1, items);
    if constexpr (B_row_major)
      add_rows(first, last, 0, arguments.C.columns);  // a block reads its rows of A again from the nearest cache
    else
      for (std::int64_t column = 0; column < arguments.C.columns; column += RowsPolicy::host_column_panel)
        add_rows(first, last, column, std::min(arguments.C.columns, column + RowsPolicy::host_column_panel));
  }

 private:
  void add_rows(std::int64_t first, std::int64_t last, std::int64_t column, std::int64_t end) const {
    const std::int64_t tiles = ceiling_quotient(end - column, tile);
    for (std::int64_t row = first; row < last;) {
      const std::int64_t next = std::min(last, (row / height + 1) * height);
      for (std::int64_t t = 0; t < tiles; ++t) {
        const std::int64_t start = column + (end - column) * t / tiles,
                           stop  = column + (end - column) * (t + 1) / tiles;
        add_block(row, next, start, stop - start);
      }
      row = next;
    }
  }

  /// `columns` from `column` on, at most a tile, of the rows [first, last), at most `height`.
  void add_block(std::int64_t first, std::int64_t last, std::int64_t column, std::int64_t columns) const {
    Arithmetic panel[height * tile];
    BlockArguments<Scalar, Arithmetic> part{
        arguments.alpha, Arithmetic(0), arguments.B, {panel, columns, 1, last - first, columns}};
    part.B.data += column * part.B.column_stride;
    part.B.columns = columns;
    Arrays rows    = A;
    rows.row_map += first;
    Rows{rows, part, items, prefetches}.add_rows(0, last - first);
    for (std::int64_t j = 0; j < columns; ++j)
      write_column(arguments.C.at(first, column + j), panel + j, columns, last - first);
  }

  /// The products of a column, every `step`-th number, to `count` elements of C. They hold alpha already.
  void write_column(Output* c, const Arithmetic* products, std::int64_t step, std::int64_t count) const {
    const std::int64_t stride = arguments.C.row_stride;
    if (arguments.beta != Arithmetic(0))
      for (std::int64_t i = 0; i < count; ++i)
        c[i * stride] =
            static_cast<Output>(products[i * step] + arguments.beta * static_cast<Arithmetic>(c[i * stride]));
    else
      for (std::int64_t i = 0; i < count; ++i) c[i * stride] = static_cast<Output>(products[i * step]);
  }
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HOSTROWS_HPP
#define LACUNA_HOSTROWS_HPP

#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/rows/Lacuna_HostVector.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

/// \file
/// \brief The row kernel for hosts: a thread walks rows and keeps the sums of a tile of N in vector
/// registers. Host code only.
///
/// Bound, as far as times tell: for few columns the bytes of A from memory; for many columns the rows of B from the
/// second- and third-level cache, one for each nonzero. So a tile is as wide as the registers allow: each tile reads
/// the row of A again and starts a new stream of B.
/// Evidence: kernels/rows/tuning.md.

namespace lacuna::Impl {

/// The first row of share p of `shares`: those that start in its part of the nonzeros and rows, counted together.
template <class Arrays>
std::int64_t first_row_of_share(const Arrays& A, std::int64_t share, std::int64_t shares) {
  const std::int64_t rows = A.rows, work = static_cast<std::int64_t>(A.nonzeros) + rows;
  const std::int64_t key = share * (work / shares) + std::min(share, work % shares);
  std::int64_t low = 0, high = rows;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (static_cast<std::int64_t>(A.row_map[middle]) + middle < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Rows of C are contiguous. Work item p of `items` takes the rows of its share, see `first_row_of_share`.
template <class Arrays, class Output, bool row_major, int register_bytes = host_register_bytes>
struct HostRows {
  using Scalar     = typename Arrays::Scalar;
  using Offset     = typename Arrays::Offset;
  using Arguments  = BlockArguments<Scalar, Output>;
  using Arithmetic = typename Arguments::Arithmetic;

  static constexpr int widest    = host_vector_width<Arithmetic>(RowsPolicy::host_vector_bytes(register_bytes));
  static constexpr int narrowest = host_vector_width<Arithmetic>(RowsPolicy::host_narrow_bytes);

  Arrays A;
  Arguments arguments;
  std::int64_t items;
  bool prefetches;  ///< asks for rows of B ahead; they are contiguous

  void operator()(const std::int64_t item) const {
    add_rows(first_row_of_share(A, item, items), first_row_of_share(A, item + 1, items));
  }
  void add_rows(std::int64_t first, std::int64_t last) const { add_rows<widest>(first, last); }

 private:
  /// With vectors of `width` columns, or of half as many where N has fewer.
  template <int width>
  void add_rows(std::int64_t first, std::int64_t last) const {
    if (arguments.C.columns >= width)
      add_tiles<width, width == widest ? RowsPolicy::host_tile_vectors : 2>(first, last);
    else if constexpr (width > narrowest)
      add_rows<width / 2>(first, last);
    else
      for (std::int64_t row = first; row < last; ++row) add_narrow<narrowest - 1>(row);
  }

  /// All columns, in tiles of about equally many vectors. N is at least one vector.
  template <int width, int most>
  void add_tiles(std::int64_t first, std::int64_t last) const {
    const std::int64_t vectors = ceiling_quotient(arguments.C.columns, std::int64_t{width});
    const std::int64_t tiles   = ceiling_quotient(vectors, std::int64_t{most});
    if (tiles == 1) return add_rows_of<width, most>(first, last, static_cast<int>(vectors));
    const std::int64_t narrow = vectors / tiles, wider = vectors % tiles;  // the last ones have a vector more
    for (std::int64_t row = first; row < last; ++row)
      for (std::int64_t tile = 0, start = 0; tile < tiles; ++tile) {
        const std::int64_t count = narrow + (tile >= tiles - wider ? 1 : 0);
        add_tile_of<width, most>(row, start * width, static_cast<int>(count));
        start += count;
      }
  }

  /// Rows of one tile of `wanted` vectors.
  template <int width, int count>
  void add_rows_of(std::int64_t first, std::int64_t last, int wanted) const {
    if constexpr (count > 1)
      if (wanted < count) return add_rows_of<width, count - 1>(first, last, wanted);
    for (std::int64_t row = first; row < last; ++row) add_tile<width>(row, 0, std::make_integer_sequence<int, count>());
  }

  template <int width, int count>
  void add_tile_of(std::int64_t row, std::int64_t column, int wanted) const {
    if constexpr (count > 1)
      if (wanted < count) return add_tile_of<width, count - 1>(row, column, wanted);
    add_tile<width>(row, column, std::make_integer_sequence<int, count>());
  }

  /// Fewer columns than half a vector.
  template <int width>
  void add_narrow(std::int64_t row) const {
    if constexpr (width > 1)
      if (arguments.C.columns < width) return add_narrow<width - 1>(row);
    if constexpr (width > RowsPolicy::host_parts / 2)
      add_tile<width>(row, 0, std::integer_sequence<int, 0>());
    else if constexpr (width > 0)
      add_in_parts<width>(row);
  }

  /// For few columns: the numbers of a vector are partial sums of one element, for consecutive nonzeros.
  template <int width>
  void add_in_parts(std::int64_t row) const {
    constexpr int parts     = RowsPolicy::host_parts;
    const std::int64_t step = row_major ? 1 : arguments.B.column_stride;
    const auto b            = [&](Offset k, int column) { return arguments.B.at(A.entries[k], 0)[column * step]; };
    HostVector<Arithmetic, parts, register_bytes> sums[width] = {};
    const Offset end                                          = A.row_map[row + 1];
    Offset k                                                  = A.row_map[row];
    for (; end - k >= parts; k += parts)
      for (int j = 0; j < width; ++j)
        sums[j].add_products([&](int p) { return A.values[k + p]; }, [&](int p) { return b(k + p, j); });
    const int left = static_cast<int>(end - k);
    if (left > 0)
      for (int j = 0; j < width; ++j)
        sums[j].add_products([&](int p) { return p < left ? A.values[k + p] : Scalar(0); },
                             [&](int p) { return p < left ? b(k + p, j) : Scalar(0); });
    for (int j = 0; j < width; ++j) arguments.write(row, j, sums[j].total());
  }

  /// The part of a row of B that a tile will read for nonzero k; of the last nonzeros of A there is none.
  LACUNA_HOST_INLINE void ask_for(Offset k, std::int64_t column, int columns) const {
    if (k >= A.nonzeros) return;
    const auto* const first = reinterpret_cast<const char*>(arguments.B.at(A.entries[k], column));
    for (int byte = 0; byte < columns * static_cast<int>(sizeof(Scalar)); byte += 64) prefetch_line(first + byte);
  }

  /// Adds a nonzero to the vectors of a tile that begins in `column`; the last one begins `last` columns on.
  template <class Sums, int... each>
  LACUNA_HOST_INLINE void add_nonzero(Sums* sums, Offset k, std::int64_t column, std::int64_t last, int width,
                                      std::integer_sequence<int, each...>) const {
    constexpr int count     = sizeof...(each);
    const std::int64_t step = row_major ? 1 : arguments.B.column_stride;
    const Scalar* const b   = arguments.B.at(A.entries[k], 0) + column * step;
    const Arithmetic value  = static_cast<Arithmetic>(A.values[k]);
    (sums[each].template add_product<row_major>(value, b + (each < count - 1 ? each * width : last) * step, step), ...);
  }

  /// Vectors of `width` columns from `column` on. Where N is no multiple of the width, the last
  /// vector overlaps the one before.
  template <int width, int... each>
  void add_tile(std::int64_t row, std::int64_t column, std::integer_sequence<int, each...>) const {
    using Sums                 = HostVector<Arithmetic, width, register_bytes>;
    constexpr int count        = sizeof...(each);
    constexpr int ways         = RowsPolicy::host_ways(count * Sums::parts);
    const std::int64_t last    = std::min(column + (count - 1) * width, arguments.C.columns - width);
    const std::int64_t start[] = {(each < count - 1 ? column + each * width : last)...};
    Sums sums[count]           = {};
    const Offset end           = A.row_map[row + 1];
    Offset k                   = A.row_map[row];
    constexpr std::integer_sequence<int, each...> all{};  // not a lambda that adds: GCC 16 would call it
    if constexpr (ways == 2) {
      Sums others[count] = {};
      for (; end - k >= 2; k += 2) {
        add_nonzero(sums, k, column, last - column, width, all);
        add_nonzero(others, k + 1, column, last - column, width, all);
      }
      if (k < end) add_nonzero(sums, k, column, last - column, width, all);
      (sums[each].add(others[each]), ...);
    } else {
      if (prefetches) {
        for (; k < end; ++k) {
          ask_for(k + RowsPolicy::host_prefetch, column, count * width);
          add_nonzero(sums, k, column, last - column, width, all);
        }
      } else {
        for (; k < end; ++k) add_nonzero(sums, k, column, last - column, width, all);
      }
    }
    (sums[each].multiply(arguments.alpha), ...);
    // All that vectors share is read before it is written.
    if (arguments.beta != Arithmetic(0))
      (sums[each].template add_product<true>(arguments.beta, arguments.C.at(row, start[each]), 1), ...);
    (sums[each].store(arguments.C.at(row, start[each])), ...);
  }
};

}  // namespace lacuna::Impl

#endif

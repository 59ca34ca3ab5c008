// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTROWS_HPP
#define LACUNA_SPGEMMHOSTROWS_HPP

#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmOperands.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmSearchRows.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lacuna::Impl {

/// Rows of C by host threads, each with a dense row of sums, a bit for each of its columns, and the list of those that
/// are set. Threads take rows in turns, a few at a time. A row is added in the order of A: the same bits on every run.
/// Not `Numeric`: counts nonzeros and reads no values.
template <bool Numeric, class Operands>
struct SpgemmHostRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr std::int64_t rows_at_once = 32;

  Operands operands;
  const ColumnRange<Ordinal>* ranges;
  Counter* next;        ///< row that nobody has taken
  std::int64_t width;   ///< columns of the widest row
  std::uint64_t* bits;  ///< (width + 63) / 64 a thread, twice that under a mask; all 0 between rows
  Ordinal* lists;       ///< `width` a thread
  Scalar* sums;         ///< `width` a thread
  SpgemmTarget<Scalar, Ordinal, Offset> target;
  bool is_mixed;  ///< rows of B do not ascend strictly

  static constexpr std::int64_t bitmaps = Operands::is_masked ? 2 : 1;  ///< a thread: columns seen, the mask

  KOKKOS_FUNCTION void operator()(std::int64_t worker) const {
    const auto rows      = static_cast<std::int64_t>(operands.A.rows);
    std::uint64_t* words = bits + worker * bitmaps * ((width + 63) / 64);
    Ordinal* list        = lists + worker * width;
    Scalar* sum          = Numeric ? sums + worker * width : nullptr;
    for (;;) {
      const auto first = static_cast<std::int64_t>(Kokkos::atomic_fetch_add(next, Counter(rows_at_once)));
      if (first >= rows) return;
      const std::int64_t last = first + rows_at_once < rows ? first + rows_at_once : rows;
      for (std::int64_t row = first; row < last; ++row) work_on(row, words, list, sum);
    }
  }

 private:
  KOKKOS_FUNCTION void work_on(std::int64_t row, std::uint64_t* words, Ordinal* list, Scalar* sum) const {
    const Arrays& A     = operands.A;
    const Arrays& B     = operands.B;
    const Ordinal base  = ranges[row].first;
    std::int64_t length = 0;
    const Offset end    = A.row_map[row + 1];
    if constexpr (Operands::is_masked) {
      if (find_by_search(row)) return;
      set_mask(row, words + (width + 63) / 64, true);
    }
    for (Offset k = A.row_map[row]; k < end; ++k) {
      const Ordinal inner = A.entries[k];
      Scalar factor(0);
      if constexpr (Numeric) factor = operands.factor(A.values[k]);
      for (Offset b = B.row_map[inner]; b < B.row_map[inner + 1]; ++b) {
        const auto column       = static_cast<std::uint64_t>(B.entries[b] - base);
        const std::uint64_t bit = std::uint64_t(1) << (column % 64);
        if constexpr (Operands::is_masked) {
          if (column >= static_cast<std::uint64_t>(ranges[row].width())) continue;
          const std::uint64_t* const masked = words + (width + 63) / 64;
          if (((masked[column / 64] & bit) != 0) == operands.mask.complemented) continue;
        }
        std::uint64_t& word = words[column / 64];
        const bool is_new   = (word & bit) == 0;
        if (is_new) {
          word |= bit;
          list[length++] = static_cast<Ordinal>(column);
        }
        if constexpr (Numeric) {
          if (is_new)
            sum[column] = operands.product(factor, B.values[b]);
          else
            operands.add(sum[column], operands.product(factor, B.values[b]));
        }
      }
    }
    if constexpr (Numeric) {
      put_in_order(row, words, list, length);
      const Offset begin = target.begin[row];
      for (std::int64_t i = 0; i < length; ++i) {
        target.entries[begin + static_cast<Offset>(i)] = list[i] + base;
        target.values[begin + static_cast<Offset>(i)]  = sum[list[i]];
      }
    } else {
      target.counts[row] = static_cast<Ordinal>(length);
    }
    for (std::int64_t i = 0; i < length; ++i) words[list[i] / 64] = 0;
    if constexpr (Operands::is_masked) set_mask(row, words + (width + 63) / 64, false);
  }

  /// Sets the bits of the columns that the mask names, or clears them.
  KOKKOS_FUNCTION void set_mask(std::int64_t row, std::uint64_t* masked, bool set) const {
    const std::int64_t first = ranges[row].first, width_of_row = ranges[row].width();
    for (std::int64_t m = operands.mask.begin(row); m < operands.mask.end(row); ++m) {
      const std::int64_t column = static_cast<std::int64_t>(operands.mask.entries[m]) - first;
      if (column < 0 || column >= width_of_row) continue;
      if (set)
        masked[column / 64] |= std::uint64_t(1) << (column % 64);
      else
        masked[column / 64] = 0;
    }
  }

  /// True where the mask leaves nothing of the row, or where its columns were searched in B: the row is done then.
  KOKKOS_FUNCTION bool find_by_search(std::int64_t row) const {
    const Arrays& A        = operands.A;
    std::int64_t products  = 0;
    const bool leaves_some = ranges[row].width() > 0;
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
      products += static_cast<std::int64_t>(operands.B.row_map[A.entries[k] + 1] - operands.B.row_map[A.entries[k]]);
    const auto factors = static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]);
    if (leaves_some && (is_mixed || !operands.mask.searches(row, factors, products))) return false;
    const std::int64_t begin = operands.mask.begin(row);
    const std::int64_t end   = leaves_some ? operands.mask.end(row) : begin;
    std::int64_t length      = 0;
    for (std::int64_t m = begin; m < end; ++m) {
      Ordinal column(0);
      Scalar sum{};
      if (!SpgemmSearchRows<Numeric, Operands>::find(operands, static_cast<Ordinal>(row), begin, m, column, sum))
        continue;
      if constexpr (Numeric) {
        const Offset to    = target.begin[row] + static_cast<Offset>(length);
        target.entries[to] = column;
        target.values[to]  = sum;
      }
      ++length;
    }
    if constexpr (!Numeric) target.counts[row] = static_cast<Ordinal>(length);
    return true;
  }

  /// Sorts the list, or reads the columns anew from the bits where that is less work.
  KOKKOS_FUNCTION void put_in_order(std::int64_t row, const std::uint64_t* words, Ordinal* list,
                                    std::int64_t length) const {
    const std::int64_t count = (ranges[row].width() + 63) / 64;
    KOKKOS_IF_ON_HOST(
        (if (count > 4 * length) {
          std::sort(list, list + length);
          return;
        } std::int64_t place = 0;
         for (std::int64_t w = 0; w < count; ++w) for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1)
             list[place++] = static_cast<Ordinal>(64 * w + std::countr_zero(rest));))
    KOKKOS_IF_ON_DEVICE((static_cast<void>(words); static_cast<void>(list); static_cast<void>(count);))
  }
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTROWS_HPP
#define LACUNA_SPGEMMHOSTROWS_HPP

#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmOperands.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lacuna::Impl {

/// Rows of C by host threads, each with a dense row of sums, a bit for each of its columns, and the list of those that
/// are set. Threads take rows in turns, a few at a time. A row is added in the order of A: the same bits on every run.
/// Not `Numeric`: counts nonzeros and reads no values.
template <bool Numeric, class Arrays>
struct SpgemmHostRows {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr std::int64_t rows_at_once = 32;

  SpgemmOperands<Arrays> operands;
  const ColumnRange<Ordinal>* ranges;
  Counter* next;        ///< row that nobody has taken
  std::int64_t width;   ///< columns of the widest row
  std::uint64_t* bits;  ///< (width + 63) / 64 a thread, all 0 between rows
  Ordinal* lists;       ///< `width` a thread
  Scalar* sums;         ///< `width` a thread
  SpgemmTarget<Scalar, Ordinal, Offset> target;

  KOKKOS_FUNCTION void operator()(std::int64_t worker) const {
    const auto rows      = static_cast<std::int64_t>(operands.A.rows);
    std::uint64_t* words = bits + worker * ((width + 63) / 64);
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
    for (Offset k = A.row_map[row]; k < end; ++k) {
      const Ordinal inner = A.entries[k];
      Scalar factor(0);
      if constexpr (Numeric) factor = operands.alpha * A.values[k];
      for (Offset b = B.row_map[inner]; b < B.row_map[inner + 1]; ++b) {
        const auto column       = static_cast<std::uint64_t>(B.entries[b] - base);
        const std::uint64_t bit = std::uint64_t(1) << (column % 64);
        std::uint64_t& word     = words[column / 64];
        const bool is_new       = (word & bit) == 0;
        if (is_new) {
          word |= bit;
          list[length++] = static_cast<Ordinal>(column);
        }
        if constexpr (Numeric) {
          if (is_new)
            sum[column] = factor * B.values[b];
          else
            sum[column] += factor * B.values[b];
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

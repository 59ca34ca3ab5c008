// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTROWS_HPP
#define LACUNA_SPGEMMHOSTROWS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmSearchRows.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostPattern.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>

#include <algorithm>
#include <cstdint>

namespace lacuna::Impl {

/// What threads write to beside C: arrays of all threads, one behind the other.
template <class Scalar, class Ordinal>
struct SpgemmHostScratch {
  Counter* next       = nullptr;  ///< the first row that no thread has taken
  std::int64_t words  = 0;        ///< of the widest window
  std::uint64_t* bits = nullptr;  ///< `SpgemmHostPattern::length(words)` for each thread; 0 between rows
  Ordinal* touched    = nullptr;  ///< `words` + 1 for each thread
  Ordinal* before     = nullptr;  ///< `words` for each thread
  std::int64_t dense  = 0;        ///< words of the widest window that has a dense row of sums
  Scalar* sums        = nullptr;  ///< for each thread `inode_rows` for each column of `dense` words
  int inode_rows      = 1;        ///< rows of an inode that are added at once, at most
};

/// Rows of C by host threads. A thread finds the columns of a row in a bitmap, then adds its products to a dense row of
/// sums, of which only the columns of the row are cleared and read. Threads take a few rows at a time in turns. A row
/// is added in the order of A: the same bits on every run. The rows of an inode of A are added at once, each in a lane
/// of a vector.
/// Not `Numeric`: counts nonzeros and reads no values.
template <bool Numeric, class Operands>
struct SpgemmHostRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Pattern = SpgemmHostPattern<Operands>;

  static constexpr std::int64_t rows_at_once = SpgemmHostPolicy::rows_at_once;

  Operands operands;
  SpgemmHostAnalysis<Ordinal, Offset> analysis;
  SpgemmHostScratch<Scalar, Ordinal> scratch;
  SpgemmTarget<Scalar, Ordinal, Offset> target;

  void operator()(std::int64_t worker) const {
    const auto rows          = static_cast<std::int64_t>(operands.A.rows);
    const std::int64_t words = scratch.words;
    Pattern pattern(operands, analysis, words, scratch.bits + worker * Pattern::length(words),
                    scratch.touched + worker * (words + 1), scratch.before + worker * words);
    Scalar* const sums = scratch.sums + worker * scratch.dense * Pattern::bits * scratch.inode_rows;
    for (;;) {
      const auto first = static_cast<std::int64_t>(Kokkos::atomic_fetch_add(scratch.next, Counter(rows_at_once)));
      if (first >= rows) return;
      const std::int64_t last = first + rows_at_once < rows ? first + rows_at_once : rows;
      for (std::int64_t row = first; row < last;) {
        if constexpr (Numeric)
          row += add(row, last, pattern, sums);
        else
          row += count(row, last, pattern);
      }
    }
  }

 private:
  std::int64_t inode_rows_from(std::int64_t row, std::int64_t last, std::int64_t most) const {
    std::int64_t inode_rows = 1;
    if (analysis.repeats != nullptr)
      while (inode_rows < most && row + inode_rows < last && analysis.repeats[row + inode_rows] != 0) ++inode_rows;
    return inode_rows;
  }

  std::int64_t count(std::int64_t row, std::int64_t last, Pattern& pattern) const {
    const std::int64_t inode_rows = inode_rows_from(row, last, rows_at_once);
    std::int64_t nonzeros         = 0;
    if constexpr (Operands::is_masked)
      if (find_by_search(row)) return 1;
    if (analysis.ranges[row].width() > 0) {
      pattern.set(row);
      nonzeros = pattern.count();
    }
    for (std::int64_t i = 0; i < inode_rows; ++i) target.counts[row + i] = static_cast<Ordinal>(nonzeros);
    return inode_rows;
  }

  std::int64_t add(std::int64_t row, std::int64_t last, Pattern& pattern, Scalar* sums) const {
    if constexpr (Operands::is_masked)
      if (find_by_search(row)) return 1;
    const std::int64_t words      = host_words(analysis.ranges[row]);
    const bool is_dense           = words <= scratch.dense;
    const std::int64_t inode_rows = inode_rows_from(row, last, is_dense ? scratch.inode_rows : 1);
    if (words == 0) return inode_rows;
    if (!is_dense)
      add_by_rank(row, pattern);
    else if (inode_rows == 1)
      add_inode<1>(row, 1, pattern, sums);
    else if (inode_rows == 2)
      add_inode<2>(row, 2, pattern, sums);
    else
      add_inode<4>(row, inode_rows, pattern, sums);
    return inode_rows;
  }

  /// Adds in the row of C itself: the position of a product is the rank of its column.
  void add_by_rank(std::int64_t row, Pattern& pattern) const {
    const Arrays& A        = operands.A;
    const Arrays& B        = operands.B;
    Ordinal* const entries = target.entries + target.begin[row];
    Scalar* const values   = target.values + target.begin[row];
    pattern.set(row);
    const std::int64_t base = pattern.base();
    std::int64_t nonzeros   = 0;
    pattern.template take<true>(
        [&](std::int64_t column) { entries[nonzeros++] = static_cast<Ordinal>(column + base); });
    std::fill(values, values + nonzeros, operands.zero());
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const Scalar factor = operands.factor(A.values[k]);
      const Ordinal inner = A.entries[k];
      for (Offset b = B.row_map[inner]; b < B.row_map[inner + 1]; ++b) {
        const std::int64_t column = static_cast<std::int64_t>(B.entries[b]) - base;
        if constexpr (Operands::is_masked)
          if (!pattern.has(column)) continue;
        operands.add(values[pattern.rank(column)], operands.product(factor, B.values[b]));
      }
    }
    pattern.clear();
  }

  template <int Lanes>
  void add_inode(std::int64_t row, std::int64_t inode_rows, Pattern& pattern, Scalar* sums) const {
    const Arrays& A        = operands.A;
    Ordinal* const entries = target.entries + target.begin[row];
    const Scalar zero      = operands.zero();
    pattern.set(row);
    const std::int64_t base = pattern.base();
    std::int64_t nonzeros   = 0;
    pattern.template take<Operands::is_masked>([&](std::int64_t column) {
      entries[nonzeros++] = static_cast<Ordinal>(column + base);
      for (int l = 0; l < Lanes; ++l) sums[column * Lanes + l] = zero;
    });
    const Offset begin = A.row_map[row], end = A.row_map[row + 1], length = end - begin;
    Scalar* const origin = sums - base * Lanes;
    for (Offset k = begin; k < end; ++k) {
      Scalar factors[Lanes];
      for (int l = 0; l < Lanes; ++l)
        factors[l] = operands.factor(A.values[k + (l < inode_rows ? static_cast<Offset>(l) * length : Offset(0))]);
      add_row_of_b<Lanes>(A.entries[k], factors, origin, pattern);
    }
    if constexpr (Operands::is_masked) pattern.clear();
    for (int l = 0; l < Lanes && l < inode_rows; ++l) {
      Scalar* const values = target.values + target.begin[row + l];
      for (std::int64_t i = 0; i < nonzeros; ++i) values[i] = origin[static_cast<std::int64_t>(entries[i]) * Lanes + l];
      if (l > 0) std::copy(entries, entries + nonzeros, target.entries + target.begin[row + l]);
    }
  }

  template <int Lanes>
  void add_row_of_b(Ordinal inner, const Scalar (&factors)[Lanes], Scalar* origin,
                    [[maybe_unused]] const Pattern& pattern) const {
    const Ordinal* const entries = operands.B.entries;
    const Scalar* const values   = operands.B.values;
    const Offset end             = operands.B.row_map[inner + 1];
    for (Offset b = operands.B.row_map[inner]; b < end; ++b) {
      if constexpr (Operands::is_masked)
        if (!pattern.has(static_cast<std::int64_t>(entries[b]) - pattern.base())) continue;
      const Scalar value = values[b];
      Scalar* const to   = origin + static_cast<std::int64_t>(entries[b]) * Lanes;
      for (int l = 0; l < Lanes; ++l) operands.add(to[l], operands.product(factors[l], value));
    }
  }

  /// True where the row is computed by searching the columns of the mask in rows of B.
  bool find_by_search(std::int64_t row) const {
    const Arrays& A = operands.A;
    if (analysis.unsorted || analysis.has_duplicates || analysis.ranges[row].width() == 0) return false;
    std::int64_t products = 0;
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
      products += static_cast<std::int64_t>(operands.B.row_map[A.entries[k] + 1] - operands.B.row_map[A.entries[k]]);
    const auto factors = static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]);
    if (!operands.mask.searches(row, factors, products)) return false;
    const std::int64_t begin = operands.mask.begin(row);
    std::int64_t length      = 0;
    for (std::int64_t m = begin; m < operands.mask.end(row); ++m) {
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
};

}  // namespace lacuna::Impl

#endif

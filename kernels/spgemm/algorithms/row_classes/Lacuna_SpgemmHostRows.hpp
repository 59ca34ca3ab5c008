// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTROWS_HPP
#define LACUNA_SPGEMMHOSTROWS_HPP

#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmHostPattern.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// What threads write to beside C; the arrays of all threads, one behind the other.
template <class Scalar, class Ordinal>
struct SpgemmHostWorkspace {
  Counter* next       = nullptr;  ///< row that nobody has taken
  std::int64_t words  = 0;        ///< of the widest window
  std::uint64_t* bits = nullptr;  ///< SpgemmHostPattern::length(words) a thread, 0 between rows
  Ordinal* touched    = nullptr;  ///< `words` + 1 a thread
  Scalar* sums        = nullptr;  ///< `together` a column
  int together        = 1;        ///< rows of equal pattern that are added at once, at most
};

/// Rows of C by host threads: the columns of a row in a bitmap, then its products in a dense row of sums that only
/// holds those. Threads take rows in turns, a few at a time. A row is added in the order of A: the same bits on every
/// run. Rows of A with the columns of the row before are added at once, lane by lane of a vector.
/// Not `Numeric`: counts nonzeros and reads no values.
template <bool Numeric, class Operands>
struct SpgemmHostRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Pattern = SpgemmHostPattern<Operands>;

  static constexpr std::int64_t rows_at_once = 48;  ///< runs of 2, 3, 4, 6 equal rows are not cut

  Operands operands;
  SpgemmHostFound<Ordinal, Offset> found;
  SpgemmHostWorkspace<Scalar, Ordinal> workspace;
  SpgemmTarget<Scalar, Ordinal, Offset> target;

  void operator()(std::int64_t worker) const {
    const auto rows          = static_cast<std::int64_t>(operands.A.rows);
    const std::int64_t words = workspace.words;
    Pattern pattern(operands, found, words, workspace.bits + worker * Pattern::length(words),
                    workspace.touched + worker * (words + 1));
    Scalar* const sums = workspace.sums + worker * words * Pattern::bits * workspace.together;
    for (;;) {
      const auto first = static_cast<std::int64_t>(Kokkos::atomic_fetch_add(workspace.next, Counter(rows_at_once)));
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
  std::int64_t equal_rows(std::int64_t row, std::int64_t last, std::int64_t most) const {
    std::int64_t equal = 1;
    if (found.repeats != nullptr)
      while (equal < most && row + equal < last && found.repeats[row + equal] != 0) ++equal;
    return equal;
  }

  std::int64_t count(std::int64_t row, std::int64_t last, Pattern& pattern) const {
    const std::int64_t equal = equal_rows(row, last, rows_at_once);
    std::int64_t nonzeros    = 0;
    if (found.ranges[row].width() > 0) {
      pattern.set(row);
      nonzeros = pattern.count();
    }
    for (std::int64_t i = 0; i < equal; ++i) target.counts[row + i] = static_cast<Ordinal>(nonzeros);
    return equal;
  }

  std::int64_t add(std::int64_t row, std::int64_t last, Pattern& pattern, Scalar* sums) const {
    const std::int64_t equal = equal_rows(row, last, workspace.together);
    if (found.ranges[row].width() > 0) {
      if (equal == 1)
        add_together<1>(row, 1, pattern, sums);
      else if (equal == 2)
        add_together<2>(row, 2, pattern, sums);
      else
        add_together<4>(row, equal, pattern, sums);
    }
    return equal;
  }

  template <int Lanes>
  void add_together(std::int64_t row, std::int64_t equal, Pattern& pattern, Scalar* sums) const {
    const Arrays& A        = operands.A;
    Ordinal* const entries = target.entries + target.begin[row];
    const Scalar zero      = operands.zero();
    pattern.set(row);
    const std::int64_t base = pattern.base();
    std::int64_t nonzeros   = 0;
    pattern.take([&](std::int64_t column) {
      entries[nonzeros++] = static_cast<Ordinal>(column + base);
      for (int l = 0; l < Lanes; ++l) sums[column * Lanes + l] = zero;
    });
    const Offset begin = A.row_map[row], end = A.row_map[row + 1], length = end - begin;
    Scalar* const origin = sums - base * Lanes;
    for (Offset k = begin; k < end; ++k) {
      Scalar factors[Lanes];
      for (int l = 0; l < Lanes; ++l)
        factors[l] = operands.factor(A.values[k + (l < equal ? static_cast<Offset>(l) * length : Offset(0))]);
      add_row_of_b<Lanes>(A.entries[k], factors, origin);
    }
    for (int l = 0; l < Lanes; ++l) {
      if (l >= equal) break;
      Scalar* const values = target.values + target.begin[row + l];
      for (std::int64_t i = 0; i < nonzeros; ++i) values[i] = origin[static_cast<std::int64_t>(entries[i]) * Lanes + l];
      if (l > 0) std::copy(entries, entries + nonzeros, target.entries + target.begin[row + l]);
    }
  }

  template <int Lanes>
  void add_row_of_b(Ordinal inner, const Scalar (&factors)[Lanes], Scalar* origin) const {
    const Ordinal* const entries = operands.B.entries;
    const Scalar* const values   = operands.B.values;
    const Offset end             = operands.B.row_map[inner + 1];
    for (Offset b = operands.B.row_map[inner]; b < end; ++b) {
      const Scalar value = values[b];
      Scalar* const to   = origin + static_cast<std::int64_t>(entries[b]) * Lanes;
      for (int l = 0; l < Lanes; ++l) operands.add(to[l], operands.product(factors[l], value));
    }
  }
};

}  // namespace lacuna::Impl

#endif

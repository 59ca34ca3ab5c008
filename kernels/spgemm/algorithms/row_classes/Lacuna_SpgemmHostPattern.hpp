// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTPATTERN_HPP
#define LACUNA_SPGEMMHOSTPATTERN_HPP

#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmHostAnalysis.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

/// \file
/// \brief The columns of a row of C, found by a host thread in a bitmap of the row's window. Plain host code.

namespace lacuna::Impl {

/// What is known of A and B, for kernels.
template <class Ordinal, class Offset>
struct SpgemmHostFound {
  const ColumnRange<Ordinal>* ranges = nullptr;  ///< of the rows of C
  const unsigned char* repeats       = nullptr;  ///< 1 for a row of A with the columns of the row before; or nullptr
  const SpgemmRowOfB<Ordinal>* rows_of_b = nullptr;  ///< where rows of B repeat; or nullptr
  const Offset* first_word               = nullptr;
  const SpgemmHostWord* packed           = nullptr;  ///< B in words; or nullptr: its columns are read
  bool is_mixed                          = false;    ///< rows of B do not ascend strictly
};

/// The bitmap of a thread: `set` fills it, what comes next clears it.
template <class Operands>
class SpgemmHostPattern {
  using Arrays  = typename Operands::Arrays;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Found   = SpgemmHostFound<Ordinal, Offset>;

 public:
  static constexpr int bits = host_word_columns;

  /// 64-bit words that a thread needs for windows of up to `words`.
  static std::int64_t length(std::int64_t words) { return words + (words + bits - 1) / bits + 8; }

  /// `memory`: `length(words)` words that are 0; `touched`: `words` numbers.
  SpgemmHostPattern(const Operands& operands, const Found& found, std::int64_t words, std::uint64_t* memory,
                    Ordinal* touched)
      : m_operands(operands), m_found(found), m_bits(memory), m_summary(memory + words), m_touched(touched) {}

  /// Sets the columns of a row, which has some.
  void set(std::int64_t row) {
    const Arrays& A    = m_operands.A;
    const Arrays& B    = m_operands.B;
    m_first            = static_cast<std::int64_t>(m_found.ranges[row].first) / bits;
    m_words            = host_words(m_found.ranges[row]);
    std::int64_t count = 0;
    const Offset begin = A.row_map[row], end = A.row_map[row + 1];
    for (Offset k = begin; k < end; ++k) {
      const Ordinal inner = A.entries[k];
      if (m_found.packed != nullptr) {
        // The row before had the same columns.
        if (m_found.rows_of_b != nullptr && k > begin && A.entries[k - 1] == inner - 1 &&
            m_found.rows_of_b[inner].repeats != 0)
          continue;
        const SpgemmHostWord* const last = m_found.packed + m_found.first_word[inner + 1];
        for (const SpgemmHostWord* w = m_found.packed + m_found.first_word[inner]; w < last; ++w)
          count = add(w->word - m_first, w->mask, count);
      } else {
        for (Offset b = B.row_map[inner]; b < B.row_map[inner + 1]; ++b) {
          const auto column = static_cast<std::int64_t>(B.entries[b]);
          count             = add(column / bits - m_first, std::uint64_t(1) << (column % bits), count);
        }
      }
    }
    m_count = count;
  }

  /// How many there are. Clears the bitmap.
  std::int64_t count() {
    std::int64_t nonzeros = 0;
    for (std::int64_t i = 0; i < m_count; ++i) {
      nonzeros += std::popcount(m_bits[m_touched[i]]);
      m_bits[m_touched[i]] = 0;
    }
    return nonzeros;
  }

  /// Calls visit(column) by ascending column. Clears the bitmap.
  template <class Visit>
  void take(const Visit& visit) {
    if (m_words <= words_per_touched * m_count) {
      for (std::int64_t w = 0; w < m_words; ++w) take_word(w, visit);
      return;
    }
    for (std::int64_t i = 0; i < m_count; ++i)
      m_summary[m_touched[i] / bits] |= std::uint64_t(1) << (m_touched[i] % bits);
    for (std::int64_t s = 0; s < (m_words + bits - 1) / bits; ++s) {
      for (std::uint64_t rest = m_summary[s]; rest != 0; rest &= rest - 1)
        take_word(s * bits + std::countr_zero(rest), visit);
      m_summary[s] = 0;
    }
  }

  /// The first column of the window.
  std::int64_t base() const { return m_first * bits; }

 private:
  static constexpr std::int64_t words_per_touched = 2;

  /// Without a branch: whether a word was empty is hard to foresee.
  std::int64_t add(std::int64_t word, std::uint64_t mask, std::int64_t count) const {
    const std::uint64_t before = m_bits[word];
    m_bits[word]               = before | mask;
    m_touched[count]           = static_cast<Ordinal>(word);
    return count + (before == 0 ? 1 : 0);
  }

  template <class Visit>
  void take_word(std::int64_t w, const Visit& visit) {
    for (std::uint64_t rest = m_bits[w]; rest != 0; rest &= rest - 1) visit(w * bits + std::countr_zero(rest));
    m_bits[w] = 0;
  }

  const Operands& m_operands;
  const Found& m_found;
  std::uint64_t* m_bits;
  std::uint64_t* m_summary;
  Ordinal* m_touched;
  std::int64_t m_first = 0;  ///< word of the window
  std::int64_t m_words = 0;  ///< of the window
  std::int64_t m_count = 0;  ///< words that are not empty
};

}  // namespace lacuna::Impl

#endif

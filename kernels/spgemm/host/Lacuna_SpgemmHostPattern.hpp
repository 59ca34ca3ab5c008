// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTPATTERN_HPP
#define LACUNA_SPGEMMHOSTPATTERN_HPP

#include <kernels/spgemm/host/Lacuna_SpgemmHostAnalysis.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

/// \file
/// \brief A host thread finds the columns of a row of C in a bitmap of the row's window. Plain host code.

namespace lacuna::Impl {

/// What the inspection of A and B tells kernels.
template <class Ordinal, class Offset>
struct SpgemmHostAnalysis {
  const ColumnRange<Ordinal>* ranges = nullptr;  ///< of the rows of C
  const unsigned char* repeats       = nullptr;  ///< 1 for a row of A with the columns of the row before; or nullptr
  const SpgemmRowOfB<Ordinal>* rows_of_b = nullptr;  ///< where rows of B repeat the row before; or nullptr
  const Offset* first_word               = nullptr;
  const SpgemmHostWord* packed           = nullptr;  ///< words of B; or nullptr: its columns are read
  bool unsorted                          = false;    ///< some row of B is not sorted
  bool has_duplicates                    = false;    ///< some row of B may have a column twice
};

/// The bitmap of a thread. `set` fills it; `count` or `take` reads it and clears it.
template <class Operands>
class SpgemmHostPattern {
  using Arrays   = typename Operands::Arrays;
  using Ordinal  = typename Arrays::Ordinal;
  using Offset   = typename Arrays::Offset;
  using Analysis = SpgemmHostAnalysis<Ordinal, Offset>;

  static constexpr bool is_masked = Operands::is_masked;

 public:
  static constexpr int bits = host_word_columns;

  /// How many 64-bit words a thread needs for windows of up to `words` words.
  static std::int64_t length(std::int64_t words) { return (is_masked ? 2 : 1) * words + (words + bits - 1) / bits; }

  /// `memory`: `length(words)` words that are 0. `touched`: space for `words` + 1 numbers.
  SpgemmHostPattern(const Operands& operands, const Analysis& analysis, std::int64_t words, std::uint64_t* memory,
                    Ordinal* touched, Ordinal* before)
      : m_operands(operands),
        m_analysis(analysis),
        m_bits(memory),
        m_masked(memory + words),
        m_summary(memory + (is_masked ? 2 : 1) * words),
        m_touched(touched),
        m_before(before) {}

  /// Sets the columns of a row that the mask allows. The row's window must not be empty.
  void set(std::int64_t row) {
    const Arrays& A    = m_operands.A;
    m_first            = static_cast<std::int64_t>(m_analysis.ranges[row].first) / bits;
    m_words            = host_words(m_analysis.ranges[row]);
    m_count            = 0;
    const Offset begin = A.row_map[row], end = A.row_map[row + 1];
    if (m_analysis.packed == nullptr) {
      for (Offset k = begin; k < end; ++k) add_columns(A.entries[k]);
    } else {
      for (Offset k = begin; k < end; ++k) {
        const Ordinal inner = A.entries[k];
        // The row of B before has the same columns, and is set.
        if (m_analysis.rows_of_b != nullptr && k > begin && A.entries[k - 1] == inner - 1 &&
            m_analysis.rows_of_b[inner].repeats())
          continue;
        add_words(inner);
      }
    }
    if constexpr (is_masked) restrict(row);
  }

  /// Returns how many columns are set, and clears the bitmap.
  std::int64_t count() {
    std::int64_t nonzeros = 0;
    for (std::int64_t i = 0; i < m_count; ++i) nonzeros += std::popcount(m_bits[m_touched[i]]);
    clear();
    return nonzeros;
  }

  /// Calls visit(column) in ascending order; columns are counted from `base()`. `Keeps`: the bitmap stays for `has` and
  /// `rank`, until `clear`. Without, it is cleared.
  template <bool Keeps, class Visit>
  void take(const Visit& visit) {
    Ordinal rank(0);
    const auto take_word = [&](std::int64_t w) {
      if constexpr (Keeps) {
        m_before[w] = rank;
        rank += static_cast<Ordinal>(std::popcount(m_bits[w]));
      }
      for (std::uint64_t rest = m_bits[w]; rest != 0; rest &= rest - 1) visit(w * bits + std::countr_zero(rest));
      if constexpr (!Keeps) m_bits[w] = 0;
    };
    if (m_words <= words_per_touched * m_count) {
      for (std::int64_t w = 0; w < m_words; ++w) take_word(w);
      return;
    }
    for (std::int64_t i = 0; i < m_count; ++i)
      m_summary[m_touched[i] / bits] |= std::uint64_t(1) << (m_touched[i] % bits);
    for (std::int64_t s = 0; s < (m_words + bits - 1) / bits; ++s) {
      for (std::uint64_t rest = m_summary[s]; rest != 0; rest &= rest - 1) take_word(s * bits + std::countr_zero(rest));
      m_summary[s] = 0;
    }
  }

  /// How many columns are set in front of one that is set.
  std::int64_t rank(std::int64_t column) const {
    const std::int64_t word = column / bits;
    return m_before[word] + std::popcount(m_bits[word] & ((std::uint64_t(1) << (column % bits)) - 1));
  }

  bool has(std::int64_t column) const {
    return column >= 0 && column / bits < m_words && (m_bits[column / bits] >> (column % bits) & 1) != 0;
  }

  void clear() {
    for (std::int64_t i = 0; i < m_count; ++i) m_bits[m_touched[i]] = 0;
  }

  /// The first column of the window.
  std::int64_t base() const { return m_first * bits; }

 private:
  static constexpr std::int64_t words_per_touched = 2;

  void add_words(Ordinal inner) {
    const SpgemmHostWord* const last = m_analysis.packed + m_analysis.first_word[inner + 1];
    std::int64_t count               = m_count;
    for (const SpgemmHostWord* w = m_analysis.packed + m_analysis.first_word[inner]; w < last; ++w)
      count = add(w->word - m_first, w->mask, count);
    m_count = count;
  }

  void add_columns(Ordinal inner) {
    const Arrays& B    = m_operands.B;
    const Offset last  = B.row_map[inner + 1];
    std::int64_t count = m_count;
    for (Offset b = B.row_map[inner]; b < last; ++b) {
      const auto column = static_cast<std::int64_t>(B.entries[b]);
      count             = add(column / bits - m_first, std::uint64_t(1) << (column % bits), count);
    }
    m_count = count;
  }

  /// Has no branch, because whether a word was empty is hard to predict.
  std::int64_t add(std::int64_t word, std::uint64_t mask, std::int64_t count) const {
    if constexpr (is_masked)
      if (word < 0 || word >= m_words) return count;  // the window ends where the row of the mask does
    const std::uint64_t before = m_bits[word];
    m_bits[word]               = before | mask;
    m_touched[count]           = static_cast<Ordinal>(word);
    return count + (before == 0 ? 1 : 0);
  }

  /// Leaves the columns that the mask allows.
  void restrict(std::int64_t row) {
    const auto& mask     = m_operands.mask;
    const auto each_word = [&](const auto& visit) {
      for (std::int64_t m = mask.begin(row); m < mask.end(row); ++m) {
        const auto column       = static_cast<std::int64_t>(mask.entries[m]);
        const std::int64_t word = column / bits - m_first;
        if (word >= 0 && word < m_words) visit(m_masked[word], std::uint64_t(1) << (column % bits));
      }
    };
    each_word([](std::uint64_t& word, std::uint64_t bit) { word |= bit; });
    for (std::int64_t i = 0; i < m_count; ++i) {
      const std::uint64_t masked = m_masked[m_touched[i]];
      m_bits[m_touched[i]] &= mask.complemented ? ~masked : masked;
    }
    each_word([](std::uint64_t& word, std::uint64_t) { word = 0; });
  }

  const Operands& m_operands;
  const Analysis& m_analysis;
  std::uint64_t* m_bits;
  std::uint64_t* m_masked;
  std::uint64_t* m_summary;
  Ordinal* m_touched;
  Ordinal* m_before;         ///< columns in front of each word, if ranked
  std::int64_t m_first = 0;  ///< number of the window's first word
  std::int64_t m_words = 0;  ///< of the window
  std::int64_t m_count = 0;  ///< nonempty words
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTPATTERN_HPP
#define LACUNA_SPGEMMHOSTPATTERN_HPP

#include <kernels/spgemm/host/Lacuna_SpgemmHostAnalysis.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostWindow.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

/// \file
/// \brief A host thread finds the columns of a row of C in a bitmap of the row's window. Plain host code.

namespace lacuna::Impl {

/// What the inspection of A and B tells kernels.
template <class Ordinal, class Offset>
struct SpgemmHostAnalysis {
  const ColumnRange<Ordinal>* ranges     = nullptr;  ///< of the rows of C
  const unsigned char* flags             = nullptr;  ///< of the rows of C: `SpgemmHostRowFlag`
  bool has_inodes                        = false;    ///< some row of A has the columns of the row before
  const SpgemmRowOfB<Ordinal>* rows_of_b = nullptr;  ///< where rows of B repeat the row before; or nullptr
  const Offset* first_word               = nullptr;
  const SpgemmHostWord* packed           = nullptr;  ///< words of B; or nullptr: its columns are read
  bool unsorted                          = false;    ///< some row of B is not sorted
  bool has_duplicates                    = false;    ///< some row of B may have a column twice
  bool looks_ahead                       = false;    ///< rows of B are asked for before they are read
  bool any_order                         = false;    ///< columns of C need not be sorted
};

/// The bitmap of a thread, whose words stand where `Window` says. `set` fills it; `size` and `take` read it, `clear`
/// or `take` clears it.
template <class Operands, class Window>
class SpgemmHostPattern {
  using Arrays   = typename Operands::Arrays;
  using Ordinal  = typename Arrays::Ordinal;
  using Offset   = typename Arrays::Offset;
  using Analysis = SpgemmHostAnalysis<Ordinal, Offset>;

  static constexpr bool is_masked = Operands::is_masked;

 public:
  static constexpr int bits       = host_word_columns;
  static constexpr bool is_hashed = Window::is_hashed;

  /// What a thread works in. Nothing has to be initialised.
  struct Memory {
    std::uint64_t* bits;  ///< `length(slots)`
    Ordinal* touched;     ///< `slots` + 1
    Ordinal* before;      ///< `slots`
  };
  /// Slots of a hashed window of `products` products.
  static std::int64_t slots_of(std::int64_t products) { return Window::slots(products); }
  /// How many 64-bit numbers a thread needs for rows of up to `slots` slots.
  static std::int64_t length(std::int64_t slots) { return (is_masked ? 2 : 1) * slots + Window::length(slots); }

  SpgemmHostPattern(const Operands& operands, const SpgemmAddend<Arrays>& addend, const Analysis& analysis,
                    std::int64_t slots, const Memory& memory)
      : m_operands(operands),
        m_addend(addend),
        m_analysis(analysis),
        m_window(memory.bits + (is_masked ? 2 : 1) * slots),
        m_bits(memory.bits),
        m_masked(memory.bits + slots),
        m_touched(memory.touched),
        m_before(memory.before) {}

  /// Sets the columns of a row that the mask allows. The row's window must not be empty.
  void set(std::int64_t row) {
    open(row);
    if constexpr (!is_masked && !is_hashed)
      if (m_words <= SpgemmHostPolicy::narrow) return set_all_words<true>(row);
    set_all_words<false>(row);
    if constexpr (is_masked) restrict(row);
  }

  /// The same of a mask that is not complemented, in a dense window. Products are compared with the mask as they come,
  /// which takes less than to list their columns.
  void set_within(std::int64_t row) {
    const Arrays& A = m_operands.A;
    admit(row);
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
      if (m_analysis.packed == nullptr)
        mark_columns(m_operands.B, A.entries[k]);
      else
        mark_words(A.entries[k]);
    if (m_addend.is_there()) mark_columns(m_addend.D, row);
    forget_mask();
  }

  /// Opens the dense window of a row and lets in the columns of its mask, which are ranked. Returns their number.
  std::int64_t admit(std::int64_t row) {
    const auto& mask = m_operands.mask;
    open(row);
    for (std::int64_t m = mask.begin(row); m < mask.end(row); ++m) {
      const auto column       = static_cast<std::int64_t>(mask.entries[m]);
      const std::int64_t word = column / bits - m_first;
      if (word < 0 || word >= m_words) continue;
      if (m_masked[word] == 0) m_touched[m_count++] = static_cast<Ordinal>(word);
      m_masked[word] |= std::uint64_t(1) << (column % bits);
    }
    Ordinal rank(0);
    for (std::int64_t i = 0; i < m_count; ++i) {
      m_before[m_touched[i]] = rank;
      rank += static_cast<Ordinal>(std::popcount(m_masked[m_touched[i]]));
    }
    return static_cast<std::int64_t>(rank);
  }
  /// The rank of an admitted column, which is set; -1 where the mask has no such column.
  std::int64_t mark(std::int64_t column) const {
    const std::int64_t word = column / bits;
    if (column < 0 || word >= m_words) return -1;
    const std::uint64_t bit = std::uint64_t(1) << (column % bits);
    if ((m_masked[word] & bit) == 0) return -1;
    m_bits[word] |= bit;
    return m_before[word] + std::popcount(m_masked[word] & (bit - 1));
  }
  /// Calls visit(column, rank) for the columns that are set, in ascending order, and clears both bitmaps.
  template <class Visit>
  void take_marked(const Visit& visit) {
    for (std::int64_t i = 0; i < m_count; ++i) {
      const std::int64_t word = m_touched[i];
      for (std::uint64_t rest = m_bits[word]; rest != 0; rest &= rest - 1) {
        const std::uint64_t bit = rest & -rest;
        visit(word * bits + std::countr_zero(rest), m_before[word] + std::popcount(m_masked[word] & (bit - 1)));
      }
    }
    forget_mask();
    clear();
  }

  /// How many columns are set.
  std::int64_t size() const {
    std::int64_t nonzeros = 0;
    for (std::int64_t i = 0; i < m_count; ++i) nonzeros += std::popcount(m_bits[m_touched[i]]);
    return nonzeros;
  }

  /// Calls visit(column) in ascending order; columns are counted from `base()`. `Keeps`: the bitmap stays for `has` and
  /// `rank`, until `clear`. Without, it is cleared.
  template <bool Keeps, class Visit>
  void take(const Visit& visit) {
    Ordinal rank(0);
    in_order([&](std::int64_t slot, std::int64_t word) {
      if constexpr (Keeps) {
        m_before[slot] = rank;
        rank += static_cast<Ordinal>(std::popcount(m_bits[slot]));
      }
      for (std::uint64_t rest = m_bits[slot]; rest != 0; rest &= rest - 1) visit(word * bits + std::countr_zero(rest));
      if constexpr (!Keeps) m_bits[slot] = 0;
    });
    if constexpr (!Keeps) forget_words();
  }

  /// Elements behind those of a row that `list` may write to.
  static constexpr std::int64_t list_slack = 3;

  /// Writes the columns in ascending order, as B counts them, from `to` on, and clears the bitmap.
  void list(Ordinal* to) {
    in_order([&](std::int64_t slot, std::int64_t word) {
      const std::int64_t first = base() + word * bits;
      std::uint64_t rest       = m_bits[slot];
      Ordinal* const next      = to + std::popcount(rest);
      // As many at once as most words have: how many there are is hard to predict.
      for (; rest != 0; to += list_slack + 1)
        for (int i = 0; i <= list_slack; ++i, rest &= rest - 1)
          to[i] = static_cast<Ordinal>(first + std::countr_zero(rest));
      to           = next;
      m_bits[slot] = 0;
    });
    forget_words();
  }

  /// How many columns are set in front of one that is set.
  std::int64_t rank(std::int64_t column) const {
    const std::int64_t slot = m_window.insert(column / bits);
    return m_before[slot] + std::popcount(m_bits[slot] & ((std::uint64_t(1) << (column % bits)) - 1));
  }

  bool has(std::int64_t column) const {
    if (column < 0) return false;
    const std::int64_t slot = m_window.find(column / bits);
    return slot >= 0 && (m_bits[slot] >> (column % bits) & 1) != 0;
  }

  void clear() {
    for (std::int64_t i = 0; i < m_count; ++i) m_bits[m_touched[i]] = 0;
    forget_words();
  }

  /// The first column of the window.
  std::int64_t base() const { return m_first * bits; }

 private:
  void open(std::int64_t row) {
    m_first            = static_cast<std::int64_t>(m_analysis.ranges[row].first) / bits;
    m_words            = host_words(m_analysis.ranges[row]);
    m_count            = 0;
    std::int64_t slots = m_words;
    if constexpr (Window::is_hashed) slots = Window::slots(host_products(m_operands, m_addend, row));
    // The thread that needs memory first touches it.
    if (slots > m_clean) {
      std::fill(m_bits + m_clean, m_bits + slots, 0);
      if constexpr (is_masked) std::fill(m_masked + m_clean, m_masked + slots, 0);
      m_window.clear(m_clean, slots);
      m_clean = slots;
    }
    m_window.open(slots);
  }

  /// Of the rows of B from `first` to the one before `last`, whose words stand side by side.
  template <bool Narrow>
  void add_words(Ordinal first, Ordinal last) {
    const SpgemmHostWord* const end = m_analysis.packed + m_analysis.first_word[last];
    std::int64_t count              = m_count;
    for (const SpgemmHostWord* w = m_analysis.packed + m_analysis.first_word[first]; w < end; ++w)
      if constexpr (Narrow)
        m_bits[w->word - m_first] |= w->mask;
      else
        count = add(w->word - m_first, w->mask, count);
    m_count = count;
  }

  template <bool Narrow>
  void add_columns(const Arrays& B, std::int64_t first, std::int64_t last) {
    const Offset end   = B.row_map[last];
    std::int64_t count = m_count;
    for (Offset b = B.row_map[first]; b < end; ++b) {
      const auto column       = static_cast<std::int64_t>(B.entries[b]);
      const std::uint64_t bit = std::uint64_t(1) << (column % bits);
      if constexpr (Narrow)
        m_bits[column / bits - m_first] |= bit;
      else
        count = add(column / bits - m_first, bit, count);
    }
    m_count = count;
  }

  void mark_words(Ordinal inner) {
    const SpgemmHostWord* const last = m_analysis.packed + m_analysis.first_word[inner + 1];
    for (const SpgemmHostWord* w = m_analysis.packed + m_analysis.first_word[inner]; w < last; ++w) {
      const std::int64_t word = w->word - m_first;
      if (word >= 0 && word < m_words) m_bits[word] |= m_masked[word] & w->mask;
    }
  }
  void mark_columns(const Arrays& B, std::int64_t row) {
    const Offset last = B.row_map[row + 1];
    for (Offset b = B.row_map[row]; b < last; ++b) {
      const auto column       = static_cast<std::int64_t>(B.entries[b]);
      const std::int64_t word = column / bits - m_first;
      if (word >= 0 && word < m_words) m_bits[word] |= m_masked[word] & std::uint64_t(1) << (column % bits);
    }
  }
  void forget_mask() {
    for (std::int64_t i = 0; i < m_count; ++i) m_masked[m_touched[i]] = 0;
  }

  /// Whether a row of B has the columns of the row before; false where that is not asked for.
  bool repeats(Ordinal row) const { return m_analysis.rows_of_b != nullptr && m_analysis.rows_of_b[row].repeats(); }

  /// `Narrow`: few words, which are looked at afterwards, rather than noting which are new.
  template <bool Narrow>
  void set_all_words(std::int64_t row) {
    m_ascends          = Narrow;
    const Arrays& A    = m_operands.A;
    const Offset begin = A.row_map[row], end = A.row_map[row + 1];
    for (Offset k = begin; k < end;) {
      const Ordinal first = A.entries[k];
      auto last           = static_cast<Ordinal>(first + 1);
      // On meshes, columns of A are runs.
      while (++k < end && A.entries[k] == last && !repeats(last)) ++last;
      if (m_analysis.packed == nullptr)
        add_columns<Narrow>(m_operands.B, first, last);
      else
        add_words<Narrow>(first, last);
      // Rows of B with the columns of the row before, which are set.
      while (k < end && A.entries[k] == last && repeats(last)) ++k, ++last;
    }
    if (m_addend.is_there()) add_columns<Narrow>(m_addend.D, row, row + 1);
    for (std::int64_t word = 0; Narrow && word < m_words; ++word) {
      m_touched[m_count] = static_cast<Ordinal>(word);
      m_count += m_bits[word] != 0 ? 1 : 0;
    }
  }

  /// Has no branch, because whether a word was empty is hard to predict.
  std::int64_t add(std::int64_t word, std::uint64_t mask, std::int64_t count) const {
    if constexpr (is_masked)
      if (word < 0 || word >= m_words) return count;  // the window ends where the row of the mask does
    const std::int64_t slot    = m_window.insert(word);
    const std::uint64_t before = m_bits[slot];
    m_bits[slot]               = before | mask;
    m_touched[count]           = static_cast<Ordinal>(slot);
    return count + (before == 0 ? 1 : 0);
  }

  /// visit(slot, word) for the words with columns, in ascending order.
  template <class Visit>
  void in_order(const Visit& visit) {
    if (!m_ascends) return m_window.in_order(m_touched, m_count, visit);
    for (std::int64_t i = 0; i < m_count; ++i) visit(std::int64_t{m_touched[i]}, std::int64_t{m_touched[i]});
  }

  /// Leaves the columns that the mask allows.
  void restrict(std::int64_t row) {
    const auto& mask     = m_operands.mask;
    const auto each_word = [&](const auto& visit) {
      for (std::int64_t m = mask.begin(row); m < mask.end(row); ++m) {
        const auto column       = static_cast<std::int64_t>(mask.entries[m]);
        const std::int64_t slot = m_window.find(column / bits - m_first);
        if (slot >= 0) visit(m_masked[slot], std::uint64_t(1) << (column % bits));
      }
    };
    each_word([](std::uint64_t& word, std::uint64_t bit) { word |= bit; });
    for (std::int64_t i = 0; i < m_count; ++i) {
      const std::uint64_t masked = m_masked[m_touched[i]];
      m_bits[m_touched[i]] &= mask.complemented ? ~masked : masked;
    }
    each_word([](std::uint64_t& word, std::uint64_t) { word = 0; });
  }

  void forget_words() {
    for (std::int64_t i = 0; i < m_count; ++i) m_window.remove(m_touched[i]);
  }

  const Operands& m_operands;
  const SpgemmAddend<Arrays>& m_addend;
  const Analysis& m_analysis;
  Window m_window;
  std::uint64_t* m_bits;    ///< 0 between rows
  std::uint64_t* m_masked;  ///< 0 between rows
  Ordinal* m_touched;
  Ordinal* m_before;             ///< columns in front of each word, if ranked
  std::int64_t m_clean = 0;      ///< slots that have been initialised
  std::int64_t m_first = 0;      ///< number of the window's first word
  std::int64_t m_words = 0;      ///< of the window
  std::int64_t m_count = 0;      ///< nonempty words
  bool m_ascends       = false;  ///< these are noted in ascending order
};

}  // namespace lacuna::Impl

#endif

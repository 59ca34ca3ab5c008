// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTANALYSIS_HPP
#define LACUNA_SPGEMMHOSTANALYSIS_HPP

#include <backends/Lacuna_Backend.hpp>
#include <backends/generic/Lacuna_Generic_Vectors.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

/// \file
/// \brief The passes in front of products on hosts. A thread inspects a row, in time proportional to its nonzeros.
/// Plain host code: no device compiles it.

namespace lacuna::Impl {

/// Columns of a word.
inline constexpr int host_word_columns = 64;

/// Columns 64 * word … 64 * word + 63; those that are set in `mask`.
struct SpgemmHostWord {
  std::uint64_t mask;
  std::int64_t word;
};

/// Statistics of all rows of B, or of all rows of C, which threads reduce.
struct SpgemmHostStatistics {
  std::int64_t sum            = 0;  ///< words of B, or products of C
  std::int64_t counted        = 0;  ///< products of rows of C that are not the row before, in place or shifted
  std::int64_t widest         = 0;  ///< words of the widest window that is not hashed
  std::int64_t most           = 0;  ///< products of a row whose window is hashed
  std::int64_t words          = 0;  ///< of rows of B that rows of C are made of
  std::int64_t wide_products  = 0;  ///< of rows of C whose windows are too wide for dense sums, without those in tables
  std::int64_t table_rows     = 0;  ///< of C, which are added in a table
  std::int64_t table_products = 0;  ///< of these rows
  std::int64_t widest_marked  = 0;  ///< words of the widest window whose row is counted by marks
  std::int64_t scattered      = 0;  ///< rows of C whose windows are too wide for dense sums
  std::int64_t listed         = 0;  ///< columns that rows of C with dense sums have at the most
  bool not_ascending          = false;
  bool repeats                = false;  ///< some row has the columns of the row before
};

/// How statistics are reduced.
struct SpgemmHostReducer {
  using value_type = SpgemmHostStatistics;
  void init(value_type& statistics) const { statistics = {}; }
  void join(value_type& statistics, const value_type& other) const {
    statistics.sum += other.sum;
    statistics.widest = std::max(statistics.widest, other.widest);
    statistics.most   = std::max(statistics.most, other.most);
    statistics.counted += other.counted;
    statistics.listed += other.listed;
    statistics.words += other.words;
    statistics.scattered += other.scattered;
    statistics.widest_marked = std::max(statistics.widest_marked, other.widest_marked);
    statistics.table_rows += other.table_rows;
    statistics.table_products += other.table_products;
    statistics.wide_products += other.wide_products;
    statistics.not_ascending |= other.not_ascending;
    statistics.repeats |= other.repeats;
  }
};

/// Words from the one of the first column to the one of the last.
template <class Ordinal>
std::int64_t host_words(const ColumnRange<Ordinal>& range) {
  if (range.first > range.last) return 0;
  return static_cast<std::int64_t>(range.last / host_word_columns) -
         static_cast<std::int64_t>(range.first / host_word_columns) + 1;
}

/// The bits of a row's flags.
enum SpgemmHostRowFlag : unsigned char {
  spgemm_host_repeats = 1,  ///< the row of A has the columns of the row before
  spgemm_host_hashed  = 2,  ///< the window of the row of C is hashed
  spgemm_host_table   = 4,  ///< the row of C is added in a table
  spgemm_host_shifts  = 8,  ///< the row of C has the columns of the row before, each one further
  spgemm_host_few     = 16  ///< the row of C has few products in a wide window: it is counted in a table, or by marks
};

/// Products of a row of C, and nonzeros of D that are added to it, whatever its mask.
template <class Operands>
std::int64_t host_products(const Operands& operands, const SpgemmAddend<typename Operands::Arrays>& addend,
                           std::int64_t row) {
  const auto& A         = operands.A;
  const auto* const map = operands.B.row_map;
  auto products         = static_cast<std::int64_t>(addend.end(row) - addend.begin(row));
  for (auto k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
    products += static_cast<std::int64_t>(map[A.entries[k] + 1] - map[A.entries[k]]);
  return products;
}

/// Whether a row has the columns of the row before, in the same order.
template <class Offset, class Ordinal>
bool repeats_row_before(const Offset* row_map, const Ordinal* entries, std::int64_t row) {
  if (row == 0) return false;
  const Offset before = row_map[row - 1], begin = row_map[row], end = row_map[row + 1];
  // Most rows that differ do so in their first column.
  return end > begin && end - begin == begin - before && entries[begin] == entries[before] &&
         std::equal(entries + begin, entries + end, entries + before);
}

/// The same of D, whose rows may be empty.
template <class Arrays>
bool repeats_row_before(const SpgemmAddend<Arrays>& addend, std::int64_t row) {
  if (!addend.is_there()) return true;
  return row > 0 && std::equal(addend.D.entries + addend.begin(row), addend.D.entries + addend.end(row),
                               addend.D.entries + addend.begin(row - 1), addend.D.entries + addend.end(row - 1));
}

/// Whether a row has the columns of the row before, each one further, in the same order.
template <class Offset, class Ordinal>
bool shifts_row_before(const Offset* row_map, const Ordinal* entries, std::int64_t row) {
  if (row == 0) return false;
  const Offset before = row_map[row - 1], begin = row_map[row], end = row_map[row + 1];
  return end - begin == begin - before &&
         std::equal(entries + begin, entries + end, entries + before,
                    [](Ordinal column, Ordinal column_before) { return column - 1 == column_before; });
}

/// Inspects every row of B. A word has 64 columns here.
template <class Arrays>
struct SpgemmHostInspectB : SpgemmHostReducer {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  Arrays B;
  SpgemmRowOfB<Ordinal>* rows;
  bool* shifts;  ///< see `shifts_row_before`

  SpgemmHostInspectB(const Arrays& b, SpgemmRowOfB<Ordinal>* to, bool* shifts_to) : B(b), rows(to), shifts(shifts_to) {}

  void operator()(std::int64_t row, SpgemmHostStatistics& statistics) const {
    using Bits         = typename SpgemmRowOfB<Ordinal>::Bits;  // of which a word is a shift
    const Offset begin = B.row_map[row], end = B.row_map[row + 1];
    std::int64_t words = begin < end ? 1 : 0;
    bool not_ascending = false;
    for (Offset k = begin + 1; k < end; ++k) {
      const Ordinal before = B.entries[k - 1], column = B.entries[k];
      not_ascending |= before >= column;
      words += static_cast<Bits>(before) / host_word_columns != static_cast<Bits>(column) / host_word_columns ? 1 : 0;
    }
    ColumnRange<Ordinal> range{no_column<Ordinal>, -1};
    if (begin < end) range = {B.entries[begin], B.entries[end - 1]};
    for (Offset k = begin; not_ascending && k < end; ++k) {
      range.first = std::min(range.first, B.entries[k]);
      range.last  = std::max(range.last, B.entries[k]);
    }
    const bool same = repeats_row_before(B.row_map, B.entries, row);
    rows[row]       = SpgemmRowOfB<Ordinal>::of(range, static_cast<Counter>(words),
                                                static_cast<Counter>(B.row_map[row + 1] - B.row_map[row]), same);
    shifts[row]     = shifts_row_before(B.row_map, B.entries, row);
    statistics.sum += words;
    statistics.not_ascending |= not_ascending;
    statistics.repeats |= same;
  }
};

/// Counts the products of every row of C and finds the range of its columns, and which rows of A have the columns of
/// the row before. On meshes most rows of A and of B are the row before, shifted, and so are rows of C.
template <class Operands>
struct SpgemmHostInspectA : SpgemmHostReducer {
  using Policy  = SpgemmHostPolicy;
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  Operands operands;
  SpgemmAddend<Arrays> addend;
  const SpgemmRowOfB<Ordinal>* rows_of_b;
  const bool* shifts_of_b;
  ColumnRange<Ordinal>* ranges;
  unsigned char* flags;
  bool any_order    = false;  ///< of the columns of rows of C
  Offset last_ahead = 0;      ///< nonzeros of A before this one ask for what is known about rows of B

  SpgemmHostInspectA(const Operands& of, const SpgemmAddend<Arrays>& added, const SpgemmRowOfB<Ordinal>* b,
                     const bool* shifts, ColumnRange<Ordinal>* to, unsigned char* flags_of_rows,
                     bool columns_in_any_order)
      : operands(of),
        addend(added),
        rows_of_b(b),
        shifts_of_b(shifts),
        ranges(to),
        flags(flags_of_rows),
        any_order(columns_in_any_order) {
    const auto bytes = static_cast<std::int64_t>(of.B.rows) * static_cast<std::int64_t>(sizeof(*b));
    if (bytes > Policy::far_bytes && of.A.nonzeros > Offset(Policy::look_ahead))
      last_ahead = of.A.nonzeros - Offset(Policy::look_ahead);
  }

  // A call of its own a row takes as long as a short row does.
  LACUNA_HOST_INLINE void operator()(std::int64_t row, SpgemmHostStatistics& statistics) const {
    const Arrays& A       = operands.A;
    Ordinal first         = no_column<Ordinal>, last(-1);
    std::int64_t products = 0, words_of_b = 0;
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      if (k < last_ahead) prefetch_line(rows_of_b + A.entries[k + Policy::look_ahead]);
      const Ordinal inner                 = A.entries[k];
      const SpgemmRowOfB<Ordinal>& of_row = rows_of_b[inner];
      first                               = std::min(first, of_row.range.first);
      last                                = std::max(last, of_row.range.last);
      products += length_of_b(inner);
      words_of_b += static_cast<std::int64_t>(of_row.words);
    }
    ColumnRange<Ordinal> range{first, last};
    statistics.words += words_of_b;
    for (Offset d = addend.begin(row); d < addend.end(row); ++d) {
      range.first = std::min(range.first, addend.D.entries[d]);
      range.last  = std::max(range.last, addend.D.entries[d]);
      ++products;
    }
    if constexpr (Operands::is_masked) restrict(row, range, products);
    const bool same          = repeats_row_before(A.row_map, A.entries, row) && repeats_row_before(addend, row);
    const std::int64_t words = host_words(range);
    const bool is_dense      = words <= Policy::dense_words<Scalar>();
    const bool few           = !is_dense && products <= Policy::most_ranked;
    const bool in_table      = few || (any_order && !is_dense && products <= Policy::most_in_table);
    const bool hashed        = !few && Policy::is_hashed(words, products);
    ranges[row]              = range;
    const bool shifted       = shifts(row);
    flags[row]      = static_cast<unsigned char>((same ? spgemm_host_repeats : 0) | (hashed ? spgemm_host_hashed : 0) |
                                            (in_table ? spgemm_host_table : 0) | (shifted ? spgemm_host_shifts : 0) |
                                            (few ? spgemm_host_few : 0));
    const bool wide = !is_dense && !in_table;
    statistics.sum += products;
    statistics.counted += same || shifted ? 0 : products;
    statistics.listed += is_dense ? std::min<std::int64_t>(products, range.width()) : 0;
    statistics.wide_products += wide ? products : 0;
    statistics.scattered += is_dense ? 0 : 1;
    statistics.widest_marked =
        std::max(statistics.widest_marked, is_dense || words * host_word_columns > Policy::most_marked ? 0 : words);
    statistics.table_rows += in_table ? 1 : 0;
    statistics.table_products += in_table ? products : 0;
    statistics.widest = std::max(statistics.widest, hashed || few ? 0 : words);
    statistics.most   = std::max(statistics.most, hashed ? products : 0);
    statistics.repeats |= same;
  }

 private:
  bool shifts(std::int64_t row) const {
    const Arrays& A = operands.A;
    if (Operands::is_masked || addend.is_there() || !shifts_row_before(A.row_map, A.entries, row)) return false;
    return std::all_of(A.entries + A.row_map[row], A.entries + A.row_map[row + 1],
                       [this](Ordinal inner) { return shifts_of_b[inner]; });
  }
  /// One cache line less than by the row map, unless a row may be longer than what is known about it can say.
  std::int64_t length_of_b(Ordinal inner) const {
    const Arrays& B = operands.B;
    if (static_cast<std::int64_t>(B.nonzeros) <= static_cast<std::int64_t>(std::numeric_limits<Ordinal>::max()))
      return static_cast<std::int64_t>(rows_of_b[inner].length());
    return static_cast<std::int64_t>(B.row_map[inner + 1] - B.row_map[inner]);
  }

  /// Cuts the column range of a row of C to that of its row of the mask. A row of which nothing is left has no
  /// products.
  void restrict(std::int64_t row, ColumnRange<Ordinal>& range, std::int64_t& products) const {
    if (operands.mask.complemented) return;
    const std::int64_t begin = operands.mask.begin(row), end = operands.mask.end(row);
    if (begin < end)
      range = {std::max(range.first, operands.mask.entries[begin]),
               std::min(range.last, operands.mask.entries[end - 1])};
    if (begin == end || range.width() == 0) {
      range    = {no_column<Ordinal>, -1};
      products = 0;
    }
  }
};

template <class Ordinal>
struct SpgemmHostWordsOfRow {
  const SpgemmRowOfB<Ordinal>* rows;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const { return static_cast<std::int64_t>(rows[row].words); }
};

/// Packs the pattern of B into words: those of row i are [begin[i], begin[i + 1]). Rows of B need not be sorted.
template <class Arrays>
struct SpgemmHostPackWords {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  Arrays B;
  const Offset* begin;
  SpgemmHostWord* words;

  void operator()(std::int64_t row) const {
    Offset next  = begin[row];
    Ordinal word = -1;
    for (Offset k = B.row_map[row]; k < B.row_map[row + 1]; ++k) {
      const Ordinal column = B.entries[k];
      if (column / host_word_columns != word) {
        word          = column / host_word_columns;
        words[next++] = {0, static_cast<std::int64_t>(word)};
      }
      words[next - 1].mask |= std::uint64_t(1) << (column % host_word_columns);
    }
  }
};

}  // namespace lacuna::Impl

#endif

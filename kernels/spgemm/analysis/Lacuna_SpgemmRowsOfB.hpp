// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWSOFB_HPP
#define LACUNA_SPGEMMROWSOFB_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmInspectRows.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// \brief What is known about the rows of B, and their pattern in words of 32 columns, by which bitmaps are filled a
/// word at a time. On meshes with several unknowns a node one word stands for several columns.

namespace lacuna::Impl {

/// Whether a row has the columns of the row before. `others`: how many of its nonzeros differ in column from the
/// nonzero one row length earlier, which is in the row before if that has the same length.
template <class Offset>
KOKKOS_FORCEINLINE_FUNCTION bool repeats_row_before(const Offset* row_map, std::int64_t row, int others) {
  return row > 0 && others == 0 && row_map[row] - row_map[row - 1] == row_map[row + 1] - row_map[row];
}

/// What is known about a row of B, in one load.
template <class Ordinal>
struct alignas(4 * sizeof(Ordinal)) SpgemmRowOfB {
  using Bits = std::make_unsigned_t<Ordinal>;

  ColumnRange<Ordinal> range;
  Ordinal words;            ///< of 32 columns that have nonzeros
  Bits length_and_repeats;  ///< twice its nonzeros, and 1 where it has the columns of the row before

  KOKKOS_FORCEINLINE_FUNCTION Counter length() const { return static_cast<Counter>(length_and_repeats / 2); }
  KOKKOS_FORCEINLINE_FUNCTION bool repeats() const { return (length_and_repeats & 1) != 0; }

  KOKKOS_FORCEINLINE_FUNCTION static SpgemmRowOfB of(const ColumnRange<Ordinal>& range, Counter words, Counter length,
                                                     bool repeats) {
    return {range, static_cast<Ordinal>(words), static_cast<Bits>(2 * length + (repeats ? 1 : 0))};
  }
};

/// Columns 32 * word … 32 * word + 31; those that are set in `mask`.
struct SpgemmPackedWord {
  std::uint32_t word;
  std::uint32_t mask;
};

/// Where the nonzeros of each row of B stand, or (with `rows`) its words.
template <class Ordinal, class Offset>
struct SpgemmRowSpans {
  const Offset* begin               = nullptr;
  const SpgemmRowOfB<Ordinal>* rows = nullptr;  ///< or nullptr: a row ends where the next begins

  KOKKOS_FORCEINLINE_FUNCTION void find(Ordinal row, Offset& from, Offset& length) const {
    from   = begin[row];
    length = rows != nullptr ? static_cast<Offset>(rows[row].words) : begin[row + 1] - from;
  }
};

/// The words of B. Without them kernels read its columns.
template <class Ordinal, class Offset>
struct SpgemmPackedRows {
  SpgemmRowSpans<Ordinal, Offset> spans;
  const SpgemmPackedWord* words = nullptr;
};

/// Words are added up in this many sums: teams that add to one sum wait for each other.
inline constexpr int spgemm_word_sums = 16;

/// Inspects every row of B. With `words` it writes those of each row in order, from `first_word` on: lanes join the
/// nonzeros of a step that lie in one word, and the lane that begins the last word of a step goes on behind the step.
template <class Arrays>
struct SpgemmInspectRowsOfB {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr bool adds_words = true;
  static constexpr int at_once     = spgemm_at_once;

  const Offset* row_map;
  const Ordinal* entries;
  SpgemmRowOfB<Ordinal>* rows;
  unsigned char* repeats;  ///< of each row; a copy of the flag in `rows`, side by side; or nullptr
  Counter* not_ascending;  ///< set to 1 where a row does not ascend strictly
  Counter* any_repeats;    ///< set to 1 where a row has the columns of the row before
  Counter* words_in_all;   ///< `spgemm_word_sums` sums, to which the words of all rows are added
  const Offset* first_word = nullptr;
  SpgemmPackedWord* words  = nullptr;

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void inspect(const Lanes& lanes, std::int64_t row, Offset begin, Offset end,
                                           SpgemmRowSummary<Ordinal>& summary) const {
    const Offset length = end - begin;
    const auto step     = static_cast<Offset>(lanes.size);
    Offset to           = words != nullptr && length > 0 ? first_word[row] : Offset(0);
    for (Offset base = begin; lanes.any(base < end); base += at_once * step) {
      Ordinal columns[at_once], before[at_once], above[at_once];
      LACUNA_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const Offset k = base + static_cast<Offset>(i) * step + static_cast<Offset>(lanes.rank());
        columns[i]     = k < end ? entries[k] : Ordinal(-1);
        before[i]      = k < end && k > begin ? entries[k - 1] : Ordinal(-1);
        above[i]       = k < end && begin >= length ? entries[k - length] : columns[i];
      }
      bool begins_word[at_once];
      LACUNA_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const Offset k = base + static_cast<Offset>(i) * step + static_cast<Offset>(lanes.rank());
        begins_word[i] = k < end && (k == begin || before[i] / 32 != columns[i] / 32);
        if (k >= end) continue;
        if (before[i] >= columns[i]) note(not_ascending);
        summary.add({columns[i], columns[i]}, 0, begins_word[i] ? 1 : 0);
        if (above[i] != columns[i]) ++summary.others;
      }
      if (words == nullptr) continue;
      int number[at_once], all;
      lanes.count(begins_word, number, all);
      std::uint32_t masks[at_once];
      bool reaches_end[at_once];
      LACUNA_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const Offset k = base + static_cast<Offset>(i) * step + static_cast<Offset>(lanes.rank());
        masks[i]       = k < end ? bit_of(columns[i]) : 0;
      }
      lanes.or_segments(begins_word, masks, reaches_end);
      LACUNA_UNROLL
      for (int i = 0; i < at_once; ++i) {
        if (!begins_word[i]) continue;
        const auto word = static_cast<std::uint32_t>(columns[i] / 32);
        if (reaches_end[i])
          masks[i] |=
              bits_behind(columns[i], base + static_cast<Offset>(lanes.template end_of_segments<at_once>(i)), end);
        words[to + static_cast<Offset>(number[i])] = {word, masks[i]};
      }
      to += static_cast<Offset>(all);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t row, const SpgemmRowSummary<Ordinal>& summary) const {
    const bool same   = repeats_row_before(row_map, row, summary.others);
    const auto length = static_cast<Counter>(row_map[row + 1] - row_map[row]);
    rows[row]         = SpgemmRowOfB<Ordinal>::of(summary.range, summary.words, length, same);
    if (same) note(any_repeats);
    if (repeats != nullptr) repeats[row] = same ? 1 : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_words(std::int64_t team, Counter of_team) const {
    Kokkos::atomic_add(words_in_all + team % spgemm_word_sums, of_team);
  }

 private:
  /// Reads first: stores to one address wait for each other, reads come from the cache.
  KOKKOS_FORCEINLINE_FUNCTION static void note(Counter* flag) {
    if (*flag == 0) *flag = 1;
  }
  /// The bits of the columns from `k` on that lie in the word of `column`, up to the first that does not.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bits_behind(Ordinal column, Offset k, Offset end) const {
    std::uint32_t bits = 0;
    for (; k < end && entries[k] / 32 == column / 32; ++k) bits |= bit_of(entries[k]);
    return bits;
  }
};

/// begin = exclusive prefix sums of the words of each row.
template <class Ordinal, class Offset>
struct SpgemmScanWords {
  std::int64_t rows;
  const SpgemmRowOfB<Ordinal>* rows_of_b;
  Offset* begin;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& sum, bool final) const {
    if (final) begin[row] = static_cast<Offset>(sum);
    if (row < rows) sum += static_cast<std::int64_t>(rows_of_b[row].words);
  }
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMWORDS_HPP
#define LACUNA_SPGEMMWORDS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// \brief Bitmaps of rows: words of 32 columns, each with the number of bits that are set in front of it; of two levels
/// where most words are empty.

namespace lacuna::Impl {

/// 32 columns, and how many bits are set in front of them.
struct alignas(8) SpgemmWord {
  std::uint32_t bits;
  std::uint32_t rank;
};

KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bits_of(const SpgemmWord& word) { return word.bits; }
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bits_of(std::uint32_t word) { return word; }

/// A word of a masked row until the mask is applied: which columns products have, and which the mask has.
struct SpgemmMarks {
  SpgemmWord& word;

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t& products() const { return word.bits; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t& mask() const { return word.rank; }
  /// Leaves the products that the mask allows in `word.bits`.
  KOKKOS_FORCEINLINE_FUNCTION void apply(bool complemented) const {
    word.bits &= complemented ? ~word.rank : word.rank;
  }
};

/// Sets bits that other threads may set at the same time. Reads first, because most bits are set already. The read need
/// not be atomic (Kokkos 4.5 would do that by compare and exchange): a bit that it misses is set again.
KOKKOS_FORCEINLINE_FUNCTION void set_bits(std::uint32_t* word, std::uint32_t bits) {
  if ((*static_cast<const volatile std::uint32_t*>(word) & bits) != bits) Kokkos::atomic_fetch_or(word, bits);
}

/// The pattern of a row, in scratch. `Masked`: a word or a column that is asked for may be absent.
template <class Word, class Ordinal, bool Masked>
struct SpgemmPattern {
  SpgemmWord* tops = nullptr;  ///< a bit for each word of the window; or nullptr: all words are stored
  Word* words      = nullptr;  ///< of the window, or (two levels) those that are not empty
  Ordinal first    = 0;        ///< number of the window's first word
  int window       = 0;        ///< its number of words
  int stored_words = 0;        ///< how many are in `words`

  KOKKOS_FORCEINLINE_FUNCTION bool has(Ordinal word) const {
    return !Masked || (word >= first && word - first < static_cast<Ordinal>(window));
  }
  /// Marks word w of the window as not empty.
  KOKKOS_FORCEINLINE_FUNCTION void set_top(int w) const {
    set_bits(&tops[w / 32].bits, std::uint32_t(1) << static_cast<unsigned>(w % 32));
  }
  /// The index of a word among those that are stored; -1 where a mask has left it out.
  KOKKOS_FORCEINLINE_FUNCTION int index_of_word(Ordinal word) const {
    if (!has(word)) return -1;
    const auto w = static_cast<unsigned>(word - first);
    if (tops == nullptr) return static_cast<int>(w);
    const SpgemmWord top = tops[w / 32];
    const auto bit       = std::uint32_t(1) << (w % 32);
    if (Masked && (top.bits & bit) == 0) return -1;
    return static_cast<int>(top.rank) + count_bits(top.bits & (bit - 1));
  }
  /// The position of a column in the row; -1 where a mask has left it out.
  KOKKOS_FORCEINLINE_FUNCTION int index_of_column(Ordinal column) const {
    const int index = index_of_word(column / 32);
    if (Masked && index < 0) return -1;
    const SpgemmWord word   = words[index];
    const std::uint32_t bit = bit_of(column);
    if (Masked && (word.bits & bit) == 0) return -1;
    return static_cast<int>(word.rank) + count_bits(word.bits & (bit - 1));
  }
};

/// Leaves in each of `count` words how many bits are set in front of it, `before` in front of the first. Returns the
/// number behind the last word, in every lane.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rank_words(int lane, SpgemmWord* words, int count, std::uint32_t before = 0) {
  using lanes        = typename Team::lanes;
  constexpr int wide = Team::lane_width;
  for (int base = 0; base < count; base += wide) {
    const int w             = base + lane;
    const std::uint32_t own = w < count ? static_cast<std::uint32_t>(count_bits(words[w].bits)) : 0;
    const std::uint32_t sum = Team::sum_lanes_up_to(own, lane, wide);
    if (w < count) words[w].rank = before + sum - own;
    before += lanes::shuffle(sum, wide - 1, wide);
  }
  return before;
}

/// The same for words in scratch. A lane takes consecutive words, so that lanes exchange sums only once, and an odd
/// number of them, so that lanes read from different banks.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rank_words_in_scratch(int lane, SpgemmWord* words, int count) {
  using lanes        = typename Team::lanes;
  constexpr int wide = Team::lane_width;
  const int share    = ((count + wide - 1) / wide) | 1;
  const int begin    = lane * share < count ? lane * share : count;
  const int end      = begin + share < count ? begin + share : count;
  std::uint32_t own  = 0;
  for (int w = begin; w < end; ++w) own += static_cast<std::uint32_t>(count_bits(words[w].bits));
  const std::uint32_t sum = Team::sum_lanes_up_to(own, lane, wide);
  std::uint32_t rank      = sum - own;
  for (int w = begin; w < end; ++w) {
    words[w].rank = rank;
    rank += static_cast<std::uint32_t>(count_bits(words[w].bits));
  }
  return lanes::shuffle(sum, wide - 1, wide);
}

/// write(position, column) for every bit of `count` words, by thread `rank` of `size` threads. `bits`: how many are set
/// in all. `column_of(w)`: the first column of word w.
template <class ColumnOf, class Write>
KOKKOS_FORCEINLINE_FUNCTION void write_words(int rank, int size, const SpgemmWord* words, int count, std::int64_t bits,
                                             const ColumnOf& column_of, const Write& write) {
  constexpr int dense_word = 4;  // bits a word above which a thread takes a bit, not a word; not tuned
  if (bits <= static_cast<std::int64_t>(dense_word) * count) {
    for (int w = rank; w < count; w += size) {
      const SpgemmWord word = words[w];
      std::uint32_t index   = word.rank;
      const auto first      = column_of(w);
      for (std::uint32_t left = word.bits; left != 0; left &= left - 1)
        write(index++, static_cast<decltype(column_of(w))>(first + lowest_bit(left)));
    }
    return;
  }
  // Neighbouring threads write neighbouring elements.
  for (int c = rank; c < 32 * count; c += size) {
    const SpgemmWord word = words[c / 32];
    const auto bit        = std::uint32_t(1) << static_cast<unsigned>(c % 32);
    if ((word.bits & bit) == 0) continue;
    write(word.rank + static_cast<std::uint32_t>(count_bits(word.bits & (bit - 1))),
          static_cast<decltype(column_of(0))>(column_of(c / 32) + c % 32));
  }
}

}  // namespace lacuna::Impl

#endif

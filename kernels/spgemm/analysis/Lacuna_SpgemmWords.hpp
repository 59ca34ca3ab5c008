// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMWORDS_HPP
#define LACUNA_SPGEMMWORDS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// \brief Bitmaps of rows: words of 32 columns that know how many bits are set in front of them; of two levels where
/// most words are empty.

namespace lacuna::Impl {

/// 32 columns, and how many bits are set in front of them.
struct alignas(8) SpgemmWord {
  std::uint32_t bits;
  std::uint32_t rank;
};

KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bits_of(const SpgemmWord& word) { return word.bits; }
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bits_of(std::uint32_t word) { return word; }

/// Sets bits that other threads set at the same time. Reads first, as most are set already: not atomically, for Kokkos
/// 4.5 does that by compare and exchange, and what is read too early is just set again.
KOKKOS_FORCEINLINE_FUNCTION void set_bits(std::uint32_t* word, std::uint32_t bits) {
  if ((*static_cast<const volatile std::uint32_t*>(word) & bits) != bits) Kokkos::atomic_fetch_or(word, bits);
}

/// The pattern of a row, in scratch. `Masked`: not all words and columns that are asked for have a place.
template <class Word, class Ordinal, bool Masked>
struct SpgemmPattern {
  SpgemmWord* tops = nullptr;  ///< a bit for each word of the window; or nullptr: all words are listed
  Word* words      = nullptr;  ///< those that are not empty
  Ordinal first    = 0;        ///< number of the window's first word
  int window       = 0;        ///< its words
  int stored_words = 0;        ///< of those, in `words`

  KOKKOS_FORCEINLINE_FUNCTION bool has(Ordinal word) const {
    return !Masked || (word >= first && word - first < static_cast<Ordinal>(window));
  }
  /// Says that word w of the window is not empty.
  KOKKOS_FORCEINLINE_FUNCTION void set_top(int w) const {
    set_bits(&tops[w / 32].bits, std::uint32_t(1) << static_cast<unsigned>(w % 32));
  }
  /// The place of a word among those that are not empty; under a mask -1 where it is.
  KOKKOS_FORCEINLINE_FUNCTION int index_of_word(Ordinal word) const {
    if (!has(word)) return -1;
    const auto w = static_cast<unsigned>(word - first);
    if (tops == nullptr) return static_cast<int>(w);
    const SpgemmWord top = tops[w / 32];
    const auto bit       = std::uint32_t(1) << (w % 32);
    if (Masked && (top.bits & bit) == 0) return -1;
    return static_cast<int>(top.rank) + count_bits(top.bits & (bit - 1));
  }
  /// The place of a column in the row; under a mask -1 where there is none.
  KOKKOS_FORCEINLINE_FUNCTION int index_of_column(Ordinal column) const {
    const int index = index_of_word(column / 32);
    if (Masked && index < 0) return -1;
    const SpgemmWord word   = words[index];
    const std::uint32_t bit = bit_of(column);
    if (Masked && (word.bits & bit) == 0) return -1;
    return static_cast<int>(word.rank) + count_bits(word.bits & (bit - 1));
  }
};

/// Leaves in each of `count` words how many bits are set in front of it, `before` the first; all up to the end, in
/// every lane.
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

/// The same of words in scratch. A lane takes words one behind the other, so that lanes add up once; an odd number of
/// them, so that they read from different banks.
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

/// write(place, column) for every bit of `count` words, by `size` threads of which this is number `rank`; `bits` are
/// set in all. `column_of(w)` is the first of word w.
template <class ColumnOf, class Write>
KOKKOS_FORCEINLINE_FUNCTION void write_words(int rank, int size, const SpgemmWord* words, int count, std::int64_t bits,
                                             const ColumnOf& column_of, const Write& write) {
  constexpr int dense_word = 4;  // with more bits on average words are written by a thread a bit
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
  // Neighbours write beside each other.
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

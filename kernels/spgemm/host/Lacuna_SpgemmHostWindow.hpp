// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTWINDOW_HPP
#define LACUNA_SPGEMMHOSTWINDOW_HPP

#include <kernels/spgemm/host/Lacuna_SpgemmHostAnalysis.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostProbe.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

/// \file
/// \brief Where the words of a row's bitmap stand in the memory of a thread: the *slot* of a word. Words are counted
/// from the first of the row's window on. Plain host code.

namespace lacuna::Impl {

/// \brief A slot for every word of the window: memory and time go with its width.
template <class Ordinal>
class SpgemmHostDenseWindow {
 public:
  static constexpr bool is_hashed = false;

  /// Numbers of `std::uint64_t` that `slots` slots need beside the bitmap.
  static std::int64_t length(std::int64_t slots) { return (slots + host_word_columns - 1) / host_word_columns; }

  /// `memory`: `length(slots)` numbers.
  explicit SpgemmHostDenseWindow(std::uint64_t* memory) : m_summary(memory) {}

  /// Makes the slots [from, to) ready.
  void clear(std::int64_t from, std::int64_t to) { std::fill(m_summary + length(from), m_summary + length(to), 0); }
  void open(std::int64_t words) { m_words = words; }

  /// The slot of a word of the window, which is made where there is none.
  std::int64_t insert(std::int64_t word) const { return word; }
  /// The slot of a word, or -1.
  std::int64_t find(std::int64_t word) const { return word >= 0 && word < m_words ? word : -1; }
  void remove(std::int64_t /*slot*/) const {}

  /// visit(slot, word) for the touched words in ascending order. Where most of the window is touched, all are visited.
  template <class Visit>
  void in_order(Ordinal* touched, std::int64_t count, const Visit& visit) const {
    constexpr int bits = host_word_columns;
    if (m_words <= words_per_touched * count) {
      for (std::int64_t w = 0; w < m_words; ++w) visit(w, w);
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) m_summary[touched[i] / bits] |= std::uint64_t(1) << (touched[i] % bits);
    for (std::int64_t s = 0; s < length(m_words); ++s) {
      for (std::uint64_t rest = m_summary[s]; rest != 0; rest &= rest - 1) {
        const std::int64_t word = s * bits + std::countr_zero(rest);
        visit(word, word);
      }
      m_summary[s] = 0;
    }
  }

 private:
  static constexpr std::int64_t words_per_touched = 2;

  std::uint64_t* m_summary;  ///< a bit for each word; 0 between rows
  std::int64_t m_words = 0;
};

/// \brief Two slots for every product at least, in a hash table with linear probing: memory and time go with the
/// products of the row, whatever its width.
template <class Ordinal>
class SpgemmHostHashedWindow {
  using Probe = SpgemmHostProbe<std::int64_t>;

 public:
  static constexpr bool is_hashed = true;

  static std::int64_t length(std::int64_t slots) { return slots; }

  explicit SpgemmHostHashedWindow(std::uint64_t* memory) : m_keys(reinterpret_cast<std::int64_t*>(memory)) {}

  /// Slots of a row of `products` products.
  static std::int64_t slots(std::int64_t products) { return static_cast<std::int64_t>(Probe::slots_for(products)); }
  void clear(std::int64_t from, std::int64_t to) { std::fill(m_keys + from, m_keys + to, Probe::none); }
  /// `slots`: a power of two, at least 2.
  void open(std::int64_t slots) { m_probe.open(static_cast<std::uint64_t>(slots)); }

  std::int64_t insert(std::int64_t word) const {
    const std::uint64_t slot = m_probe.slot_of(m_keys, word);
    m_keys[slot]             = word;
    return static_cast<std::int64_t>(slot);
  }
  std::int64_t find(std::int64_t word) const {
    if (word < 0) return -1;
    const std::uint64_t slot = m_probe.slot_of(m_keys, word);
    return m_keys[slot] == word ? static_cast<std::int64_t>(slot) : -1;
  }
  void remove(std::int64_t slot) const { m_keys[slot] = Probe::none; }

  template <class Visit>
  void in_order(Ordinal* touched, std::int64_t count, const Visit& visit) const {
    std::sort(touched, touched + count, [this](Ordinal a, Ordinal b) { return m_keys[a] < m_keys[b]; });
    for (std::int64_t i = 0; i < count; ++i) visit(touched[i], m_keys[touched[i]]);
  }

 private:
  std::int64_t* m_keys;  ///< the word of each slot; `none` between rows
  Probe m_probe;
};

}  // namespace lacuna::Impl

#endif

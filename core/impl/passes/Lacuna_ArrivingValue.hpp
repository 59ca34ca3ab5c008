// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ARRIVINGVALUE_HPP
#define LACUNA_ARRIVINGVALUE_HPP

#include <backends/Lacuna_Backend.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

/// \file
/// \brief Values that say by their own bits whether they have arrived, so that who leaves one needs no fence.
///
/// A last arriver that counts with a fence waits until what it left is seen by all, then for the counter. Values that
/// say themselves whether they are there travel beside the count: the last arriver knows that all others have been
/// sent, and looks again at what is still on its way. It waits for memory, never for a lane that has yet to run.
///
/// A word of ones means that nothing has arrived. Read as a number it is a NaN that arithmetic does not give; a value
/// that has it all the same is left as the NaN beside it.

namespace lacuna::Impl {

template <class ExecutionSpace, class T>
class ArrivingValue {
 public:
  using Word = std::conditional_t<alignof(T) % 8 == 0, std::uint64_t, std::uint32_t>;
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(Word) == 0);

  static constexpr int count = sizeof(T) / sizeof(Word);
  static constexpr Word none = ~Word(0);

  /// Empties positions before the first value is left. Does not fence.
  template <class View>
  static void clear(const ExecutionSpace& exec, const View& positions) {
    using Words = Kokkos::View<Word*, typename View::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec, Words(reinterpret_cast<Word*>(positions.data()), positions.extent(0) * count), none);
  }

  /// Sends a value to its position, where nothing is.
  KOKKOS_FORCEINLINE_FUNCTION static void leave(T* position, const T& value) {
    Word words[count];
    memcpy(words, &value, sizeof(T));
    for (int i = 0; i < count; ++i)
      lanes::store_relaxed(reinterpret_cast<Word*>(position) + i, words[i] != none ? words[i] : none - 1);
  }

  /// Looks at a position, which may still be empty: several of these are on their way at once.
  KOKKOS_FORCEINLINE_FUNCTION explicit ArrivingValue(T* position) : m_place(reinterpret_cast<Word*>(position)) {
    for (int i = 0; i < count; ++i) m_words[i] = lanes::load_relaxed(m_place + i);
  }
  /// The value, which has been sent; leaves the place empty.
  KOKKOS_FORCEINLINE_FUNCTION T take() {
    for (int i = 0; i < count; ++i) {
      while (m_words[i] == none) m_words[i] = lanes::load_relaxed(m_place + i);
      m_place[i] = none;
    }
    T value;
    memcpy(&value, m_words, sizeof(T));
    return value;
  }

 private:
  using lanes = typename ExecutionTraits<ExecutionSpace>::lanes;
  Word* m_place;
  Word m_words[count];
};

}  // namespace lacuna::Impl

#endif

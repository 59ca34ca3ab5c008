// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BITS_HPP
#define LACUNA_BITS_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief Counting and finding bits, by one instruction on a device too.

namespace lacuna::Impl {

template <std::unsigned_integral Word>
KOKKOS_FORCEINLINE_FUNCTION int count_bits(Word word) {
  return Kokkos::Experimental::popcount_builtin(word);
}

/// Those of `size` lanes from `first` on, in a mask of a whole warp.
template <class Mask>
KOKKOS_FORCEINLINE_FUNCTION auto bits_of_lanes(Mask mask, int first, int size) {
  using Word       = std::conditional_t<sizeof(Mask) == 8, std::uint64_t, std::uint32_t>;
  const Word lanes = size == 8 * static_cast<int>(sizeof(Word)) ? ~Word(0) : (Word(1) << size) - 1;
  return static_cast<Word>(static_cast<Word>(mask) >> first & lanes);
}

/// The bit of a column in its word of 32.
template <class Ordinal>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bit_of(Ordinal column) {
  return std::uint32_t(1) << static_cast<std::uint32_t>(column % 32);
}

/// The position of the lowest set bit; `word` is not 0.
KOKKOS_FORCEINLINE_FUNCTION int lowest_bit(std::uint32_t word) {
  return Kokkos::Experimental::countr_zero_builtin(word);
}

/// The position of the set bit that has `before` others below it; that many bits are set, and one more.
template <class Mask>
KOKKOS_FORCEINLINE_FUNCTION int position_of_bit(Mask mask, int before) {
  using Word   = std::conditional_t<sizeof(Mask) == 8, std::uint64_t, std::uint32_t>;
  auto left    = static_cast<Word>(mask);
  int position = 0;
  for (int half = 4 * sizeof(Mask); half > 0; half /= 2) {
    const Word low  = left & ((Word(1) << half) - 1);
    const int below = count_bits(low);
    const bool high = before >= below;
    before -= high ? below : 0;
    position += high ? half : 0;
    left = high ? left >> half : low;
  }
  return position;
}

}  // namespace lacuna::Impl

#endif

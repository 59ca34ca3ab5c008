// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BITS_HPP
#define LACUNA_BITS_HPP

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

/// \file
/// \brief Counting and finding bits, on the device by its own instructions.

namespace lacuna::Impl {

KOKKOS_FORCEINLINE_FUNCTION int count_bits(std::uint32_t word) {
  KOKKOS_IF_ON_DEVICE((return __popc(word);))
  KOKKOS_IF_ON_HOST((return std::popcount(word);))
}

KOKKOS_FORCEINLINE_FUNCTION int count_bits(std::uint64_t word) {
  KOKKOS_IF_ON_DEVICE((return __popcll(word);))
  KOKKOS_IF_ON_HOST((return std::popcount(word);))
}

/// The place of the lowest set bit; `word` is not 0.
KOKKOS_FORCEINLINE_FUNCTION int lowest_bit(std::uint32_t word) {
  KOKKOS_IF_ON_DEVICE((return __ffs(static_cast<int>(word)) - 1;))
  KOKKOS_IF_ON_HOST((return std::countr_zero(word);))
}

}  // namespace lacuna::Impl

#endif

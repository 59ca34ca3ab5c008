// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HRPBBRICKS_HPP
#define LACUNA_HRPBBRICKS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_HrpbEngine.hpp>

#include <cstdint>

/// \file
/// \brief Bricks of 16 × 4 out of patterns and nonzeros, as the lanes of a matrix engine hold them.

namespace lacuna::Impl {

/// \brief Which bit of a brick's pattern is a lane's element, in words of 32 bits. A warp of 32 lanes holds a word
/// after the other, so that the word is known when the code is compiled.
template <class Mma>
struct HrpbBrickBit {
  static constexpr bool by_words = Mma::lanes == 32;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int bit(int lane, int half, int reg) {
    return (half * Mma::m + Mma::a_row(lane, reg)) * 4 + Mma::a_column(lane, reg);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int word(int lane, int half, int reg) {
    return by_words ? half + reg : bit(lane, half, reg) / 32;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position(int lane, int half, int reg) {
    return by_words ? lane : bit(lane, half, reg) % 32;
  }
  static constexpr bool holds() {
    for (int lane = 0; lane < Mma::lanes; ++lane)
      for (int half = 0; half < 16 / Mma::m; ++half)
        for (int reg = 0; reg < Mma::a_registers; ++reg)
          if (word(lane, half, reg) * 32 + position(lane, half, reg) != bit(lane, half, reg)) return false;
    return true;
  }
};

/// A decoded brick in scratch: by atom (16 / m are a brick high), lane and register.
template <class Engine, class Scalar>
struct HrpbBricks {
  using Mma       = typename Engine::Mma;
  using Registers = Pack<Scalar, Mma::a_registers>;
  using Bit       = HrpbBrickBit<Mma>;

  static constexpr int size   = sizeof(Scalar);
  static constexpr int values = 64;  ///< of a brick
  static constexpr int halves = 16 / Mma::m;

  static_assert(Mma::k == 4, "lacuna: an atom that bricks of 16 x 4 do not fit");
  static_assert(Mma::lanes * Mma::a_registers * halves == values, "lacuna: the lanes of atoms hold a brick");
  static_assert(Bit::holds(), "lacuna: a lane's elements stand in words of their own");

  /// A lane's elements stand behind as many of `nonzeros` as there are bits before theirs. `Stages` loads them, so that
  /// every lane does, whether it has an element or not: no branch.
  template <class Stages>
  KOKKOS_FORCEINLINE_FUNCTION static void decode(int own, std::uint64_t pattern, const Scalar* nonzeros, Scalar* to) {
    const auto low = static_cast<std::uint32_t>(pattern), high = static_cast<std::uint32_t>(pattern >> 32);
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int half = 0; half < halves; ++half) {
        Registers registers;
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::a_registers; ++reg) {
          const int position       = Bit::position(lane, half, reg);
          const bool in_low        = Bit::word(lane, half, reg) == 0;
          const std::uint32_t word = in_low ? low : high;
          const int before         = count_bits(word & ((1u << position) - 1)) + (in_low ? 0 : count_bits(low));
          const Scalar value       = Stages::template load<Scalar>(Stages::address(nonzeros) + before * size);
          registers.value[reg]     = Engine::expanded((word >> position & 1u) != 0 ? value : Scalar(0));
        }
        reinterpret_cast<Registers*>(to)[half * Mma::lanes + lane] = registers;
      }
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION static void load(int own, const Scalar* brick, int half, typename Engine::A& a) {
    for_each_lane<Mma>(own, [&](int lane) {
      const Registers registers = reinterpret_cast<const Registers*>(brick)[half * Mma::lanes + lane];
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::a_registers; ++reg) Engine::set_a(a, lane, reg, registers.value[reg]);
    });
  }
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HRPBENGINE_HPP
#define LACUNA_HRPBENGINE_HPP

#include <Lacuna_ExecutionTraits.hpp>
#include <Lacuna_Options.hpp>
#include <backends/Lacuna_Mma.hpp>

#include <type_traits>

/// \file
/// \brief How a brick of 16 × 4 is multiplied with 4 rows of B on a matrix engine whose K is 4.

namespace lacuna::Impl {

/// \brief Operands rounded to the atom's format, sums kept in the engine. For double, where nothing is rounded, and for
/// TF32: each factor errs by at most 2^-11, a sum of n bricks by about n times 2^-23 of its terms beside.
template <class MmaType>
struct HrpbRounded {
  using Mma = MmaType;
  using A   = typename Mma::A;
  using B   = typename Mma::B;
  using Sum = typename Mma::C;

  /// What stands in an expanded brick for an element of A, and how a lane takes it from there.
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION static Value expanded(const Value& value) {
    return round_for_engine<typename Mma::operand>(value);
  }
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION static void set_a(A& a, int lane, int reg, const Value& value) {
    a(lane, reg) = value;
  }
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION static void set_b(B& b, int lane, int reg, const Value& value) {
    b(lane, reg) = round_for_engine<typename Mma::operand>(value);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(int, const A& a, const B& b, Sum& sum) { Mma::fma(sum, a, b, sum); }
};

/// \brief Float by three TF32 products, as accurate as plain fp32 arithmetic: x = high + low, both rounded; small terms
/// first, each brick on a zero accumulator, since the engine's truncates, and added outside. Where a factor is not
/// finite, no sum that it touches is.
template <class MmaType>
struct HrpbSplit {
  using Mma = MmaType;
  struct A {
    typename Mma::A high, low;
  };
  struct B {
    typename Mma::B high, low;
  };
  using Sum = typename Mma::C;

  KOKKOS_FORCEINLINE_FUNCTION static float expanded(float value) { return value; }
  template <class Operand>
  KOKKOS_FORCEINLINE_FUNCTION static void set_a(Operand& operand, int lane, int reg, float value) {
    operand.high(lane, reg) = store_operand<typename Mma::operand>(value);
    operand.low(lane, reg)  = value - operand.high(lane, reg);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void set_b(B& b, int lane, int reg, float value) { set_a(b, lane, reg, value); }
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(int own, const A& a, const B& b, Sum& sum) {
    Sum brick;
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::c_registers; ++reg) brick(lane, reg) = 0.0f;
    });
    Mma::fma(brick, a.low, b.high, brick);
    Mma::fma(brick, a.high, b.low, brick);
    Mma::fma(brick, a.high, b.high, brick);
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::c_registers; ++reg) sum(lane, reg) += brick(lane, reg);
    });
  }
};

/// The engine for a scalar type and precision. AMD's wavefronts of 64 multiply float as it is, so every precision is
/// the full one there; NVIDIA's atoms else, which hosts emulate.
template <class ExecutionSpace, class Scalar, Precision precision>
struct HrpbEngineChoice {
  static constexpr bool is_wavefront =
      ExecutionTraits<ExecutionSpace>::is_gpu && ExecutionTraits<ExecutionSpace>::lane_width == 64;
  template <class Atom>
  using Mma = MmaFor<ExecutionSpace, Atom>;

  static constexpr auto choose() {
    if constexpr (is_wavefront && std::is_same_v<Scalar, double>)
      return std::type_identity<HrpbRounded<Mma<Gfx90a_16x16x4_f64>>>();
    else if constexpr (is_wavefront)
      return std::type_identity<HrpbRounded<Mma<Gfx90a_16x16x4_f32>>>();
    else if constexpr (std::is_same_v<Scalar, double>)
      return std::type_identity<HrpbRounded<Mma<Sm80_8x8x4_f64>>>();
    else if constexpr (precision == Precision::full)
      return std::type_identity<HrpbSplit<Mma<Sm80_16x8x4_f32_tf32>>>();
    else
      return std::type_identity<HrpbRounded<Mma<Sm80_16x8x4_f32_tf32>>>();
  }
  using type = typename decltype(choose())::type;
};

}  // namespace lacuna::Impl

#endif

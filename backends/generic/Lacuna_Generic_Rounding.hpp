// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERIC_ROUNDING_HPP
#define LACUNA_GENERIC_ROUNDING_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// \brief The number formats that matrix engines read, and how a float becomes one of them; all of it on bits, so that
/// hosts and GPUs agree to the last one.

namespace lacuna::Impl {

/// IEEE binary16, as it lies in memory.
struct Half {
  std::uint16_t bits;
  KOKKOS_FORCEINLINE_FUNCTION explicit operator float() const;
};

/// The upper half of an IEEE binary32.
struct Bfloat16 {
  std::uint16_t bits;
};

/// What an engine makes of a raw float where it wants TF32: the 13 low bits are not read.
KOKKOS_FORCEINLINE_FUNCTION float truncate_to_tf32(float x) {
  return Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(x) & 0xffffe000u);
}

/// \brief The nearest float of 10 stored mantissa bits, ties away from zero (PTX's cvt.rna).
///
/// Infinities stay, a NaN stays a (quiet) NaN whatever its payload, and what would round to infinity becomes the
/// greatest finite TF32. Denormals round as multiples of 2^-136.
KOKKOS_FORCEINLINE_FUNCTION float round_to_tf32(float x) {
  const auto bits               = Kokkos::bit_cast<std::uint32_t>(x);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t up        = magnitude < 0x7f7ff000u ? 0x1000u : 0u;
  const std::uint32_t quiet     = magnitude > 0x7f800000u ? 0x400000u : 0u;
  return Kokkos::bit_cast<float>(((bits + up) | quiet) & 0xffffe000u);
}

/// A float as the sum of a TF32 number and what is left of it.
struct Tf32Split {
  float high;
  float low;
};

/// \brief x = high + low exactly, high rounded to TF32, |low| <= 2^-11 |high| for normal x below the greatest TF32.
///
/// `low` has up to 13 significant bits; the engine's truncation of it costs no more than 2^-21 |x|, or 2^-136 where
/// `low` is denormal: rounding it is not worth having. For an x that is not finite `low` is 0. Note for products of
/// splits: high · low' is then Inf · 0 = NaN wherever the other factor is a TF32 number itself, so a kernel that
/// promises IEEE infinities must leave that term out.
KOKKOS_FORCEINLINE_FUNCTION Tf32Split split_tf32(float x) {
  const float high  = round_to_tf32(x);
  const bool finite = (Kokkos::bit_cast<std::uint32_t>(x) & 0x7fffffffu) < 0x7f800000u;
  return {high, finite ? x - high : 0.0f};
}

/// The nearest half, ties to even; overflow gives infinity.
KOKKOS_FORCEINLINE_FUNCTION Half to_half(float x) {
  const auto bits               = Kokkos::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign      = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  std::uint32_t half;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u;
  } else if (magnitude >= 0x477ff000u) {  // 65520, half way from the greatest half to 2^16
    half = 0x7c00u;
  } else if (magnitude < 0x38800000u) {  // below 2^-14: adding 1/2 leaves multiples of 2^-24, the half's denormals
    half = Kokkos::bit_cast<std::uint32_t>(Kokkos::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  } else {
    half = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  }
  return {static_cast<std::uint16_t>(sign | half)};
}

/// The nearest bfloat16, ties to even; overflow gives infinity.
KOKKOS_FORCEINLINE_FUNCTION Bfloat16 to_bfloat16(float x) {
  const auto bits = Kokkos::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

/// Exact; one instruction on a GPU.
KOKKOS_FORCEINLINE_FUNCTION float to_float(Half x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
  return result;
#elif defined(__HIP_DEVICE_COMPILE__)
  return static_cast<float>(__builtin_bit_cast(_Float16, x.bits));
#else
  const std::uint32_t sign      = static_cast<std::uint32_t>(x.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = x.bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return Kokkos::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude >= 0x400u) return Kokkos::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
  const float denormal = static_cast<float>(magnitude) * 0x1p-24f;
  return sign != 0 ? -denormal : denormal;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION Half::operator float() const { return to_float(*this); }

KOKKOS_FORCEINLINE_FUNCTION float to_float(Bfloat16 x) {
  return Kokkos::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

/// \name Operand formats: the type that lies in memory, how a number is stored, and what the engine reads.
/// @{
template <class T>
struct PlainOperand {
  using storage = T;
  KOKKOS_FORCEINLINE_FUNCTION static T store(T x) { return x; }
  KOKKOS_FORCEINLINE_FUNCTION static T read(T x) { return x; }
};
struct Tf32Operand {
  using storage = float;
  KOKKOS_FORCEINLINE_FUNCTION static float store(float x) { return round_to_tf32(x); }
  KOKKOS_FORCEINLINE_FUNCTION static float read(float x) { return truncate_to_tf32(x); }
};
struct HalfOperand {
  using storage = Half;
  KOKKOS_FORCEINLINE_FUNCTION static Half store(float x) { return to_half(x); }
  KOKKOS_FORCEINLINE_FUNCTION static float read(Half x) { return to_float(x); }
};
struct Bfloat16Operand {
  using storage = Bfloat16;
  KOKKOS_FORCEINLINE_FUNCTION static Bfloat16 store(float x) { return to_bfloat16(x); }
  KOKKOS_FORCEINLINE_FUNCTION static float read(Bfloat16 x) { return to_float(x); }
};
/// @}

}  // namespace lacuna::Impl

#endif

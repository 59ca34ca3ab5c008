// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_RANDOM_HPP
#define LACUNA_RANDOM_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// \brief Random numbers without a state: number i of a stream is a hash of (seed, i), so every thread of every backend
/// gets the same ones. Only integer arithmetic and single roundings, so that the bits are the same everywhere.

namespace lacuna::Impl {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64-bit numbers.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t mix_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

/// Number `index` of the stream `seed`.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  return mix_bits(seed + (index + 1) * 0x9e3779b97f4a7c15ULL);
}

/// The seed of stream `stream` among those of `seed`.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t substream(std::uint64_t seed, std::uint64_t stream) {
  return mix_bits(random_bits(seed, stream) ^ 0x6a09e667f3bcc909ULL);
}

/// Value `index` of the stream, in (-1, 1): never 0, every bit of the mantissa random. Complex: both parts.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar random_value(std::uint64_t seed, std::uint64_t index) {
  if constexpr (std::is_same_v<Scalar, double>) {
    const auto bits = static_cast<std::int64_t>(random_bits(seed, index)) >> 11;
    return static_cast<double>(2 * bits + 1) * 0x1p-53;
  } else if constexpr (std::is_same_v<Scalar, float>) {
    const auto bits = static_cast<std::int32_t>(static_cast<std::int64_t>(random_bits(seed, index)) >> 41);
    return static_cast<float>(2 * bits + 1) * 0x1p-23f;
  } else if constexpr (std::is_integral_v<Scalar>) {
    return (random_bits(seed, index) >> 63) != 0 ? Scalar(1) : Scalar(-1);
  } else {
    using Real = typename Scalar::value_type;
    return Scalar(random_value<Real>(seed, 2 * index), random_value<Real>(seed, 2 * index + 1));
  }
}

/// Fixed-point numbers with this many bits of fraction.
inline constexpr int fixed_bits = 26;

/// Exponentially distributed, > 0, in fixed point: -log2(u), the logarithm of the mantissa to 0.008.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t random_exponential(std::uint64_t seed, std::uint64_t index) {
  constexpr std::int64_t one = std::int64_t(1) << fixed_bits;
  const std::uint64_t bits   = random_bits(seed, index) | 1;
  const int zeros            = Kokkos::countl_zero(bits);
  const auto fraction        = static_cast<std::int64_t>((zeros < 63 ? bits << (zeros + 1) : 0) >> (64 - fixed_bits));
  const std::int64_t bulge   = (fraction * (one - fraction)) >> fixed_bits;
  return (zeros + 1) * one - fraction - ((bulge * 5669) >> 14) + 1;
}

}  // namespace lacuna::Impl

#endif

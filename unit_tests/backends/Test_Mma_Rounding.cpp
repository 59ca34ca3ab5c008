// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <backends/Lacuna_Mma.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace lacuna::Impl {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float greatest = std::numeric_limits<float>::max();
constexpr float smallest = std::numeric_limits<float>::denorm_min();

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Rounding by arithmetic in double, for comparison: to multiples of 2^(exponent - stored bits).
double rounded(float x, int stored, int least_exponent, bool ties_to_even) {
  if (x == 0) return 0;
  const int exponent = std::max(std::ilogb(x), least_exponent);
  const double unit  = std::ldexp(1.0, exponent - stored);
  const double ratio = x / unit;
  return (ties_to_even ? std::nearbyint(ratio) : std::round(ratio)) * unit;  // std::round: ties away from zero
}

TEST(MmaRounding, Tf32AtTheEdges) {
  EXPECT_EQ(round_to_tf32(1.0f), 1.0f);
  EXPECT_EQ(bits_of(round_to_tf32(-0.0f)), 0x80000000u);
  EXPECT_EQ(round_to_tf32(1 + 0x1p-11f), 1 + 0x1p-10f) << "a tie goes away from zero";
  EXPECT_EQ(round_to_tf32(-1 - 0x1p-11f), -1 - 0x1p-10f);
  EXPECT_EQ(round_to_tf32(1 + 0x1p-10f + 0x1p-11f), 1 + 0x1p-9f);
  EXPECT_EQ(round_to_tf32(1 + 0x1p-11f - 0x1p-23f), 1.0f);
  EXPECT_EQ(round_to_tf32(2 - 0x1p-23f), 2.0f) << "into the next binade";
  EXPECT_EQ(round_to_tf32(smallest), 0.0f);
  EXPECT_EQ(round_to_tf32(0x1p-137f), 0x1p-136f);
  EXPECT_EQ(round_to_tf32(0x1p-126f - 0x1p-149f), 0x1p-126f) << "from the denormals to the normal numbers";
  EXPECT_EQ(round_to_tf32(infinity), infinity);
  EXPECT_EQ(round_to_tf32(-infinity), -infinity);
  EXPECT_EQ(round_to_tf32(greatest), from_bits(0x7f7fe000u)) << "stays finite";
  EXPECT_EQ(round_to_tf32(-greatest), from_bits(0xff7fe000u));
  EXPECT_EQ(round_to_tf32(from_bits(0x7f7ff000u)), from_bits(0x7f7fe000u));
  EXPECT_EQ(round_to_tf32(from_bits(0x7f7fefffu)), from_bits(0x7f7fe000u));
  for (const std::uint32_t nan : {0x7fc00000u, 0x7f800001u, 0x7fffffffu, 0xff801000u, 0xffffffffu}) {
    EXPECT_TRUE(std::isnan(round_to_tf32(from_bits(nan)))) << std::hex << nan;
    EXPECT_TRUE(std::isnan(truncate_to_tf32(round_to_tf32(from_bits(nan))))) << std::hex << nan;
  }
}

/// Random bit patterns with a finite value below the overflow of every format's rounding.
template <class Check>
void for_random_floats(float bound, const Check& check) {
  std::mt19937 generator(7);
  for (int i = 0; i < 20000; ++i) {
    std::uint32_t bits = static_cast<std::uint32_t>(generator());
    if (i % 4 == 0) bits &= 0xffffu << 13 | 0x80000000u;        // ties, and few bits
    if (i % 4 == 1) bits &= 0x807fffffu;                        // denormals
    if (i % 4 == 2) bits = (bits & 0x8fffffffu) | 0x30000000u;  // near 1 and below
    const float x = from_bits(bits);
    if (std::abs(x) < bound) check(x);
  }
}

TEST(MmaRounding, Tf32OfRandomBits) {
  for_random_floats(0x1p127f, [](float x) {
    EXPECT_EQ(round_to_tf32(x), rounded(x, 10, -126, false)) << std::hexfloat << x;
    EXPECT_EQ(bits_of(round_to_tf32(x)) & 0x1fffu, 0u);
    EXPECT_EQ(truncate_to_tf32(round_to_tf32(x)), round_to_tf32(x));
    EXPECT_LE(std::abs(truncate_to_tf32(x)), std::abs(x));
  });
}

TEST(MmaRounding, SplitIsExact) {
  for_random_floats(infinity, [](float x) {
    const Tf32Split split = split_tf32(x);
    EXPECT_EQ(static_cast<double>(split.high) + split.low, x) << std::hexfloat << x;
    EXPECT_EQ(split.high, round_to_tf32(x));
    if (std::abs(x) >= 0x1p-126f && std::abs(x) < 0x1p127f) {
      EXPECT_LE(std::abs(split.low), 0x1p-11f * std::abs(split.high));
      EXPECT_LE(std::abs(static_cast<double>(split.low) - truncate_to_tf32(split.low)),
                std::max(0x1p-21 * std::abs(x), 0x1p-136));
    }
  });
  for (const float x : {greatest, -greatest, smallest, 0.0f, 0x1p-126f}) {
    const Tf32Split split = split_tf32(x);
    EXPECT_TRUE(std::isfinite(split.high));
    EXPECT_EQ(static_cast<double>(split.high) + split.low, x);
  }
  EXPECT_EQ(split_tf32(infinity).high, infinity);
  EXPECT_EQ(split_tf32(-infinity).low, 0.0f);
  EXPECT_TRUE(std::isnan(split_tf32(from_bits(0x7f800001u)).high));
  EXPECT_EQ(split_tf32(from_bits(0x7f800001u)).low, 0.0f);
}

TEST(MmaRounding, HalfAndBack) {
  EXPECT_EQ(to_half(1.0f).bits, 0x3c00u);
  EXPECT_EQ(to_half(-2.0f).bits, 0xc000u);
  EXPECT_EQ(to_half(-0.0f).bits, 0x8000u);
  EXPECT_EQ(to_half(65504.0f).bits, 0x7bffu);
  EXPECT_EQ(to_half(std::nextafter(65520.0f, 0.0f)).bits, 0x7bffu);
  EXPECT_EQ(to_half(65520.0f).bits, 0x7c00u);
  EXPECT_EQ(to_half(-infinity).bits, 0xfc00u);
  EXPECT_EQ(to_half(0x1p-24f).bits, 1u);
  EXPECT_EQ(to_half(0x1p-25f).bits, 0u) << "a tie goes to even";
  EXPECT_EQ(to_half(std::nextafter(0x1p-25f, 1.0f)).bits, 1u);
  EXPECT_EQ(to_half(0x1p-14f - 0x1p-26f).bits, 0x400u) << "from the denormals to the normal numbers";
  EXPECT_TRUE(std::isnan(to_float(to_half(from_bits(0x7f800001u)))));
  for_random_floats(65504.0f, [](float x) { EXPECT_EQ(to_float(to_half(x)), rounded(x, 10, -14, true)) << x; });
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const float x = to_float(Half{static_cast<std::uint16_t>(bits)});
    if (std::isnan(x)) {
      EXPECT_GT(bits & 0x7fffu, 0x7c00u);
    } else {
      EXPECT_EQ(to_half(x).bits, bits);
    }
  }
}

TEST(MmaRounding, Bfloat16AndBack) {
  EXPECT_EQ(to_bfloat16(1.0f).bits, 0x3f80u);
  EXPECT_EQ(to_bfloat16(1 + 0x1p-8f).bits, 0x3f80u) << "a tie goes to even";
  EXPECT_EQ(to_bfloat16(1 + 0x1p-7f + 0x1p-8f).bits, 0x3f82u);
  EXPECT_EQ(to_bfloat16(greatest).bits, 0x7f80u);
  EXPECT_EQ(to_bfloat16(-infinity).bits, 0xff80u);
  EXPECT_TRUE(std::isnan(to_float(to_bfloat16(from_bits(0x7f800001u)))));
  EXPECT_TRUE(std::isnan(to_float(to_bfloat16(from_bits(0xffffffffu)))));
  for_random_floats(0x1p127f, [](float x) { EXPECT_EQ(to_float(to_bfloat16(x)), rounded(x, 7, -126, true)) << x; });
}

}  // namespace
}  // namespace lacuna::Impl

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_MMA_ATOMS_HPP
#define LACUNA_TEST_MMA_ATOMS_HPP

#include <backends/Lacuna_Mma.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace lacuna::Impl {

using MmaAtoms =
    ::testing::Types<Sm80_16x8x8_f32_tf32, Sm80_16x8x4_f32_tf32, Sm80_8x8x4_f64, Sm90_16x8x8_f64, Sm80_16x8x16_f32_f16,
                     Sm80_16x8x16_f32_bf16, Sm80_16x8x8_f32_f16, Sm80_16x8x8_f32_bf16, Gfx90a_16x16x4_f32,
                     Gfx90a_16x16x4_f64, Gfx90a_16x16x16_f32_f16, Gfx90a_16x16x16_f32_bf16, Gfx942_16x16x8_f32_xf32>;

/// Row-major operands of one product, as they lie in memory, and what the engine reads of A and B.
template <class Atom>
struct MmaOperands {
  using element     = typename Atom::element;
  using accumulator = typename Atom::accumulator;
  using operand     = typename Atom::operand;

  std::vector<element> a{}, b{};
  std::vector<accumulator> c{};

  /// `draw()` gives the numbers; `store` puts one into memory.
  template <class Draw, class Store>
  MmaOperands(const Draw& draw, const Store& store) {
    for (int i = 0; i < Atom::m * Atom::k; ++i) a.push_back(store(static_cast<accumulator>(draw())));
    for (int i = 0; i < Atom::k * Atom::n; ++i) b.push_back(store(static_cast<accumulator>(draw())));
    for (int i = 0; i < Atom::m * Atom::n; ++i) c.push_back(static_cast<accumulator>(draw()));
  }

  /// The plain product, and the sum of the magnitudes of its terms.
  double product(int row, int column, double& magnitude) const {
    double sum = c[static_cast<std::size_t>(row * Atom::n + column)];
    magnitude  = std::abs(sum);
    for (int inner = 0; inner < Atom::k; ++inner) {
      const double term = static_cast<double>(operand::read(a[static_cast<std::size_t>(row * Atom::k + inner)])) *
                          operand::read(b[static_cast<std::size_t>(inner * Atom::n + column)]);
      sum += term;
      magnitude += std::abs(term);
    }
    return sum;
  }
};

template <class Atom>
MmaOperands<Atom> random_mma_operands(unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  return MmaOperands<Atom>([&] { return uniform(generator); }, [](auto x) { return Atom::operand::store(x); });
}

/// Small whole numbers: every sum is exact in every format, so every engine must give the very same result.
template <class Atom>
MmaOperands<Atom> whole_mma_operands(unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> uniform(-8, 8);
  return MmaOperands<Atom>([&] { return uniform(generator); }, [](auto x) { return Atom::operand::store(x); });
}

/// Half a unit in the last place of the accumulator at 1.
template <class Atom>
constexpr double mma_epsilon = sizeof(typename Atom::accumulator) == 4 ? 0x1p-24 : 0x1p-53;

}  // namespace lacuna::Impl

#endif

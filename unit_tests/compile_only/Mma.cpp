// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <backends/Lacuna_Launch.hpp>
#include <backends/Lacuna_Mma.hpp>

// A chain of products by each atom that the default execution space has, or by its emulation on a host.

namespace lacuna::Impl {

using Execution = Kokkos::DefaultExecutionSpace;

template <class Mma>
struct ChainOfProducts {
  using element     = typename Mma::element;
  using accumulator = typename Mma::accumulator;
  Kokkos::View<const element*, Execution::memory_space> a, b;
  Kokkos::View<accumulator*, Execution::memory_space> c;
  int steps;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    typename Mma::C sum;
    fill_c<Mma>(team.lane(), sum, [](int, int) { return accumulator(0); });
    for (int step = 0; step < steps; ++step) {
      typename Mma::A left;
      typename Mma::B right;
      fill_a<Mma>(team.lane(), left, [&](int row, int column) { return a((step * Mma::m + row) * Mma::k + column); });
      fill_b<Mma>(team.lane(), right, [&](int row, int column) { return b((step * Mma::k + row) * Mma::n + column); });
      Mma::fma(sum, left, right, sum);
    }
    drain_c<Mma>(team.lane(), sum, [&](int row, int column, accumulator value) { c(row * Mma::n + column) = value; });
  }
};

template <class... Atoms>
void launch_each(const Execution& exec) {
  (launch_teams(exec, "Lacuna::Test::mma", {1, Atoms::lanes}, 0, ChainOfProducts<MmaFor<Execution, Atoms>>{}), ...);
}

void instantiate(const Execution& exec) {
  constexpr bool gpu  = ExecutionTraits<Execution>::is_gpu;
  constexpr int lanes = ExecutionTraits<Execution>::lane_width;
  if constexpr (!gpu || lanes == 32) {
    launch_each<Sm80_16x8x8_f32_tf32, Sm80_16x8x4_f32_tf32, Sm80_8x8x4_f64, Sm90_16x8x8_f64, Sm80_16x8x16_f32_f16,
                Sm80_16x8x16_f32_bf16, Sm80_16x8x8_f32_f16, Sm80_16x8x8_f32_bf16>(exec);
  }
  if constexpr (!gpu || lanes == 64) {
    launch_each<Gfx90a_16x16x4_f32, Gfx90a_16x16x4_f64, Gfx90a_16x16x16_f32_f16, Gfx90a_16x16x16_f32_bf16,
                Gfx942_16x16x8_f32_xf32>(exec);
  }
}

}  // namespace lacuna::Impl

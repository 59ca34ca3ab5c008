// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RANDOM_HPP
#define LACUNA_BENCH_RANDOM_HPP

#include <support/Bench_WorkModels.hpp>

#include <cstdint>

/// \file
/// \brief Values in (-1, 1) that depend on a seed and a place only, so that every run and backend sees the same.

namespace lacuna::bench {

KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t seed, std::uint64_t place) {
  // splitmix64 (Steele, Lea, Flood 2014)
  std::uint64_t z = seed + (place + 1) * 0x9e3779b97f4a7c15ull;
  z               = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z               = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// \brief In (-1, 1) and never 0, exact in single precision.
KOKKOS_INLINE_FUNCTION double random_real(std::uint64_t seed, std::uint64_t place) {
  return (static_cast<double>(mixed(seed, place) >> 41) + 0.5) / 4194304.0 - 1.0;
}

template <class Scalar>
KOKKOS_INLINE_FUNCTION Scalar random_value(std::uint64_t seed, std::uint64_t place) {
  if constexpr (is_complex<Scalar>) {
    using Real = typename Scalar::value_type;
    return Scalar(static_cast<Real>(random_real(seed, 2 * place)), static_cast<Real>(random_real(seed, 2 * place + 1)));
  } else {
    return static_cast<Scalar>(random_real(seed, place));
  }
}

template <class View>
struct FillRandom {
  View view;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    view(i) = random_value<typename View::non_const_value_type>(seed, static_cast<std::uint64_t>(i));
  }
};

template <class ExecutionSpace, class View>
void fill_random(const ExecutionSpace& exec, const View& view, std::uint64_t seed) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("Lacuna::bench::fill_random", Policy(exec, 0, static_cast<std::int64_t>(view.extent(0))),
                       FillRandom<View>{view, seed});
}

}  // namespace lacuna::bench

#endif

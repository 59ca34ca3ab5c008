// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <backends/Lacuna_Launch.hpp>
#include <backends/Lacuna_Mma.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "Mma_Atoms.hpp"

// One product by each atom: the same body on the host, by emulation, and on a GPU that has the instruction.

namespace lacuna::Impl {

template <class Mma, class Memory>
struct OneProduct {
  Kokkos::View<const typename Mma::element*, Memory> a, b;
  Kokkos::View<const typename Mma::accumulator*, Memory> c;
  Kokkos::View<typename Mma::accumulator*, Memory> d;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    typename Mma::A left;
    typename Mma::B right;
    typename Mma::C sum;
    fill_a<Mma>(team.lane(), left, [&](int row, int column) { return a(row * Mma::k + column); });
    fill_b<Mma>(team.lane(), right, [&](int row, int column) { return b(row * Mma::n + column); });
    fill_c<Mma>(team.lane(), sum, [&](int row, int column) { return c(row * Mma::n + column); });
    Mma::fma(sum, left, right, sum);
    drain_c<Mma>(team.lane(), sum,
                 [&](int row, int column, typename Mma::accumulator value) { d(row * Mma::n + column) = value; });
  }
};

template <class Memory, class T>
Kokkos::View<T*, Memory> to_view(const std::vector<T>& values) {
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(values.data(), values.size());
  Kokkos::View<T*, Memory> view("operand", values.size());
  Kokkos::deep_copy(view, host);
  return view;
}

/// D by `MmaFor<ExecutionSpace, Atom>`.
template <class Atom, class ExecutionSpace>
std::vector<typename Atom::accumulator> product_on(const ExecutionSpace& exec, const MmaOperands<Atom>& operands) {
  using Memory      = typename ExecutionSpace::memory_space;
  using accumulator = typename Atom::accumulator;
  const Kokkos::View<accumulator*, Memory> d("d", operands.c.size());
  launch_teams(exec, "Lacuna::Test::mma", {1, Atom::lanes}, 0,
               OneProduct<MmaFor<ExecutionSpace, Atom>, Memory>{
                   to_view<Memory>(operands.a), to_view<Memory>(operands.b), to_view<Memory>(operands.c), d});
  exec.fence("Lacuna::Test::mma: result");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), d);
  return std::vector<accumulator>(host.data(), host.data() + host.size());
}

/// B of two atoms side by side, out of 16 of the rows that are in scratch: 32 of 24 elements.
template <class Mma, class Memory>
struct OneGather {
  static constexpr int depth = 32, stride = 24, offset = 16;  // elements, elements, bytes
  Kokkos::View<const typename Mma::element*, Memory> rows;
  Kokkos::View<const int*, Memory> places;
  Kokkos::View<typename Mma::element*, Memory> gathered;  // 16 rows of 16

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using Stages  = typename Team::stages;
    auto* scratch = team.template scratch<typename Mma::element>(depth * stride);
    for (int i = team.thread(); i < depth * stride; i += team.threads()) scratch[i] = rows(i);
    team.barrier();
    Fragment<typename Stages::Address, 1, Mma::lanes_held> addresses;
    for_each_lane<Mma>(team.lane(), [&](int lane) {
      addresses(lane, 0) = Stages::address(scratch) +
                           static_cast<int>(sizeof(typename Mma::element)) * stride * places(lane % 16) +
                           lane / 16 * 16;
    });
    typename Mma::B left, right;
    Mma::RowsOfB::load(left, right, addresses, offset);
    for_each_lane<Mma>(team.lane(), [&](int lane) {
      for (int reg = 0; reg < Mma::b_registers; ++reg) {
        const int at     = Mma::b_row(lane, reg) * 16 + Mma::b_column(lane, reg);
        gathered(at)     = left(lane, reg);
        gathered(at + 8) = right(lane, reg);
      }
    });
  }
};

/// The bits that `MmaFor<ExecutionSpace, Atom>` gathers out of rows of numbers that are all different.
template <class Atom, class ExecutionSpace>
std::vector<unsigned> gathered_on(const ExecutionSpace& exec, const std::vector<int>& places) {
  using Memory  = typename ExecutionSpace::memory_space;
  using Element = typename Atom::element;
  using Gather  = OneGather<MmaFor<ExecutionSpace, Atom>, Memory>;
  std::vector<Element> rows;
  for (int i = 0; i < Gather::depth * Gather::stride; ++i) rows.push_back(Element{static_cast<std::uint16_t>(i)});
  const Kokkos::View<Element*, Memory> gathered("gathered", 256);
  launch_teams(exec, "Lacuna::Test::gather", {1, Atom::lanes}, 2 * Gather::depth * Gather::stride + 64,
               Gather{to_view<Memory>(rows), to_view<Memory>(places), gathered});
  exec.fence("Lacuna::Test::gather: result");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gathered);
  std::vector<unsigned> bits;
  for (std::size_t i = 0; i < 256; ++i) bits.push_back(host(i).bits);
  return bits;
}

/// |D - plain product| in units of `mma_epsilon` times the sum of the terms' magnitudes: the greatest of all elements.
template <class Atom>
double greatest_error(const MmaOperands<Atom>& operands, const std::vector<typename Atom::accumulator>& d) {
  double worst = 0;
  for (int row = 0; row < Atom::m; ++row) {
    for (int column = 0; column < Atom::n; ++column) {
      double magnitude   = 0;
      const double exact = operands.product(row, column, magnitude);
      const double error = std::abs(d[static_cast<std::size_t>(row * Atom::n + column)] - exact);
      if (error == 0) continue;
      worst = std::isnan(error) ? INFINITY : std::max(worst, error / (magnitude * mma_epsilon<Atom>));
    }
  }
  return worst;
}

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;

/// Whether the default execution space is of the atom's family, known when compiling.
template <class Atom>
constexpr bool family() {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (requires { Atom::compute_capability; }) return std::is_same_v<Exec, Kokkos::Cuda>;
#endif
#if defined(KOKKOS_ARCH_AMD_GFX90A) || defined(KOKKOS_ARCH_AMD_GFX942) || defined(KOKKOS_ARCH_AMD_GFX942_APU)
  if constexpr (Atom::lanes == 64 && !std::is_same_v<Atom, Gfx942_16x16x8_f32_xf32>) return true;
#endif
#if defined(KOKKOS_ARCH_AMD_GFX942) || defined(KOKKOS_ARCH_AMD_GFX942_APU)
  if constexpr (std::is_same_v<Atom, Gfx942_16x16x8_f32_xf32>) return true;
#endif
  return false;
}

/// Whether this very GPU has the instruction.
template <class Atom>
bool available() {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (family<Atom>()) {
    const auto& properties = Exec().cuda_device_prop();
    return properties.major * 10 + properties.minor >= Atom::compute_capability;
  }
#endif
  return family<Atom>();
}

template <class Atom>
struct MmaEngine : ::testing::Test {};
TYPED_TEST_SUITE(MmaEngine, MmaAtoms);

TYPED_TEST(MmaEngine, EmulationEqualsATripleLoop) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto random = random_mma_operands<TypeParam>(seed);
    // Float: one rounding of a sum in double. Double: both are the same operations, but a compiler may contract them.
    const double bound = std::is_same_v<typename TypeParam::accumulator, float> ? 1 : TypeParam::k;
    EXPECT_LE(greatest_error(random, product_on(Host(), random)), bound);
    const auto whole = whole_mma_operands<TypeParam>(seed);
    EXPECT_EQ(greatest_error(whole, product_on(Host(), whole)), 0);
  }
}

TYPED_TEST(MmaEngine, HardwareEqualsAPlainProductAndTheEmulation) {
  if constexpr (!family<TypeParam>()) {
    GTEST_SKIP() << "an instruction of another architecture";
  } else {
    if (!available<TypeParam>()) GTEST_SKIP() << "this GPU does not have the instruction";
    for (unsigned seed = 0; seed < 10; ++seed) {
      const auto whole = whole_mma_operands<TypeParam>(seed);
      EXPECT_EQ(product_on(Exec(), whole), product_on(Host(), whole));
      const auto random = random_mma_operands<TypeParam>(seed);
      // The engine's accumulator may truncate each step: one unit in the last place, two of mma_epsilon, a term.
      EXPECT_LE(greatest_error(random, product_on(Exec(), random)), 2 * (TypeParam::k + 1));
    }
  }
}

TYPED_TEST(MmaEngine, RowsOfBAreGatheredFromAnywhere) {
  using T = TypeParam;
  if constexpr (!requires { typename T::RowsOfB; }) {
    GTEST_SKIP() << "an atom of another shape";
  } else {
    const std::vector<int> places{5, 31, 0, 7, 7, 12, 20, 1, 2, 3, 30, 11, 16, 24, 8, 9};
    std::vector<unsigned> expected;
    for (const int place : places)
      for (unsigned column = 0; column < 16; ++column)
        expected.push_back(24u * static_cast<unsigned>(place) + 8 + column);
    EXPECT_EQ(gathered_on<T>(Host(), places), expected);
    if constexpr (family<T>()) {
      if (available<T>()) EXPECT_EQ(gathered_on<T>(Exec(), places), expected);
    }
  }
}

// PTX leaves the low bits of a TF32 operand open; the emulation (and the bound of the raw low part of a split) says
// cut.
TYPED_TEST(MmaEngine, RawFloatsAreTruncatedToTf32) {
  if constexpr (!family<TypeParam>() || !std::is_same_v<typename TypeParam::operand, Tf32Operand>) {
    GTEST_SKIP() << "not TF32, or an instruction of another architecture";
  } else {
    if (!available<TypeParam>()) GTEST_SKIP() << "this GPU does not have the instruction";
    std::mt19937 generator(3);
    std::uniform_real_distribution<float> uniform(-1, 1);
    const MmaOperands<TypeParam> raw([&] { return uniform(generator); }, [](float x) { return x; });
    EXPECT_LE(greatest_error(raw, product_on(Exec(), raw)), 2 * (TypeParam::k + 1));
  }
}

TYPED_TEST(MmaEngine, InfinitiesAndNansComeThrough) {
  using T           = TypeParam;
  using accumulator = typename T::accumulator;
  const auto check  = [](const auto& exec) {
    auto operands        = whole_mma_operands<T>(1);
    const auto plain     = product_on(exec, operands);
    operands.a[T::k]     = T::operand::store(std::numeric_limits<accumulator>::quiet_NaN());  // row 1
    operands.c[2 * T::n] = std::numeric_limits<accumulator>::infinity();
    const auto d         = product_on(exec, operands);
    for (int row = 0; row < T::m; ++row) {
      for (int column = 0; column < T::n; ++column) {
        const auto at = static_cast<std::size_t>(row * T::n + column);
        if (row == 1) {
          EXPECT_TRUE(std::isnan(d[at]));
        } else if (row == 2 && column == 0) {
          EXPECT_EQ(d[at], std::numeric_limits<accumulator>::infinity());
        } else {
          EXPECT_EQ(d[at], plain[at]);
        }
      }
    }
  };
  check(Host());
  if constexpr (family<T>()) {
    if (available<T>()) check(Exec());
  }
}

}  // namespace
}  // namespace lacuna::Impl

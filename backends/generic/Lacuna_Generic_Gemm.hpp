// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERIC_GEMM_HPP
#define LACUNA_GENERIC_GEMM_HPP

#include <Lacuna_Options.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// C = alpha op(A) op(B) + beta C as BLAS has it: column-major, C of m × n, k products an element; beta == 0 stores.
template <class ElementType, class OutputType, class ArithmeticType>
struct GemmArguments {
  using Element    = ElementType;
  using Output     = OutputType;
  using Arithmetic = ArithmeticType;

  bool transposed_a = false, transposed_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  Arithmetic alpha{};
  const Element* a = nullptr;
  std::int64_t lda = 0;
  const Element* b = nullptr;
  std::int64_t ldb = 0;
  Arithmetic beta{};
  Output* c        = nullptr;
  std::int64_t ldc = 0;
};

/// An index is a stretch of one column of C, whose sums are in registers.
template <class Arguments>
struct PlainGemmStretch {
  static constexpr int length = 64;
  using Arithmetic            = typename Arguments::Arithmetic;

  Arguments gemm;
  std::int64_t stretches;  // of a column

  KOKKOS_FUNCTION void operator()(const std::int64_t index) const {
    const std::int64_t column = index / stretches, first = index % stretches * length;
    const int count = static_cast<int>(gemm.m - first < length ? gemm.m - first : length);
    Arithmetic sums[length];
    for (int i = 0; i < length; ++i) sums[i] = Arithmetic(0);
    for (std::int64_t p = 0; p < gemm.k; ++p) {
      const auto factor =
          static_cast<Arithmetic>(gemm.transposed_b ? gemm.b[column + p * gemm.ldb] : gemm.b[p + column * gemm.ldb]);
      if (gemm.transposed_a) {
        for (int i = 0; i < count; ++i) sums[i] += static_cast<Arithmetic>(gemm.a[p + (first + i) * gemm.lda]) * factor;
      } else {
        const auto* a = gemm.a + first + p * gemm.lda;
        for (int i = 0; i < count; ++i) sums[i] += static_cast<Arithmetic>(a[i]) * factor;
      }
    }
    auto* c = gemm.c + first + column * gemm.ldc;
    for (int i = 0; i < count; ++i) {
      Arithmetic value = gemm.alpha * sums[i];
      if (gemm.beta != Arithmetic(0)) value += gemm.beta * static_cast<Arithmetic>(c[i]);
      c[i] = static_cast<typename Arguments::Output>(value);
    }
  }
};

/// The dense product of hosts: a plain loop, so that nothing has to be linked. What it is like for a backend with a
/// library stands in Lacuna_Gemm.hpp.
template <class ExecutionSpace>
class DeviceGemm {
 public:
  static constexpr const char* library         = "a plain loop";
  static constexpr std::size_t workspace_bytes = 0;

  DeviceGemm() = default;
  explicit DeviceGemm(const ExecutionSpace&) {}

  template <class Arguments>
  static bool serves(const Arguments&) {
    return true;
  }

  template <class Arguments>
  void multiply(const ExecutionSpace& exec, const char* label, Precision, const Arguments& arguments, void*,
                std::size_t) const {
    using Stretch                = PlainGemmStretch<Arguments>;
    const std::int64_t stretches = (arguments.m + Stretch::length - 1) / Stretch::length;
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, stretches * arguments.n),
        Stretch{arguments, stretches});
  }
};

}  // namespace lacuna::Impl

#endif

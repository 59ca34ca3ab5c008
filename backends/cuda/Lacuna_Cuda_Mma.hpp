// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CUDA_MMA_HPP
#define LACUNA_CUDA_MMA_HPP

#include <generic/Lacuna_Generic_Mma.hpp>

/// \file
/// \brief `mma.sync` of NVIDIA's compute capabilities 8.0 and 9.0 as atoms.
///
/// TF32 operands are floats whose 13 low bits the engine does not read: round them before (`round_to_tf32`), or accept
/// truncation. Its accumulator truncates as well; sums of many steps are better added outside, from a zero accumulator.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define LACUNA_IMPL_HAS_SM80_MMA
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define LACUNA_IMPL_HAS_SM90_MMA
#endif

namespace lacuna::Impl {

struct Sm80_16x8x8_f32_tf32 : MmaShape<WarpLayout<16, 8, 1>, Tf32Operand, float> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=f"(d.element[0]), "=f"(d.element[1]), "=f"(d.element[2]), "=f"(d.element[3])
        : "r"(a.word(0)), "r"(a.word(1)), "r"(a.word(2)), "r"(a.word(3)), "r"(b.word(0)), "r"(b.word(1)),
          "f"(c.element[0]), "f"(c.element[1]), "f"(c.element[2]), "f"(c.element[3]));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

struct Sm80_16x8x4_f32_tf32 : MmaShape<WarpLayout<16, 4, 1>, Tf32Operand, float> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
                 : "=f"(d.element[0]), "=f"(d.element[1]), "=f"(d.element[2]), "=f"(d.element[3])
                 : "r"(a.word(0)), "r"(a.word(1)), "r"(b.word(0)), "f"(c.element[0]), "f"(c.element[1]),
                   "f"(c.element[2]), "f"(c.element[3]));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

struct Sm80_8x8x4_f64 : MmaShape<WarpLayout<8, 4, 1>, PlainOperand<double>, double> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
                 : "=d"(d.element[0]), "=d"(d.element[1])
                 : "d"(a.element[0]), "d"(b.element[0]), "d"(c.element[0]), "d"(c.element[1]));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

struct Sm90_16x8x8_f64 : MmaShape<WarpLayout<16, 8, 1>, PlainOperand<double>, double> {
  static constexpr int compute_capability = 90;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_SM90_MMA)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=d"(d.element[0]), "=d"(d.element[1]), "=d"(d.element[2]), "=d"(d.element[3])
        : "d"(a.element[0]), "d"(a.element[1]), "d"(a.element[2]), "d"(a.element[3]), "d"(b.element[0]),
          "d"(b.element[1]), "d"(c.element[0]), "d"(c.element[1]), "d"(c.element[2]), "d"(c.element[3]));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

struct Sm80_16x8x16_f32_f16 : MmaShape<WarpLayout<16, 16, 2>, HalfOperand, float> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=f"(d.element[0]), "=f"(d.element[1]), "=f"(d.element[2]), "=f"(d.element[3])
        : "r"(a.word(0)), "r"(a.word(1)), "r"(a.word(2)), "r"(a.word(3)), "r"(b.word(0)), "r"(b.word(1)),
          "f"(c.element[0]), "f"(c.element[1]), "f"(c.element[2]), "f"(c.element[3]));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

struct Sm80_16x8x16_f32_bf16 : MmaShape<WarpLayout<16, 16, 2>, Bfloat16Operand, float> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=f"(d.element[0]), "=f"(d.element[1]), "=f"(d.element[2]), "=f"(d.element[3])
        : "r"(a.word(0)), "r"(a.word(1)), "r"(a.word(2)), "r"(a.word(3)), "r"(b.word(0)), "r"(b.word(1)),
          "f"(c.element[0]), "f"(c.element[1]), "f"(c.element[2]), "f"(c.element[3]));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

struct Sm80_16x8x8_f32_f16 : MmaShape<WarpLayout<16, 8, 2>, HalfOperand, float> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
                 : "=f"(d.element[0]), "=f"(d.element[1]), "=f"(d.element[2]), "=f"(d.element[3])
                 : "r"(a.word(0)), "r"(a.word(1)), "r"(b.word(0)), "f"(c.element[0]), "f"(c.element[1]),
                   "f"(c.element[2]), "f"(c.element[3]));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

struct Sm80_16x8x8_f32_bf16 : MmaShape<WarpLayout<16, 8, 2>, Bfloat16Operand, float> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
                 : "=f"(d.element[0]), "=f"(d.element[1]), "=f"(d.element[2]), "=f"(d.element[3])
                 : "r"(a.word(0)), "r"(a.word(1)), "r"(b.word(0)), "f"(c.element[0]), "f"(c.element[1]),
                   "f"(c.element[2]), "f"(c.element[3]));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

}  // namespace lacuna::Impl

#undef LACUNA_IMPL_HAS_SM80_MMA
#undef LACUNA_IMPL_HAS_SM90_MMA

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CUDA_MMA_HPP
#define LACUNA_CUDA_MMA_HPP

#include <backends/generic/Lacuna_Generic_Mma.hpp>

#include <cstdint>
#include <type_traits>

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

// One mma.sync with float sums of 16 x 8, where a lane gives four registers of A and two of B, or half as many. Macros,
// since asm takes its text as a literal alone.
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
#define LACUNA_IMPL_MMA_SYNC_4_2(instruction, d, a, b, c)                                                        \
  asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                          \
               : "=f"(d.element[0]), "=f"(d.element[1]), "=f"(d.element[2]), "=f"(d.element[3])                  \
               : "r"(a.word(0)), "r"(a.word(1)), "r"(a.word(2)), "r"(a.word(3)), "r"(b.word(0)), "r"(b.word(1)), \
                 "f"(c.element[0]), "f"(c.element[1]), "f"(c.element[2]), "f"(c.element[3]))
#define LACUNA_IMPL_MMA_SYNC_2_1(instruction, d, a, b, c)                                              \
  asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                            \
               : "=f"(d.element[0]), "=f"(d.element[1]), "=f"(d.element[2]), "=f"(d.element[3])        \
               : "r"(a.word(0)), "r"(a.word(1)), "r"(b.word(0)), "f"(c.element[0]), "f"(c.element[1]), \
                 "f"(c.element[2]), "f"(c.element[3]))
#else
#define LACUNA_IMPL_MMA_SYNC_4_2(instruction, d, a, b, c) mma_not_here(d, a, b, c)
#define LACUNA_IMPL_MMA_SYNC_2_1(instruction, d, a, b, c) mma_not_here(d, a, b, c)
#endif

namespace lacuna::Impl {

struct Sm80_16x8x8_f32_tf32 : MmaShape<WarpLayout<16, 8, 1>, Tf32Operand, float> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
    LACUNA_IMPL_MMA_SYNC_4_2("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", d, a, b, c);
  }
};

struct Sm80_16x8x4_f32_tf32 : MmaShape<WarpLayout<16, 4, 1>, Tf32Operand, float> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
    LACUNA_IMPL_MMA_SYNC_2_1("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", d, a, b, c);
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

/// One instruction from 9.0 on, before four of 8 × 8 × 4 (the lane has the same elements of each).
struct Sm90_16x8x8_f64 : MmaShape<WarpLayout<16, 8, 1>, PlainOperand<double>, double> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_SM90_MMA)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=d"(d.element[0]), "=d"(d.element[1]), "=d"(d.element[2]), "=d"(d.element[3])
        : "d"(a.element[0]), "d"(a.element[1]), "d"(a.element[2]), "d"(a.element[3]), "d"(b.element[0]),
          "d"(b.element[1]), "d"(c.element[0]), "d"(c.element[1]), "d"(c.element[2]), "d"(c.element[3]));
#elif defined(LACUNA_IMPL_HAS_SM80_MMA)
    for (int half = 0; half < 2; ++half) {
      Sm80_8x8x4_f64::C sum{{ c.element[2 * half], c.element[2 * half + 1] }};
      for (int k = 0; k < 2; ++k)
        Sm80_8x8x4_f64::fma(sum,
                            Sm80_8x8x4_f64::A{
                                { a.element[half + 2 * k] }},
                            Sm80_8x8x4_f64::B{
                                { b.element[k] }},
                            sum);
      d.element[2 * half]     = sum.element[0];
      d.element[2 * half + 1] = sum.element[1];
    }
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

/// \brief `ldmatrix`: B of two atoms of 16 × 8 × 16 side by side, out of 16 rows of 16 columns in scratch.
///
/// The rows lie where they please: lane l gives the address of 16 bytes of row l % 16, the first half of the lanes the
/// left 8 columns, the others the right 8. A gather costs as much as rows in order do, as long as the 16 bytes of eight
/// neighbouring lanes lie in different banks.
struct CudaRowsOfB {
  using Address = std::uint32_t;

  template <class B>
  KOKKOS_FORCEINLINE_FUNCTION static void load(B& left, B& right, const Fragment<Address, 1, 1>& rows, int offset) {
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
    unsigned words[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(rows.element[0] + offset)
                 : "memory");
    memcpy(left.element, words, 8);
    memcpy(right.element, words + 2, 8);
#else
    mma_not_here(left, right, rows, offset);
#endif
  }
};

struct Sm80_16x8x16_f32_f16 : MmaShape<WarpLayout<16, 16, 2>, HalfOperand, float> {
  static constexpr int compute_capability = 80;
  using RowsOfB                           = CudaRowsOfB;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
    LACUNA_IMPL_MMA_SYNC_4_2("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", d, a, b, c);
  }
};

struct Sm80_16x8x16_f32_bf16 : MmaShape<WarpLayout<16, 16, 2>, Bfloat16Operand, float> {
  static constexpr int compute_capability = 80;
  using RowsOfB                           = CudaRowsOfB;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
    LACUNA_IMPL_MMA_SYNC_4_2("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", d, a, b, c);
  }
};

struct Sm80_16x8x8_f32_f16 : MmaShape<WarpLayout<16, 8, 2>, HalfOperand, float> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
    LACUNA_IMPL_MMA_SYNC_2_1("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", d, a, b, c);
  }
};

struct Sm80_16x8x8_f32_bf16 : MmaShape<WarpLayout<16, 8, 2>, Bfloat16Operand, float> {
  static constexpr int compute_capability = 80;
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
    LACUNA_IMPL_MMA_SYNC_2_1("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", d, a, b, c);
  }
};

/// `Operand::store` by a conversion instruction where there is one. That may differ in the payload of a NaN and in
/// making an infinity of the greatest floats.
template <class Operand, class T>
KOKKOS_FORCEINLINE_FUNCTION typename Operand::storage store_operand(T x) {
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
  if constexpr (std::is_same_v<Operand, Tf32Operand>) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
  }
#endif
  return Operand::store(x);
}

/// What an engine reads as `Operand::store(x)`. TF32: half a unit is added where x is finite, and the low bits, which
/// the engine does not read, are left: two instructions, where the conversion is four.
template <class Operand, class T>
KOKKOS_FORCEINLINE_FUNCTION typename Operand::storage round_for_engine(T x) {
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
  if constexpr (std::is_same_v<Operand, Tf32Operand>)
    return fabsf(x) < __int_as_float(0x7f800000) ? __uint_as_float(__float_as_uint(x) + 0x1000u) : x;
#endif
  return Operand::store(x);
}

/// Two of them, 16 bits each, side by side.
template <class Operand>
KOKKOS_FORCEINLINE_FUNCTION void store_pair(float first, float second, typename Operand::storage* to) {
#if defined(LACUNA_IMPL_HAS_SM80_MMA)
  unsigned bits;
  if constexpr (std::is_same_v<Operand, HalfOperand>)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
  else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
  memcpy(to, &bits, sizeof(bits));
#else
  to[0] = Operand::store(first);
  to[1] = Operand::store(second);
#endif
}

}  // namespace lacuna::Impl

#undef LACUNA_IMPL_MMA_SYNC_4_2
#undef LACUNA_IMPL_MMA_SYNC_2_1
#undef LACUNA_IMPL_HAS_SM80_MMA
#undef LACUNA_IMPL_HAS_SM90_MMA

#endif

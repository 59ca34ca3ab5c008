// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HIP_MMA_HPP
#define LACUNA_HIP_MMA_HPP

#include <backends/generic/Lacuna_Generic_Mma.hpp>

/// \file
/// \brief `v_mfma` of AMD's gfx90a (MI200) and gfx942 (MI300) as atoms, for a wavefront of 64.
///
/// Compiled for gfx90a and gfx942, layouts checked against AMD's tables, not run. The architecture macros decide, which
/// exist in the device pass alone: `__has_builtin` says yes to builtins that the back end then cannot select. The MI200
/// flushes denormal 16-bit operands to zero.

#if defined(__gfx90a__) || defined(__gfx942__)
#define LACUNA_IMPL_HAS_GFX90A_MFMA
#endif

namespace lacuna::Impl {

#if defined(LACUNA_IMPL_HAS_GFX90A_MFMA)
template <class T, int Count>
using MfmaVector = T __attribute__((ext_vector_type(Count)));

/// The registers of a fragment as the vector of `T` that a builtin takes.
template <class T, class Fragment>
KOKKOS_FORCEINLINE_FUNCTION auto mfma_vector(const Fragment& fragment) {
  MfmaVector<T, sizeof(fragment.element) / sizeof(T)> result;
  static_assert(sizeof(result) == sizeof(fragment.element));
  memcpy(&result, fragment.element, sizeof(result));
  return result;
}
/// The vector that a builtin gave as the registers of a fragment.
template <class Fragment, class Vector>
KOKKOS_FORCEINLINE_FUNCTION void take_mfma_vector(Fragment& fragment, const Vector& vector) {
  static_assert(sizeof(vector) == sizeof(fragment.element));
  memcpy(fragment.element, &vector, sizeof(vector));
}
#endif

/// gfx90a and later.
struct Gfx90a_16x16x4_f32 : MmaShape<WavefrontLayout<4, WavefrontRows::neighbours>, PlainOperand<float>, float> {
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_GFX90A_MFMA)
    take_mfma_vector(d,
                     __builtin_amdgcn_mfma_f32_16x16x4f32(a.element[0], b.element[0], mfma_vector<float>(c), 0, 0, 0));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

/// gfx90a and later. The rows of C that a lane holds are four apart, unlike those of the float instruction.
struct Gfx90a_16x16x4_f64 : MmaShape<WavefrontLayout<4, WavefrontRows::every_fourth>, PlainOperand<double>, double> {
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_GFX90A_MFMA)
    take_mfma_vector(d,
                     __builtin_amdgcn_mfma_f64_16x16x4f64(a.element[0], b.element[0], mfma_vector<double>(c), 0, 0, 0));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

/// gfx90a and later.
struct Gfx90a_16x16x16_f32_f16 : MmaShape<WavefrontLayout<16, WavefrontRows::neighbours>, HalfOperand, float> {
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_GFX90A_MFMA)
    take_mfma_vector(d, __builtin_amdgcn_mfma_f32_16x16x16f16(mfma_vector<_Float16>(a), mfma_vector<_Float16>(b),
                                                              mfma_vector<float>(c), 0, 0, 0));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

/// gfx90a and later.
struct Gfx90a_16x16x16_f32_bf16 : MmaShape<WavefrontLayout<16, WavefrontRows::neighbours>, Bfloat16Operand, float> {
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(LACUNA_IMPL_HAS_GFX90A_MFMA)
    take_mfma_vector(d, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(mfma_vector<short>(a), mfma_vector<short>(b),
                                                                  mfma_vector<float>(c), 0, 0, 0));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

/// gfx942 alone. How the engine cuts a raw float to XF32 is not published here: round operands before.
struct Gfx942_16x16x8_f32_xf32 : MmaShape<WavefrontLayout<8, WavefrontRows::neighbours>, Tf32Operand, float> {
  KOKKOS_FORCEINLINE_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
#if defined(__gfx942__)
    take_mfma_vector(d, __builtin_amdgcn_mfma_f32_16x16x8_xf32(mfma_vector<float>(a), mfma_vector<float>(b),
                                                               mfma_vector<float>(c), 0, 0, 0));
#else
    mma_not_here(d, a, b, c);
#endif
  }
};

}  // namespace lacuna::Impl

#undef LACUNA_IMPL_HAS_GFX90A_MFMA

#endif

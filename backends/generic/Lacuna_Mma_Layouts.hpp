// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MMA_LAYOUTS_HPP
#define LACUNA_MMA_LAYOUTS_HPP

#include <Kokkos_Core.hpp>

/// \file
/// \brief Who owns what in a matrix-engine product D = A B + C: (lane, register) -> (row, column), for A of m × k, B of
/// k × n, C and D of m × n. A register here is one element. Nothing in this file needs a GPU or its compiler.

namespace lacuna::Impl {

/// \brief The fragments of NVIDIA's `mma.sync` (row.col), for m = 8 or 16 and n = 8.
///
/// `Packed` elements of A and B share a 32-bit register: 1 for TF32 and (in register pairs) double, 2 for 16-bit
/// formats. The lane's quad, lane / 4, is its row of A and C and its column of B. Source: PTX ISA, "Matrix fragments
/// for mma.m8n8k4 / m16n8k4 / m16n8k8 / m16n8k16".
template <int M, int K, int Packed>
struct WarpLayout {
  static_assert((M == 8 || M == 16) && K % (4 * Packed) == 0);
  static constexpr int m = M, n = 8, k = K, lanes = 32;
  static constexpr int a_registers = m * k / lanes, b_registers = k * n / lanes, c_registers = m * n / lanes;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int a_row(int lane, int reg) {
    return lane / 4 + 8 * (reg / Packed % (M / 8));
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int a_column(int lane, int reg) {
    return lane % 4 * Packed + reg % Packed + 4 * Packed * (reg / Packed / (M / 8));
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int b_row(int lane, int reg) {
    return lane % 4 * Packed + reg % Packed + 4 * Packed * (reg / Packed);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int b_column(int lane, int /*reg*/) { return lane / 4; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int c_row(int lane, int reg) { return lane / 4 + 8 * (reg / 2); }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int c_column(int lane, int reg) { return lane % 4 * 2 + reg % 2; }
};

/// Which rows of C the registers of a lane hold: neighbours, or (double only) every fourth.
enum class WavefrontRows { neighbours, every_fourth };

/// \brief The fragments of AMD's 16 × 16 `v_mfma` on a wavefront of 64.
///
/// Each lane holds K / 4 neighbouring elements of its row of A and of its column of B.
/// Source: AMD's matrix instruction calculator and the MI200 and MI300 instruction set manuals.
template <int K, WavefrontRows Rows>
struct WavefrontLayout {
  static_assert(K % 4 == 0);
  static constexpr int m = 16, n = 16, k = K, lanes = 64;
  static constexpr int a_registers = K / 4, b_registers = K / 4, c_registers = 4;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int a_row(int lane, int /*reg*/) { return lane % 16; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int a_column(int lane, int reg) { return lane / 16 * a_registers + reg; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int b_row(int lane, int reg) { return lane / 16 * b_registers + reg; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int b_column(int lane, int /*reg*/) { return lane % 16; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int c_row(int lane, int reg) {
    return Rows == WavefrontRows::neighbours ? lane / 16 * 4 + reg : lane / 16 + 4 * reg;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int c_column(int lane, int /*reg*/) { return lane % 16; }
};

}  // namespace lacuna::Impl

#endif

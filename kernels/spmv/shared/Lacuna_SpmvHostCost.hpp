// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVHOSTCOST_HPP
#define LACUNA_SPMVHOSTCOST_HPP

#include <kernels/rows/Lacuna_RowPolicy.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvCost.hpp>

#include <algorithm>
#include <cmath>
#include <string>

/// \file
/// \brief What products cost on a host: nanoseconds of one thread of the host that they were fitted on, for doubles, by
/// the registers that the kernels were compiled for.

namespace lacuna::Impl {

/// Nanoseconds of one thread.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvHostCosts {
  double diagonal;   ///< an entry of a diagonal of vector_slices, zeros included
  double gather;     ///< an entry outside of diagonals, with 16-bit columns
  double padding;    ///< more, of an entry of either that is no nonzero: its step is masked
  double slice_row;  ///< a row of vector_slices
};

struct SpmvHostCostPolicy {
  static constexpr SpmvHostCosts sse2{0.25, 0.37, 0.3, 1.2};  ///< and every other register of 16 bytes
  static constexpr SpmvHostCosts avx2{0.10, 0.25, 0.4, 1.4};
  static constexpr SpmvHostCosts avx512{0.10, 0.28, 0.1, 0.5};
  static constexpr SpmvHostCosts of(int vector_bytes) {
    return vector_bytes >= 64 ? avx512 : vector_bytes >= 32 ? avx2 : sse2;
  }
  /// CSR, whatever the registers: a nonzero, and a row, whose end is often predicted wrongly; a row where all are short
  /// and of one length.
  static constexpr double nonzero = 0.26, row = 2.6, even_row = 0.7;
  /// More in either storage, where columns of neighbouring rows are too far apart for 16 bits: x is read from further
  /// away.
  static constexpr double far = 0.6;
  /// Cutting slices: a row, an entry on a diagonal, another one; new values: an entry.
  static constexpr double cut_row = 25, cut_diagonal = 8, cut_gather = 20;
  /// Slices are taken where they are expected to be so many times as fast as CSR: estimates are no better.
  static constexpr double least_gain = 1.12;
};

/// Seconds of a product of which a thread alone would work `nanoseconds` and that reads `bytes`: memory is waited for
/// in part while threads work.
inline double spmv_host_seconds(const Device& device, double nanoseconds, double bytes) {
  const double work = 1e-9 * nanoseconds / (device.host_rates.speed * std::max(1, device.processors));
  return device.launch_seconds + std::hypot(work, device.host_rates.read_seconds(bytes));
}

/// Costs are those of doubles: of larger scalars an entry is as much more.
inline double spmv_host_scale(const SpmvRequest& request) {
  return std::max(1.0, static_cast<double>(request.scalar.bytes) / sizeof(double));
}

/// The share of nonzeros, of A as far as that was looked at, whose columns are far apart.
inline double spmv_far_share(const Inspection& A) {
  if (!A.vector_slices || A.vector_slices->nonzeros == 0) return 0;
  const auto wide = static_cast<double>(VectorSliceStatistics::rows_per_slice * A.vector_slices->wide);
  return std::min(1.0, wide / static_cast<double>(A.vector_slices->nonzeros));
}

/// A row of CSR beside its nonzeros.
inline double spmv_host_row_cost(const Inspection& A) {
  return RowsPolicy::are_short_and_even(A.neighbours) ? SpmvHostCostPolicy::even_row : SpmvHostCostPolicy::row;
}

/// Rows of CSR as they stand.
inline double spmv_host_rows_seconds(const Device& device, const Inspection& A, const SpmvRequest& request) {
  using Policy         = SpmvHostCostPolicy;
  const double nonzero = Policy::nonzero * spmv_host_scale(request) + Policy::far * spmv_far_share(A);
  return spmv_host_seconds(
      device, nonzero * static_cast<double>(A.nonzeros) + spmv_host_row_cost(A) * static_cast<double>(A.rows),
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

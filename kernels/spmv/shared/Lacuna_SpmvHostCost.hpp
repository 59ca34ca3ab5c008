// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVHOSTCOST_HPP
#define LACUNA_SPMVHOSTCOST_HPP

#include <kernels/spmv/shared/Lacuna_SpmvCost.hpp>

#include <string>

/// \file
/// \brief What products cost on a host, in units of a nonzero of CSR in a long row.

namespace lacuna::Impl {

/// Fitted by hand on an AMD EPYC with AVX-512 (Zen 4), two threads, November 2026, double, to the `tune` half of the
/// matrices and to meshes. Times there move by a quarter from run to run where neighbours use the third-level cache.
struct SpmvHostCostPolicy {
  static constexpr double row      = 6;     ///< of CSR: the end of a loop, often predicted wrongly
  static constexpr double diagonal = 0.5;   ///< an entry of a diagonal, zeros included
  static constexpr double gather   = 1.25;  ///< an entry elsewhere, with 16-bit columns
  static constexpr double wide     = 1.9;   ///< and where columns are too far apart for them: little else is cached
  /// Products of CSR that cutting the slices takes: 23 (a mesh) to 60 (cfd1).
  static constexpr double slices_setup_calls = 50;
};

inline double spmv_host_rows_time(const Inspection& A) {
  return static_cast<double>(A.nonzeros) + SpmvHostCostPolicy::row * static_cast<double>(A.rows);
}

/// Kernels that are written for the vector registers of hosts.
inline Support spmv_needs_host(const Device& device, SpmvAlgorithm algorithm) {
  if (!device.is_gpu) return {};
  return {"algorithm " + std::string(name(algorithm)) + " is for hosts"};
}

}  // namespace lacuna::Impl

#endif

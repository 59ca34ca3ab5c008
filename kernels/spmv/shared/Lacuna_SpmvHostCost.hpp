// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVHOSTCOST_HPP
#define LACUNA_SPMVHOSTCOST_HPP

#include <kernels/spmv/shared/Lacuna_SpmvCost.hpp>

#include <string>

/// \file
/// \brief What products cost on a host, in units of a nonzero of CSR in a long row.

namespace lacuna::Impl {

/// Model of hosts, in units of a nonzero of CSR.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvHostCostPolicy {
  static constexpr double row      = 6;     ///< a row of CSR: the end of its loop is often predicted wrongly
  static constexpr double diagonal = 0.5;   ///< an entry of a diagonal, zeros included
  static constexpr double gather   = 1.25;  ///< an entry outside of diagonals, with 16-bit columns
  /// The same where columns are too far apart for 16 bits, and less is cached.
  static constexpr double wide = 1.9;
  /// Products of CSR that take as long as cutting the slices.
  static constexpr double slices_setup_calls = 50;
};

inline double spmv_host_rows_time(const Inspection& A) {
  return static_cast<double>(A.nonzeros) + SpmvHostCostPolicy::row * static_cast<double>(A.rows);
}

/// Kernels that are written for the vector registers of hosts.
inline Support spmv_needs_host(const Device& device, SpmvAlgorithm algorithm) {
  if (!device.is_gpu) return {};
  return {"algorithm " + std::string(name(algorithm)) + ": written for hosts"};
}

}  // namespace lacuna::Impl

#endif

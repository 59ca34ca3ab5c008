// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVCOST_HPP
#define LACUNA_SPMVCOST_HPP

#include <core/impl/choice/Lacuna_Choice.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvRequest.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

/// \file
/// \brief What products cost, as several algorithms of SpMV reckon: bytes, and a launch.

namespace lacuna::Impl {

struct SpmvCostPolicy {
  /// Share of the copy rate at which CSR with its vectors is read.
  /// Evidence: kernels/spmv/tuning.md.
  static constexpr double crs_share = 0.66;
};

/// Bytes of x and y.
inline double spmv_vector_bytes(const Inspection& A, const SpmvRequest& request) {
  return static_cast<double>(A.rows + A.columns) * static_cast<double>(request.scalar.bytes);
}

/// Bytes of CSR with the vectors.
inline double spmv_crs_bytes(const Inspection& A, const SpmvRequest& request) {
  return static_cast<double>(A.nonzeros) * static_cast<double>(request.scalar.bytes + request.ordinal_bytes) +
         static_cast<double>(A.rows) * static_cast<double>(request.offset_bytes) + spmv_vector_bytes(A, request);
}

/// Seconds of a product that reads and writes `bytes` bytes as fast as CSR is read.
inline double spmv_seconds(const Device& device, double bytes) {
  return device.launch_seconds + bytes / (SpmvCostPolicy::crs_share * device.copy_rate);
}
inline double spmv_crs_seconds(const Device& device, const Inspection& A, const SpmvRequest& request) {
  return spmv_seconds(device, spmv_crs_bytes(A, request));
}

/// Text on a storage of `bytes` bytes, vectors included.
inline std::string spmv_size_text(const Inspection& A, const SpmvRequest& request, double bytes) {
  const double of_crs = spmv_crs_bytes(A, request);  // 0 of a matrix without rows and columns
  return std::to_string(of_crs > 0 ? static_cast<std::int64_t>(100 * bytes / of_crs) : 100) + " % of the bytes of CSR";
}

/// An estimate that is never taken.
inline Estimate spmv_never(std::string reason) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {.call_seconds = infinity, .setup_seconds = infinity, .reason = std::move(reason)};
}

/// Kernels that are written for lanes. Hosts only emulate them.
inline Support spmv_needs_lanes(const Device& device, SpmvAlgorithm algorithm) {
  return needs_lanes(device, algorithm, name(SpmvAlgorithm::nonzero_split));
}

}  // namespace lacuna::Impl

#endif

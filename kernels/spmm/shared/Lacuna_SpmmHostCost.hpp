// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMHOSTCOST_HPP
#define LACUNA_SPMMHOSTCOST_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief What a product by rows costs on a host.

namespace lacuna::Impl {

/// Nanoseconds of one thread, by the registers that the kernels were compiled for.
/// Evidence: kernels/spmm/tuning.md.
struct SpmmHostCosts {
  double near_byte;  ///< of a row of B, for each nonzero, where caches hold most of B
  double far_byte;   ///< the same where B is larger
};

struct SpmmHostCostPolicy {
  static constexpr SpmmHostCosts sse2{0.011, 0.022};   ///< and every other register of 16 bytes
  static constexpr SpmmHostCosts avx2{0.0062, 0.014};  ///< AVX-512 too: vectors of the row kernel have 32 bytes
  static constexpr SpmmHostCosts of(int vector_bytes) { return vector_bytes >= 32 ? avx2 : sse2; }
  static constexpr double row        = 5;     ///< of A
  static constexpr double nonzero    = 0.25;  ///< of A
  static constexpr double near_bytes = 20e6;  ///< of B, up to which caches hold most of it; their size is not asked for
};

inline double spmm_host_seconds(const Device& device, const Inspection& A, const SpmmRequest& request, std::int64_t n) {
  using Policy              = SpmmHostCostPolicy;
  const SpmmHostCosts costs = Policy::of(device.vector_bytes);
  const bool is_near        = static_cast<double>(A.columns) * request.row_bytes(n) <= Policy::near_bytes;
  const double byte         = is_near ? costs.near_byte : costs.far_byte;
  const double nanoseconds  = static_cast<double>(A.nonzeros) * (Policy::nonzero + byte * request.row_bytes(n)) +
                             Policy::row * static_cast<double>(A.rows);
  return device.launch_seconds + 1e-9 * nanoseconds / std::max(1, device.processors);
}

}  // namespace lacuna::Impl

#endif

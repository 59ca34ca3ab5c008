// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMHOSTCOST_HPP
#define LACUNA_SPMMHOSTCOST_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

/// \file
/// \brief What a product by rows costs on a host.

namespace lacuna::Impl {

/// Nanoseconds of one thread of the host that they were fitted on.
/// Evidence: kernels/spmm/tuning.md.
struct SpmmHostCostPolicy {
  static constexpr double row = 5, nonzero = 0.1;  ///< of A
  /// A byte of a row of B, for each nonzero, where the first cache has it: by the registers that kernels were compiled
  /// for. Those of AVX-512 are as AVX2's: vectors of the row kernel have 32 bytes.
  static constexpr double byte(int vector_bytes) { return vector_bytes >= 32 ? 0.004 : 0.0115; }
  /// So many times the root of the share of nonzeros whose column the row of A before lacks: how many rows of B come
  /// from further away than the first cache, for each nonzero.
  static constexpr double reread = 2;
};

/// While threads work, they wait in part for rows of B, which come from as far away as columns are from the diagonal,
/// and for A, B and C once. Columns have 32 bits.
inline double spmm_host_seconds(const Device& device, const Inspection& A, const SpmmRequest& request, std::int64_t n) {
  using Policy    = SpmmHostCostPolicy;
  const auto rows = static_cast<double>(A.rows), columns = static_cast<double>(A.columns);
  const auto nonzeros = static_cast<double>(A.nonzeros);
  const double row = request.row_bytes(n), of_b = nonzeros * row;
  const double nanoseconds = nonzeros * Policy::nonzero + of_b * Policy::byte(device.vector_bytes) + rows * Policy::row;
  const double again       = of_b * Policy::reread * std::sqrt(A.reach.new_share);
  const double once = nonzeros * (static_cast<double>(request.scalar.bytes) + 4) + rows * 4 + (rows + columns) * row;
  return device.launch_seconds +
         std::hypot(1e-9 * nanoseconds / (device.host_rates.speed * std::max(1, device.processors)),
                    device.host_rates.read_seconds(again, row * A.reach.distance),
                    device.host_rates.read_seconds(once));
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMCOST_HPP
#define LACUNA_SPMMCOST_HPP

#include <core/impl/Lacuna_Choice.hpp>
#include <core/impl/Lacuna_ReportText.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>

#include <cstdint>

/// \file
/// \brief What products cost, as several algorithms of SpMM reckon.

namespace lacuna::Impl {

struct SpmmCostPolicy {
  /// What reading B as it stands costs more than aligned rows, in the time of the row kernel by the bytes of B.
  /// Measured for unaligned rows of float, 2 meshes, N = 3 to 31: 0.44 to 0.9; at N = 33 0.1 to 0.4; graphs 0.2 to 0.6.
  /// Untuned for column-major ones.
  static constexpr double unaligned_cost    = 0.5;
  static constexpr double column_major_cost = 7.2;
  /// Of the copy rate that a copy of B reaches: untuned.
  static constexpr double copy_share = 0.73;
};

/// Rows of A taken one by one: each nonzero gathers a row of B of `n` columns.
inline double row_seconds(const Device& device, const Inspection& A, const SpmmRequest& request, std::int64_t n) {
  return device.launch_seconds + static_cast<double>(A.nonzeros) * request.row_bytes(n) / device.gather_rate;
}
inline double row_seconds(const Device& device, const Inspection& A, const SpmmRequest& request) {
  return row_seconds(device, A, request, request.planned_columns());
}

/// Whether copying B of `n` columns to aligned rows costs less than `share` of what rows one by one take.
inline bool repacking_costs_less(const Device& device, const Inspection& A, const SpmmRequest& request, std::int64_t n,
                                 double share) {
  const double bytes = static_cast<double>(A.columns) * request.row_bytes(n);
  return share * (row_seconds(device, A, request, n) - device.launch_seconds) >
         device.launch_seconds + 2 * bytes / (SpmmCostPolicy::copy_share * device.copy_rate);
}

}  // namespace lacuna::Impl

#endif

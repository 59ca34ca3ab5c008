// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMDENSEPOLICY_HPP
#define LACUNA_SPMMDENSEPOLICY_HPP

#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// Model of the time of dense products: the sum of flops and bytes at these rates. The rates of double, complex and of
/// devices other than `Device::h200` come from data sheets: not tuned.
/// Evidence: kernels/spmm/tuning.md.
struct SpmmDensePolicy {
  static constexpr double full_rate   = 48e12;  ///< flops a second of `Device::h200`
  static constexpr double double_rate = 55e12;
  static constexpr double tf32_rate   = 400e12;
  static constexpr double half_rate   = 850e12;
  static constexpr double host_rate   = 2e9;  ///< of a thread in the plain loop: not tuned
  /// Seconds to make a handle, apart from the first one of a process.
  static constexpr double handle_seconds = 0.1e-3;
  /// Seconds to write a nonzero into the dense copy, a thread for each row.
  static constexpr double scatter_seconds      = 0.25e-9;
  static constexpr double host_scatter_seconds = 2e-9;  ///< not tuned

  static double rate(const Device& device, const SpmmRequest& request) {
    if (!device.is_gpu) return host_rate * device.processors;
    const double share = static_cast<double>(device.processors) / Device::h200().processors;
    if (request.scalar.kind == ScalarKind::half) return share * half_rate;
    if (request.is_reduced() && device.has_reduced_gemm) return share * tf32_rate;
    const bool wide = request.scalar.bytes == (request.scalar.kind == ScalarKind::complex ? 16 : 8);
    return share * (wide ? double_rate : full_rate);
  }

  /// Bytes of op(A) with rows padded to 32 bytes.
  static double bytes_of_copy(const Inspection& A, const SpmmRequest& request) {
    const double row =
        static_cast<double>((A.columns * static_cast<std::int64_t>(request.scalar.bytes) + 31) / 32 * 32);
    return static_cast<double>(A.rows) * row;
  }

  static double seconds(const Device& device, const Inspection& A, const SpmmRequest& request) {
    const std::int64_t n = request.planned_columns();
    const double flops   = (request.scalar.kind == ScalarKind::complex ? 8.0 : 2.0) * static_cast<double>(n) *
                         static_cast<double>(A.rows) * static_cast<double>(A.columns);
    const double bytes = bytes_of_copy(A, request) + static_cast<double>(A.rows + A.columns) * request.row_bytes(n);
    return device.launch_seconds + flops / rate(device, request) + bytes / device.copy_rate;
  }

  static double setup_seconds(const Device& device, const Inspection& A, const SpmmRequest& request) {
    return (device.is_gpu ? handle_seconds : 0) + device.allocate_seconds +
           2 * bytes_of_copy(A, request) / device.copy_rate +
           (device.is_gpu ? scatter_seconds : host_scatter_seconds) * static_cast<double>(A.nonzeros);
  }
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMENGINEMODEL_HPP
#define LACUNA_SPMMENGINEMODEL_HPP

#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

/// \file
/// \brief How fast a matrix engine multiplies panels of 8 rows whose columns are moved together, against rows one by
/// one: what algorithms on it, and those that compete with it, reckon with. Measured on one H200 (CUDA 13.0, November
/// 2026) with the kernel on bricks; "rpc" is the number of nonzeros per active column of a panel.

namespace lacuna::Impl {

struct SpmmEnginePolicy {
  /// Least rpc, in the order of rows that is taken, at full precision. Measured, 12 matrices, N = 24 to 512,
  /// bricks over rows: from 4.07 to 4.7 1.0 to 1.1 times faster at N = 32, 0.95 to 1.35 at 64, 1.05 to 1.6 at 128, 1.05
  /// to 1.3 at 256 and 512; clustered matrices with one unknown a node (1.9 to 3.4) 0.8 to 1.02 times at 64 and above
  /// where the kernel for even rows serves, and as before it was there 1.0 to 1.1 times from 128 up where it does not;
  /// a tile that is half void is 1.1 to 1.3 times slower at N = 40, and B whose rows are not aligned 1.1 to 1.6 times
  /// at N = 17, 31 and 33. All that in float.
  static constexpr double least_rpc(std::int64_t columns) {
    if (columns <= 64 && columns % 4 != 0) return never_rpc;
    if (columns <= 32) return columns <= 24 ? 4.45 : 4.32;
    if (columns <= 64) return columns <= 40 ? never_rpc : columns <= 56 ? 4.25 : 3.9;
    if (columns <= 112) return columns <= 80 ? 4.2 : 3.9;
    if (columns % even_columns == 0) return 3.7;
    return columns <= 128 ? 3.0 : columns <= 256 ? 2.5 : 1.95;
  }
  /// The same where a lower precision is asked for, which the engine serves faster. Measured, clustered: 3.4
  /// is 1.25, 1.1 and 1.05 times faster than rows at N = 64, 128, 256 and above, 2.8 1.15 and 1.05 times at 64 and 128,
  /// 0.96 times above; 1.9 to 2.6 0.8 to 1.06 times.
  static constexpr double least_reduced_rpc(std::int64_t columns) {
    if (columns <= 64 && columns % 4 != 0) return never_rpc;
    if (columns <= 32) return columns <= 24 ? 4.4 : 3.7;
    if (columns <= 64) return columns <= 56 ? 3.9 : 2.5;
    if (columns <= 128) return columns <= 112 ? 3.5 : 2.5;
    if (columns % even_columns == 0) return 3.2;
    return columns <= 256 ? 2.1 : 1.7;
  }
  /// The same in double, whose tiles are half as wide. Measured (H200, 25 November 2026, N = 20 to 512, 12 matrices of
  /// 4,700 panels and more, time over that of the best other): rpc 2.2 and 2.4 0.83 and 0.76 at N = 32, 0.8 at 48, 0.93
  /// at 64, 0.84 and 0.74 at 96, 1.13 at 20, 1.0 at 24 and 40, in panels of 16 rows 0.98 at 128 and 0.95 at 512; 2.0
  /// 0.9 to 1.0 at 32, 64 and 96, 1.1 at 20, 24 and 40; 1.6 1.0 to 1.9, and 0.85 to 1.0 where clustered rows made 2.2
  /// of it; 4.0 1.0 at 20, 0.84 at 24, 1.16 at 40; 4.7 and 6 0.46 to 0.98 everywhere.
  static constexpr double least_double_rpc(std::int64_t columns) {
    if (columns <= 64 && columns % 4 != 0) return never_rpc;
    if (columns <= 32) return columns <= 20 ? 4.0 : columns <= 28 ? 3.0 : 2.1;
    if (columns <= 64) return columns <= 44 ? 4.3 : columns <= 56 ? 2.15 : 2.0;
    return columns <= 80 ? 3.7 : columns <= 112 ? 2.0 : 2.1;
  }
  static constexpr double never_rpc          = 9;   ///< more than there can be
  static constexpr std::int64_t even_columns = 64;  ///< of float, whose multiples the kernel for even rows serves
  /// Nonzeros a row, on average, from which the engine serves float at full precision: shorter sums may err by more
  /// than twice as much as plain ones (SplitEngine). Measured: 2.2 times on rows of 5, at most 2.0 times from 6 up.
  static constexpr double least_full_mean = 6;
  /// Panels are uneven where the longest has so many times the active columns of the mean; the engine then needs this
  /// rpc at least. Measured: gupta2 (34 times, rpc 2.2), memplus (18, 1.8), email-Enron in TF32 (22, 1.3) were up
  /// to 1.4 times slower on bricks; matrices with even panels and rpc from 1.5 up were faster.
  static constexpr double uneven_panel     = 12;
  static constexpr double least_uneven_rpc = 3;
  /// In double, N = 128 and 512: gupta2 is 1.27 and 1.47 times faster on bricks of 16 rows, at N = 32 1.15 times
  /// slower; memplus and email-Enron are slower.
  static constexpr double least_uneven_double_rpc = 2.1;
  static constexpr std::int64_t uneven_columns    = 64;
  /// Panels times tiles of 128 columns that fill the device; with fewer columns panels alone must, and more of them
  /// where a tile is partly void. Measured: 2,756 panels of rpc 4.1 are 1.35 times slower on bricks at N = 32 and 1.1
  /// times faster at 128, 4,720 of 4.3 are 1.1 times faster at 32 and 64, 1.2 times slower at 48 to 96; 1,494 of 1.9
  /// lose 1.3 times at 128 and 256.
  static constexpr double least_units(std::int64_t columns) {
    if ((columns > 32 && columns <= 56) || (columns > 64 && columns <= 112)) return 5000;
    return columns <= 32 ? 3000 : 2500;
  }
  static constexpr std::int64_t least_columns = 17;  ///< a tile of 32 takes the same time from 1 to 32
  /// How much faster the engine is, by rpc: 1 at the threshold, this much more for each unit above it, up to a limit.
  /// Prototype: 1.5 at 4.3, 1.85 at 4.7.
  static constexpr double first_gain = 0.05;
  static constexpr double gain       = 0.3;
  static constexpr double most_gain  = 0.9;
  /// Below the threshold: slower than rows, by how much was not measured.
  static constexpr double loss = 1.1;
};

/// Seconds of a product on the engine, and whether that is less than of rows one by one.
struct SpmmEngineEstimate {
  bool pays      = false;
  double seconds = 0;
  std::string reason;
};

/// What has to hold whatever the pattern is: it need not be looked at where it does not. Else the reason.
inline std::string engine_cannot_pay(const Device& device, const Inspection& A, const SpmmRequest& request) {
  using Policy         = SpmmEnginePolicy;
  const std::int64_t n = request.columns;
  const double tiles   = std::max(1.0, static_cast<double>(n) / 128.0);
  const auto panels    = (A.rows + 7) / 8;
  const double share   = static_cast<double>(device.processors) / Device::h200().processors;
  if (!device.is_gpu || !device.has_engine || !(request.scalar.is_float() || request.scalar.is_double()))
    return "no matrix engine for this scalar type here";
  if (n < Policy::least_columns) return "N = " + std::to_string(n) + " is too small for the matrix engine";
  if (!request.is_reduced() && request.scalar.is_float() && A.mean() < Policy::least_full_mean)
    return "sums of " + number_text(A.mean()) + " products are too short for full precision on the matrix engine";
  if (static_cast<double>(panels) * tiles < share * Policy::least_units(n))
    return std::to_string(panels) + " panels of 8 rows do not fill the matrix engine";
  if (gather_seconds(device, A, request, n) < seconds_of_b_and_c(device, A, request, n))
    return "rows of " + number_text(A.mean()) + " nonzeros are bound by B and C in memory, not by what reads rows of B";
  return {};
}

/// With panels of `rpc` nonzeros per active column, `uneven` or not.
inline SpmmEngineEstimate estimate_engine(const Device& device, const Inspection& A, const SpmmRequest& request,
                                          double rpc, bool uneven) {
  using Policy = SpmmEnginePolicy;
  SpmmEngineEstimate result;
  const double rows = row_seconds(device, A, request);
  result.reason     = engine_cannot_pay(device, A, request);
  result.seconds    = Policy::loss * rows;
  if (!result.reason.empty()) return result;
  double least = request.scalar.is_double() ? Policy::least_double_rpc(request.columns)
                 : request.is_reduced()     ? Policy::least_reduced_rpc(request.columns)
                                            : Policy::least_rpc(request.columns);
  if (uneven)
    least = std::max(least, request.scalar.is_double() && request.columns >= Policy::uneven_columns
                                ? Policy::least_uneven_double_rpc
                                : Policy::least_uneven_rpc);
  result.reason = number_text(rpc) + " nonzeros per active column of 8-row panels, the matrix engine pays from " +
                  number_text(least) + (uneven ? " where panels are uneven" : "");
  result.pays = rpc >= least;
  if (result.pays)
    result.seconds = rows / (1 + std::min(Policy::most_gain, Policy::first_gain + Policy::gain * (rpc - least)));
  return result;
}

/// With the panels that were found, in natural order.
inline SpmmEngineEstimate estimate_engine(const Device& device, const Inspection& A, const SpmmRequest& request) {
  return estimate_engine(device, A, request, A.nonzeros_per_panel_column(),
                         A.panels && A.panels->uneven(SpmmEnginePolicy::uneven_panel));
}

}  // namespace lacuna::Impl

#endif

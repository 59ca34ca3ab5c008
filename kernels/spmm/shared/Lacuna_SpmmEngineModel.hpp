// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMENGINEMODEL_HPP
#define LACUNA_SPMMENGINEMODEL_HPP

#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

/// \file
/// \brief Speed of a matrix engine on panels of 8 rows with packed columns, against row_split. Algorithms on the
/// engine, and their competitors, estimate with it. "rpc" is the number of nonzeros per active column of a panel.
/// Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

struct SpmmEnginePolicy {
  /// Least rpc, in the order of rows that is taken, with which the engine serves float at full precision.
  static constexpr double least_rpc(std::int64_t columns) {
    if (columns <= 64 && columns % 4 != 0) return never_rpc;
    if (columns <= 32) return columns <= 24 ? 4.45 : 4.32;
    if (columns <= 64) return columns <= 40 ? never_rpc : columns <= 56 ? 4.25 : 3.9;
    if (columns <= 112) return columns <= 80 ? 4.2 : 3.9;
    if (columns % even_columns == 0) return 3.7;
    return columns <= 128 ? 3.0 : columns <= 256 ? 2.5 : 1.95;
  }
  /// The same for lower precisions, which the engine serves faster.
  static constexpr double least_reduced_rpc(std::int64_t columns) {
    if (columns <= 64 && columns % 4 != 0) return never_rpc;
    if (columns <= 32) return columns <= 24 ? 4.4 : 3.7;
    if (columns <= 64) return columns <= 56 ? 3.9 : 2.5;
    if (columns <= 128) return columns <= 112 ? 3.5 : 2.5;
    if (columns % even_columns == 0) return 3.2;
    return columns <= 256 ? 2.1 : 1.7;
  }
  /// The same for double, whose tiles are half as wide.
  static constexpr double least_double_rpc(std::int64_t columns) {
    if (columns <= 64 && columns % 4 != 0) return never_rpc;
    if (columns <= 32) return columns <= 20 ? 4.0 : columns <= 28 ? 3.0 : 2.1;
    if (columns <= 64) return columns <= 44 ? 4.3 : columns <= 56 ? 2.15 : 2.0;
    return columns <= 80 ? 3.7 : columns <= 112 ? 2.0 : 2.1;
  }
  static constexpr double never_rpc          = 9;   ///< more than rpc can be
  static constexpr std::int64_t even_columns = 64;  ///< of float: the kernel for even rows serves multiples of it
  /// Nonzeros a row from which the engine serves float at full precision: the error of shorter sums may be more than
  /// twice that of plain ones (`SplitEngine`).
  static constexpr double least_full_mean = 6;
  /// Panels are uneven where the longest has this many times the active columns of the mean; the engine then needs at
  /// least `least_uneven_rpc`.
  static constexpr double uneven_panel     = 12;
  static constexpr double least_uneven_rpc = 3;
  /// The same rpc for double, from `uneven_columns` columns on.
  static constexpr double least_uneven_double_rpc = 2.1;
  static constexpr std::int64_t uneven_columns    = 64;
  /// Panels times tiles of 128 columns that fill the device. With fewer columns the panels alone must fill it, and more
  /// are needed where a tile is partly empty.
  static constexpr double least_units(std::int64_t columns) {
    if ((columns > 32 && columns <= 56) || (columns > 64 && columns <= 112)) return 5000;
    return columns <= 32 ? 3000 : 2500;
  }
  static constexpr std::int64_t least_columns = 17;  ///< a tile of 32 columns takes the same time from 1 to 32
  /// Gain of the engine over row_split: `first_gain` at the least rpc, `gain` for each unit
  /// above it, at most `most_gain`.
  static constexpr double first_gain = 0.05;
  static constexpr double gain       = 0.3;
  static constexpr double most_gain  = 0.9;
  /// Time over that of row_split below the least rpc: not tuned.
  static constexpr double loss = 1.1;
};

/// Seconds of a product on the engine, and whether that is less than of rows one by one.
struct SpmmEngineEstimate {
  bool pays      = false;
  double seconds = 0;
  std::string reason;
};

/// Conditions that hold for any pattern, so that it need not be inspected otherwise. Returns the reason, or nothing.
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

/// With the panels of the inspection, in natural order.
inline SpmmEngineEstimate estimate_engine(const Device& device, const Inspection& A, const SpmmRequest& request) {
  return estimate_engine(device, A, request, A.nonzeros_per_panel_column(),
                         A.panels && A.panels->uneven(SpmmEnginePolicy::uneven_panel));
}

}  // namespace lacuna::Impl

#endif

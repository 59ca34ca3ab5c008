// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMCOST_HPP
#define LACUNA_SPMMCOST_HPP

#include <core/impl/choice/Lacuna_Choice.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>

#include <algorithm>
#include <cmath>
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

/// Products of matrices whose columns stand as by chance. Fitted to what was measured (H200, November 2026): 48 uniform
/// random matrices, n = 400 to 14,500 with N = n, and n = 4096 with N = 128 and 512; 80 to 99.95 % zeros. Rates are in
/// units of the gather rate, at 1 % of nonzeros, and for each doubling of these; B and C go to memory once beside it.
struct SpmmRandomPolicy {
  /// Rows one by one, where the kernel for even rows takes few of them, or long ones: of half precision, of B in rows
  /// of more than `wide_bytes`, and in rows that are not whole cache lines, at a share of the rate. Fitted to 72
  /// products of 400 to 20,000 rows, 0.1 to 20 % nonzeros, N = 32 to 8,000: within 5 % on average, 17 % at most (H200,
  /// 25 November 2026). Likewise where B has more than `large_b` bytes in rows that are not as wide: 4,096 rows of 41
  /// to 205 nonzeros, N = 512, take 1.18 times what the rate alone says, 14,000 rows of 133, N = 128, 1.44 times (H100,
  /// 26 November 2026; the first in perf_tests/results/h100/paper000-layers.json, the second by a run that was not
  /// kept).
  static constexpr double long_rate      = 1.22;
  static constexpr double long_growth    = 0.075;
  static constexpr double long_most      = 1.52;
  static constexpr double half_share     = 0.79;
  static constexpr double wide_bytes     = 4096;
  static constexpr double wide_share     = 0.92;
  static constexpr double large_b        = 6e6;
  static constexpr double large_share    = 0.7;
  static constexpr double unaligned_long = 0.75;
  /// Over that, where nonzeros come by scratch: rows of B of up to `staged_bytes`, wider ones, and those of a large B.
  /// By a driver and perf_tests/results/h100, 27 November 2026: n = 4096, N = 128, 80 to 99 % zeros 1.34 to 1.42; 1,024
  /// and 2,048 rows, N = 512, 1.2 to 1.48; n = 4096, N = 512 1.26 to 1.47; n = 14,500, N = 128, 99 % 1.07.
  static constexpr double staged_bytes      = 512;
  static constexpr double staged_rate       = 1.38;
  static constexpr double staged_wide_rate  = 1.2;
  static constexpr double staged_large_rate = 1.15;
  static constexpr double long_chain        = 7.6e-9;  ///< seconds of a nonzero
  /// All others. Rows of B that are whole cache lines are read faster, in products of up to `narrow` columns most.
  static constexpr std::int64_t narrow     = 1024;
  static constexpr std::int64_t cache_line = 128;  ///< bytes
  static constexpr double narrow_rate      = 1.02;
  static constexpr double narrow_growth    = 0.09;
  static constexpr double wide_rate        = 0.88;
  static constexpr double unaligned_rate   = 0.82;
  static constexpr double growth           = 0.02;
  /// Rows one by one with columns read ahead (row_blocks), where rows of B are whole cache lines and else.
  static constexpr double ahead_rate             = 1.12;
  static constexpr double ahead_growth           = 0.06;
  static constexpr double wide_ahead_rate        = 1.02;
  static constexpr double unaligned_ahead_rate   = 0.9;
  static constexpr double unaligned_ahead_growth = 0.08;
  static constexpr double most                   = 1.35;
  static constexpr double least_density          = 0.002;  ///< below it the same
  /// A row takes so long for each of its nonzeros: what shows where there are few rows.
  static constexpr double chain_seconds = 25e-9;
  /// Nonzeros per active column of a panel, over those that chance leaves.
  static constexpr double as_by_chance = 1.08;

  static bool aligned(const SpmmRequest& request, std::int64_t n) {
    return n * static_cast<std::int64_t>(request.scalar.bytes) % cache_line == 0;
  }
  static double rate(double at_one_per_cent, double growth, double density) {
    return std::min(most, at_one_per_cent + growth * std::log2(std::max(density, least_density) / 0.01));
  }
};

inline double density_of(const Inspection& A) {
  return A.columns > 0 ? A.mean() / static_cast<double>(A.columns) : 0.0;
}

/// Whether columns are known to stand as by chance: neighbouring rows share no more of them than two rows do.
inline bool columns_are_random(const Inspection& A) {
  if (!A.panels || A.nonzeros == 0) return false;
  const double density = density_of(A), active = 1 - std::pow(1 - density, 8);
  return A.nonzeros_per_panel_column() <= SpmmRandomPolicy::as_by_chance * 8 * density / active;
}

/// Each nonzero gathers a row of B of `n` columns.
inline double gather_seconds(const Device& device, const Inspection& A, const SpmmRequest& request, std::int64_t n) {
  return static_cast<double>(A.nonzeros) * request.row_bytes(n) / device.gather_rate;
}

/// B and C of `n` columns go through memory once.
inline double seconds_of_b_and_c(const Device& device, const Inspection& A, const SpmmRequest& request,
                                 std::int64_t n) {
  return static_cast<double>(A.rows + A.columns) * request.row_bytes(n) / device.copy_rate;
}

/// Such a product of `n` columns at `rate`, in units of the gather rate.
inline double random_seconds(const Device& device, const Inspection& A, const SpmmRequest& request, std::int64_t n,
                             double rate) {
  return device.launch_seconds + SpmmRandomPolicy::chain_seconds * A.mean() +
         gather_seconds(device, A, request, n) / rate + seconds_of_b_and_c(device, A, request, n);
}

/// Whether the kernel for even rows takes those of A with many nonzeros on their way.
inline bool even_rows_are_long(const Device& device, const Inspection& A, const SpmmRequest& request, std::int64_t n) {
  const auto bytes = static_cast<std::int64_t>(request.scalar.bytes);
  if (n * bytes % 16 != 0 || device.threads == 0) return false;
  const std::int64_t vectors = n * bytes / 16;
  const double fill          = RowsPolicy::even_fill(A.rows, vectors, device.threads);
  return RowsPolicy::even_rows_are_long(vectors, A.mean(), fill, request.scalar.bytes);
}

/// What they take.
inline double long_row_seconds(const Device& device, const Inspection& A, const SpmmRequest& request, std::int64_t n) {
  using Random = SpmmRandomPolicy;
  double rate  = std::min(
       Random::long_most,
       Random::long_rate + Random::long_growth * std::log2(std::max(density_of(A), Random::least_density) / 0.01));
  const bool is_large = static_cast<double>(A.columns) * request.row_bytes(n) > Random::large_b;
  if (request.scalar.bytes < 4) rate *= Random::half_share;
  if (!Random::aligned(request, n))
    rate *= Random::unaligned_long;
  else if (request.row_bytes(n) > Random::wide_bytes)
    rate *= Random::wide_share;
  else if (is_large)
    rate *= Random::large_share;
  const std::int64_t vectors = n * static_cast<std::int64_t>(request.scalar.bytes) / 16;
  const double fill          = RowsPolicy::even_fill(A.rows, vectors, device.threads);
  if (RowsPolicy::even_rows_are_staged(vectors, A.mean(), fill, request.scalar.bytes))
    rate *= is_large                                      ? Random::staged_large_rate
            : request.row_bytes(n) > Random::staged_bytes ? Random::staged_wide_rate
                                                          : Random::staged_rate;
  return device.launch_seconds + Random::long_chain * A.mean() + gather_seconds(device, A, request, n) / rate +
         seconds_of_b_and_c(device, A, request, n);
}

/// Rows of A taken one by one.
inline double row_seconds(const Device& device, const Inspection& A, const SpmmRequest& request, std::int64_t n) {
  using Random = SpmmRandomPolicy;
  if (device.is_gpu && columns_are_random(A)) {
    if (even_rows_are_long(device, A, request, n)) return long_row_seconds(device, A, request, n);
    const double density = density_of(A);
    const double rate    = !Random::aligned(request, n) ? Random::rate(Random::unaligned_rate, Random::growth, density)
                           : n > Random::narrow         ? Random::rate(Random::wide_rate, Random::growth, density)
                                                : Random::rate(Random::narrow_rate, Random::narrow_growth, density);
    return random_seconds(device, A, request, n, rate);
  }
  return device.launch_seconds + gather_seconds(device, A, request, n);
}
inline double row_seconds(const Device& device, const Inspection& A, const SpmmRequest& request) {
  return row_seconds(device, A, request, request.planned_columns());
}

/// Whether copying B of `n` columns to aligned rows costs less than `share` of what rows one by one take.
inline bool repacking_costs_less(const Device& device, const Inspection& A, const SpmmRequest& request, std::int64_t n,
                                 double share) {
  const double bytes = static_cast<double>(A.columns) * request.row_bytes(n);
  return share * gather_seconds(device, A, request, n) >
         device.launch_seconds + 2 * bytes / (SpmmCostPolicy::copy_share * device.copy_rate);
}

}  // namespace lacuna::Impl

#endif

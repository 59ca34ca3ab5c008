// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMCOST_HPP
#define LACUNA_SPMMCOST_HPP

#include <core/impl/choice/Lacuna_Choice.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmHostCost.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

/// \file
/// \brief Cost of products, as several algorithms of SpMM estimate it.
/// Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

struct SpmmCostPolicy {
  /// Extra cost of reading an unaligned or column-major B in place, in times of row_split for the bytes of
  /// B. Column-major: not tuned.
  static constexpr double unaligned_cost    = 0.5;
  static constexpr double column_major_cost = 7.2;
  /// Share of the copy rate that a copy of B reaches: not tuned.
  static constexpr double copy_share = 0.73;
};

/// Model of products of matrices with random columns. Rates are in units of the gather rate, at a density of one per
/// cent, and growths are for each doubling of the density. B and C also go to memory once. Unless a comment says
/// otherwise, all numbers are fitted together.
struct SpmmRandomPolicy {
  /// row_split, where the kernel for even rows takes few or long rows: rate, its growth and maximum; then shares of the
  /// rate for half precision, for rows of B of more than `wide_bytes`, for a B of more than `large_b` bytes in narrower
  /// rows, and for rows of B that are not whole cache lines.
  static constexpr double long_rate      = 1.22;
  static constexpr double long_growth    = 0.075;
  static constexpr double long_most      = 1.52;
  static constexpr double half_share     = 0.79;
  static constexpr double wide_bytes     = 4096;
  static constexpr double wide_share     = 0.92;
  static constexpr double large_b        = 6e6;
  static constexpr double large_share    = 0.7;
  static constexpr double unaligned_long = 0.75;
  /// Factors on that rate where nonzeros come through scratch: rows of B of up to `staged_bytes`,
  /// wider rows, and a large B.
  static constexpr double staged_bytes      = 512;
  static constexpr double staged_rate       = 1.38;
  static constexpr double staged_wide_rate  = 1.2;
  static constexpr double staged_large_rate = 1.15;
  static constexpr double long_chain        = 7.6e-9;  ///< seconds of a nonzero
  /// row_split elsewhere. Rows of B that are whole cache lines are read faster, most of all in products
  /// of up to `narrow` columns.
  static constexpr std::int64_t narrow     = 1024;
  static constexpr std::int64_t cache_line = 128;  ///< bytes
  static constexpr double narrow_rate      = 1.02;
  static constexpr double narrow_growth    = 0.09;
  static constexpr double wide_rate        = 0.88;
  static constexpr double unaligned_rate   = 0.82;
  static constexpr double growth           = 0.02;
  /// Rows with columns read ahead (row_blocks): rows of B are whole cache lines, wide, or not aligned.
  static constexpr double ahead_rate             = 1.12;
  static constexpr double ahead_growth           = 0.06;
  static constexpr double wide_ahead_rate        = 1.02;
  static constexpr double unaligned_ahead_rate   = 0.9;
  static constexpr double unaligned_ahead_growth = 0.08;
  static constexpr double most                   = 1.35;
  static constexpr double least_density          = 0.002;  ///< the rate of a lower density is that of this one
  /// Seconds of each nonzero of one row: shows where there are few rows.
  static constexpr double chain_seconds = 25e-9;
  /// Nonzeros per active column of a panel, over the number that random columns give, up to
  /// which columns count as random.
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

/// Whether columns are known to be random: neighbouring rows share no more of them than any two rows do.
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
  if (!device.is_gpu) return spmm_host_seconds(device, A, request, n);
  if (columns_are_random(A)) {
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

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMDIAGONALSPOLICY_HPP
#define LACUNA_SPMMDIAGONALSPOLICY_HPP

#include <kernels/diagonal/block/Lacuna_DiagonalBlockPolicy.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// What products of whole diagonals with blocks cost.
struct SpmmDiagonalsPolicy {
  /// Of the elements that diagonals have so many must be nonzeros: those that were measured have 97 % and more.
  static constexpr double least_fill = 0.9;
  /// What the best outcome of a look must gain over rows one by one for the look to be taken.
  static constexpr double least_gain_at_best = 1.1;
  /// H200, 25 November 2026, float and double, N = 8 to 512, meshes of 5, 7 and 27 points with 8,000 to 8,000,000 rows,
  /// bands of 2 and 10 on either side: A, B and C at so much of the copy rate, rows of B out of caches at so many times
  /// the gather rate, and so long for each diagonal. Within 1.5 times of what was measured, 13 % in the mean.
  static constexpr double memory_share     = 0.81;
  static constexpr double cache_share      = 1.16;
  static constexpr double diagonal_seconds = 0.28e-6;
  /// Rows one by one on the same matrices: A, B and C at so much of the copy rate, and the first of their bytes, which
  /// caches keep from one product to the next, at more; rows of B at so many times the gather rate, and so long for
  /// each nonzero. Within 1.5 times but for the smallest, 15 % in the mean. What both say leads to the slower one by 20
  /// % at most (a mesh of 7 points, N = 8), by 0.7 % in the mean: diagonals serve bands, and large meshes of 27 points
  /// at N up to 128.
  static constexpr double row_memory_share    = 0.89;
  static constexpr double row_kept_share      = 1.19;
  static constexpr double row_kept_bytes      = 42.5e6;
  static constexpr double row_cache_share     = 2.66;
  static constexpr double row_nonzero_seconds = 2.03e-12;
  /// What they must promise over rows: setting up costs, and the models err.
  static constexpr double caution = 1.05;
  /// Rows of B that are no multiple of a load: not measured.
  static constexpr double unaligned_caution = 3;

  static double bytes(double elements, const SpmmRequest& request) {
    return elements * static_cast<double>(request.scalar.bytes);
  }

  /// Caches: rows of B, of which `tall` rows of C read tall + w - 1 for w diagonals that touch.
  static double seconds(const Device& device, const Inspection& A, const SpmmRequest& request, double diagonals,
                        double runs, double elements) {
    constexpr double tall = DiagonalBlockPolicy::tall;
    const double row      = request.row_bytes(request.planned_columns());
    const auto rows       = static_cast<double>(A.rows);
    const double memory   = bytes(elements, request) + static_cast<double>(A.rows + A.columns) * row;
    const double reads    = rows * row * (diagonals + runs * (tall - 1)) / tall;
    const bool aligned    = static_cast<std::int64_t>(row) % DiagonalBlockPolicy::load_bytes == 0;
    return device.launch_seconds + diagonals * diagonal_seconds +
           (aligned ? 1 : unaligned_caution) *
               (memory / (memory_share * device.copy_rate) + reads / (cache_share * device.gather_rate));
  }

  /// What rows one by one take on a matrix of few diagonals.
  static double seconds_of_rows(const Device& device, const Inspection& A, const SpmmRequest& request) {
    const double row    = request.row_bytes(request.planned_columns());
    const auto nonzeros = static_cast<double>(A.nonzeros);
    const double memory =
        nonzeros * (static_cast<double>(request.scalar.bytes) + 4) + static_cast<double>(A.rows + A.columns) * row;
    const double kept = std::min(memory, row_kept_bytes);
    return device.launch_seconds + (kept / row_kept_share + (memory - kept) / row_memory_share) / device.copy_rate +
           nonzeros * (row / (row_cache_share * device.gather_rate) + row_nonzero_seconds);
  }

  /// What others are compared with: they were fitted to one another on matrices of every kind, by the reads of B alone,
  /// so that here they may all be wrong by a factor. What rows one by one take here says which.
  static double seconds_for_choice(const Device& device, const Inspection& A, const SpmmRequest& request,
                                   double seconds) {
    return caution * seconds * row_seconds(device, A, request) / seconds_of_rows(device, A, request);
  }

  static double setup_seconds(const Device& device, const Inspection& A, const SpmmRequest& request, double elements) {
    return 6 * device.allocate_seconds + 3 * device.transfer_seconds +
           (2 * bytes(elements, request) + 48 * static_cast<double>(A.nonzeros)) / device.copy_rate;
  }
};

}  // namespace lacuna::Impl

#endif

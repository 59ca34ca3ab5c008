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

/// Model of the time of products of whole diagonals with blocks.
/// Evidence: kernels/spmm/tuning.md.
struct SpmmDiagonalsPolicy {
  /// Share of the elements of the stored diagonals that must be nonzeros.
  static constexpr double least_fill = 0.9;
  /// Gain over row_split that the optimistic bound must promise before diagonals are inspected.
  static constexpr double least_gain_at_best = 1.1;
  /// Diagonals: share of the copy rate for A, B and C; share of the gather rate for rows of B from
  /// caches; seconds of a diagonal.
  static constexpr double memory_share     = 0.81;
  static constexpr double cache_share      = 1.16;
  static constexpr double diagonal_seconds = 0.28e-6;
  /// row_split on the same matrices: share of the copy rate for A, B and C; the same for the first
  /// `row_kept_bytes`, which caches keep from one product to the next; bytes; share of the gather rate for rows
  /// of B; seconds of a nonzero.
  static constexpr double row_memory_share    = 0.89;
  static constexpr double row_kept_share      = 1.19;
  static constexpr double row_kept_bytes      = 42.5e6;
  static constexpr double row_cache_share     = 2.66;
  static constexpr double row_nonzero_seconds = 2.03e-12;
  /// Factor on the time of diagonals, for the cost of set-up and the error of the models.
  static constexpr double caution = 1.05;
  /// Factor where rows of B are no multiple of a load: not tuned.
  static constexpr double unaligned_caution = 3;

  static double bytes(double elements, const SpmmRequest& request) {
    return elements * static_cast<double>(request.scalar.bytes);
  }

  /// Reads of B from caches: where w diagonals touch, `tall` rows of C read tall + w - 1 rows of B.
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

  /// Seconds of row_split on a matrix of few diagonals.
  static double seconds_of_rows(const Device& device, const Inspection& A, const SpmmRequest& request) {
    const double row    = request.row_bytes(request.planned_columns());
    const auto nonzeros = static_cast<double>(A.nonzeros);
    const double memory =
        nonzeros * (static_cast<double>(request.scalar.bytes) + 4) + static_cast<double>(A.rows + A.columns) * row;
    const double kept = std::min(memory, row_kept_bytes);
    return device.launch_seconds + (kept / row_kept_share + (memory - kept) / row_memory_share) / device.copy_rate +
           nonzeros * (row / (row_cache_share * device.gather_rate) + row_nonzero_seconds);
  }

  /// Seconds to compare with the estimates of other algorithms. Those estimates were fitted to one another on matrices
  /// of every kind by the reads of B alone, so here they may all be wrong by the same factor. The two estimates of
  /// row_split give this factor.
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

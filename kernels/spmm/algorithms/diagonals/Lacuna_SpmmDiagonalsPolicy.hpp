// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMDIAGONALSPOLICY_HPP
#define LACUNA_SPMMDIAGONALSPOLICY_HPP

#include <kernels/shared/diagonals/Lacuna_DiagonalBlockPolicy.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <algorithm>
#include <cstddef>

namespace lacuna::Impl {

/// What products of whole diagonals with blocks cost.
struct SpmmDiagonalsPolicy {
  /// Of the elements that diagonals have so many must be nonzeros: a guess.
  static constexpr double least_fill = 0.6;
  /// What the model below is multiplied by for a choice. H200, November 2026, double, meshes of 5, 7 and 27 points and
  /// bands of 3 and 20 on either side, N = 8, 32, 128: products take 2.6 to 8.6 times the model, and rows one by one or
  /// bricks were faster wherever B is row-major. So `automatic` leaves CSR to them, until the kernel is better.
  static constexpr double caution = 9;
  /// What the best outcome of a look must gain over rows one by one for the look to be taken.
  static constexpr double least_hope = 1.5;
  /// Of the copy rate. Untuned.
  static constexpr double memory_share = 0.8;

  static double bytes(double elements, const SpmmRequest& request) {
    return elements * static_cast<double>(request.scalar.bytes);
  }

  /// Memory: A, B and C once. Caches: rows of B, of which `tall` rows of C read tall + w - 1 for w diagonals that
  /// touch; and the elements of A for every load of columns.
  static double seconds(const Device& device, const Inspection& A, const SpmmRequest& request, double diagonals,
                        double runs, double elements) {
    constexpr double tall = DiagonalBlockPolicy::tall, load = DiagonalBlockPolicy::load_bytes;
    const double row    = request.row_bytes(request.planned_columns());
    const auto rows     = static_cast<double>(A.rows);
    const double memory = bytes(elements, request) + static_cast<double>(A.rows + A.columns) * row;
    const double reads  = rows * row * (diagonals + runs * (tall - 1)) / tall + rows * diagonals * row / load * 2;
    return device.launch_seconds +
           caution * std::max(memory / (memory_share * device.copy_rate), reads / device.gather_rate);
  }

  static double setup_seconds(const Device& device, const Inspection& A, const SpmmRequest& request, double elements) {
    return 6 * device.allocate_seconds + 3 * device.transfer_seconds +
           (2 * bytes(elements, request) + 48 * static_cast<double>(A.nonzeros)) / device.copy_rate;
  }
};

}  // namespace lacuna::Impl

#endif

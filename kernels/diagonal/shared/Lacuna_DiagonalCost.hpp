// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALCOST_HPP
#define LACUNA_DIAGONALCOST_HPP

#include <kernels/diagonal/shared/Lacuna_DiagonalRequest.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalStorage.hpp>
#include <kernels/plan/Lacuna_PlanBase.hpp>

#include <limits>

/// \file
/// \brief What products in diagonal storage cost.

namespace lacuna::Impl {

/// Seconds of a product whose every multiply-add moves `traffic` bytes through the caches, and A, B and C once through
/// memory. Neither hides the other.
/// Evidence: kernels/diagonal/tuning.md.
inline double diagonal_seconds(const Device& device, const DiagonalRequest& request, double traffic) {
  const auto bytes    = static_cast<double>(request.scalar.bytes);
  const double memory = request.elements() * bytes / device.copy_rate;
  const double caches = request.products() * traffic / device.gather_rate;
  return device.launch_seconds + memory + caches;
}

/// Published algorithms, taken by name alone: `automatic` does not take them.
struct DiagonalPublished {
  static Estimate estimate(const Device&, const NothingToInspect&, const DiagonalRequest& request) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {.call_seconds = request.asks_for(DiagonalAlgorithm::automatic) ? infinity : 0.0,
            .reason       = "published, taken by name alone"};
  }
};

}  // namespace lacuna::Impl

#endif

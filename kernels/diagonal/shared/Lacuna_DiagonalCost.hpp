// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALCOST_HPP
#define LACUNA_DIAGONALCOST_HPP

#include <core/impl/choice/Lacuna_Choice.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalRequest.hpp>

#include <limits>

/// \file
/// \brief What products in diagonal storage cost.

namespace lacuna::Impl {

/// A product whose every multiply-add moves `traffic` bytes through the caches, beside A, B and C out of memory once.
/// One is hardly hidden behind the other: gather and bands of 1 to 11 to either side, n = 10^6, double, 45 to 962 us
/// where this says 37 to 890 (H200, 24 Nov 2026).
inline double diagonal_seconds(const Device& device, const DiagonalRequest& request, double traffic) {
  const auto bytes    = static_cast<double>(request.scalar.bytes);
  const double memory = request.elements() * bytes / device.copy_rate;
  const double caches = request.products() * traffic / device.gather_rate;
  return device.launch_seconds + memory + caches;
}

/// What every algorithm of products has in common: nothing that a look could find, and mostly no set-up.
struct DiagonalAlgorithmBase {
  static constexpr Stage needs = Stage::lengths;
  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const DiagonalRequest&, Stage) {
    return {};
  }
  /// What is done once for products of one structure.
  template <class ExecutionSpace, class Arguments, class Work>
  static void prepare(const ExecutionSpace&, const Device&, const DiagonalRequest&, const Arguments&, Work&) {}
};

/// What was published, by name alone: `automatic` does not take it.
struct DiagonalPublished : DiagonalAlgorithmBase {
  static Estimate estimate(const Device&, const Inspection&, const DiagonalRequest& request) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {.call_seconds = request.asks_for(DiagonalAlgorithm::automatic) ? infinity : 0.0,
            .reason       = "published, taken by name alone"};
  }
};

}  // namespace lacuna::Impl

#endif

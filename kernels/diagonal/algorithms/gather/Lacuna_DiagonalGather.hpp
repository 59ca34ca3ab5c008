// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALGATHER_HPP
#define LACUNA_DIAGONALGATHER_HPP

#include <kernels/diagonal/algorithms/gather/Lacuna_DiagonalGatherKernel.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalCost.hpp>

#include <algorithm>

namespace lacuna::Impl {

struct DiagonalGatherStorage : DiagonalStorage {
  template <class ExecutionSpace, class Arguments>
  void multiply(const ExecutionSpace& exec, const Arguments& arguments) const {
    diagonal_gather(exec, arguments);
  }
};

/// \brief Each element of C is gathered by one thread. Serves every product.
struct DiagonalGather {
  static constexpr DiagonalAlgorithm id        = DiagonalAlgorithm::gather;
  static constexpr bool goes_by_diagonals_of_c = true;

  static Support supports(const Device&, const DiagonalRequest&) { return {}; }
  static Estimate estimate(const Device& device, const NothingToInspect&, const DiagonalRequest& request) {
    using Policy       = DiagonalGatherPolicy;
    const double pairs = static_cast<double>(std::min(request.dg_a, request.dg_b));  // of a diagonal of C, at most
    const double team  = device.is_gpu ? Policy::team_seconds + pairs * Policy::pair_seconds : 0;
    // A and B are read once for each product.
    return {.call_seconds = team + diagonal_seconds(device, request, 2 * static_cast<double>(request.scalar.bytes)),
            .reason       = "reads A and B anew for every diagonal of C"};
  }

  template <class MemorySpace>
  using Storage = DiagonalGatherStorage;
};

}  // namespace lacuna::Impl

#endif

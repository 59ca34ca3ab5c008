// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_SPMV_ALGORITHMS_HPP
#define LACUNA_TEST_SPMV_ALGORITHMS_HPP

#include <Lacuna_SpmvOptions.hpp>
#include <backends/Lacuna_Launch.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace lacuna::Test {

/// Algorithms of SpMV that the default execution space has: GPUs lack those for hosts, and hosts have kernels for lanes
/// where tests ask for them.
inline std::vector<SpmvAlgorithm> spmv_algorithms_here() {
  using Exec = Kokkos::DefaultExecutionSpace;
  std::vector<SpmvAlgorithm> served;
  for (const SpmvAlgorithm algorithm : spmv_algorithms) {
    const bool for_lanes = algorithm == SpmvAlgorithm::row_lanes || algorithm == SpmvAlgorithm::sell ||
                           algorithm == SpmvAlgorithm::sliced_dia;
    const bool for_hosts = algorithm == SpmvAlgorithm::vector_slices;
    if (for_lanes && !Impl::runs_lane_kernels<Exec>) continue;
    if (for_hosts && ExecutionTraits<Exec>::is_gpu) continue;
    served.push_back(algorithm);
  }
  return served;
}

}  // namespace lacuna::Test

#endif

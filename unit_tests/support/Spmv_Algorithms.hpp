// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_SPMV_ALGORITHMS_HPP
#define LACUNA_TEST_SPMV_ALGORITHMS_HPP

#include <Lacuna_SpmvPlan.hpp>

#include <cstddef>
#include <vector>

namespace lacuna::Test {

/// `automatic`, and every algorithm in the list of SpMV that supports the default execution space: GPUs lack those for
/// hosts, and hosts have kernels for lanes where tests ask for them. A new algorithm is among them as soon as it is in
/// the list.
inline std::vector<SpmvAlgorithm> spmv_algorithms_here() {
  using Exec                  = Kokkos::DefaultExecutionSpace;
  using Matrix                = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
  const lacuna::Device device = device_of(Exec());
  std::vector<SpmvAlgorithm> served{SpmvAlgorithm::automatic};
  Impl::SpmvAlgorithms::for_each([&]<class Algorithm>(std::size_t) {
    const auto request = Impl::SpmvOperation::request<Matrix>({.algorithm = Algorithm::id});
    if (Algorithm::supports(device, request)) served.push_back(Algorithm::id);
  });
  return served;
}

}  // namespace lacuna::Test

#endif

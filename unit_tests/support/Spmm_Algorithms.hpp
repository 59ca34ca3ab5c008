// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_SPMM_ALGORITHMS_HPP
#define LACUNA_TEST_SPMM_ALGORITHMS_HPP

#include <Lacuna_Spmm.hpp>

#include <cstddef>
#include <vector>

namespace lacuna::Test {

/// `automatic`, and every algorithm in the list of SpMM that supports these options, the type of the matrix and the
/// default execution space. A new algorithm is among them as soon as it is in the list.
template <class Matrix>
std::vector<SpmmAlgorithm> spmm_algorithms_here(SpmmOptions options = {}) {
  const lacuna::Device device = device_of(Kokkos::DefaultExecutionSpace());
  std::vector<SpmmAlgorithm> served{SpmmAlgorithm::automatic};
  Impl::SpmmAlgorithms::for_each([&]<class Algorithm>(std::size_t) {
    options.algorithm = Algorithm::id;
    if (Algorithm::supports(device, Impl::SpmmOperation::request<Matrix>(options))) served.push_back(Algorithm::id);
  });
  return served;
}

}  // namespace lacuna::Test

#endif

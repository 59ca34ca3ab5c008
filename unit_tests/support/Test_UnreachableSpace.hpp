// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_UNREACHABLESPACE_HPP
#define LACUNA_TEST_UNREACHABLESPACE_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>

/// \file
/// \brief A memory space that no execution space can reach, as host memory is to a GPU. It cannot be allocated; Views
/// in it exist for the compiler alone.

namespace lacuna::Test {

struct UnreachableSpace {
  using memory_space    = UnreachableSpace;
  using execution_space = Kokkos::DefaultHostExecutionSpace;
  using device_type     = Kokkos::Device<execution_space, memory_space>;
  using size_type       = std::size_t;
  static constexpr const char* name() { return "Unreachable"; }
};

}  // namespace lacuna::Test

#endif

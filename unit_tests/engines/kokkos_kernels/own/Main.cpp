// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>

/// \file
/// \brief Runs Kokkos Kernels' own tests, and says how often our kernels did what they asked for.

namespace {

std::map<std::string, long> calls;

void push_region(const char* label) {
  const std::string name(label);
  if (name.find("[TPL_LACUNA]") != std::string::npos) ++calls[name];
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const Kokkos::ScopeGuard kokkos(argc, argv);
  Kokkos::Tools::Experimental::set_push_region_callback(push_region);
  const int result = RUN_ALL_TESTS();
  Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
  for (const auto& [name, count] : calls) std::printf("%ld calls of %s\n", count, name.c_str());
  return calls.empty() ? 1 : result;
}

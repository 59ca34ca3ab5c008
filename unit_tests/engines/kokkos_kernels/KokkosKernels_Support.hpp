// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_KOKKOSKERNELS_SUPPORT_HPP
#define LACUNA_KOKKOSKERNELS_SUPPORT_HPP

#include <tools/Tools_Recorder.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>
#include <vector>

/// \file
/// \brief Which kernels a call of Kokkos Kernels ran.

namespace lacuna::Test {

/// What `call` launched and entered, as a profiling tool sees it.
struct Seen {
  std::vector<std::string> kernels, regions;

  bool has_region(const std::string& part) const {
    return std::any_of(regions.begin(), regions.end(),
                       [&](const std::string& region) { return region.find(part) != std::string::npos; });
  }
  /// Every kernel is ours, and there is one.
  bool is_ours() const {
    return !kernels.empty() && std::all_of(kernels.begin(), kernels.end(), [](const std::string& kernel) {
      return kernel.starts_with("Lacuna::") || kernel.starts_with("Kokkos::View::initialization [Lacuna::");
    });
  }
  /// No kernel is ours, and there is one.
  bool is_theirs() const {
    return !kernels.empty() && std::none_of(kernels.begin(), kernels.end(), [](const std::string& kernel) {
      return kernel.find("Lacuna::") != std::string::npos;
    });
  }
};

template <class Call>
Seen seen_of(const Call& call) {
  Kokkos::fence();
  Recorder recorder;
  call();
  recorder.stop();
  Kokkos::fence();
  Seen seen;
  for (const auto& kernel : recorder.kernels())
    if (!kernel.in_deep_copy) seen.kernels.push_back(kernel.label);
  seen.regions = recorder.regions();
  return seen;
}

}  // namespace lacuna::Test

#endif

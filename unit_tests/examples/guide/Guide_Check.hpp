// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GUIDE_CHECK_HPP
#define LACUNA_GUIDE_CHECK_HPP

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>

/// How many checks of a program of the guide failed.
inline int guide_failures = 0;

inline void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++guide_failures;
}

/// Whether all elements of a View of rank 1 or 2 are `value`, up to rounding.
template <class View>
bool all_are(const View& view, double value) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  bool same       = true;
  for (std::size_t i = 0; i < host.size(); ++i) same = same && std::abs(host.data()[i] - value) <= 1e-4 * (1 + value);
  return same;
}

#endif

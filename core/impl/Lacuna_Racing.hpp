// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_RACING_HPP
#define LACUNA_RACING_HPP

#include <Kokkos_Core.hpp>

/// \file
/// \brief Loads and stores that race, where any order is right: marks that all threads set to the same value, and
/// counters that are looked at before they are raised. `Kokkos::atomic_load` and `atomic_store` (4.5) are loops of
/// compare-and-swap on a GPU: many threads at one address wait for each other there, for nothing.

namespace lacuna::Impl {

/// What stands at `address`, or stood there a while ago: a GPU may find an old value in L1. T is an integer.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T racing_load(const T* address) {
  KOKKOS_IF_ON_DEVICE((return *address;))
  KOKKOS_IF_ON_HOST((return __atomic_load_n(address, __ATOMIC_RELAXED);))
}

/// For stores that all write the same value, or of which any may win. T is an integer.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void racing_store(T* address, T value) {
  KOKKOS_IF_ON_DEVICE((*address = value;))
  KOKKOS_IF_ON_HOST((__atomic_store_n(address, value, __ATOMIC_RELAXED);))
}

}  // namespace lacuna::Impl

#endif

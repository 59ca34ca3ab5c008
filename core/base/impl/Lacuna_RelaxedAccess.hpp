// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_RELAXEDACCESS_HPP
#define LACUNA_RELAXEDACCESS_HPP

#include <Kokkos_Macros.hpp>

#include <atomic>

/// \file
/// \brief Relaxed loads and stores, for races in which any order is right: marks that all threads set to the same
/// value, and counters that are read before they are raised. `Kokkos::atomic_load` and `atomic_store` (4.5) are loops
/// of compare-and-swap on a GPU: many threads at one address wait for each other there, for nothing.

namespace lacuna::Impl {

/// What stands at `address`, or stood there a while ago: a GPU may find an old value in L1. T is an integer.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T relaxed_load(const T* address) {
  KOKKOS_IF_ON_DEVICE((return *address;))
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(*const_cast<T*>(address)).load(std::memory_order_relaxed);))
}

/// For stores that all write the same value, or of which any may win. T is an integer.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void relaxed_store(T* address, T value) {
  KOKKOS_IF_ON_DEVICE((*address = value;))
  KOKKOS_IF_ON_HOST((std::atomic_ref<T>(*address).store(value, std::memory_order_relaxed);))
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_REFERENCE_SPACE_HPP
#define LACUNA_TEST_REFERENCE_SPACE_HPP

#include <Kokkos_Core.hpp>

/// \file
/// \brief The host space that tests compare the default one with, and that owns the memory of emulated devices.

namespace lacuna::Test {

/// Serial; where Kokkos was built without it, the space that host code runs on, such as OpenMP.
#if defined(KOKKOS_ENABLE_SERIAL)
using ReferenceSpace             = Kokkos::Serial;
inline constexpr bool has_serial = true;
#else
using ReferenceSpace             = Kokkos::DefaultHostExecutionSpace;
inline constexpr bool has_serial = false;
#endif

/// Why a test of Serial itself is skipped.
inline constexpr const char* no_serial = "Kokkos was built without Serial";

/// An instance that does everything in order, one thread alone, where the backend can have one.
inline ReferenceSpace reference_instance() {
#if !defined(KOKKOS_ENABLE_SERIAL) && defined(KOKKOS_ENABLE_OPENMP)
  return Kokkos::OpenMP(1);
#else
  return {};
#endif
}

}  // namespace lacuna::Test

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HIP_LAUNCH_HPP
#define LACUNA_HIP_LAUNCH_HPP

#include <backends/generic/Lacuna_Generic_Launch.hpp>

#include <cstddef>
#include <string>

namespace lacuna::Impl {

/// `Kokkos::TeamPolicy` serves nearly all of the 64 KiB that a work group can have: nothing else is needed.
template <>
struct DeviceLaunch<Kokkos::HIP> {
  static constexpr bool is_possible  = false;
  static constexpr bool starts_early = false;
  static std::size_t scratch_bytes(const Kokkos::HIP&) { return ExecutionTraits<Kokkos::HIP>::scratch_bytes; }
  static int processors(const Kokkos::HIP& exec) { return exec.hip_device_prop().multiProcessorCount; }
  static std::string device_name(const Kokkos::HIP& exec) {
    return std::string(exec.hip_device_prop().name) + " " + exec.hip_device_prop().gcnArchName;
  }
  static int device_number(const Kokkos::HIP& exec) { return exec.hip_device(); }
  static std::size_t memory_bytes(const Kokkos::HIP& exec) { return exec.hip_device_prop().totalGlobalMem; }
  static bool has_matrix_engine(const Kokkos::HIP&) {
#if defined(KOKKOS_ARCH_AMD_GFX90A) || defined(KOKKOS_ARCH_AMD_GFX942) || defined(KOKKOS_ARCH_AMD_GFX942_APU)
    return true;
#else
    return false;
#endif
  }
};

}  // namespace lacuna::Impl

#endif

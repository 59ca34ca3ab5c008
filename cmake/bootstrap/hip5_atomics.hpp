// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HIP5_ATOMICS_HPP
#define LACUNA_HIP5_ATOMICS_HPP

/// \file
/// \brief Lets the HIP 5.2 headers that Debian 12 packages work with clang 17 and newer.
///
/// Their atomicInc and atomicDec name LLVM intrinsics that are gone, so device code which uses them (Kokkos' scans)
/// does not link. Here the two get another name and their place is taken by the builtins of today's clang.
/// Force-included by bootstrap.sh on machines without ROCm.

#if defined(__HIP__)
#define atomicInc lacuna_hip5_atomic_inc
#define atomicDec lacuna_hip5_atomic_dec
#include <hip/hip_runtime.h>
#undef atomicInc
#undef atomicDec

__device__ inline unsigned int atomicInc(unsigned int* address, unsigned int limit) {
  return __builtin_amdgcn_atomic_inc32(address, limit, __ATOMIC_RELAXED, "agent");
}

__device__ inline unsigned int atomicDec(unsigned int* address, unsigned int limit) {
  return __builtin_amdgcn_atomic_dec32(address, limit, __ATOMIC_RELAXED, "agent");
}
#endif

#endif

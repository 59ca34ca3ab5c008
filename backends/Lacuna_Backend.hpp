// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BACKEND_HPP
#define LACUNA_BACKEND_HPP

/// \file
/// \brief The one place that asks which backends Kokkos was built with.

#include <Kokkos_Core.hpp>

#include <backends/generic/Lacuna_Generic_Lanes.hpp>
#include <backends/generic/Lacuna_Generic_Launch.hpp>
#include <backends/generic/Lacuna_Generic_Stages.hpp>
#include <backends/generic/Lacuna_Generic_TileCopies.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <backends/cuda/Lacuna_Cuda_Lanes.hpp>
#include <backends/cuda/Lacuna_Cuda_Launch.hpp>
#include <backends/cuda/Lacuna_Cuda_Stages.hpp>
#include <backends/cuda/Lacuna_Cuda_TileCopies.hpp>
#endif
#if defined(KOKKOS_ENABLE_HIP)
#include <backends/hip/Lacuna_HIP_Lanes.hpp>
#include <backends/hip/Lacuna_HIP_Launch.hpp>
#endif

#include <cstdint>

namespace lacuna::Impl {

/// The unsigned 64-bit type whose atomic operations are one instruction each. Kokkos (4.5) has those for one of two
/// types of the same width, and a loop of compare-and-swap for the other: with thousands of threads at one address that
/// loop takes microseconds for every addition.
#if defined(KOKKOS_ENABLE_HIP)
using AtomicWord = unsigned long long;
#else
using AtomicWord = std::uint64_t;
#endif

}  // namespace lacuna::Impl

#endif

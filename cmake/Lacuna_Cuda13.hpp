// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CUDA13_HPP
#define LACUNA_CUDA13_HPP

/// \file
/// \brief The three CUDA runtime functions whose signatures CUDA 13 changed, with the signatures that Kokkos before
/// 4.7.01 calls. It is force-included (see Lacuna_Cuda13.cmake) because Kokkos's own headers and sources call them.

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>

#if CUDART_VERSION >= 13000

inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream = nullptr) {
  cudaMemLocation location{};
  location.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id   = device < 0 ? 0 : device;
  return cudaMemPrefetchAsync(pointer, bytes, location, 0u, stream);
}

inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
  cudaMemLocation location{};
  location.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id   = device < 0 ? 0 : device;
  return cudaMemAdvise(pointer, bytes, advice, location);
}

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

#endif
#endif

#endif

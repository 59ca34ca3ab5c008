// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_MEMORYPOOL_HPP
#define LACUNA_BENCH_MEMORYPOOL_HPP

#include <support/Bench_Timing.hpp>

#include <Lacuna_MemoryPool.hpp>
#include <core/impl/memory/Lacuna_Allocate.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

/// \file
/// \brief Whether calls find the memory of calls before, ours and rivals' alike.

namespace lacuna::bench {

/// \brief From now on: up to half of the device, or nothing at all. The allocator of a host keeps memory for everybody:
/// without, glibc gives much of it back after a call, and the next one has the system clear its pages again.
inline void keep_memory(const ExecutionSpace& exec, bool keep) {
#if defined(__GLIBC__)
  if (keep) {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
  }
#endif
  set_memory_pool_bound(keep ? Impl::DeviceLaunch<ExecutionSpace>::memory_bytes(exec) / 2 : 0);
  keep_memory_of_results(keep);
}

/// \brief What a rival works in or writes C to, not initialised: kept as ours is.
template <class View>
View rival_array(const ExecutionSpace& exec, const char* label, std::size_t count) {
  return Impl::allocate_pooled<View>("lacuna-bench", exec, label, static_cast<std::int64_t>(count));
}

}  // namespace lacuna::bench

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MEMORYPOOL_HPP
#define LACUNA_MEMORYPOOL_HPP

#include <core/impl/memory/Lacuna_MemoryPoolStore.hpp>

#include <cstddef>

/// \file
/// \brief Memory of a device that is kept between calls.
///
/// An allocation on a GPU and its release take as long as a small product. So memory that plans and conversions have
/// worked in stays allocated when they are gone, and the next ones take it.
///
/// - **How much.** A sixteenth of the device's memory at most, or what is set here. Where an allocation of the library
///   fails, all of it is freed and the allocation tried again. Other allocations know nothing of it: call
///   `release_memory_pool` before one that may need it. `Kokkos::finalize` frees it.
/// - **Waiting.** Where a plan, a conversion or a call without a plan takes memory that is kept, it waits for the
///   device: the memory may have been in use on any instance. (Freeing it would have waited as well.) Products of a
///   plan take none.
/// - **Threads.** Any thread may call anything here and make plans meanwhile.
/// - **Budgets.** `memory_limit`, `temporary_bytes` and `persistent_bytes` count what is asked for. Memory taken again
///   is at most an eighth, or 64 KiB, larger; what is idle counts for no plan.
/// - **Tools** see memory from its allocation until it is freed, under its first label, and no allocation where it is
///   taken again.
/// - **Hosts** keep nothing: their allocators do.

namespace lacuna {

/// \brief A sixteenth of the memory of each device.
inline constexpr std::size_t share_of_device = Impl::MemoryPool::share_of_device;

/// \brief Sets the bytes of each device that may be kept from now on; 0: none. Frees what was kept. Waits for the
/// device where there was something.
inline void set_memory_pool_bound(std::size_t bytes) { Impl::memory_pool().set_bound(bytes); }

/// \brief What was set, `share_of_device` at first.
inline std::size_t memory_pool_bound() { return Impl::memory_pool().bound(); }

/// \brief Whether the arrays of C that SpGEMM allocates (`SpgemmPlan::allocate`, calls without a plan) are kept too,
/// within the same bound, once the last View of them is gone. Not so at first: a program that drops C may count on its
/// memory. Allocating C waits for the device then where it takes memory of an earlier one. The store holds a View of
/// what it may keep: `use_count()` of C's is one more.
inline void keep_memory_of_results(bool keep) { Impl::memory_pool().set_keeps_results(keep); }

/// \brief Bytes that are allocated and that nobody uses, of all devices.
inline std::size_t memory_pool_bytes() { return Impl::memory_pool().idle_bytes(); }

/// \brief Frees them now; how many there were. Waits for the device where there were some.
inline std::size_t release_memory_pool() { return Impl::memory_pool().release(); }

}  // namespace lacuna

#endif

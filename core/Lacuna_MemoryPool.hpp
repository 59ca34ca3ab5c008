// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MEMORYPOOL_HPP
#define LACUNA_MEMORYPOOL_HPP

#include <core/impl/memory/Lacuna_MemoryPoolStore.hpp>

#include <cstddef>

/// \file
/// \brief Controls the device memory that the library keeps between calls.
///
/// An allocation on a GPU and its release take as long as a small product. So the library does not free the memory that
/// plans and conversions worked in: it keeps the memory in a pool, and the next plan or conversion takes it from there.
///
///   - **How much.** The pool keeps at most a sixteenth of the device's memory, or the bound that is set here. Where an
///     allocation of the library fails, the pool is freed and the allocation tried again. Allocations of other code do
///     not free the pool: call `release_memory_pool` before one that may need the memory. `Kokkos::finalize` frees it.
///   - **Waiting.** A plan, a conversion or a call without a plan that takes memory from the pool waits for the device,
///     for any instance may still use that memory. (Freeing it would have waited as well.) Products of a plan take no
///     memory.
///   - **Threads.** Any thread may call these functions and make plans at the same time.
///   - **Budgets.** `memory_limit`, `temporary_bytes` and `persistent_bytes` count the bytes that were asked for.
///     Memory from the pool is larger by at most an eighth, or 64 KiB. Idle memory counts for no plan.
///   - **Tools** see memory from its allocation until it is freed, under its first label. They see no allocation where
///     it is taken from the pool.
///   - **Hosts** keep nothing: their allocators do.

namespace lacuna {

/// \brief The value of `set_memory_pool_bound` that stands for a sixteenth of the memory of each device: the bound at
/// the start.
inline constexpr std::size_t share_of_device = Impl::MemoryPool::share_of_device;

/// \brief Sets how much idle memory the pool keeps of each device, and frees what it keeps now. Waits for the device
/// where something is freed.
/// \param[in] bytes the bound of each device; 0 keeps nothing, `share_of_device` a sixteenth of its memory
inline void set_memory_pool_bound(std::size_t bytes) { Impl::memory_pool().set_bound(bytes); }

/// \brief The bound that was set; `share_of_device` at the start.
inline std::size_t memory_pool_bound() { return Impl::memory_pool().bound(); }

/// \brief Sets whether the pool also keeps the arrays of C that SpGEMM allocates (`SpgemmPlan::allocate`, and calls
/// without a plan).
///
/// At the start it does not, so that a program that drops C gets its memory back. With `keep` the arrays go to the pool
/// when the last View of them is gone, within the same bound. Then an allocation of C that takes memory from the pool
/// waits for the device, and `use_count()` of the Views of C is larger by one, for the pool holds a View too.
///
/// \param[in] keep whether arrays of C that are allocated from now on are kept
inline void keep_memory_of_results(bool keep) { Impl::memory_pool().set_keeps_results(keep); }

/// \brief The bytes that the pool holds and nobody uses, of all devices.
inline std::size_t memory_pool_bytes() { return Impl::memory_pool().idle_bytes(); }

/// \brief Frees the memory that the pool holds and nobody uses. Waits for the device where something is freed.
/// \return the bytes that were freed
inline std::size_t release_memory_pool() { return Impl::memory_pool().release(); }

}  // namespace lacuna

#endif

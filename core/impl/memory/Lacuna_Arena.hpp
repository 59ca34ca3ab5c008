// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ARENA_HPP
#define LACUNA_ARENA_HPP

#include <Lacuna_Error.hpp>
#include <core/impl/memory/Lacuna_Allocate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

/// \file
/// \brief Several arrays in one allocation: on a GPU an allocation costs tens of microseconds, and freeing it waits for
/// the device.

namespace lacuna::Impl {

/// An argument for each type of a pack.
template <class>
using CountOf = std::int64_t;

/// \brief Memory that arrays are cut from, one behind the other, each at a multiple of 256 bytes. Copies share it; it
/// goes with the last of them, and what was cut from it must not be used any longer then.
///
///     using Workspace = Arena<Device>;
///     Workspace arena("spmm", exec, "Lacuna::spmm::work", Workspace::bytes_for<double, int>(n, 2 * n));
///     const auto sums  = arena.template take<double>(n);
///     const auto marks = arena.template take<int>(2 * n);
template <class Space>
class Arena {
 public:
  static constexpr std::size_t alignment = 256;

  template <class T>
  using Array = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;
  /// One type for all Arenas of a memory space: what one of them had, another may take.
  using Memory = Kokkos::View<unsigned char*, typename Space::memory_space>;

  /// Nothing can be taken from it.
  Arena() = default;

  /// Uninitialised memory, which other Arenas may have had (Lacuna_MemoryPool.hpp): waits for the device then.
  /// `function` is named in errors. \throws OutOfMemory.
  template <class ExecutionSpace>
  Arena(const char* function, const ExecutionSpace& exec, const std::string& label, std::size_t bytes)
      : Arena(allocate_pooled<Memory>(function, exec, label, static_cast<std::int64_t>(bytes))) {}

  /// Of memory of as many bytes as `bytes_for` says.
  explicit Arena(const Memory& memory) : m_memory(memory) {
    // An allocation of Kokkos begins with a header: where the memory behind it is aligned is not said.
    const auto address = reinterpret_cast<std::uintptr_t>(m_memory.data());
    m_used             = (alignment - address % alignment) % alignment;
  }

  /// What an arena needs for one array of each type: `counts` are their elements. \throws OutOfMemory where that does
  /// not fit 64 bits.
  template <class... T>
  static std::size_t bytes_for(CountOf<T>... counts) {
    return (alignment + ... + aligned_bytes<T>(counts));
  }

  /// The next `count` elements, not initialised. \throws OutOfMemory where the arena was made too small.
  template <class T>
  Array<T> take(std::int64_t count) {
    static_assert(alignof(T) <= alignment);
    const std::size_t bytes = aligned_bytes<T>(count);
    if (count == 0) return {};
    if (m_used > m_memory.extent(0) || bytes > m_memory.extent(0) - m_used)
      raise<OutOfMemory>("Arena", count, " elements of ", sizeof(T), " bytes do not fit behind ", m_used, " of ",
                         m_memory.extent(0), " bytes");
    T* const first = reinterpret_cast<T*>(m_memory.data() + m_used);
    m_used += bytes;
    return Array<T>(first, static_cast<std::size_t>(count));
  }

  /// The next `bytes` as an Arena of its own, which shares the memory. \throws OutOfMemory as above.
  Arena cut(std::size_t bytes) {
    const auto bytes_taken = take<unsigned char>(static_cast<std::int64_t>(bytes));
    if (bytes == 0) return {};
    const auto first = static_cast<std::size_t>(bytes_taken.data() - m_memory.data());
    Arena arena;
    arena.m_memory = Kokkos::subview(m_memory, std::pair{first, first + bytes});
    return arena;
  }
  /// Bytes that `cut` can be asked for.
  std::size_t left() const {
    return m_used >= m_memory.extent(0) ? 0 : (m_memory.extent(0) - m_used) / alignment * alignment;
  }

  /// All of it, whether taken or not.
  std::size_t bytes() const { return m_memory.extent(0); }

 private:
  template <class T>
  static std::size_t aligned_bytes(std::int64_t count) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count, static_cast<std::int64_t>(sizeof(T)), &bytes) || bytes > INT64_MAX / 16)
      raise<OutOfMemory>("Arena", count, " elements of ", sizeof(T), " bytes are too many");
    return (static_cast<std::size_t>(bytes) + alignment - 1) / alignment * alignment;
  }

  Memory m_memory;
  std::size_t m_used = 0;
};

/// \brief An Arena that is cut from `from`, if that is given and has as much left; else one with memory of its own.
template <class Space, class ExecutionSpace>
Arena<Space> arena_within(Arena<Space>* from, const char* function, const ExecutionSpace& exec,
                          const std::string& label, std::size_t bytes) {
  if (from != nullptr && bytes <= from->left()) return from->cut(bytes);
  return Arena<Space>(function, exec, label, bytes);
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ALLOCATE_HPP
#define LACUNA_ALLOCATE_HPP

#include <Lacuna_Error.hpp>
#include <backends/Lacuna_Launch.hpp>
#include <core/impl/memory/Lacuna_MemoryPoolStore.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>

/// \file
/// \brief Uninitialised memory: of its own, or such as was used before.

namespace lacuna::Impl {

/// What `make()` returns; where it fails for want of memory, once more after what is kept has been freed.
template <class Make>
auto make_or_release(const Make& make) {
  try {
    return make();
  } catch (const std::exception&) {
    if (memory_pool().release() == 0) throw;
  }
  return make();
}

/// The View that `make()` allocates. `function` is named in errors. \throws OutOfMemory, where kept memory does not
/// suffice either.
template <class Make>
auto allocated_by(const char* function, const std::string& label, std::int64_t bytes, const Make& make) {
  try {
    return make_or_release(make);
  } catch (const std::exception& failure) {
    raise<OutOfMemory>(function, "could not allocate ", bytes, " bytes for ", label, ": ", failure.what());
  }
}

/// Uninitialised memory. \throws OutOfMemory.
template <class View, class ExecutionSpace>
View allocate(const char* function, const ExecutionSpace& exec, const std::string& label, std::int64_t count) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<std::int64_t>(sizeof(typename View::value_type)), &bytes))
    raise<OutOfMemory>(function, count, " elements do not fit in 64 bits");
  return allocated_by(function, label, bytes, [&] {
    return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), static_cast<std::size_t>(count));
  });
}

/// Whether memory of `Space` is worth keeping: a host's own allocator keeps it already.
template <class Space>
inline constexpr bool keeps_memory = !std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;

/// The same, of memory that was used before where some is idle: the device is waited for then, and profiling tools see
/// no allocation. They see that memory under the label that it was allocated with until it is freed.
template <class View, class ExecutionSpace>
View allocate_pooled(const char* function, const ExecutionSpace& exec, const std::string& label, std::int64_t count) {
  const auto fresh = [&] { return allocate<View>(function, exec, label, count); };
  if constexpr (keeps_memory<typename View::memory_space>) {
    using Launch = DeviceLaunch<ExecutionSpace>;
    return memory_pool().take<View>({Launch::device_number(exec), Launch::memory_bytes(exec)},
                                    static_cast<std::size_t>(count), fresh);
  } else {
    return fresh();
  }
}

/// What a user is given: memory of its own, unless `keep_memory_of_results` says otherwise.
template <class View, class ExecutionSpace>
View allocate_result(const char* function, const ExecutionSpace& exec, const std::string& label, std::int64_t count) {
  return memory_pool().keeps_results() ? allocate_pooled<View>(function, exec, label, count)
                                       : allocate<View>(function, exec, label, count);
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

thread_local std::int64_t until_failure = 0;
thread_local bool failed                = false;
std::atomic<std::int64_t> live_bytes{0};

bool fails_now(std::size_t bytes) {
  if (until_failure == 0 || bytes < lacuna::Test::least_failing_bytes || --until_failure > 0) return false;
  failed = true;
  return true;
}

/// Null where it fails.
void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (fails_now(bytes)) return nullptr;
  void* memory = nullptr;
  if (alignment <= alignof(std::max_align_t))
    memory = std::malloc(bytes == 0 ? 1 : bytes);
  else if (posix_memalign(&memory, alignment, bytes == 0 ? 1 : bytes) != 0)
    memory = nullptr;
  if (memory != nullptr) live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

std::size_t value(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace

namespace lacuna::Test {

void fail_allocation(std::int64_t k) {
  failed        = false;
  until_failure = k;
}

bool has_failed_allocation() {
  until_failure = 0;
  return failed;
}

std::int64_t allocated_bytes() { return live_bytes; }

}  // namespace lacuna::Test

// The forms for arrays, and those without an exception, call these by default.
void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate_or_throw(bytes, value(alignment)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, value(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { release(memory); }

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERIC_VECTORS_HPP
#define LACUNA_GENERIC_VECTORS_HPP

#include <cstddef>
#include <cstdint>

/// \file
/// \brief The vector registers of a host, as the compiler was told of them, and its caches.

namespace lacuna::Impl {

/// Bytes of a vector register that code of this translation unit may use: AVX-512 has 64, AVX 32, everything else
/// counts as 16 (SSE2, NEON, VSX). It follows the flags of whoever includes this header, so types whose layout depends
/// on it have it among their template arguments: functions of the same name may then differ in speed alone.
#if defined(__AVX512F__)
inline constexpr int host_register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int host_register_bytes = 32;
#else
inline constexpr int host_register_bytes = 16;
#endif

/// Before functions of host code that hold vectors: a call would pass them through memory.
#ifdef __GNUC__  // also Clang, and the host compiler behind nvcc
#define LACUNA_HOST_INLINE inline __attribute__((always_inline))
#else
#define LACUNA_HOST_INLINE inline
#endif

/// Asks for the cache line at `address`, which need not exist.
LACUNA_HOST_INLINE void prefetch_line([[maybe_unused]] const void* address) {
#ifdef __GNUC__
  __builtin_prefetch(address);
#endif
}
/// The same, `bytes` behind `address`.
LACUNA_HOST_INLINE void prefetch_ahead(const void* address, std::size_t bytes) {
  prefetch_line(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(address) + bytes));
}

}  // namespace lacuna::Impl

#endif

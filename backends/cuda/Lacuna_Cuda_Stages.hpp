// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CUDA_STAGES_HPP
#define LACUNA_CUDA_STAGES_HPP

#include <backends/generic/Lacuna_Generic_Stages.hpp>

#include <cstdint>
#include <cstring>

namespace lacuna::Impl {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define LACUNA_IMPL_HAS_CP_ASYNC
#endif

/// `cp.async` (compute capability 8.0 and later; before, copies that are complete when they return). 16 bytes go past
/// L1, fewer through it: the hardware has no other way. See Lacuna_Stages.hpp.
struct CudaStages {
  using Address = std::uint32_t;  // shared memory has 32-bit addresses

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static Address address([[maybe_unused]] T* scratch) {
    KOKKOS_IF_ON_DEVICE((return static_cast<Address>(__cvta_generic_to_shared(scratch));))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  template <int Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static void copy([[maybe_unused]] Address to, [[maybe_unused]] const void* source,
                                               [[maybe_unused]] int valid = Bytes) {
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "lacuna: stages are filled by 4, 8 or 16 bytes");
#if defined(LACUNA_IMPL_HAS_CP_ASYNC)
    if constexpr (Bytes == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(source), "r"(valid) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(source), "n"(Bytes), "r"(valid)
                   : "memory");
#elif defined(__CUDA_ARCH__)
    PlainStages::copy<Bytes>(static_cast<char*>(__cvta_shared_to_generic(to)), source, valid);
#endif
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load([[maybe_unused]] Address from) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) % 16 == 0,
                  "lacuna: one load, or several of 16 bytes");
    T value;
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 2) {
      std::uint16_t word;
      asm volatile("ld.shared.u16 %0, [%1];" : "=h"(word) : "r"(from));
      memcpy(&value, &word, sizeof(T));
    } else if constexpr (sizeof(T) == 4) {
      std::uint32_t word;
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(from));
      memcpy(&value, &word, sizeof(T));
    } else if constexpr (sizeof(T) == 8) {
      uint2 words;
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(words.x), "=r"(words.y) : "r"(from));
      memcpy(&value, &words, sizeof(T));
    } else {
      uint4 words[sizeof(T) / 16];
      LACUNA_UNROLL
      for (int i = 0; i < static_cast<int>(sizeof(T) / 16); ++i)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(words[i].x), "=r"(words[i].y), "=r"(words[i].z), "=r"(words[i].w)
                     : "r"(from + 16 * i));
      memcpy(&value, words, sizeof(T));
    }
#endif
    return value;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void store([[maybe_unused]] Address to, [[maybe_unused]] const T& value) {
    KOKKOS_IF_ON_DEVICE((*static_cast<T*>(__cvta_shared_to_generic(to)) = value;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static void commit() {
#if defined(LACUNA_IMPL_HAS_CP_ASYNC)
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }
  template <int Pending>
  KOKKOS_FORCEINLINE_FUNCTION static void wait() {
#if defined(LACUNA_IMPL_HAS_CP_ASYNC)
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
  }
};

#undef LACUNA_IMPL_HAS_CP_ASYNC

template <>
struct StagesOf<Kokkos::Cuda> {
  using type = CudaStages;
};

}  // namespace lacuna::Impl

#endif

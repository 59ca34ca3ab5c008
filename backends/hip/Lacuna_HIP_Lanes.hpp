// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HIP_LANES_HPP
#define LACUNA_HIP_LANES_HPP

#include <backends/generic/Lacuna_Generic_Lanes.hpp>

namespace lacuna {

namespace Impl {

/// Lane operations of an AMD wavefront. Every lane of the wavefront takes part in each.
struct HipLanes {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_down([[maybe_unused]] T value, [[maybe_unused]] int delta,
                                                    [[maybe_unused]] int width) {
    KOKKOS_IF_ON_DEVICE((return move(value, [&](int word) { return __shfl_down(word, delta, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_up([[maybe_unused]] T value, [[maybe_unused]] int delta,
                                                  [[maybe_unused]] int width) {
    KOKKOS_IF_ON_DEVICE((return move(value, [&](int word) { return __shfl_up(word, delta, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle([[maybe_unused]] T value, [[maybe_unused]] int source,
                                               [[maybe_unused]] int width) {
    KOKKOS_IF_ON_DEVICE((return move(value, [&](int word) { return __shfl(word, source, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// The smallest value of `width` neighbouring lanes (a power of two), in every one of them.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T minimum(T value, [[maybe_unused]] int width) {
    KOKKOS_IF_ON_DEVICE((for (int distance = width / 2; distance > 0; distance /= 2) {
      const T other = move(value, [&](int word) { return __shfl_xor(word, distance, width); });
      value         = other < value ? other : value;
    }))
    return value;
  }
  /// A bit for each lane of the wavefront: whether it says yes.
  using Mask = std::uint64_t;
  KOKKOS_FORCEINLINE_FUNCTION static Mask ballot([[maybe_unused]] bool predicate) {
    KOKKOS_IF_ON_DEVICE((return __ballot(predicate);))
    KOKKOS_IF_ON_HOST((return predicate ? 1 : 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool any(bool predicate) { return ballot(predicate) != 0; }
  /// The position of the highest set bit; `mask` is not 0.
  KOKKOS_FORCEINLINE_FUNCTION static int highest([[maybe_unused]] Mask mask) {
    KOKKOS_IF_ON_DEVICE((return 63 - __clzll(static_cast<long long>(mask));))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  /// How many lanes of the wavefront say yes.
  KOKKOS_FORCEINLINE_FUNCTION static int count([[maybe_unused]] bool predicate) {
    KOKKOS_IF_ON_DEVICE((return __popcll(__ballot(predicate));))
    KOKKOS_IF_ON_HOST((return predicate ? 1 : 0;))
  }
  /// The first lane of the wavefront that says yes; -1 where none does.
  KOKKOS_FORCEINLINE_FUNCTION static int first([[maybe_unused]] bool predicate) {
    KOKKOS_IF_ON_DEVICE((return __ffsll(static_cast<long long>(__ballot(predicate))) - 1;))
    KOKKOS_IF_ON_HOST((return predicate ? 0 : -1;))
  }
  /// A wavefront runs in lock step; what is needed is that the compiler keeps the order of memory accesses.
  /// The same address, or number.
  KOKKOS_FORCEINLINE_FUNCTION static const char* keep(const char* address) { return address; }
  KOKKOS_FORCEINLINE_FUNCTION static int keep(int number) { return number; }
  /// base + index * stride.
  KOKKOS_FORCEINLINE_FUNCTION static const char* strided(const char* base, std::int32_t index, std::int32_t stride) {
    return base + static_cast<std::int64_t>(index) * stride;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void barrier() {
    KOKKOS_IF_ON_DEVICE((__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"); __builtin_amdgcn_wave_barrier();))
  }

  KOKKOS_FORCEINLINE_FUNCTION static int arrive(int* counter) { return HostLanes::arrive(counter); }
  /// A word of 4 or 8 bytes for other teams, or from them, in no order with other accesses.
  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION static void store_relaxed(Word* target, Word word) {
    KOKKOS_IF_ON_DEVICE((__hip_atomic_store(target, word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);))
    KOKKOS_IF_ON_HOST((HostLanes::store_relaxed(target, word);))
  }
  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION static Word load_relaxed(const Word* source) {
    KOKKOS_IF_ON_DEVICE((return __hip_atomic_load(source, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);))
    KOKKOS_IF_ON_HOST((return HostLanes::load_relaxed(source);))
  }
  /// Streaming load, of what is used once, so that a matrix does not push the vector out of the caches.
  template <class T, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static Pack<T, Count> load_streaming(const Pack<T, Count>* source) {
    KOKKOS_IF_ON_DEVICE((Pack<T, Count> result; load_words(&result, source); return result;))
    KOKKOS_IF_ON_HOST((return *source;))
  }
  /// AMD has no L2-only load that is not also a different cache policy, and no read-only path: plain loads.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_l2_only(const T* source) {
    return *source;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_cached(const T* source) {
    return *source;
  }
  /// Streaming store, of what is not read again soon: a plain store.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void store_streaming(T* target, const T& value) {
    *target = value;
  }

 private:
  template <class T, class Operation>
  KOKKOS_FORCEINLINE_FUNCTION static T move(T value, const Operation& operation) {
    static_assert(sizeof(T) % 4 == 0, "lacuna: lane operations move 4-byte words");
    int words[sizeof(T) / 4];
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int& word : words) word = operation(word);
    memcpy(&value, words, sizeof(T));
    return value;
  }

#if defined(__HIP_DEVICE_COMPILE__)
  template <class P>
  __device__ __forceinline__ static void load_words(P* result, const P* source) {
    if constexpr (sizeof(P) % 16 == 0) {
      using Words = unsigned __attribute__((ext_vector_type(4)));
#pragma unroll
      for (int part = 0; part < static_cast<int>(sizeof(P) / 16); ++part) {
        const Words words = __builtin_nontemporal_load(reinterpret_cast<const Words*>(source) + part);
        memcpy(reinterpret_cast<char*>(result) + 16 * part, &words, 16);
      }
    } else if constexpr (sizeof(P) == 8) {
      const auto words = __builtin_nontemporal_load(reinterpret_cast<const unsigned long long*>(source));
      memcpy(result, &words, 8);
    } else if constexpr (sizeof(P) == 4) {
      const auto words = __builtin_nontemporal_load(reinterpret_cast<const unsigned*>(source));
      memcpy(result, &words, 4);
    } else {
      static_assert(sizeof(P) == 2, "lacuna: loads of 2, 4, 8 or a multiple of 16 bytes");
      const auto words = __builtin_nontemporal_load(reinterpret_cast<const unsigned short*>(source));
      memcpy(result, &words, 2);
    }
  }
#endif
};

}  // namespace Impl

template <>
struct ExecutionTraits<Kokkos::HIP> {
  static constexpr bool is_gpu = true;
  // RDNA runs wavefronts of 32, CDNA and GCN of 64. ROCm 7 has no compile-time warpSize: ask Kokkos' architecture.
#if defined(KOKKOS_ARCH_AMD_GFX1030) || defined(KOKKOS_ARCH_AMD_GFX1100) || defined(KOKKOS_ARCH_AMD_GFX1103) || \
    defined(KOKKOS_ARCH_AMD_GFX1201)
  static constexpr int lane_width = 32;
#else
  static constexpr int lane_width = 64;
#endif
  static constexpr int max_team_size         = 1024;
  static constexpr std::size_t scratch_bytes = 48 * 1024;
  static constexpr int load_bytes            = 16;
#if defined(LACUNA_HAS_ROCBLAS)
  static constexpr bool has_gemm = true;
#else
  static constexpr bool has_gemm  = false;
#endif
  using lanes = Impl::HipLanes;
};

}  // namespace lacuna

#endif

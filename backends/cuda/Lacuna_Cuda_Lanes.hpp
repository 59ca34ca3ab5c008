// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CUDA_LANES_HPP
#define LACUNA_CUDA_LANES_HPP

#include <backends/generic/Lacuna_Generic_Lanes.hpp>

#include <type_traits>

namespace lacuna {

namespace Impl {

/// Lane operations of a CUDA warp. Every lane of the warp takes part in each.
struct CudaLanes {
  static constexpr unsigned all = 0xffffffffu;

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_down([[maybe_unused]] T value, [[maybe_unused]] int delta,
                                                    [[maybe_unused]] int width) {
    KOKKOS_IF_ON_DEVICE((return move(value, [&](auto word) { return __shfl_down_sync(all, word, delta, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_up([[maybe_unused]] T value, [[maybe_unused]] int delta,
                                                  [[maybe_unused]] int width) {
    KOKKOS_IF_ON_DEVICE((return move(value, [&](auto word) { return __shfl_up_sync(all, word, delta, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle([[maybe_unused]] T value, [[maybe_unused]] int source,
                                               [[maybe_unused]] int width) {
    KOKKOS_IF_ON_DEVICE((return move(value, [&](auto word) { return __shfl_sync(all, word, source, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// The smallest value of `width` neighbouring lanes (a power of two, at most 32), in every one of them. Whole warps
  /// of 32-bit integers take one instruction.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T minimum(T value, [[maybe_unused]] int width) {
    KOKKOS_IF_ON_DEVICE((return least(value, width);))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// A bit for each lane of the warp: whether it says yes.
  using Mask = std::uint32_t;
  KOKKOS_FORCEINLINE_FUNCTION static Mask ballot([[maybe_unused]] bool predicate) {
    KOKKOS_IF_ON_DEVICE((return __ballot_sync(all, predicate);))
    KOKKOS_IF_ON_HOST((return predicate ? 1 : 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool any(bool predicate) { return ballot(predicate) != 0; }
  /// The position of the highest set bit; `mask` is not 0.
  KOKKOS_FORCEINLINE_FUNCTION static int highest([[maybe_unused]] Mask mask) {
    KOKKOS_IF_ON_DEVICE((return 31 - __clz(static_cast<int>(mask));))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  /// How many lanes of the warp say yes.
  KOKKOS_FORCEINLINE_FUNCTION static int count([[maybe_unused]] bool predicate) {
    KOKKOS_IF_ON_DEVICE((return __popc(__ballot_sync(all, predicate));))
    KOKKOS_IF_ON_HOST((return predicate ? 1 : 0;))
  }
  /// The first lane of the warp that says yes; -1 where none does.
  KOKKOS_FORCEINLINE_FUNCTION static int first([[maybe_unused]] bool predicate) {
    KOKKOS_IF_ON_DEVICE((return __ffs(static_cast<int>(__ballot_sync(all, predicate))) - 1;))
    KOKKOS_IF_ON_HOST((return predicate ? 0 : -1;))
  }
  /// The same address, which the compiler then keeps in registers: it cannot know how to compute it anew.
  KOKKOS_FORCEINLINE_FUNCTION static const char* keep(const char* address) {
    KOKKOS_IF_ON_DEVICE((asm volatile("" : "+l"(address));))
    return address;
  }
  /// The same number, which the compiler then computes where the program does, not before a loop for all of its steps.
  KOKKOS_FORCEINLINE_FUNCTION static int keep(int number) {
    KOKKOS_IF_ON_DEVICE((asm volatile("" : "+r"(number));))
    return number;
  }
  /// base + index * stride in one instruction; in a loop the compiler may else multiply in 64 bits, which takes four.
  KOKKOS_FORCEINLINE_FUNCTION static const char* strided(const char* base, std::int32_t index, std::int32_t stride) {
    KOKKOS_IF_ON_DEVICE((std::int64_t distance; asm("mul.wide.s32 %0, %1, %2;"
                                                    : "=l"(distance)
                                                    : "r"(index), "r"(stride));
                         return base + distance;))
    KOKKOS_IF_ON_HOST((return base + static_cast<std::int64_t>(index) * stride;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static void barrier() { KOKKOS_IF_ON_DEVICE((__syncwarp();)) }

  /// Streaming load: past L1, for what is used once. A matrix must not push the vector out of it.
  template <class T, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static Pack<T, Count> load_streaming(const Pack<T, Count>* source) {
    KOKKOS_IF_ON_DEVICE((Pack<T, Count> result; load_words(&result, source); return result;))
    KOKKOS_IF_ON_HOST((return *source;))
  }
  /// L2-only load (ld.global.cg): past L1, what a gather costs without a cache of its own.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_l2_only(const T* source) {
    KOKKOS_IF_ON_DEVICE((return load_parts(source, [](const auto* part) { return __ldcg(part); });))
    KOKKOS_IF_ON_HOST((return *source;))
  }
  /// One atomic that releases and acquires. Kokkos' fences are sequentially consistent, which costs more.
  /// Evidence: backends/tuning.md.
  KOKKOS_FORCEINLINE_FUNCTION static int arrive(int* counter) {
    KOKKOS_IF_ON_DEVICE((int before; asm volatile("atom.add.acq_rel.gpu.s32 %0, [%1], 1;"
                                                  : "=r"(before)
                                                  : "l"(counter)
                                                  : "memory");
                         return before;))
    KOKKOS_IF_ON_HOST((return HostLanes::arrive(counter);))
  }
  /// A word of 4 or 8 bytes for other teams, or from them, in no order with other accesses.
  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION static void store_relaxed(Word* target, Word word) {
    KOKKOS_IF_ON_DEVICE((
        if constexpr (sizeof(Word) == 4) {
          asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(target), "r"(word) : "memory");
        } else { asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(target), "l"(word)
                              : "memory"); }))
    KOKKOS_IF_ON_HOST((HostLanes::store_relaxed(target, word);))
  }
  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION static Word load_relaxed(const Word* source) {
    KOKKOS_IF_ON_DEVICE((
        Word word; if constexpr (sizeof(Word) == 4) {
          asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(word) : "l"(source) : "memory");
        } else {
          asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(source) : "memory");
        } return word;))
    KOKKOS_IF_ON_HOST((return HostLanes::load_relaxed(source);))
  }
  /// Reads through the read-only path of L1 (ld.global.nc); nothing may write there while the kernel runs.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_cached(const T* source) {
    KOKKOS_IF_ON_DEVICE((return load_parts(source, [](const auto* part) { return __ldg(part); });))
    KOKKOS_IF_ON_HOST((return *source;))
  }
  /// Streaming store (st.global.cs), of what is not read again soon: it leaves L2 first, in favour of what is.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void store_streaming(T* target, const T& value) {
    KOKKOS_IF_ON_DEVICE((store_parts(target, value);))
    KOKKOS_IF_ON_HOST((*target = value;))
  }

 private:
  /// Applies a 32-bit lane operation to each word of a value of 4, 8 or 16 bytes.
  template <class T, class Operation>
  KOKKOS_FORCEINLINE_FUNCTION static T move(T value, const Operation& operation) {
    static_assert(sizeof(T) % 4 == 0, "lacuna: lane operations move 4-byte words");
    unsigned words[sizeof(T) / 4];
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (unsigned& word : words) word = operation(word);
    memcpy(&value, words, sizeof(T));
    return value;
  }

#if defined(__CUDA_ARCH__)
  template <class T>
  __device__ __forceinline__ static T least(T value, int width) {
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, unsigned>)
      if (width == 32) return __reduce_min_sync(all, value);
#endif
    for (int distance = width / 2; distance > 0; distance /= 2) {
      const T other = move(value, [&](auto word) { return __shfl_xor_sync(all, word, distance, width); });
      value         = other < value ? other : value;
    }
    return value;
  }

  /// The widest word of loads and stores that the alignment of a type allows.
  template <class T>
  using PartOf =
      std::conditional_t<alignof(T) % 16 == 0, uint4, std::conditional_t<alignof(T) % 8 == 0, uint2, unsigned>>;

  /// One value by the widest loads.
  template <class T, class Load>
  __device__ __forceinline__ static T load_parts(const T* source, const Load& load) {
    using Part = PartOf<T>;
    static_assert(alignof(T) % 4 == 0 && sizeof(T) % sizeof(Part) == 0, "lacuna: loads of whole 4-byte words");
    constexpr int count = sizeof(T) / sizeof(Part);
    Part parts[count];
#pragma unroll
    for (int i = 0; i < count; ++i) parts[i] = load(reinterpret_cast<const Part*>(source) + i);
    T result;
    memcpy(&result, parts, sizeof(T));
    return result;
  }

  template <class T>
  __device__ __forceinline__ static void store_parts(T* target, const T& value) {
    using Part = PartOf<T>;
    if constexpr (alignof(T) % 4 != 0) {
      *target = value;
    } else {
      constexpr int count = sizeof(T) / sizeof(Part);
      Part parts[count];
      memcpy(parts, &value, sizeof(T));
#pragma unroll
      for (int i = 0; i < count; ++i) __stcs(reinterpret_cast<Part*>(target) + i, parts[i]);
    }
  }

  template <class P>
  __device__ __forceinline__ static void load_words(P* result, const P* source) {
    static_assert(sizeof(P) == 2 || sizeof(P) == 4 || sizeof(P) == 8 || sizeof(P) % 16 == 0,
                  "lacuna: loads of 2, 4, 8 or a multiple of 16 bytes");
    if constexpr (sizeof(P) == 2) {
      unsigned short a;
      asm("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=h"(a) : "l"(source));
      memcpy(result, &a, 2);
    } else if constexpr (sizeof(P) == 4) {
      unsigned a;
      asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(a) : "l"(source));
      memcpy(result, &a, 4);
    } else if constexpr (sizeof(P) == 8) {
      uint2 a;
      asm("ld.global.nc.L1::no_allocate.v2.u32 {%0,%1}, [%2];" : "=r"(a.x), "=r"(a.y) : "l"(source));
      memcpy(result, &a, 8);
    } else {
#pragma unroll
      for (int part = 0; part < static_cast<int>(sizeof(P) / 16); ++part) {
        uint4 a;
        asm("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
            : "=r"(a.x), "=r"(a.y), "=r"(a.z), "=r"(a.w)
            : "l"(reinterpret_cast<const char*>(source) + 16 * part));
        memcpy(reinterpret_cast<char*>(result) + 16 * part, &a, 16);
      }
    }
  }
#endif
};

}  // namespace Impl

template <>
struct ExecutionTraits<Kokkos::Cuda> {
  static constexpr bool is_gpu               = true;
  static constexpr int lane_width            = 32;
  static constexpr int max_team_size         = 1024;
  static constexpr std::size_t scratch_bytes = 38 * 1024;
  static constexpr int load_bytes            = 16;
#if defined(LACUNA_HAS_CUBLAS)
  static constexpr bool has_gemm = true;
#else
  static constexpr bool has_gemm = false;
#endif
  using lanes = Impl::CudaLanes;
};

}  // namespace lacuna

#endif

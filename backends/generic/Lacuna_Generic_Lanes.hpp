// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERIC_LANES_HPP
#define LACUNA_GENERIC_LANES_HPP

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// Before a loop whose bounds are constant and whose body indexes registers: it is unrolled, whatever its length. And
/// before one that must not be, for the sake of registers that the unrolled one would take.
#if defined(__CUDACC__) || defined(__clang__)
#define LACUNA_UNROLL _Pragma("unroll")
#define LACUNA_NO_UNROLL _Pragma("unroll 1")
#else
#define LACUNA_UNROLL
#define LACUNA_NO_UNROLL
#endif

namespace lacuna {

namespace Impl {

/// Whether hosts run kernels that are written for lanes, one lane a warp, and emulate matrix engines: for tests, which
/// define this, so that programs do not compile what they never run.
#if defined(LACUNA_EMULATE_LANES)
inline constexpr bool emulates_lanes = true;
#else
inline constexpr bool emulates_lanes = false;
#endif

/// `Count` values that travel in one load.
template <class T, int Count>
struct alignas(sizeof(T) * Count) Pack {
  T value[Count];
};

/// Lane operations of a host thread: a warp of one.
struct HostLanes {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_down(T value, int /*delta*/, int /*width*/) {
    return value;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_up(T value, int /*delta*/, int /*width*/) {
    return value;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle(T value, int /*source*/, int /*width*/) {
    return value;
  }
  /// The smallest value of `width` neighbouring lanes (a power of two, at most the lane width), in every one of them.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T minimum(T value, int /*width*/) {
    return value;
  }
  /// A bit for each lane of the warp: whether it says yes.
  using Mask = std::uint32_t;
  KOKKOS_FORCEINLINE_FUNCTION static Mask ballot(bool predicate) { return predicate ? 1 : 0; }
  KOKKOS_FORCEINLINE_FUNCTION static bool any(bool predicate) { return predicate; }
  /// The position of the highest set bit; `mask` is not 0.
  KOKKOS_FORCEINLINE_FUNCTION static int highest([[maybe_unused]] Mask mask) { return 0; }
  /// How many lanes of the warp say yes.
  KOKKOS_FORCEINLINE_FUNCTION static int count(bool predicate) { return predicate ? 1 : 0; }
  /// The first lane of the warp that says yes; -1 where none does.
  KOKKOS_FORCEINLINE_FUNCTION static int first(bool predicate) { return predicate ? 0 : -1; }
  /// The same address, or number.
  KOKKOS_FORCEINLINE_FUNCTION static const char* keep(const char* address) { return address; }
  KOKKOS_FORCEINLINE_FUNCTION static int keep(int number) { return number; }
  /// base + index * stride.
  KOKKOS_FORCEINLINE_FUNCTION static const char* strided(const char* base, std::int32_t index, std::int32_t stride) {
    return base + static_cast<std::int64_t>(index) * stride;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void barrier() {}
  /// Counts one arrival; returns how many there were before. Who is told of all others sees what they had written, and
  /// lanes of its warp do behind a barrier; what is left for others is written by this lane, or before a barrier.
  KOKKOS_FORCEINLINE_FUNCTION static int arrive(int* counter) {
    Kokkos::memory_fence();
    const int before = Kokkos::atomic_fetch_add(counter, 1);
    Kokkos::memory_fence();
    return before;
  }
  /// A word of 4 or 8 bytes for other teams, or from them, in no order with other accesses.
  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION static void store_relaxed(Word* target, Word word) {
    Kokkos::atomic_store(target, word);
  }
  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION static Word load_relaxed(const Word* source) {
    return Kokkos::atomic_load(source);
  }
  /// Streaming load, of what is used once; `source` is aligned to the pack's size.
  template <class T, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static Pack<T, Count> load_streaming(const Pack<T, Count>* source) {
    return *source;
  }
  /// L2-only load, past the first-level cache, and load through the read-only path: plain loads on a host.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_l2_only(const T* source) {
    return *source;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_cached(const T* source) {
    return *source;
  }
  /// Streaming store, of what is not read again soon.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void store_streaming(T* target, const T& value) {
    *target = value;
  }
};

}  // namespace Impl

template <class ExecutionSpace>
struct ExecutionTraits {
  static constexpr bool is_gpu               = false;
  static constexpr int lane_width            = 1;
  static constexpr int max_team_size         = 1;
  static constexpr std::size_t scratch_bytes = 32 * 1024;
  static constexpr int load_bytes            = 16;
  static constexpr bool has_gemm             = true;
  using lanes                                = Impl::HostLanes;
};

}  // namespace lacuna

#endif

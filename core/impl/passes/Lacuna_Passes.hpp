// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PASSES_HPP
#define LACUNA_PASSES_HPP

#include <Lacuna_Error.hpp>
#include <backends/Lacuna_Launch.hpp>
#include <core/impl/memory/Lacuna_Allocate.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

/// \file
/// \brief The passes that inspection and conversion are made of: over indices, over nonzeros, prefix sums.

namespace lacuna::Impl {

template <class T>
concept ExecutionSpaceType = Kokkos::is_execution_space<T>::value;

/// What counts are added up in on the device.
using Counter = AtomicWord;

/// Bytes of the largest value that a scan may have. Kokkos (4.5.1, CUDA) copies larger ones by several warps while
/// thread 0 may still clear them.
inline constexpr std::size_t largest_scanned_value = 128;

template <class ExecutionSpace>
using IndexRange = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;

/// A bound of a range. Of bounds that it could convert back Kokkos makes a text for every range, in case that they do
/// not fit: an allocation for each launch.
struct IndexBound {
  std::int64_t value;
  constexpr operator std::int64_t() const { return value; }
};

/// [0, n).
template <class ExecutionSpace>
IndexRange<ExecutionSpace> index_range(const ExecutionSpace& exec, std::int64_t n) {
  return IndexRange<ExecutionSpace>(exec, IndexBound{0}, IndexBound{n});
}

KOKKOS_INLINE_FUNCTION constexpr std::int64_t ceiling_quotient(std::int64_t numerator, std::int64_t denominator) {
  return (numerator + denominator - 1) / denominator;
}

/// body(i) by a thread each.
template <class Body>
struct TeamsOfIndices {
  std::int64_t n;
  Body body;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t i = static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread();
    if (i < n) body(i);
  }
};

/// Runs body(i) for i of [0, n). Does not fence.
template <class ExecutionSpace, class Body>
void for_each_index(const ExecutionSpace& exec, const std::string& label, std::int64_t n, const Body& body) {
  if (n <= 0) return;
  if constexpr (DeviceLaunch<ExecutionSpace>::is_possible) {
    constexpr int threads = 256;
    launch_teams<threads>(exec, label, {ceiling_quotient(n, threads), threads}, 0, TeamsOfIndices<Body>{n, body});
  } else {
    Kokkos::parallel_for(label, index_range(exec, n), body);
  }
}

/// The first i of [first, last) with sorted[i] > value, else last.
template <class T, class Value>
KOKKOS_INLINE_FUNCTION std::int64_t upper_bound(const T* sorted, std::int64_t first, std::int64_t last,
                                                const Value& value) {
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    if (value < sorted[middle])
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}

/// The first i of [first, last) with sorted[i] >= value, else last.
template <class T, class Value>
KOKKOS_INLINE_FUNCTION std::int64_t lower_bound(const T* sorted, std::int64_t first, std::int64_t last,
                                                const Value& value) {
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    if (sorted[middle] < value)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/// The first i of [first, last) with sorted[i] >= value, else last: found in steps that double from `near`, which lies
/// in [first, last), so that a good guess costs two loads and a bad one twice those of `lower_bound`.
template <class T, class Value>
KOKKOS_INLINE_FUNCTION std::int64_t lower_bound_near(const T* sorted, std::int64_t first, std::int64_t last,
                                                     std::int64_t near, const Value& value) {
  std::int64_t step = 1;
  if (sorted[near] < value) {
    first = near + 1;
    for (; near + step < last; step *= 2) {
      if (!(sorted[near + step] < value)) {
        last = near + step;
        break;
      }
      first = near + step + 1;
    }
  } else {
    last = near;
    for (; near - step >= first; step *= 2) {
      if (sorted[near - step] < value) {
        first = near - step + 1;
        break;
      }
      last = near - step;
    }
  }
  return lower_bound(sorted, first, last, value);
}

/// Cuts the nonzeros into tiles of equal length, one a team, so that long rows cost no more than short ones. The row of
/// a nonzero is searched among the rows that the tile touches.
template <class Ordinal, class Offset, class Body>
struct NonzeroTiles {
  std::int64_t rows;
  std::int64_t nonzeros;
  const Offset* row_map;
  std::int64_t tile;
  Body body;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t first = team.league_rank() * tile;
    const std::int64_t last  = first + tile < nonzeros ? first + tile : nonzeros;
    std::int64_t* bounds     = team.template scratch<std::int64_t>(2);
    if (team.thread() == 0) bounds[0] = upper_bound(row_map, 0, rows + 1, static_cast<Offset>(first)) - 1;
    if (team.thread() == team.threads() - 1)
      bounds[1] = upper_bound(row_map, 0, rows + 1, static_cast<Offset>(last - 1)) - 1;
    team.barrier();
    std::int64_t row           = bounds[0];
    const std::int64_t row_end = bounds[1] + 1;
    if constexpr (requires { typename Body::State; }) {
      typename Body::State state;
      for (std::int64_t k = first + team.thread(); k < last; k += team.threads()) {
        row = row_of(k, row, row_end);
        body(static_cast<Ordinal>(row), static_cast<Offset>(k), state);
      }
      body.finish(state);
    } else {
      for (std::int64_t k = first + team.thread(); k < last; k += team.threads()) {
        row = row_of(k, row, row_end);
        body(static_cast<Ordinal>(row), static_cast<Offset>(k));
      }
    }
  }

  /// The row of nonzero k, which is not before `row`.
  KOKKOS_FUNCTION std::int64_t row_of(std::int64_t k, std::int64_t row, std::int64_t row_end) const {
    if (k < static_cast<std::int64_t>(row_map[row + 1])) return row;
    return upper_bound(row_map, row + 1, row_end + 1, static_cast<Offset>(k)) - 1;
  }
};

/// Nonzeros of a tile. GPUs get smaller tiles where processors would otherwise have none: a thread waits for
/// one nonzero after the other.
/// Evidence: core/tuning.md.
template <class ExecutionSpace>
std::int64_t nonzeros_per_tile(const ExecutionSpace& exec, std::int64_t nonzeros) {
  if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu) return 16384;
  constexpr std::int64_t least = 256, most = 2048, tiles_of_processor = 8;
  return std::clamp(nonzeros / (tiles_of_processor * processors(exec)) / least * least, least, most);
}

/// Runs body(row, k) for every nonzero k. A body with a `State` is called as body(row, k, state) instead, with a state
/// a thread, and body.finish(state) after the last. Does not fence. The row map must be valid.
template <class ExecutionSpace, class Ordinal, class Offset, class Body>
void for_each_nonzero(const ExecutionSpace& exec, const std::string& label, Ordinal rows, Offset nonzeros,
                      const Offset* row_map, const Body& body) {
  if (rows <= 0 || nonzeros <= 0) return;
  const auto count        = static_cast<std::int64_t>(nonzeros);
  const std::int64_t tile = nonzeros_per_tile(exec, count);
  launch_teams<256>(exec, label, {(count + tile - 1) / tile, 256}, 64,
                    NonzeroTiles<Ordinal, Offset, Body>{static_cast<std::int64_t>(rows), count, row_map, tile, body});
}

/// sums[i] = length(0) + … + length(i - 1) for i of [0, n].
template <class Offset, class Length>
struct LengthScan {
  std::int64_t n;
  Offset* sums;
  Length length;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum, bool final) const {
    if (final) sums[i] = static_cast<Offset>(sum);
    if (i < n) sum += static_cast<std::int64_t>(length(i));
  }
};

/// The length of i where lengths are stored.
template <class Number>
struct StoredLength {
  const Number* lengths;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return static_cast<std::int64_t>(lengths[i]); }
};

/// Fills sums[0 … n] with the exclusive prefix sums of length(i) and returns the total (waits for `exec`).
/// \throws NotSupported where the total does not fit the offset type.
template <class ExecutionSpace, class Offset, class Length>
std::int64_t scan_lengths(const ExecutionSpace& exec, const std::string& label, std::int64_t n, Offset* sums,
                          const Length& length) {
  std::int64_t total = 0;
  Kokkos::parallel_scan(label, index_range(exec, n + 1), LengthScan<Offset, Length>{n, sums, length}, total);
  if (static_cast<std::uint64_t>(total) > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()))
    raise<NotSupported>(label, total, " stored entries do not fit the offset type of ", 8 * sizeof(Offset), " bits");
  return total;
}

/// \throws OutOfMemory where `bytes` are more than `limit`.
inline void check_memory(const char* function, std::size_t bytes, std::size_t limit) {
  if (bytes > limit) raise<OutOfMemory>(function, "needs ", bytes, " bytes, memory_limit is ", limit);
}

template <class... Views>
std::size_t bytes_of(const Views&... views) {
  return (std::size_t{0} + ... + (views.extent(0) * sizeof(typename Views::value_type)));
}

KOKKOS_INLINE_FUNCTION constexpr std::int64_t round_up(std::int64_t number, std::int64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

/// The default instance after a fence, for constructors of plans.
template <class ExecutionSpace>
ExecutionSpace fenced_default_instance(const char* label) {
  const ExecutionSpace exec;
  exec.fence(label);
  return exec;
}

/// Calls `work(exec)` with the default instance, fenced before and after: the overloads without `exec`.
template <class ExecutionSpace, class Work>
auto with_default_instance(const char* function, const Work& work) {
  const ExecutionSpace exec{};
  exec.fence(std::string("Lacuna::") + function + ": before, default instance");
  struct FenceAfter {
    const ExecutionSpace& exec;
    std::string label;  // made before the work: a destructor must not throw
    ~FenceAfter() { exec.fence(label); }
  } const fence_after{exec, std::string("Lacuna::") + function + ": after, default instance"};
  return work(exec);
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMARRANGELISTS_HPP
#define LACUNA_SPGEMMARRANGELISTS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmProductLists.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Where lists of products stand: C is cut into windows, the lists of a window are sorted by length and cut into
/// segments.

namespace lacuna::Impl {

/// Finds the first nonzero of a window: the first in front of which all nonzeros cost at least as much as the windows
/// before.
struct SpgemmFindWindows {
  SpgemmListWay way;
  const Counter* before;  ///< products of the nonzeros in front of each nonzero
  std::int64_t nonzeros;
  std::int64_t* first;
  KOKKOS_FUNCTION void operator()(std::int64_t window) const {
    const std::int64_t cost = window * way.window_cost;
    std::int64_t c          = 0;
    for (std::int64_t end = nonzeros; c < end;) {
      const std::int64_t middle = c + (end - c) / 2;
      if (static_cast<std::int64_t>(before[middle]) + SpgemmListWay::nonzero_cost * middle < cost)
        c = middle + 1;
      else
        end = middle;
    }
    first[window] = c;
  }
};

/// Sizes of windows, which the first pass writes, and from which their beginnings are computed.
struct SpgemmWindowSizes {
  std::int64_t* segments;
  std::int64_t* products;  ///< with the gaps between lists of different lengths
};

/// What the second pass reads and writes.
struct SpgemmListOffsets {
  const std::int64_t* first_segment = nullptr;  ///< of each window, and behind the last
  const std::int64_t* first_product = nullptr;
  std::int64_t windows              = 0;
  SpgemmListRecord* records         = nullptr;
  std::int64_t* begin               = nullptr;  ///< of each segment, and behind the last
  Counter* offsets                  = nullptr;  ///< of each nonzero: where its first product goes
};

/// A team takes a window. `Writes`: writes where each list stands. Without, finds how much space the lists take.
template <bool Writes>
struct SpgemmArrangeLists {
  using Policy = SpgemmListPolicy;

  static constexpr int team = 256;

  SpgemmListWay way;
  const std::int64_t* first;
  const std::uint32_t* lengths;
  SpgemmLongLists* long_ones;
  SpgemmWindowSizes sizes;
  SpgemmListOffsets to;

  std::size_t scratch_bytes() const {
    const auto lists = static_cast<std::size_t>(way.most_lists());
    return lists * sizeof(std::uint32_t) + (lists + 1) * sizeof(std::int64_t) + 64;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t window      = team.league_rank();
    const int count                = static_cast<int>(first[window + 1] - first[window]);
    const std::uint32_t* const own = lengths + first[window];
    std::uint32_t* const keys      = team.template scratch<std::uint32_t>(way.most_lists());
    std::int64_t* const begin      = team.template scratch<std::int64_t>(way.most_lists() + 1);
    sort(team, own, count, keys);
    const auto of_team = static_cast<int>(lower_bound(keys, 0, count, 1U << Policy::index_bits));
    const auto all     = static_cast<int>(lower_bound(keys, 0, count, 2U << Policy::index_bits));
    const int segments = all + (count - all + Team::lane_width - 1) / Team::lane_width;
    find_segments(team, own, keys, all, segments, begin);
    if constexpr (Writes) {
      write_offsets(team, window, count, all, segments, own, keys, begin);
    } else if (team.thread() == 0) {
      long_ones[window]      = {of_team, all};
      sizes.segments[window] = segments;
      sizes.products[window] = begin[segments];
    }
  }

 private:
  static constexpr std::uint32_t index_mask = (1U << Policy::index_bits) - 1;

  /// The key by which lists are sorted: lists of the team come first, then those of warps, then those of lanes, the
  /// longest first. Lists of equal length stay in the order of C, because neighbours have factors in common.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t key_of(std::uint32_t length, int index) const {
    const std::uint32_t longest = way.longest_of_lane;
    const std::uint32_t rank =
        length > longest ? (length > SpgemmListWay::longest_of_warp ? 0 : 1) : 2 + longest - length;
    return rank << Policy::index_bits | static_cast<std::uint32_t>(index);
  }

  /// Bitonic sort.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sort(const Team& team, const std::uint32_t* own, int count,
                                        std::uint32_t* keys) const {
    int all = 1;
    while (all < count) all *= 2;
    for (int i = team.thread(); i < all; i += team.threads()) keys[i] = i < count ? key_of(own[i], i) : ~0U;
    team.barrier();
    for (int run = 2; run <= all; run *= 2)
      for (int distance = run / 2; distance > 0; distance /= 2) {
        for (int i = team.thread(); i < all / 2; i += team.threads()) {
          const int low = 2 * i - i % distance, high = low + distance;
          const std::uint32_t x = keys[low], y = keys[high];
          if ((x > y) == ((low & run) == 0)) keys[low] = y, keys[high] = x;
        }
        team.barrier();
      }
  }

  /// Finds where segments begin in the window.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void find_segments(const Team& team, const std::uint32_t* own,
                                                        const std::uint32_t* keys, int all, int segments,
                                                        std::int64_t* begin) {
    for (int segment = team.thread(); segment < segments; segment += team.threads()) {
      const int list              = segment < all ? segment : all + (segment - all) * Team::lane_width;
      const std::uint32_t longest = own[keys[list] & index_mask];
      begin[segment]              = static_cast<std::int64_t>(longest) * (segment < all ? 1 : Team::lane_width);
    }
    team.barrier();
    if (team.thread() == 0) {
      std::int64_t sum = 0;
      for (int segment = 0; segment < segments; ++segment) {
        const std::int64_t size = begin[segment];
        begin[segment]          = sum;
        sum += size;
      }
      begin[segments] = sum;
    }
    team.barrier();
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void write_offsets(const Team& team, std::int64_t window, int count, int all,
                                                 int segments, const std::uint32_t* own, const std::uint32_t* keys,
                                                 const std::int64_t* begin) const {
    const std::int64_t segment = to.first_segment[window];
    const std::int64_t product = to.first_product[window];
    for (int c = team.thread(); c < segments; c += team.threads()) to.begin[segment + c] = product + begin[c];
    if (window == to.windows - 1 && team.thread() == 0) to.begin[segment + segments] = product + begin[segments];
    for (int list = team.thread(); list < count; list += team.threads()) {
      const std::uint32_t index = keys[list] & index_mask;
      const int short_one       = list - all;
      const std::int64_t at =
          list < all ? begin[list] : begin[all + short_one / Team::lane_width] + short_one % Team::lane_width;
      to.records[first[window] + list]  = SpgemmListRecord::of(index, list < all ? 0 : own[index]);
      to.offsets[first[window] + index] = static_cast<Counter>(product + at);
    }
  }
};

}  // namespace lacuna::Impl

#endif

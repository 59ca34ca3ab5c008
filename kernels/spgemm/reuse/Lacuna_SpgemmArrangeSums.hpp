// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMARRANGESUMS_HPP
#define LACUNA_SPGEMMARRANGESUMS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmFindRuns.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmProductRuns.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Where in scratch the products of each nonzero of C stand, on GPUs. A team takes a window, and sorts its sums by
/// their length, the longest first: lanes of a warp then take sums of one length. Products of such a group are
/// interleaved, so that lanes read neighbours. A sum for a whole warp has its products side by side.
template <class Ordinal, class Offset>
struct SpgemmArrangeSums {
  static constexpr int team = 256;

  SpgemmCountedC<Ordinal, Offset> C;  ///< `before` gets the first place of each nonzero
  SpgemmProductWindow* windows;
  SpgemmSum* sums;
  std::int64_t cost;  ///< of a window
  int keys;           ///< `most_keys`

  static int most_keys(std::int64_t cost) {
    return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(cost + 1)));
  }
  std::size_t scratch_bytes() const { return static_cast<std::size_t>(keys + groups()) * sizeof(std::uint32_t) + 64; }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    SpgemmProductWindow& window = windows[team.league_rank()];
    const std::int64_t first    = window.nonzero;
    const int count             = static_cast<int>(windows[team.league_rank() + 1].nonzero - first);
    std::uint32_t* const sorted = team.template scratch<std::uint32_t>(keys);
    std::uint32_t* const begin  = team.template scratch<std::uint32_t>(groups());
    if (count == 0) return;
    sort<Team>(team, first, count, sorted);
    const int long_ones =
        static_cast<int>(lower_bound(sorted, 0, count, std::uint32_t(2U << index_bits)));  // those of ranks 0 and 1
    const int groups_here = long_ones + (count - long_ones + Team::lane_width - 1) / Team::lane_width;
    for (int group = team.thread(); group < groups_here; group += team.threads()) {
      const int list     = group < long_ones ? group : long_ones + (group - long_ones) * Team::lane_width;
      const auto longest = length_of(first, sorted[list]);
      begin[group]       = group < long_ones ? longest : longest * Team::lane_width;
    }
    team.barrier();
    if (team.thread() == 0) sum_up(window, begin, groups_here, long_ones, sorted[0] >> index_bits == 0);
    team.barrier();
    for (int list = team.thread(); list < count; list += team.threads()) {
      const std::int64_t nonzero = first + (sorted[list] & index_mask);
      const int short_one        = list - long_ones;
      const std::uint32_t place =
          short_one < 0 ? begin[list] : begin[long_ones + short_one / Team::lane_width] + short_one % Team::lane_width;
      sums[first + list] = {static_cast<std::uint16_t>(nonzero - first),
                            static_cast<std::uint16_t>(length_of(first, sorted[list])),
                            static_cast<SpgemmPlace>(place)};
      C.before[nonzero]  = place;
    }
  }

 private:
  static constexpr int index_bits           = 16;
  static constexpr std::uint32_t index_mask = (1U << index_bits) - 1;

  /// Those of warps are of more than `SpgemmWindowPolicy::most_of_lane` products.
  KOKKOS_FORCEINLINE_FUNCTION int groups() const { return static_cast<int>(cost + 1) / 16 + 2; }

  /// Alone come first, then sums of warps, then those of lanes, the longest first. Sums of one length keep the order of
  /// C: neighbours have factors in common.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t key_of(std::uint32_t length, int index) const {
    constexpr auto most      = static_cast<std::uint32_t>(SpgemmWindowPolicy::most_of_lane(Team::lane_width));
    const std::uint32_t rank = length > most ? (static_cast<std::int64_t>(length) > cost ? 0 : 1) : 2 + most - length;
    return rank << index_bits | static_cast<std::uint32_t>(index);
  }
  /// Products that have a place.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t length_of(std::int64_t first, std::uint32_t key) const {
    return key >> index_bits == 0 ? 0 : C.products[first + (key & index_mask)];
  }

  /// Bitonic sort.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sort(const Team& team, std::int64_t first, int count, std::uint32_t* sorted) const {
    int all = 1;
    while (all < count) all *= 2;
    for (int i = team.thread(); i < all; i += team.threads())
      sorted[i] = i < count ? key_of<Team>(C.products[first + i], i) : ~0U;
    team.barrier();
    for (int run = 2; run <= all; run *= 2)
      for (int distance = run / 2; distance > 0; distance /= 2) {
        for (int i = team.thread(); i < all / 2; i += team.threads()) {
          const int low = 2 * i - i % distance, high = low + distance;
          const std::uint32_t x = sorted[low], y = sorted[high];
          if ((x > y) == ((low & run) == 0)) sorted[low] = y, sorted[high] = x;
        }
        team.barrier();
      }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void sum_up(SpgemmProductWindow& window, std::uint32_t* begin, int groups,
                                                 int long_ones, bool is_alone) {
    std::uint32_t sum = 0;
    for (int group = 0; group < groups; ++group) {
      const std::uint32_t size = begin[group];
      begin[group]             = sum;
      sum += size;
    }
    window.places    = static_cast<std::uint16_t>(sum);
    window.long_sums = static_cast<std::uint16_t>(long_ones);
    window.is_alone  = is_alone ? 1 : 0;
  }
};

}  // namespace lacuna::Impl

#endif

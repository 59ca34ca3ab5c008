// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SHAREDROWSUMS_HPP
#define LACUNA_SHAREDROWSUMS_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// \brief The sum of a row that lies in several work items: each leaves its share in memory, the last arriver adds.
///
/// Shares of a row have slots side by side (Lacuna_RowPartition.hpp). They are added in two steps. First, the last
/// arriver of about sqrt(shares) neighbours adds the shares of these neighbours, in order. Then the last arriver of
/// these groups adds the group sums, in order, and writes the row. So the result does not depend on the order in which
/// teams run, and no lane adds a long list. The last arriver clears the counter it read, for the next product.

namespace lacuna::Impl {

/// \tparam Tile of N \tparam WorkItems with the slots, the partial sums and the counters
template <class Tile, class WorkItems>
struct SharedRowSums {
  using Ordinal      = typename WorkItems::Ordinal;
  using Arithmetic   = typename Tile::Arithmetic;
  using LanePosition = typename Tile::LanePosition;
  using Sums         = typename Tile::Sums;
  using lanes_of     = typename Tile::lanes;

  static constexpr int lane_vectors = static_cast<int>(std::extent_v<Sums, 0>);
  static constexpr int vector       = static_cast<int>(std::extent_v<Sums, 1>);

  const Tile& tile;
  const WorkItems& items;

  /// A subwarp's remaining work for a row of several work items: it holds share `index`, or the sum of a group of
  /// shares.
  struct Share {
    bool counts;
    int first;  ///< slot of the first share
    int index;
    int shares;
    Ordinal rank;
  };

  /// Leaves a share in its slot.
  KOKKOS_FORCEINLINE_FUNCTION void leave(std::int64_t slot, const LanePosition& position, const Sums& sum) const {
    Arithmetic* const mine = partial_of(slot, position);
    for (int c = 0; c < lane_vectors; ++c)
      for (int v = 0; v < vector; ++v) mine[tile.position_of_sum(c * vector + v, 0)] = sum[c][v];
  }

  /// Counts in for the two shares that a subwarp may have left, and adds where it is the last arriver. `leader`: the
  /// first lane of the subwarp. Every lane of the warp takes part. `sum` is overwritten.
  KOKKOS_FORCEINLINE_FUNCTION void arrive(Share& head, Share& tail, int leader, const LanePosition& position,
                                          Sums& sum) const {
    for (int step = 0; step < 2; ++step) {
      if (lanes_of::ballot(head.counts || tail.counts) == 0) return;
      lanes_of::barrier();
      const int before_head = count_in(step, head, position), before_tail = count_in(step, tail, position);
      const bool adds_head = is_last(step, head, before_head, leader);
      const bool adds_tail = is_last(step, tail, before_tail, leader);
      lanes_of::barrier();
      head.counts = add_up(adds_head, step, head, position, sum);
      tail.counts = add_up(adds_tail, step, tail, position, sum);
    }
  }

 private:
  /// How shares are added up: groups of `size` neighbours first, about as many groups as members.
  struct Groups {
    int size, count, start, members;  // `start` and `members`: of the group that a share belongs to

    KOKKOS_FORCEINLINE_FUNCTION explicit Groups(const Share& share) : size(16) {
      while (size * size < share.shares) size *= 2;
      count           = (share.shares + size - 1) / size;
      start           = share.index / size * size;
      const int after = share.shares - start;
      members         = after < size ? after : size;
    }
  };

  /// Where the partial sums of a lane start. The next sums are `lanes` apart.
  KOKKOS_FORCEINLINE_FUNCTION Arithmetic* partial_of(std::int64_t slot, const LanePosition& position) const {
    return items.partial + slot * items.width + static_cast<std::int64_t>(position.tile) * tile.tile_columns() +
           position.lane;
  }
  /// The counter of a group (step 0) or of all groups (step 1).
  KOKKOS_FORCEINLINE_FUNCTION int* counter(int step, const Share& share, const LanePosition& position) const {
    const std::int64_t slot = share.first + (step == 0 ? Groups(share).start : 0);
    return items.arrived + (slot * items.tiles + position.tile) * 2 + step;
  }
  KOKKOS_FORCEINLINE_FUNCTION int count_in(int step, const Share& share, const LanePosition& position) const {
    return share.counts && position.lane == 0 ? lanes_of::arrive(counter(step, share, position)) : 0;
  }
  /// Every lane of the warp takes part. `before` is the count that the leader got.
  KOKKOS_FORCEINLINE_FUNCTION bool is_last(int step, const Share& share, int before, int leader) const {
    const Groups groups(share);
    return lanes_of::shuffle(before, leader, Tile::lane_width) == (step == 0 ? groups.members : groups.count) - 1 &&
           share.counts;
  }
  /// Step 0 adds the shares of a group, step 1 the sums of the groups. Returns whether the subwarp has to arrive once
  /// more. Every lane of the warp takes part.
  KOKKOS_FORCEINLINE_FUNCTION bool add_up(bool adds, int step, const Share& share, const LanePosition& position,
                                          Sums& sum) const {
    if (lanes_of::ballot(adds) == 0) return false;
    const Groups groups(share);
    add_partial(adds, share.first + (step == 0 ? groups.start : 0), step == 0 ? groups.members : groups.count,
                step == 0 ? 1 : groups.size, position, sum);
    if (!adds) return false;
    if (position.lane == 0) *counter(step, share, position) = 0;  // ready for the next call
    if (step == 0 && groups.count > 1) {
      leave(share.first + groups.start, position, sum);
      return true;
    }
    tile.write(items.row(share.rank), position, sum);
    return false;
  }

  /// sum = the partial sums of `count` slots from `first` on, `stride` apart, in order. All lanes of the warp stay in
  /// one loop: CUDA 13.0 compiled a loop that only some lanes ran to code with wrong addresses.
  KOKKOS_FORCEINLINE_FUNCTION void add_partial(bool adds, int first, int count, int stride,
                                               const LanePosition& position, Sums& sum) const {
    constexpr int unroll       = vector * lane_vectors > 4 ? 4 : 8;  // loads in flight
    const Arithmetic* const at = partial_of(adds ? first : 0, position);
    const std::int64_t apart   = stride * items.width;
    const int mine             = adds ? count : 0;
    Tile::clear(sum);
    for (int k = 0; lanes_of::ballot(k < mine) != 0; k += unroll) {
      Arithmetic part[unroll][lane_vectors][vector];
      for (int b = 0; b < unroll; ++b)
        for (int c = 0; c < lane_vectors; ++c)
          for (int v = 0; v < vector; ++v)
            part[b][c][v] = lanes_of::load_l2_only(at + (k + b < mine ? k + b : 0) * apart +
                                                   tile.position_of_sum(c * vector + v, 0));
      for (int b = 0; b < unroll; ++b)
        if (k + b < mine)
          for (int c = 0; c < lane_vectors; ++c)
            for (int v = 0; v < vector; ++v) sum[c][v] += part[b][c][v];
    }
  }
};

}  // namespace lacuna::Impl

#endif

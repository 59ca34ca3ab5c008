// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_OPENSEGMENT_HPP
#define LACUNA_OPENSEGMENT_HPP

#include <backends/Lacuna_Launch.hpp>

#include <cstdint>

/// \file
/// \brief The scan across the threads of a team that segmented sums of a tile need: the matrix-based scan and COO.

namespace lacuna::Impl {

/// The sum of the elements behind the last head, and whether there was a head.
template <class Scalar>
struct OpenSegment {
  Scalar sum{0};
  int has_head = 0;

  /// This, followed by `next`.
  KOKKOS_FORCEINLINE_FUNCTION void append(const Scalar& next_sum, bool next_has_head) {
    sum = next_has_head ? next_sum : sum + next_sum;
    has_head |= next_has_head ? 1 : 0;
  }
};

/// Replaces segment `row` of `count` open segments by the sum that stands before it, 0 at the start. One warp
/// does it, all its lanes call.
template <class Team, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void scan_open_segments(const Team& team, Scalar* sums, const std::uint8_t* has_head,
                                                    int count) {
  constexpr int width = Team::lane_width;
  const int share     = (count + width - 1) / width;
  const int begin     = team.lane() * share < count ? team.lane() * share : count;
  const int end       = begin + share < count ? begin + share : count;
  OpenSegment<Scalar> segment;
  for (int row = begin; row < end; ++row) segment.append(sums[row], has_head[row] != 0);
  for (int delta = 1; delta < width; delta *= 2) {
    const Scalar before     = Team::lanes::shuffle_up(segment.sum, delta, width);
    const int before_headed = Team::lanes::shuffle_up(segment.has_head, delta, width);
    if (team.lane() >= delta) {
      if (segment.has_head == 0) segment.sum = before + segment.sum;
      segment.has_head |= before_headed;
    }
  }
  OpenSegment<Scalar> before;
  before.sum = Team::lanes::shuffle_up(segment.sum, 1, width);
  if (team.lane() == 0) before.sum = Scalar(0);
  for (int row = begin; row < end; ++row) {
    const Scalar sum = sums[row];
    sums[row]        = before.sum;
    before.append(sum, has_head[row] != 0);
  }
}

}  // namespace lacuna::Impl

#endif

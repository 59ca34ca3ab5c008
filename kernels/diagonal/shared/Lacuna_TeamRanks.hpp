// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEAMRANKS_HPP
#define LACUNA_TEAMRANKS_HPP

#include <backends/Lacuna_Launch.hpp>
#include <core/base/impl/Lacuna_Bits.hpp>

namespace lacuna::Impl {

/// \brief Threads of a team that say yes get ranks 0, 1, … in the order of the threads. All threads call it. There
/// must be a barrier between two calls with the same `counts`, which has an element for each warp.
struct TeamRanks {
  int own;    ///< the thread's rank, if it said yes
  int total;  ///< how many said yes
};

template <class Team>
KOKKOS_FORCEINLINE_FUNCTION TeamRanks team_ranks(const Team& team, bool yes, int* counts) {
  using lanes     = typename Team::lanes;
  const auto mask = lanes::ballot(yes);
  if (team.lane() == 0) counts[team.warp()] = count_bits(mask);
  team.barrier();
  TeamRanks ranks{0, 0};
  for (int group = 0; group < team.warps(); ++group) {
    if (group == team.warp()) ranks.own = ranks.total;
    ranks.total += counts[group];
  }
  const auto below = (static_cast<typename lanes::Mask>(1) << team.lane()) - 1;
  ranks.own += count_bits(mask & below);
  return ranks;
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_RESIDENCY_HPP
#define LACUNA_RESIDENCY_HPP

#include <backends/Lacuna_Launch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief How many teams of a kernel one processor holds at once.

namespace lacuna::Impl {

/// \brief Teams that one processor of `exec` holds at once where `launch_teams` with these arguments starts `Body`; at
/// least 1, and 1 on a host, whose threads are its processors.
///
/// CUDA is asked, with the registers that the compiler gave the kernel. Elsewhere nobody says how many registers a
/// kernel of a `TeamPolicy` takes: the number is then what threads and scratch allow, a bound from above. Does not
/// fence. \throws NotSupported where the device has less scratch.
template <int MaxThreads, int MinTeams, class Body, class ExecutionSpace>
std::int64_t resident_teams(const ExecutionSpace& exec, int threads, std::size_t scratch_bytes) {
  using Device   = DeviceLaunch<ExecutionSpace>;
  const int team = team_threads<ExecutionSpace>(threads);
  check_launch("Lacuna::resident_teams", {1, team}, scratch_bytes, largest_scratch(exec));
  std::int64_t teams = 1;
  if constexpr (Device::is_possible) {
    using Kernel = TeamKernel<ExecutionSpace, typename Device::Member, Body>;
    teams        = Device::template resident_teams<MaxThreads, MinTeams, Kernel>(exec, team, scratch_bytes);
  } else if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) {
    teams = exec.concurrency() / (processors(exec) * team);
    if (scratch_bytes > 0) teams = std::min(teams, static_cast<std::int64_t>(largest_scratch(exec) / scratch_bytes));
  }
  return std::max<std::int64_t>(1, teams);
}

}  // namespace lacuna::Impl

#endif

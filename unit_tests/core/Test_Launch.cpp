// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Core.hpp>
#include <Lacuna_Launch.hpp>

#include <gtest/gtest.h>

namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// Sums 0 … n-1 over the lanes of each group, then over the groups through scratch.
struct SumOfIndices {
  int n;
  Kokkos::View<double*, Memory> result;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    double sum = 0;
    for (int i = team.thread(); i < n; i += team.threads()) sum += i;
    sum            = Team::sum_lanes(sum, Team::lane_width);
    double* groups = team.template scratch<double>(team.groups());
    if (team.lane() == 0) groups[team.group()] = sum;
    team.barrier();
    if (team.thread() != 0) return;
    double total = 0;
    for (int g = 0; g < team.groups(); ++g) total += groups[g];
    result(team.league_rank()) = total;
  }
};

TEST(Launch, TeamsSumOverLanesAndScratch) {
  for (const int threads : {32, 64, 256, 512}) {
    for (const int n : {0, 1, 31, 32, 33, 1000}) {
      Kokkos::View<double*, Memory> result("result", 3);
      lacuna::Impl::launch_teams(Exec(), "Lacuna::Test::sum", {3, threads}, 64 * sizeof(double),
                                 SumOfIndices{n, result});
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
      for (int team = 0; team < 3; ++team) EXPECT_EQ(host(team), 0.5 * n * (n - 1)) << n << " " << threads;
    }
  }
}

TEST(Launch, RefusesScratchThatDoesNotExist) {
  Kokkos::View<double*, Memory> result("result", 1);
  EXPECT_THROW(lacuna::Impl::launch_teams(Exec(), "Lacuna::Test::sum", {1, 32}, 1 << 24, SumOfIndices{1, result}),
               lacuna::NotSupported);
}

}  // namespace

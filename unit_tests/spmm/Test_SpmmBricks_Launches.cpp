// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/Bricks_Support.hpp>

// The kernel on bricks started by Kokkos::TeamPolicy, with its small scratch, where the native launch is usual.

namespace lacuna::Test {
namespace {

TEST(SpmmBricksLaunches, TeamPolicy) {
  check_bricks_of_every_kind<AnyEngine, Impl::LaunchPath::team_policy, float>(Kokkos::DefaultExecutionSpace());
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Core.hpp>
#include <Lacuna_Launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>

struct Fill {
  Kokkos::View<int*> values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (team.thread() == 0) values(team.league_rank()) = team.league_rank();
  }
};

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int count = 100;
  Kokkos::View<int*> values("values", count);
  lacuna::Impl::launch_teams(Kokkos::DefaultExecutionSpace(), "Consumer::fill", {count, 32}, 0, Fill{values});
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  for (int i = 0; i < count; ++i) {
    if (host(i) != i) return 1;
  }
  std::printf("Lacuna %d.%d.%d works\n", LACUNA_VERSION_MAJOR, LACUNA_VERSION_MINOR, LACUNA_VERSION_PATCH);
  return 0;
}

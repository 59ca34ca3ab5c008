// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Core.hpp>
#include <backends/Lacuna_Launch.hpp>
#include <core/impl/passes/Lacuna_ArrivingValue.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <tools/Tools_Recorder.hpp>

namespace lacuna::Impl {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// Calls `test` with each way in which a body can be started.
template <class Test>
void for_each_path(const Test& test) {
  test(std::integral_constant<LaunchPath, LaunchPath::automatic>());
  if (DeviceLaunch<Exec>::is_possible) test(std::integral_constant<LaunchPath, LaunchPath::team_policy>());
}

/// Sums 0 … n-1 over the lanes of each group, then over the groups through scratch.
struct SumOfIndices {
  int n;
  Kokkos::View<double*, Memory> result;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    double sum = 0;
    for (int i = team.thread(); i < n; i += team.threads()) sum += i;
    sum            = Team::sum_lanes(sum, Team::lane_width);
    double* groups = team.template scratch<double>(team.warps());
    if (team.lane() == 0) groups[team.warp()] = sum;
    team.barrier();
    if (team.thread() != 0) return;
    double total = 0;
    for (int g = 0; g < team.warps(); ++g) total += groups[g];
    result(team.league_rank()) = total;
  }
};

TEST(Launch, TeamsSumOverLanesAndScratch) {
  for_each_path([](auto path) {
    for (const int threads : {32, 64, 256, 512}) {
      for (const int n : {0, 1, 31, 32, 33, 1000}) {
        Kokkos::View<double*, Memory> result("result", 3);
        launch_teams<0, 0, path.value>(Exec(), "Lacuna::Test::sum", {3, threads}, 64 * sizeof(double),
                                       SumOfIndices{n, result});
        const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
        for (int team = 0; team < 3; ++team) EXPECT_EQ(host(team), 0.5 * n * (n - 1)) << n << " " << threads;
      }
    }
  });
}

/// Every group fills all of its scratch, and after a team barrier reads that of the next group.
struct Neighbours {
  int count;  // of a group
  Kokkos::View<int*, Memory> wrong;
  Kokkos::View<int*, Memory> visited;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* odd = team.template scratch<char>(3);
    int* own  = team.template warp_scratch<int>(static_cast<std::size_t>(count));
    odd[0]    = 1;
    for (int i = team.lane(); i < count; i += Team::lane_width) own[i] = place(team.league_rank(), team.warp(), i);
    team.barrier();
    const int next   = (team.warp() + 1) % team.warps();
    const int* other = own + (next - team.warp()) * count;
    for (int i = team.lane(); i < count; i += Team::lane_width) {
      if (other[i] != place(team.league_rank(), next, i)) Kokkos::atomic_inc(&wrong(0));
      Kokkos::atomic_inc(&visited(team.league_rank()));
    }
    if (reinterpret_cast<std::uintptr_t>(own) % 16 != 0) Kokkos::atomic_inc(&wrong(0));
  }
  KOKKOS_FUNCTION static int place(int team, int group, int i) { return (team * 64 + group) * 100000 + i; }
};

TEST(Launch, GroupsHaveScratchOfTheirOwn) {
  const Exec exec;
  for (const std::size_t bytes : {std::size_t{4096}, ExecutionTraits<Exec>::scratch_bytes, largest_scratch(exec)}) {
    for_each_path([&](auto path) {
      if (path.value == LaunchPath::team_policy && bytes > ExecutionTraits<Exec>::scratch_bytes) return;
      const int threads = 128, teams = 2 * processors(exec) + 1;
      const int groups = team_threads<Exec>(threads) / ExecutionTraits<Exec>::lane_width;
      const int count  = static_cast<int>((bytes - 32) / static_cast<std::size_t>(groups) / 16 * 4);
      const Kokkos::View<int*, Memory> wrong("wrong", 1), visited("visited", teams);
      launch_teams<128, 1, path.value>(exec, "Lacuna::Test::neighbours", {teams, threads}, bytes,
                                       Neighbours{count, wrong, visited});
      const auto faults = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wrong);
      const auto visits = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), visited);
      EXPECT_EQ(faults(0), 0) << bytes;
      for (int team = 0; team < teams; ++team) ASSERT_EQ(visits(team), groups * count) << team << " of " << bytes;
    });
  }
}

/// Every team adds the mean of some elements, all of one value, to every sum. It takes long where `rounds` are many.
struct AddMean {
  const double* before;  ///< what a launch in front of all has written
  double* sum;
  int elements;
  int rounds;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    double total = 0;
    for (int r = 0; r < rounds; ++r) total += before[(team.league_rank() + r) % elements];
    for (int i = team.thread(); i < elements; i += team.threads()) Kokkos::atomic_add(&sum[i], total / rounds);
  }
};
struct Fill {
  double* values;
  double value;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[i] = value; }
};
struct Copy {
  const double* from;
  double* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[i]; }
};

/// The first launch sees what was written before, the one behind sees what all have written, those that take longest
/// among them: every time, whatever has room beside them.
TEST(Launch, IndependentLaunchesComeAfterAllBeforeAndBeforeAllBehind) {
  const Exec exec;
  constexpr int elements = 1000, teams[] = {1, 3, 0, 500, 40}, rounds[] = {200000, 100000, 1, 100, 1000};
  const Kokkos::View<double*, Memory> before("before", elements), sum("sum", elements), after("after", elements);
  double expected = 0;
  for (const int t : teams) expected += t;
  for (int repeat = 1; repeat <= 20; ++repeat) {
    for_each_index(exec, "Lacuna::Test::fill", elements, Fill{before.data(), 1.0 * repeat});
    for_each_index(exec, "Lacuna::Test::fill", elements, Fill{sum.data(), 0});
    IndependentLaunches<Exec> launches(exec);
    for (int n = 0; n < 5; ++n)
      launches.launch<128>("Lacuna::Test::add", {teams[n], 128}, n % 2 == 0 ? 30000 : 0,
                           AddMean{before.data(), sum.data(), elements, rounds[n]});
    for_each_index(exec, "Lacuna::Test::copy", elements, Copy{sum.data(), after.data()});
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), after);
    for (int i = 0; i < elements; ++i) ASSERT_EQ(host(i), expected * repeat) << i << " of repeat " << repeat;
  }
}

TEST(Launch, IndependentLaunchesAreCheckedLikeOthers) {
  const Exec exec;
  IndependentLaunches<Exec> launches(exec);
  EXPECT_THROW(
      launches.launch<128>("Lacuna::Test::add", {1, 128}, largest_scratch(exec) + 1, AddMean{nullptr, nullptr, 0, 0}),
      NotSupported);
}

/// y[i] = y[i] + x[5 i + step], modulo 2^64; x as what nobody writes while the kernel runs.
struct GatherStep {
  const std::uint64_t* x;
  std::uint64_t* y;
  int elements;
  int step;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for (int i = team.league_rank() * team.threads() + team.thread(); i < elements;
         i += team.league_size() * team.threads())
      y[i] += Team::lanes::load_cached(x + (5 * i + step) % elements);
  }
};

/// What a launch reads was written by the one in front of it, has been in the cache since the one before that, and is
/// written by the next.
void check_chain(int elements, int steps) {
  std::vector<std::uint64_t> expected[2];
  Kokkos::View<std::uint64_t*, Memory> values[2];
  for (int n = 0; n < 2; ++n) {
    for (int i = 0; i < elements; ++i)
      expected[n].push_back(static_cast<std::uint64_t>(i) * 977 + static_cast<std::uint64_t>(n));
    values[n] = Kokkos::View<std::uint64_t*, Memory>("values", expected[n].size());
    Kokkos::deep_copy(values[n],
                      Kokkos::View<std::uint64_t*, Kokkos::HostSpace>(expected[n].data(), expected[n].size()));
  }
  Kokkos::fence();
  const auto exec       = Kokkos::Experimental::partition_space(Exec(), 1)[0];
  constexpr int teams[] = {235, 1, 8000, 40, 600, 3};  // fewer than the device holds at once, and more
  for (int step = 0; step < steps; ++step)
    launch_teams<128>(exec, "Lacuna::Test::gather", {teams[step % 6], 128}, step % 4 == 3 ? 20000 : 0,
                      GatherStep{values[step % 2].data(), values[1 - step % 2].data(), elements, step});
  exec.fence();
  for (int step = 0; step < steps; ++step)
    for (int i = 0; i < elements; ++i)
      expected[1 - step % 2][static_cast<std::size_t>(i)] +=
          expected[step % 2][static_cast<std::size_t>((5 * i + step) % elements)];
  for (int n = 0; n < 2; ++n) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values[n]);
    for (int i = 0; i < elements; ++i)
      ASSERT_EQ(host(i), expected[n][static_cast<std::size_t>(i)]) << i << " of " << elements;
  }
}

TEST(Launch, LaunchesSeeWhatThoseBeforeHaveWritten) {
  check_chain(257, 600);
  check_chain(2003, 600);
  check_chain(30011, 300);
}

/// The smallest of 32 neighbours, in all of them.
template <class T>
struct SmallestOfNeighbours {
  const T* source;
  T* result;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int width       = Team::lane_width < 32 ? Team::lane_width : 32;
    result[team.thread()] = Team::lanes::minimum(source[team.thread()], width);
  }
};

template <class T>
void check_minimum(const std::vector<T>& source) {
  const Exec exec;
  const int threads = team_threads<Exec>(64), width = std::min(ExecutionTraits<Exec>::lane_width, 32);
  const Kokkos::View<T*, Memory> values("values", source.size()), result("result", source.size());
  const auto host = Kokkos::create_mirror_view(values);
  for (std::size_t i = 0; i < source.size(); ++i) host(i) = source[i];
  Kokkos::deep_copy(values, host);
  launch_teams(exec, "Lacuna::Test::minimum", {1, 64}, 0, SmallestOfNeighbours<T>{values.data(), result.data()});
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  for (int i = 0; i < threads; ++i) {
    const auto first = source.begin() + i / width * width;
    EXPECT_EQ(found(i), *std::min_element(first, first + width)) << i;
  }
}

TEST(Launch, MinimumOfNeighbouringLanes) {
  std::vector<int> narrow(64);
  std::vector<std::int64_t> wide(64);
  for (int i = 0; i < 64; ++i) {
    narrow[static_cast<std::size_t>(i)] = (i * 37 + 11) % 64 - 30;
    wide[static_cast<std::size_t>(i)]   = (std::int64_t{1} << 40) * ((i * 29 + 5) % 64 - 20) + i;
  }
  check_minimum(narrow);
  check_minimum(wide);
}

/// Sums over the lanes up to each, `width` side by side.
struct SumsUpTo {
  int width;
  Kokkos::View<int*, Memory> result;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rank        = team.lane() % width;
    result(team.thread()) = Team::sum_lanes_up_to(team.thread() + 1, rank, width);
  }
};

TEST(Launch, SumsOverLanesUpToEach) {
  for (int width = 1; width <= ExecutionTraits<Exec>::lane_width; width *= 2) {
    const int threads = team_threads<Exec>(96);
    const Kokkos::View<int*, Memory> result("result", threads);
    launch_teams(Exec(), "Lacuna::Test::sums_up_to", {1, 96}, 0, SumsUpTo{width, result});
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
    for (int i = 0, sum = 0; i < threads; ++i) {
      sum = i % width == 0 ? i + 1 : sum + i + 1;
      EXPECT_EQ(found(i), sum) << i << ", width " << width;
    }
  }
}

/// Every team leaves a value, the last arriver adds them up in order: 0 + 1 + … where all have come.
template <class T>
struct LastArriver {
  using Slot = ArrivingValue<Exec, T>;
  T* values;
  int* arrived;
  T* sums;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (team.thread() != 0) return;
    Slot::leave(values + team.league_rank(), T(team.league_rank()));
    if (Kokkos::atomic_fetch_add(arrived, 1) != team.league_size() - 1) return;
    T sum(0);
    for (int i = 0; i < team.league_size(); ++i) sum += Slot(values + i).take();
    sums[0]  = sum;
    *arrived = 0;
  }
};

template <class T>
class ArrivingValues : public ::testing::Test {};
using ArrivingTypes = ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(ArrivingValues, ArrivingTypes);

TYPED_TEST(ArrivingValues, AreAllThereForTheLastArriver) {
  using T = TypeParam;
  const Exec exec;
  for (const int teams : {1, 2, 33, 5000}) {
    Kokkos::View<T*, Memory> values("values", teams), sums("sums", 1);
    Kokkos::View<int, Memory> arrived("arrived");
    ArrivingValue<Exec, T>::clear(exec, values);
    for (int call = 0; call < 3; ++call) {
      Kokkos::deep_copy(exec, sums, T(-1));
      launch_teams(exec, "Lacuna::Test::arrive", {teams, 64}, 0,
                   LastArriver<T>{values.data(), arrived.data(), sums.data()});
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
      EXPECT_EQ(host(0), T(0.5 * teams * (teams - 1.0))) << teams << " teams, call " << call;
    }
  }
}

/// Leaves the value whose bits mean that nothing is there, and takes it again.
template <class T>
struct LeaveEmptiness {
  using Slot = ArrivingValue<Exec, T>;
  T* place;
  bool* is_nan;
  KOKKOS_FUNCTION void operator()(int) const {
    const typename Slot::Word none = Slot::none;
    T value(0);
    memcpy(&value, &none, sizeof(none));
    Slot::leave(place, value);
    const T taken = Slot(place).take();
    *is_nan       = taken != taken;
  }
};

TYPED_TEST(ArrivingValues, MayHaveTheBitsOfAnEmptyPlace) {
  using T = TypeParam;
  const Exec exec;
  Kokkos::View<T*, Memory> place("place", 1);
  Kokkos::View<bool, Memory> is_nan("is_nan");
  ArrivingValue<Exec, T>::clear(exec, place);
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(exec, 0, 1), LeaveEmptiness<T>{place.data(), is_nan.data()});
  EXPECT_TRUE(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), is_nan)());
}

TEST(Launch, ToolsSeeEveryPath) {
  const Exec exec = lacuna::Test::another_instance<Exec>();
  Kokkos::View<double*, Memory> result("result", 1);
  for_each_path([&](auto path) {
    lacuna::Test::check_annotations(exec, "launch", [&] {
      launch_teams<0, 0, path.value>(exec, "Lacuna::Test::sum", {1, 32}, 64 * sizeof(double), SumOfIndices{10, result});
    });
  });
}

TEST(Launch, RefusesWhatDoesNotExist) {
  const Exec exec;
  Kokkos::View<double*, Memory> result("result", 1);
  const SumOfIndices body{1, result};
  for_each_path([&](auto path) {
    const auto launch = [&](TeamShape shape, std::size_t scratch) {
      launch_teams<0, 0, path.value>(exec, "Lacuna::Test::sum", shape, scratch, body);
    };
    EXPECT_THROW(launch({1, 32}, 1 << 24), NotSupported);
    EXPECT_THROW(launch({1ll << 31, 32}, 0), NotSupported);
    const std::size_t most =
        path.value == LaunchPath::team_policy ? ExecutionTraits<Exec>::scratch_bytes : largest_scratch(exec);
    EXPECT_THROW(launch({1, 32}, most + 1), NotSupported);
    EXPECT_NO_THROW(launch({0, 32}, 0));
  });
}

}  // namespace
}  // namespace lacuna::Impl

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <backends/Lacuna_Launch.hpp>
#include <backends/Lacuna_Stages.hpp>
#include <support/Reference_Space.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// A stream of blocks goes through rings of stages, one a warp, and comes out as it was, cut to `valid` bytes.

namespace lacuna::Impl {

constexpr int words_of_a_stage = 96;  // no multiple of 4 warps of copies, so that lanes differ

template <int Bytes, int Stages, class Memory>
struct ThroughStages {
  static constexpr int words  = Bytes / 4;
  static constexpr int copies = words_of_a_stage / words;
  Kokkos::View<const std::uint32_t*, Memory> source;
  Kokkos::View<std::uint32_t*, Memory> result;
  int blocks;
  int valid;  // bytes of each copy

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using stages        = typename Team::stages;
    std::uint32_t* ring = team.template warp_scratch<std::uint32_t>(Stages * words_of_a_stage);
    const auto first    = stages::address(ring);
    for (int i = team.lane(); i < Stages * words_of_a_stage; i += Team::lane_width) ring[i] = 0xdeadbeefu;
    team.warp_barrier();
    const int of_group = (team.league_rank() * team.warps() + team.warp()) * blocks;
    const auto fill    = [&](int block) {
      for (int i = team.lane(); i < copies; i += Team::lane_width)
        stages::template copy<Bytes>(first + (block % Stages * words_of_a_stage + i * words) * 4,
                                     source.data() + (of_group + block) * words_of_a_stage + i * words, valid);
    };
    for (int block = 0; block < Stages - 1; ++block) {
      if (block < blocks) fill(block);
      stages::commit();
    }
    for (int block = 0; block < blocks; ++block) {
      stages::template wait<Stages - 2>();
      team.warp_barrier();
      if (block + Stages - 1 < blocks) fill(block + Stages - 1);
      stages::commit();
      for (int i = team.lane(); i < words_of_a_stage; i += Team::lane_width)
        result((of_group + block) * words_of_a_stage + i) = ring[block % Stages * words_of_a_stage + i];
    }
  }
};

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <LaunchPath path, int Bytes, int Stages, class ExecutionSpace>
void expect_same(const ExecutionSpace& exec, int valid) {
  using Memory         = typename ExecutionSpace::memory_space;
  constexpr int blocks = 11, teams = 3, threads = 128;
  const int groups = team_threads<ExecutionSpace>(threads) / ExecutionTraits<ExecutionSpace>::lane_width;
  const int count  = blocks * teams * groups * words_of_a_stage;
  const Kokkos::View<std::uint32_t*, Memory> source("source", count), result("result", count);
  const auto numbers = Kokkos::create_mirror_view(source);
  for (int i = 0; i < count; ++i) numbers(i) = 0x01010101u * static_cast<unsigned>(i % 255 + 1);
  Kokkos::deep_copy(source, numbers);
  launch_teams<0, 0, path>(exec, "Lacuna::Test::stages", {teams, threads},
                           static_cast<std::size_t>(groups * Stages * words_of_a_stage * 4),
                           ThroughStages<Bytes, Stages, Memory>{source, result, blocks, valid});
  exec.fence("Lacuna::Test::stages: result");
  const auto words    = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  const auto bytes_of = [](const auto& view, int i) { return reinterpret_cast<const unsigned char*>(view.data())[i]; };
  for (int i = 0; i < 4 * count; ++i) {
    const int expected = i % Bytes < valid ? bytes_of(numbers, i) : 0;
    ASSERT_EQ(bytes_of(words, i), expected) << "byte " << i << ", copies of " << Bytes << ", valid " << valid;
  }
}

template <LaunchPath path, class ExecutionSpace>
void check_path(const ExecutionSpace& exec) {
  for (const int valid : {16, 12, 8, 5, 4, 0}) {
    expect_same<path, 16, 2>(exec, valid);
    expect_same<path, 16, 3>(exec, valid);
  }
  for (const int valid : {8, 4, 0}) expect_same<path, 8, 4>(exec, valid);
  for (const int valid : {4, 0}) expect_same<path, 4, 3>(exec, valid);
}

template <class ExecutionSpace>
void check(const ExecutionSpace& exec) {
  check_path<LaunchPath::automatic>(exec);
  if (DeviceLaunch<ExecutionSpace>::is_possible) check_path<LaunchPath::team_policy>(exec);
}

TEST(Stages, RingsOfTheDefaultSpace) { check(Exec()); }
TEST(Stages, RingsOfAHost) { check(lacuna::Test::ReferenceSpace()); }

// A source that must not be read is not: it is no address at all.
struct FillFromNowhere {
  Kokkos::View<std::uint32_t*, Exec::memory_space> result;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using stages     = typename Team::stages;
    auto* words      = team.template scratch<std::uint32_t>(4);
    words[0]         = 7;
    const void* null = nullptr;
    if (team.thread() == 0) stages::template copy<16>(stages::address(words), null, 0);
    stages::commit();
    stages::template wait<0>();
    team.barrier();
    if (team.thread() == 0) result(0) = words[0] + words[3];
  }
};

TEST(Stages, NothingIsReadWhereNothingIsValid) {
  const Kokkos::View<std::uint32_t*, Exec::memory_space> result("result", 1);
  Kokkos::deep_copy(result, 5u);
  launch_teams(Exec(), "Lacuna::Test::nowhere", {1, 32}, 64, FillFromNowhere{result});
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result)(0), 0u);
}

}  // namespace
}  // namespace lacuna::Impl

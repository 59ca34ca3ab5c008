// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_LAUNCH_HPP
#define LACUNA_LAUNCH_HPP

#include <Lacuna_Error.hpp>
#include <backends/Lacuna_Backend.hpp>
#include <backends/Lacuna_Stages.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

/// \file
/// \brief How every team kernel of the library is started, and the small concept its body is written against.
///
/// A body is `template <class Team> KOKKOS_FUNCTION void operator()(const Team& team) const`. It is SIMT code: on a GPU
/// every thread of the team runs it, on a host one thread does (a warp of one), so loops such as `for (i =
/// team.thread(); i < n; i += team.threads())` serve both. A backend that has a launch of its own (`DeviceLaunch`:
/// CUDA) starts it, elsewhere `Kokkos::TeamPolicy` does; the body cannot tell.
///
/// Why not `TeamPolicy` on CUDA: it serves only a part of the scratch, needs registers for its loop over teams, costs
/// every call time on host and device, and passes large bodies through constant memory, which costs more.
/// Evidence: backends/tuning.md.

namespace lacuna::Impl {

/// Whether kernels that are written for lanes are compiled for `ExecutionSpace`.
template <class ExecutionSpace>
inline constexpr bool runs_lane_kernels = ExecutionTraits<ExecutionSpace>::is_gpu || emulates_lanes;

/// How many teams run, and how many threads each has (on a host: one).
struct TeamShape {
  std::int64_t teams;
  int threads;
};

/// What starts a kernel. `automatic`: the backend's own launch where it has one, else TeamPolicy.
enum class LaunchPath { automatic, team_policy };

/// The most scratch that one team can have on the device of `exec`.
template <class ExecutionSpace>
std::size_t largest_scratch(const ExecutionSpace& exec) {
  return DeviceLaunch<ExecutionSpace>::scratch_bytes(exec);
}

/// What teams are shared out over: the multiprocessors of a GPU, the threads of a host.
template <class ExecutionSpace>
int processors(const ExecutionSpace& exec) {
  return DeviceLaunch<ExecutionSpace>::processors(exec);
}

/// What a body sees of its team. `Member` is that of a `Kokkos::TeamPolicy`, or what stands for it in `DeviceLaunch`.
template <class ExecutionSpace, class Member>
class Team {
 public:
  using execution_space           = ExecutionSpace;
  using traits                    = ExecutionTraits<ExecutionSpace>;
  using lanes                     = typename traits::lanes;
  using stages                    = StagesFor<ExecutionSpace>;  ///< copies into scratch, see Lacuna_Stages.hpp
  static constexpr int lane_width = traits::lane_width;

  KOKKOS_FORCEINLINE_FUNCTION explicit Team(const Member& member) : m_member(member) {}

  KOKKOS_FORCEINLINE_FUNCTION int league_rank() const { return m_member.league_rank(); }
  KOKKOS_FORCEINLINE_FUNCTION int league_size() const { return m_member.league_size(); }
  KOKKOS_FORCEINLINE_FUNCTION int thread() const { return m_member.team_rank(); }
  KOKKOS_FORCEINLINE_FUNCTION int threads() const { return m_member.team_size(); }
  /// The thread's position in its warp, and the warp's position in the team.
  KOKKOS_FORCEINLINE_FUNCTION int lane() const { return m_member.team_rank() % lane_width; }
  KOKKOS_FORCEINLINE_FUNCTION int warp() const { return m_member.team_rank() / lane_width; }
  KOKKOS_FORCEINLINE_FUNCTION int warps() const { return m_member.team_size() / lane_width; }

  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { m_member.team_barrier(); }
  KOKKOS_FORCEINLINE_FUNCTION void warp_barrier() const { lanes::barrier(); }

  /// `count` values of the team's scratch, all threads get the same address. Call in the same order by all.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T* scratch(std::size_t count) const {
    return static_cast<T*>(
        m_member.team_scratch(0).get_shmem_aligned(count * sizeof(T), alignof(T) < 16 ? 16 : alignof(T)));
  }

  /// `count` values of scratch for each warp, 16-byte aligned where `count * sizeof(T)` is a multiple of 16: the
  /// address of the thread's own warp. Call in the same order by all.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T* warp_scratch(std::size_t count) const {
    return scratch<T>(count * static_cast<std::size_t>(warps())) + count * static_cast<std::size_t>(warp());
  }

  /// Sum over `width` neighbouring lanes (a power of two, at most the lane width), left in the first of them.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T sum_lanes(T value, int width) {
    for (int delta = width / 2; delta > 0; delta /= 2) value += lanes::shuffle_down(value, delta, width);
    return value;
  }

  /// The same in every lane over the lanes up to it, its own among them; `rank` is its position in the `width`.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T sum_lanes_up_to(T value, int rank, int width) {
    for (int distance = 1; distance < width; distance *= 2) {
      const T lower = lanes::shuffle_up(value, distance, width);
      if (rank >= distance) value += lower;
    }
    return value;
  }

 private:
  const Member& m_member;
};

/// Whether a body asks, by `static constexpr bool stays_in_place = true`, to be run where its launch laid it and not as
/// a copy: what a copy engine reads of it (`TileCopiesFor<ExecutionSpace>::Map`) must have one address for all lanes.
template <class Body>
constexpr bool stays_in_place() {
  if constexpr (requires { Body::stays_in_place; })
    return Body::stays_in_place;
  else
    return false;
}

/// Turns a member into a `Team` and runs the body.
template <class ExecutionSpace, class Member, class Body>
struct TeamKernel {
  static constexpr bool stays_in_place = Impl::stays_in_place<Body>();
  static constexpr bool is_independent = false;
  Body body;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member) const {
    body(Team<ExecutionSpace, Member>(member));
  }
};

/// The same of one of `IndependentLaunches`.
template <class ExecutionSpace, class Member, class Body>
struct IndependentTeamKernel : TeamKernel<ExecutionSpace, Member, Body> {
  static constexpr bool is_independent = true;
  bool is_first;
};

/// Threads of a team for `ExecutionSpace`: `wanted` rounded to whole warps, 1 on a host.
template <class ExecutionSpace>
constexpr int team_threads(int wanted) {
  using traits = ExecutionTraits<ExecutionSpace>;
  if constexpr (!traits::is_gpu) return 1;
  const int whole = wanted / traits::lane_width * traits::lane_width;
  return whole < traits::lane_width ? traits::lane_width
                                    : (whole > traits::max_team_size ? traits::max_team_size : whole);
}

/// \throws NotSupported where a launch is larger than the device, which has `available` bytes of scratch a team.
inline void check_launch(const std::string& label, TeamShape shape, std::size_t scratch_bytes, std::size_t available) {
  if (shape.teams > std::numeric_limits<int>::max())
    raise<NotSupported>(label, "needs ", shape.teams, " teams, more than one launch can have");
  if (scratch_bytes > available)
    raise<NotSupported>(label, "needs ", scratch_bytes, " bytes of scratch a team, this backend has ", available);
}

/// \brief Starts `body` on `exec`. Does not fence.
///
/// `MaxThreads` bounds the threads of a team at compile time (0: no bound), which lets the compiler use more registers;
/// `MinTeams` teams should fit on a processor at once, which makes it use fewer.
/// `scratch_bytes` is what the body takes in all, gaps for alignment included; at most `largest_scratch(exec)`.
/// `Path` is for tests, which start bodies by TeamPolicy too where that is not the usual way.
/// \throws NotSupported where the device has less scratch, or fewer threads.
template <int MaxThreads = 0, int MinTeams = (MaxThreads > 0 ? 1 : 0), LaunchPath Path = LaunchPath::automatic,
          class ExecutionSpace, class Body>
void launch_teams(const ExecutionSpace& exec, const std::string& label, TeamShape shape, std::size_t scratch_bytes,
                  const Body& body) {
  using Device             = DeviceLaunch<ExecutionSpace>;
  constexpr bool is_native = Device::is_possible && Path == LaunchPath::automatic;
  if (shape.teams <= 0) return;
  check_launch(label, shape, scratch_bytes,
               is_native ? Device::scratch_bytes(exec) : ExecutionTraits<ExecutionSpace>::scratch_bytes);
  const int teams   = static_cast<int>(shape.teams);
  const int threads = team_threads<ExecutionSpace>(shape.threads);
  if constexpr (is_native) {
    using Kernel = TeamKernel<ExecutionSpace, typename Device::Member, Body>;
    Device::template start<MaxThreads, MinTeams>(exec, label, teams, threads, scratch_bytes, Kernel{body});
  } else {
    using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<MaxThreads, MinTeams>>;
    using Kernel = TeamKernel<ExecutionSpace, typename Policy::member_type, Body>;
    Policy policy(exec, teams, threads, 1);
    if (scratch_bytes > 0) policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
    Kokkos::parallel_for(label, policy, Kernel{body});
  }
}

/// \brief Launches on one instance that do not depend on each other: none reads what another writes.
///
/// Where the device can (CUDA, from Hopper on), each but the first starts as soon as all teams of the one before have
/// started and processors have room, not when the last of them has ended: a launch of few long teams does not leave the
/// rest of the device idle. The first waits for everything that was started on the instance before, and what is started
/// afterwards waits for all of them. Elsewhere they run one after the other.
template <class ExecutionSpace>
class IndependentLaunches {
 public:
  explicit IndependentLaunches(const ExecutionSpace& exec) : m_exec(exec) {}
  const ExecutionSpace& exec() const { return m_exec; }

  /// As `launch_teams`.
  template <int MaxThreads, int MinTeams = 1, class Body>
  void launch(const std::string& label, TeamShape shape, std::size_t scratch_bytes, const Body& body) {
    using Device = DeviceLaunch<ExecutionSpace>;
    if constexpr (Device::starts_early) {
      if (shape.teams <= 0) return;
      check_launch(label, shape, scratch_bytes, Device::scratch_bytes(m_exec));
      using Kernel = IndependentTeamKernel<ExecutionSpace, typename Device::Member, Body>;
      Device::template start<MaxThreads, MinTeams>(m_exec, label, static_cast<int>(shape.teams),
                                                   team_threads<ExecutionSpace>(shape.threads), scratch_bytes,
                                                   Kernel{{body}, m_is_first});
      m_is_first = false;
    } else {
      launch_teams<MaxThreads, MinTeams>(m_exec, label, shape, scratch_bytes, body);
    }
  }

 private:
  const ExecutionSpace& m_exec;
  bool m_is_first = true;
};

}  // namespace lacuna::Impl

#endif

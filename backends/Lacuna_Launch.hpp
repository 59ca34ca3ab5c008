// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_LAUNCH_HPP
#define LACUNA_LAUNCH_HPP

#include <Lacuna_Backend.hpp>
#include <Lacuna_Error.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

/// \file
/// \brief How every team kernel of the library is started, and the small concept its body is written against.
///
/// A body is `template <class Team> KOKKOS_FUNCTION void operator()(const Team& team) const`. It is SIMT code: on a GPU
/// every thread of the team runs it, on a host one thread does (a lane group of one), so loops such as
/// `for (i = team.thread(); i < n; i += team.threads())` serve both.

namespace lacuna::Impl {

/// How many teams run, and how many threads each has (on a host: one).
struct TeamShape {
  std::int64_t teams;
  int threads;
};

/// What a body sees of its team.
template <class ExecutionSpace, class Member>
class Team {
 public:
  using execution_space           = ExecutionSpace;
  using traits                    = ExecutionTraits<ExecutionSpace>;
  using lanes                     = typename traits::lanes;
  static constexpr int lane_width = traits::lane_width;

  KOKKOS_FORCEINLINE_FUNCTION explicit Team(const Member& member) : m_member(member) {}

  KOKKOS_FORCEINLINE_FUNCTION int league_rank() const { return m_member.league_rank(); }
  KOKKOS_FORCEINLINE_FUNCTION int league_size() const { return m_member.league_size(); }
  KOKKOS_FORCEINLINE_FUNCTION int thread() const { return m_member.team_rank(); }
  KOKKOS_FORCEINLINE_FUNCTION int threads() const { return m_member.team_size(); }
  /// The thread's place in its lane group, and the lane group's place in the team.
  KOKKOS_FORCEINLINE_FUNCTION int lane() const { return m_member.team_rank() % lane_width; }
  KOKKOS_FORCEINLINE_FUNCTION int group() const { return m_member.team_rank() / lane_width; }
  KOKKOS_FORCEINLINE_FUNCTION int groups() const { return m_member.team_size() / lane_width; }

  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { m_member.team_barrier(); }
  KOKKOS_FORCEINLINE_FUNCTION void group_barrier() const { lanes::barrier(); }

  /// `count` values of the team's scratch, all threads get the same address. Call in the same order by all.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T* scratch(std::size_t count) const {
    return static_cast<T*>(
        m_member.team_scratch(0).get_shmem_aligned(count * sizeof(T), alignof(T) < 16 ? 16 : alignof(T)));
  }

  /// Sum over `width` neighbouring lanes (a power of two, at most the lane width), left in the first of them.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T sum_lanes(T value, int width) {
    for (int delta = width / 2; delta > 0; delta /= 2) value += lanes::shuffle_down(value, delta, width);
    return value;
  }

 private:
  const Member& m_member;
};

/// Turns the member of a `Kokkos::TeamPolicy` into a `Team` and runs the body.
template <class ExecutionSpace, class Body>
struct TeamKernel {
  Body body;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  KOKKOS_FUNCTION void operator()(const Member& member) const { body(Team<ExecutionSpace, Member>(member)); }
};

/// Threads of a team for `ExecutionSpace`: `wanted` rounded to whole lane groups, 1 on a host.
template <class ExecutionSpace>
constexpr int team_threads(int wanted) {
  using traits = ExecutionTraits<ExecutionSpace>;
  if constexpr (!traits::is_gpu) return 1;
  const int whole = wanted / traits::lane_width * traits::lane_width;
  return whole < traits::lane_width ? traits::lane_width
                                    : (whole > traits::max_team_size ? traits::max_team_size : whole);
}

/// Starts `body` on `exec`. `MaxThreads` bounds the threads of a team at compile time (0: no bound), which lets the
/// compiler use more registers. Does not fence.
template <int MaxThreads = 0, class ExecutionSpace, class Body>
void launch_teams(const ExecutionSpace& exec, const std::string& label, TeamShape shape, std::size_t scratch_bytes,
                  const Body& body) {
  if (shape.teams <= 0) return;
  if (shape.teams > std::numeric_limits<int>::max())
    raise<NotSupported>(label, "needs ", shape.teams, " teams, more than one launch can have");
  if (scratch_bytes > ExecutionTraits<ExecutionSpace>::scratch_bytes)
    raise<NotSupported>(label, "needs ", scratch_bytes, " bytes of scratch a team, this backend has ",
                        ExecutionTraits<ExecutionSpace>::scratch_bytes);
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<MaxThreads, (MaxThreads > 0 ? 1 : 0)>>;
  Policy policy(exec, static_cast<int>(shape.teams), team_threads<ExecutionSpace>(shape.threads), 1);
  if (scratch_bytes > 0) policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
  Kokkos::parallel_for(label, policy, TeamKernel<ExecutionSpace, Body>{body});
}

}  // namespace lacuna::Impl

#endif

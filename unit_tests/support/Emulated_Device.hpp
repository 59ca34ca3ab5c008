// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_EMULATED_DEVICE_HPP
#define LACUNA_TEST_EMULATED_DEVICE_HPP

#include <backends/Lacuna_Launch.hpp>

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

/// \file
/// \brief A device with warps that a host runs: every thread of a team is a fibre, lane operations and barriers
/// are where fibres wait for each other. So kernels for warps are tested where there is no GPU. `launch_teams`
/// starts bodies on an `EmulatedDevice` like on any execution space.

namespace lacuna::Test {

/// The threads of one team, which take turns.
class Fibres {
 public:
  static constexpr std::size_t stack_bytes = 128 * 1024;

  /// Runs body() as thread 0 … threads - 1, one team after the other.
  template <class Body>
  static void run(int threads, int lane_width, std::size_t scratch_bytes, const Body& body) {
    Fibres team(threads, lane_width, scratch_bytes);
    s_running   = &team;
    team.m_call = [](const void* what) { (*static_cast<const Body*>(what))(); };
    team.m_body = &body;
    while (team.m_left > 0) {
      const std::int64_t before = team.m_steps;
      for (team.m_now = 0; team.m_now < threads; ++team.m_now) team.resume();
      if (team.m_steps == before) {
        std::cerr << "lacuna: threads of a team wait for others that never come\n";
        std::abort();
      }
    }
    s_running = nullptr;
  }

  static Fibres& running() { return *s_running; }

  int thread() const { return m_now; }
  int threads() const { return static_cast<int>(m_states.size()); }
  char* scratch() { return m_scratch.data(); }

  void team_barrier() { wait(m_team, threads()); }
  void warp_barrier() { wait(m_groups[static_cast<std::size_t>(m_now / m_width)], m_width); }

  /// The values that all lanes of the group give, each of up to 16 bytes.
  template <class T>
  T exchange(const T& value, int source_lane) {
    static_assert(sizeof(T) <= sizeof(Slot));
    const int first = m_now / m_width * m_width;
    std::memcpy(&m_slots[static_cast<std::size_t>(m_now)], &value, sizeof(T));
    warp_barrier();
    T result;
    std::memcpy(&result, &m_slots[static_cast<std::size_t>(first + source_lane)], sizeof(T));
    warp_barrier();
    return result;
  }
  std::uint64_t ballot(bool predicate) {
    const int first                         = m_now / m_width * m_width;
    m_says[static_cast<std::size_t>(m_now)] = predicate;
    warp_barrier();
    std::uint64_t mask = 0;
    for (int lane = 0; lane < m_width; ++lane)
      if (m_says[static_cast<std::size_t>(first + lane)]) mask |= std::uint64_t{1} << lane;
    warp_barrier();
    return mask;
  }
  int lane() const { return m_now % m_width; }

 private:
  using Slot = std::array<char, 16>;
  struct State {
    bool started = false, done = false;
    char* stack = nullptr;
    jmp_buf place;
  };
  struct Barrier {
    int arrived = 0, generation = 0;
  };

  Fibres(int threads, int lane_width, std::size_t scratch_bytes)
      : m_width(lane_width),
        m_left(threads),
        m_states(static_cast<std::size_t>(threads)),
        m_groups(static_cast<std::size_t>(threads / lane_width)),
        m_slots(static_cast<std::size_t>(threads)),
        m_says(static_cast<std::size_t>(threads)),
        m_scratch(scratch_bytes + 64, '\x7f') {}

  /// Lets thread `m_now` go on until it waits or ends. The first time its stack is made; later it is only jumped to,
  /// which needs no system call.
  void resume() {
    State& state = m_states[static_cast<std::size_t>(m_now)];
    if (state.done) return;
    if (_setjmp(m_scheduler) != 0) return;
    if (state.started) _longjmp(state.place, 1);
    state.started = true;
    if (state.stack == nullptr) state.stack = stack_of(m_now);
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp   = state.stack;
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link          = nullptr;
    makecontext(&context, &Fibres::enter, 0);
    setcontext(&context);
  }

  static void enter() {
    Fibres& team = *s_running;
    team.m_call(team.m_body);
    team.m_states[static_cast<std::size_t>(team.m_now)].done = true;
    --team.m_left;
    ++team.m_steps;
    _longjmp(team.m_scheduler, 1);
  }

  /// Stacks serve one team after the other.
  static char* stack_of(int thread) {
    static std::vector<std::unique_ptr<char[]>> stacks;
    while (static_cast<int>(stacks.size()) <= thread) stacks.emplace_back(new char[stack_bytes]);
    return stacks[static_cast<std::size_t>(thread)].get();
  }

  void wait(Barrier& barrier, int size) {
    ++m_steps;
    const int generation = barrier.generation;
    if (++barrier.arrived == size) {
      barrier.arrived = 0;
      ++barrier.generation;
      return;
    }
    while (barrier.generation == generation)
      if (_setjmp(m_states[static_cast<std::size_t>(m_now)].place) == 0) _longjmp(m_scheduler, 1);
  }

  static inline Fibres* s_running = nullptr;

  int m_width, m_left, m_now = 0;
  std::int64_t m_steps        = 0;
  void (*m_call)(const void*) = nullptr;
  const void* m_body          = nullptr;
  jmp_buf m_scheduler;
  std::vector<State> m_states;
  Barrier m_team;
  std::vector<Barrier> m_groups;
  std::vector<Slot> m_slots;
  std::vector<char> m_says;
  std::vector<char> m_scratch;
};

/// Lane operations among fibres.
template <int width_of_group>
struct EmulatedLanes : Impl::HostLanes {
  using Mask = std::uint64_t;

  template <class T>
  static T from(T value, int source, bool exists) {
    const T other = Fibres::running().exchange(value, exists ? source : lane());
    return exists ? other : value;
  }
  template <class T>
  static T shuffle_down(T value, int delta, int width) {
    return from(value, lane() + delta, lane() % width + delta < width);
  }
  template <class T>
  static T minimum(T value, int width) {
    for (int delta = width / 2; delta > 0; delta /= 2) {
      const T other = from(value, lane() ^ delta, true);
      if (other < value) value = other;
    }
    return value;
  }
  template <class T>
  static T shuffle_up(T value, int delta, int width) {
    return from(value, lane() - delta, lane() % width >= delta);
  }
  template <class T>
  static T shuffle(T value, int source, int width) {
    return from(value, lane() / width * width + source % width, true);
  }
  static Mask ballot(bool predicate) { return Fibres::running().ballot(predicate); }
  static bool any(bool predicate) { return ballot(predicate) != 0; }
  static int highest(Mask mask) { return 63 - __builtin_clzll(mask); }
  static int count(bool predicate) { return std::popcount(ballot(predicate)); }
  static int first(bool predicate) {
    const Mask mask = ballot(predicate);
    return mask == 0 ? -1 : __builtin_ctzll(mask);
  }
  static void barrier() { Fibres::running().warp_barrier(); }

 private:
  static int lane() { return Fibres::running().lane(); }
};

/// An execution space as far as kernels that the backend starts itself need one.
template <int lane_width>
struct EmulatedDevice {
  using memory_space = Kokkos::HostSpace;
  static const char* name() { return "EmulatedDevice"; }
  int concurrency() const { return 16 * lane_width; }
};

class EmulatedMember {
 public:
  explicit EmulatedMember(int rank, int size) : m_rank(rank), m_size(size) {}
  int league_rank() const { return m_rank; }
  int league_size() const { return m_size; }
  int team_rank() const { return Fibres::running().thread(); }
  int team_size() const { return Fibres::running().threads(); }
  void team_barrier() const { Fibres::running().team_barrier(); }

  class Scratch {
   public:
    void* get_shmem_aligned(std::size_t bytes, std::size_t alignment) const {
      char* const base        = Fibres::running().scratch();
      const auto address      = reinterpret_cast<std::uintptr_t>(base) + m_used;
      const std::size_t begin = m_used + (alignment - address % alignment) % alignment;
      m_used                  = begin + bytes;
      return base + begin;
    }

   private:
    mutable std::size_t m_used = 0;
  };
  const Scratch& team_scratch(int) const { return m_scratch; }

 private:
  int m_rank, m_size;
  Scratch m_scratch;
};

}  // namespace lacuna::Test

namespace lacuna {

template <int width>
struct ExecutionTraits<Test::EmulatedDevice<width>> {
  static constexpr bool is_gpu               = true;
  static constexpr int lane_width            = width;
  static constexpr int max_team_size         = 1024;
  static constexpr std::size_t scratch_bytes = 40 * 1024;
  static constexpr int load_bytes            = 16;
  using lanes                                = Test::EmulatedLanes<width>;
};

namespace Impl {

template <int width>
struct DeviceLaunch<Test::EmulatedDevice<width>> {
  using Space                        = Test::EmulatedDevice<width>;
  using Member                       = Test::EmulatedMember;
  static constexpr bool is_possible  = true;
  static constexpr bool starts_early = true;  // it does not, but the kernels for that are tested
  static std::size_t scratch_bytes(const Space&) { return 200 * 1024; }
  static int processors(const Space&) { return 2; }
  static bool has_matrix_engine(const Space&) { return false; }

  template <int MaxThreads, int MinTeams, class Kernel>
  static void start(const Space&, const std::string&, int teams, int threads, std::size_t scratch_bytes,
                    const Kernel& kernel) {
    for (int rank = 0; rank < teams; ++rank)
      Test::Fibres::run(threads, width, scratch_bytes, [&] { kernel(Member(rank, teams)); });
  }
};

}  // namespace Impl
}  // namespace lacuna

#endif

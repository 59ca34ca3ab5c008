// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BRICKSTREAM_HPP
#define LACUNA_BRICKSTREAM_HPP

#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_BrickRing.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_BrickSchedule.hpp>

#include <cstdint>

/// \file
/// \brief The steps that a warp multiplies, one after the other without a break between segments.
///
/// Three positions move along the stream, each ahead of the next: what is *asked* for (column lists and patterns, and
/// the segment behind), what is *filled* (rows of B and values, whose addresses those lists give), and the *current*
/// step, which is multiplied. So the copies of a segment's first steps are under way while the last ones of the segment
/// before are multiplied: a group need not drain its ring at the end of each segment.

namespace lacuna::Impl {

/// Shared by the warps of a team. The rings lie behind it, so its size keeps the rows of stages at multiples of 32
/// bytes: a copy of a sector to any other address takes two requests to the second-level cache.
/// Evidence: kernels/spmm/tuning.md.
struct alignas(128) BrickSharedState {
  int next;        ///< segment that no group has taken yet
  int begin;       ///< first segment of the team
  int count;       ///< its segments, each of which it does for every one of its tiles
  int total;       ///< times its tiles
  int first_tile;  ///< of columns
};

/// Columns of C that a warp works on.
struct BrickColumnRange {
  std::int64_t first;
  int count;
};

template <class Team, class Kernel>
class BrickStream {
 public:
  using Ring    = typename Kernel::Ring;
  using Shape   = typename Kernel::Shape;
  using Segment = typename Kernel::Segment;
  using lanes   = typename Team::lanes;
  using stages  = typename Team::stages;

  static constexpr int ahead = Ring::ahead;

  KOKKOS_FORCEINLINE_FUNCTION BrickStream(const Team& team, const Kernel& kernel, BrickSharedState& shared,
                                          const Ring& ring)
      : m_team(team), m_kernel(kernel), m_shared(shared), m_ring(ring), m_filler(kernel.bricks, ring, team.lane()) {}

  /// Asks for the first segments and lists; false where there is no segment for this group. Longest segments come
  /// first: who has the longest of the first round gets the shortest of the second, further ones go to who asks for
  /// them.
  KOKKOS_FORCEINLINE_FUNCTION bool start() {
    const int first = m_team.warp(), second = 2 * m_team.warps() - 1 - first;
    if (first >= m_shared.total) return false;
    if (m_kernel.columns % Shape::columns != 0) m_filler.clear_stages();
    accept(first);
    if (second < m_shared.total) accept(second);
    m_is_last_known = second >= m_shared.total;
    wait_for_all();
    ask_from(current());
    m_taken_at = -2 * ahead;
    for (int i = 0; i < ahead; ++i) ask(-2 * ahead);
    wait_for_all();
    return true;
  }

  /// Starts to fill the stage at byte `stage` with the next step, or with nothing behind the last one and for a segment
  /// without steps. Every lane of the group has passed a barrier since the stage and the step before were last read.
  KOKKOS_FORCEINLINE_FUNCTION void fill(int iteration, int stage) {
    if (m_listed == 0) begin_list(iteration);
    if (m_listed == 0) return;
    --m_listed;
    m_filler.fill(stage);
  }

  /// The segment that is multiplied.
  KOKKOS_FORCEINLINE_FUNCTION const Segment& current() const { return m_ring.segment(slot_of(m_current)); }
  KOKKOS_FORCEINLINE_FUNCTION BrickColumnRange current_columns() const { return columns_of(m_current); }
  /// Goes on to the next one, where there is one.
  KOKKOS_FORCEINLINE_FUNCTION bool advance() { return ++m_current < m_known; }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static int slot_of(int number) { return number % Ring::segments; }

  KOKKOS_FORCEINLINE_FUNCTION void wait_for_all() const {
    stages::commit();
    stages::template wait<0>();
    m_team.warp_barrier();
  }

  /// Segment `index` of the team's is the group's next one.
  KOKKOS_FORCEINLINE_FUNCTION void accept(int index) {
    const int slot = slot_of(m_known++);
    int tile       = m_shared.first_tile;
    for (; index >= m_shared.count; index -= m_shared.count) tile += m_kernel.tile_runs;
    if (m_team.lane() == 0) m_ring.tile(slot) = tile;
    m_filler.request_segment(m_kernel.segment + m_shared.begin + index, slot);
  }

  /// Takes a segment that nobody has.
  KOKKOS_FORCEINLINE_FUNCTION void take(int iteration) {
    if (m_is_last_known) return;
    int index = 0;
    if (m_team.lane() == 0) index = Kokkos::atomic_fetch_add(&m_shared.next, 1);
    index           = lanes::shuffle(index, 0, Team::lane_width);
    m_is_last_known = index >= m_shared.total;
    m_taken_at      = iteration;
    if (!m_is_last_known) accept(index);
  }

  KOKKOS_FORCEINLINE_FUNCTION BrickColumnRange columns_of(int number) const {
    const std::int64_t first =
        m_kernel.first_column + static_cast<std::int64_t>(m_ring.tile(slot_of(number))) * Shape::columns;
    const std::int64_t left = m_kernel.first_column + m_kernel.columns - first;
    return {first, left < Shape::columns ? static_cast<int>(left) : Shape::columns};
  }

  /// Goes to the next list, of this segment or the next one. The position of the one before is free now for the
  /// one that comes `ahead` later; it will have come by then, as at most one list is begun an iteration.
  KOKKOS_FORCEINLINE_FUNCTION void begin_list(int iteration) {
    int position = 0;
    if (m_left == 0) {
      if (m_filled + 1 >= m_known) return;
      const Segment& segment = m_ring.segment(slot_of(++m_filled));
      const auto columns     = columns_of(m_filled);
      m_filler.begin(segment, m_kernel.arguments.B, columns.first, columns.count);
      m_left   = static_cast<int>(segment.steps);
      position = static_cast<int>(segment.first_step % Ring::list_steps);
    }
    m_list = m_list + 1 == Ring::lists ? 0 : m_list + 1;
    m_filler.begin_list(m_list, position);
    m_listed = m_left < Ring::list_steps - position ? m_left : Ring::list_steps - position;
    m_left -= m_listed;
    ask(iteration);
  }

  /// Asks for the next list; at the first one of a segment also for the segment behind that.
  KOKKOS_FORCEINLINE_FUNCTION void ask(int iteration) {
    m_ask_slot = m_ask_slot + 1 == Ring::lists ? 0 : m_ask_slot + 1;
    if (m_ask_list > m_ask_last) {
      if (m_asked + 1 >= m_known) take(iteration);
      if (m_asked + 1 >= m_known) return;
      if (iteration - m_taken_at < ahead) wait_for_all();
      ask_from(m_ring.segment(slot_of(++m_asked)));
      if (m_asked + 1 >= m_known && m_asked + 1 < m_current + Ring::segments) take(iteration);
    }
    m_filler.request_list(m_ask_list++, m_ask_slot);
  }

  KOKKOS_FORCEINLINE_FUNCTION void ask_from(const Segment& segment) {
    const int steps = segment.steps > 0 ? static_cast<int>(segment.steps) : 1;
    m_ask_list      = static_cast<int>(segment.first_step / Ring::list_steps);
    m_ask_last = m_ask_list + (static_cast<int>(segment.first_step % Ring::list_steps) + steps - 1) / Ring::list_steps;
  }

  const Team& m_team;
  const Kernel& m_kernel;
  BrickSharedState& m_shared;
  Ring m_ring;
  BrickFiller<Team, typename Kernel::Arrays, Shape> m_filler;

  // Segments are numbered in the order in which the group does them.
  int m_known          = 0;      ///< segments that the group has taken
  bool m_is_last_known = false;  ///< there are no more
  int m_taken_at       = 0;      ///< the iteration in which the last one was
  int m_asked          = 0;      ///< segment whose lists are asked for,
  int m_ask_list       = 0;      ///< the next of them: 128 bytes or more, so an int counts them
  int m_ask_last       = 0;      ///< and the last one
  int m_ask_slot       = -1;     ///< where the last one that was asked for goes
  int m_filled         = -1;     ///< segment whose steps are filled
  int m_left           = 0;      ///< steps of it behind the list
  int m_list           = -1;     ///< which is there,
  int m_listed         = 0;      ///< and has that many steps left
  int m_current        = 0;      ///< segment whose steps are multiplied
};

}  // namespace lacuna::Impl

#endif

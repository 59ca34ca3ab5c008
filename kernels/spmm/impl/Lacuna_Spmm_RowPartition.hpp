// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_ROWPARTITION_HPP
#define LACUNA_SPMM_ROWPARTITION_HPP

#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_Arguments.hpp>
#include <kernels/spmm/tuning/Lacuna_Spmm_Tuning.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief What a plan keeps of uneven rows: a list of segments, each a row or a piece of a long one, sorted by length
/// within windows so that neighbouring lane sets end together, and the memory where pieces of a row meet.

namespace lacuna::Impl {

/// The nonzeros [begin, end) of a row. `slot` is the place of its partial sums, -1 where it is the whole row.
template <class Ordinal, class Offset>
struct alignas(16) SpmmSegment {
  Offset begin;
  Offset end;
  Ordinal row;
  int slot;
};

/// The slots of the row that a slot belongs to, and the number of that row among the cut ones.
struct SpmmMeeting {
  int first;
  int count;
  int row;
};

/// How rows are cut: those longer than `limit` into pieces of about `piece` nonzeros.
struct SpmmCut {
  std::int64_t limit;
  std::int64_t piece;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t pieces(std::int64_t length) const {
    if (length <= limit) return 1;
    const std::int64_t count = (length + piece - 1) / piece;
    return count < SpmmTuning::most_pieces ? count : SpmmTuning::most_pieces;
  }
};

/// `parts`: lanes that stand along the nonzeros of a row.
inline SpmmCut spmm_cut(double mean, std::int64_t columns, int parts) {
  const std::int64_t piece =
      std::max(SpmmTuning::cut(columns) * parts, round_up(static_cast<std::int64_t>(SpmmTuning::cut_means * mean), 4));
  return {piece + piece / 2, piece};
}

struct SpmmRowStatistics {
  static constexpr int group_choices = 6;  ///< 1, 2, 4, 8, 16, 32 neighbouring rows

  std::int64_t longest                   = 0;
  std::int64_t segments                  = 0;
  std::int64_t slots                     = 0;
  std::int64_t cut_rows                  = 0;
  std::int64_t group_span[group_choices] = {};  ///< sum over groups of 2^i rows of 2^i times their longest

  KOKKOS_INLINE_FUNCTION void join(const SpmmRowStatistics& other) {
    if (other.longest > longest) longest = other.longest;
    segments += other.segments;
    slots += other.slots;
    cut_rows += other.cut_rows;
    for (int i = 0; i < group_choices; ++i) group_span[i] += other.group_span[i];
  }
  /// Steps that lane sets of `rows` rows side by side take, over those with work.
  double unevenness(int rows, std::int64_t nonzeros) const {
    int i = 0;
    while (i + 1 < group_choices && (2 << i) <= rows) ++i;
    return nonzeros > 0 ? static_cast<double>(group_span[i]) / static_cast<double>(nonzeros) : 1.0;
  }
};

/// 32 neighbouring rows an index.
template <class Arrays>
struct SpmmRowStatisticsPass {
  using value_type = SpmmRowStatistics;
  Arrays A;
  SpmmCut cut;

  KOKKOS_FUNCTION void init(value_type& facts) const { facts = value_type(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.join(from); }

  KOKKOS_FUNCTION void operator()(const std::int64_t group, value_type& facts) const {
    std::int64_t longest[SpmmRowStatistics::group_choices] = {};
    for (int place = 0; place < 32; ++place) {
      const std::int64_t row = group * 32 + place;
      if (row < static_cast<std::int64_t>(A.rows)) {
        const std::int64_t length = static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]);
        const std::int64_t pieces = cut.pieces(length);
        facts.segments += pieces;
        if (pieces > 1) facts.slots += pieces, ++facts.cut_rows;
        for (std::int64_t& most : longest)
          if (length > most) most = length;
        if (length > facts.longest) facts.longest = length;
      }
      for (int i = 0; i < SpmmRowStatistics::group_choices; ++i) {
        if ((place + 1) % (1 << i) != 0) continue;
        facts.group_span[i] += longest[i] << i;
        longest[i] = 0;
      }
    }
  }
};

/// Fences: the result comes to the host.
template <class ExecutionSpace, class Arrays>
SpmmRowStatistics spmm_row_statistics(const ExecutionSpace& exec, const Arrays& A, const SpmmCut& cut) {
  SpmmRowStatistics facts;
  if (A.rows == 0) return facts;
  Kokkos::parallel_reduce("Lacuna::spmm::row_statistics",
                          IndexRange<ExecutionSpace>(exec, 0, (static_cast<std::int64_t>(A.rows) + 31) / 32),
                          SpmmRowStatisticsPass<Arrays>{A, cut}, facts);
  exec.fence("Lacuna::spmm: row statistics to the host");
  return facts;
}

/// Segments in the order of rows. Pieces of a row start at multiples of 4 nonzeros, so that all but the first and the
/// last are whole packs.
template <class Arrays>
struct FillSpmmSegments {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  struct value_type {
    std::int64_t segments, slots, cut_rows;
  };
  Arrays A;
  SpmmCut cut;
  SpmmSegment<Ordinal, Offset>* segments;
  SpmmMeeting* meetings;

  KOKKOS_FUNCTION void init(value_type& count) const { count = {0, 0, 0}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.segments += from.segments;
    into.slots += from.slots;
    into.cut_rows += from.cut_rows;
  }
  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& count, const bool final) const {
    const Offset begin = A.row_map[row], end = A.row_map[row + 1];
    const std::int64_t length = static_cast<std::int64_t>(end - begin);
    const std::int64_t pieces = cut.pieces(length);
    if (final) {
      Offset from = begin;
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        const auto after = static_cast<Offset>(begin + static_cast<Offset>((piece + 1) * length / pieces));
        const Offset to  = piece + 1 == pieces ? end : static_cast<Offset>(after / 4 * 4);
        const int slot   = pieces > 1 ? static_cast<int>(count.slots + piece) : -1;
        segments[count.segments + piece] = {from, to, static_cast<Ordinal>(row), slot};
        if (slot >= 0)
          meetings[slot] = {static_cast<int>(count.slots), static_cast<int>(pieces), static_cast<int>(count.cut_rows)};
        from = to;
      }
    }
    count.segments += pieces;
    if (pieces > 1) count.slots += pieces, ++count.cut_rows;
  }
};

/// Sorts every window by length, longest first. The order of equally long segments is left to chance: it decides which
/// lanes work on a segment, never what they compute.
template <class Segment>
struct SortSpmmSegments {
  static constexpr int bins = 64;

  std::int64_t count;
  const Segment* from;
  Segment* to;

  KOKKOS_FORCEINLINE_FUNCTION static int bin_of(const Segment& segment) {
    const auto length         = static_cast<std::int64_t>(segment.end - segment.begin);
    const std::int64_t coarse = length < 32 ? length : 32 + (length - 32) / 8;
    return bins - 1 - static_cast<int>(coarse < bins ? coarse : bins - 1);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    int* next                = team.template scratch<int>(bins);
    const std::int64_t begin = static_cast<std::int64_t>(team.league_rank()) * SpmmTuning::sort_window;
    const std::int64_t end   = begin + SpmmTuning::sort_window < count ? begin + SpmmTuning::sort_window : count;
    for (int i = team.thread(); i < bins; i += team.threads()) next[i] = 0;
    team.barrier();
    for (std::int64_t i = begin + team.thread(); i < end; i += team.threads())
      Kokkos::atomic_add(&next[bin_of(from[i])], 1);
    team.barrier();
    if (team.thread() == 0) {
      int sum = 0;
      for (int i = 0; i < bins; ++i) {
        const int size = next[i];
        next[i]        = sum;
        sum += size;
      }
    }
    team.barrier();
    for (std::int64_t i = begin + team.thread(); i < end; i += team.threads()) {
      const Segment segment                                           = from[i];
      to[begin + Kokkos::atomic_fetch_add(&next[bin_of(segment)], 1)] = segment;
    }
  }
};

/// Columns of the workspace of `columns` columns of C: lanes at the ends of tiles have places of their own.
inline std::int64_t spmm_partial_width(std::int64_t columns) { return columns + columns / 32 + 16; }

/// Pointers into a partition, as the kernel takes them. A default object stands for whole rows in their own order.
template <class Arrays>
struct SpmmSegments {
  using Arithmetic = typename ArithmeticOf<typename Arrays::Scalar>::type;

  const SpmmSegment<typename Arrays::Ordinal, typename Arrays::Offset>* segments = nullptr;
  std::int64_t count                                                             = 0;
  const SpmmMeeting* meetings                                                    = nullptr;
  Arithmetic* partial                                                            = nullptr;
  int* arrived                                                                   = nullptr;
  std::int64_t width                                                             = 0;
  std::int64_t columns = 0;  ///< that the memory of partial sums serves at once; 0: any number
};

/// What a plan keeps for row_split.
template <class Arrays, class MemorySpace>
struct SpmmRowPartition {
  using Segment    = SpmmSegment<typename Arrays::Ordinal, typename Arrays::Offset>;
  using Arithmetic = typename SpmmSegments<Arrays>::Arithmetic;

  Kokkos::View<Segment*, MemorySpace> segments;
  Kokkos::View<SpmmMeeting*, MemorySpace> meetings;
  Kokkos::View<Arithmetic*, MemorySpace> partial;
  Kokkos::View<int*, MemorySpace> arrived;
  std::int64_t columns = 0;  ///< that the workspace serves at once

  std::size_t bytes() const { return bytes_of(segments, meetings, partial, arrived); }
  bool cuts_rows() const { return meetings.extent(0) > 0; }
  SpmmSegments<Arrays> pointers() const {
    return {segments.data(), static_cast<std::int64_t>(segments.extent(0)),
            meetings.data(), partial.data(),
            arrived.data(),  spmm_partial_width(columns),
            columns};
  }
};

/// Bytes that `make_spmm_row_partition` allocates at once.
template <class Arrays>
std::size_t spmm_row_partition_bytes(const SpmmRowStatistics& facts, std::int64_t columns) {
  using Partition  = SpmmRowPartition<Arrays, Kokkos::HostSpace>;
  const auto width = static_cast<std::size_t>(spmm_partial_width(columns));
  return 2 * static_cast<std::size_t>(facts.segments) * sizeof(typename Partition::Segment) +
         static_cast<std::size_t>(facts.slots) *
             (sizeof(SpmmMeeting) + width * sizeof(typename Partition::Arithmetic)) +
         static_cast<std::size_t>(facts.cut_rows) * width * sizeof(int);
}

/// \param facts made with the same `cut`
/// \throws OutOfMemory, NotSupported where slots outnumber `int`.
template <class ExecutionSpace, class Arrays>
auto make_spmm_row_partition(const ExecutionSpace& exec, const Arrays& A, const SpmmCut& cut,
                             const SpmmRowStatistics& facts, std::int64_t columns) {
  using Partition      = SpmmRowPartition<Arrays, typename ExecutionSpace::memory_space>;
  using Segments       = decltype(Partition::segments);
  constexpr auto where = "SpmmPlan";
  if (facts.slots > std::numeric_limits<int>::max())
    raise<NotSupported>(where, facts.slots, " pieces of long rows, at most 2147483647 are supported");
  Partition partition;
  partition.columns        = round_up(std::max<std::int64_t>(columns, 1), 16);
  const std::int64_t width = spmm_partial_width(partition.columns);
  partition.segments       = allocate<Segments>(where, exec, "Lacuna::spmm::segments", facts.segments);
  partition.meetings       = allocate<decltype(partition.meetings)>(where, exec, "Lacuna::spmm::meetings", facts.slots);
  partition.partial        = allocate<decltype(partition.partial)>(where, exec, "Lacuna::spmm::partial",
                                                            checked_product(where, facts.slots, width));
  partition.arrived        = allocate<decltype(partition.arrived)>(where, exec, "Lacuna::spmm::arrived",
                                                            checked_product(where, facts.cut_rows, width));
  Kokkos::deep_copy(exec, partition.arrived, 0);
  const auto in_order = allocate<Segments>(where, exec, "Lacuna::spmm::segments_in_order", facts.segments);
  Kokkos::parallel_scan("Lacuna::spmm::fill_segments",
                        IndexRange<ExecutionSpace>(exec, 0, static_cast<std::int64_t>(A.rows)),
                        FillSpmmSegments<Arrays>{A, cut, in_order.data(), partition.meetings.data()});
  launch_teams(
      exec, "Lacuna::spmm::sort_segments",
      {(facts.segments + SpmmTuning::sort_window - 1) / SpmmTuning::sort_window, 256},
      sizeof(int) * SortSpmmSegments<typename Partition::Segment>::bins + 64,
      SortSpmmSegments<typename Partition::Segment>{facts.segments, in_order.data(), partition.segments.data()});
  return partition;
}

}  // namespace lacuna::Impl

#endif

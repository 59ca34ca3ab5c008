// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BRICKSCHEDULE_HPP
#define LACUNA_BRICKSCHEDULE_HPP

#include <Lacuna_BrickMatrix.hpp>
#include <Lacuna_Options.hpp>
#include <backends/Lacuna_Launch.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_SpmmBrickPolicy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief The schedule of the SpMM kernel on bricks: which panel segments each team takes.
///
/// A panel segment is a panel, or where that has many steps a part of it. The segments are cut, in the order of their
/// steps, into shares of equal work; a team takes consecutive shares, its warps take segments from a counter.
/// Where each group does a few segments only, those of a share stand longest first, so that all groups end at about the
/// same time.

namespace lacuna::Impl {

/// Bricks as the kernel sees them: raw arrays, so that one instantiation serves every View.
template <class ScalarType, class OrdinalType, class OffsetType>
struct BrickArrays {
  using Scalar  = ScalarType;
  using Ordinal = OrdinalType;
  using Offset  = OffsetType;

  Ordinal rows;
  std::int64_t panels;
  std::int64_t steps;
  const Offset* panel_begin;
  const Ordinal* step_columns;
  const std::uint32_t* patterns;
  const Offset* value_begin;
  const Scalar* values;
  const Ordinal* row_list;  // null: panels are consecutive rows
};

template <class Scalar, class Ordinal, class Device, class Offset>
BrickArrays<Scalar, Ordinal, Offset> arrays_of(const BrickMatrix<Scalar, Ordinal, Device, Offset>& bricks) {
  return {bricks.rows,
          bricks.panels(),
          bricks.steps(),
          bricks.panel_begin.data(),
          bricks.step_columns.data(),
          bricks.patterns.data(),
          bricks.value_begin.data(),
          bricks.values.data(),
          bricks.row_list.extent(0) > 0 ? bricks.row_list.data() : nullptr};
}

/// What one warp does at a time.
template <class Ordinal, class Offset>
struct alignas(16) BrickSegment {
  Offset first_step;
  Offset first_value;
  Ordinal panel;
  std::int32_t steps;
  std::int32_t position;       ///< which segment of its panel
  std::int32_t segments;       ///< of the panel: more than 1 where their sums must be added
  std::int64_t first_partial;  ///< where the first of them leaves its sums, counted in panels
};

/// \brief What is made once for a matrix and a number of columns, and serves every product.
///
/// Holds the partial sums of panels that are cut, so one product with it must be complete before the next one begins.
template <class Scalar, class Ordinal, class Offset, class MemorySpace>
struct BrickSchedule {
  using Segment = BrickSegment<Ordinal, Offset>;

  template <class T>
  using Array = typename Arena<MemorySpace>::template Array<T>;

  std::int64_t partial_columns = 0;  ///< row length of the partial sums
  std::int64_t shares          = 0;
  std::int64_t segments        = 0;
  Arena<MemorySpace> arena;  ///< holds the arrays
  Array<Segment> segment;
  Array<std::int64_t> share_begin;  ///< shares + 1: first segment of each
  Array<Scalar> partial;            ///< of all cut panels, panel_rows * partial_columns a segment
  Array<std::int32_t> arrived;      ///< segments that have left their sums, by panel and columns

  std::size_t bytes() const { return arena.bytes(); }
};

template <class Bricks>
struct SegmentsOfPanels {
  const Bricks bricks;
  std::int64_t longest;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t panel) const {
    const auto steps = static_cast<std::int64_t>(bricks.panel_begin[panel + 1] - bricks.panel_begin[panel]);
    return steps <= longest ? 1 : (steps + longest - 1) / longest;
  }
};

/// Sums of the segments of all panels, and of those of panels that are cut, before each panel.
template <class Bricks>
struct ScanSegments {
  SegmentsOfPanels<Bricks> segments;
  std::int64_t* first_segment;
  std::int64_t* first_partial;

  struct value_type {
    std::int64_t segments, cut;
  };
  KOKKOS_FUNCTION void init(value_type& sum) const { sum = {0, 0}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.segments += from.segments;
    into.cut += from.cut;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t panel, value_type& sum, bool final) const {
    if (final) {
      first_segment[panel] = sum.segments;
      first_partial[panel] = sum.cut;
    }
    const std::int64_t count = segments(panel);
    sum.segments += count;
    if (count > 1) sum.cut += count;
  }
};

template <class Bricks>
struct FillSegments {
  using Ordinal = typename Bricks::Ordinal;
  using Offset  = typename Bricks::Offset;
  Bricks bricks;
  SegmentsOfPanels<Bricks> segments;
  const std::int64_t* first_segment;  // null: no panel is cut
  const std::int64_t* first_partial;
  BrickSegment<Ordinal, Offset>* segment;

  KOKKOS_FUNCTION void operator()(std::int64_t panel) const {
    const auto begin            = static_cast<std::int64_t>(bricks.panel_begin[panel]);
    const auto end              = static_cast<std::int64_t>(bricks.panel_begin[panel + 1]);
    const std::int64_t count    = first_segment != nullptr ? segments(panel) : 1;
    const std::int64_t position = first_segment != nullptr ? first_segment[panel] : panel;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t first = begin + (end - begin) * i / count;
      const std::int64_t last  = begin + (end - begin) * (i + 1) / count;
      auto& result             = segment[position + i];
      result.first_step        = static_cast<Offset>(first);
      result.first_value       = bricks.steps > 0 ? bricks.value_begin[first] : Offset(0);
      result.panel             = static_cast<Ordinal>(panel);
      result.steps             = static_cast<std::int32_t>(last - first);
      result.position          = static_cast<std::int32_t>(i);
      result.segments          = static_cast<std::int32_t>(count);
      result.first_partial     = count > 1 ? first_partial[panel] : 0;
    }
  }
};

/// Share s begins at the first segment before which there is s / shares of all work.
template <class Segment>
struct FillShares {
  const Segment* segment;
  std::int64_t segments;
  std::int64_t steps;
  std::int64_t shares;
  std::int64_t* share_begin;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    const std::int64_t overhead = SpmmBrickPolicy::segment_overhead;
    const double wanted =
        static_cast<double>(steps + overhead * segments) * static_cast<double>(share) / static_cast<double>(shares);
    std::int64_t low = 0, high = share < shares ? segments : 0;
    if (share == shares) low = segments;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (static_cast<double>(static_cast<std::int64_t>(segment[middle].first_step) + overhead * middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    share_begin[share] = low;
  }
};

/// Copies the segments of each share, longest first.
template <class Segment>
struct SortShares {
  const Segment* segment;
  const std::int64_t* share_begin;
  std::int64_t shares;
  Segment* sorted;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t share = 0;
    for (std::int64_t next = shares; next - share > 1;) {
      const std::int64_t middle                 = share + (next - share) / 2;
      (share_begin[middle] <= i ? share : next) = middle;
    }
    const std::int64_t begin = share_begin[share], end = share_begin[share + 1];
    std::int64_t before = 0;
    for (std::int64_t j = begin; j < end; ++j)
      if (segment[j].steps > segment[i].steps || (segment[j].steps == segment[i].steps && j < i)) ++before;
    sorted[begin + before] = segment[i];
  }
};

/// \brief Lists the segments of `bricks`. A product may have any number of columns; where panels are cut and it has
/// more than `columns`, it takes several launches. `longest_segment`: steps of a panel that are not cut, 0 for the
/// tuned number. `longest_panel`: steps of the longest panel, -1 where it is not known. Waits for `exec` where panels
/// may be cut. \throws OutOfMemory where more than `memory_limit` bytes would be allocated.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
auto make_brick_schedule(const ExecutionSpace& exec, const BrickMatrix<Scalar, Ordinal, Device, Offset>& bricks,
                         std::int64_t columns, std::int64_t longest_segment = 0, std::int64_t longest_panel = -1,
                         std::size_t memory_limit = unlimited) {
  using MemorySpace   = typename ExecutionSpace::memory_space;
  using Schedule      = BrickSchedule<Scalar, Ordinal, Offset, MemorySpace>;
  using Tuning        = SpmmBrickPolicy;
  using Arrays        = BrickArrays<Scalar, Ordinal, Offset>;
  using Segment       = typename Schedule::Segment;
  using Workspace     = Arena<MemorySpace>;
  const Arrays arrays = arrays_of(bricks);
  Schedule schedule;
  schedule.partial_columns =
      round_up(std::max<std::int64_t>(1, columns), Tuning::Wide::bytes / static_cast<std::int64_t>(sizeof(Scalar)));
  if (arrays.panels == 0) return schedule;

  if (longest_segment <= 0) {
    const std::int64_t tiles =
        schedule.partial_columns * static_cast<std::int64_t>(sizeof(Scalar)) / Tuning::Wide::bytes;
    const std::int64_t wanted =
        processors(exec) * Tuning::Wide::groups(bricks.brick_rows()) * Tuning::segments_per_group;
    longest_segment = std::clamp(arrays.steps * tiles / wanted, Tuning::shortest_segment, Tuning::longest_segment);
  }
  const SegmentsOfPanels<Arrays> segments{arrays, longest_segment};
  const std::int64_t* first_segment = nullptr;
  const std::int64_t* first_partial = nullptr;
  Workspace temporary;
  std::int64_t cut  = 0;
  schedule.segments = arrays.panels;
  if (longest_panel < 0 || longest_panel > longest_segment) {
    const std::size_t workspace_bytes =
        Workspace::template bytes_for<std::int64_t, std::int64_t>(arrays.panels, arrays.panels);
    check_memory("spmm", workspace_bytes, memory_limit);
    temporary = Workspace("spmm", exec, "Lacuna::spmm::first_segments", workspace_bytes);
    const ScanSegments<Arrays> scan{segments, temporary.template take<std::int64_t>(arrays.panels).data(),
                                    temporary.template take<std::int64_t>(arrays.panels).data()};
    typename ScanSegments<Arrays>::value_type total{0, 0};
    Kokkos::parallel_scan("Lacuna::spmm::count_segments", index_range(exec, arrays.panels), scan, total);
    schedule.segments = total.segments;
    cut               = total.cut;
    if (cut > 0) {
      first_segment = scan.first_segment;
      first_partial = scan.first_partial;
    }
  }
  // A host's threads take several shares each, for balance; on a GPU the warps of a team balance its share.
  schedule.shares             = processors(exec) * (ExecutionTraits<ExecutionSpace>::is_gpu ? 1 : 8);
  const std::int64_t partial  = checked_product("spmm", cut * bricks.panel_rows, schedule.partial_columns);
  const std::int64_t counters = cut * (schedule.partial_columns / 16);
  const bool is_sorted =
      ExecutionTraits<ExecutionSpace>::is_gpu && schedule.segments <= schedule.shares * Tuning::most_sorted_segments;
  const std::size_t kept = Workspace::template bytes_for<Segment, std::int64_t, Scalar, std::int32_t>(
      schedule.segments, schedule.shares + 1, partial, counters);
  const std::size_t in_order_bytes = is_sorted ? Workspace::template bytes_for<Segment>(schedule.segments) : 0;
  check_memory("spmm", temporary.bytes() + kept + in_order_bytes, memory_limit);
  schedule.arena       = Workspace("spmm", exec, "Lacuna::spmm::schedule", kept);
  schedule.segment     = schedule.arena.template take<Segment>(schedule.segments);
  schedule.share_begin = schedule.arena.template take<std::int64_t>(schedule.shares + 1);
  schedule.partial     = schedule.arena.template take<Scalar>(partial);
  schedule.arrived     = schedule.arena.template take<std::int32_t>(counters);
  if (counters > 0) Kokkos::deep_copy(exec, schedule.arrived, 0);
  Workspace in_order;
  if (is_sorted) in_order = Workspace("spmm", exec, "Lacuna::spmm::segments_in_order", in_order_bytes);
  Segment* segment = is_sorted ? in_order.template take<Segment>(schedule.segments).data() : schedule.segment.data();
  for_each_index(exec, "Lacuna::spmm::list_segments", arrays.panels,
                 FillSegments<Arrays>{arrays, segments, first_segment, first_partial, segment});
  for_each_index(
      exec, "Lacuna::spmm::cut_shares", schedule.shares + 1,
      FillShares<Segment>{segment, schedule.segments, arrays.steps, schedule.shares, schedule.share_begin.data()});
  if (is_sorted)
    for_each_index(exec, "Lacuna::spmm::sort_shares", schedule.segments,
                   SortShares<Segment>{segment, schedule.share_begin.data(), schedule.shares, schedule.segment.data()});
  return schedule;
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HRPBSCHEDULE_HPP
#define LACUNA_HRPBSCHEDULE_HPP

#include <Lacuna_HrpbMatrix.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_HrpbBalance.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief The segments of row panels that teams of SpMM on HRPB work on.

namespace lacuna::Impl {

/// What one team does for a tile of columns: blocks of a row panel.
template <class Offset>
struct alignas(16) HrpbSegment {
  std::int64_t panel;
  std::int64_t first_partial;  ///< where the first segment of the panel leaves its sums, counted in panels
  Offset first_block;
  std::int32_t blocks;
  std::int32_t position;  ///< which segment of its panel
  std::int32_t segments;  ///< of the panel: more than 1 where their sums must be added
};

/// How the sums of a panel that was cut come together: by atomic additions to C, or, in the same order on every run, by
/// the segment that is done last.
enum class HrpbReduction { atomics, last_arriver };

/// \brief What is made once for a matrix and a number of columns, and serves every product.
///
/// Holds partial sums where the reduction is `last_arriver`: one product with it must be complete before the next
/// begins.
template <class Scalar, class Offset, class MemorySpace>
struct HrpbSchedule {
  HrpbBalance balance;
  HrpbReduction reduction      = HrpbReduction::atomics;
  std::int64_t segments        = 0;
  std::int64_t cut_panels      = 0;
  std::int64_t partial_columns = 0;                         ///< row length of the partial sums
  Kokkos::View<HrpbSegment<Offset>*, MemorySpace> segment;  ///< empty: every panel is one segment
  Kokkos::View<std::int64_t*, MemorySpace> cut_panel;       ///< those that are more
  Kokkos::View<Scalar*, MemorySpace> partial;               ///< TM * partial_columns for each segment of cut panels
  Kokkos::View<std::int32_t*, MemorySpace> arrived;  ///< segments that have left their sums, by panel and 32 columns

  std::size_t bytes() const { return bytes_of(segment, cut_panel, partial, arrived); }
};

template <class Offset>
struct HrpbSegmentsOfPanel {
  const Offset* blocked_row_ptr;
  HrpbBalance balance;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t panel) const {
    return balance.pieces(static_cast<std::int64_t>(blocked_row_ptr[panel + 1] - blocked_row_ptr[panel]));
  }
};

template <class Offset>
struct HrpbCutSegments {
  HrpbSegmentsOfPanel<Offset> segments;
  bool of_panels;  ///< count panels that are cut, not their segments
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t panel) const {
    const std::int64_t count = segments(panel);
    return count == 1 ? 0 : of_panels ? 1 : count;
  }
};

template <class Offset>
struct FillHrpbSegments {
  HrpbSegmentsOfPanel<Offset> segments;
  const std::int64_t* first_segment;
  const std::int64_t* first_partial;
  const std::int64_t* first_cut;
  HrpbSegment<Offset>* segment;
  std::int64_t* cut_panel;
  KOKKOS_FUNCTION void operator()(std::int64_t panel) const {
    const auto begin         = static_cast<std::int64_t>(segments.blocked_row_ptr[panel]);
    const auto end           = static_cast<std::int64_t>(segments.blocked_row_ptr[panel + 1]);
    const std::int64_t count = segments(panel);
    if (count > 1) cut_panel[first_cut[panel]] = panel;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t first = begin + (end - begin) * i / count;
      const std::int64_t last  = begin + (end - begin) * (i + 1) / count;
      auto& to                 = segment[first_segment[panel] + i];
      to.panel                 = panel;
      to.first_partial         = first_partial[panel];
      to.first_block           = static_cast<Offset>(first);
      to.blocks                = static_cast<std::int32_t>(last - first);
      to.position              = static_cast<std::int32_t>(i);
      to.segments              = static_cast<std::int32_t>(count);
    }
  }
};

/// \brief Cuts the row panels of `hrpb` by `balance`. Products may have any number of columns; where sums are added by
/// the last arriver and there are more than `columns`, they take several launches. Waits for `exec` once, three times
/// where a panel is cut. \throws OutOfMemory, also where more than `memory_limit` bytes would be allocated.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
auto make_hrpb_schedule(const ExecutionSpace& exec, const HrpbMatrix<Scalar, Ordinal, Device, Offset>& hrpb,
                        std::int64_t columns, HrpbReduction reduction, const HrpbBalance& balance,
                        std::size_t memory_limit = unlimited) {
  using MemorySpace       = typename ExecutionSpace::memory_space;
  using Indices           = Kokkos::View<std::int64_t*, MemorySpace>;
  using Schedule          = HrpbSchedule<Scalar, Offset, MemorySpace>;
  constexpr auto function = "spmm";
  const auto panels       = hrpb.panels();
  Schedule schedule;
  schedule.balance         = balance;
  schedule.reduction       = reduction;
  schedule.segments        = panels;
  schedule.partial_columns = round_up(columns > 0 ? columns : 1, 32);
  if (panels == 0) return schedule;
  const HrpbSegmentsOfPanel<Offset> segments{hrpb.blockedRowPtr.data(), balance};
  const std::size_t numbers = static_cast<std::size_t>(panels + 1) * sizeof(std::int64_t);
  check_memory(function, numbers, memory_limit);
  const auto first_segment = allocate<Indices>(function, exec, "Lacuna::spmm::first_segment", panels + 1);
  schedule.segments        = scan_lengths(exec, "Lacuna::spmm::count_segments", panels, first_segment.data(), segments);
  if (schedule.segments == panels) return schedule;
  check_memory(function, 3 * numbers, memory_limit);
  const auto first_partial = allocate<Indices>(function, exec, "Lacuna::spmm::first_partial", panels + 1);
  const auto first_cut     = allocate<Indices>(function, exec, "Lacuna::spmm::first_cut", panels + 1);
  const auto partials      = scan_lengths(exec, "Lacuna::spmm::count_cut_segments", panels, first_partial.data(),
                                          HrpbCutSegments<Offset>{segments, false});
  schedule.cut_panels      = scan_lengths(exec, "Lacuna::spmm::count_cut_panels", panels, first_cut.data(),
                                          HrpbCutSegments<Offset>{segments, true});
  const bool keeps_sums    = reduction == HrpbReduction::last_arriver;
  const std::int64_t sums =
      keeps_sums ? checked_product(function, checked_product(function, partials, hrpb.TM), schedule.partial_columns)
                 : 0;
  const std::int64_t counters = keeps_sums ? checked_product(function, partials, schedule.partial_columns / 32) : 0;
  check_memory(function,
               3 * numbers + static_cast<std::size_t>(schedule.segments) * sizeof(HrpbSegment<Offset>) +
                   static_cast<std::size_t>(schedule.cut_panels) * sizeof(std::int64_t) +
                   static_cast<std::size_t>(sums) * sizeof(Scalar) +
                   static_cast<std::size_t>(counters) * sizeof(std::int32_t),
               memory_limit);
  schedule.segment = allocate<decltype(schedule.segment)>(function, exec, "Lacuna::spmm::segments", schedule.segments);
  schedule.cut_panel =
      allocate<decltype(schedule.cut_panel)>(function, exec, "Lacuna::spmm::cut_panels", schedule.cut_panels);
  for_each_index(exec, "Lacuna::spmm::list_segments", panels,
                 FillHrpbSegments<Offset>{segments, first_segment.data(), first_partial.data(), first_cut.data(),
                                          schedule.segment.data(), schedule.cut_panel.data()});
  if (keeps_sums) {
    schedule.partial = allocate<decltype(schedule.partial)>(function, exec, "Lacuna::spmm::partial", sums);
    schedule.arrived = allocate<decltype(schedule.arrived)>(function, exec, "Lacuna::spmm::arrived", counters);
    Kokkos::deep_copy(exec, schedule.arrived, 0);
  }
  return schedule;
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PANELNUMBERS_HPP
#define LACUNA_PANELNUMBERS_HPP

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <formats/impl/panels/Lacuna_PanelMerge.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief For every nonzero the number of its column among the active ones of its panel.

namespace lacuna::Impl {

/// Writes down the number of every nonzero's column, and the active columns of every segment.
struct NumberColumns : PanelVisitor {
  template <int Own, int Width>
  struct State {
    static constexpr int own = Own;
    std::int64_t begin[Own]  = {};
  };

  std::uint32_t* numbers;
  std::uint32_t* columns_of_segment;

  template <class State, class Range>
  KOKKOS_FORCEINLINE_FUNCTION void row(State& state, int i, const Range& range) const {
    state.begin[i] = range.begin;
  }
  template <class lanes, class State, class Window>
  KOKKOS_FORCEINLINE_FUNCTION void window(State& state, int, const Window& window) const {
    for (int i = 0; i < State::own; ++i) {
      std::int64_t nonzero = state.begin[i] + window.before[i];
      for (std::uint32_t left = window.own[i]; left != 0; left &= left - 1) {
        const std::uint32_t lower = (left & (~left + 1)) - 1;
        numbers[nonzero++]        = window.columns + static_cast<std::uint32_t>(count_bits(window.all & lower));
      }
    }
  }
  template <class lanes, class State>
  KOKKOS_FORCEINLINE_FUNCTION void finish(State&, int lane, std::int64_t segment, std::uint32_t columns) const {
    if (lane == 0 && segment >= 0) columns_of_segment[segment] = columns;
  }
};

/// Steps of `width` active columns that a panel needs.
struct StepsOfPanel {
  const std::int64_t* segment_begin;
  const std::uint32_t* columns_of_segment;
  int width;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t panel) const {
    std::int64_t columns = 0;
    for (std::int64_t segment = segment_begin[panel]; segment < segment_begin[panel + 1]; ++segment)
      columns += columns_of_segment[segment];
    return (columns + width - 1) / width;
  }
};

/// Adds the columns of the segments before it to the numbers of a segment: a thread a row of the panel.
template <class Ordinal, class Offset>
struct ShiftNumbers {
  PanelSegments<Ordinal, Offset> segments;
  const std::uint32_t* columns_of_segment;
  std::uint32_t* numbers;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t number = i / segments.rows.height;
    const auto segment        = segments.find(number);
    if (segment.number == 0) return;
    std::uint32_t before = 0;
    for (std::int64_t other = number - segment.number; other < number; ++other) before += columns_of_segment[other];
    const auto range = segments.range(segment, static_cast<int>(i % segments.rows.height));
    for (std::int64_t k = range.begin; k < range.end; ++k) numbers[k] += before;
  }
};

/// The columns of every nonzero, numbered within its panel.
template <class Device, class Ordinal, class Offset>
struct NumberedPanels {
  Kokkos::View<std::uint32_t*, Device> numbers;   ///< of the column of each nonzero among those of its panel
  Kokkos::View<Ordinal*, Device> sorted_entries;  ///< columns, where rows had to be sorted
  Kokkos::View<Offset*, Device> sorted_source;    ///< where those come from
  Kokkos::View<Offset*, Device> panel_begin;      ///< panels + 1, in steps
  std::int64_t steps = 0;
};

/// Numbers the active columns of every panel and counts steps of `width` of them. Rows that are not sorted are sorted
/// in a copy. The height is one of `Heights`. `kept` are the bytes that the caller has allocated by now.
/// Waits for `exec` once, a few times more where rows are not sorted. \throws OutOfMemory, NotSupported.
template <int... Heights, class ExecutionSpace, CrsMatrixType Matrix>
auto number_panels(const char* function, const ExecutionSpace& exec, const Matrix& A,
                   const PanelRows<typename Matrix::non_const_ordinal_type>& rows, int width, std::size_t kept,
                   std::size_t memory_limit) {
  using Device        = typename Matrix::device_type;
  using Ordinal       = typename Matrix::non_const_ordinal_type;
  using Offset        = typename Matrix::non_const_size_type;
  using Numbers       = Kokkos::View<std::uint32_t*, Device>;
  using Workspace     = Arena<Device>;
  const auto label    = std::string("Lacuna::") + function;
  const auto crs      = arrays_of(A);
  const auto nonzeros = static_cast<std::int64_t>(crs.nonzeros);
  const auto most     = most_segments(rows.panels, nonzeros);
  const auto workspace_bytes =
      Workspace::template bytes_for<std::int64_t, std::uint32_t, Counter>(rows.panels + 1, most, 1);
  const auto temporary = static_cast<std::size_t>(nonzeros) * sizeof(std::uint32_t) + workspace_bytes;
  check_memory(function, kept + temporary, memory_limit);
  check_panel_size(function, exec, crs, rows.height);
  NumberedPanels<Device, Ordinal, Offset> result;
  result.panel_begin = allocate<decltype(result.panel_begin)>(function, exec, label + "::panel_begin", rows.panels + 1);
  if (rows.panels == 0 || nonzeros == 0) {
    Kokkos::deep_copy(exec, result.panel_begin, Offset(0));
    return result;
  }
  result.numbers = allocate<Numbers>(function, exec, label + "::numbers", nonzeros);
  Workspace arena(function, exec, label + "::segments", workspace_bytes);
  const auto segment_begin      = arena.template take<std::int64_t>(rows.panels + 1);
  const auto columns_of_segment = arena.template take<std::uint32_t>(most);
  const auto unsorted           = arena.template take<Counter>(1);
  Kokkos::deep_copy(exec, unsorted, Counter{0});
  list_segments(label + "::segment_begin", exec, rows, crs.row_map, segment_begin.data());
  PanelSegments<Ordinal, Offset> segments{rows, crs.row_map, crs.entries, segment_begin.data()};

  for (int attempt = 0;; ++attempt) {
    merge_panels<Heights...>(label + "::merge", exec, segments, most, unsorted.data(),
                             NumberColumns{{}, result.numbers.data(), columns_of_segment.data()});
    // These two are on the host once the scan has waited for its sum.
    Counter is_unsorted       = 0;
    std::int64_t last_segment = 0;
    Kokkos::deep_copy(exec, Kokkos::View<Counter*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&is_unsorted, 1),
                      unsorted);
    Kokkos::deep_copy(exec, Kokkos::View<std::int64_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&last_segment),
                      Kokkos::subview(segment_begin, rows.panels));
    result.steps = scan_lengths(exec, label + "::panel_begin", rows.panels, result.panel_begin.data(),
                                StepsOfPanel{segment_begin.data(), columns_of_segment.data(), width});
    if (is_unsorted == 0) {
      if (last_segment > rows.panels)
        for_each_index(exec, label + "::shift_numbers", last_segment * rows.height,
                       ShiftNumbers<Ordinal, Offset>{segments, columns_of_segment.data(), result.numbers.data()});
      return result;
    }
    if (attempt > 0) raise<InvalidMatrix>(function, "rows cannot be sorted, is the matrix valid?");
    using Order = Reorder<Matrix>;
    check_memory(function, kept + temporary + Order::template order_bytes<ExecutionSpace>(crs), memory_limit);
    result.sorted_source = Order::order_of_sorted_rows(function, exec, A);
    result.sorted_entries =
        Order::template gathered<decltype(result.sorted_entries)>(function, exec, crs.entries, result.sorted_source);
    segments.entries = result.sorted_entries.data();
    Kokkos::deep_copy(exec, unsorted, Counter{0});
  }
}

}  // namespace lacuna::Impl

#endif

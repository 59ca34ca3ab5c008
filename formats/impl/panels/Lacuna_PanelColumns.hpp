// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PANELCOLUMNS_HPP
#define LACUNA_PANELCOLUMNS_HPP

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <formats/impl/panels/Lacuna_PanelMerge.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief The active columns of all panels, counted: what bricks would be made is known from them, and making them
/// begins with them.

namespace lacuna::Impl {

/// Counts active columns of segments, and bricks that are lower than a panel. A brick is counted by the first lane of
/// its rows, once its 4 columns are through.
template <int Height, int BrickHeight>
struct CountColumns : PanelVisitor {
  static constexpr bool counts_bricks = BrickHeight < Height;

  template <int Own, int Width>
  struct State {
    static constexpr int own   = Own;
    static constexpr int width = Width;
    bool touched[Own]          = {};
    int filled                 = 0;  ///< columns of the bricks that are open
    Counter bricks             = 0;
  };

  std::uint32_t* columns_of_segment;
  Counter* bricks;

  template <class lanes, class State, class Window>
  KOKKOS_FORCEINLINE_FUNCTION void window(State& state, int lane, const Window& window) const {
    if constexpr (counts_bricks) {
      std::uint32_t rest = window.all;
      while (lanes::any(rest != 0)) {
        for (; rest != 0 && state.filled < 4; ++state.filled) {
          const std::uint32_t bit = rest & (~rest + 1);
          rest ^= bit;
          for (int i = 0; i < State::own; ++i) state.touched[i] = state.touched[i] || (window.own[i] & bit) != 0;
        }
        close_bricks<lanes>(state, lane, state.filled == 4);
      }
    }
  }
  template <class lanes, class State>
  KOKKOS_FORCEINLINE_FUNCTION void finish(State& state, int lane, std::int64_t segment, std::uint32_t columns) const {
    if (lane == 0 && segment >= 0) columns_of_segment[segment] = columns;
    if constexpr (counts_bricks) {
      close_bricks<lanes>(state, lane, true);
      if (state.bricks > 0) Kokkos::atomic_add(bricks, state.bricks);
    }
  }

 private:
  /// All threads of the warp take part, those whose bricks are not full too.
  template <class lanes, class State>
  KOKKOS_FORCEINLINE_FUNCTION void close_bricks(State& state, int lane, bool full) const {
    if constexpr (State::own == 1) {
      constexpr int width = BrickHeight < State::width ? BrickHeight : State::width;
      int any             = state.touched[0] ? 1 : 0;
      for (int delta = width / 2; delta > 0; delta /= 2) any |= lanes::shuffle(any, lane % width ^ delta, width);
      if (!full) return;
      if (lane % width == 0) state.bricks += static_cast<Counter>(any);
      state.touched[0] = false;
    } else {
      if (!full) return;
      for (int first = 0; first < State::own; first += BrickHeight) {
        bool any = false;
        for (int i = first; i < first + BrickHeight; ++i) {
          any              = any || state.touched[i];
          state.touched[i] = false;
        }
        if (any) ++state.bricks;
      }
    }
    state.filled = 0;
  }
};

/// What comes to the host of all panels: sums, and the longest.
struct PanelTotals {
  static constexpr int step_width  = 8;
  static constexpr int brick_width = 4;
  static constexpr int block_width = 16;

  std::int64_t columns       = 0;  ///< active ones
  std::int64_t steps         = 0;  ///< of 8 of them
  std::int64_t brick_columns = 0;  ///< groups of 4
  std::int64_t blocks        = 0;  ///< of 16
  std::int64_t nonzeros      = 0;
  std::int64_t segments      = 0;
  std::int64_t longest_panel = 0;  ///< in active columns
  Counter bricks             = 0;  ///< that are lower than a panel
  Counter unsorted           = 0;  ///< 1 where a row is not sorted

  std::int64_t longest_panel_steps() const { return (longest_panel + step_width - 1) / step_width; }
};

/// Sums over panels: fills `panel_begin` with the first step of each, and `value_begin`, where it is not null, with the
/// nonzeros of those before it (panels + 1 each).
template <class Ordinal, class Offset>
struct ScanPanels {
  PanelRows<Ordinal> rows;
  const Offset* row_map;
  const std::int64_t* segment_begin;
  const std::uint32_t* columns_of_segment;
  const Counter* counters;  ///< bricks, unsorted
  Offset* panel_begin;
  Offset* value_begin;

  using value_type = PanelTotals;
  KOKKOS_FUNCTION void init(value_type& sum) const { sum = {}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.columns += from.columns;
    into.steps += from.steps;
    into.brick_columns += from.brick_columns;
    into.blocks += from.blocks;
    into.nonzeros += from.nonzeros;
    into.segments += from.segments;
    into.longest_panel = from.longest_panel > into.longest_panel ? from.longest_panel : into.longest_panel;
    into.bricks += from.bricks;
    into.unsorted += from.unsorted;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t panel, value_type& sum, bool final) const {
    if (final) {
      panel_begin[panel] = static_cast<Offset>(sum.steps);
      if (value_begin != nullptr) value_begin[panel] = static_cast<Offset>(sum.nonzeros);
    }
    if (panel == rows.panels) {
      sum.bricks += counters[0];
      sum.unsorted += counters[1];
      return;
    }
    std::int64_t columns = 0;
    for (std::int64_t segment = segment_begin[panel]; segment < segment_begin[panel + 1]; ++segment)
      columns += columns_of_segment[segment];
    sum.columns += columns;
    sum.steps += (columns + PanelTotals::step_width - 1) / PanelTotals::step_width;
    sum.brick_columns += (columns + PanelTotals::brick_width - 1) / PanelTotals::brick_width;
    sum.blocks += (columns + PanelTotals::block_width - 1) / PanelTotals::block_width;
    sum.segments += segment_begin[panel + 1] - segment_begin[panel];
    if (columns > sum.longest_panel) sum.longest_panel = columns;
    if (value_begin == nullptr) return;
    for (int i = 0; i < rows.height; ++i) {
      const std::int64_t row = rows.row(panel, i);
      if (row >= 0) sum.nonzeros += static_cast<std::int64_t>(row_map[row + 1] - row_map[row]);
    }
  }
};

/// The active columns of all panels, on the device; the totals on the host.
template <class DeviceType, class Ordinal, class Offset>
struct PanelColumns {
  using Device = DeviceType;

  int height              = 0;        ///< rows of a panel; 0: nothing has been counted
  const Ordinal* row_list = nullptr;  ///< whose panels were counted; null: consecutive rows
  PanelTotals totals;
  Arena<Device> arena;                                ///< holds the arrays without a name of their own
  const std::int64_t* segment_begin       = nullptr;  ///< panels + 1
  const std::uint32_t* columns_of_segment = nullptr;
  const Offset* panel_begin               = nullptr;  ///< panels + 1, in steps
  const Offset* value_begin               = nullptr;  ///< panels + 1; null where panels are consecutive rows
  Kokkos::View<Ordinal*, Device> sorted_entries;      ///< columns, where rows had to be sorted
  Kokkos::View<Offset*, Device> sorted_source;        ///< where those come from

  std::size_t bytes() const { return arena.bytes() + bytes_of(sorted_entries, sorted_source); }
};

template <CrsMatrixType Matrix>
using PanelColumnsOf = PanelColumns<typename Matrix::device_type, typename Matrix::non_const_ordinal_type,
                                    typename Matrix::non_const_size_type>;

/// Counts the active columns of panels of `Height` (8, 16, 32) rows, and those of its bricks of `BrickHeight` rows that
/// hold a nonzero. Rows that are not sorted are sorted in a copy. `kept` are the bytes that the caller has allocated
/// by now. One pass over the columns; waits for `exec` once, a few times more where rows are not sorted.
/// \throws OutOfMemory, NotSupported.
template <int Height, int BrickHeight = Height, ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
PanelColumnsOf<Matrix> count_panel_columns(const char* function, const ExecutionSpace& exec, const Matrix& A,
                                           const PanelRows<typename Matrix::non_const_ordinal_type>& rows,
                                           std::size_t kept, std::size_t memory_limit) {
  static_assert(Height % BrickHeight == 0 && BrickHeight >= 8);
  using Columns       = PanelColumnsOf<Matrix>;
  using Ordinal       = typename Matrix::non_const_ordinal_type;
  using Offset        = typename Matrix::non_const_size_type;
  using Workspace     = Arena<typename Columns::Device>;
  const auto label    = std::string("Lacuna::") + function;
  const auto crs      = arrays_of(A);
  const auto nonzeros = static_cast<std::int64_t>(crs.nonzeros);
  const bool listed   = rows.row_list != nullptr;
  Columns result;
  result.height   = Height;
  result.row_list = rows.row_list;
  if (nonzeros == 0 || rows.panels == 0) return result;
  const std::int64_t most = most_segments(rows.panels, nonzeros);
  const std::int64_t ends = rows.panels + 1;
  const std::size_t workspace_bytes =
      Workspace::template bytes_for<std::int64_t, std::uint32_t, Offset, Offset, Counter>(ends, most, ends,
                                                                                          listed ? ends : 0, 2);
  check_memory(function, kept + workspace_bytes, memory_limit);
  check_panel_size(function, exec, crs, Height);
  result.arena                  = Workspace(function, exec, label + "::panels", workspace_bytes);
  const auto segment_begin      = result.arena.template take<std::int64_t>(ends).data();
  const auto columns_of_segment = result.arena.template take<std::uint32_t>(most).data();
  const auto panel_begin        = result.arena.template take<Offset>(ends).data();
  const auto value_begin        = result.arena.template take<Offset>(listed ? ends : 0).data();
  const auto counters           = result.arena.template take<Counter>(2);
  result.segment_begin          = segment_begin;
  result.columns_of_segment     = columns_of_segment;
  result.panel_begin            = panel_begin;
  result.value_begin            = value_begin;
  list_segments(label + "::segment_begin", exec, rows, crs.row_map, segment_begin);
  PanelSegments<Ordinal, Offset> segments{rows, crs.row_map, crs.entries, segment_begin};
  for (;;) {
    Kokkos::deep_copy(exec, counters, Counter{0});
    merge_segments<Height>(label + "::merge", exec, segments, most, counters.data() + 1,
                           CountColumns<Height, BrickHeight>{{}, columns_of_segment, counters.data()});
    Kokkos::parallel_scan(label + "::sum", index_range(exec, ends),
                          ScanPanels<Ordinal, Offset>{rows, crs.row_map, segment_begin, columns_of_segment,
                                                      counters.data(), panel_begin, value_begin},
                          result.totals);
    if (result.totals.unsorted == 0) return result;
    if (result.sorted_entries.extent(0) > 0)
      raise<InvalidMatrix>(function, "rows cannot be sorted, is the matrix valid?");
    using Order = Reorder<Matrix>;
    check_memory(function, kept + workspace_bytes + Order::template order_bytes<ExecutionSpace>(crs), memory_limit);
    result.sorted_source = Order::order_of_sorted_rows(function, exec, A);
    result.sorted_entries =
        Order::template gathered<decltype(result.sorted_entries)>(function, exec, crs.entries, result.sorted_source);
    segments.entries = result.sorted_entries.data();
  }
}

}  // namespace lacuna::Impl

#endif

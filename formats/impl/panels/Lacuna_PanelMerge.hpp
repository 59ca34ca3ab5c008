// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PANELMERGE_HPP
#define LACUNA_PANELMERGE_HPP

#include <Lacuna_ExecutionTraits.hpp>
#include <Lacuna_Transpose.hpp>
#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

/// \file
/// \brief The active columns of panels of rows, by merging sorted rows: a lane a row on a GPU, one thread a panel on a
/// host. A panel with a long row is cut by column into several *panel segments*, each merged by itself.
///
/// Columns are merged 32 at a time: each row sets the bits of its columns in a window that begins at the least column
/// left, and the bits of all rows are joined. Where columns come in runs, as in meshes, a window is a run.

namespace lacuna::Impl {

/// Which rows the panels are made of.
template <class Ordinal>
struct PanelRows {
  std::int64_t rows;
  std::int64_t panels;
  int height;                  ///< rows of a panel
  const Ordinal* row_list;     ///< panels * height rows, -1 for none; nullptr: consecutive rows
  const Ordinal* position_of;  ///< the inverse of `row_list`

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row(std::int64_t panel, int i) const {
    const std::int64_t position = panel * height + i;
    if (row_list != nullptr) return static_cast<std::int64_t>(row_list[position]);
    return position < rows ? position : -1;
  }
  /// panel * height + row in the panel.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t position(std::int64_t row) const {
    return position_of != nullptr ? static_cast<std::int64_t>(position_of[row]) : row;
  }
};

/// Nonzeros of the longest row of a panel that one segment takes.
inline constexpr std::int64_t segment_length = 512;

template <class Ordinal, class Offset>
struct SegmentsOfPanel {
  PanelRows<Ordinal> rows;
  const Offset* row_map;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t panel) const {
    std::int64_t longest = 1;
    for (int i = 0; i < rows.height; ++i) {
      const std::int64_t row = rows.row(panel, i);
      if (row < 0) continue;
      const auto length = static_cast<std::int64_t>(row_map[row + 1] - row_map[row]);
      if (length > longest) longest = length;
    }
    return (longest + segment_length - 1) / segment_length;
  }
};

/// Where the rows of a panel begin and end in one of its segments.
template <class Ordinal, class Offset>
struct PanelSegments {
  PanelRows<Ordinal> rows;
  const Offset* row_map;
  const Ordinal* entries;
  const std::int64_t* segment_begin;  ///< panels + 1

  struct Segment {
    std::int64_t panel;
    std::int64_t number;  ///< among those of the panel
    std::int64_t of;      ///< segments of the panel
    std::int64_t longest_begin;
  };

  /// `segment` is below segment_begin[panels].
  KOKKOS_INLINE_FUNCTION Segment find(std::int64_t segment) const {
    Segment found{segment, 0, 1, 0};
    const bool one_each = segment < rows.panels && segment_begin[segment] == segment;
    if (!one_each) found.panel = upper_bound(segment_begin, 0, rows.panels + 1, segment) - 1;
    found.number = segment - segment_begin[found.panel];
    found.of     = segment_begin[found.panel + 1] - segment_begin[found.panel];
    if (found.of == 1) return found;
    std::int64_t longest = 0;
    for (int i = 0; i < rows.height; ++i) {
      const std::int64_t row = rows.row(found.panel, i);
      if (row < 0) continue;
      const auto length = static_cast<std::int64_t>(row_map[row + 1] - row_map[row]);
      if (length <= longest) continue;
      longest             = length;
      found.longest_begin = static_cast<std::int64_t>(row_map[row]);
    }
    return found;
  }

  /// Nonzeros of a row.
  struct Range {
    std::int64_t row_begin;
    std::int64_t begin, end;
    bool sorted;  ///< false where the parts of a row that is not sorted overlap
  };

  /// The nonzeros of row i of the panel that belong to the segment; with `runs_on` those of the segments behind it too.
  KOKKOS_INLINE_FUNCTION Range range(const Segment& segment, int i, bool runs_on = false) const {
    const std::int64_t row = rows.row(segment.panel, i);
    if (row < 0) return {0, 0, 0, true};
    const auto row_begin = static_cast<std::int64_t>(row_map[row]);
    const auto row_end   = static_cast<std::int64_t>(row_map[row + 1]);
    Range found{row_begin, cut(segment, segment.number, row_begin, row_end), row_end, true};
    if (!runs_on) found.end = cut(segment, segment.number + 1, row_begin, row_end);
    if (found.begin <= found.end) return found;
    found.end    = found.begin;
    found.sorted = false;
    return found;
  }

 private:
  KOKKOS_INLINE_FUNCTION std::int64_t cut(const Segment& segment, std::int64_t number, std::int64_t row_begin,
                                          std::int64_t row_end) const {
    if (number == 0) return row_begin;
    if (number == segment.of) return row_end;
    return lower_bound(entries, row_begin, row_end, entries[segment.longest_begin + number * segment_length]);
  }
};

/// What visitors of `MergeSegments` do not have to say.
struct PanelVisitor {
  /// Whether a segment goes on behind its end, until the visitor is done.
  static constexpr bool runs_on = false;
  /// Teams of 128 threads that a processor should hold at once, see `launch_teams`.
  static constexpr int least_teams = 8;

  /// Before the first column of a segment; false: there is nothing to do.
  template <class State, class Segment>
  KOKKOS_FORCEINLINE_FUNCTION bool begin(State&, int /*lane*/, std::int64_t /*number*/, const Segment&) const {
    return true;
  }
  /// Row i of the thread, and its nonzeros.
  template <class State, class Range>
  KOKKOS_FORCEINLINE_FUNCTION void row(State&, int /*i*/, const Range&) const {}
  template <class State>
  KOKKOS_FORCEINLINE_FUNCTION bool done(const State&) const {
    return false;
  }
};

/// Some columns of a segment, as a lane sees them: bit j is column `base` + j. The columns are numbered from `columns`
/// on.
template <class Ordinal, int Own>
struct MergeWindow {
  Ordinal base;
  std::uint32_t all;          ///< of some row
  std::uint32_t columns;      ///< of the segment before the window
  std::uint32_t own[Own];     ///< of each row of the thread
  std::uint32_t before[Own];  ///< nonzeros of the row, of the segment, before the window
};

/// Merges the rows of every segment. The visitor is given the columns in windows, and in the end their number:
/// `window(state, lane, window)`, `finish(state, lane, segment, columns)`. Both are called by all threads of a
/// warp together, whether their segment has any columns left or not.
template <int Height, class Ordinal, class Offset, class Visitor>
struct MergeSegments {
  PanelSegments<Ordinal, Offset> segments;
  Counter* unsorted;  ///< set to 1 where a row is not sorted; null: all are
  Visitor visitor;

  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  template <class ExecutionSpace>
  static constexpr int lanes_of_segment =
      ExecutionTraits<ExecutionSpace>::lane_width < Height ? ExecutionTraits<ExecutionSpace>::lane_width : Height;

  /// What is left of a row: the next two columns are in registers.
  struct Row {
    const Ordinal* columns = nullptr;
    std::uint32_t at       = 0;
    std::uint32_t end      = 0;
    Ordinal head           = none;
    Ordinal next           = none;

    KOKKOS_FORCEINLINE_FUNCTION void load() {
      head = at < end ? columns[at] : none;
      next = at + 1 < end ? columns[at + 1] : none;
    }
    KOKKOS_FORCEINLINE_FUNCTION void advance() {
      ++at;
      head = next;
      next = at + 1 < end ? columns[at + 1] : none;
    }
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using lanes         = typename Team::lanes;
    constexpr int width = lanes_of_segment<typename Team::execution_space>;
    constexpr int own   = Height / width;
    const int lane      = team.thread() % width;
    const auto number =
        static_cast<std::int64_t>(team.league_rank()) * (team.threads() / width) + team.thread() / width;
    const bool exists = number < segments.segment_begin[segments.rows.panels];

    typename Visitor::template State<own, width> state;
    Row rows[own];
    bool sorted = true;
    if (exists) {
      const auto segment = segments.find(number);
      if (visitor.begin(state, lane, number, segment))
        for (int i = 0; i < own; ++i) {
          const auto range = segments.range(segment, lane * own + i, Visitor::runs_on);
          sorted           = range.sorted && sorted;
          rows[i].columns  = segments.entries + range.begin;
          rows[i].end      = static_cast<std::uint32_t>(range.end - range.begin);
          rows[i].load();
          visitor.row(state, i, range);
        }
    }
    MergeWindow<Ordinal, own> window;
    window.columns = 0;
    for (;;) {
      window.base = rows[0].head;
      for (int i = 1; i < own; ++i) window.base = rows[i].head < window.base ? rows[i].head : window.base;
      window.base = least<lanes, width>(window.base, lane);
      if (!lanes::any(window.base != none)) break;
      sorted = fill<lanes, width>(window, rows, lane) && sorted;
      visitor.template window<lanes>(state, lane, window);
      window.columns += static_cast<std::uint32_t>(count_bits(window.all));
      if constexpr (Visitor::runs_on)
        if (visitor.done(state))
          for (int i = 0; i < own; ++i) rows[i].head = none;
    }
    visitor.template finish<lanes>(state, lane, exists ? number : -1, window.columns);
    if (!sorted && unsorted != nullptr) *unsorted = 1;
  }

 private:
  template <class lanes, int width, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T least(T value, int lane) {
    for (int delta = width / 2; delta > 0; delta /= 2) {
      const T other = lanes::shuffle(value, lane ^ delta, width);
      value         = other < value ? other : value;
    }
    return value;
  }

  /// The columns from window.base on, up to the first that a row holds once more; false where a row is not sorted.
  template <class lanes, int width, int own>
  KOKKOS_FORCEINLINE_FUNCTION static bool fill(MergeWindow<Ordinal, own>& window, Row (&rows)[own], int lane) {
    const Ordinal limit = window.base > none - 32 ? none : static_cast<Ordinal>(window.base + 32);
    Ordinal again       = none;
    bool sorted         = true;
    window.all          = 0;
    for (int i = 0; i < own; ++i) {
      Row& row         = rows[i];
      window.before[i] = row.at;
      window.own[i]    = 0;
      while (row.head < limit) {
        const Ordinal column = row.head;
        window.own[i] |= std::uint32_t{1} << static_cast<int>(column - window.base);
        row.advance();
        if (row.head > column) continue;
        if (row.head < column) sorted = false;
        again = column < again ? column : again;
        break;
      }
      window.all |= window.own[i];
    }
    for (int delta = width / 2; delta > 0; delta /= 2) window.all |= lanes::shuffle(window.all, lane ^ delta, width);
    if (!lanes::any(again != none)) return sorted;
    again = least<lanes, width>(again, lane);
    if (again == none) return sorted;
    const std::uint32_t kept = ~std::uint32_t{0} >> (31 - static_cast<int>(again - window.base));
    window.all &= kept;
    for (int i = 0; i < own; ++i) {
      if ((window.own[i] & ~kept) == 0) continue;
      window.own[i] &= kept;
      rows[i].at = window.before[i] + static_cast<std::uint32_t>(count_bits(window.own[i]));
      rows[i].load();
    }
    return sorted;
  }
};

/// Fills `begin` (panels + 1) with the segments of all panels, before anything is known of their columns.
template <class ExecutionSpace, class Ordinal, class Offset>
void list_segments(const std::string& label, const ExecutionSpace& exec, const PanelRows<Ordinal>& rows,
                   const Offset* row_map, std::int64_t* begin) {
  using Length = SegmentsOfPanel<Ordinal, Offset>;
  Kokkos::parallel_scan(label, index_range(exec, rows.panels + 1),
                        LengthScan<std::int64_t, Length>{rows.panels, begin, Length{rows, row_map}});
}

/// Segments there can be: what is launched where their number is not known; those behind the last have nothing to do.
constexpr std::int64_t most_segments(std::int64_t panels, std::int64_t nonzeros) {
  return panels + nonzeros / segment_length;
}

template <int Height, class ExecutionSpace, class Ordinal, class Offset, class Visitor>
void merge_segments(const std::string& label, const ExecutionSpace& exec,
                    const PanelSegments<Ordinal, Offset>& segments, std::int64_t count, Counter* unsorted,
                    const Visitor& visitor) {
  using Merge              = MergeSegments<Height, Ordinal, Offset, Visitor>;
  const int threads        = team_threads<ExecutionSpace>(128);
  const std::int64_t teams = threads / Merge::template lanes_of_segment<ExecutionSpace>;
  launch_teams<128, Visitor::least_teams>(exec, label, {(count + teams - 1) / teams, threads}, 0,
                                          Merge{segments, unsorted, visitor});
}

/// The same for a height that is one of `Heights`.
template <int... Heights, class ExecutionSpace, class Ordinal, class Offset, class Visitor>
void merge_panels(const std::string& label, const ExecutionSpace& exec, const PanelSegments<Ordinal, Offset>& segments,
                  std::int64_t count, Counter* unsorted, const Visitor& visitor) {
  const auto merge_if = [&]<int Height>(std::integral_constant<int, Height>) {
    if (segments.rows.height == Height) merge_segments<Height>(label, exec, segments, count, unsorted, visitor);
  };
  (merge_if(std::integral_constant<int, Heights>{}), ...);
}

/// \throws NotSupported where a panel may have more nonzeros than its columns can be numbered with in 32 bits.
template <class ExecutionSpace, class Arrays>
void check_panel_size(const char* function, const ExecutionSpace& exec, const Arrays& crs, int height) {
  if (static_cast<std::uint64_t>(crs.nonzeros) <= std::numeric_limits<std::uint32_t>::max()) return;
  const auto longest = longest_row(exec, std::string("Lacuna::") + function + "::longest_row", crs.rows, crs.row_map);
  if (longest > std::numeric_limits<std::uint32_t>::max() / height)
    raise<NotSupported>(function, "a row has ", longest, " nonzeros, more than ",
                        std::numeric_limits<std::uint32_t>::max() / height);
}

}  // namespace lacuna::Impl

#endif

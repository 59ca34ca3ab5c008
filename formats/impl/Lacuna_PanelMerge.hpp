// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PANELMERGE_HPP
#define LACUNA_PANELMERGE_HPP

#include <Lacuna_ExecutionTraits.hpp>
#include <Lacuna_Transpose.hpp>
#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

/// \file
/// \brief The active columns of panels of rows, by merging sorted rows: a lane a row on a GPU, one thread a panel on a
/// host. A panel with a long row is cut by column into several *pieces*, each merged by itself.

namespace lacuna::Impl {

/// Which rows the panels are made of.
template <class Ordinal>
struct PanelRows {
  std::int64_t rows;
  std::int64_t panels;
  int height;               ///< rows of a panel
  const Ordinal* row_list;  ///< panels * height rows, -1 for none; nullptr: consecutive rows
  const Ordinal* place_of;  ///< the inverse of `row_list`

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row(std::int64_t panel, int i) const {
    const std::int64_t place = panel * height + i;
    if (row_list != nullptr) return static_cast<std::int64_t>(row_list[place]);
    return place < rows ? place : -1;
  }
  /// panel * height + row in the panel.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t place(std::int64_t row) const {
    return place_of != nullptr ? static_cast<std::int64_t>(place_of[row]) : row;
  }
};

/// Nonzeros of the longest row of a panel that one piece takes.
inline constexpr std::int64_t piece_length = 512;

template <class Ordinal, class Offset>
struct PiecesOfPanel {
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
    return (longest + piece_length - 1) / piece_length;
  }
};

/// Where the rows of a panel begin and end in one of its pieces.
template <class Ordinal, class Offset>
struct PanelPieces {
  PanelRows<Ordinal> rows;
  const Offset* row_map;
  const Ordinal* entries;
  const std::int64_t* piece_begin;  ///< panels + 1

  struct Piece {
    std::int64_t panel;
    std::int64_t number;  ///< among those of the panel
    std::int64_t of;      ///< pieces of the panel
    std::int64_t longest_begin;
  };

  /// `piece` is below piece_begin[panels].
  KOKKOS_INLINE_FUNCTION Piece find(std::int64_t piece) const {
    Piece found{piece, 0, 1, 0};
    const bool one_each = piece < rows.panels && piece_begin[piece] == piece;
    if (!one_each) found.panel = upper_bound(piece_begin, 0, rows.panels + 1, piece) - 1;
    found.number = piece - piece_begin[found.panel];
    found.of     = piece_begin[found.panel + 1] - piece_begin[found.panel];
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

  /// The nonzeros of row i of the panel that belong to the piece; false where rows that are not sorted overlap.
  KOKKOS_INLINE_FUNCTION bool range(const Piece& piece, int i, std::int64_t& begin, std::int64_t& end) const {
    begin                  = 0;
    end                    = 0;
    const std::int64_t row = rows.row(piece.panel, i);
    if (row < 0) return true;
    const auto row_begin = static_cast<std::int64_t>(row_map[row]);
    const auto row_end   = static_cast<std::int64_t>(row_map[row + 1]);
    begin                = cut(piece, piece.number, row_begin, row_end);
    end                  = cut(piece, piece.number + 1, row_begin, row_end);
    if (begin <= end) return true;
    end = begin;
    return false;
  }

 private:
  KOKKOS_INLINE_FUNCTION std::int64_t cut(const Piece& piece, std::int64_t number, std::int64_t row_begin,
                                          std::int64_t row_end) const {
    if (number == 0) return row_begin;
    if (number == piece.of) return row_end;
    return lower_bound(entries, row_begin, row_end, entries[piece.longest_begin + number * piece_length]);
  }
};

/// Merges the rows of every piece. The visitor is given every nonzero with the number of its column among those that
/// are active in the piece: `take(i, nonzero, number)`, i the row of the thread; `column(number)` after each; in the
/// end `finish(piece, columns)`. All three are called by all threads of a lane group together.
template <int Height, class Ordinal, class Offset, class Visitor>
struct MergePieces {
  PanelPieces<Ordinal, Offset> pieces;
  int* unsorted;  ///< set to 1 where a row is not sorted
  Visitor visitor;

  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  template <class ExecutionSpace>
  static constexpr int lanes_of_piece =
      ExecutionTraits<ExecutionSpace>::lane_width < Height ? ExecutionTraits<ExecutionSpace>::lane_width : Height;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using lanes         = typename Team::lanes;
    constexpr int width = lanes_of_piece<typename Team::execution_space>;
    constexpr int own   = Height / width;
    const int lane      = team.thread() % width;
    const auto number =
        static_cast<std::int64_t>(team.league_rank()) * (team.threads() / width) + team.thread() / width;
    const bool exists = number < pieces.piece_begin[pieces.rows.panels];

    std::int64_t at[own], end[own];
    Ordinal head[own], next[own];
    bool sorted = true;
    for (int i = 0; i < own; ++i) at[i] = end[i] = 0;
    if (exists) {
      const auto piece = pieces.find(number);
      for (int i = 0; i < own; ++i) sorted = pieces.range(piece, lane * own + i, at[i], end[i]) && sorted;
    }
    for (int i = 0; i < own; ++i) {
      head[i] = at[i] < end[i] ? pieces.entries[at[i]] : none;
      next[i] = at[i] + 1 < end[i] ? pieces.entries[at[i] + 1] : none;
    }
    typename Visitor::template State<own, width> state;
    std::uint32_t columns = 0;
    for (std::uint32_t step = 0;; ++step) {
      Ordinal least = head[0];
      for (int i = 1; i < own; ++i) least = head[i] < least ? head[i] : least;
      for (int delta = width / 2; delta > 0; delta /= 2) {
        const Ordinal other = lanes::shuffle(least, lane ^ delta, width);
        least               = other < least ? other : least;
      }
      if (!lanes::any(least != none)) break;
      for (int i = 0; i < own; ++i) {
        if (head[i] != least || least == none) continue;
        visitor.take(state, i, at[i], step);
        sorted  = sorted && head[i] <= next[i];
        head[i] = next[i];
        ++at[i];
        next[i] = at[i] + 1 < end[i] ? pieces.entries[at[i] + 1] : none;
      }
      visitor.template column<lanes>(state, lane, step);
      if (least != none) ++columns;
    }
    visitor.template finish<lanes>(state, lane, exists ? number : -1, columns);
    if (!sorted) *unsorted = 1;
  }
};

/// Writes down the number of every nonzero's column, and the active columns of every piece.
struct NumberColumns {
  template <int Own, int Width>
  struct State {};

  std::uint32_t* numbers;
  std::uint32_t* columns_of_piece;

  template <class State>
  KOKKOS_FORCEINLINE_FUNCTION void take(State&, int, std::int64_t nonzero, std::uint32_t number) const {
    numbers[nonzero] = number;
  }
  template <class lanes, class State>
  KOKKOS_FORCEINLINE_FUNCTION void column(State&, int, std::uint32_t) const {}
  template <class lanes, class State>
  KOKKOS_FORCEINLINE_FUNCTION void finish(State&, int lane, std::int64_t piece, std::uint32_t columns) const {
    if (lane == 0 && piece >= 0) columns_of_piece[piece] = columns;
  }
};

/// Steps of `width` active columns that a panel needs.
struct StepsOfPanel {
  const std::int64_t* piece_begin;
  const std::uint32_t* columns_of_piece;
  int width;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t panel) const {
    std::int64_t columns = 0;
    for (std::int64_t piece = piece_begin[panel]; piece < piece_begin[panel + 1]; ++piece)
      columns += columns_of_piece[piece];
    return (columns + width - 1) / width;
  }
};

/// Adds the columns of the pieces before it to the numbers of a piece: a thread a row of the panel.
template <class Ordinal, class Offset>
struct ShiftNumbers {
  PanelPieces<Ordinal, Offset> pieces;
  const std::uint32_t* columns_of_piece;
  std::uint32_t* numbers;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t number = i / pieces.rows.height;
    const auto piece          = pieces.find(number);
    if (piece.number == 0) return;
    std::uint32_t before = 0;
    for (std::int64_t other = number - piece.number; other < number; ++other) before += columns_of_piece[other];
    std::int64_t begin, end;
    pieces.range(piece, static_cast<int>(i % pieces.rows.height), begin, end);
    for (std::int64_t k = begin; k < end; ++k) numbers[k] += before;
  }
};

/// The pieces of all panels, before anything is known of the columns.
template <class Device, class Ordinal, class Offset>
struct PieceList {
  Kokkos::View<std::int64_t*, Device> begin;
  std::int64_t most;  ///< pieces there can be: what is launched; those behind the last have nothing to do

  template <class ExecutionSpace>
  PieceList(const char* function, const ExecutionSpace& exec, const PanelRows<Ordinal>& rows, const Offset* row_map,
            std::int64_t nonzeros)
      : begin(allocate<Kokkos::View<std::int64_t*, Device>>(
            function, exec, std::string("Lacuna::") + function + "::piece_begin", rows.panels + 1)),
        most(bound(rows.panels, nonzeros)) {
    using Length = PiecesOfPanel<Ordinal, Offset>;
    Kokkos::parallel_scan(std::string("Lacuna::") + function + "::piece_begin",
                          IndexRange<ExecutionSpace>(exec, 0, rows.panels + 1),
                          LengthScan<std::int64_t, Length>{rows.panels, begin.data(), Length{rows, row_map}});
  }
  static std::int64_t bound(std::int64_t panels, std::int64_t nonzeros) { return panels + nonzeros / piece_length; }
};

template <int Height, class ExecutionSpace, class Ordinal, class Offset, class Visitor>
void merge_pieces(const std::string& label, const ExecutionSpace& exec, const PanelPieces<Ordinal, Offset>& pieces,
                  std::int64_t most, int* unsorted, const Visitor& visitor) {
  using Merge              = MergePieces<Height, Ordinal, Offset, Visitor>;
  const int threads        = team_threads<ExecutionSpace>(128);
  const std::int64_t teams = threads / Merge::template lanes_of_piece<ExecutionSpace>;
  launch_teams<128>(exec, label, {(most + teams - 1) / teams, threads}, 0, Merge{pieces, unsorted, visitor});
}

/// The same for a height that is one of `Heights`.
template <int... Heights, class ExecutionSpace, class Ordinal, class Offset, class Visitor>
void merge_panels(const std::string& label, const ExecutionSpace& exec, const PanelPieces<Ordinal, Offset>& pieces,
                  std::int64_t most, int* unsorted, const Visitor& visitor) {
  const auto merge_if = [&]<int Height>(std::integral_constant<int, Height>) {
    if (pieces.rows.height == Height) merge_pieces<Height>(label, exec, pieces, most, unsorted, visitor);
  };
  (merge_if(std::integral_constant<int, Heights>{}), ...);
}

/// The columns of every nonzero, numbered within its panel.
template <class Device, class Ordinal, class Offset>
struct NumberedPanels {
  Kokkos::View<std::uint32_t*, Device> numbers;   ///< of the column of each nonzero among those of its panel
  Kokkos::View<Ordinal*, Device> sorted_entries;  ///< columns, where rows had to be sorted
  Kokkos::View<Offset*, Device> sorted_source;    ///< where those come from
  Kokkos::View<Offset*, Device> panel_begin;      ///< panels + 1, in steps
  std::int64_t steps = 0;
};

/// Temporary bytes of `number_panels`, without those of sorting.
template <class Ordinal, class Offset>
std::size_t number_panels_bytes(const PanelRows<Ordinal>& rows, std::int64_t nonzeros) {
  const std::int64_t pieces = PieceList<Kokkos::HostSpace, Ordinal, Offset>::bound(rows.panels, nonzeros);
  return static_cast<std::size_t>(nonzeros + pieces) * sizeof(std::uint32_t) +
         static_cast<std::size_t>(rows.panels + 1) * sizeof(std::int64_t);
}

/// Numbers the active columns of every panel and counts steps of `width` of them. Rows that are not sorted are sorted
/// in a copy. The height is one of `Heights`. `kept` are the bytes that the caller has or will have allocated by now.
/// Waits for `exec` once, a few times more where rows are not sorted. \throws OutOfMemory, NotSupported.
template <int... Heights, class ExecutionSpace, CrsMatrixType Matrix>
auto number_panels(const char* function, const ExecutionSpace& exec, const Matrix& A,
                   const PanelRows<typename Matrix::non_const_ordinal_type>& rows, int width, std::size_t kept,
                   std::size_t memory_limit) {
  using Device         = typename Matrix::device_type;
  using Ordinal        = typename Matrix::non_const_ordinal_type;
  using Offset         = typename Matrix::non_const_size_type;
  using Numbers        = Kokkos::View<std::uint32_t*, Device>;
  const auto label     = std::string("Lacuna::") + function;
  const auto crs       = arrays_of(A);
  const auto nonzeros  = static_cast<std::int64_t>(crs.nonzeros);
  const auto temporary = number_panels_bytes<Ordinal, Offset>(rows, nonzeros);
  check_memory(function, kept + temporary, memory_limit);
  if (nonzeros > std::numeric_limits<std::uint32_t>::max()) {
    const auto longest = longest_row(exec, label + "::longest_row", crs.rows, crs.row_map);
    if (longest > std::numeric_limits<std::uint32_t>::max() / rows.height)
      raise<NotSupported>(function, "a row has ", longest, " nonzeros, more than ",
                          std::numeric_limits<std::uint32_t>::max() / rows.height);
  }
  NumberedPanels<Device, Ordinal, Offset> result;
  result.panel_begin = allocate<decltype(result.panel_begin)>(function, exec, label + "::panel_begin", rows.panels + 1);
  if (rows.panels == 0 || nonzeros == 0) {
    Kokkos::deep_copy(exec, result.panel_begin, Offset(0));
    return result;
  }
  result.numbers = allocate<Numbers>(function, exec, label + "::numbers", nonzeros);
  const PieceList<Device, Ordinal, Offset> list(function, exec, rows, crs.row_map, nonzeros);
  const auto columns_of_piece = allocate<Numbers>(function, exec, label + "::columns_of_piece", list.most);
  const Kokkos::View<int, Device> unsorted(Kokkos::view_alloc(exec, label + "::unsorted"));
  PanelPieces<Ordinal, Offset> pieces{rows, crs.row_map, crs.entries, list.begin.data()};

  for (int attempt = 0;; ++attempt) {
    merge_panels<Heights...>(label + "::merge", exec, pieces, list.most, unsorted.data(),
                             NumberColumns{result.numbers.data(), columns_of_piece.data()});
    // These two come to the host with the one wait of the scan.
    int is_unsorted         = 0;
    std::int64_t last_piece = 0;
    Kokkos::deep_copy(exec, Kokkos::View<int, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&is_unsorted), unsorted);
    Kokkos::deep_copy(exec, Kokkos::View<std::int64_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&last_piece),
                      Kokkos::subview(list.begin, rows.panels));
    result.steps = scan_lengths(exec, label + "::panel_begin", rows.panels, result.panel_begin.data(),
                                StepsOfPanel{list.begin.data(), columns_of_piece.data(), width});
    exec.fence(label + ": size of the result");
    if (is_unsorted == 0) {
      if (last_piece > rows.panels)
        for_each_index(exec, label + "::shift_numbers", last_piece * rows.height,
                       ShiftNumbers<Ordinal, Offset>{pieces, columns_of_piece.data(), result.numbers.data()});
      return result;
    }
    if (attempt > 0) raise<InvalidMatrix>(function, "rows cannot be sorted, is the matrix valid?");
    using Order = Reorder<Matrix>;
    check_memory(function, kept + temporary + Order::bytes(static_cast<std::int64_t>(crs.rows), nonzeros),
                 memory_limit);
    result.sorted_source = Order::order_of_sorted_rows(function, exec, A);
    result.sorted_entries =
        Order::template gathered<decltype(result.sorted_entries)>(function, exec, crs.entries, result.sorted_source);
    pieces.entries = result.sorted_entries.data();
    Kokkos::deep_copy(exec, unsorted, 0);
  }
}

}  // namespace lacuna::Impl

#endif

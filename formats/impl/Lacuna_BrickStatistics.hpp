// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BRICKSTATISTICS_HPP
#define LACUNA_BRICKSTATISTICS_HPP

#include <formats/impl/Lacuna_PanelMerge.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// \file
/// \brief What bricks a matrix would have, without making them: one pass over the columns. And what the published model
/// says of them.

namespace lacuna::Impl {

/// Counts over panels of `panel_rows` rows, their active columns moved together and cut into bricks of `brick_height` ×
/// 4 and steps of 8 columns.
struct BrickStatistics {
  int panel_rows              = 8;
  int brick_height            = 8;
  std::int64_t rows           = 0;
  std::int64_t nonzeros       = 0;
  std::int64_t panels         = 0;
  std::int64_t active_columns = 0;  ///< of each panel, summed
  std::int64_t longest_panel  = 0;  ///< in active columns
  std::int64_t steps          = 0;
  std::int64_t brick_columns  = 0;  ///< groups of 4 active columns
  /// With a nonzero. Where a panel holds rows longer than `piece_length`, bricks lower than the panel may be counted
  /// twice at every cut: less than 1 % too many.
  std::int64_t bricks = 0;

  /// Nonzeros per active column ("rpc").
  double nonzeros_per_column() const { return ratio(nonzeros, active_columns); }
  /// Nonzeros per brick ("bd").
  double nonzeros_per_brick() const { return ratio(nonzeros, bricks); }

  static double ratio(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  }
};

enum class SynergyClass { low, medium, high };

constexpr std::string_view name(SynergyClass synergy) {
  switch (synergy) {
    case SynergyClass::low: return "low";
    case SynergyClass::medium: return "medium";
    case SynergyClass::high: return "high";
  }
  return "unknown";
}

/// How well a matrix engine suits a matrix (Xiang et al., cuTeSpMM, sections 4 and 6.4).
struct Synergy {
  double alpha = 0;  ///< share of nonzeros in the elements of bricks of 16 × 4 that hold any
  double beta  = 0;  ///< bricks of a brick column of a panel: 1 for panels of 16 rows, up to 2 for 32

  /// Modeled operations per transfer of scratch memory.
  double operational_intensity() const { return 512.0 * alpha; }
  SynergyClass classification() const {
    return alpha < 0.125 ? SynergyClass::low : alpha < 0.25 ? SynergyClass::medium : SynergyClass::high;
  }
};

/// From statistics of panels of 16 rows, or of 32 with bricks 16 rows high.
inline Synergy synergy_of(const BrickStatistics& statistics) {
  if (statistics.panel_rows != 16 && statistics.brick_height != 16)
    raise<InvalidArgument>("synergy_of", "panels of ", statistics.panel_rows, " rows with bricks of ",
                           statistics.brick_height, " rows, bricks of 16 are needed");
  const std::int64_t bricks = statistics.panel_rows == 16 ? statistics.brick_columns : statistics.bricks;
  return {BrickStatistics::ratio(statistics.nonzeros, 64 * bricks),
          BrickStatistics::ratio(bricks, statistics.brick_columns)};
}

/// Counts active columns of pieces, and bricks that are lower than a panel. A brick is counted by the first lane of its
/// rows, once its 4 columns are through.
template <int Height, int BrickHeight>
struct CountBricks {
  static constexpr bool counts_bricks = BrickHeight < Height;

  template <int Own, int Width>
  struct State {
    static constexpr int own   = Own;
    static constexpr int width = Width;
    bool touched[Own]          = {};
    Counter bricks             = 0;
  };

  std::uint32_t* columns_of_piece;
  Counter* bricks;

  template <class State>
  KOKKOS_FORCEINLINE_FUNCTION void take(State& state, int i, std::int64_t, std::uint32_t) const {
    if constexpr (counts_bricks) state.touched[i] = true;
  }
  template <class lanes, class State>
  KOKKOS_FORCEINLINE_FUNCTION void column(State& state, int lane, std::uint32_t number) const {
    if constexpr (counts_bricks)
      if (number % 4 == 3) close_bricks<lanes>(state, lane);
  }
  template <class lanes, class State>
  KOKKOS_FORCEINLINE_FUNCTION void finish(State& state, int lane, std::int64_t piece, std::uint32_t columns) const {
    if (lane == 0 && piece >= 0) columns_of_piece[piece] = columns;
    if constexpr (counts_bricks) {
      close_bricks<lanes>(state, lane);
      if (state.bricks > 0) Kokkos::atomic_add(bricks, state.bricks);
    }
  }

 private:
  /// All threads of the lane group take part.
  template <class lanes, class State>
  KOKKOS_FORCEINLINE_FUNCTION void close_bricks(State& state, int lane) const {
    if constexpr (State::own == 1) {
      constexpr int width = BrickHeight < State::width ? BrickHeight : State::width;
      int any             = state.touched[0] ? 1 : 0;
      for (int delta = width / 2; delta > 0; delta /= 2) any |= lanes::shuffle(any, lane % width ^ delta, width);
      if (lane % width == 0) state.bricks += static_cast<Counter>(any);
      state.touched[0] = false;
    } else {
      for (int first = 0; first < State::own; first += BrickHeight) {
        bool any = false;
        for (int i = first; i < first + BrickHeight; ++i) {
          any              = any || state.touched[i];
          state.touched[i] = false;
        }
        if (any) ++state.bricks;
      }
    }
  }
};

/// Sums over panels.
struct SumPanels {
  const std::int64_t* piece_begin;
  const std::uint32_t* columns_of_piece;
  KOKKOS_FUNCTION void operator()(std::int64_t panel, std::int64_t& active, std::int64_t& steps, std::int64_t& quads,
                                  std::int64_t& longest) const {
    std::int64_t columns = 0;
    for (std::int64_t piece = piece_begin[panel]; piece < piece_begin[panel + 1]; ++piece)
      columns += columns_of_piece[piece];
    active += columns;
    steps += (columns + 7) / 8;
    quads += (columns + 3) / 4;
    if (columns > longest) longest = columns;
  }
};

/// Statistics of panels of `Height` (8, 16, 32) rows, consecutive ones or those that `row_list` names, with bricks of
/// `BrickHeight` (8, 16) rows. One pass over the columns, one fence; rows that are not sorted are sorted in a copy
/// first. A column that a row holds more than once counts as often. \throws OutOfMemory.
template <int Height, int BrickHeight = 8, ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
BrickStatistics brick_statistics(
    const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit = unlimited,
    const Kokkos::View<typename Matrix::non_const_ordinal_type*, typename Matrix::device_type>& row_list = {}) {
  static_assert(Height % BrickHeight == 0 && (BrickHeight == 8 || BrickHeight == 16),
                "lacuna: bricks are 8 or 16 rows high");
  using Device            = typename Matrix::device_type;
  using Ordinal           = typename Matrix::non_const_ordinal_type;
  using Offset            = typename Matrix::non_const_size_type;
  constexpr auto function = "brick_statistics";
  const auto crs          = arrays_of(A);
  const auto nonzeros     = static_cast<std::int64_t>(crs.nonzeros);
  const auto row_count    = static_cast<std::int64_t>(crs.rows);
  const bool listed       = row_list.extent(0) > 0;
  const auto places       = listed ? static_cast<std::int64_t>(row_list.extent(0)) : row_count;
  const PanelRows<Ordinal> rows{row_count, (places + Height - 1) / Height, Height, listed ? row_list.data() : nullptr,
                                nullptr};
  BrickStatistics statistics;
  statistics.panel_rows   = Height;
  statistics.brick_height = BrickHeight;
  statistics.rows         = row_count;
  statistics.nonzeros     = nonzeros;
  statistics.panels       = rows.panels;
  if (nonzeros == 0 || rows.panels == 0) return statistics;
  const std::int64_t most = PieceList<Device, Ordinal, Offset>::bound(rows.panels, nonzeros);
  const auto bytes        = static_cast<std::size_t>(most) * sizeof(std::uint32_t) +
                     static_cast<std::size_t>(rows.panels + 1) * sizeof(std::int64_t);
  check_memory(function, bytes, memory_limit);
  const PieceList<Device, Ordinal, Offset> list(function, exec, rows, crs.row_map, nonzeros);
  const auto columns_of_piece = allocate<Kokkos::View<std::uint32_t*, Device>>(
      function, exec, "Lacuna::brick_statistics::columns_of_piece", list.most);
  const Kokkos::View<Counter, Device> bricks(Kokkos::view_alloc(exec, "Lacuna::brick_statistics::bricks"));
  const Kokkos::View<int, Device> unsorted(Kokkos::view_alloc(exec, "Lacuna::brick_statistics::unsorted"));
  PanelPieces<Ordinal, Offset> pieces{rows, crs.row_map, crs.entries, list.begin.data()};
  Kokkos::View<Ordinal*, Device> sorted;
  for (;;) {
    merge_pieces<Height>("Lacuna::brick_statistics::merge", exec, pieces, list.most, unsorted.data(),
                         CountBricks<Height, BrickHeight>{columns_of_piece.data(), bricks.data()});
    int is_unsorted = 0;
    Counter found   = 0;
    Kokkos::deep_copy(exec, Kokkos::View<int, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&is_unsorted), unsorted);
    Kokkos::deep_copy(exec, Kokkos::View<Counter, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&found), bricks);
    Kokkos::parallel_reduce("Lacuna::brick_statistics::sum", IndexRange<ExecutionSpace>(exec, 0, rows.panels),
                            SumPanels{list.begin.data(), columns_of_piece.data()}, statistics.active_columns,
                            statistics.steps, statistics.brick_columns,
                            Kokkos::Max<std::int64_t>(statistics.longest_panel));
    exec.fence("Lacuna::brick_statistics: the statistics are read on the host");
    statistics.bricks =
        CountBricks<Height, BrickHeight>::counts_bricks ? static_cast<std::int64_t>(found) : statistics.brick_columns;
    if (is_unsorted == 0) return statistics;
    if (sorted.extent(0) > 0) raise<InvalidMatrix>(function, "rows cannot be sorted, is the matrix valid?");
    check_memory(function, bytes + Reorder<Matrix>::bytes(row_count, nonzeros), memory_limit);
    sorted = Reorder<Matrix>::template gathered<Kokkos::View<Ordinal*, Device>>(
        function, exec, crs.entries, Reorder<Matrix>::order_of_sorted_rows(function, exec, A));
    pieces.entries = sorted.data();
    Kokkos::deep_copy(exec, unsorted, 0);
    Kokkos::deep_copy(exec, bricks, Counter{0});
  }
}

}  // namespace lacuna::Impl

#endif

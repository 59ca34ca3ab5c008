// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HRPBRESULT_HPP
#define LACUNA_HRPBRESULT_HPP

#include <backends/Lacuna_Backend.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_HrpbSchedule.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief Where the sums of a warp of SpMM on HRPB go: to C, or, for a panel that was cut, to where they are added.

namespace lacuna::Impl {

/// \brief The columns of C that a warp has: element `column` of tile `tile` is column `tiles * column + tile`, so that
/// a lane finds its elements of all tiles in one row of B side by side, and leaves its sums in C side by side.
template <class Mma>
struct HrpbColumns {
  static constexpr int count = 32;
  static constexpr int tiles = count / Mma::n;
  static_assert(count % Mma::n == 0, "lacuna: 32 columns are whole tiles");
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position(int tile, int column) { return tiles * column + tile; }
};

template <class ExecutionSpace, class EngineType, int BrickRows, class ScalarType, class OffsetType>
struct HrpbResult {
  using Engine  = EngineType;
  using Mma     = typename Engine::Mma;
  using Sum     = typename Engine::Sum;
  using Scalar  = ScalarType;
  using Segment = HrpbSegment<OffsetType>;
  using lanes   = typename ExecutionTraits<ExecutionSpace>::lanes;
  using Columns = HrpbColumns<Mma>;

  static constexpr int panel_rows = 16 * BrickRows;
  static constexpr int tiles      = Columns::tiles;
  static constexpr int halves     = 16 / Mma::m;  ///< atoms that a brick is high
  static constexpr int sums       = BrickRows * halves * tiles;
  static constexpr int pack       = std::min(tiles, 16 / static_cast<int>(sizeof(Scalar)));
  using Elements                  = Pack<Scalar, pack>;

  BlockArguments<Scalar> arguments;
  std::int64_t rows;
  std::int64_t first_column, end_column;  // that this launch is for
  bool wide;                              // whole packs can be stored
  HrpbReduction reduction;
  Scalar* partial;
  std::int32_t* arrived;
  std::int64_t partial_columns;

  /// Runs visit(row of the panel, column of the warp, sum) over the sums of this thread.
  template <class Visitor>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_sum(int own, Sum* sum, const Visitor& visit) {
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int i = 0; i < sums; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg)
          visit(i / tiles * Mma::m + Mma::c_row(lane, reg), Columns::position(i % tiles, Mma::c_column(lane, reg)),
                sum[i](lane, reg));
      }
    });
  }

  /// `first`: the first column of the warp.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team& team, const Segment& segment, std::int64_t first, Sum* sum) const {
    if (segment.segments == 1 && wide && first + Columns::count <= end_column) {
      store_packs(team.lane(), segment.panel * panel_rows, first, sum);
      return;
    }
    for_each_sum(team.lane(), sum, [&](int row, int column, const Scalar& value) {
      if (segment.panel * panel_rows + row < rows && first + column < end_column)
        store_element(segment, row, first + column, value);
    });
    arrive_if_cut(team, segment, first);
  }

  /// The same with value(row of the panel, column of C) in place of the sums, an element after the other.
  template <class Team, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void store_values(const Team& team, const Segment& segment, std::int64_t first,
                                                const Value& value) const {
    for_each_element(team, segment, first,
                     [&](int row, std::int64_t column) { store_element(segment, row, column, value(row, column)); });
    arrive_if_cut(team, segment, first);
  }

 private:
  /// Runs visit(row of the panel, column of C) over the elements of a warp, few registers and little code.
  template <class Team, class Visitor>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_element(const Team& team, const Segment& segment, std::int64_t first,
                                                    const Visitor& visit) const {
    LACUNA_NO_UNROLL
    for (int i = team.lane(); i < panel_rows * Columns::count; i += Team::lane_width) {
      const int row             = i / Columns::count;
      const std::int64_t column = first + i % Columns::count;
      if (segment.panel * panel_rows + row < rows && column < end_column) visit(row, column);
    }
  }

  /// Rows of C are contiguous and exist. One address a lane: the others stand a few rows and columns behind it.
  KOKKOS_FORCEINLINE_FUNCTION void store_packs(int own, std::int64_t first_row, std::int64_t first, Sum* sum) const {
    const std::int64_t left = rows - first_row;
    const auto& C           = arguments.C;
    for_each_lane<Mma>(own, [&](int lane) {
      const int row    = Mma::c_row(lane, 0);
      const int column = Columns::position(0, Mma::c_column(lane, 0));
      Scalar* own_row  = C.data + (first_row + row) * C.row_stride + (first + column);
      LACUNA_UNROLL
      for (int atom = 0; atom < sums / tiles; ++atom) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg) {
          const int rows_on = atom * Mma::m + Mma::c_row(lane, reg) - row;
          if (row + rows_on >= left) continue;
          Scalar* to = own_row + rows_on * C.row_stride + (Columns::position(0, Mma::c_column(lane, reg)) - column);
          LACUNA_UNROLL
          for (int tile = 0; tile < tiles; tile += pack) {
            auto* elements = reinterpret_cast<Elements*>(to + tile);
            Elements old{};
            if (arguments.beta != Scalar(0)) old = *elements;
            LACUNA_UNROLL
            for (int i = 0; i < pack; ++i)
              old.value[i] = arguments.result(sum[atom * tiles + tile + i](lane, reg), old.value[i]);
            *elements = old;
          }
        }
      }
    });
  }

  /// To C, or, of a panel that was cut, to where its segments are added.
  KOKKOS_FORCEINLINE_FUNCTION void store_element(const Segment& segment, int row, std::int64_t column,
                                                 const Scalar& value) const {
    if (segment.segments == 1)
      arguments.write(segment.panel * panel_rows + row, column, value);
    else if (reduction == HrpbReduction::atomics)
      Kokkos::atomic_add(arguments.C.at(segment.panel * panel_rows + row, column), arguments.alpha * value);
    else
      partial[((segment.first_partial + segment.position) * panel_rows + row) * partial_columns + column -
              first_column] = value;
  }

  /// The warp that leaves the last sums of a panel's 32 columns adds all of them, in the order of the segments.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void arrive_if_cut(const Team& team, const Segment& segment, std::int64_t first) const {
    if (segment.segments == 1 || reduction != HrpbReduction::last_arriver) return;
    std::int32_t* counter =
        arrived + segment.first_partial * (partial_columns / Columns::count) + (first - first_column) / Columns::count;
    team.warp_barrier();
    std::int32_t before = 0;
    if (team.lane() == 0) before = lanes::arrive(counter);
    before = lanes::shuffle(before, 0, Team::lane_width);
    if (before + 1 != segment.segments) return;
    team.warp_barrier();
    for_each_element(team, segment, first, [&](int row, std::int64_t column) {
      arguments.write(segment.panel * panel_rows + row, column, sum_of_segments(segment, row, column));
    });
    if (team.lane() == 0) *counter = 0;  // for the next product
  }
  KOKKOS_FUNCTION Scalar sum_of_segments(const Segment& of, int row, std::int64_t column) const {
    const Scalar* all = partial + of.first_partial * panel_rows * partial_columns;
    Scalar sum(0);
    for (std::int64_t other = 0; other < of.segments; ++other)
      sum += lanes::load_l2_only(all + (other * panel_rows + row) * partial_columns + column - first_column);
    return sum;
  }
};

}  // namespace lacuna::Impl

#endif

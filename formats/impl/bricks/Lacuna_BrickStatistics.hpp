// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BRICKSTATISTICS_HPP
#define LACUNA_BRICKSTATISTICS_HPP

#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <formats/impl/panels/Lacuna_PanelColumns.hpp>

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
  std::int64_t blocks         = 0;  ///< groups of 16
  /// With a nonzero. Where a panel holds rows longer than `segment_length`, bricks lower than the panel may be counted
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

  /// Modeled operations per transfer of scratch memory (equation 1): a row of B that is brought from scratch serves the
  /// beta bricks of its column.
  double operational_intensity() const { return 512.0 * alpha * beta; }
  SynergyClass classification() const {
    return alpha < 0.125 ? SynergyClass::low : alpha < 0.25 ? SynergyClass::medium : SynergyClass::high;
  }
};

/// What the model of HRPB takes of statistics of panels of 16 rows, or of 32 with bricks 16 rows high.
inline TallPanelStatistics tall_panels_of(const BrickStatistics& statistics) {
  if (statistics.panel_rows != 16 && statistics.brick_height != 16)
    raise<InvalidArgument>("synergy_of", "panels of ", statistics.panel_rows, " rows with bricks of ",
                           statistics.brick_height, " rows, bricks of 16 are needed");
  return {statistics.panel_rows,    statistics.panels,
          statistics.longest_panel, statistics.blocks,
          statistics.brick_columns, statistics.panel_rows == 16 ? statistics.brick_columns : statistics.bricks};
}

inline Synergy synergy_of(const TallPanelStatistics& panels, std::int64_t nonzeros) {
  return {BrickStatistics::ratio(nonzeros, 64 * panels.bricks),
          BrickStatistics::ratio(panels.bricks, panels.brick_columns)};
}
inline Synergy synergy_of(const BrickStatistics& statistics) {
  return synergy_of(tall_panels_of(statistics), statistics.nonzeros);
}

/// "alpha 26 %, beta 1, OI 133: high synergy".
inline std::string synergy_text(const Synergy& synergy) {
  return "alpha " + percent_text(synergy.alpha) + ", beta " + number_text(synergy.beta) + ", OI " +
         number_text(synergy.operational_intensity()) + ": " + std::string(name(synergy.classification())) + " synergy";
}

/// From what was counted over panels of `Height` rows of a matrix of `rows` × anything.
template <int Height, int BrickHeight = Height>
BrickStatistics brick_statistics_of(const PanelTotals& totals, std::int64_t rows, std::int64_t nonzeros,
                                    std::int64_t panels) {
  return {.panel_rows     = Height,
          .brick_height   = BrickHeight,
          .rows           = rows,
          .nonzeros       = nonzeros,
          .panels         = panels,
          .active_columns = totals.columns,
          .longest_panel  = totals.longest_panel,
          .steps          = totals.steps,
          .brick_columns  = totals.brick_columns,
          .blocks         = totals.blocks,
          .bricks         = BrickHeight < Height ? static_cast<std::int64_t>(totals.bricks) : totals.brick_columns};
}

/// Statistics of panels of `Height` (8, 16, 32) rows, consecutive ones or those that `row_list` names, with bricks of
/// `BrickHeight` (8, 16) rows. One pass over the columns; waits for `exec` once. Rows that are not sorted are sorted in
/// a copy first. A column that a row holds more than once counts as often. \throws OutOfMemory.
template <int Height, int BrickHeight = 8, ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
BrickStatistics brick_statistics(
    const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit = unlimited,
    const Kokkos::View<typename Matrix::non_const_ordinal_type*, typename Matrix::device_type>& row_list = {}) {
  static_assert(BrickHeight == 8 || BrickHeight == 16, "lacuna: bricks are 8 or 16 rows high");
  using Ordinal        = typename Matrix::non_const_ordinal_type;
  const auto crs       = arrays_of(A);
  const auto count     = static_cast<std::int64_t>(crs.rows);
  const bool listed    = row_list.extent(0) > 0;
  const auto positions = listed ? static_cast<std::int64_t>(row_list.extent(0)) : count;
  const PanelRows<Ordinal> rows{count, (positions + Height - 1) / Height, Height, listed ? row_list.data() : nullptr,
                                nullptr};
  const auto columns = count_panel_columns<Height, BrickHeight>("brick_statistics", exec, A, rows, 0, memory_limit);
  return brick_statistics_of<Height, BrickHeight>(columns.totals, count, static_cast<std::int64_t>(crs.nonzeros),
                                                  rows.panels);
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_INSPECTION_HPP
#define LACUNA_INSPECTION_HPP

#include <core/impl/inspection/Lacuna_ColumnReach.hpp>
#include <core/impl/inspection/Lacuna_LengthStatistics.hpp>
#include <core/impl/inspection/Lacuna_NeighbouringRows.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/// \file
/// \brief What is known of the pattern of a matrix, in plain numbers: what estimates are made from.

namespace lacuna::Impl {

/// Stages of inspection, from the cheapest to the dearest. Each is one fused pass and one wait.
enum class Stage {
  lengths,          ///< of rows, from the row map alone
  panels,           ///< columns of panels of 8 rows
  tall_panels,      ///< the same of 16 rows
  runs,             ///< rows that follow each other with the same columns
  diagonals,        ///< of some slices of 32 rows
  diagonal_slices,  ///< the diagonals of all slices of 32 rows
  slices,           ///< what slices of rows need, hops between far columns included
  vector_slices,    ///< some slices of 16 rows, as a host stores them
  offsets,          ///< the diagonals of the whole matrix
  clusters          ///< another order of rows, and what panels would have in it
};

inline constexpr Stage stages[] = {Stage::lengths,   Stage::panels,          Stage::tall_panels, Stage::runs,
                                   Stage::diagonals, Stage::diagonal_slices, Stage::slices,      Stage::vector_slices,
                                   Stage::offsets,   Stage::clusters};

constexpr std::string_view name(Stage stage) {
  switch (stage) {
    case Stage::lengths: return "lengths";
    case Stage::panels: return "panels";
    case Stage::tall_panels: return "tall_panels";
    case Stage::runs: return "runs";
    case Stage::diagonals: return "diagonals";
    case Stage::diagonal_slices: return "diagonal_slices";
    case Stage::slices: return "slices";
    case Stage::vector_slices: return "vector_slices";
    case Stage::offsets: return "offsets";
    case Stage::clusters: return "clusters";
  }
  return "unknown";
}

/// Panels of 8 rows, in natural order.
struct PanelStatistics {
  std::int64_t panels         = 0;
  std::int64_t active_columns = 0;  ///< of each panel, summed
  std::int64_t longest_panel  = 0;  ///< in active columns
  std::int64_t steps          = 0;  ///< of 8 active columns
  std::int64_t brick_columns  = 0;  ///< groups of 4 active columns

  /// Whether some panels have many more active columns than most.
  bool uneven(double factor) const {
    return panels > 0 && static_cast<double>(longest_panel) * static_cast<double>(panels) >
                             factor * static_cast<double>(active_columns);
  }
};

/// Panels of 16 or 32 rows in bricks of 16 × 4: what the published synergy is made of.
struct TallPanelStatistics {
  int panel_rows             = 16;
  std::int64_t panels        = 0;
  std::int64_t longest_panel = 0;  ///< in active columns
  std::int64_t blocks        = 0;  ///< groups of 16 active columns
  std::int64_t brick_columns = 0;  ///< groups of 4
  std::int64_t bricks        = 0;  ///< with a nonzero
};

/// Rows that follow each other with the same columns in the same order, taken together: up to `few_rows`, or up to
/// `many_rows` of them.
struct RunStatistics {
  static constexpr int few_rows    = 3;
  static constexpr int many_rows   = 6;
  static constexpr int longest_run = 60;  ///< runs are cut at its multiples, and so at those of both

  std::int64_t few_reads  = 0;  ///< nonzeros of one row for each block of at most few_rows
  std::int64_t many_reads = 0;
  std::int64_t few_blocks = 0, many_blocks = 0;

  KOKKOS_INLINE_FUNCTION void join(const RunStatistics& other) {
    few_reads += other.few_reads;
    many_reads += other.many_reads;
    few_blocks += other.few_blocks;
    many_blocks += other.many_blocks;
  }
};

/// Diagonals of the sampled slices, for the number of unknowns a node that leaves the fewest.
struct DiagonalStatistics {
  bool possible       = true;  ///< rows are sorted and have no column twice
  int unknowns        = 1;     ///< rows a node
  double fill         = 0;     ///< entries that exist, as a share of those that diagonals store
  std::int64_t widest = 0;     ///< the most diagonals that a slice has
};

/// A storage whose size was counted.
struct SliceStatistics {
  std::size_t bytes       = 0;
  std::size_t to_allocate = 0;  ///< of them; the rest was when it was counted
};

struct DiagonalSliceStatistics : SliceStatistics {
  bool possible       = true;  ///< rows are sorted and have no column twice, and diagonals can be counted
  std::int64_t widest = 0;     ///< the most diagonals that a slice has
};

/// Steps of the sampled slices of 16 rows: a step is an entry of each row.
struct VectorSliceStatistics {
  static constexpr std::int64_t rows_per_slice = 16;
  static constexpr std::int64_t most_windows   = 64;    ///< of 256 rows that are sampled, up to twice as many
  static constexpr double least_share          = 0.05;  ///< of nonzeros on diagonals from which their inspection pays

  std::int64_t nonzeros     = 0;
  std::int64_t on_diagonals = 0;  ///< of them
  std::int64_t diagonals    = 0;  ///< steps along a diagonal
  std::int64_t gathers      = 0;  ///< other steps
  std::int64_t wide         = 0;  ///< of them, whose columns do not fit 16 bits

  bool diagonals_pay() const { return static_cast<double>(on_diagonals) > least_share * static_cast<double>(nonzeros); }
  void join(const VectorSliceStatistics& other) {
    nonzeros += other.nonzeros;
    on_diagonals += other.on_diagonals;
    diagonals += other.diagonals;
    gathers += other.gathers;
    wide += other.wide;
  }
};

/// Diagonals of the whole matrix that hold anything.
struct OffsetStatistics {
  static constexpr std::int64_t most = 1024;  ///< more are not listed

  bool few               = false;  ///< they were listed
  std::int64_t diagonals = 0;
  std::int64_t runs      = 0;  ///< of diagonals that touch
  double elements        = 0;  ///< that they have, zeros among them
};

/// What another order of rows leaves.
struct ClusterStatistics {
  double share_of_columns = 1;  ///< active columns of panels of 8 rows, in units of those in natural order
};

/// \brief What is known of a pattern. `lengths` and what hosts look at are always there, the rest where its
/// stage was inspected.
struct Inspection {
  std::int64_t rows     = 0;
  std::int64_t columns  = 0;
  std::int64_t nonzeros = 0;
  LengthStatistics lengths;
  NeighbouringRows neighbours;  ///< of hosts alone
  ColumnReach reach;            ///< of hosts alone, where the operation asks for it
  std::optional<PanelStatistics> panels;
  std::optional<TallPanelStatistics> tall_panels;
  std::optional<RunStatistics> runs;
  std::optional<DiagonalStatistics> diagonals;
  std::optional<DiagonalSliceStatistics> diagonal_slices;
  std::optional<SliceStatistics> slices;
  std::optional<VectorSliceStatistics> vector_slices;
  std::optional<OffsetStatistics> offsets;
  std::optional<ClusterStatistics> clusters;

  double mean() const { return rows > 0 ? static_cast<double>(nonzeros) / static_cast<double>(rows) : 0.0; }
  /// Nonzeros per active column of a panel of 8 rows ("rpc"); 0 where it is not known.
  double nonzeros_per_panel_column() const {
    return panels && panels->active_columns > 0
               ? static_cast<double>(nonzeros) / static_cast<double>(panels->active_columns)
               : 0.0;
  }
};

inline bool is_known(const Inspection& inspection, Stage stage) {
  switch (stage) {
    case Stage::lengths: return true;
    case Stage::panels: return inspection.panels.has_value();
    case Stage::tall_panels: return inspection.tall_panels.has_value();
    case Stage::runs: return inspection.runs.has_value();
    case Stage::diagonals: return inspection.diagonals.has_value();
    case Stage::diagonal_slices: return inspection.diagonal_slices.has_value();
    case Stage::slices: return inspection.slices.has_value();
    case Stage::vector_slices: return inspection.vector_slices.has_value();
    case Stage::offsets: return inspection.offsets.has_value();
    case Stage::clusters: return inspection.clusters.has_value();
  }
  return false;
}

}  // namespace lacuna::Impl

#endif

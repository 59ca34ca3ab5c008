// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMOPTIONS_HPP
#define LACUNA_SPMMOPTIONS_HPP

#include <Lacuna_Options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/// \file
/// \brief The algorithms of C = alpha op(A) B + beta C, and the options of a plan.

namespace lacuna {

/// \brief How a plan stores A and multiplies.
enum class SpmmAlgorithm {
  automatic,   ///< the least estimated time for the pattern of A, the device and the number of columns
  row_split,   ///< CSR on the scalar units; uneven rows are sorted by length or cut into work items
  row_blocks,  ///< CSR on the scalar units, consecutive rows with the same columns computed together
  bricks,      ///< bricks of 8 x 4 on the matrix engine, C^T = B^T A^T, see `BrickMatrix`
  hrpb,        ///< the published bricks on the matrix engine, see `HrpbMatrix` (Xiang et al., cuTeSpMM)
  gcoo,        ///< the published Algorithm 2 on groups of rows, see `GcooMatrix` (Shi, Wang, Chu)
  tiled,       ///< tiles of A and the rows of B that they name in scratch; B is half at `Precision::fp16`
  /// A as a dense matrix, by the vendor's dense product; see `SpmmOptions::allow_dense`. Entries of one position are
  /// added in A's scalar type
  dense,
  diagonals,    ///< whole diagonals: the algorithm of `HmMatrix` and `CdmMatrix`; stores CSR as HM
  tiled_engine  ///< tiles on the matrix engine, for half precision, and for float at `Precision::fp16`
};

/// \brief Every enumerator of `SpmmAlgorithm`.
inline constexpr std::array spmm_algorithms{
    SpmmAlgorithm::automatic, SpmmAlgorithm::row_split,   SpmmAlgorithm::row_blocks, SpmmAlgorithm::bricks,
    SpmmAlgorithm::hrpb,      SpmmAlgorithm::gcoo,        SpmmAlgorithm::tiled,      SpmmAlgorithm::dense,
    SpmmAlgorithm::diagonals, SpmmAlgorithm::tiled_engine};

/// \brief The name of the enumerator, as `lacuna-bench` and reports spell it.
constexpr std::string_view name(SpmmAlgorithm algorithm) {
  switch (algorithm) {
    case SpmmAlgorithm::automatic: return "automatic";
    case SpmmAlgorithm::row_split: return "row_split";
    case SpmmAlgorithm::row_blocks: return "row_blocks";
    case SpmmAlgorithm::bricks: return "bricks";
    case SpmmAlgorithm::hrpb: return "hrpb";
    case SpmmAlgorithm::gcoo: return "gcoo";
    case SpmmAlgorithm::tiled: return "tiled";
    case SpmmAlgorithm::dense: return "dense";
    case SpmmAlgorithm::diagonals: return "diagonals";
    case SpmmAlgorithm::tiled_engine: return "tiled_engine";
  }
  return "unknown";
}

/// \brief Which rows make a panel of `bricks`; other algorithms have the natural order alone. C keeps the order of A.
enum class RowOrder {
  automatic,  ///< clustered where that pays within `expected_calls`
  natural,    ///< consecutive rows make a panel
  clustered   ///< rows that share columns make a panel
};

/// \brief The name of the enumerator.
constexpr std::string_view name(RowOrder order) {
  switch (order) {
    case RowOrder::automatic: return "automatic";
    case RowOrder::natural: return "natural";
    case RowOrder::clustered: return "clustered";
  }
  return "unknown";
}

/// \brief Which row panels `hrpb` cuts, whose sums must then be added (cuTeSpMM, section 5).
enum class PanelBalance {
  waves,    ///< those that outlast the waves of teams which all panels take anyway, as published
  average,  ///< those of more blocks than the average panel has, into pieces of the average
  off       ///< none
};

/// \brief The name of the enumerator.
constexpr std::string_view name(PanelBalance balance) {
  switch (balance) {
    case PanelBalance::waves: return "waves";
    case PanelBalance::average: return "average";
    case PanelBalance::off: return "off";
  }
  return "unknown";
}

/// \brief The layout of B that a plan prepares for. Every plan accepts any B.
enum class DenseLayout {
  any,          ///< the workspace holds some columns of B at a time, which are copied where that is faster
  row_major,    ///< no workspace; products with a column-major B are slow
  column_major  ///< the workspace holds all planned columns of B
};

/// \brief The name of the enumerator.
constexpr std::string_view name(DenseLayout layout) {
  switch (layout) {
    case DenseLayout::any: return "any";
    case DenseLayout::row_major: return "row_major";
    case DenseLayout::column_major: return "column_major";
  }
  return "unknown";
}

/// \brief Options of `SpmmPlan`. Use designated initialisers; the order of the members is part of the interface.
struct SpmmOptions {
  Op op = Op::none;  ///< the form of A that is multiplied
  /// Columns of B and C that the plan is made for. It serves any number and is fastest with this one.
  std::int64_t columns    = 128;
  SpmmAlgorithm algorithm = SpmmAlgorithm::automatic;
  Precision precision     = Precision::full;
  /// Whether the result must have the same bits on every run.
  bool deterministic = false;
  /// How many products the plan is made for: `automatic` minimises the time of the set-up and of these products. Where
  /// nobody says, it reckons with 1000, and on a host takes no set-up that it expects to be longer than 10 products:
  /// CSR as it stands.
  std::optional<std::int64_t> expected_calls = {};
  /// The most bytes that the plan may allocate in the memory of the execution space, temporary ones included. Small
  /// counters, and their copies on the host, do not count.
  std::size_t memory_limit = unlimited;
  RowOrder row_order       = RowOrder::automatic;
  /// Rows of a panel (`bricks`: 8 or 16, `hrpb`: 16 or 32) or of a group (p of `gcoo`: 2, 4, 8, 16 or 32); 0: the plan
  /// chooses.
  int panel_rows = 0;
  /// Threads of a team of `row_split` or `gcoo`, a multiple of 32 up to 1024 (at most 256 are used); 0: the plan
  /// chooses.
  int team_size        = 0;
  DenseLayout b_layout = DenseLayout::any;
  /// Whether `automatic` may store A as a dense matrix where the vendor's dense product is faster and `memory_limit`
  /// suffices. NaN and Inf of B then reach every row of C, for 0 times NaN is NaN. Where this is false, the report says
  /// what `dense` would gain.
  bool allow_dense = false;
  /// Whether the plan chooses by measured times. It builds every supported algorithm in each of its shapes (p and b of
  /// `gcoo`, tiles of `tiled`, rows of a panel of `bricks` and `hrpb`) and times it with A and with a B and a C of
  /// `columns` columns, within `memory_limit`. With an `algorithm` other than `automatic` it tries only the shapes of
  /// that one. The search takes as long as some hundred products and a set-up for each shape, and waits for `exec`.
  ///
  /// The result is kept in a text file and found again by device, release, types, options, extents, number of nonzeros
  /// and a digest of row lengths. The file is the one that LACUNA_TUNING_FILE names, else lacuna/tuning.txt in
  /// XDG_CACHE_HOME or ~/.cache; it may be read, edited and deleted at any time. The report says what was taken from it
  /// and written to it. A `deterministic` plan reads the file but never searches, for two searches may end differently.
  bool autotune              = false;
  PatternCheck check_pattern = PatternCheck::automatic;  ///< whether products compare the pattern of A
  /// Whether products must read the values of A where A has them, so that new ones count without `update_values`: only
  /// algorithms without a copy are taken, and those by name that have one, and a transposed op, are refused.
  bool reads_values_of_A = false;
  /// Which panels `hrpb` cuts; other algorithms balance their work themselves.
  PanelBalance panel_balance = PanelBalance::waves;
};

}  // namespace lacuna

#endif

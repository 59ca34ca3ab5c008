// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMOPTIONS_HPP
#define LACUNA_SPMMOPTIONS_HPP

#include <Lacuna_Options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// \file
/// \brief The algorithms of C = alpha op(A) B + beta C, and what a plan can be asked for.

namespace lacuna {

enum class SpmmAlgorithm {
  automatic,    ///< the one with the least estimated time for this pattern of A and number of columns
  row_split,    ///< CSR on the scalar units; where rows are uneven sorted by length or cut into work items; needs no
                ///< format
  row_blocks,   ///< CSR on the scalar units, consecutive rows with the same columns together; needs no format
  bricks,       ///< 8 x 4 bricks on the matrix engine, C^T = B^T A^T
  hrpb,         ///< the published row-panel bricks on the matrix engine
  gcoo,         ///< the published groups of rows in coordinate storage, on the scalar units
  tiled,        ///< tiles of A and the rows of B that they name through scratch, on the scalar units; with B rounded to
                ///< half precision where `Precision::fp16` lets it
  dense,        ///< A as a dense matrix, by the vendor's dense product; see `SpmmOptions::allow_dense`
  diagonals,    ///< whole diagonals: what `HmMatrix` and `CdmMatrix` are multiplied by; CSR is stored as HM
  tiled_engine  ///< tiles multiplied by the matrix engine, for half precision and float at `Precision::fp16`
};

inline constexpr std::array spmm_algorithms{
    SpmmAlgorithm::automatic, SpmmAlgorithm::row_split,   SpmmAlgorithm::row_blocks, SpmmAlgorithm::bricks,
    SpmmAlgorithm::hrpb,      SpmmAlgorithm::gcoo,        SpmmAlgorithm::tiled,      SpmmAlgorithm::dense,
    SpmmAlgorithm::diagonals, SpmmAlgorithm::tiled_engine};

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

/// \brief The order in which rows are gathered in panels. C keeps its own order whatever is chosen.
enum class RowOrder {
  automatic,  ///< clustered where its break-even lies under `expected_calls`
  natural,    ///< consecutive rows make a panel
  clustered   ///< rows that share columns make a panel
};

constexpr std::string_view name(RowOrder order) {
  switch (order) {
    case RowOrder::automatic: return "automatic";
    case RowOrder::natural: return "natural";
    case RowOrder::clustered: return "clustered";
  }
  return "unknown";
}

/// \brief How B will come to products.
enum class DenseLayout {
  any,          ///< a plan has a workspace to copy some columns at once of a B that its kernels cannot read fast
  row_major,    ///< no workspace; a column-major B is served, slowly
  column_major  ///< a workspace for all planned columns
};

constexpr std::string_view name(DenseLayout layout) {
  switch (layout) {
    case DenseLayout::any: return "any";
    case DenseLayout::row_major: return "row_major";
    case DenseLayout::column_major: return "column_major";
  }
  return "unknown";
}

/// \brief What a `SpmmPlan` can be asked for. Use designated initialisers; the order of the members is part of the
/// contract.
struct SpmmOptions {
  Op op = Op::none;
  /// Columns of B and C that the plan is made for. A plan serves any number; it is at its best with this one.
  std::int64_t columns    = 128;
  SpmmAlgorithm algorithm = SpmmAlgorithm::automatic;
  Precision precision     = Precision::full;
  /// The same bits from run to run.
  bool deterministic = false;
  /// Calls that the set-up has to pay back; `automatic` takes no storage whose break-even lies above it.
  std::int64_t expected_calls = 1000;
  /// Bytes of the memory of the execution space that the plan may allocate, those that it needs while it is made among
  /// them. Small counts, and their copies on the host, are left out.
  std::size_t memory_limit = unlimited;
  RowOrder row_order       = RowOrder::automatic;
  /// Rows of a panel (bricks: 8 or 16, hrpb: 16 or 32) or of a group (gcoo: 8 or 16), threads of a team of row_split or
  /// gcoo (a multiple of 32 up to 1024; at most 256 are taken); 0 leaves the choice to the plan.
  int panel_rows       = 0;
  int team_size        = 0;
  DenseLayout b_layout = DenseLayout::any;
  /// Whether `automatic` may store A as a dense matrix, all of its zeros, where the vendor's dense product is faster
  /// and `memory_limit` lets it. NaN and Inf of B then reach every row of C, for 0 times NaN is NaN. Where it may not,
  /// the report says what it would gain.
  bool allow_dense = false;
  /// Whether the clock chooses: algorithms that are supported, each in the shapes that it has (p and b of gcoo, tiles
  /// of tiled, rows of a panel of bricks and hrpb), are built and timed with A and with a B and a C of `columns`
  /// columns, all of it within `memory_limit`. That takes as long as some hundred products and a set-up for each shape,
  /// and waits for `exec`; with another `algorithm` than `automatic` only shapes are searched. What was found is kept
  /// in a text file, a line for each device, release, types, options, extents, number of nonzeros and digest of row
  /// lengths, and the next plan takes it from there: LACUNA_TUNING_FILE, else lacuna/tuning.txt in XDG_CACHE_HOME or in
  /// ~/.cache. The file may be read, edited and deleted at any time; the report says what was found and kept. A
  /// `deterministic` plan takes what the file holds and never searches, for a search may end otherwise on the next run.
  bool autotune = false;
};

}  // namespace lacuna

#endif

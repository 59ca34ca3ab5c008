// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVOPTIONS_HPP
#define LACUNA_SPMVOPTIONS_HPP

#include <Lacuna_Options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/// \file
/// \brief The algorithms of y = alpha op(A) x + beta y, and the options of a plan.
///
/// "002" stands for Baskaran and Bordawekar, Optimizing Sparse Matrix-Vector Multiplication on GPUs (RC24704, 2009).
/// The number after it is the section.

namespace lacuna {

/// \brief How a plan stores A and multiplies. `automatic` never takes an algorithm marked 002; these are published
/// kernels to compare with.
enum class SpmvAlgorithm {
  automatic,      ///< chosen from the statistics of A and the device; `SpmvPlan::report` says why
  naive,          ///< 002, 4: one thread for each row
  thread_mapped,  ///< 002, 4: 16 lanes for each row, partial sums reduced in scratch
  aligned,        ///< 002, 4: thread_mapped, the unaligned head of a row apart
  cached,         ///< 002, 4: aligned, x read through the read-only cache
  vector_csr,     ///< 002, 5.1 (Bell and Garland): 32 lanes for each row
  padded_rows,    ///< 002, 4: rows padded to a multiple of 16
  row_block,      ///< 002, 4: blocks of constant size found at run time, x staged in scratch
  scan_flat,      ///< 002, 5.1 (Sengupta et al.): products, tree-based segmented scan, gather
  scan_matrix,    ///< 002, 5.1 (Dotsenko et al.): products, matrix-based segmented scan, gather
  coo,            ///< 002, 5.1: coordinate storage, segmented reduction over nonzeros
  ell,            ///< 002, 5.1: ELLPACK
  hyb,            ///< 002, 5.1: ELLPACK and COO
  dia,            ///< 002, 5.1: diagonals
  nonzero_split,  ///< CSR cut into work items of equally many nonzeros; the plan keeps the cuts
  sell,           ///< slices of rows, columns as 16-bit deltas or in full, one or more lanes for each row
  sliced_dia,     ///< diagonals within slices of 32 rows, for meshes and bands; rows must be sorted
  row_split,      ///< CSR as it is, with rows sorted by length, or cut into work items; the row kernels of SpMM
  diagonals,      ///< whole diagonals: the algorithm of `HmMatrix` and `CdmMatrix`; stores CSR as HM
  vector_slices   ///< for hosts: slices of 16 rows for vector registers, with diagonals or 16-bit columns
};

/// \brief Every enumerator of `SpmvAlgorithm`.
inline constexpr std::array spmv_algorithms{
    SpmvAlgorithm::automatic,  SpmvAlgorithm::naive,       SpmvAlgorithm::thread_mapped, SpmvAlgorithm::aligned,
    SpmvAlgorithm::cached,     SpmvAlgorithm::vector_csr,  SpmvAlgorithm::padded_rows,   SpmvAlgorithm::row_block,
    SpmvAlgorithm::scan_flat,  SpmvAlgorithm::scan_matrix, SpmvAlgorithm::coo,           SpmvAlgorithm::ell,
    SpmvAlgorithm::hyb,        SpmvAlgorithm::dia,         SpmvAlgorithm::nonzero_split, SpmvAlgorithm::sell,
    SpmvAlgorithm::sliced_dia, SpmvAlgorithm::row_split,   SpmvAlgorithm::diagonals,     SpmvAlgorithm::vector_slices};

/// \brief The name of the enumerator, as `lacuna-bench` and reports spell it.
constexpr std::string_view name(SpmvAlgorithm algorithm) {
  switch (algorithm) {
    case SpmvAlgorithm::automatic: return "automatic";
    case SpmvAlgorithm::naive: return "naive";
    case SpmvAlgorithm::thread_mapped: return "thread_mapped";
    case SpmvAlgorithm::aligned: return "aligned";
    case SpmvAlgorithm::cached: return "cached";
    case SpmvAlgorithm::vector_csr: return "vector_csr";
    case SpmvAlgorithm::padded_rows: return "padded_rows";
    case SpmvAlgorithm::row_block: return "row_block";
    case SpmvAlgorithm::scan_flat: return "scan_flat";
    case SpmvAlgorithm::scan_matrix: return "scan_matrix";
    case SpmvAlgorithm::coo: return "coo";
    case SpmvAlgorithm::ell: return "ell";
    case SpmvAlgorithm::hyb: return "hyb";
    case SpmvAlgorithm::dia: return "dia";
    case SpmvAlgorithm::nonzero_split: return "nonzero_split";
    case SpmvAlgorithm::sell: return "sell";
    case SpmvAlgorithm::sliced_dia: return "sliced_dia";
    case SpmvAlgorithm::row_split: return "row_split";
    case SpmvAlgorithm::diagonals: return "diagonals";
    case SpmvAlgorithm::vector_slices: return "vector_slices";
  }
  return "unknown";
}

/// \brief In which order the rows of A are taken by `aligned`, `cached` and `row_block`: what 002, 7, leaves to an
/// inspector "that can effectively reorder data and computation".
enum class SpmvRowOrder {
  natural,
  by_length,  ///< longest first, by powers of two, so that lanes that work side by side have as much to do
  by_columns  ///< rows that share columns side by side, so that they reuse x; only of square matrices
};

/// \brief The name of the enumerator.
constexpr std::string_view name(SpmvRowOrder order) {
  switch (order) {
    case SpmvRowOrder::natural: return "natural";
    case SpmvRowOrder::by_length: return "by_length";
    case SpmvRowOrder::by_columns: return "by_columns";
  }
  return "unknown";
}

/// \brief Options of `SpmvPlan`. Use designated initialisers; the order of the members is part of the interface.
struct SpmvOptions {
  Op op                   = Op::none;  ///< the form of A that is multiplied
  SpmvAlgorithm algorithm = SpmvAlgorithm::automatic;
  Precision precision     = Precision::full;  ///< only `full` is supported
  /// Whether the result must have the same bits on every run. Every algorithm adds in a fixed order, so it always has.
  bool deterministic = false;
  /// How many products the plan is made for: `automatic` minimises the time of the set-up and of these products. Where
  /// nobody says, it reckons with 1000, and on a host takes no set-up that it expects to be longer than 10 products, so
  /// that CSR stays as it is. Storage of its own makes products there up to three times as fast and takes as long as
  /// 14 to 70 of them to make (`vector_slices` beside `nonzero_split` in perf_tests/results/host/spmv*.json); new
  /// values in it may take as long as a few.
  std::optional<std::int64_t> expected_calls = {};
  /// The most bytes that the plan may allocate in the memory of the execution space, temporary ones included. Small
  /// counters, and their copies on the host, do not count.
  std::size_t memory_limit   = unlimited;
  int team_size              = 0;  ///< threads of a team, a multiple of 32 up to 1024; 0: the plan chooses
  int lanes_per_row          = 0;  ///< lanes of a row, a power of two up to 64; 0: the plan chooses
  PatternCheck check_pattern = PatternCheck::automatic;  ///< whether products compare the pattern of A
  /// Whether products must read the values of A where A has them, so that new ones count without `update_values`: only
  /// algorithms without a copy are taken, and those by name that have one, and a transposed op, are refused.
  bool reads_values_of_A = false;
  /// Whether `vector_csr`, `ell`, `coo` and `hyb` read x past the first-level cache, as `aligned` does: 002's table 2
  /// has both ways.
  bool x_past_cache      = false;
  SpmvRowOrder row_order = SpmvRowOrder::natural;  ///< of `aligned`, `cached` and `row_block`
  int block_rows         = 0;                      ///< rows of a block of `row_block`, 1 to 64; 0: 16
  int block_columns      = 0;  ///< columns of a block of `row_block`, a multiple of 16 up to 32768; 0: 256
  /// Nonzeros that a block of `row_block` must have: those of other blocks stay in CSR. 0: all nonzeros are in blocks.
  int least_in_block = 0;
};

}  // namespace lacuna

#endif

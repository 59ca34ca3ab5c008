// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVOPTIONS_HPP
#define LACUNA_SPMVOPTIONS_HPP

#include <Lacuna_Options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// \file
/// \brief The algorithms of y = alpha op(A) x + beta y, and what a plan can be asked for.
/// "002" is Baskaran and Bordawekar, Optimizing Sparse Matrix-Vector Multiplication on GPUs (RC24704, 2009).

namespace lacuna {

enum class SpmvAlgorithm {
  automatic,      ///< chosen from what is found out of A; `SpmvPlan::report` says why
  naive,          ///< 002, 4: a thread a row
  thread_mapped,  ///< 002, 4: 16 lanes a row, partial sums reduced in scratch
  aligned,        ///< 002, 4: thread_mapped with the unaligned head of a row apart
  cached,         ///< 002, 4: aligned with x read through the read-only cache
  vector_csr,     ///< 002, 5.1 (Bell and Garland): 32 lanes a row
  padded_rows,    ///< 002, 4: rows padded to a multiple of 16
  row_block,      ///< 002, 4: blocks of constant size found at run time, x staged in scratch
  scan_flat,      ///< 002, 5.1 (Sengupta et al.): products, tree-based segmented scan, gather
  scan_matrix,    ///< 002, 5.1 (Dotsenko et al.): products, matrix-based segmented scan, gather
  coo,            ///< 002, 5.1: coordinate storage, segmented reduction over nonzeros
  ell,            ///< 002, 5.1: ELLPACK
  hyb,            ///< 002, 5.1: ELLPACK and COO
  dia,            ///< 002, 5.1: diagonals
  row_lanes,      ///< CSR, loads of 16 bytes contiguous over the lanes of a row; needs no set-up
  nonzero_split,  ///< CSR cut into work items of equally many nonzeros; cuts and row ends kept in the plan
  sell,           ///< slices of rows, columns as 16-bit deltas (or 32-bit), one or more lanes a row
  sliced_dia,     ///< diagonals within slices of 32 rows, for meshes and banded matrices; rows must be sorted
  row_split,      ///< SpMM's row kernels: CSR as it stands, rows by length (very long ones in segments), or work items
  diagonals,      ///< whole diagonals: what `HmMatrix` and `CdmMatrix` are multiplied by; CSR is stored as HM
  vector_slices   ///< hosts: slices of 16 rows for vector registers, diagonals within them, 16-bit columns
};

inline constexpr std::array spmv_algorithms{
    SpmvAlgorithm::automatic,    SpmvAlgorithm::naive,       SpmvAlgorithm::thread_mapped, SpmvAlgorithm::aligned,
    SpmvAlgorithm::cached,       SpmvAlgorithm::vector_csr,  SpmvAlgorithm::padded_rows,   SpmvAlgorithm::row_block,
    SpmvAlgorithm::scan_flat,    SpmvAlgorithm::scan_matrix, SpmvAlgorithm::coo,           SpmvAlgorithm::ell,
    SpmvAlgorithm::hyb,          SpmvAlgorithm::dia,         SpmvAlgorithm::row_lanes,     SpmvAlgorithm::nonzero_split,
    SpmvAlgorithm::sell,         SpmvAlgorithm::sliced_dia,  SpmvAlgorithm::row_split,     SpmvAlgorithm::diagonals,
    SpmvAlgorithm::vector_slices};

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
    case SpmvAlgorithm::row_lanes: return "row_lanes";
    case SpmvAlgorithm::nonzero_split: return "nonzero_split";
    case SpmvAlgorithm::sell: return "sell";
    case SpmvAlgorithm::sliced_dia: return "sliced_dia";
    case SpmvAlgorithm::row_split: return "row_split";
    case SpmvAlgorithm::diagonals: return "diagonals";
    case SpmvAlgorithm::vector_slices: return "vector_slices";
  }
  return "unknown";
}

/// \brief What a `SpmvPlan` can be asked for. Use designated initialisers; the order of the members is part of the
/// contract.
struct SpmvOptions {
  Op op                   = Op::none;
  SpmvAlgorithm algorithm = SpmvAlgorithm::automatic;
  Precision precision     = Precision::full;  ///< only `full` is supported
  /// The same bits from run to run. Every algorithm adds in a fixed order, so this asks for what is given anyway.
  bool deterministic = false;
  /// Calls that the set-up has to pay back; `automatic` takes no storage whose break-even lies above it.
  std::int64_t expected_calls = 1000;
  /// Bytes of the memory of the execution space that the plan may allocate, those that it needs while it is made among
  /// them. Small counts, and their copies on the host, are left out.
  std::size_t memory_limit = unlimited;
  /// Threads of a team (a multiple of 32 up to 1024), lanes of a row (a power of two up to 64); 0 leaves the choice to
  /// the plan.
  int team_size     = 0;
  int lanes_per_row = 0;
};

}  // namespace lacuna

#endif

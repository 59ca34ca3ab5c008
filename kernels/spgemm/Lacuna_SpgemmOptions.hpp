// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMOPTIONS_HPP
#define LACUNA_SPGEMMOPTIONS_HPP

#include <Lacuna_Options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// \file
/// \brief The algorithms of C = alpha op(A) op(B) with sparse A, B and C, and the options of a plan.
/// "001" is the SpGEMM of clSPARSE (Liu; described by Varaganti, AMD, 2015).

namespace lacuna {

enum class SpgemmAlgorithm {
  automatic,  ///< row_classes
  /// 001 as published: 38 bins by upper bound; a lane, a warp or a team a row; heap, bitonic sort in scratch,
  /// progressive merge. Rows of B must be sorted.
  bins,
  /// `bins` with as many lanes as a row keeps busy: rows of 33 to 512 products are sorted in registers by 8 to 32
  /// lanes, and copied by 8
  bins_by_subwarps,
  /// counts, then adds: rows of few products are added in a table, others by rank in a bitmap of their columns
  row_classes,
  /// of a `GcooMatrix` with groups of rows, read as it stands (`Lacuna_SpgemmFormats.hpp`); a matrix in CSR has no such
  /// algorithm
  gcoo
};

/// \brief Those of matrices in CSR.
inline constexpr std::array spgemm_algorithms{SpgemmAlgorithm::automatic, SpgemmAlgorithm::bins,
                                              SpgemmAlgorithm::bins_by_subwarps, SpgemmAlgorithm::row_classes};

constexpr std::string_view name(SpgemmAlgorithm algorithm) {
  switch (algorithm) {
    case SpgemmAlgorithm::automatic: return "automatic";
    case SpgemmAlgorithm::bins: return "bins";
    case SpgemmAlgorithm::bins_by_subwarps: return "bins_by_subwarps";
    case SpgemmAlgorithm::row_classes: return "row_classes";
    case SpgemmAlgorithm::gcoo: return "gcoo";
  }
  return "unknown";
}

/// \brief Whether a plan keeps where its products go, so that later calls multiply and add alone.
enum class KeepProducts {
  automatic,  ///< where an estimate says that `expected_calls` calls gain more than that costs
  no,
  yes
};

constexpr std::string_view name(KeepProducts keep) {
  switch (keep) {
    case KeepProducts::automatic: return "automatic";
    case KeepProducts::no: return "no";
    case KeepProducts::yes: return "yes";
  }
  return "unknown";
}

/// \brief The options of a `SpgemmPlan`. Use designated initialisers; the order of the members is part of the contract.
struct SpgemmOptions {
  Op op_a                   = Op::none;
  Op op_b                   = Op::none;
  SpgemmAlgorithm algorithm = SpgemmAlgorithm::automatic;
  /// The same bits from run to run. Takes more time where rows of C have many products, because these are then added
  /// one row of B after the other; no more time on meshes. Where a row of B has a column twice, the order of these two
  /// products stays undefined.
  bool deterministic = false;
  /// Rows of C sorted by column. Without, hosts leave the columns of scattered rows as products come, in an order that
  /// is the same on every run, which takes less time than to sort them; all else sorts them anyway, and so do plans
  /// that may keep products.
  bool sorted_output = true;
  /// How often `spgemm` is called with this plan. 0: only once, with the values that the plan is made with, as by a
  /// call without a plan; `row_classes` then does not prepare rows of B that are seldom read. Larger numbers tell
  /// `keep_products` what pays, and have no other effect.
  std::int64_t expected_calls = 1;
  /// Bytes that the plan may allocate in the memory of the execution space, without C. Where they do not suffice for
  /// all rows at once, both `bins` compute rows in panels, and `row_classes` uses fewer teams (on hosts: threads) at
  /// once. Where they do not suffice for one row, OutOfMemory says how many bytes are missing, before anything is
  /// multiplied.
  std::size_t memory_limit = unlimited;
  /// For many calls, where it is `yes` or `automatic` says so: the plan keeps the columns of C and, for each product of
  /// an element of A and one of B, its place in C. This takes 2 bytes for each product, 16 for each nonzero of A, and 4
  /// (on GPUs 10) for each of C, with columns of 4 bytes; the set-up takes as long as ten to fifty calls. A call then
  /// multiplies and adds alone, with the same bits from run to run. This is faster on most matrices, and up to three
  /// times as slow where nodes have several unknowns. `automatic` weighs both by an estimate, for up to 4 GiB, and
  /// reports what it did; `SpgemmPlan::keeps_products` tells. All matrices that the plan allocates share their columns,
  /// which must not be written. A and B have at most 2^32 - 1 nonzeros each. Calls without a plan keep nothing.
  /// GPUs do not add long sums in the order of A: a semiring whose `add` does not commute needs `no`.
  KeepProducts keep_products = KeepProducts::automatic;
  PatternCheck check_pattern = PatternCheck::automatic;  ///< whether products compare the patterns of A, B and D
};

}  // namespace lacuna

#endif

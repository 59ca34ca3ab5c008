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
/// \brief The algorithms of C = alpha op(A) op(B) with sparse A, B and C, and what a plan can be asked for.
/// "001" is the SpGEMM of clSPARSE (Liu; described by Varaganti, AMD, 2015).

namespace lacuna {

enum class SpgemmAlgorithm {
  automatic,   ///< row_classes
  bins,        ///< 001: 38 bins by upper bound; heap, bitonic sort, progressive merge. Rows of B must be sorted.
  row_classes  ///< two passes; rows of few products are sorted, others accumulate by rank in a bitmap of their columns
};

inline constexpr std::array spgemm_algorithms{SpgemmAlgorithm::automatic, SpgemmAlgorithm::bins,
                                              SpgemmAlgorithm::row_classes};

constexpr std::string_view name(SpgemmAlgorithm algorithm) {
  switch (algorithm) {
    case SpgemmAlgorithm::automatic: return "automatic";
    case SpgemmAlgorithm::bins: return "bins";
    case SpgemmAlgorithm::row_classes: return "row_classes";
  }
  return "unknown";
}

/// \brief What a `SpgemmPlan` can be asked for. Use designated initialisers; the order of the members is part of the
/// contract.
struct SpgemmOptions {
  Op op_a                   = Op::none;
  Op op_b                   = Op::none;
  SpgemmAlgorithm algorithm = SpgemmAlgorithm::automatic;
  /// The same bits from run to run. Costs time where rows of C have many products: they are then added one row of B
  /// after the other. H200, November 2026, double, whole calls: nothing on meshes and random matrices, 1.3 times the
  /// time on ca-CondMat, 1.6 times on email-Enron. Where B holds a column twice in a row, the order of those two stays
  /// free.
  bool deterministic = false;
  /// Rows of C by ascending column. Both algorithms give that anyway.
  bool sorted_output = true;
  /// Calls of `spgemm` with this plan. 0: none but one with the values that it is made with, which is what calls
  /// without a plan ask for; `row_classes` then leaves out what prepares rows of B that are read seldom. Any other
  /// number makes no difference.
  std::int64_t expected_calls = 1;
  /// Bytes of the memory of the execution space that the plan may allocate; C is not counted. Where they do not
  /// suffice for all rows at once, `bins` works in panels of rows, and fewer teams (on hosts threads) work at once in
  /// `row_classes`; where they do not suffice for one row either, OutOfMemory says how many bytes are missing, before
  /// anything is multiplied.
  std::size_t memory_limit = unlimited;
  /// For many calls: the plan keeps the columns of C and, for each of its nonzeros, which nonzeros of A and of B it is
  /// the sum of. That takes about 8 bytes a product and 8 a nonzero of C, and a set-up of ten to a hundred calls. Calls
  /// then gather and write values alone, the same bits from run to run: faster on irregular matrices and on meshes with
  /// one unknown a node, slower where nodes have several, and on some matrices whose nonzeros of C are one product each
  /// (mult_dcop_02). All that the plan allocates shares its columns, which must not be written to. Not more than
  /// 2^32 - 1 nonzeros in each of A and B. One-shot calls keep nothing.
  bool keep_products = false;
};

}  // namespace lacuna

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMCALLCOST_HPP
#define LACUNA_SPGEMMCALLCOST_HPP

#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClassifiers.hpp>

#include <cstdint>

/// \file
/// \brief What the values of a product cost by class of rows: what `KeepProducts::automatic` weighs lists against.

namespace lacuna::Impl {

/// What a product costs by the kind of its row, in bytes that take as long to copy; see tuning.md.
struct SpgemmCallCostPolicy {
  static constexpr std::int64_t sorted           = 60;
  static constexpr std::int64_t in_warp          = 6;    ///< and more where words of the bitmap have few products:
  static constexpr std::int64_t in_sparse_words  = 100;  ///< times the square of words for each product
  static constexpr std::int64_t in_team          = 90;
  static constexpr std::int64_t in_scratch       = 14;
  static constexpr std::int64_t sorted_in_memory = 850;
  static constexpr std::int64_t word_in_memory   = 32;  ///< of the window
  /// Seconds that a warp takes for a product of its longest row.
  static constexpr double latency = 10e-9;
};

/// Sums over all rows. Integers: the same on every run.
struct SpgemmCallCostSums {
  std::int64_t bytes   = 0;
  std::int64_t longest = 0;  ///< products of a row that one warp adds
};

template <class Classifier>
struct SpgemmCallCost {
  using value_type = SpgemmCallCostSums;

  Classifier classify;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = {}; }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.bytes += other.bytes;
    if (other.longest > sums.longest) sums.longest = other.longest;
  }
  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& sums) const {
    using Policy        = SpgemmCallCostPolicy;
    using Kind          = SpgemmRowKind;
    const int c         = classify.class_of(row);
    const auto products = static_cast<std::int64_t>(classify.products[row]);
    if (c < row_class_index<Kind::inode_member>()) return;
    std::int64_t bytes = Policy::in_team;
    if (c >= row_class_index<Kind::sort>() && c < row_class_index<Kind::warp>()) {
      bytes = Policy::sorted;
    } else if (c < row_class_index<Kind::team>()) {
      const auto marked        = static_cast<std::int64_t>(classify.nonempty_words[row]);
      const std::int64_t words = marked < products ? marked : products;
      bytes                    = Policy::in_warp + Policy::in_sparse_words * words / products * words / products;
      if (products > sums.longest) sums.longest = products;
    } else if (c >= row_class_index<Kind::team_in_scratch>() && c < row_class_index<Kind::global>()) {
      bytes = Policy::in_scratch;
    } else if (c == row_class_index<Kind::sort_in_memory>()) {
      bytes = Policy::sorted_in_memory;
    } else if (c == row_class_index<Kind::global>()) {
      sums.bytes += Policy::word_in_memory * classify.ranges[row].words();
    }
    sums.bytes += bytes * products;
  }
};

}  // namespace lacuna::Impl

#endif

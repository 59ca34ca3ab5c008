// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWCLASSIFIERS_HPP
#define LACUNA_SPGEMMROWCLASSIFIERS_HPP

#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClassRule.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstdint>

/// \file
/// \brief The passes that apply `SpgemmRowClassRule` to every row, before and after its nonzeros are counted.

namespace lacuna::Impl {

/// Whether a row of a masked product is computed by searching the columns of the mask in rows of B. `ascends`: rows of
/// B are sorted and have no duplicates, which a search needs.
template <class Operands>
KOKKOS_FORCEINLINE_FUNCTION bool is_searched([[maybe_unused]] const Operands& operands,
                                             [[maybe_unused]] std::int64_t row, [[maybe_unused]] Counter products,
                                             [[maybe_unused]] bool ascends) {
  if constexpr (Operands::is_masked) {
    const auto factors = static_cast<std::int64_t>(operands.A.row_map[row + 1] - operands.A.row_map[row]);
    return ascends && operands.mask.searches(row, factors, static_cast<std::int64_t>(products));
  }
  return false;
}

/// The class that counts a row; products are added up.
template <class Operands>
struct SpgemmSymbolicClassifier {
  SpgemmRowClassRule<Operands> rule;
  const Counter* products;
  const ColumnRange<typename Operands::Arrays::Ordinal>* ranges;
  Operands operands;
  const Counter* not_ascending;                              ///< 0: rows of B are sorted and have no duplicates
  const typename Operands::Arrays::Ordinal* nonempty_words;  ///< of each row, at most; or nullptr
  const unsigned char* inode_sizes;                          ///< or nullptr

  KOKKOS_FORCEINLINE_FUNCTION int class_of(std::int64_t row) const {
    if (is_searched(operands, row, products[row], *not_ascending == 0)) return row_class_index<SpgemmRowKind::search>();
    const std::int64_t words = ranges[row].words();
    return rule.symbolic({.products       = static_cast<std::int64_t>(products[row]),
                          .words          = words,
                          .nonempty_words = most_nonempty_words(operands, row, nonempty_words, words, words),
                          .nonzeros       = 0,
                          .factors        = 0,
                          .inode_size     = inode_sizes == nullptr ? 1 : inode_sizes[row],
                          .is_first       = true});
  }
  KOKKOS_FORCEINLINE_FUNCTION Counter summand(std::int64_t row) const { return products[row]; }
  /// The width of a bitmap that a team may need.
  KOKKOS_FORCEINLINE_FUNCTION Counter measure(std::int64_t row) const {
    return is_far_apart(row) ? 0 : static_cast<Counter>(ranges[row].width());
  }
  /// Products that may be sorted in memory.
  KOKKOS_FORCEINLINE_FUNCTION Counter sorted(std::int64_t row) const {
    return rule.may_sort_in_memory(static_cast<std::int64_t>(products[row]), ranges[row].words()) ? products[row] : 0;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool is_far_apart(std::int64_t row) const {
    return rule.is_far_apart(static_cast<std::int64_t>(products[row]), ranges[row].words());
  }
};

/// The class that adds a row whose nonzeros are counted; these are added up.
template <class Operands>
struct SpgemmNumericClassifier {
  SpgemmRowClassRule<Operands> rule;
  const Counter* products;
  const ColumnRange<typename Operands::Arrays::Ordinal>* ranges;
  const typename Operands::Arrays::Ordinal* counts;
  Operands operands;
  bool ascends;                                              ///< rows of B are sorted and have no duplicates
  const typename Operands::Arrays::Ordinal* nonempty_words;  ///< of each row, at most; or nullptr
  const unsigned char* inode_sizes;                          ///< or nullptr

  KOKKOS_FORCEINLINE_FUNCTION int class_of(std::int64_t row) const {
    if (Operands::is_masked && counts[row] == 0) return row_class_index<SpgemmRowKind::empty>();
    if (is_searched(operands, row, products[row], ascends)) return row_class_index<SpgemmRowKind::search>();
    std::int64_t first = row;
    if (inode_sizes != nullptr)
      while (inode_sizes[first] == 0) --first;
    const std::int64_t words   = ranges[row].words();
    const auto nonzeros        = static_cast<std::int64_t>(counts[row]);
    const std::int64_t at_most = most_nonempty_words(operands, row, nonempty_words, words, nonzeros);
    return rule.numeric({.products       = static_cast<std::int64_t>(products[row]),
                         .words          = words,
                         .nonempty_words = at_most,
                         .nonzeros       = nonzeros,
                         .factors    = static_cast<std::int64_t>(operands.A.row_map[row + 1] - operands.A.row_map[row]),
                         .inode_size = inode_sizes == nullptr ? 1 : inode_sizes[first],
                         .is_first   = first == row});
  }
  KOKKOS_FORCEINLINE_FUNCTION Counter summand(std::int64_t row) const { return static_cast<Counter>(counts[row]); }
  KOKKOS_FORCEINLINE_FUNCTION Counter measure(std::int64_t row) const { return static_cast<Counter>(counts[row]); }
};

}  // namespace lacuna::Impl

#endif

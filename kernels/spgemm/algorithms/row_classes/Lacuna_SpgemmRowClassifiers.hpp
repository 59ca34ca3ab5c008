// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWCLASSIFIERS_HPP
#define LACUNA_SPGEMMROWCLASSIFIERS_HPP

#include <kernels/spgemm/accumulate/Lacuna_SpgemmWarpRows.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClassesPolicy.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstdint>

/// \file
/// \brief What class a row is of, before and after its nonzeros are counted.

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

/// Class of a row before its nonzeros are known; products are added up.
template <class Operands>
struct SpgemmSymbolicClassifier {
  SpgemmRowClasses<Operands> classes;
  const Counter* products;
  const ColumnRange<typename Operands::Arrays::Ordinal>* ranges;
  Operands operands;
  const Counter* not_ascending;                              ///< 0: rows of B are sorted and have no duplicates
  const typename Operands::Arrays::Ordinal* nonempty_words;  ///< or nullptr: words of a row that are not empty, at most
  const unsigned char* inode_sizes;                          ///< or nullptr

  KOKKOS_FORCEINLINE_FUNCTION int class_of(std::int64_t row) const {
    if (is_searched(operands, row, products[row], *not_ascending == 0)) return SpgemmRowClasses<Operands>::search;
    const std::int64_t words = ranges[row].words();
    return classes.symbolic(
        static_cast<std::int64_t>(products[row]), words,
        SpgemmWarpRows<false, Operands>::most_nonempty_words(operands, row, nonempty_words, words, words),
        inode_sizes == nullptr ? 1 : inode_sizes[row]);
  }
  KOKKOS_FORCEINLINE_FUNCTION Counter summand(std::int64_t row) const { return products[row]; }
  KOKKOS_FORCEINLINE_FUNCTION Counter measure(std::int64_t row) const {
    return static_cast<Counter>(ranges[row].width());
  }
};

/// Class of a row whose nonzeros are counted; these are added up.
template <class Operands>
struct SpgemmNumericClassifier {
  SpgemmRowClasses<Operands> classes;
  const Counter* products;
  const ColumnRange<typename Operands::Arrays::Ordinal>* ranges;
  const typename Operands::Arrays::Ordinal* counts;
  Operands operands;
  bool ascends;                                              ///< rows of B are sorted and have no duplicates
  const typename Operands::Arrays::Ordinal* nonempty_words;  ///< or nullptr: words of a row that are not empty, at most
  const unsigned char* inode_sizes;                          ///< or nullptr

  KOKKOS_FORCEINLINE_FUNCTION int class_of(std::int64_t row) const {
    if (Operands::is_masked && counts[row] == 0) return SpgemmRowClasses<Operands>::empty;
    if (is_searched(operands, row, products[row], ascends)) return SpgemmRowClasses<Operands>::search;
    std::int64_t first = row;
    if (inode_sizes != nullptr)
      while (inode_sizes[first] == 0) --first;
    const std::int64_t words = ranges[row].words();
    const auto nonzeros      = static_cast<std::int64_t>(counts[row]);
    const std::int64_t at_most =
        SpgemmWarpRows<true, Operands>::most_nonempty_words(operands, row, nonempty_words, words, nonzeros);
    return classes.numeric(static_cast<std::int64_t>(products[row]), words, at_most, nonzeros,
                           static_cast<std::int64_t>(operands.A.row_map[row + 1] - operands.A.row_map[row]),
                           inode_sizes == nullptr ? 1 : inode_sizes[first], first == row);
  }
  KOKKOS_FORCEINLINE_FUNCTION Counter summand(std::int64_t row) const { return static_cast<Counter>(counts[row]); }
  KOKKOS_FORCEINLINE_FUNCTION Counter measure(std::int64_t row) const { return static_cast<Counter>(counts[row]); }
};

}  // namespace lacuna::Impl

#endif

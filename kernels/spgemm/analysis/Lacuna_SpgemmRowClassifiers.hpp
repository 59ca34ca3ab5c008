// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWCLASSIFIERS_HPP
#define LACUNA_SPGEMMROWCLASSIFIERS_HPP

#include <kernels/spgemm/accumulate/Lacuna_SpgemmGroupRows.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClassesPolicy.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstdint>

/// \file
/// \brief What class a row is of, before and after its nonzeros are counted.

namespace lacuna::Impl {

/// Whether a row of a masked product is searched for. `unordered`: rows of B are not sorted.
template <class Operands>
KOKKOS_FORCEINLINE_FUNCTION bool is_searched([[maybe_unused]] const Operands& operands,
                                             [[maybe_unused]] std::int64_t row, [[maybe_unused]] Counter products,
                                             [[maybe_unused]] const Counter* unordered) {
  if constexpr (Operands::is_masked) {
    const auto factors = static_cast<std::int64_t>(operands.A.row_map[row + 1] - operands.A.row_map[row]);
    return *unordered == 0 && operands.mask.searches(row, factors, static_cast<std::int64_t>(products));
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
  const Counter* unordered;
  const typename Operands::Arrays::Ordinal* listed;  ///< or nullptr: words of a row that are not empty, at most
  const unsigned char* equal_rows;                   ///< or nullptr

  KOKKOS_FORCEINLINE_FUNCTION int class_of(std::int64_t row) const {
    if (is_searched(operands, row, products[row], unordered)) return SpgemmRowClasses<Operands>::search;
    const std::int64_t words = ranges[row].words();
    return classes.symbolic(static_cast<std::int64_t>(products[row]), words,
                            SpgemmGroupRows<false, Operands>::most_words(operands, row, listed, words, words),
                            equal_rows == nullptr ? 1 : equal_rows[row]);
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
  bool unordered;
  const typename Operands::Arrays::Ordinal* listed;  ///< or nullptr: words of a row that are not empty, at most
  const unsigned char* equal_rows;                   ///< or nullptr

  KOKKOS_FORCEINLINE_FUNCTION int class_of(std::int64_t row) const {
    const Counter is_mixed = unordered ? 1 : 0;
    if (Operands::is_masked && counts[row] == 0) return SpgemmRowClasses<Operands>::empty;
    if (is_searched(operands, row, products[row], &is_mixed)) return SpgemmRowClasses<Operands>::search;
    std::int64_t first = row;
    if (equal_rows != nullptr)
      while (equal_rows[first] == 0) --first;
    const std::int64_t words   = ranges[row].words();
    const auto nonzeros        = static_cast<std::int64_t>(counts[row]);
    const std::int64_t at_most = SpgemmGroupRows<true, Operands>::most_words(operands, row, listed, words, nonzeros);
    return classes.numeric(static_cast<std::int64_t>(products[row]), words, at_most, nonzeros,
                           static_cast<std::int64_t>(operands.A.row_map[row + 1] - operands.A.row_map[row]),
                           equal_rows == nullptr ? 1 : equal_rows[first], first == row);
  }
  KOKKOS_FORCEINLINE_FUNCTION Counter summand(std::int64_t row) const { return static_cast<Counter>(counts[row]); }
  KOKKOS_FORCEINLINE_FUNCTION Counter measure(std::int64_t row) const { return static_cast<Counter>(counts[row]); }
};

}  // namespace lacuna::Impl

#endif

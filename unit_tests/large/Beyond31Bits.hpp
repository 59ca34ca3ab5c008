// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_BEYOND31BITS_HPP
#define LACUNA_TEST_BEYOND31BITS_HPP

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief Matrices whose products are known by construction: small integers at places that a formula gives, so that
/// every result is exact in float and a kernel can compute it again without the matrix. Nothing here counts in 32 bits.

namespace lacuna::Test {

using LargeExec   = Kokkos::DefaultExecutionSpace;
using LargeDevice = LargeExec::device_type;
using LargeMatrix = KokkosSparse::CrsMatrix<float, int, LargeDevice, void, std::size_t>;
using LargeRange  = Kokkos::RangePolicy<LargeExec, Kokkos::IndexType<std::int64_t>>;

/// What a run is told.
struct LargeSizes {
  std::int64_t rows    = 5000;  ///< of A, for SpMV and SpMM
  std::int64_t per_row = 24;    ///< nonzeros of each row
  int columns          = 4;     ///< of B and C, for SpMM
  std::int64_t c_rows  = 2000;  ///< of C, for SpGEMM
  std::int64_t width   = 32;    ///< nonzeros of a row of B, even; a row of C has half as many more
};

/// rows × columns with `per_row` nonzeros in each row, every third column from a start that moves with the row.
struct Strided {
  static constexpr std::int64_t step = 3;

  std::int64_t rows, per_row, columns;

  KOKKOS_FUNCTION std::int64_t column(std::int64_t row, std::int64_t place) const {
    return row * 7 % (columns - step * (per_row - 1)) + step * place;
  }
  KOKKOS_FUNCTION static int value(std::int64_t row, std::int64_t place) {
    return 1 + static_cast<int>((row + place) % 3);
  }
  KOKKOS_FUNCTION static int of_b(std::int64_t row, std::int64_t column) {
    return 1 + static_cast<int>((row + 2 * column) % 4);
  }
  /// Of the product of row `row` with column `column` of what `of_b` fills.
  KOKKOS_FUNCTION std::int64_t sum(std::int64_t row, std::int64_t b_column) const {
    std::int64_t result = 0;
    for (std::int64_t place = 0; place < per_row; ++place)
      result += std::int64_t{value(row, place)} * of_b(column(row, place), b_column);
    return result;
  }
};

template <class Pattern>
struct FillRows {
  Pattern pattern;
  Kokkos::View<std::size_t*, LargeDevice> row_map;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_map(row) = static_cast<std::size_t>(row) * static_cast<std::size_t>(pattern.per_row);
  }
};

template <class Pattern>
struct FillEntries {
  Pattern pattern;
  Kokkos::View<int*, LargeDevice> entries;
  Kokkos::View<float*, LargeDevice> values;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t row = k / pattern.per_row, place = k % pattern.per_row;
    entries(k) = static_cast<int>(pattern.column(row, place));
    values(k)  = static_cast<float>(pattern.value(row, place));
  }
};

/// A matrix of a pattern with `rows`, `columns`, `per_row`, `column(row, place)` and `value(row, place)`.
template <class Pattern>
LargeMatrix make_large(const LargeExec& exec, const Pattern& pattern) {
  const auto nonzeros = static_cast<std::size_t>(pattern.rows) * static_cast<std::size_t>(pattern.per_row);
  const auto fresh    = [](const std::string& label) { return Kokkos::view_alloc(Kokkos::WithoutInitializing, label); };
  const Kokkos::View<std::size_t*, LargeDevice> row_map(fresh("row_map"), static_cast<std::size_t>(pattern.rows) + 1);
  const Kokkos::View<int*, LargeDevice> entries(fresh("entries"), nonzeros);
  const Kokkos::View<float*, LargeDevice> values(fresh("values"), nonzeros);
  Kokkos::parallel_for("fill rows", LargeRange(exec, 0, pattern.rows + 1), FillRows<Pattern>{pattern, row_map});
  Kokkos::parallel_for("fill entries", LargeRange(exec, 0, static_cast<std::int64_t>(nonzeros)),
                       FillEntries<Pattern>{pattern, entries, values});
  return LargeMatrix("A", static_cast<int>(pattern.rows), static_cast<int>(pattern.columns), nonzeros, values, row_map,
                     entries);
}

/// The matrix A of SpMV and SpMM.
inline Strided large_pattern(const LargeSizes& sizes) {
  return {sizes.rows, sizes.per_row, sizes.rows / 2 + Strided::step * sizes.per_row};
}

/// Prints one line, with how many elements are wrong, and returns whether none is.
bool report(const char* what, std::int64_t nonzeros, std::int64_t wrong, double seconds);

bool check_spmv(const LargeSizes& sizes);
bool check_spmm(const LargeSizes& sizes);
bool check_spgemm(const LargeSizes& sizes);

}  // namespace lacuna::Test

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMEQUALROWS_HPP
#define LACUNA_SPGEMMEQUALROWS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstdint>

/// \file
/// \brief Rows of A with the same columns one behind the other, as several unknowns of a node have: one warp adds
/// them together, so that B and the bitmap are read once.

namespace lacuna::Impl {

/// Most rows that are added together.
inline constexpr int most_equal_rows = 4;

/// How many rows follow the pattern of each row, itself included: 1 … most_equal_rows for the first of them, 0 for the
/// others. Runs of up to eight are split evenly, longer ones at multiples of most_equal_rows.
struct SpgemmGroupEqualRows {
  static constexpr int far = 8;

  std::int64_t rows;
  const unsigned char* repeats;  ///< 1 for a row with the columns of the row before
  unsigned char* sizes;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    if (!is_first(row)) {
      sizes[row] = 0;
      return;
    }
    unsigned char size = 1;
    while (row + size < rows && size < most_equal_rows && repeats[row + size] != 0 && !is_first(row + size)) ++size;
    sizes[row] = size;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool is_first(std::int64_t row) const {
    int before = 0;  // rows of the same run
    while (before < far && repeats[row - before] != 0) ++before;
    if (before == 0) return true;
    int length = before + 1;
    while (length <= far && row + length - before < rows && repeats[row + length - before] != 0) ++length;
    if (length > far) return row % most_equal_rows == 0;
    const int parts = (length + most_equal_rows - 1) / most_equal_rows;
    return before % ((length + parts - 1) / parts) == 0;
  }
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_EXAMPLE_COMPRESS_HPP
#define LACUNA_EXAMPLE_COMPRESS_HPP

#include "example.hpp"

/// \file
/// \brief A matrix without some of its nonzeros: what programs do themselves, since only they know which.

namespace example {

/// The nonzeros k of A with keep(k) == 1; keep(k) is 0 for all others. Waits for their number.
inline Matrix compress(const Execution& exec, const Matrix& A, const Columns& keep) {
  const int rows = A.numRows();
  const Columns row_map("row_map", size(rows) + 1);
  Kokkos::parallel_for(
      "count", Kokkos::RangePolicy<Execution>(exec, 0, rows), KOKKOS_LAMBDA(int row) {
        int count = 0;
        for (int k = A.graph.row_map(row); k < A.graph.row_map(row + 1); ++k) count += keep(k);
        row_map(row + 1) = count;
      });
  int nonzeros = 0;
  Kokkos::parallel_scan(
      "row_map", Kokkos::RangePolicy<Execution>(exec, 0, rows + 1),
      KOKKOS_LAMBDA(int row, int& sum, bool is_final) {
        sum += row_map(row);
        if (is_final) row_map(row) = sum;
      },
      nonzeros);
  const Columns columns("columns", size(nonzeros));
  const Vector values("values", size(nonzeros));
  Kokkos::parallel_for(
      "copy", Kokkos::RangePolicy<Execution>(exec, 0, rows), KOKKOS_LAMBDA(int row) {
        int to = row_map(row);
        for (int k = A.graph.row_map(row); k < A.graph.row_map(row + 1); ++k)
          if (keep(k) == 1) {
            columns(to)  = A.graph.entries(k);
            values(to++) = A.values(k);
          }
      });
  return Matrix("compressed", rows, A.numCols(), nonzeros, values, row_map, columns);
}

}  // namespace example

#endif

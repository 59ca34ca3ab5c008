// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_EXAMPLE_MULTIGRID_PROBLEM_HPP
#define LACUNA_EXAMPLE_MULTIGRID_PROBLEM_HPP

#include "example.hpp"

/// \file
/// \brief What multigrid.cpp solves: heat in a block of n x n x n nodes.

namespace example {

constexpr double mass = 1e-2;

KOKKOS_INLINE_FUNCTION double conductivity(int node, int n, double time) {
  const int x = node % n, y = node / n % n, z = node / (n * n);
  return 1.5 + Kokkos::sin(0.3 * x + time) * Kokkos::cos(0.2 * y - 0.1 * z);
}

/// The values of A at a time, 7 a row: the mass, and what flows to the neighbours and out at the surface.
inline void assemble(const Execution& exec, const Matrix& A, int n, double time) {
  Kokkos::parallel_for(
      "assemble", Kokkos::RangePolicy<Execution>(exec, 0, A.numRows()), KOKKOS_LAMBDA(int i) {
        const double here = conductivity(i, n, time);
        double diagonal   = mass + 6 * here;
        int place         = 0;
        for (int k = A.graph.row_map(i); k < A.graph.row_map(i + 1); ++k) {
          const int j = A.graph.entries(k);
          if (j == i) place = k;
          if (j == i) continue;
          const double between = (here + conductivity(j, n, time)) / 2;
          diagonal += between - here;
          A.values(k) = -between;
        }
        A.values(place) = diagonal;
      });
}

/// Cubes of 3 x 3 x 3 nodes are the nodes of the next level. (Meshes without such an order need a search for them.)
inline Matrix aggregates(const Execution& exec, int n) {
  const int nodes = n * n * n, m = (n + 2) / 3;
  const Columns row_map("row_map", size(nodes) + 1), columns("columns", size(nodes));
  const Vector values("values", size(nodes));
  Kokkos::parallel_for(
      "aggregates", Kokkos::RangePolicy<Execution>(exec, 0, nodes), KOKKOS_LAMBDA(int i) {
        row_map(i + 1) = i + 1;
        columns(i)     = i % n / 3 + m * (i / n % n / 3 + m * (i / (n * n) / 3));
        values(i)      = 1;
      });
  return Matrix("aggregates", nodes, m * m * m, nodes, values, row_map, columns);
}

}  // namespace example

#endif

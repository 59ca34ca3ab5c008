// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "compress.hpp"
#include "example_plans.hpp"
#include "kokkos_kernels.hpp"

#include <Lacuna_Generators.hpp>
#include <Lacuna_Spadd.hpp>
#include <Lacuna_Transpose.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief How many triangles a graph has: each once, as a path of two edges downwards whose ends are joined. These
/// paths are L L, for the lower triangle L of the adjacency matrix; those whose ends are joined stand where L has a
/// nonzero. A mask computes these alone.
///
///     example_triangles [nodes, 5000]

using namespace example;

namespace {

/// The lower triangle of a graph's adjacency matrix, each edge a 1. Few nodes know many.
Matrix lower_triangle(const Execution& exec, int nodes) {
  const std::string spec = "power:rows=" + std::to_string(nodes) + ",nnz=" + std::to_string(8 * nodes) +
                           ",longest=" + std::to_string(nodes / 10);
  //! [symmetric-pattern]
  const auto one_way = lacuna::generate<Matrix>(exec, spec);
  const Matrix A     = lacuna::spadd(exec, 1.0, one_way, 1.0, lacuna::transpose(exec, one_way).matrix);
  //! [symmetric-pattern]
  const Columns keep("keep", A.graph.entries.extent(0));
  Kokkos::parallel_for(
      "below the diagonal", Kokkos::RangePolicy<Execution>(exec, 0, nodes), KOKKOS_LAMBDA(int row) {
        for (int k = A.graph.row_map(row); k < A.graph.row_map(row + 1); ++k) keep(k) = A.graph.entries(k) < row;
      });
  const Matrix L = compress(exec, A, keep);
  Kokkos::deep_copy(exec, L.values, 1.0);
  return L;
}

/// Sums of ones are exact in double, up to 2^53.
double count_triangles(const Execution& exec, const Matrix& L) {
  //! [mask]
  const Matrix C = lacuna::spgemm(exec, L, L, lacuna::within(L));
  //! [mask]
  double paths = 0;
  Kokkos::parallel_reduce(
      "sum", Kokkos::RangePolicy<Execution>(exec, 0, C.nnz()),
      KOKKOS_LAMBDA(int k, double& sum) { sum += C.values(k); }, paths);
  return paths;
}

/// On the host, edge by edge: what the sorted rows of both ends have in common.
std::int64_t count_by_hand(const Matrix& L) {
  const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), L.graph.row_map);
  const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), L.graph.entries);
  std::int64_t count = 0;
  for (int i = 0; i < L.numRows(); ++i)
    for (int edge = row_map(i); edge < row_map(i + 1); ++edge) {
      const int j = columns(edge);
      for (int a = row_map(i), b = row_map(j); a < row_map(i + 1) && b < row_map(j + 1);) {
        if (columns(a) == columns(b)) ++count;
        const bool next_a = columns(a) <= columns(b), next_b = columns(b) <= columns(a);
        a += next_a ? 1 : 0;
        b += next_b ? 1 : 0;
      }
    }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Execution exec;
  const int nodes             = size_argument(argc, argv, 5000);
  const Matrix L              = lower_triangle(exec, nodes);
  const double triangles      = count_triangles(exec, L);
  const std::int64_t expected = count_by_hand(L);
  std::printf("%d nodes, %d edges, %.0f triangles\n", nodes, L.nnz(), triangles);
  const bool right =
      check("a search by hand finds as many", triangles == static_cast<double>(expected) && expected > 0);

  print_times_header();
  print_times("L L within L, and its sum", least_seconds(3, exec, [&] { count_triangles(exec, L); }), -1);
  // Kokkos Kernels has no masks: the nearest is the whole product, of which most is thrown away.
  print_times("the whole of L L", least_seconds(3, exec, [&] { lacuna::spgemm(exec, L, L); }),
              least_seconds(3, exec, [&] { kokkos_kernels::spgemm(L, L); }));
  return right ? 0 : 1;
}

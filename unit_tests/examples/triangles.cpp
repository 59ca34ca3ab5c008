// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "compress.hpp"
#include "kokkos_kernels.hpp"

#include <Lacuna_Generators.hpp>
#include <Lacuna_Spadd.hpp>
#include <Lacuna_Spgemm.hpp>
#include <Lacuna_Transpose.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief How many triangles a graph has. Each edge points to the end with more neighbours, so that a triangle is one
/// path of two edges whose ends have an edge, too. If L has a row of edges for each node, paths are counted by L L, and
/// those whose ends are joined stand where L has a nonzero. A mask computes these alone.
///
///     example_triangles [nodes, 5000]

using namespace example;

namespace {

/// The nonzeros of A that `keep` has a 1 for, each with the value 1.
Matrix edges(const Execution& exec, const Matrix& A, const Columns& keep) {
  const Matrix chosen = compress(exec, A, keep);
  Kokkos::deep_copy(exec, chosen.values, 1.0);
  return chosen;
}

/// A graph in which few nodes know many, without loops.
Matrix some_graph(const Execution& exec, int nodes) {
  const std::string spec = "power:rows=" + std::to_string(nodes) + ",nnz=" + std::to_string(8 * nodes) +
                           ",longest=" + std::to_string(nodes / 10);
  //! [symmetric-pattern]
  const auto one_way = lacuna::generate<Matrix>(exec, spec);
  const Matrix A     = lacuna::spadd(exec, 1.0, one_way, 1.0, lacuna::transpose(exec, one_way).matrix);
  //! [symmetric-pattern]
  const Columns keep("keep", A.graph.entries.extent(0));
  Kokkos::parallel_for(
      "no loops", Kokkos::RangePolicy<Execution>(exec, 0, nodes), KOKKOS_LAMBDA(int row) {
        for (int k = A.graph.row_map(row); k < A.graph.row_map(row + 1); ++k) keep(k) = A.graph.entries(k) != row;
      });
  return edges(exec, A, keep);
}

/// L: each edge once, from the node with fewer neighbours. Nodes that everybody knows have short rows then.
Matrix towards_hubs(const Execution& exec, const Matrix& A) {
  const Columns keep("keep", A.graph.entries.extent(0));
  Kokkos::parallel_for(
      "towards hubs", Kokkos::RangePolicy<Execution>(exec, 0, A.numRows()), KOKKOS_LAMBDA(int row) {
        const int degree = A.graph.row_map(row + 1) - A.graph.row_map(row);
        for (int k = A.graph.row_map(row); k < A.graph.row_map(row + 1); ++k) {
          const int column = A.graph.entries(k);
          const int other  = A.graph.row_map(column + 1) - A.graph.row_map(column);
          keep(k)          = other > degree || (other == degree && column > row);
        }
      });
  return edges(exec, A, keep);
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
  const Matrix A              = some_graph(exec, nodes);
  const Matrix L              = towards_hubs(exec, A);
  const double triangles      = count_triangles(exec, L);
  const std::int64_t expected = count_by_hand(L);
  std::printf("%d nodes, %d edges, %.0f triangles\n", nodes, L.nnz(), triangles);
  const bool right =
      check("a search by hand finds as many", triangles == static_cast<double>(expected) && expected > 0);

  // Kokkos Kernels has no masks. It has an experimental search for triangles alone, which orders the nodes, too.
  const double theirs    = kokkos_kernels::count_triangles(A);
  const double ours      = least_seconds(3, exec, [&] { count_triangles(exec, towards_hubs(exec, A)); });
  const bool is_searched = theirs >= 0 && check("Kokkos Kernels finds as many", theirs == triangles);
  print_times_header();
  print_times("triangles of the graph", ours,
              is_searched ? least_seconds(3, exec, [&] { kokkos_kernels::count_triangles(A); }) : -1);
  print_times("L L within L, without the sum",
              least_seconds(3, exec, [&] { lacuna::spgemm(exec, L, L, lacuna::within(L)); }), -1);
  print_times("the whole of L L", least_seconds(3, exec, [&] { lacuna::spgemm(exec, L, L); }),
              least_seconds(3, exec, [&] { kokkos_kernels::spgemm(L, L); }));
  return right ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "compress.hpp"
#include "kokkos_kernels.hpp"

#include <Lacuna_Convert.hpp>
#include <Lacuna_CooMatrix.hpp>
#include <Lacuna_Scale.hpp>
#include <Lacuna_Spgemm.hpp>

#include <random>
#include <vector>

/// \file
/// \brief Groups of nodes with many edges among themselves, by Markov clustering (van Dongen, 2000). Column j of M says
/// where a walker from node j may be. M M lets everybody walk on; squares of its elements favour what is likely; what
/// is unlikely is dropped. In the end all walkers of a cluster meet at the same nodes.
///
///     example_markov_clustering [clusters of 40 nodes, 50]

using namespace example;

namespace {

constexpr int members = 40, most_steps = 60;
constexpr double inside = 0.4, least = 2e-3;

/// A graph with planted clusters: each pair of a cluster has an edge with the chance `inside`, and each node about two
/// edges to others. Every node has an edge to itself, which keeps walkers from taking turns.
Matrix planted_graph(const Execution& exec, int clusters) {
  const int nodes = clusters * members;
  std::mt19937 random(1);
  std::bernoulli_distribution joined(inside);
  std::uniform_int_distribution<int> anybody(0, nodes - 1);
  std::vector<std::vector<int>> neighbours(size(nodes));
  const auto join = [&](int i, int j) {
    neighbours[size(i)].push_back(j);
    if (i != j) neighbours[size(j)].push_back(i);
  };
  for (int i = 0; i < nodes; ++i) {
    join(i, i);
    for (int j = i + 1; j < (i / members + 1) * members; ++j)
      if (joined(random)) join(i, j);
    join(i, anybody(random));  // an edge that is there already gets a weight of two
  }
  std::vector<int> rows, columns;
  for (int i = 0; i < nodes; ++i)
    for (const int j : neighbours[size(i)]) {
      rows.push_back(i);
      columns.push_back(j);
    }
  //! [COO]
  using Host = Kokkos::View<const int*, Kokkos::HostSpace>;
  lacuna::CooMatrix<double, int, Device, int> coo;
  coo.rows = coo.columns = nodes;
  coo.row_indices        = Columns("rows", rows.size());
  coo.column_indices     = Columns("columns", rows.size());
  coo.values             = Vector("values", rows.size());
  Kokkos::deep_copy(coo.row_indices, Host(rows.data(), rows.size()));
  Kokkos::deep_copy(coo.column_indices, Host(columns.data(), rows.size()));
  Kokkos::deep_copy(coo.values, 1.0);
  return lacuna::to_crs(exec, coo);
  //! [COO]
}

/// Divides each column of M by its sum.
void normalize(const Execution& exec, const Matrix& M) {
  const Vector sums("sums", size(M.numCols()));
  Kokkos::parallel_for(
      "column sums", Kokkos::RangePolicy<Execution>(exec, 0, M.nnz()),
      KOKKOS_LAMBDA(int k) { Kokkos::atomic_add(&sums(M.graph.entries(k)), M.values(k)); });
  Kokkos::parallel_for(
      "invert", Kokkos::RangePolicy<Execution>(exec, 0, M.numCols()), KOKKOS_LAMBDA(int j) { sums(j) = 1 / sums(j); });
  //! [normalisation]
  lacuna::scale_columns(exec, M, sums);
  //! [normalisation]
}

/// Drops what is unlikely, squares the rest, and makes chances of it again.
Matrix inflate(const Execution& exec, const Matrix& M) {
  const Columns keep("keep", M.values.extent(0));
  Kokkos::parallel_for(
      "square", Kokkos::RangePolicy<Execution>(exec, 0, M.nnz()), KOKKOS_LAMBDA(int k) {
        keep(k)     = M.values(k) >= least ? 1 : 0;
        M.values(k) = M.values(k) * M.values(k);
      });
  const Matrix pruned = compress(exec, M, keep);
  normalize(exec, pruned);
  return pruned;
}

/// The sum of all squares: it stays where M does not change any more.
double squares(const Execution& exec, const Matrix& M) { return dot(exec, M.values, M.values); }

/// The number of clusters, -1 where one has not just the nodes that were planted together. Row i of M names those who
/// meet at i.
int count_clusters(const Matrix& M) {
  const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), M.graph.row_map);
  const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), M.graph.entries);
  std::vector<int> met(size(M.numCols() / members), 0);  // by how many of a planted cluster
  int clusters = 0;
  for (int i = 0; i < M.numRows(); ++i) {
    const int length = row_map(i + 1) - row_map(i);
    if (length == 0) continue;
    const int planted = columns(row_map(i)) / members;
    for (int k = row_map(i); k < row_map(i + 1); ++k)
      if (columns(k) / members != planted || length != members) return -1;
    if (met[size(planted)]++ == 0) ++clusters;
  }
  return clusters;
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Execution exec;
  const int clusters = size_argument(argc, argv, 50);
  Matrix M           = planted_graph(exec, clusters);
  normalize(exec, M);

  int step      = 0;
  double before = 0, now = squares(exec, M);
  double ours = 0, theirs = 0;
  std::int64_t largest = 0;
  while (step < most_steps && std::abs(now - before) > 1e-9 * M.numRows()) {
    //! [expansion]
    // The pattern is another one in every step: a call without a plan.
    Matrix walked;
    ours += seconds(exec, [&] { walked = lacuna::spgemm(exec, M, M); });
    //! [expansion]
    theirs += seconds(exec, [&] { kokkos_kernels::spgemm(M, M); });
    largest = std::max<std::int64_t>(largest, walked.nnz());
    M       = inflate(exec, walked);
    before  = now;
    now     = squares(exec, M);
    ++step;
  }
  const int found = count_clusters(M);
  std::printf("%d nodes, %d steps, at most %lld nonzeros, %d clusters\n", M.numRows(), step,
              static_cast<long long>(largest), found);
  const bool right = check("the planted clusters are found", found == clusters);
  print_times_header();
  print_times("M M, all steps", ours, theirs);
  return right ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

/// \file
/// \brief Four users of sparse products: assembly, algebraic multigrid, counting in graphs, clustering. Each checks
/// what it gets against what is known of its matrices.

namespace {

using Execution = Kokkos::DefaultExecutionSpace;
using Device    = Execution::device_type;
using Matrix    = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Coo       = lacuna::CooMatrix<double, int, Device, int>;

struct Entry {
  int row, column;
  double value;
};

/// A matrix as programs collect it: with entries that belong to the same place. COO wants them row by row.
Matrix collect(int rows, int columns, std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.row < b.row; });
  Coo coo;
  coo.rows           = rows;
  coo.columns        = columns;
  coo.row_indices    = Kokkos::View<int*, Device>("rows", entries.size());
  coo.column_indices = Kokkos::View<int*, Device>("columns", entries.size());
  coo.values         = Kokkos::View<double*, Device>("values", entries.size());
  const auto i       = Kokkos::create_mirror_view(coo.row_indices);
  const auto j       = Kokkos::create_mirror_view(coo.column_indices);
  const auto value   = Kokkos::create_mirror_view(coo.values);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    i(k)     = entries[k].row;
    j(k)     = entries[k].column;
    value(k) = entries[k].value;
  }
  Kokkos::deep_copy(coo.row_indices, i);
  Kokkos::deep_copy(coo.column_indices, j);
  Kokkos::deep_copy(coo.values, value);
  return lacuna::to_crs(coo);
}

struct Row {
  std::vector<int> columns;
  std::vector<double> values;
};

std::vector<Row> on_host(const Matrix& A) {
  const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.graph.row_map);
  const auto entries = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.graph.entries);
  const auto values  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.values);
  std::vector<Row> rows(static_cast<std::size_t>(A.numRows()));
  for (int i = 0; i < A.numRows(); ++i)
    for (int k = row_map(i); k < row_map(i + 1); ++k) {
      rows[static_cast<std::size_t>(i)].columns.push_back(entries(k));
      rows[static_cast<std::size_t>(i)].values.push_back(values(k));
    }
  return rows;
}

/// Two springs of `stiffness` meet at every inner node of a bar: each adds a 2 × 2 matrix. Nothing merges them here.
std::vector<Entry> springs(int nodes, double stiffness) {
  std::vector<Entry> entries;
  for (int i = 0; i + 1 < nodes; ++i) {
    entries.push_back({i, i, stiffness});
    entries.push_back({i + 1, i + 1, stiffness});
    entries.push_back({i, i + 1, -stiffness});
    entries.push_back({i + 1, i, -stiffness});
  }
  return entries;
}

/// From every second node to all of them, linearly.
Matrix interpolation(int coarse) {
  std::vector<Entry> entries;
  for (int i = 0; i < coarse; ++i) {
    entries.push_back({2 * i, i, 1});
    if (i > 0) entries.push_back({2 * i - 1, i, 0.5});
    if (i + 1 < coarse) entries.push_back({2 * i + 1, i, 0.5});
  }
  return collect(2 * coarse - 1, coarse, entries);
}

/// A assembled with duplicates, times P: they are summed in the product. A bar that moves as a whole has no forces.
bool assembly() {
  const int coarse = 5000, nodes = 2 * coarse - 1;
  const Matrix A = collect(nodes, nodes, springs(nodes, 3)), P = interpolation(coarse);
  if (lacuna::validate(A).duplicates.count != nodes - 2) return false;
  for (const Row& row : on_host(lacuna::spgemm(A, P))) {
    double sum = 0;
    for (const double value : row.values) sum += value;
    if (row.columns.size() > 3 || std::abs(sum) > 1e-12) return false;
  }
  return true;
}

/// Pᵀ A P again and again while A changes: both products are planned once. Half the springs are half as stiff.
bool galerkin_products() {
  const int coarse = 4000, nodes = 2 * coarse - 1;
  const Matrix P     = interpolation(coarse);
  Matrix A           = collect(nodes, nodes, springs(nodes, 1));
  const auto of_unit = Kokkos::create_mirror(A.values), values = Kokkos::create_mirror(A.values);
  Kokkos::deep_copy(of_unit, A.values);
  const Execution exec;
  const lacuna::SpgemmPlan right(exec, A, P);
  const Matrix AP = right.allocate(exec);
  lacuna::spgemm(exec, right, 1, A, P, AP);  // the plan of the second product looks at the columns of the first
  const lacuna::SpgemmPlan left(exec, P, AP, {.op_a = lacuna::Op::transpose});
  const Matrix PtAP = left.allocate(exec);
  for (const double stiffness : {1.0, 2.5, 0.125}) {
    for (std::size_t k = 0; k < values.extent(0); ++k) values(k) = stiffness * of_unit(k);
    Kokkos::deep_copy(exec, A.values, values);
    lacuna::spgemm(exec, right, 1, A, P, AP);
    lacuna::spgemm(exec, left, 1, P, AP, PtAP);
    exec.fence();
    const auto rows = on_host(PtAP);
    for (int i = 1; i + 1 < coarse; ++i) {
      const Row& row = rows[static_cast<std::size_t>(i)];
      if (row.columns != std::vector<int>{i - 1, i, i + 1}) return false;
      const double expected[] = {-stiffness / 2, stiffness, -stiffness / 2};
      for (std::size_t k = 0; k < 3; ++k)
        if (std::abs(row.values[k] - expected[k]) > 1e-12) return false;
    }
  }
  return true;
}

/// Paths of two edges whose ends are neighbours close triangles: A A at the places of A counts each six times.
bool triangles() {
  const int clique = 60, leaves = 20000;  // everybody in a clique knows a hub, which knows many others too
  std::vector<Entry> entries;
  for (int i = 0; i <= clique; ++i)
    for (int j = 0; j <= clique; ++j)
      if (i != j) entries.push_back({i, j, 1});
  for (int i = clique + 1; i <= clique + leaves; ++i) {
    entries.push_back({clique, i, 1});
    entries.push_back({i, clique, 1});
  }
  const Matrix A = collect(clique + leaves + 1, clique + leaves + 1, entries);
  const lacuna::SpgemmPlan plan(A, A, lacuna::within(A));
  const Matrix C = plan.allocate();
  lacuna::spgemm(plan, 1, A, A, C);
  double paths = 0;
  Kokkos::parallel_reduce(
      "paths", Kokkos::RangePolicy<Execution>(0, C.values.extent(0)),
      KOKKOS_LAMBDA(std::size_t k, double& sum) { sum += C.values(k); }, paths);
  const double n = clique + 1;
  return paths == n * (n - 1) * (n - 2);  // the whole product would have leaves² entries more
}

/// Rows to the power of two, without what is small, summing to one: what is left of M M after a step.
Matrix inflate_and_prune(const Matrix& M, double least) {
  const int rows     = M.numRows();
  const auto row_map = M.graph.row_map;
  const auto columns = M.graph.entries;
  const auto values  = M.values;
  const Kokkos::View<double*, Device> sums("sums", static_cast<std::size_t>(rows));
  const Kokkos::View<int*, Device> kept_map("row_map", static_cast<std::size_t>(rows) + 1);
  Kokkos::parallel_for(
      "square", Kokkos::RangePolicy<Execution>(0, rows), KOKKOS_LAMBDA(int i) {
        double sum = 0;
        for (int k = row_map(i); k < row_map(i + 1); ++k) {
          values(k) *= values(k);
          sum += values(k);
        }
        double kept = 0;
        int count   = 0;
        for (int k = row_map(i); k < row_map(i + 1); ++k) {
          if (values(k) < least * sum) continue;
          kept += values(k);
          ++count;
        }
        sums(i)         = kept;
        kept_map(i + 1) = count;
      });
  int total = 0;
  Kokkos::parallel_scan(
      "row_map", Kokkos::RangePolicy<Execution>(0, rows + 1),
      KOKKOS_LAMBDA(int i, int& sum, bool final) {
        sum += kept_map(i);
        if (final) kept_map(i) = sum;
      },
      total);
  const Kokkos::View<int*, Device> kept_columns("columns", static_cast<std::size_t>(total));
  const Kokkos::View<double*, Device> kept_values("values", static_cast<std::size_t>(total));
  Kokkos::parallel_for(
      "prune", Kokkos::RangePolicy<Execution>(0, rows), KOKKOS_LAMBDA(int i) {
        double sum = 0;
        for (int k = row_map(i); k < row_map(i + 1); ++k) sum += values(k);
        int to = kept_map(i);
        for (int k = row_map(i); k < row_map(i + 1); ++k)
          if (values(k) >= least * sum) {
            kept_columns(to)  = columns(k);
            kept_values(to++) = values(k) / sums(i);
          }
      });
  return Matrix("M", rows, rows, total, kept_values, kept_map, kept_columns);
}

/// Markov clustering of two hubs with their followers, who are linked by one pair: the link is cut.
bool markov_clustering() {
  const int followers = 400, n = 2 * (followers + 1);
  std::vector<Entry> entries;
  const auto link = [&](int i, int j, double weight) {
    entries.push_back({i, j, weight});
    entries.push_back({j, i, weight});
  };
  for (int hub : {0, followers + 1})
    for (int i = hub + 1; i <= hub + followers; ++i) link(hub, i, 1);
  link(1, followers + 2, 1);
  for (int i = 0; i < n; ++i) entries.push_back({i, i, 1});
  Matrix M = inflate_and_prune(collect(n, n, entries), 0);
  for (int step = 0; step < 16; ++step) M = inflate_and_prune(lacuna::spgemm(M, M), 1e-5);
  const auto rows = on_host(M);
  for (int i = 0; i < n; ++i) {
    const int hub  = i <= followers ? 0 : followers + 1;
    const Row& row = rows[static_cast<std::size_t>(i)];
    if (row.columns != std::vector<int>{hub} || std::abs(row.values[0] - 1) > 1e-12) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const std::pair<const char*, bool (*)()> examples[] = {{"assembly", assembly},
                                                         {"galerkin_products", galerkin_products},
                                                         {"triangles", triangles},
                                                         {"markov_clustering", markov_clustering}};
  int failed                                          = 0;
  for (const auto& [name, run] : examples) {
    const bool right = run();
    std::printf("%s: %s\n", name, right ? "right" : "WRONG");
    failed += right ? 0 : 1;
  }
  return failed;
}

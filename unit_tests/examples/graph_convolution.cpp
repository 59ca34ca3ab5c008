// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "example.hpp"
#include "kokkos_kernels.hpp"

#include <Lacuna_Generators.hpp>
#include <Lacuna_Scale.hpp>
#include <Lacuna_Spadd.hpp>
#include <Lacuna_Spmm.hpp>
#include <Lacuna_Transpose.hpp>

#include <string>
#include <vector>

/// \file
/// \brief Two layers of a graph convolutional network (Kipf and Welling, 2017): H = relu(S X W), where
/// S = D^-1/2 (A + I) D^-1/2 belongs to a graph with adjacency matrix A and degrees D, X holds a row of features for
/// each node, and W is small and dense.
///
///     example_graph_convolution [nodes, 3000]

using namespace example;
using Block = BlockOf<float>;

namespace {

constexpr int features = 32, hidden = 64, classes = 16;

/// Numbers between -1 and 1 without any order, the same in every run.
Block some_numbers(const Execution& exec, int rows, int columns, float scale) {
  const Block X("numbers", size(rows), size(columns));
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Execution>(exec, 0, rows), KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < columns; ++j) X(i, j) = scale * Kokkos::sin(1.3f * static_cast<float>(i % 1009 * 7 + j));
      });
  return X;
}

/// A graph in which few nodes know many: who is in the random rows, and who has them there.
FloatMatrix some_graph(const Execution& exec, int nodes) {
  const std::string spec = "power:rows=" + std::to_string(nodes) + ",nnz=" + std::to_string(8 * nodes) +
                           ",longest=" + std::to_string(nodes / 10);
  const auto one_way = lacuna::generate<FloatMatrix>(exec, spec);
  return lacuna::spadd(exec, 1, one_way, 1, lacuna::transpose(exec, one_way).matrix);
}

/// S of the graph. Weights do not count: every neighbour has the value 1.
FloatMatrix normalized(const Execution& exec, const FloatMatrix& graph) {
  //! [self-loops]
  const int nodes     = graph.numRows();
  const auto identity = lacuna::generate<FloatMatrix>(exec, "diagonal:n=" + std::to_string(nodes));
  const auto S        = lacuna::spadd(exec, 1, graph, 1, identity);  // for its pattern
  Kokkos::deep_copy(exec, S.values, 1.0f);
  //! [self-loops]
  const Kokkos::View<float*, Device> scale("D^-1/2", size(nodes));
  Kokkos::parallel_for(
      "degrees", Kokkos::RangePolicy<Execution>(exec, 0, nodes), KOKKOS_LAMBDA(int i) {
        scale(i) = 1 / Kokkos::sqrt(static_cast<float>(S.graph.row_map(i + 1) - S.graph.row_map(i)));
      });
  //! [normalisation]
  lacuna::scale_rows(exec, scale, S);
  lacuna::scale_columns(exec, S, scale);
  //! [normalisation]
  return S;
}

/// Y = X W: a sum for each element is enough for such small W.
void times_weights(const Execution& exec, const Block& X, const Block& W, const Block& Y) {
  const int inner = static_cast<int>(W.extent(0)), columns = static_cast<int>(W.extent(1));
  Kokkos::parallel_for(
      "weights", Kokkos::RangePolicy<Execution>(exec, 0, static_cast<int>(X.extent(0))), KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < columns; ++j) Y(i, j) = 0;
        for (int k = 0; k < inner; ++k)
          for (int j = 0; j < columns; ++j) Y(i, j) += X(i, k) * W(k, j);
      });
}

void relu(const Execution& exec, const Block& X) {
  const int columns = static_cast<int>(X.extent(1));
  Kokkos::parallel_for(
      "relu", Kokkos::RangePolicy<Execution>(exec, 0, static_cast<int>(X.extent(0))), KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < columns; ++j) X(i, j) = X(i, j) > 0 ? X(i, j) : 0;
      });
}

/// A network, and the memory that it works in.
struct Network {
  FloatMatrix S;
  Block X, W1, W2, XW1, H1, HW2, H2;
};

/// Both layers. `multiply(B, C)` computes C = S B.
template <class Multiply>
void infer(const Execution& exec, const Network& net, const Multiply& multiply) {
  times_weights(exec, net.X, net.W1, net.XW1);
  multiply(net.XW1, net.H1);
  relu(exec, net.H1);
  times_weights(exec, net.H1, net.W2, net.HW2);
  multiply(net.HW2, net.H2);
  relu(exec, net.H2);
}

using HostBlock = std::vector<std::vector<double>>;

HostBlock on_host(const Block& X) {
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), X);
  HostBlock rows(X.extent(0), std::vector<double>(X.extent(1)));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) rows[i][j] = static_cast<double>(mirror(i, j));
  return rows;
}

/// relu(S X W) in double on the host, from the graph alone: S(i, j) = 1 / sqrt(degree of i times degree of j).
HostBlock layer_by_hand(const FloatMatrix& S, const HostBlock& X, const HostBlock& W) {
  const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), S.graph.row_map);
  const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), S.graph.entries);
  const auto degree  = [&](std::size_t i) { return static_cast<double>(row_map(i + 1) - row_map(i)); };
  HostBlock H(X.size(), std::vector<double>(W[0].size()));
  for (std::size_t i = 0; i < X.size(); ++i) {
    std::vector<double> mean(X[0].size());
    for (int k = row_map(i); k < row_map(i + 1); ++k) {
      const std::size_t j = size(columns(k));
      for (std::size_t f = 0; f < mean.size(); ++f) mean[f] += X[j][f] / std::sqrt(degree(i) * degree(j));
    }
    for (std::size_t f = 0; f < mean.size(); ++f)
      for (std::size_t j = 0; j < H[i].size(); ++j) H[i][j] += mean[f] * W[f][j];
    for (double& element : H[i]) element = std::max(element, 0.0);
  }
  return H;
}

/// The largest difference over the largest element; not a number where one is none.
double relative_error(const HostBlock& found, const HostBlock& expected) {
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t j = 0; j < found[i].size(); ++j) {
      const double difference = std::abs(found[i][j] - expected[i][j]);
      if (!(difference <= error)) error = difference;
      largest = std::max(largest, expected[i][j]);
    }
  return error / largest;
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Execution exec;
  const int nodes = size_argument(argc, argv, 3000);
  Network net;
  net.S   = normalized(exec, some_graph(exec, nodes));
  net.X   = some_numbers(exec, nodes, features, 1);
  net.W1  = some_numbers(exec, features, hidden, 0.5f);
  net.W2  = some_numbers(exec, hidden, classes, 0.5f);
  net.XW1 = Block("X W1", size(nodes), hidden);
  net.H1  = Block("H1", size(nodes), hidden);
  net.HW2 = Block("H1 W2", size(nodes), classes);
  net.H2  = Block("H2", size(nodes), classes);

  //! [plans]
  // S (X W) rather than (S X) W, where W makes rows shorter. Each width has a plan of its own: both may differ.
  const lacuna::SpmmPlan wide(exec, net.S, {.columns = hidden});
  const lacuna::SpmmPlan narrow(exec, net.S, {.columns = classes});
  const auto multiply = [&](const Block& B, const Block& C) {
    lacuna::spmm(exec, B.extent(1) == hidden ? wide : narrow, 1, B, 0, C);
  };
  //! [plans]
  infer(exec, net, multiply);
  exec.fence();
  const HostBlock H1 = layer_by_hand(net.S, on_host(net.X), on_host(net.W1));
  const double error = relative_error(on_host(net.H2), layer_by_hand(net.S, H1, on_host(net.W2)));
  std::printf("%d nodes, %d neighbours, relative error %.1e\n", nodes, net.S.nnz() - nodes, error);
  const bool right = check("the second layer is that of a computation by hand", error < 1e-5);

  const auto theirs = [&](const Block& B, const Block& C) { kokkos_kernels::spmm(exec, 1, net.S, B, 0, C); };
  print_times_header();
  print_times("plans", wide.setup_seconds() + narrow.setup_seconds(), -1);
  print_times("S times 64 columns", least_seconds(5, exec, [&] { multiply(net.XW1, net.H1); }),
              least_seconds(5, exec, [&] { theirs(net.XW1, net.H1); }));
  print_times("S times 16 columns", least_seconds(5, exec, [&] { multiply(net.HW2, net.H2); }),
              least_seconds(5, exec, [&] { theirs(net.HW2, net.H2); }));
  print_times("both layers, weights and relu included", least_seconds(3, exec, [&] { infer(exec, net, multiply); }),
              least_seconds(3, exec, [&] { infer(exec, net, theirs); }));
  return right ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "example.hpp"
#include "kokkos_kernels.hpp"

#include <Lacuna_Generators.hpp>
#include <Lacuna_Spmm.hpp>

#include <string>

/// \file
/// \brief Eight systems with one matrix at once, by block conjugate gradients (O'Leary, 1980): each product with A
/// reads it once for all, and each system profits from the directions of the others.
///
///     example_block_cg [nodes along an edge of a mesh, 16]

using namespace example;
using Block = BlockOf<double>;

namespace {

constexpr int systems = 8, most_iterations = 200;
constexpr double tolerance = 1e-8;

/// A dense matrix of all pairs of systems. It is summed on the device and passed to kernels by value.
struct Small {
  double at[systems][systems] = {};
  KOKKOS_FUNCTION Small& operator+=(const Small& other) {
    for (int i = 0; i < systems; ++i)
      for (int j = 0; j < systems; ++j) at[i][j] += other.at[i][j];
    return *this;
  }
};

/// A^T B
Small gram(const Execution& exec, const Block& A, const Block& B) {
  Small sum;
  Kokkos::parallel_reduce(
      "gram", Kokkos::RangePolicy<Execution>(exec, 0, static_cast<int>(A.extent(0))),
      KOKKOS_LAMBDA(int row, Small& part) {
        for (int i = 0; i < systems; ++i)
          for (int j = 0; j < systems; ++j) part.at[i][j] += A(row, i) * B(row, j);
      },
      sum);
  return sum;
}

/// A row of X S.
struct Row {
  double at[systems] = {};
  KOKKOS_FUNCTION Row(const Block& X, int row, const Small& S) {
    for (int i = 0; i < systems; ++i) {
      const double x = X(row, i);
      for (int j = 0; j < systems; ++j) at[j] += x * S.at[i][j];
    }
  }
};

/// Y = Y + alpha X S
void add(const Execution& exec, double alpha, const Block& X, const Small& S, const Block& Y) {
  Kokkos::parallel_for(
      "add", Kokkos::RangePolicy<Execution>(exec, 0, static_cast<int>(X.extent(0))), KOKKOS_LAMBDA(int row) {
        const Row product(X, row, S);
        for (int j = 0; j < systems; ++j) Y(row, j) += alpha * product.at[j];
      });
}

/// P = R + P S
void turn(const Execution& exec, const Block& R, const Block& P, const Small& S) {
  Kokkos::parallel_for(
      "turn", Kokkos::RangePolicy<Execution>(exec, 0, static_cast<int>(R.extent(0))), KOKKOS_LAMBDA(int row) {
        const Row product(P, row, S);
        for (int j = 0; j < systems; ++j) P(row, j) = R(row, j) + product.at[j];
      });
}

/// G^-1 B for a symmetric positive definite G, on the host, by Cholesky's factors of G.
Small solve(Small G, Small B) {
  for (int i = 0; i < systems; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = G.at[i][j];
      for (int k = 0; k < j; ++k) sum -= G.at[i][k] * G.at[j][k];
      G.at[i][j] = i == j ? std::sqrt(sum) : sum / G.at[j][j];
    }
  for (int column = 0; column < systems; ++column) {
    for (int i = 0; i < systems; ++i) {
      for (int k = 0; k < i; ++k) B.at[i][column] -= G.at[i][k] * B.at[k][column];
      B.at[i][column] /= G.at[i][i];
    }
    for (int i = systems - 1; i >= 0; --i) {
      for (int k = i + 1; k < systems; ++k) B.at[i][column] -= G.at[k][i] * B.at[k][column];
      B.at[i][column] /= G.at[i][i];
    }
  }
  return B;
}

/// The largest of |r| / |b| of all systems; not a number where one is none.
double largest_residual(const Small& RtR, const Small& BtB) {
  double largest = 0;
  for (int j = 0; j < systems; ++j) {
    const double residual = std::sqrt(RtR.at[j][j] / BtB.at[j][j]);
    if (!(residual <= largest)) largest = residual;
  }
  return largest;
}

/// Minus one for every neighbour in the mesh, and what makes the matrix positive definite.
void set_values(const Execution& exec, const Matrix& A) {
  Kokkos::parallel_for(
      "values", Kokkos::RangePolicy<Execution>(exec, 0, A.numRows()), KOKKOS_LAMBDA(int row) {
        for (int k = A.graph.row_map(row); k < A.graph.row_map(row + 1); ++k)
          A.values(k) = A.graph.entries(k) == row ? 26.01 : -1;
      });
}

/// Right-hand sides without any order, the same in every run.
void fill(const Execution& exec, const Block& B) {
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Execution>(exec, 0, static_cast<int>(B.extent(0))), KOKKOS_LAMBDA(int row) {
        for (int j = 0; j < systems; ++j) B(row, j) = Kokkos::sin(1.7 * row * (j + 1) + j);
      });
}

/// Solves A X = B from X = 0 and returns the number of iterations.
template <class Multiply>
int block_conjugate_gradients(const Execution& exec, const Multiply& multiply, const Block& B, const Block& X) {
  const Block R("R", B.extent(0), B.extent(1)), P("P", B.extent(0), B.extent(1)), AP("A P", B.extent(0), B.extent(1));
  Kokkos::deep_copy(exec, X, 0.0);
  Kokkos::deep_copy(exec, R, B);
  Kokkos::deep_copy(exec, P, B);
  const Small BtB = gram(exec, B, B);
  Small RtR       = BtB;
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    multiply(P, AP);
    const Small alpha = solve(gram(exec, P, AP), RtR);
    add(exec, 1, P, alpha, X);
    add(exec, -1, AP, alpha, R);
    const Small before = RtR;
    RtR                = gram(exec, R, R);
    if (largest_residual(RtR, BtB) <= tolerance) return iteration;
    turn(exec, R, P, solve(before, RtR));
  }
  return most_iterations + 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Execution exec;
  const int n    = size_argument(argc, argv, 16);
  const Matrix A = lacuna::generate<Matrix>(exec, "mesh27:n=" + std::to_string(n));  // for its pattern
  set_values(exec, A);
  const Block B("B", size(A.numRows()), systems), X("X", size(A.numRows()), systems);
  fill(exec, B);

  //! [plan]
  // Made for eight columns and some hundred products.
  const lacuna::SpmmPlan plan(exec, A, {.columns = systems, .expected_calls = 100});
  const auto multiply = [&](const Block& P, const Block& AP) { lacuna::spmm(exec, plan, 1.0, P, 0.0, AP); };
  //! [plan]
  int iterations    = 0;
  const double ours = least_seconds(2, exec, [&] { iterations = block_conjugate_gradients(exec, multiply, B, X); });

  //! [without-a-plan]
  // What is left of B, by a product that knows nothing of the solver's plan.
  const Block R("R", B.extent(0), B.extent(1));
  Kokkos::deep_copy(exec, R, B);
  lacuna::spmm(exec, -1.0, A, X, 1.0, R);
  //! [without-a-plan]
  const double residual = largest_residual(gram(exec, R, R), gram(exec, B, B));
  std::printf("%d systems of %d unknowns, %d iterations, residuals up to %.1e\n", systems, A.numRows(), iterations,
              residual);
  const bool right = check("every residual is small", iterations <= most_iterations && residual <= 10 * tolerance);

  const auto their_multiply = [&](const Block& P, const Block& AP) { kokkos_kernels::spmm(exec, 1.0, A, P, 0.0, AP); };
  const double theirs       = seconds(exec, [&] { block_conjugate_gradients(exec, their_multiply, B, X); });
  print_times_header();
  print_times("plan", plan.setup_seconds(), -1);
  print_times("product of A and eight vectors", least_seconds(5, exec, [&] { multiply(B, R); }),
              least_seconds(5, exec, [&] { their_multiply(B, R); }));
  print_times("all iterations, with the plan", plan.setup_seconds() + ours, theirs);
  return right ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "kokkos_kernels.hpp"
#include "multigrid_hierarchy.hpp"

#include <Lacuna_Generators.hpp>

#include <optional>
#include <string>
#include <vector>

/// \file
/// \brief Heat in a block whose conductivity changes: ten steps in time, each a system solved by conjugate gradients
/// with smoothed-aggregation multigrid. What depends on patterns alone is planned once, in multigrid_hierarchy.hpp.
///
///     example_multigrid [nodes along an edge, 24]

using namespace example;

namespace {

constexpr int most_iterations = 40;
constexpr double tolerance    = 1e-8;

/// x = from x + omega D^-1 r: Jacobi's step.
void relax(const Execution& exec, const Level& level, double from, const Vector& residual) {
  const Vector x = level.x, inverse = level.inverse_diagonal;
  Kokkos::parallel_for(
      "relax", Kokkos::RangePolicy<Execution>(exec, 0, level.A.numRows()),
      KOKKOS_LAMBDA(int i) { x(i) = (from == 0 ? 0 : from * x(i)) + omega * inverse(i) * residual(i); });
}

/// r = b - A x
void find_residual(const Execution& exec, const Level& level) {
  Kokkos::deep_copy(exec, level.r, level.b);
  lacuna::spmv(exec, level.times_A, -1.0, level.x, 1.0, level.r);
}

/// x = M^-1 b, approximately A^-1 b, on level l.
void v_cycle(const Execution& exec, const std::vector<Level>& levels, std::size_t l = 0) {
  const Level& level = levels[l];
  relax(exec, level, 0, level.b);
  if (level.down) {
    find_residual(exec, level);
    lacuna::spmv(exec, level.down->times_R, 1.0, level.r, 0.0, levels[l + 1].b);
    v_cycle(exec, levels, l + 1);
    lacuna::spmv(exec, level.down->times_P, 1.0, levels[l + 1].x, 1.0, level.x);
  }
  for (int sweep = 0; sweep < (level.down ? 1 : 20); ++sweep) {
    find_residual(exec, level);
    relax(exec, level, 1, level.r);
  }
}

/// Solves A x = b and returns the number of iterations. The residual is the right-hand side of the V-cycle.
int conjugate_gradients(const Execution& exec, const std::vector<Level>& levels, const Vector& b, const Vector& x) {
  const Level& fine = levels[0];
  const Vector p("p", b.extent(0)), Ap("A p", b.extent(0)), r = fine.b, z = fine.x;
  Kokkos::deep_copy(exec, r, b);
  lacuna::spmv(exec, fine.times_A, -1.0, x, 1.0, r);
  const double enough = tolerance * tolerance * dot(exec, b, b);
  double rz           = 1;
  for (int iteration = 0;; ++iteration) {
    if (dot(exec, r, r) <= enough || iteration == most_iterations) return iteration;
    v_cycle(exec, levels);
    const double before = rz;
    rz                  = dot(exec, r, z);
    axpby(exec, 1, z, iteration == 0 ? 0 : rz / before, p);
    lacuna::spmv(exec, fine.times_A, 1.0, p, 0.0, Ap);
    const double alpha = rz / dot(exec, p, Ap);
    axpby(exec, alpha, p, 1, x);
    axpby(exec, -alpha, Ap, 1, r);
  }
}

/// The products of a V-cycle and of the step of conjugate gradients around it.
template <class Multiply>
void products_of_iteration(const std::vector<Level>& levels, const Multiply& multiply) {
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const Level& level = levels[l];
    for (int k = 0; k < (level.down ? 2 : 20) + (l == 0 ? 1 : 0); ++k)
      multiply(level.times_A, level.A, level.x, level.r);
    if (!level.down) return;
    multiply(level.down->times_R, level.down->R, level.r, levels[l + 1].b);
    multiply(level.down->times_P, level.down->P, levels[l + 1].x, level.x);
  }
}

/// The sparse steps again, by both libraries.
void compare(const Execution& exec, std::vector<Level>& levels, int iterations) {
  double our_patterns = 0, their_patterns = 0, their_values = 0, our_plans = 0;
  for (const Level& level : levels) {
    our_plans += level.times_A.setup_seconds();
    if (!level.down) break;
    const Transfer& down = *level.down;
    our_plans += down.times_P.setup_seconds() + down.times_R.setup_seconds();
    const Matrix DA = scaled(exec, level.A, level.inverse_diagonal);
    our_patterns += least_seconds(2, exec, [&] {
      interpolation(exec, DA, down.P0);
      const lacuna::TripleProductPlan<Matrix> plan(exec, down.R, level.A, down.P, each_step);
      lacuna::triple_product(exec, plan, down.R, level.A, down.P, plan.allocate(exec));
    });
    std::optional<kokkos_kernels::Product> AP, RAP;
    their_patterns += least_seconds(2, exec, [&] {
      kokkos_kernels::Sum(down.P0, kokkos_kernels::spgemm(DA, down.P0)).compute(1, -omega);
      AP.emplace(level.A, down.P);
      RAP.emplace(down.R, AP->compute());
      RAP->compute();
    });
    their_values += least_seconds(2, exec, [&] { AP->compute(), RAP->compute(); });
  }
  const double our_values     = least_seconds(2, exec, [&] { update(exec, levels); });
  const double our_products   = least_seconds(3, exec, [&] {
    products_of_iteration(levels, [&](const auto& plan, const Matrix&, const Vector& x, const Vector& y) {
      lacuna::spmv(exec, plan, 1.0, x, 0.0, y);
    });
  });
  const double their_products = least_seconds(3, exec, [&] {
    products_of_iteration(levels, [&](const auto&, const Matrix& A, const Vector& x, const Vector& y) {
      kokkos_kernels::spmv(exec, 1.0, A, x, 0.0, y);
    });
  });
  print_times_header();
  print_times("P, R A P of all levels: patterns and values", our_patterns, their_patterns);
  print_times("plans of the products with A, P and R", our_plans, -1);
  print_times("new values on all levels", our_values, their_values);
  print_times("products of an iteration", our_products, their_products);
  print_times("together, in ten steps", our_patterns + our_plans + steps * our_values + iterations * our_products,
              their_patterns + steps * their_values + iterations * their_products);
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Execution exec;
  const int n    = size_argument(argc, argv, 24);
  const Matrix A = lacuna::generate<Matrix>(exec, "mesh7:n=" + std::to_string(n));  // for its pattern
  assemble(exec, A, n, 0);
  std::vector<Level> levels = hierarchy(exec, A, n);
  const Vector x("temperature", size(A.numRows())), b("b", x.extent(0)), r("r", x.extent(0));
  const Vector source("source", x.extent(0));
  Kokkos::deep_copy(exec, source, 1.0);
  bool converged = true;
  int iterations = 0;
  for (int step = 1; step <= steps; ++step) {
    assemble(exec, A, n, 0.1 * step);
    update(exec, levels);
    Kokkos::deep_copy(exec, b, source);
    axpby(exec, mass, x, 1, b);
    const int needed = conjugate_gradients(exec, levels, b, x);
    iterations += needed;
    Kokkos::deep_copy(exec, r, b);
    lacuna::spmv(exec, -1.0, A, x, 1.0, r);  // without a plan: not what the solver believed, what is
    converged =
        converged && needed < most_iterations && dot(exec, r, r) <= 1.1 * tolerance * tolerance * dot(exec, b, b);
  }
  std::printf("%d unknowns, %zu levels, %.1f iterations a step\n", A.numRows(), levels.size(),
              1.0 * iterations / steps);
  const bool right = check("every residual is small", converged);
  compare(exec, levels, iterations);
  return right ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_EXAMPLE_MULTIGRID_HIERARCHY_HPP
#define LACUNA_EXAMPLE_MULTIGRID_HIERARCHY_HPP

#include "multigrid_problem.hpp"

#include <Lacuna_Scale.hpp>
#include <Lacuna_Spadd.hpp>
#include <Lacuna_Spgemm.hpp>
#include <Lacuna_Spmv.hpp>
#include <Lacuna_Transpose.hpp>
#include <Lacuna_TripleProductPlan.hpp>

#include <optional>
#include <vector>

/// \file
/// \brief The levels of smoothed-aggregation multigrid (Vanek, Mandel and Brezina, 1996) and their plans.

namespace example {

inline constexpr int steps    = 10;       // in time
inline constexpr double omega = 2.0 / 3;  // of Jacobi's method, and of the smoothed interpolation

/// D^-1 A, which shares the pattern of A.
inline Matrix scaled(const Execution& exec, const Matrix& A, const Vector& inverse_diagonal) {
  const Vector values("values", A.values.extent(0));
  Kokkos::deep_copy(exec, values, A.values);
  const Matrix DA("D^-1 A", A.numRows(), A.numCols(), A.nnz(), values, A.graph.row_map, A.graph.entries);
  lacuna::scale_rows(exec, inverse_diagonal, DA);
  return DA;
}

/// P = P0 - omega D^-1 A P0, once: calls without plans.
inline Matrix interpolation(const Execution& exec, const Matrix& DA, const Matrix& P0) {
  //! [product-and-sum]
  const Matrix DAP0 = lacuna::spgemm(exec, DA, P0);
  return lacuna::spadd(exec, 1.0, P0, -omega, DAP0);
  //! [product-and-sum]
}

inline void invert_diagonal(const Execution& exec, const Matrix& A, const Vector& inverse) {
  lacuna::extract_diagonal(exec, A, inverse);
  Kokkos::parallel_for(
      "invert", Kokkos::RangePolicy<Execution>(exec, 0, A.numRows()),
      KOKKOS_LAMBDA(int i) { inverse(i) = 1 / inverse(i); });
}

/// Between a level and the next.
struct Transfer {
  Matrix P0, P, R;
  lacuna::SpmvPlan<Matrix> times_P, times_R;
  lacuna::TripleProductPlan<Matrix> galerkin;
};

struct Level {
  Matrix A;
  Vector inverse_diagonal, x, b, r;
  lacuna::SpmvPlan<Matrix> times_A;
  std::optional<Transfer> down;  // none on the coarsest level
};

//! [options]
// The patterns stay as they are, and plans need not compare them; how often a plan is used decides what it may cost.
inline constexpr lacuna::SpmvOptions many_products{.expected_calls = 200, .check_pattern = lacuna::PatternCheck::off};
inline constexpr lacuna::SpgemmOptions each_step{.expected_calls = steps, .check_pattern = lacuna::PatternCheck::off};
//! [options]

/// Everything that depends on patterns, and the interpolation, which stays while the conductivity changes.
inline std::vector<Level> hierarchy(const Execution& exec, Matrix A, int n) {
  std::vector<Level> levels;
  for (;; n = (n + 2) / 3) {
    const std::size_t nodes = size(A.numRows());
    levels.push_back({A,
                      Vector("D^-1", nodes),
                      Vector("x", nodes),
                      Vector("b", nodes),
                      Vector("r", nodes),
                      lacuna::SpmvPlan<Matrix>(exec, A, many_products),
                      {}});
    Level& level = levels.back();
    invert_diagonal(exec, A, level.inverse_diagonal);
    if (n <= 3) return levels;
    //! [Galerkin-product]
    const Matrix P0 = aggregates(exec, n);
    const Matrix P  = interpolation(exec, scaled(exec, A, level.inverse_diagonal), P0);
    const Matrix R  = lacuna::transpose(exec, P).matrix;
    level.down.emplace(Transfer{P0, P, R, lacuna::SpmvPlan<Matrix>(exec, P, many_products),
                                lacuna::SpmvPlan<Matrix>(exec, R, many_products),
                                lacuna::TripleProductPlan<Matrix>(exec, R, A, P, each_step)});
    const Matrix coarse = level.down->galerkin.allocate(exec);
    lacuna::triple_product(exec, level.down->galerkin, R, A, P, coarse);
    //! [Galerkin-product]
    A = coarse;
  }
}

/// New values of the finest A go to all levels. No pattern is looked at, and nothing is allocated.
inline void update(const Execution& exec, std::vector<Level>& levels) {
  for (std::size_t l = 0; l < levels.size(); ++l) {
    //! [new-values]
    Level& level = levels[l];
    level.times_A.update_values(exec, level.A);
    invert_diagonal(exec, level.A, level.inverse_diagonal);
    if (level.down)
      lacuna::triple_product(exec, level.down->galerkin, level.down->R, level.A, level.down->P, levels[l + 1].A);
    //! [new-values]
  }
}

}  // namespace example

#endif

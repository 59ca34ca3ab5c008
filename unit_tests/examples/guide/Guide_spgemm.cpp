// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Guide_Check.hpp"

#include <Lacuna_Generators.hpp>
#include <Lacuna_Spgemm.hpp>
#include <Lacuna_TripleProduct.hpp>
#include <Lacuna_TripleProductPlan.hpp>

#include <cstdio>

namespace {

using Execution = Kokkos::DefaultExecutionSpace;
using Device    = Execution::device_type;
using Matrix    = KokkosSparse::CrsMatrix<double, int, Device, void, int>;

/// Every entry of a mesh of 6 × 6 × 6 nodes is `value`.
Matrix mesh(double value) {
  const auto A = lacuna::generate<Matrix>("mesh7:n=6");
  Kokkos::deep_copy(A.values, value);
  return A;
}

void plans() {
  const auto A = mesh(0.0), B = mesh(1.0);
  //! [plan]
  const Execution exec;
  const lacuna::SpgemmPlan plan(exec, A, B, {.expected_calls = 20});  // counts the nonzeros of C
  const auto C = plan.allocate(exec);
  for (int step = 0; step < 20; ++step) {
    // ... new values in A and B, the same patterns
    lacuna::spgemm(exec, plan, 1.0, A, B, C);
  }
  //! [plan]
  exec.fence();
  check(all_are(C.values, 0.0) && C.nnz() > 0, "values that cancel stay as entries");

  //! [one-call]
  const auto square = lacuna::spgemm(exec, B, B);                             // plan, C and values in one call
  const auto inside = lacuna::spgemm(exec, B, B, lacuna::within(B));          // only where B has an entry
  const auto paths  = lacuna::spgemm(exec, lacuna::MinPlus<double>{}, B, B);  // shortest paths of two edges
  //! [one-call]
  exec.fence();
  check(inside.nnz() == B.nnz() && square.nnz() > inside.nnz(), "a mask selects entries");
  check(paths.nnz() == square.nnz() && all_are(paths.values, 2.0), "two edges of length 1");
}

void galerkin() {
  const auto A = mesh(1.0), P = mesh(1.0), R = mesh(1.0);
  const Execution exec;
  //! [galerkin]
  const lacuna::TripleProductPlan plan(exec, R, A, P);  // the cheaper of (R A) P and R (A P)
  const auto coarse = plan.allocate(exec);
  lacuna::triple_product(exec, plan, R, A, P, coarse);  // as often as values change
  //! [galerkin]
  const auto once = lacuna::triple_product(exec, R, A, P);
  exec.fence();
  check(coarse.nnz() == once.nnz() && coarse.nnz() > A.nnz(), "R A P with and without a plan");
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  plans();
  galerkin();
  return guide_failures;
}

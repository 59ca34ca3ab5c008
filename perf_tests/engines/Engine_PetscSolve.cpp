// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <engines/Engine_PetscSolve.hpp>

#include <petscksp.h>

#include <cmath>

namespace lacuna::bench {

namespace {

constexpr double tolerance = 1e-8, allowed = 1e-6;

using OwnedKsp = Owned<KSP, KSPDestroy>;

void make_solver(Mat A, const std::string& preconditioner, KSP* solver) {
  PC pc = nullptr;
  check(KSPCreate(PETSC_COMM_WORLD, solver));
  check(KSPSetOperators(*solver, A, A));
  check(KSPSetType(*solver, KSPGMRES));
  check(KSPGetPC(*solver, &pc));
  check(PCSetType(pc, preconditioner.c_str()));
  check(KSPSetTolerances(*solver, tolerance, PETSC_CURRENT, PETSC_CURRENT, 1000));
  check(KSPSetFromOptions(*solver));
}

/// |B - A X| / |B| of all columns together.
double residual(Mat A, Mat B, Mat X) {
  OwnedVec x, y;
  PetscInt columns = 0;
  check(MatGetSize(B, nullptr, &columns));
  check(MatCreateVecs(A, x.out(), y.out()));
  double difference = 0, size = 0;
  for (PetscInt column = 0; column < columns; ++column) {
    Vec of_b = nullptr, of_x = nullptr;
    check(MatDenseGetColumnVecRead(X, column, &of_x));
    set_values(x, values_of(of_x));
    check(MatDenseRestoreColumnVecRead(X, column, &of_x));
    check(MatMult(A, x, y));
    check(MatDenseGetColumnVecRead(B, column, &of_b));
    const std::vector<PetscScalar> found = values_of(y), wanted = values_of(of_b);
    check(MatDenseRestoreColumnVecRead(B, column, &of_b));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      difference += std::pow(PetscAbsScalar(found[i] - wanted[i]), 2);
      size += std::pow(PetscAbsScalar(wanted[i]), 2);
    }
  }
  return std::sqrt(sum_of(difference) / sum_of(size));
}

}  // namespace

Measurement measure_solve(Mat A, Mat plain_A, const std::string& preconditioner, std::int64_t columns,
                          const TimingOptions& timing) {
  OwnedMat B, X;
  OwnedKsp solver;
  make_dense(A, columns, B.out());
  check(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, X.out()));
  make_solver(A, preconditioner, solver.out());
  Measurement measurement;
  measurement.setup_seconds = collective_seconds(1, [&] { check(KSPSetUp(solver)); });
  const auto call           = [&] { check(KSPMatSolve(solver, B, X)); };
  PetscInt before = 0, after = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  check(KSPGetTotalIterations(solver, &before));
  call();
  check(KSPGetTotalIterations(solver, &after));
  check(KSPGetConvergedReason(solver, &reason));
  measurement.statistics.emplace_back("krylov_iterations", static_cast<double>(after - before));
  measurement.relative_error = residual(plain_A, B, X);
  measurement.wrong          = reason <= 0 || !(measurement.relative_error < allowed);
  if (!measurement.wrong) take(measurement, collective_time(timing, call));
  return measurement;
}

}  // namespace lacuna::bench

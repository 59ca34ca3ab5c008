// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Petsc.hpp>
#include <petscksp.h>

/// \file
/// \brief Solves a system of equations with a matrix that has plans, or with one of our type (-mat_type aijlacuna).

static PetscErrorCode make_laplacian(PetscInt rows, Mat *A)
{
  PetscInt begin, end;
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscCall(MatSetValue(*A, row, row, 2.5, INSERT_VALUES));
    if (row > 0) PetscCall(MatSetValue(*A, row, row - 1, -1, INSERT_VALUES));
    if (row + 1 < rows) PetscCall(MatSetValue(*A, row, row + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat       A;
  Vec       x, b, wanted;
  KSP       solver;
  PetscReal size, difference;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(LacunaRegister());
  PetscCall(make_laplacian(1000, &A));
  PetscCall(LacunaMatUse(A));
  PetscCall(MatCreateVecs(A, &wanted, &b));
  PetscCall(VecDuplicate(wanted, &x));
  PetscCall(VecSetRandom(wanted, NULL));
  PetscCall(MatMult(A, wanted, b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, A, A));
  PetscCall(KSPSetTolerances(solver, 1e-6, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(solver));
  PetscCall(KSPSolve(solver, b, x));
  PetscCall(VecNorm(wanted, NORM_2, &size));
  PetscCall(VecAXPY(x, -1, wanted));
  PetscCall(VecNorm(x, NORM_2, &difference));
  PetscCheck(difference < 1e-4 * size, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "the solution is off by %g of %g",
             (double)difference, (double)size);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solved\n"));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&wanted));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <petscksp.h>

/// \file
/// \brief A program that knows nothing of Lacuna: PETSc loads the library, and options choose the type of its matrix.

namespace {

PetscErrorCode solve() {
  Mat A          = nullptr;
  Vec x          = nullptr;
  Vec b          = nullptr;
  KSP solver     = nullptr;
  MatType type   = nullptr;
  PetscInt begin = 0, end = 0, iterations = 0;
  const PetscInt rows       = 200;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    if (row > 0) PetscCall(MatSetValue(A, row, row - 1, -1, INSERT_VALUES));
    if (row < rows - 1) PetscCall(MatSetValue(A, row, row + 1, -1, INSERT_VALUES));
    PetscCall(MatSetValue(A, row, row, 3, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "a matrix of type %s\n", type));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, A, A));
  PetscCall(KSPSetFromOptions(solver));
  PetscCall(KSPSolve(solver, b, x));
  PetscCall(KSPGetConvergedReason(solver, &reason));
  PetscCall(KSPGetIterationNumber(solver, &iterations));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "no solution, reason %d", static_cast<int>(reason));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solved\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

int main(int count, char** arguments) {
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&count, &arguments, nullptr, nullptr));
  PetscCall(solve());
  PetscCall(PetscFinalize());
  return 0;
}

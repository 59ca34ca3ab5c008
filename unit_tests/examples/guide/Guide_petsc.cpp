// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

//! [include]
#include <Lacuna_Petsc.hpp>
//! [include]
#include <petscksp.h>

#include <cmath>

/// \file
/// \brief The pieces of code of the guide's page on PETSc, as a program.

namespace {

PetscErrorCode laplacian(MatType type, Mat* A) {
  const PetscInt rows = 400;
  PetscInt begin = 0, end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    if (row > 0) PetscCall(MatSetValue(*A, row, row - 1, -1, INSERT_VALUES));
    if (row < rows - 1) PetscCall(MatSetValue(*A, row, row + 1, -1, INSERT_VALUES));
    PetscCall(MatSetValue(*A, row, row, 2.5, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves A x = b and says how far A x is from b.
PetscErrorCode solve(Mat A, PCType type, PetscReal* error) {
  KSP solver = nullptr;
  PC pc      = nullptr;
  Vec x = nullptr, b = nullptr, r = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, A, A));
  PetscCall(KSPSetType(solver, KSPCG));
  PetscCall(KSPGetPC(solver, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(KSPSolve(solver, b, x));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAXPY(r, -1, b));
  PetscCall(VecNorm(r, NORM_INFINITY, error));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode run() {
  Mat A = nullptr, B = nullptr;
  PetscReal by_call = 1, by_type = 1;
  PetscFunctionBeginUser;
  PetscCall(laplacian(MATAIJ, &A));
  //! [call]
  PetscCall(LacunaMatUse(A));  // after MatAssemblyEnd
  //! [call]
  PetscCall(solve(A, PCJACOBI, &by_call));
  //! [view]
  PetscCall(LacunaMatView(A, PETSC_VIEWER_STDOUT_SELF));
  //! [view]
  //! [register]
  PetscCall(LacunaRegister());  // after PetscInitialize; -mat_type aijlacuna is known from here on
  //! [register]
  PetscCall(laplacian(MATAIJLACUNA, &B));
  PetscCall(solve(B, PCGAMG, &by_type));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCheck(by_call < 1e-3 && by_type < 1e-3, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "wrong solutions");
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

int main(int count, char** arguments) {
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&count, &arguments, nullptr, nullptr));
  PetscCall(run());
  PetscCall(PetscFinalize());
  return 0;
}

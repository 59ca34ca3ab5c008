// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>

#include <cstdio>
#include <string>

/// \file
/// \brief What a library says of a PETSc that it was not built for: this program and the check are compiled as if PETSc
/// had indices, or scalars, of the other width.

namespace {

std::string said;

PetscErrorCode keep(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType kind, const char* text,
                    void*) {
  if (kind == PETSC_ERROR_INITIAL) said = text;
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != PETSC_SUCCESS) return 1;
  if (PetscPushErrorHandler(keep, nullptr) != PETSC_SUCCESS) return 1;
  const PetscErrorCode code = lacuna::Impl::petsc_check_build();
  std::printf("%s: %s\n", code == PETSC_ERR_SUP ? "refused" : "not refused", said.c_str());
  return PetscFinalize() == PETSC_SUCCESS ? 0 : 1;
}

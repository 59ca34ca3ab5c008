// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>

#include <cstddef>

/// \file
/// \brief Whether the PETSc that runs is the one whose headers were compiled. In a unit of its own, with nothing of
/// Kokkos: a test compiles it for a PETSc that is not there.

namespace lacuna::Impl {

// Indices first: until they are known to be right, no function may be called that reads or writes one.
PetscErrorCode petsc_check_build() {
  PetscDataType scalar   = PETSC_DATATYPE_UNKNOWN;
  PetscBool found        = PETSC_FALSE;
  std::size_t index_size = 0;
  PetscInt major = 0, minor = 0;
  PetscFunctionBegin;
  PetscCall(PetscDataTypeGetSize(PETSC_INT, &index_size));
  PetscCheck(index_size == sizeof(PetscInt), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Lacuna::petsc was built for indices of %d bytes, PETSc of this program has %d",
             static_cast<int>(sizeof(PetscInt)), static_cast<int>(index_size));
  PetscCall(PetscDataTypeFromString("scalar", &scalar, &found));
  PetscCheck(scalar == PETSC_SCALAR, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Lacuna::petsc was built for scalars of type %s, PETSc of this program has %s",
             PetscDataTypes[PETSC_SCALAR], PetscDataTypes[scalar]);
  PetscCall(PetscGetVersionNumber(&major, &minor, nullptr, nullptr));
  PetscCheck(major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Lacuna::petsc was built for PETSc %d.%d, the program runs another", PETSC_VERSION_MAJOR,
             PETSC_VERSION_MINOR);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

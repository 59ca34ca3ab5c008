// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCHOOKS_HPP
#define LACUNA_PETSCHOOKS_HPP

#include <petscmat.h>

#include <kernels/engines/petsc/impl/Lacuna_PetscOptions.hpp>
#include <string>

/// \file
/// \brief Which of PETSc's methods of a matrix are ours, and which they were.

namespace lacuna::Impl {

enum class PetscKind { other, sequential, parallel };

/// Of the type of A: the ones that plans serve.
PetscErrorCode petsc_kind(Mat A, PetscKind* kind);

/// PETSC_ERR_ARG_WRONG where A is no matrix, or one that was destroyed.
PetscErrorCode petsc_check_matrix(Mat A, const char* function);
/// PETSC_ERR_SUP where the PETSc that runs has other scalars, indices or another version than the one compiled for.
PetscErrorCode petsc_check_build();

/// Puts our methods into a matrix that plans serve. What they call of PETSc's own is remembered by type.
PetscErrorCode petsc_install(Mat A);
/// Before products of the blocks of a parallel matrix: they are ours, and know how the whole has changed.
PetscErrorCode petsc_prepare_blocks(Mat A);
/// Gives back PETSc's own, and drops the plans.
PetscErrorCode petsc_uninstall(Mat A);
/// The name of PETSc's own type that A is of, below ours.
PetscErrorCode petsc_base_type(Mat A, std::string* name);
/// PETSc's own method of that type; nullptr where there is none.
PetscErrorCode petsc_base_operation(Mat A, MatOperation operation, PetscErrorCodeFn** method);

/// Our methods of sequential matrices (Lacuna_PetscSpmv.cpp).
PetscErrorCode petsc_mult(Mat A, Vec x, Vec y);
PetscErrorCode petsc_mult_add(Mat A, Vec x, Vec y, Vec z);
PetscErrorCode petsc_mult_transpose(Mat A, Vec x, Vec y);
PetscErrorCode petsc_mult_transpose_add(Mat A, Vec x, Vec y, Vec z);

/// Kokkos as PETSc wants it, or as it is.
PetscErrorCode petsc_start_kokkos();
/// Reads the options database with the prefix of A.
PetscErrorCode petsc_read_options(Mat A, PetscMatOptions* options);

}  // namespace lacuna::Impl

#endif

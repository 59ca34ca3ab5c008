// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCDENSE_HPP
#define LACUNA_PETSCDENSE_HPP

#include <Lacuna_Options.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>

#include <string>

/// \file
/// \brief Products of a sequential matrix and dense columns, for the products of MatProduct.

namespace lacuna::Impl {

/// Columns as PETSc has them, `stride` elements from one to the next.
template <class Scalar>
struct PetscBlock {
  Scalar* values;
  PetscInt rows, columns, stride;
};

/// C = op(A) B, or C = op(A) B + C, by the plan that is composed with A; all three are in one memory.
PetscErrorCode petsc_times_dense(Mat A, Op op, const PetscBlock<const PetscScalar>& B, bool adds,
                                 const PetscBlock<PetscScalar>& C);

/// The reports of plans for dense matrices that are composed with A.
PetscErrorCode petsc_dense_reports(Mat A, std::string* reports);
PetscErrorCode petsc_drop_dense_plans(Mat A);

}  // namespace lacuna::Impl

#endif

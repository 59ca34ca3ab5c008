// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCPRODUCTS_HPP
#define LACUNA_PETSCPRODUCTS_HPP

#include <petscmat.h>

namespace lacuna::Impl {

/// Has MatProduct ask us for products of this matrix.
PetscErrorCode petsc_install_products(Mat A);
PetscErrorCode petsc_uninstall_products(Mat A);

/// Chooses the methods of C, a product of sequential matrices in CSR, all of which are in this memory.
PetscErrorCode petsc_set_sparse_product(Mat C, PetscMemType memory);
/// Chooses the methods of C, a product AB, AᵀB or PᵀAP of parallel matrices in CSR, all of which are in this memory.
PetscErrorCode petsc_set_parallel_product(Mat C, PetscMemType memory);
/// Chooses the methods of C = AB or AᵀB, with a dense B.
PetscErrorCode petsc_set_dense_product(Mat C);

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSC_HPP
#define LACUNA_PETSC_HPP

#include <petscmat.h>

/// \file
/// \brief PETSc's matrices run Lacuna's kernels. C programs can include this header, too.
///
///     LacunaMatUse(A);              // one call: products of this matrix, whatever its type
///     -mat_type aijlacuna           // or no call: a type that multigrid hands on to its coarse matrices
///     -mat_type aijkokkoslacuna     // or no call, on a device: a matrix of type aijkokkos with plans
///
/// Link `Lacuna::petsc`, or load the library at run time, `-dll_prepend <path>/liblacuna_petsc.so`. Everything goes
/// through PETSc's public interface; communication stays PETSc's. Errors are PETSc's, with a sentence of ours.
///
/// Options, read with the prefix of the matrix when it gets its type or is given to `LacunaMatUse`:
///   - `-mat_lacuna_expected_calls <n>`: how many products with vectors or dense matrices a plan is made for, see
///     `SpmvOptions::expected_calls`;
///   - `-mat_lacuna_expected_products <n>`: how often a product of sparse matrices is computed with new values, see
///     `SpgemmOptions::expected_calls`;
///   - `-mat_lacuna_columns <n>`: columns of dense matrices that plans are made for (default: the most so far);
///   - `-mat_lacuna_report`: print what each plan chose, and why, as far as the first process of a matrix makes it.

/// \brief A MATAIJ whose products are ours: with vectors, with dense matrices, and of sparse matrices by MatProduct, so
/// that the matrices of a multigrid hierarchy are of this type, too. Everything else is that of MATAIJ.
#define MATAIJLACUNA "aijlacuna"
#define MATSEQAIJLACUNA "seqaijlacuna"
#define MATMPIAIJLACUNA "mpiaijlacuna"

/// \brief Names by which MatSetType, and `-mat_type`, make a matrix of PETSc's own type that has plans from the start:
/// what `LacunaMatUse` does, by options alone, so that values and products are where that type has them, on a device
/// where there is one. The type of the matrix is MATAIJKOKKOS, MATAIJCUSPARSE or MATAIJHIPSPARSE then. Known where
/// PETSc has that type.
#define MATAIJKOKKOSLACUNA "aijkokkoslacuna"
#define MATAIJCUSPARSELACUNA "aijcusparselacuna"
#define MATAIJHIPSPARSELACUNA "aijhipsparselacuna"

/// \brief Makes these types known to MatSetType and to `-mat_type`, and aijlacuna to `-mat_seqaij_type`.
///
/// To be called after PetscInitialize and before the first use of these types, once or more often; not where PETSc
/// loads the library itself (`-dll_prepend`). Not collective. PETSC_ERR_SUP where the PETSc that runs has other indices
/// or scalars than the one that this library was built for, or is another version.
PETSC_EXTERN PetscErrorCode LacunaRegister(void);

/// \brief Puts plans of Lacuna into a matrix.
///
/// From then on MatMult, MatMultAdd, MatMultTranspose and MatMultTransposeAdd of A and of its duplicates, and thereby
/// solvers, run Lacuna's kernels where A is stored: on the host, or on the device of Kokkos. The first product of each
/// kind makes a plan; later ones make another where the pattern has changed, and give it new values where these have.
/// The type of A stays what it is. On a device an A that is the first factor has our products of MatProduct, too, where
/// the others are there: of sequential matrices AB, AᵀB, ABᵀ, PᵀAP, RARᵀ and ABC, and AB and AᵀB with a dense B; of
/// parallel MATAIJKOKKOS AB, AᵀB and PᵀAP. What comes out is of A's type and has plans. Products of parallel
/// MATAIJCUSPARSE and MATAIJHIPSPARSE PETSc makes of products of blocks, such as these. On hosts MatProduct is PETSc's;
/// MATAIJLACUNA has ours.
///
/// \param[in,out] A an assembled matrix of type MATAIJ, MATAIJKOKKOS, MATAIJCUSPARSE or MATAIJHIPSPARSE, sequential or
///     parallel. A call for a matrix that has plans already changes nothing but its options.
///
/// Logically collective. PETSC_ERR_ARG_WRONG where A is no matrix, or a destroyed one, PETSC_ERR_SUP for other types (a
/// shell among them) and for a PETSc other than this library was built for, PETSC_ERR_ARG_WRONGSTATE before assembly.
PETSC_EXTERN PetscErrorCode LacunaMatUse(Mat A);

/// \brief Prints the reports of the plans that A has on this process: what runs, why, and what it takes.
///
/// \param[in] A a matrix with plans; of any other it prints that there are none
/// \param[in] viewer of type PETSCVIEWERASCII, of one process
///
/// Not collective. PETSC_ERR_ARG_WRONG where A is no matrix, or a destroyed one.
PETSC_EXTERN PetscErrorCode LacunaMatView(Mat A, PetscViewer viewer);

#endif

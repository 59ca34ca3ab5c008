// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscParallelProduct.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscSparseProduct.hpp>

/// \file
/// \brief Products of matrices on the device, in a unit of their own: their kernels are most of what is compiled here.

namespace lacuna::Impl {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template PetscErrorCode petsc_compute_pattern<PetscDevice>(Mat C);
template PetscErrorCode petsc_compute_parallel_pattern<PetscDevice>(Mat C);
#endif

}  // namespace lacuna::Impl

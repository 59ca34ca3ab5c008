// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscParallelProduct.hpp>

/// \file
/// \brief AB, AᵀB and PᵀAP of parallel matrices, where their arrays are: host or device.

namespace lacuna::Impl {

PetscErrorCode petsc_set_parallel_product(Mat C, PetscMemType memory) {
  auto* method = petsc_compute_parallel_pattern<PetscHost>;
  PetscFunctionBegin;
  if constexpr (petsc_has_device)
    if (!PetscMemTypeHost(memory)) method = petsc_compute_parallel_pattern<PetscDevice>;
  PetscCall(MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, reinterpret_cast<PetscErrorCodeFn*>(method)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

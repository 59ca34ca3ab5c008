// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscSparseProduct.hpp>

/// \file
/// \brief AB, AᵀB, ABᵀ, PᵀAP, RARᵀ and ABC of sequential matrices, where their arrays are: host or device.

namespace lacuna::Impl {

PetscErrorCode petsc_set_sparse_product(Mat C, PetscMemType memory) {
  MatProductType type = MATPRODUCT_UNSPECIFIED;
  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  if (petsc_recipe(type)) {
    auto* method = petsc_compute_pattern<PetscHost>;
    if constexpr (petsc_has_device)
      if (!PetscMemTypeHost(memory)) method = petsc_compute_pattern<PetscDevice>;
    PetscCall(MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, reinterpret_cast<PetscErrorCodeFn*>(method)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProducts.hpp>

#include <string>
#include <string_view>

/// \file
/// \brief Which products of MatProduct are ours. The others go where PETSc sends those of its own types.

namespace lacuna::Impl {

namespace {

constexpr const char* any_type = "MatProductSetFromOptions_anytype_C";

/// PETSc finds methods by the names of types: those of a product by the names below ours.
PetscErrorCode set_product_of_petsc(Mat C, const Mat (&factors)[3], MatProductType type) {
  using Setter            = PetscErrorCode (*)(Mat);
  std::string name        = "MatProductSetFromOptions", base[3];
  PetscErrorCodeFn* found = nullptr;
  const int count         = type == MATPRODUCT_ABC ? 3 : 2;
  PetscFunctionBegin;
  for (int i = 0; i < count; ++i) {
    PetscCall(petsc_base_type(factors[i], &base[i]));
    name += "_" + base[i];
  }
  name += "_C";
  // As MatProduct does: methods of one type first, then those of a combination.
  if (base[0] == base[1] && (count == 2 || base[0] == base[2]))
    PetscCall(petsc_base_operation(factors[0], MATOP_PRODUCTSETFROMOPTIONS, &found));
  for (int i = 0; i < count && found == nullptr; ++i)
    PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(factors[i]), name.c_str(), &found));
  if (found != nullptr) PetscCall(reinterpret_cast<Setter>(found)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Assembled, in CSR, and in memory of the host.
PetscErrorCode is_csr_of_host(Mat A, PetscKind wanted, bool* is) {
  PetscKind kind      = PetscKind::other;
  PetscMemType memory = PETSC_MEMTYPE_HOST;
  PetscBool assembled = PETSC_FALSE;
  Mat diagonal        = A;
  PetscFunctionBegin;
  PetscCall(petsc_kind(A, &kind));
  PetscCall(MatAssembled(A, &assembled));
  *is = kind == wanted && assembled;
  if (!*is) PetscFunctionReturn(PETSC_SUCCESS);
  if (kind == PetscKind::parallel) PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, nullptr, nullptr));
  PetscCall(MatSeqAIJGetCSRAndMemType(diagonal, nullptr, nullptr, nullptr, &memory));
  *is = PetscMemTypeHost(memory);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode are_csr_of_host(const Mat (&factors)[3], int count, PetscKind wanted, bool* are) {
  PetscFunctionBegin;
  *are = true;
  for (int i = 0; i < count && *are; ++i) PetscCall(is_csr_of_host(factors[i], wanted, are));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// AB or AᵀB, with an A of the host and a dense B.
PetscErrorCode is_product_with_dense(const Mat (&factors)[3], MatProductType type, bool* is) {
  PetscKind kind     = PetscKind::other;
  PetscBool is_dense = PETSC_FALSE;
  PetscFunctionBegin;
  *is = false;
  if (type != MATPRODUCT_AB && type != MATPRODUCT_AtB) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(petsc_kind(factors[0], &kind));
  PetscCall(
      PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(factors[1]), &is_dense, MATSEQDENSE, MATMPIDENSE, ""));
  if (is_dense && kind != PetscKind::other) PetscCall(is_csr_of_host(factors[0], kind, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_product(Mat C) {
  MatProductType type           = MATPRODUCT_UNSPECIFIED;
  Mat factors[3]                = {nullptr, nullptr, nullptr};
  MatProductAlgorithm algorithm = nullptr;
  bool are_sequential = false, are_parallel = false, with_dense = false;
  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, &factors[0], &factors[1], &factors[2]));
  PetscCall(MatProductGetAlgorithm(C, &algorithm));
  const int count = type == MATPRODUCT_ABC ? 3 : 2;
  PetscCall(are_csr_of_host(factors, count, PetscKind::sequential, &are_sequential));
  if (type == MATPRODUCT_AB || type == MATPRODUCT_AtB || type == MATPRODUCT_PtAP)
    PetscCall(are_csr_of_host(factors, count, PetscKind::parallel, &are_parallel));
  PetscCall(is_product_with_dense(factors, type, &with_dense));
  // Who names one of PETSc's algorithms gets it.
  const bool chooses = algorithm == nullptr || std::string_view(algorithm) == MATPRODUCTALGORITHMDEFAULT;
  if (are_sequential && chooses)
    PetscCall(petsc_set_sparse_product(C));
  else if (are_parallel && chooses)
    PetscCall(petsc_set_parallel_product(C));
  else if (with_dense && chooses)
    PetscCall(petsc_set_dense_product(C));
  else
    PetscCall(set_product_of_petsc(C, factors, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode petsc_install_products(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatSetOperation(A, MATOP_PRODUCTSETFROMOPTIONS, reinterpret_cast<PetscErrorCodeFn*>(set_product)));
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), any_type, set_product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_uninstall_products(Mat A) {
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), any_type, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

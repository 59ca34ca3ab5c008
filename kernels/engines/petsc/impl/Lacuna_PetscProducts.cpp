// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Petsc.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProducts.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

/// \file
/// \brief Which products of MatProduct are ours. The others go where PETSc sends those of its own types.

namespace lacuna::Impl {

namespace {

using Setter = PetscErrorCode (*)(Mat);

constexpr const char* any_type = "MatProductSetFromOptions_anytype_C";

PetscErrorCode set_product(Mat C);

/// PETSc's own for a matrix on a device times a dense one, or times another of its type, which PETSc finds, by these
/// names, before it asks us.
std::map<std::string, PetscErrorCodeFn*>& setters_of_petsc() {
  static std::map<std::string, PetscErrorCodeFn*> setters;
  return setters;
}

PetscErrorCode names_of_setters(Mat A, std::array<std::string, 3>* names) {
  std::string base;
  PetscFunctionBegin;
  PetscCall(petsc_base_type(A, &base));
  const std::string others[] = {MATSEQDENSECUDA, MATSEQDENSEHIP, base};
  for (std::size_t i = 0; i < names->size(); ++i)
    (*names)[i] = "MatProductSetFromOptions_" + base + "_" + others[i] + "_C";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode install_setters(Mat A) {
  const auto object = reinterpret_cast<PetscObject>(A);
  std::array<std::string, 3> names;
  PetscBool is_ours = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny(object, &is_ours, MATSEQAIJLACUNA, MATMPIAIJLACUNA, ""));
  if (is_ours) PetscFunctionReturn(PETSC_SUCCESS);  // PETSc asks for names with that of our type in them
  PetscCall(names_of_setters(A, &names));
  for (const std::string& name : names) {
    PetscErrorCodeFn* found = nullptr;
    PetscCall(PetscObjectQueryFunction(object, name.c_str(), &found));
    if (found == nullptr || found == reinterpret_cast<PetscErrorCodeFn*>(set_product)) continue;
    setters_of_petsc()[name] = found;
    PetscCall(PetscObjectComposeFunction(object, name.c_str(), set_product));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode uninstall_setters(Mat A) {
  std::array<std::string, 3> names;
  PetscFunctionBegin;
  PetscCall(names_of_setters(A, &names));
  for (const std::string& name : names) {
    const auto found = setters_of_petsc().find(name);
    if (found != setters_of_petsc().end())
      PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), name.c_str(), found->second));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc finds methods by the names of types: those of a product by the names below ours.
PetscErrorCode set_product_of_petsc(Mat C, const Mat (&factors)[3], MatProductType type) {
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
  if (found == reinterpret_cast<PetscErrorCodeFn*>(set_product)) found = setters_of_petsc()[name];
  // Types that are multiplied with any other say so; it is ours that PETSc found first.
  for (int i = 0; i < count && found == nullptr; ++i) {
    PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(factors[i]), any_type, &found));
    if (found == reinterpret_cast<PetscErrorCodeFn*>(set_product)) found = nullptr;
  }
  if (found != nullptr) PetscCall(reinterpret_cast<Setter>(found)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What serves a product: matrices that are assembled, in CSR, of one kind, and all of them in one memory.
struct Factors {
  PetscKind kind      = PetscKind::other;
  PetscMemType memory = PETSC_MEMTYPE_HOST;

  bool on_host() const { return PetscMemTypeHost(memory); }
  bool operator==(const Factors& other) const { return kind == other.kind && on_host() == other.on_host(); }
};

/// PetscKind::other where it is not served.
PetscErrorCode describe(Mat A, Factors* factors) {
  PetscBool assembled = PETSC_FALSE;
  Mat diagonal        = A;
  PetscFunctionBegin;
  PetscCall(petsc_kind(A, &factors->kind));
  PetscCall(MatAssembled(A, &assembled));
  if (assembled == PETSC_FALSE) factors->kind = PetscKind::other;
  if (factors->kind == PetscKind::other) PetscFunctionReturn(PETSC_SUCCESS);
  if (factors->kind == PetscKind::parallel) PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, nullptr, nullptr));
  PetscCall(petsc_memory(diagonal, &factors->memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// On the host, results are of our type, so that a factor must be; PETSc's own types for devices may be bound to it.
PetscErrorCode has_our_type(const Mat (&factors)[3], int count, bool* has) {
  PetscBool is_ours = PETSC_FALSE;
  PetscFunctionBegin;
  *has = false;
  for (int i = 0; i < count; ++i) {
    PetscCall(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(factors[i]), &is_ours, MATSEQAIJLACUNA,
                                        MATMPIAIJLACUNA, ""));
    *has = *has || is_ours == PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Of parallel matrices on a device the result is of their type.
PetscErrorCode are_of_one_type(const Mat (&factors)[3], bool* are) {
  std::string base[2];
  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) PetscCall(petsc_base_type(factors[i], &base[i]));
  *are = base[0] == base[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What the first of the factors is, where the others are the same and there is a product of ours for it.
PetscErrorCode served_factors(const Mat (&factors)[3], MatProductType type, Factors* served) {
  const int count = type == MATPRODUCT_ABC ? 3 : 2;
  bool is_ours = false, of_one_type = false;
  PetscFunctionBegin;
  PetscCall(describe(factors[0], served));
  for (int i = 1; i < count && served->kind != PetscKind::other; ++i) {
    Factors other;
    PetscCall(describe(factors[i], &other));
    if (!(other == *served)) served->kind = PetscKind::other;
  }
  if (served->kind == PetscKind::other) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(has_our_type(factors, count, &is_ours));
  const bool in_parallel = type == MATPRODUCT_AB || type == MATPRODUCT_AtB || type == MATPRODUCT_PtAP;
  const bool parallel    = served->kind == PetscKind::parallel;
  PetscCall(are_of_one_type(factors, &of_one_type));
  const bool is_served =
      (!parallel || in_parallel) && (served->on_host() ? is_ours : petsc_has_device && (!parallel || of_one_type));
  if (!is_served) served->kind = PetscKind::other;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// AB or AᵀB, with a dense B in the memory of A; parallel ones on the host.
PetscErrorCode is_product_with_dense(const Mat (&factors)[3], MatProductType type, bool* is) {
  PetscBool is_dense = PETSC_FALSE;
  bool is_ours       = false;
  Factors of_A;
  PetscFunctionBegin;
  *is = false;
  if (type != MATPRODUCT_AB && type != MATPRODUCT_AtB) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(describe(factors[0], &of_A));
  if (of_A.kind == PetscKind::other) PetscFunctionReturn(PETSC_SUCCESS);
  const auto B = reinterpret_cast<PetscObject>(factors[1]);
  if (of_A.on_host()) {
    PetscCall(has_our_type(factors, 1, &is_ours));
    PetscCall(PetscObjectTypeCompareAny(B, &is_dense, MATSEQDENSE, MATMPIDENSE, ""));
    *is = is_ours && is_dense == PETSC_TRUE;
  } else if (petsc_has_device && of_A.kind == PetscKind::sequential) {
    PetscCall(PetscObjectTypeCompareAny(B, &is_dense, MATSEQDENSECUDA, MATSEQDENSEHIP, ""));
    *is = is_dense == PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_product(Mat C) {
  MatProductType type           = MATPRODUCT_UNSPECIFIED;
  Mat factors[3]                = {nullptr, nullptr, nullptr};
  MatProductAlgorithm algorithm = nullptr;
  bool with_dense               = false;
  Factors served;
  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, &factors[0], &factors[1], &factors[2]));
  PetscCall(MatProductGetAlgorithm(C, &algorithm));
  PetscCall(served_factors(factors, type, &served));
  PetscCall(is_product_with_dense(factors, type, &with_dense));
  // Who names one of PETSc's algorithms gets it.
  const bool chooses = algorithm == nullptr || std::string_view(algorithm) == MATPRODUCTALGORITHMDEFAULT;
  if (served.kind == PetscKind::sequential && chooses)
    PetscCall(petsc_set_sparse_product(C, served.memory));
  else if (served.kind == PetscKind::parallel && chooses)
    PetscCall(petsc_set_parallel_product(C, served.memory));
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
  PetscCall(install_setters(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_uninstall_products(Mat A) {
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), any_type, nullptr));
  PetscCall(uninstall_setters(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

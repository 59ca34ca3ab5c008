// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <map>
#include <string>
#include <string_view>

namespace lacuna::Impl {

namespace {

using Method = PetscErrorCodeFn*;

template <class Function>
Method as_method(Function* function) {
  return reinterpret_cast<Method>(function);
}

/// What we put something of ours in front of.
constexpr std::array operations{MATOP_MULT,      MATOP_MULT_ADD,   MATOP_MULT_TRANSPOSE, MATOP_MULT_TRANSPOSE_ADD,
                                MATOP_DUPLICATE, MATOP_BIND_TO_CPU};

using Methods = std::map<MatOperation, Method>;

/// PETSc's own methods by the name of a type: a matrix that shares the methods of another has no context to ask.
std::map<std::string, Methods>& methods_by_type() {
  static std::map<std::string, Methods> methods;
  return methods;
}

/// A matrix on a device that is bound to the host has other methods meanwhile.
PetscErrorCode type_key(Mat A, std::string* key) {
  MatType type       = nullptr;
  PetscBool is_bound = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(MatBoundToCPU(A, &is_bound));
  *key = std::string(type) + (is_bound ? " on the host" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The blocks of a parallel matrix are ours, too: PETSc makes new ones where the pattern changes.
PetscErrorCode install_in_blocks(Mat A) {
  Mat diagonal = nullptr, other = nullptr;
  PetscPlans* plans = nullptr;
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &other, nullptr));
  for (Mat block : {diagonal, other}) {
    if (block == nullptr) continue;
    Method mult = nullptr;
    PetscCall(MatGetOperation(block, MATOP_MULT, &mult));
    if (mult == as_method(petsc_mult)) continue;
    PetscCall(petsc_install(block));
    PetscCall(petsc_plans(A, &plans));
    PetscPlans* of_block = nullptr;
    PetscCall(petsc_plans(block, &of_block));
    of_block->options = plans->options;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <MatOperation operation, class... Vectors>
PetscErrorCode parallel_product(Mat A, Vectors... vectors) {
  Method base = nullptr;
  PetscFunctionBegin;
  PetscCall(install_in_blocks(A));
  PetscCall(petsc_base_operation(A, operation, &base));
  PetscCall(reinterpret_cast<PetscErrorCode (*)(Mat, Vectors...)>(base)(A, vectors...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode duplicate(Mat A, MatDuplicateOption option, Mat* copy) {
  Method base       = nullptr;
  PetscPlans *plans = nullptr, *of_copy = nullptr;
  PetscFunctionBegin;
  PetscCall(petsc_base_operation(A, MATOP_DUPLICATE, &base));
  PetscCall(reinterpret_cast<PetscErrorCode (*)(Mat, MatDuplicateOption, Mat*)>(base)(A, option, copy));
  PetscCall(petsc_install(*copy));
  PetscCall(petsc_plans(A, &plans));
  PetscCall(petsc_plans(*copy, &of_copy));
  of_copy->options = plans->options;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc exchanges its methods for those of the other side, and with them ours.
PetscErrorCode bind_to_cpu(Mat A, PetscBool is_bound) {
  Method base = nullptr;
  PetscFunctionBegin;
  PetscCall(petsc_base_operation(A, MATOP_BIND_TO_CPU, &base));
  PetscCall(reinterpret_cast<PetscErrorCode (*)(Mat, PetscBool)>(base)(A, is_bound));
  PetscCall(petsc_install(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode delete_plans(PetscCtxRt context) {
  PetscFunctionBegin;
  delete *static_cast<PetscPlans**>(context);
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr const char* plans_name = "Lacuna plans";

}  // namespace

PetscErrorCode petsc_plans_if_any(Mat A, PetscPlans** plans) {
  PetscFunctionBegin;
  *plans = nullptr;
  PetscCall(PetscObjectContainerQuery(reinterpret_cast<PetscObject>(A), plans_name, plans));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_plans(Mat A, PetscPlans** plans) {
  PetscFunctionBegin;
  PetscCall(petsc_plans_if_any(A, plans));
  if (*plans != nullptr) PetscFunctionReturn(PETSC_SUCCESS);
  *plans = new PetscPlans;
  PetscCall(PetscObjectContainerCompose(reinterpret_cast<PetscObject>(A), plans_name, *plans, delete_plans));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_kind(Mat A, PetscKind* kind) {
  MatType type = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  *kind                         = PetscKind::other;
  const std::string_view name   = type == nullptr ? "" : type;
  const std::string_view family = name.substr(name.size() < 3 ? name.size() : 3);
  for (const std::string_view served : {"aij", "aijkokkos", "aijcusparse", "aijhipsparse"})
    if (family == served) *kind = name.substr(0, 3) == "seq" ? PetscKind::sequential : PetscKind::parallel;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_base_operation(Mat A, MatOperation operation, PetscErrorCodeFn** method) {
  std::string key;
  PetscFunctionBegin;
  PetscCall(type_key(A, &key));
  *method = methods_by_type()[key][operation];
  PetscCheck(*method != nullptr, PetscObjectComm(reinterpret_cast<PetscObject>(A)), PETSC_ERR_SUP,
             "Lacuna: matrices of type %s have no operation %d of their own", key.c_str(), static_cast<int>(operation));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_install(Mat A) {
  PetscKind kind = PetscKind::other;
  std::string key;
  Method mult = nullptr;
  PetscFunctionBegin;
  PetscCall(petsc_kind(A, &kind));
  const bool sequential = kind == PetscKind::sequential;
  const Method ours     = sequential ? as_method(petsc_mult) : as_method(parallel_product<MATOP_MULT, Vec, Vec>);
  PetscCall(MatGetOperation(A, MATOP_MULT, &mult));
  if (mult == ours) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(type_key(A, &key));
  if (Methods& base = methods_by_type()[key]; base.empty())
    for (const MatOperation operation : operations) PetscCall(MatGetOperation(A, operation, &base[operation]));
  const Methods& base = methods_by_type()[key];
  const auto put      = [&](MatOperation operation, Method method) -> PetscErrorCode {
    PetscFunctionBegin;
    if (base.at(operation) != nullptr) PetscCall(MatSetOperation(A, operation, method));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  if (sequential) {
    PetscCall(put(MATOP_MULT, as_method(petsc_mult)));
    PetscCall(put(MATOP_MULT_ADD, as_method(petsc_mult_add)));
    PetscCall(put(MATOP_MULT_TRANSPOSE, as_method(petsc_mult_transpose)));
    PetscCall(put(MATOP_MULT_TRANSPOSE_ADD, as_method(petsc_mult_transpose_add)));
  } else {
    PetscCall(put(MATOP_MULT, as_method(parallel_product<MATOP_MULT, Vec, Vec>)));
    PetscCall(put(MATOP_MULT_ADD, as_method(parallel_product<MATOP_MULT_ADD, Vec, Vec, Vec>)));
    PetscCall(put(MATOP_MULT_TRANSPOSE, as_method(parallel_product<MATOP_MULT_TRANSPOSE, Vec, Vec>)));
    PetscCall(put(MATOP_MULT_TRANSPOSE_ADD, as_method(parallel_product<MATOP_MULT_TRANSPOSE_ADD, Vec, Vec, Vec>)));
  }
  PetscCall(put(MATOP_DUPLICATE, as_method(duplicate)));
  PetscCall(put(MATOP_BIND_TO_CPU, as_method(bind_to_cpu)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Petsc.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscDense.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProducts.hpp>

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
constexpr std::array operations{
    MATOP_MULT,      MATOP_MULT_ADD,    MATOP_MULT_TRANSPOSE,        MATOP_MULT_TRANSPOSE_ADD,
    MATOP_DUPLICATE, MATOP_BIND_TO_CPU, MATOP_PRODUCTSETFROMOPTIONS, MATOP_ASSEMBLY_END};

using Methods = std::map<MatOperation, Method>;

/// PETSc's own methods by the name of a type: a matrix that shares the methods of another has no context to ask.
std::map<std::string, Methods>& methods_by_type() {
  static std::map<std::string, Methods> methods;
  return methods;
}

/// A matrix of a type for devices that is bound to the host has other methods meanwhile. (Others are said to be bound,
/// too, where they are factors.)
PetscErrorCode type_key(Mat A, std::string* key) {
  PetscBool is_bound = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(petsc_base_type(A, key));
  PetscCall(MatBoundToCPU(A, &is_bound));
  if (is_bound && *key != MATSEQAIJ && *key != MATMPIAIJ) *key += " on the host";
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <MatOperation operation, class... Vectors>
PetscErrorCode parallel_product(Mat A, Vectors... vectors) {
  Method base = nullptr;
  PetscFunctionBegin;
  PetscCall(petsc_prepare_blocks(A));
  PetscCall(petsc_base_operation(A, operation, &base));  // it has one, or ours were not here
  PetscCall(reinterpret_cast<PetscErrorCode (*)(Mat, Vectors...)>(base)(A, vectors...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode parallel_assembly_end(Mat A, MatAssemblyType type) {
  Method base = nullptr;
  PetscFunctionBegin;
  PetscCall(petsc_base_operation(A, MATOP_ASSEMBLY_END, &base));
  PetscCall(reinterpret_cast<PetscErrorCode (*)(Mat, MatAssemblyType)>(base)(A, type));
  if (type == MAT_FINAL_ASSEMBLY) PetscCall(petsc_prepare_blocks(A));
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

PetscErrorCode petsc_drop_plans(Mat A) {
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(A), plans_name, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_print_report(const PetscPlans& plans, const std::string& report) {
  PetscMPIInt rank = 0;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (plans.options.reports && rank == 0) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s", report.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_base_type(Mat A, std::string* name) {
  MatType type = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  *name = type == nullptr ? "" : type;
  for (const std::string_view ours : {MATSEQAIJLACUNA, MATMPIAIJLACUNA})
    if (*name == ours) name->resize(ours.size() - std::string_view("lacuna").size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_kind(Mat A, PetscKind* kind) {
  std::string name;
  PetscFunctionBegin;
  PetscCall(petsc_base_type(A, &name));
  *kind                         = PetscKind::other;
  const std::string_view family = std::string_view(name).substr(name.size() < 3 ? name.size() : 3);
  for (const std::string_view served : {"aij", "aijkokkos", "aijcusparse", "aijhipsparse"})
    if (family == served) *kind = name.substr(0, 3) == "seq" ? PetscKind::sequential : PetscKind::parallel;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_base_operation(Mat A, MatOperation operation, PetscErrorCodeFn** method) {
  std::string key;
  PetscFunctionBegin;
  PetscCall(type_key(A, &key));
  *method = methods_by_type()[key][operation];
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
    PetscCall(put(MATOP_ASSEMBLY_END, as_method(parallel_assembly_end)));
  }
  PetscCall(put(MATOP_DUPLICATE, as_method(duplicate)));
  PetscCall(put(MATOP_BIND_TO_CPU, as_method(bind_to_cpu)));
  // On the host, products are of our type alone.
  std::string base_type;
  PetscCall(petsc_base_type(A, &base_type));
  if (petsc_has_device && base_type != (sequential ? MATSEQAIJ : MATMPIAIJ)) PetscCall(petsc_install_products(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc makes new blocks where the pattern changes, and names what it makes of blocks after their type.
PetscErrorCode petsc_prepare_blocks(Mat A) {
  Mat blocks[2]          = {nullptr, nullptr};
  PetscObjectState state = 0;
  PetscPlans* plans      = nullptr;
  PetscFunctionBegin;
  PetscCall(petsc_plans(A, &plans));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], nullptr));
  PetscCall(petsc_state(A, &state));
  for (Mat block : blocks) {
    Method mult          = nullptr;
    PetscPlans* of_block = nullptr;
    if (block == nullptr) continue;
    PetscCall(MatGetOperation(block, MATOP_MULT, &mult));
    if (mult != as_method(petsc_mult)) {
      PetscBool is_ours = PETSC_FALSE;
      PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(A), MATMPIAIJLACUNA, &is_ours));
      if (is_ours)
        PetscCall(MatConvert(block, MATSEQAIJLACUNA, MAT_INPLACE_MATRIX, &block));
      else
        PetscCall(petsc_install(block));
    }
    PetscCall(petsc_plans(block, &of_block));
    of_block->options  = plans->options;
    of_block->of_whole = state;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_uninstall(Mat A) {
  std::string key;
  PetscKind kind = PetscKind::other;
  PetscFunctionBegin;
  PetscCall(petsc_kind(A, &kind));
  PetscCall(type_key(A, &key));
  for (const auto& [operation, method] : methods_by_type()[key]) PetscCall(MatSetOperation(A, operation, method));
  PetscCall(petsc_uninstall_products(A));
  PetscCall(petsc_drop_plans(A));
  PetscCall(petsc_drop_dense_plans(A));
  if (kind == PetscKind::parallel) {
    Mat blocks[2] = {nullptr, nullptr};
    PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], nullptr));
    for (Mat block : blocks) {
      PetscBool is_ours = PETSC_FALSE;
      if (block == nullptr) continue;
      PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(block), MATSEQAIJLACUNA, &is_ours));
      if (is_ours)
        PetscCall(MatConvert(block, MATSEQAIJ, MAT_INPLACE_MATRIX, &block));
      else
        PetscCall(petsc_uninstall(block));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

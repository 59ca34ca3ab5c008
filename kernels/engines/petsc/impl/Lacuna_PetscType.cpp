// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Petsc.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProducts.hpp>

#include <string>

/// \file
/// \brief The type aijlacuna: a MATAIJ with our methods, under a name that PETSc hands on to what it makes of it; and
/// names that make matrices of PETSc's types for devices with our methods in them.

namespace lacuna::Impl {

namespace {

struct Family {
  const char *base, *ours, *baij, *sbaij, *dense, *sell;
};
constexpr Family sequential{MATSEQAIJ, MATSEQAIJLACUNA, MATSEQBAIJ, MATSEQSBAIJ, MATSEQDENSE, MATSEQSELL};
constexpr Family parallel{MATMPIAIJ, MATMPIAIJLACUNA, MATMPIBAIJ, MATMPISBAIJ, MATMPIDENSE, MATMPISELL};

std::string converter(const char* from, const char* to) { return std::string("MatConvert_") + from + "_" + to + "_C"; }

/// PETSc finds converters by the name of a type: those of its own, which make another matrix, serve under ours.
PetscErrorCode name_converters(Mat A, const Family& family, bool to_ours) {
  const auto object = reinterpret_cast<PetscObject>(A);
  PetscFunctionBegin;
  for (const char* to :
       {family.baij, family.sbaij, family.dense, family.sell, MATIS, MATHYPRE, MATELEMENTAL, MATSCALAPACK}) {
    PetscErrorCodeFn* found = nullptr;
    if (to_ours) PetscCall(PetscObjectQueryFunction(object, converter(family.base, to).c_str(), &found));
    PetscCall(PetscObjectComposeFunction(object, converter(family.ours, to).c_str(), found));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The matrix that a converter changes: A itself, or a copy.
PetscErrorCode to_change(Mat A, MatReuse reuse, Mat* changed) {
  PetscFunctionBegin;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, changed));
  if (reuse == MAT_REUSE_MATRIX) PetscCall(MatCopy(A, *changed, DIFFERENT_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <const Family& family>
PetscErrorCode convert_to_base(Mat A, MatType, MatReuse reuse, Mat* result);

template <const Family& family>
PetscErrorCode convert_to_ours(Mat A, MatType, MatReuse reuse, Mat* result) {
  return petsc_guarded("MatConvert", [&]() -> PetscErrorCode {
    PetscBool is_ours = PETSC_FALSE;
    PetscPlans* plans = nullptr;
    PetscFunctionBegin;
    PetscCall(petsc_start_kokkos());
    Mat B = *result;
    PetscCall(to_change(A, reuse, &B));
    *result           = B;
    const auto object = reinterpret_cast<PetscObject>(B);
    PetscCall(PetscObjectTypeCompare(object, family.ours, &is_ours));
    if (is_ours) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(petsc_install(B));
    PetscCall(petsc_install_products(B));
    PetscCall(PetscObjectChangeTypeName(object, family.ours));
    PetscCall(PetscObjectComposeFunction(object, converter(family.base, family.ours).c_str(), convert_to_ours<family>));
    PetscCall(PetscObjectComposeFunction(object, converter(family.ours, family.base).c_str(), convert_to_base<family>));
    PetscCall(name_converters(B, family, true));
    PetscCall(petsc_plans(B, &plans));
    PetscCall(petsc_read_options(B, &plans->options));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

template <const Family& family>
PetscErrorCode convert_to_base(Mat A, MatType, MatReuse reuse, Mat* result) {
  PetscFunctionBegin;
  Mat B = *result;
  PetscCall(to_change(A, reuse, &B));
  *result           = B;
  const auto object = reinterpret_cast<PetscObject>(B);
  PetscCall(petsc_uninstall(B));
  PetscCall(PetscObjectComposeFunction(object, converter(family.base, family.ours).c_str(), nullptr));
  PetscCall(PetscObjectComposeFunction(object, converter(family.ours, family.base).c_str(), nullptr));
  PetscCall(name_converters(B, family, false));
  PetscCall(PetscObjectChangeTypeName(object, family.base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <const Family& family>
PetscErrorCode create(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatSetType(A, family.base));
  PetscCall(convert_to_ours<family>(A, family.ours, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A name that leads to a type of PETSc's own, whose matrices have plans from the start.
struct WithPlans {
  const char *root, *seq, *mpi, *base_seq, *base_mpi;
};
#ifdef PETSC_HAVE_KOKKOS_KERNELS
constexpr WithPlans kokkos_with_plans{MATAIJKOKKOSLACUNA, "seqaijkokkoslacuna", "mpiaijkokkoslacuna", MATSEQAIJKOKKOS,
                                      MATMPIAIJKOKKOS};
#endif
#ifdef PETSC_HAVE_CUDA
constexpr WithPlans cusparse_with_plans{MATAIJCUSPARSELACUNA, "seqaijcusparselacuna", "mpiaijcusparselacuna",
                                        MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE};
#endif
#ifdef PETSC_HAVE_HIP
constexpr WithPlans hipsparse_with_plans{MATAIJHIPSPARSELACUNA, "seqaijhipsparselacuna", "mpiaijhipsparselacuna",
                                         MATSEQAIJHIPSPARSE, MATMPIAIJHIPSPARSE};
#endif

template <const WithPlans& type, bool sequential>
PetscErrorCode create_with_plans(Mat A) {
  PetscPlans* plans = nullptr;
  PetscFunctionBegin;
  PetscCall(MatSetType(A, sequential ? type.base_seq : type.base_mpi));
  PetscCall(petsc_start_kokkos());
  PetscCall(petsc_install(A));
  PetscCall(petsc_plans(A, &plans));
  PetscCall(petsc_read_options(A, &plans->options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <const WithPlans& type>
PetscErrorCode register_with_plans() {
  PetscFunctionBegin;
  PetscCall(MatRegisterRootName(type.root, type.seq, type.mpi));
  PetscCall(MatRegister(type.seq, create_with_plans<type, true>));
  PetscCall(MatRegister(type.mpi, create_with_plans<type, false>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

}  // namespace lacuna::Impl

PetscErrorCode LacunaRegister() {
  using namespace lacuna::Impl;
  PetscFunctionBegin;
  PetscCall(petsc_check_build());
  PetscCall(MatRegisterRootName(MATAIJLACUNA, MATSEQAIJLACUNA, MATMPIAIJLACUNA));
  PetscCall(MatRegister(MATSEQAIJLACUNA, create<sequential>));
  PetscCall(MatRegister(MATMPIAIJLACUNA, create<parallel>));
  PetscCall(MatSeqAIJRegister(MATSEQAIJLACUNA, convert_to_ours<sequential>));
#ifdef PETSC_HAVE_KOKKOS_KERNELS
  PetscCall(register_with_plans<kokkos_with_plans>());
#endif
#ifdef PETSC_HAVE_CUDA
  PetscCall(register_with_plans<cusparse_with_plans>());
#endif
#ifdef PETSC_HAVE_HIP
  PetscCall(register_with_plans<hipsparse_with_plans>());
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What PETSc calls in a library that it loads (`-dll_prepend`).
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_lacuna_petsc(void);
PetscErrorCode PetscDLLibraryRegister_lacuna_petsc() { return LacunaRegister(); }

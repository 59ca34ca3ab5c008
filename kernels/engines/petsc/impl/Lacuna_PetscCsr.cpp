// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>

#ifdef PETSC_HAVE_KOKKOS
#include <petsc_kokkos.hpp>
#endif
#include <petscdevice.h>

// Documented and exported; only PETSc's private headers declare them.
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject, PetscObjectState*);
PETSC_EXTERN PetscErrorCode PetscObjectStateSet(PetscObject, PetscObjectState);

namespace lacuna::Impl {

PetscErrorCode petsc_state(Mat A, PetscObjectState* state) {
  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_has_new_values(Mat A) {
  PetscObjectState state = 0;
  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &state));
  PetscCall(PetscObjectStateSet(reinterpret_cast<PetscObject>(A), state + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_arrays(Mat A, PetscArrays* arrays) {
  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &arrays->rows, &arrays->columns));
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &arrays->state));
  PetscCall(MatGetNonzeroState(A, &arrays->nonzero_state));
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &arrays->row_map, &arrays->entries, &arrays->values, &arrays->memory));
  MatInfo info;
  if (arrays->rows == 0 || arrays->row_map == nullptr) {
    arrays->nonzeros = 0;
  } else if (PetscMemTypeHost(arrays->memory)) {
    arrays->nonzeros = arrays->row_map[arrays->rows];
  } else {
    PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
    arrays->nonzeros = static_cast<PetscInt>(info.nz_used);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <>
PetscHost petsc_space<PetscHost>() {
  return PetscHost();
}

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template <>
PetscDevice petsc_space<PetscDevice>() {
#ifdef PETSC_HAVE_KOKKOS
  return PetscGetKokkosExecutionSpace();
#else
  PetscDeviceContext context = nullptr;
  void* stream               = nullptr;
  if (PetscDeviceContextGetCurrentContext(&context) != PETSC_SUCCESS ||
      PetscDeviceContextGetStreamHandle(context, &stream) != PETSC_SUCCESS || stream == nullptr)
    return PetscDevice();
  using Stream = decltype(PetscDevice().impl_internal_space_instance()->m_stream);
  return PetscDevice(*static_cast<Stream*>(stream));
#endif
}
#endif

}  // namespace lacuna::Impl

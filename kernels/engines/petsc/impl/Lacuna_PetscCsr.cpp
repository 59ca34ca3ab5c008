// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>

#ifdef PETSC_HAVE_KOKKOS
#include <petsc_kokkos.hpp>
#endif
#ifdef PETSC_HAVE_KOKKOS_KERNELS
#include <petscmat_kokkos.hpp>
#endif
#include <petscdevice.h>

#include <algorithm>

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

namespace {

PetscErrorCode is_of_type(Mat A, const char* type, bool* is) {
  PetscBool same = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(A), type, &same));
  *is = same == PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Where most rows are empty, as in the blocks of other processes' columns, aijcusparse and aijhipsparse have a row map
/// of the other rows alone on the device, and nothing public says so. Row maps with empty rows are ours therefore.
struct WholeRowMap {
  PetscObjectState nonzero_state = -1;
  Kokkos::View<PetscInt*, PetscDevice::memory_space> row_map;  // none where no row is empty
};

constexpr const char* row_map_name = "Lacuna row map";

PetscErrorCode delete_row_map(PetscCtxRt context) {
  PetscFunctionBegin;
  delete *static_cast<WholeRowMap**>(context);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode copy_row_map(Mat A, WholeRowMap* kept) {
  using OnHost = Kokkos::View<const PetscInt*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  PetscFunctionBegin;
  kept->row_map = {};
  PetscCall(petsc_with_host_row_map(A, [&](PetscInt rows, const PetscInt* row_map) {
    // Equal neighbours: an empty row.
    if (std::adjacent_find(row_map, row_map + rows + 1) == row_map + rows + 1) return;
    const auto length = static_cast<std::size_t>(rows) + 1;
    kept->row_map =
        decltype(kept->row_map)(Kokkos::view_alloc("Lacuna::petsc::row_map", Kokkos::WithoutInitializing), length);
    Kokkos::deep_copy(kept->row_map, OnHost(row_map, length));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode take_whole_row_map(Mat A, PetscArrays* arrays) {
  const auto object = reinterpret_cast<PetscObject>(A);
  WholeRowMap* kept = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery(object, row_map_name, &kept));
  if (kept == nullptr) {
    kept = new WholeRowMap;
    PetscCall(PetscObjectContainerCompose(object, row_map_name, kept, delete_row_map));
  }
  if (kept->nonzero_state != arrays->nonzero_state) {
    PetscCall(copy_row_map(A, kept));
    kept->nonzero_state = arrays->nonzero_state;
  }
  if (kept->row_map.data() != nullptr) arrays->row_map = kept->row_map.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode petsc_memory(Mat A, PetscMemType* memory) {
  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetCSRAndMemType(A, nullptr, nullptr, nullptr, memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_arrays(Mat A, PetscArrays* arrays) {
  bool is_of_kokkos = false;
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
    PetscCall(is_of_type(A, MATSEQAIJKOKKOS, &is_of_kokkos));
    if (!is_of_kokkos) PetscCall(take_whole_row_map(A, arrays));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace {

/// What PETSc has for one type: an array to write to, or to give back.
struct Writing {
  const char* type;
  PetscErrorCode (*begin)(Mat, PetscScalar**);
  PetscErrorCode (*end)(Mat, PetscScalar**);
};

#ifdef PETSC_HAVE_KOKKOS_KERNELS
using KokkosValues = Kokkos::View<PetscScalar*>;

PetscErrorCode begin_writing_kokkos(Mat A, PetscScalar** values) {
  KokkosValues view;
  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetKokkosViewWrite(A, &view));
  *values = view.data();  // the matrix keeps the memory
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode end_writing_kokkos(Mat A, PetscScalar** values) {
  KokkosValues view;
  PetscFunctionBegin;
  PetscCall(MatSeqAIJRestoreKokkosViewWrite(A, &view));
  *values = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

constexpr Writing writing_on_host{MATSEQAIJ, MatSeqAIJGetArrayWrite, MatSeqAIJRestoreArrayWrite};
constexpr Writing writings_on_devices[] = {
#ifdef PETSC_HAVE_KOKKOS_KERNELS
    {MATSEQAIJKOKKOS, begin_writing_kokkos, end_writing_kokkos},
#endif
#ifdef PETSC_HAVE_CUDA
    {MATSEQAIJCUSPARSE, MatSeqAIJCUSPARSEGetArrayWrite, MatSeqAIJCUSPARSERestoreArrayWrite},
#endif
#ifdef PETSC_HAVE_HIP
    {MATSEQAIJHIPSPARSE, MatSeqAIJHIPSPARSEGetArrayWrite, MatSeqAIJHIPSPARSERestoreArrayWrite},
#endif
    writing_on_host};

PetscErrorCode writing_of(Mat A, Writing* writing) {
  PetscMemType memory = PETSC_MEMTYPE_HOST;
  PetscFunctionBegin;
  PetscCall(petsc_memory(A, &memory));  // on a device: the pattern gets where the values will be
  *writing = writing_on_host;
  if (PetscMemTypeHost(memory)) PetscFunctionReturn(PETSC_SUCCESS);
  for (const Writing& on_device : writings_on_devices) {
    bool is = false;
    PetscCall(is_of_type(A, on_device.type, &is));
    if (is) *writing = on_device;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode petsc_begin_writing(Mat A, PetscWriting* writing) {
  Writing of_type = writing_on_host;
  PetscFunctionBegin;
  PetscCall(writing_of(A, &of_type));
  PetscCall(of_type.begin(A, &writing->values));
  writing->end = of_type.end;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_end_writing(Mat A, PetscWriting* writing) {
  PetscFunctionBegin;
  PetscCall(writing->end(A, &writing->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_set_pattern(Mat A, const PetscInt* lengths, const PetscInt* columns, std::size_t nonzeros) {
  PetscScalar* values = nullptr;
  PetscFunctionBegin;
  PetscCall(MatSeqAIJSetPreallocation(A, 0, lengths));
  // PETSc copies them.
  if (nonzeros > 0) PetscCall(MatSeqAIJSetColumnIndices(A, const_cast<PetscInt*>(columns)));
  // Also where A was on a device: its new pattern comes from the host.
  PetscCall(MatSeqAIJGetArrayWrite(A, &values));
  PetscCall(MatSeqAIJRestoreArrayWrite(A, &values));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
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

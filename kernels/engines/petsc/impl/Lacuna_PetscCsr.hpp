// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCCSR_HPP
#define LACUNA_PETSCCSR_HPP

#include <petscmat.h>

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

/// \file
/// \brief The arrays of a sequential matrix of PETSc as a CrsMatrix, where they stand.

namespace lacuna::Impl {

static_assert(std::is_same_v<PetscScalar, double> || std::is_same_v<PetscScalar, float>,
              "Lacuna::petsc serves PETSc with real scalars of 32 or 64 bits");

using PetscHost   = Kokkos::DefaultHostExecutionSpace;
using PetscDevice = Kokkos::DefaultExecutionSpace;
/// Whether there is memory that hosts do not reach.
inline constexpr bool petsc_has_device = !std::is_same_v<PetscHost, PetscDevice>;

template <class Space>
using PetscCsr =
    KokkosSparse::CrsMatrix<PetscScalar, PetscInt, Kokkos::Device<Space, typename Space::memory_space>, void, PetscInt>;

/// What PETSc tells of the arrays of a sequential matrix.
struct PetscArrays {
  PetscInt rows = 0, columns = 0, nonzeros = 0;
  const PetscInt* row_map = nullptr;
  const PetscInt* entries = nullptr;
  PetscScalar* values     = nullptr;
  PetscMemType memory     = PETSC_MEMTYPE_HOST;
  PetscObjectState state = 0, nonzero_state = 0;

  bool has_pattern_of(const PetscArrays& other) const {
    return rows == other.rows && columns == other.columns && nonzeros == other.nonzeros && row_map == other.row_map &&
           entries == other.entries && memory == other.memory && nonzero_state == other.nonzero_state;
  }
  bool has_values_of(const PetscArrays& other) const { return state == other.state && values == other.values; }
};

/// Of an assembled matrix; values are those of the memory that PETSc keeps them in.
PetscErrorCode petsc_arrays(Mat A, PetscArrays* arrays);
/// The memory alone, of a sequential matrix.
PetscErrorCode petsc_memory(Mat A, PetscMemType* memory);
/// Values to write to, and how PETSc takes them back.
struct PetscWriting {
  PetscScalar* values                         = nullptr;
  PetscErrorCode (*end)(Mat A, PetscScalar**) = nullptr;
};
/// The values of a sequential matrix that is not empty, in the memory that PETSc keeps them in, all of which will be
/// written before `petsc_end_writing`, which tells PETSc.
PetscErrorCode petsc_begin_writing(Mat A, PetscWriting* writing);
PetscErrorCode petsc_end_writing(Mat A, PetscWriting* writing);

/// Gives a sequential matrix that has sizes and a type a pattern, from the host, and assembles it. Values are not set.
PetscErrorCode petsc_set_pattern(Mat A, const PetscInt* lengths, const PetscInt* columns, std::size_t nonzeros);

/// Calls `use(rows, row_map)` with the row map on the host, wherever the values are.
template <class Use>
PetscErrorCode petsc_with_host_row_map(Mat A, const Use& use) {
  PetscInt rows           = 0;
  const PetscInt *row_map = nullptr, *entries = nullptr;
  PetscBool done = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_map, &entries, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "Lacuna: the matrix has no row map on the host");
  use(rows, row_map);
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_map, &entries, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Grows with every change of A's values that PETSc knows of.
PetscErrorCode petsc_state(Mat A, PetscObjectState* state);
/// Tells all who look that we have written values of A.
PetscErrorCode petsc_has_new_values(Mat A);

/// A view of the arrays, which owns nothing.
template <class Space>
PetscCsr<Space> petsc_csr(const PetscArrays& arrays) {
  using Csr = PetscCsr<Space>;
  const typename Csr::values_type values(arrays.values, arrays.nonzeros);
  const typename Csr::row_map_type row_map(arrays.row_map, arrays.row_map == nullptr ? 0 : arrays.rows + 1);
  // No kernel writes to the entries of a matrix that is multiplied.
  const typename Csr::index_type entries(const_cast<PetscInt*>(arrays.entries), arrays.nonzeros);
  return Csr("Lacuna::petsc::A", arrays.rows, arrays.columns, arrays.nonzeros, values, row_map, entries);
}

/// What PETSc calls the memory of this space.
template <class Space>
constexpr PetscMemType petsc_memory_of() {
#ifdef KOKKOS_ENABLE_HIP
  constexpr PetscMemType of_device = PETSC_MEMTYPE_HIP;
#else
  constexpr PetscMemType of_device = PETSC_MEMTYPE_CUDA;
#endif
  return std::is_same_v<Space, PetscHost> ? PETSC_MEMTYPE_HOST : of_device;
}

/// Tells PETSc of work done in this space.
template <class Space>
PetscErrorCode petsc_log_flops(PetscLogDouble flops) {
  PetscFunctionBegin;
  PetscCall(std::is_same_v<Space, PetscHost> ? PetscLogFlops(flops) : PetscLogGpuFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Where PETSc has its kernels run.
template <class Space>
Space petsc_space();

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCOWNROWS_HPP
#define LACUNA_PETSCOWNROWS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

/// \file
/// \brief The rows of a parallel matrix that a process has, as one CSR in the memory where PETSc has their blocks.

namespace lacuna::Impl {

/// Not initialised.
template <class T, class Memory>
Kokkos::View<T*, Memory> petsc_allocate(const std::string& label, PetscInt length) {
  return Kokkos::View<T*, Memory>(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
                                  static_cast<std::size_t>(length));
}

/// Two matrices with the same rows, one beside the other.
struct PetscBlocks {
  PetscArrays left, right;

  PetscInt columns() const { return left.columns + right.columns; }
  PetscInt nonzeros() const { return left.nonzeros + right.nonzeros; }
  /// Where a row begins in both together.
  KOKKOS_FUNCTION PetscInt begin(PetscInt row) const { return begin_in(left, row) + begin_in(right, row); }

  /// take(block, place in it, columns before it) of place `at` of a row.
  template <class Take>
  KOKKOS_FUNCTION void with_element(PetscInt row, PetscInt at, const Take& take) const {
    const PetscInt first = begin_in(left, row), of_left = begin_in(left, row + 1) - first;
    if (at < of_left)
      take(left, first + at, 0);
    else
      take(right, begin_in(right, row) + at - of_left, left.columns);
  }

 private:
  /// PETSc may have no row map where a block is empty.
  static KOKKOS_FUNCTION PetscInt begin_in(const PetscArrays& block, PetscInt row) {
    return block.nonzeros > 0 ? block.row_map[row] : 0;
  }
};

struct PetscWriteRowMap {
  PetscBlocks blocks;
  PetscInt* row_map;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const { row_map[row] = blocks.begin(static_cast<PetscInt>(row)); }
};
struct PetscWriteEntries {
  PetscBlocks blocks;
  PetscInt* entries;
  KOKKOS_FUNCTION void operator()(PetscInt row, PetscInt k) const {
    blocks.with_element(row, k - blocks.begin(row), [&](const PetscArrays& block, PetscInt at, PetscInt before) {
      entries[k] = block.entries[at] + before;
    });
  }
};
struct PetscWriteValues {
  PetscBlocks blocks;
  PetscScalar* values;
  KOKKOS_FUNCTION void operator()(PetscInt row, PetscInt k) const {
    blocks.with_element(row, k - blocks.begin(row),
                        [&](const PetscArrays& block, PetscInt at, PetscInt) { values[k] = block.values[at]; });
  }
};

/// The rows of this process, with local columns: those of the block of the diagonal, then the others.
template <class Space>
class PetscOwnRows {
 public:
  /// `MAT_REUSE_MATRIX`: new values of the same pattern.
  PetscErrorCode take(Mat A, MatReuse reuse) {
    Mat diagonal = nullptr, others = nullptr;
    const PetscInt* names = nullptr;
    PetscBlocks blocks;
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &others, &names));
    PetscCall(petsc_arrays(diagonal, &blocks.left));
    PetscCall(petsc_arrays(others, &blocks.right));
    const Space exec = petsc_space<Space>();
    if (reuse == MAT_INITIAL_MATRIX) {
      PetscInt first = 0;
      PetscCall(MatGetOwnershipRangeColumn(A, &first, nullptr));
      name_columns(first, blocks, names);
      take_pattern(exec, blocks);
    }
    for_each_nonzero(exec, "Lacuna::petsc::values_of_blocks", m_arrays.rows, m_arrays.nonzeros, m_arrays.row_map,
                     PetscWriteValues{blocks, m_values.data()});
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const PetscArrays& arrays() const { return m_arrays; }
  PetscCsr<Space> csr() const { return petsc_csr<Space>(m_arrays); }
  /// Global numbers of the columns.
  const std::vector<PetscInt>& columns() const { return m_columns; }

 private:
  using Memory = typename Space::memory_space;

  void name_columns(PetscInt first, const PetscBlocks& blocks, const PetscInt* names_of_others) {
    m_columns.resize(static_cast<std::size_t>(blocks.left.columns));
    std::iota(m_columns.begin(), m_columns.end(), first);
    m_columns.insert(m_columns.end(), names_of_others, names_of_others + blocks.right.columns);
  }
  void take_pattern(const Space& exec, const PetscBlocks& blocks) {
    const PetscInt rows = blocks.left.rows;
    m_row_map           = petsc_allocate<PetscInt, Memory>("Lacuna::petsc::row_map", rows + 1);
    m_entries           = petsc_allocate<PetscInt, Memory>("Lacuna::petsc::entries", blocks.nonzeros());
    m_values            = petsc_allocate<PetscScalar, Memory>("Lacuna::petsc::values", blocks.nonzeros());
    m_arrays            = {};
    m_arrays.rows       = rows;
    m_arrays.columns    = blocks.columns();
    m_arrays.nonzeros   = blocks.nonzeros();
    m_arrays.row_map    = m_row_map.data();
    m_arrays.entries    = m_entries.data();
    m_arrays.values     = m_values.data();
    m_arrays.memory     = petsc_memory_of<Space>();
    for_each_index(exec, "Lacuna::petsc::row_map_of_blocks", rows + 1, PetscWriteRowMap{blocks, m_row_map.data()});
    for_each_nonzero(exec, "Lacuna::petsc::entries_of_blocks", rows, m_arrays.nonzeros, m_arrays.row_map,
                     PetscWriteEntries{blocks, m_entries.data()});
  }
  PetscArrays m_arrays;
  Kokkos::View<PetscInt*, Memory> m_row_map, m_entries;
  Kokkos::View<PetscScalar*, Memory> m_values;
  std::vector<PetscInt> m_columns;
};

}  // namespace lacuna::Impl

#endif

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
#include <type_traits>
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

template <class Memory>
Kokkos::View<PetscInt*, Memory> petsc_copy_of(const std::vector<PetscInt>& numbers) {
  using OnHost    = Kokkos::View<const PetscInt*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const auto copy = petsc_allocate<PetscInt, Memory>("Lacuna::petsc::integers", static_cast<PetscInt>(numbers.size()));
  Kokkos::deep_copy(copy, OnHost(numbers.data(), numbers.size()));
  return copy;
}

/// Two matrices with the same rows, one beside the other.
struct PetscBlocks {
  PetscArrays left, right;

  PetscInt columns() const { return left.columns + right.columns; }
  PetscInt nonzeros() const { return left.nonzeros + right.nonzeros; }
  /// Where a row begins in both together.
  KOKKOS_FUNCTION PetscInt begin(PetscInt row) const { return begin_in(left, row) + begin_in(right, row); }
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

/// Element k of both, which is element `at` of a block that has `before` columns on its left.
struct PetscWriteEntry {
  PetscInt* entries;
  KOKKOS_FUNCTION void operator()(PetscInt k, const PetscArrays& block, PetscInt at, PetscInt before) const {
    entries[k] = block.entries[at] + before;
  }
};
struct PetscWriteValue {
  PetscScalar* values;
  KOKKOS_FUNCTION void operator()(PetscInt k, const PetscArrays& block, PetscInt at, PetscInt) const {
    values[k] = block.values[at];
  }
};

/// write(k, block, at, before) for all elements: hosts go through rows, devices through elements.
template <class Write>
struct PetscWriteBlocks {
  PetscBlocks blocks;
  Write write;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto row = static_cast<PetscInt>(i);
    PetscInt k     = blocks.begin(row);
    for (PetscInt at = blocks.begin_in(blocks.left, row); at < blocks.begin_in(blocks.left, row + 1); ++at)
      write(k++, blocks.left, at, 0);
    for (PetscInt at = blocks.begin_in(blocks.right, row); at < blocks.begin_in(blocks.right, row + 1); ++at)
      write(k++, blocks.right, at, blocks.left.columns);
  }
  KOKKOS_FUNCTION void operator()(PetscInt row, PetscInt k) const {
    const PetscInt of_left = blocks.begin_in(blocks.left, row + 1), of_right = blocks.begin_in(blocks.right, row);
    if (k < of_left + of_right)
      write(k, blocks.left, k - of_right, 0);
    else
      write(k, blocks.right, k - of_left, blocks.left.columns);
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
    write(exec, "Lacuna::petsc::values_of_blocks", blocks, PetscWriteValue{m_values.data()});
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
    write(exec, "Lacuna::petsc::entries_of_blocks", blocks, PetscWriteEntry{m_entries.data()});
  }
  template <class Write>
  void write(const Space& exec, const char* label, const PetscBlocks& blocks, const Write& write) const {
    const PetscWriteBlocks<Write> body{blocks, write};
    if constexpr (std::is_same_v<Space, PetscHost>)
      for_each_index(exec, label, m_arrays.rows, body);
    else
      for_each_nonzero(exec, label, m_arrays.rows, m_arrays.nonzeros, m_arrays.row_map, body);
  }

  PetscArrays m_arrays;
  Kokkos::View<PetscInt*, Memory> m_row_map, m_entries;
  Kokkos::View<PetscScalar*, Memory> m_values;
  std::vector<PetscInt> m_columns;
};

}  // namespace lacuna::Impl

#endif

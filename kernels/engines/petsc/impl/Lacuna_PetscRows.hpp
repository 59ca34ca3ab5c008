// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCROWS_HPP
#define LACUNA_PETSCROWS_HPP

#include <petscsf.h>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>

#include <cstddef>
#include <vector>

/// \file
/// \brief Rows of a parallel matrix as one CSR: those of this process, and those that it needs of others.

namespace lacuna::Impl {

/// The rows of this process, with local columns: those of the block of the diagonal, then the others. Arrays are where
/// the matrix has its own.
class PetscOwnRows {
 public:
  /// `MAT_REUSE_MATRIX`: new values of the same pattern.
  PetscErrorCode take(Mat A, MatReuse reuse);
  PetscErrorCode destroy();

  const PetscArrays& arrays() const { return m_arrays; }
  template <class Space>
  PetscCsr<Space> csr() const {
    return petsc_csr<Space>(m_arrays);
  }
  /// Global numbers of the columns.
  const std::vector<PetscInt>& columns() const { return m_columns; }

 private:
  Mat m_rows = nullptr;
  PetscArrays m_arrays;
  std::vector<PetscInt> m_columns;
};

/// The pattern of an exchange of rows: B's own for the columns of A on this process, then those of others, in the order
/// of A's local columns. Columns are those that occur, in ascending order of their global numbers. On the host.
class PetscRowExchange {
 public:
  /// `own_row_map`, `own_entries`: of B's own rows, on the host.
  PetscErrorCode find(Mat A, const PetscOwnRows& own, const PetscInt* own_row_map, const PetscInt* own_entries);
  PetscErrorCode destroy();

  PetscSF exchange() const { return m_exchange; }
  PetscInt own_rows() const { return m_own; }
  const std::vector<PetscInt>& row_map() const { return m_row_map; }
  const std::vector<PetscInt>& entries() const { return m_entries; }
  const std::vector<PetscInt>& columns() const { return m_columns; }

 private:
  /// How elements of others' rows come, and where such rows begin.
  PetscErrorCode find_rows_of_others(Mat A, const PetscArrays& mine, const PetscInt* own_row_map);
  PetscErrorCode find_columns(const PetscOwnRows& own, const PetscInt* own_entries);

  PetscSF m_exchange = nullptr;
  PetscInt m_own     = 0;
  std::vector<PetscInt> m_row_map, m_entries, m_columns;
};

/// These rows as CSR, in the memory of `Space`.
template <class Space>
class PetscRows {
 public:
  PetscErrorCode take(Mat A, const PetscOwnRows& own, MatReuse reuse) {
    const PetscArrays& mine       = own.arrays();
    constexpr PetscMemType memory = petsc_memory_of<Space>();
    PetscFunctionBegin;
    const Space exec = petsc_space<Space>();
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(find(A, own));
    PetscScalar* const theirs = m_values.data() + mine.nonzeros;
    PetscCall(PetscSFBcastWithMemTypeBegin(m_pattern.exchange(), MPIU_SCALAR, memory, mine.values, memory, theirs,
                                           MPI_REPLACE));
    Kokkos::deep_copy(exec, Values(m_values.data(), mine.nonzeros), ConstValues(mine.values, mine.nonzeros));
    PetscCall(PetscSFBcastEnd(m_pattern.exchange(), MPIU_SCALAR, mine.values, theirs, MPI_REPLACE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode destroy() { return m_pattern.destroy(); }

  PetscCsr<Space> csr() const { return rows(static_cast<PetscInt>(m_pattern.row_map().size()) - 1); }
  /// The rows of this process alone.
  PetscCsr<Space> own_csr() const { return rows(m_pattern.own_rows()); }
  const std::vector<PetscInt>& columns() const { return m_pattern.columns(); }

 private:
  using Memory      = typename Space::memory_space;
  using Values      = Kokkos::View<PetscScalar*, Memory, Kokkos::MemoryUnmanaged>;
  using ConstValues = Kokkos::View<const PetscScalar*, Memory, Kokkos::MemoryUnmanaged>;
  using OnHost      = Kokkos::View<const PetscInt*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using Integers    = decltype(Kokkos::create_mirror_view_and_copy(Memory(), OnHost()));

  PetscErrorCode find(Mat A, const PetscOwnRows& own) {
    PetscFunctionBegin;
    const auto graph   = own.csr<Space>().graph;
    const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), graph.row_map);
    const auto entries = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), graph.entries);
    PetscCall(m_pattern.find(A, own, row_map.data(), entries.data()));
    m_row_map = Kokkos::create_mirror_view_and_copy(Memory(), on_host(m_pattern.row_map()));
    m_entries = Kokkos::create_mirror_view_and_copy(Memory(), on_host(m_pattern.entries()));
    m_values  = Kokkos::View<PetscScalar*, Memory>(
        Kokkos::view_alloc("Lacuna::petsc::rows", Kokkos::WithoutInitializing), m_pattern.entries().size());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static OnHost on_host(const std::vector<PetscInt>& numbers) { return OnHost(numbers.data(), numbers.size()); }

  PetscCsr<Space> rows(PetscInt count) const {
    PetscArrays arrays;
    arrays.rows     = count;
    arrays.columns  = static_cast<PetscInt>(m_pattern.columns().size());
    arrays.nonzeros = m_pattern.row_map()[static_cast<std::size_t>(count)];
    arrays.row_map  = m_row_map.data();
    arrays.entries  = m_entries.data();
    arrays.values   = m_values.data();
    return petsc_csr<Space>(arrays);
  }

  PetscRowExchange m_pattern;
  Integers m_row_map, m_entries;  // on the host those of the pattern itself
  Kokkos::View<PetscScalar*, Memory> m_values;
};

}  // namespace lacuna::Impl

#endif

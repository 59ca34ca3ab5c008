// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCROWS_HPP
#define LACUNA_PETSCROWS_HPP

#include <petscsf.h>
#include <kernels/engines/petsc/impl/Lacuna_PetscOwnRows.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/// \file
/// \brief Rows of a parallel matrix as one CSR: those of this process, and those that it needs of others.

namespace lacuna::Impl {

/// How elements of rows of B come: B's own for the columns of A on this process, then those of others, in the order of
/// A's local columns. On the host.
class PetscRowExchange {
 public:
  /// `own_row_map`: of B's own rows, on the host.
  PetscErrorCode find(Mat A, const PetscArrays& mine, const PetscInt* own_row_map);
  PetscErrorCode destroy();

  /// From own elements to the elements of others' rows.
  PetscSF exchange() const { return m_exchange; }
  PetscInt own_rows() const { return m_own; }
  PetscInt elements_of_others() const { return m_others; }
  /// Of all these rows.
  const std::vector<PetscInt>& row_map() const { return m_row_map; }

 private:
  PetscSF m_exchange = nullptr;
  PetscInt m_own = 0, m_others = 0;
  std::vector<PetscInt> m_row_map;
};

/// Global numbers of the columns that occur, in ascending order: all of `own`, and those of others' elements, which
/// become places among them.
std::vector<PetscInt> petsc_merge_columns(const std::vector<PetscInt>& own, PetscInt* of_others, std::size_t count);

struct PetscRenameColumns {
  const PetscInt* names;
  const PetscInt* entries;
  PetscInt* renamed;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { renamed[k] = names[entries[k]]; }
};

/// These rows as CSR, in the memory of `Space`.
template <class Space>
class PetscRows {
 public:
  PetscErrorCode take(Mat A, const PetscOwnRows<Space>& own, MatReuse reuse) {
    const PetscArrays& mine = own.arrays();
    PetscFunctionBegin;
    const Space exec = petsc_space<Space>();
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(find(exec, A, own));
    PetscScalar* const theirs = m_values.data() + mine.nonzeros;
    PetscCall(begin_exchange(MPIU_SCALAR, mine.values, theirs));
    Kokkos::deep_copy(exec, Values(m_values.data(), mine.nonzeros), ConstValues(mine.values, mine.nonzeros));
    PetscCall(PetscSFBcastEnd(m_pattern.exchange(), MPIU_SCALAR, mine.values, theirs, MPI_REPLACE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode destroy() { return m_pattern.destroy(); }

  PetscCsr<Space> csr() const { return rows(static_cast<PetscInt>(m_pattern.row_map().size()) - 1); }
  /// The rows of this process alone.
  PetscCsr<Space> own_csr() const { return rows(m_pattern.own_rows()); }
  /// Global numbers of the columns.
  const std::vector<PetscInt>& columns() const { return m_columns; }

 private:
  using Memory      = typename Space::memory_space;
  using Integers    = Kokkos::View<PetscInt*, Memory>;
  using Values      = Kokkos::View<PetscScalar*, Memory, Kokkos::MemoryUnmanaged>;
  using ConstValues = Kokkos::View<const PetscScalar*, Memory, Kokkos::MemoryUnmanaged>;

  PetscErrorCode find(const Space& exec, Mat A, const PetscOwnRows<Space>& own) {
    const PetscArrays& mine = own.arrays();
    PetscFunctionBegin;
    const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), own.csr().graph.row_map);
    PetscCall(m_pattern.find(A, mine, row_map.data()));
    const PetscInt elements = mine.nonzeros + m_pattern.elements_of_others();
    m_row_map               = petsc_copy_of<Memory>(m_pattern.row_map());
    m_entries               = petsc_allocate<PetscInt, Memory>("Lacuna::petsc::entries", elements);
    m_values                = petsc_allocate<PetscScalar, Memory>("Lacuna::petsc::rows", elements);
    PetscCall(find_columns(exec, own));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /// Elements travel with the global numbers of their columns.
  PetscErrorCode find_columns(const Space& exec, const PetscOwnRows<Space>& own) {
    const PetscArrays& mine = own.arrays();
    const auto theirs =
        Kokkos::subview(m_entries, std::pair(static_cast<std::size_t>(mine.nonzeros), m_entries.size()));
    PetscFunctionBegin;
    rename_own(exec, mine, own.columns());
    PetscCall(begin_exchange(MPIU_INT, m_entries.data(), theirs.data()));
    PetscCall(PetscSFBcastEnd(m_pattern.exchange(), MPIU_INT, m_entries.data(), theirs.data(), MPI_REPLACE));
    const auto names = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), theirs);
    m_columns        = petsc_merge_columns(own.columns(), names.data(), names.size());
    Kokkos::deep_copy(theirs, names);
    std::vector<PetscInt> places(own.columns().size());
    std::transform(own.columns().begin(), own.columns().end(), places.begin(), [&](PetscInt column) {
      return static_cast<PetscInt>(std::lower_bound(m_columns.begin(), m_columns.end(), column) - m_columns.begin());
    });
    rename_own(exec, mine, places);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /// Waits for `exec`.
  void rename_own(const Space& exec, const PetscArrays& mine, const std::vector<PetscInt>& names) {
    const Integers here = petsc_copy_of<Memory>(names);
    for_each_index(exec, "Lacuna::petsc::rename_columns", mine.nonzeros,
                   PetscRenameColumns{here.data(), mine.entries, m_entries.data()});
    exec.fence("Lacuna::petsc: columns are renamed");
  }
  template <class T>
  PetscErrorCode begin_exchange(MPI_Datatype type, const T* mine, T* theirs) {
    constexpr PetscMemType memory = petsc_memory_of<Space>();
    PetscFunctionBegin;
    PetscCall(PetscSFBcastWithMemTypeBegin(m_pattern.exchange(), type, memory, mine, memory, theirs, MPI_REPLACE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscCsr<Space> rows(PetscInt count) const {
    PetscArrays arrays;
    arrays.rows     = count;
    arrays.columns  = static_cast<PetscInt>(m_columns.size());
    arrays.nonzeros = m_pattern.row_map()[static_cast<std::size_t>(count)];
    arrays.row_map  = m_row_map.data();
    arrays.entries  = m_entries.data();
    arrays.values   = m_values.data();
    return petsc_csr<Space>(arrays);
  }

  PetscRowExchange m_pattern;
  Integers m_row_map, m_entries;
  Kokkos::View<PetscScalar*, Memory> m_values;
  std::vector<PetscInt> m_columns;
};

}  // namespace lacuna::Impl

#endif

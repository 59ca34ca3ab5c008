// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCROWS_HPP
#define LACUNA_PETSCROWS_HPP

#include <petscsf.h>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>

#include <vector>

/// \file
/// \brief Rows of a parallel matrix as one CSR: those of this process, and those that it needs of others.

namespace lacuna::Impl {

/// The rows of this process, with local columns: those of the block of the diagonal, then the others.
class PetscOwnRows {
 public:
  /// `MAT_REUSE_MATRIX`: new values of the same pattern.
  PetscErrorCode take(Mat A, MatReuse reuse);
  PetscErrorCode destroy();

  const PetscArrays& arrays() const { return m_arrays; }
  PetscCsr<PetscHost> csr() const { return petsc_csr<PetscHost>(m_arrays); }
  /// Global numbers of the columns.
  const std::vector<PetscInt>& columns() const { return m_columns; }

 private:
  Mat m_rows = nullptr;
  PetscArrays m_arrays;
  std::vector<PetscInt> m_columns;
};

/// Rows of B for the columns of A on this process: B's own, then those of others, in the order of A's local columns.
/// Columns are those that occur, in ascending order of their global numbers.
class PetscRows {
 public:
  PetscErrorCode take(Mat A, const PetscOwnRows& own, MatReuse reuse);
  PetscErrorCode destroy();

  PetscCsr<PetscHost> csr() const { return rows(static_cast<PetscInt>(m_row_map.size()) - 1); }
  /// The rows of this process alone.
  PetscCsr<PetscHost> own_csr() const { return rows(m_own); }
  const std::vector<PetscInt>& columns() const { return m_columns; }

 private:
  /// How elements of others' rows come, and where such rows begin.
  PetscErrorCode find_rows_of_others(Mat A, const PetscOwnRows& own);
  PetscErrorCode find_columns(const PetscOwnRows& own);
  PetscCsr<PetscHost> rows(PetscInt count) const;

  PetscSF m_exchange = nullptr;
  PetscInt m_own     = 0;
  std::vector<PetscInt> m_row_map, m_entries, m_columns;
  std::vector<PetscScalar> m_values;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscRows.hpp>

#include <algorithm>
#include <cstddef>

namespace lacuna::Impl {

PetscErrorCode PetscOwnRows::take(Mat A, MatReuse reuse) {
  IS columns = nullptr;
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetLocalMatMerge(A, reuse, reuse == MAT_INITIAL_MATRIX ? &columns : nullptr, &m_rows));
  PetscCall(petsc_arrays(m_rows, &m_arrays));
  if (columns != nullptr) {
    const PetscInt* indices = nullptr;
    PetscInt count          = 0;
    PetscCall(ISGetLocalSize(columns, &count));
    PetscCall(ISGetIndices(columns, &indices));
    m_columns.assign(indices, indices + count);
    PetscCall(ISRestoreIndices(columns, &indices));
    PetscCall(ISDestroy(&columns));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscOwnRows::destroy() {
  PetscFunctionBegin;
  PetscCall(MatDestroy(&m_rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscRows::find_rows_of_others(Mat A, const PetscOwnRows& own) {
  PetscSF of_rows = nullptr;
  PetscInt roots = 0, leaves = 0;
  const PetscInt* places     = nullptr;
  const PetscSFNode* sources = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetMultPetscSF(A, &of_rows));
  PetscCall(PetscSFGetGraph(of_rows, &roots, &leaves, &places, &sources));
  const PetscArrays& mine = own.arrays();
  std::vector<PetscInt> lengths(static_cast<std::size_t>(mine.rows)), begins(lengths.size());
  for (PetscInt row = 0; row < mine.rows; ++row) {
    begins[static_cast<std::size_t>(row)]  = mine.row_map[row];
    lengths[static_cast<std::size_t>(row)] = mine.row_map[row + 1] - mine.row_map[row];
  }
  std::vector<PetscInt> their_lengths(static_cast<std::size_t>(leaves)), their_begins(their_lengths.size());
  PetscCall(PetscSFBcastBegin(of_rows, MPIU_INT, lengths.data(), their_lengths.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(of_rows, MPIU_INT, lengths.data(), their_lengths.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastBegin(of_rows, MPIU_INT, begins.data(), their_begins.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(of_rows, MPIU_INT, begins.data(), their_begins.data(), MPI_REPLACE));

  m_own = mine.rows;
  m_row_map.assign(1, 0);
  for (const PetscInt length : lengths) m_row_map.push_back(m_row_map.back() + length);
  for (const PetscInt length : their_lengths) m_row_map.push_back(m_row_map.back() + length);
  const PetscInt others = m_row_map.back() - mine.nonzeros;
  PetscSFNode* elements = nullptr;
  PetscCall(PetscMalloc1(others, &elements));
  for (PetscInt leaf = 0; leaf < leaves; ++leaf) {
    const PetscInt place = places == nullptr ? leaf : places[leaf];
    const PetscInt at    = m_row_map[static_cast<std::size_t>(m_own + place)] - mine.nonzeros;
    for (PetscInt k = 0; k < their_lengths[static_cast<std::size_t>(place)]; ++k) {
      elements[at + k].rank  = sources[leaf].rank;
      elements[at + k].index = their_begins[static_cast<std::size_t>(place)] + k;
    }
  }
  PetscCall(PetscSFDestroy(&m_exchange));
  PetscCall(PetscSFCreate(PetscObjectComm(reinterpret_cast<PetscObject>(A)), &m_exchange));
  PetscCall(
      PetscSFSetGraph(m_exchange, mine.nonzeros, others, nullptr, PETSC_OWN_POINTER, elements, PETSC_OWN_POINTER));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscRows::find_columns(const PetscOwnRows& own) {
  const PetscArrays& mine = own.arrays();
  PetscFunctionBegin;
  m_entries.resize(static_cast<std::size_t>(m_row_map.back()));
  PetscInt* const theirs = m_entries.data() + mine.nonzeros;
  for (PetscInt at = 0; at < mine.nonzeros; ++at)
    m_entries[static_cast<std::size_t>(at)] = own.columns()[static_cast<std::size_t>(mine.entries[at])];
  PetscCall(PetscSFBcastBegin(m_exchange, MPIU_INT, m_entries.data(), theirs, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m_exchange, MPIU_INT, m_entries.data(), theirs, MPI_REPLACE));

  const auto end = m_entries.end();
  m_columns      = own.columns();
  m_columns.insert(m_columns.end(), m_entries.begin() + mine.nonzeros, end);
  std::sort(m_columns.begin(), m_columns.end());
  m_columns.erase(std::unique(m_columns.begin(), m_columns.end()), m_columns.end());
  const auto place_of = [&](PetscInt column) {
    return static_cast<PetscInt>(std::lower_bound(m_columns.begin(), m_columns.end(), column) - m_columns.begin());
  };
  std::vector<PetscInt> places(own.columns().size());
  std::transform(own.columns().begin(), own.columns().end(), places.begin(), place_of);
  for (PetscInt at = 0; at < mine.nonzeros; ++at)
    m_entries[static_cast<std::size_t>(at)] = places[static_cast<std::size_t>(mine.entries[at])];
  std::transform(m_entries.begin() + mine.nonzeros, end, m_entries.begin() + mine.nonzeros, place_of);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscRows::take(Mat A, const PetscOwnRows& own, MatReuse reuse) {
  PetscFunctionBegin;
  if (reuse == MAT_INITIAL_MATRIX) {
    PetscCall(find_rows_of_others(A, own));
    PetscCall(find_columns(own));
    m_values.resize(m_entries.size());
  }
  const PetscArrays& mine = own.arrays();
  PetscScalar* theirs     = m_values.data() + mine.nonzeros;
  PetscCall(PetscSFBcastBegin(m_exchange, MPIU_SCALAR, mine.values, theirs, MPI_REPLACE));
  std::copy(mine.values, mine.values + mine.nonzeros, m_values.begin());
  PetscCall(PetscSFBcastEnd(m_exchange, MPIU_SCALAR, mine.values, theirs, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscRows::destroy() {
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&m_exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscCsr<PetscHost> PetscRows::rows(PetscInt count) const {
  PetscArrays arrays;
  arrays.rows     = count;
  arrays.columns  = static_cast<PetscInt>(m_columns.size());
  arrays.nonzeros = m_row_map[static_cast<std::size_t>(count)];
  arrays.row_map  = m_row_map.data();
  arrays.entries  = m_entries.data();
  arrays.values   = const_cast<PetscScalar*>(m_values.data());  // a factor: nothing writes to it
  return petsc_csr<PetscHost>(arrays);
}

}  // namespace lacuna::Impl

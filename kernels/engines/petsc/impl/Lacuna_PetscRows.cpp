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

PetscErrorCode PetscRowExchange::find_rows_of_others(Mat A, const PetscArrays& mine, const PetscInt* own_row_map) {
  PetscSF of_rows = nullptr;
  PetscInt roots = 0, leaves = 0;
  const PetscInt* places     = nullptr;
  const PetscSFNode* sources = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetMultPetscSF(A, &of_rows));
  PetscCall(PetscSFGetGraph(of_rows, &roots, &leaves, &places, &sources));
  std::vector<PetscInt> lengths(static_cast<std::size_t>(mine.rows)), begins(lengths.size());
  for (PetscInt row = 0; row < mine.rows; ++row) {
    begins[static_cast<std::size_t>(row)]  = own_row_map[row];
    lengths[static_cast<std::size_t>(row)] = own_row_map[row + 1] - own_row_map[row];
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

PetscErrorCode PetscRowExchange::find_columns(const PetscOwnRows& own, const PetscInt* own_entries) {
  const PetscArrays& mine = own.arrays();
  PetscFunctionBegin;
  m_entries.resize(static_cast<std::size_t>(m_row_map.back()));
  PetscInt* const theirs = m_entries.data() + mine.nonzeros;
  for (PetscInt at = 0; at < mine.nonzeros; ++at)
    m_entries[static_cast<std::size_t>(at)] = own.columns()[static_cast<std::size_t>(own_entries[at])];
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
    m_entries[static_cast<std::size_t>(at)] = places[static_cast<std::size_t>(own_entries[at])];
  std::transform(m_entries.begin() + mine.nonzeros, end, m_entries.begin() + mine.nonzeros, place_of);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscRowExchange::find(Mat A, const PetscOwnRows& own, const PetscInt* own_row_map,
                                      const PetscInt* own_entries) {
  PetscFunctionBegin;
  PetscCall(find_rows_of_others(A, own.arrays(), own_row_map));
  PetscCall(find_columns(own, own_entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscRowExchange::destroy() {
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&m_exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

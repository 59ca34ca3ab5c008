// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscRows.hpp>

#include <algorithm>
#include <cstddef>

namespace lacuna::Impl {

PetscErrorCode PetscRowExchange::find(Mat A, const PetscArrays& mine, const PetscInt* own_row_map) {
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
  m_others              = m_row_map.back() - mine.nonzeros;
  PetscSFNode* elements = nullptr;
  PetscCall(PetscMalloc1(m_others, &elements));
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
      PetscSFSetGraph(m_exchange, mine.nonzeros, m_others, nullptr, PETSC_OWN_POINTER, elements, PETSC_OWN_POINTER));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscRowExchange::destroy() {
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&m_exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<PetscInt> petsc_merge_columns(const std::vector<PetscInt>& own, PetscInt* of_others, std::size_t count) {
  std::vector<PetscInt> columns = own;
  columns.insert(columns.end(), of_others, of_others + count);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  std::transform(of_others, of_others + count, of_others, [&](PetscInt column) {
    return static_cast<PetscInt>(std::lower_bound(columns.begin(), columns.end(), column) - columns.begin());
  });
  return columns;
}

}  // namespace lacuna::Impl

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCASSEMBLY_HPP
#define LACUNA_PETSCASSEMBLY_HPP

#include <petscsf.h>
#include <kernels/engines/petsc/impl/Lacuna_PetscOwnRows.hpp>

#include <cstdint>
#include <tuple>
#include <vector>

/// \file
/// \brief A parallel matrix of the elements that processes have computed, some of which belong to others.
///
/// PETSc does that for elements in any order, by coordinates. Here they are in rows, and rows in order: patterns are
/// merged where elements of others come, and copied elsewhere, which takes a fraction of the time.

namespace lacuna::Impl {

/// Elements of a process by their places in the whole matrix: rows of `names_of_rows`, columns of `names_of_columns`.
/// Of both, those of this process ascend, and so do the others; all own rows are there, one after the other. On the
/// host.
struct PetscNamedElements {
  const PetscInt* row_map = nullptr;
  const PetscInt* entries = nullptr;
  const std::vector<PetscInt>& names_of_rows;
  const std::vector<PetscInt>& names_of_columns;
};

/// The blocks of this process, on the host.
struct PetscPattern {
  std::vector<PetscInt> lengths, columns;  ///< of rows; columns of all rows
};

/// Where elements go, on the host.
class PetscElementRoutes {
 public:
  /// `C` has sizes and a type.
  PetscErrorCode find(Mat C, const PetscNamedElements& elements);
  PetscErrorCode destroy();

  /// From elements that go to those that come, both one behind the other.
  PetscSF exchange() const { return m_exchange; }
  PetscInt elements_that_come() const { return m_coming; }

  PetscPattern diagonal, others;
  std::vector<PetscInt> columns_of_others;  ///< global numbers of the columns of the other block, ascending

  std::vector<PetscInt> going;  ///< elements of this process that belong to others
  /// For each element of this process its place in the values of both blocks, one behind the other, or -1.
  std::vector<PetscInt> targets;
  /// Places that elements of others are added to, and which: sums[begins[i] … begins[i + 1]) to sum_targets[i].
  std::vector<PetscInt> sum_targets, begins, sums;

 private:
  struct Coming {
    std::vector<PetscInt> rows, columns, senders;
  };
  struct ColumnCodes;
  using Sum = std::tuple<PetscInt, PetscInt, PetscInt>;  ///< its place, who sends it, which it is

  PetscErrorCode exchange_elements(Mat C, const PetscNamedElements& elements, Coming* coming);
  PetscErrorCode connect(Mat C, const std::vector<PetscMPIInt>& owners, const std::vector<PetscInt>& counts);
  PetscErrorCode merge(Mat C, const PetscNamedElements& elements, const Coming& coming);
  void find_columns_of_others(const PetscNamedElements& elements, PetscInt begin, PetscInt end,
                              const std::vector<PetscInt>& coming, const ColumnCodes& codes);
  void add_sums(std::vector<Sum>* of_targets);
  void number_targets();

  PetscSF m_exchange = nullptr;
  PetscInt m_coming  = 0;
};

/// Gives C, which has sizes and a type, the pattern of these blocks.
PetscErrorCode petsc_make_of_blocks(Mat C, const PetscElementRoutes& routes);

struct PetscGather {
  const PetscInt* places;
  const PetscScalar* elements;
  PetscScalar* gathered;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { gathered[k] = elements[places[k]]; }
};
struct PetscPutOwn {
  const PetscInt* targets;
  const PetscScalar* elements;
  PetscScalar *diagonal, *others;
  PetscInt of_diagonal;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const PetscInt target = targets[k];
    if (target >= of_diagonal)
      others[target - of_diagonal] = elements[k];
    else if (target >= 0)
      diagonal[target] = elements[k];
  }
};
/// In the order of their senders, so that every run has the same bits.
struct PetscAddOthers {
  const PetscInt *targets, *begins, *sums;
  const PetscScalar* coming;
  PetscScalar *diagonal, *others;
  PetscInt of_diagonal;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    PetscScalar& sum = targets[i] < of_diagonal ? diagonal[targets[i]] : others[targets[i] - of_diagonal];
    for (PetscInt k = begins[i]; k < begins[i + 1]; ++k) sum += coming[sums[k]];
  }
};

/// Makes C, and gives it values, again and again, in the memory of `Space`.
template <class Space>
class PetscAssembly {
 public:
  /// `C` has sizes, a type and block sizes. Its pattern is that of the elements of all processes.
  PetscErrorCode make(Mat C, const PetscNamedElements& elements) {
    PetscFunctionBegin;
    PetscCall(m_routes.find(C, elements));
    PetscCall(petsc_make_of_blocks(C, m_routes));
    m_targets     = petsc_copy_of<Memory>(m_routes.targets);
    m_sum_targets = petsc_copy_of<Memory>(m_routes.sum_targets);
    m_begins      = petsc_copy_of<Memory>(m_routes.begins);
    m_sums        = petsc_copy_of<Memory>(m_routes.sums);
    m_places      = petsc_copy_of<Memory>(m_routes.going);
    m_going       = petsc_allocate<PetscScalar, Memory>("Lacuna::petsc::going", static_cast<PetscInt>(m_places.size()));
    m_coming      = petsc_allocate<PetscScalar, Memory>("Lacuna::petsc::coming", m_routes.elements_that_come());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode destroy() { return m_routes.destroy(); }

  /// `elements`: values in the order of the pattern.
  PetscErrorCode give_values(const Space& exec, Mat C, const PetscScalar* elements) {
    constexpr PetscMemType memory = petsc_memory_of<Space>();
    Mat blocks[2]                 = {nullptr, nullptr};
    PetscInt lengths[2]           = {0, 0};
    PetscWriting writing[2];
    PetscFunctionBegin;
    for_each_index(exec, "Lacuna::petsc::gather", static_cast<std::int64_t>(m_places.size()),
                   PetscGather{m_places.data(), elements, m_going.data()});
    PetscCall(PetscSFReduceWithMemTypeBegin(m_routes.exchange(), MPIU_SCALAR, memory, m_going.data(), memory,
                                            m_coming.data(), MPI_REPLACE));
    PetscCall(MatMPIAIJGetSeqAIJ(C, &blocks[0], &blocks[1], nullptr));
    for (int i = 0; i < 2; ++i) {
      PetscArrays arrays;
      PetscCall(petsc_arrays(blocks[i], &arrays));
      lengths[i] = arrays.nonzeros;
      if (lengths[i] == 0) continue;
      PetscCall(petsc_begin_writing(blocks[i], &writing[i]));
      Kokkos::deep_copy(exec, Values(writing[i].values, lengths[i]), PetscScalar(0));
    }
    for_each_index(exec, "Lacuna::petsc::put_own", static_cast<std::int64_t>(m_targets.size()),
                   PetscPutOwn{m_targets.data(), elements, writing[0].values, writing[1].values, lengths[0]});
    PetscCall(PetscSFReduceEnd(m_routes.exchange(), MPIU_SCALAR, m_going.data(), m_coming.data(), MPI_REPLACE));
    for_each_index(exec, "Lacuna::petsc::add_others", static_cast<std::int64_t>(m_sum_targets.size()),
                   PetscAddOthers{m_sum_targets.data(), m_begins.data(), m_sums.data(), m_coming.data(),
                                  writing[0].values, writing[1].values, lengths[0]});
    for (int i = 0; i < 2; ++i)
      if (lengths[i] > 0) PetscCall(petsc_end_writing(blocks[i], &writing[i]));
    for (Mat changed : {blocks[0], blocks[1], C}) PetscCall(petsc_has_new_values(changed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

 private:
  using Memory   = typename Space::memory_space;
  using Integers = Kokkos::View<PetscInt*, Memory>;
  using Values   = Kokkos::View<PetscScalar*, Memory, Kokkos::MemoryUnmanaged>;

  PetscElementRoutes m_routes;
  Integers m_targets, m_sum_targets, m_begins, m_sums, m_places;
  Kokkos::View<PetscScalar*, Memory> m_going, m_coming;
};

}  // namespace lacuna::Impl

#endif

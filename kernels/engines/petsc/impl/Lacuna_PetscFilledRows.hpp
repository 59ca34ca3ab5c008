// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCFILLEDROWS_HPP
#define LACUNA_PETSCFILLEDROWS_HPP

#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

/// \file
/// \brief The rows of a matrix that have nonzeros, where few have: z = y + A x need not touch the others.
///
/// The other columns' block of a parallel matrix is such a matrix: a process has a volume of rows, and its surface
/// alone has columns of others. A product by all rows reads their row map, y and writes z for nothing, which is a tenth
/// and more of what the block of the diagonal reads.

namespace lacuna::Impl {

/// Where they are a larger part, or so few rows in all that one kernel more takes longer, they are not told apart.
struct PetscFilledRowsPolicy {
  static constexpr double largest_part = 0.4;  // as PETSc's own compressed rows
  template <class Space>
  static constexpr PetscInt least_rows = std::is_same_v<Space, PetscHost> ? 1 : 100000;
};

template <class Rows, class Sums, class Out>
struct PetscAddFilledRows {
  Rows rows;
  Sums sums;
  Out z;
  KOKKOS_FUNCTION void operator()(const PetscInt i) const { z(rows(i)) += sums(i); }
};

template <class Space>
class PetscFilledRows {
  using Rows = Kokkos::View<PetscInt*, typename Space::memory_space>;
  using Sums = Kokkos::View<PetscScalar*, typename Space::memory_space>;
  using Out  = Kokkos::View<PetscScalar*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

 public:
  /// Looks at the pattern where it is another one than before.
  PetscErrorCode find(Mat A, const PetscArrays& now) {
    PetscFunctionBegin;
    if (m_seen.has_pattern_of(now)) PetscFunctionReturn(PETSC_SUCCESS);
    m_rows = {};
    if (now.nonzeros > 0 && now.rows >= PetscFilledRowsPolicy::least_rows<Space>) PetscCall(look(A));
    m_seen = now;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  bool are_few() const { return m_rows.extent(0) > 0; }

  /// These rows as a matrix of their own.
  PetscArrays arrays(PetscArrays of_all) const {
    of_all.rows    = static_cast<PetscInt>(m_rows.extent(0));
    of_all.row_map = m_row_map.data();
    return of_all;
  }
  /// For the product of that matrix.
  const Sums& sums() const { return m_sums; }
  /// To the elements of z where they belong.
  void add_sums_to(const Space& exec, const Out& z) const {
    const Kokkos::RangePolicy<Space> policy(exec, 0, m_rows.extent(0));
    Kokkos::parallel_for("Lacuna::petsc::add_filled_rows", policy,
                         PetscAddFilledRows<Rows, Sums, Out>{m_rows, m_sums, z});
  }

 private:
  PetscErrorCode look(Mat A) {
    PetscFunctionBegin;
    PetscCall(petsc_with_host_row_map(A, [&](PetscInt rows, const PetscInt* row_map) {
      PetscInt filled = 0;
      for (PetscInt row = 0; row < rows; ++row) filled += row_map[row + 1] > row_map[row];
      if (filled > PetscFilledRowsPolicy::largest_part * rows) return;
      const auto unset = [](const std::string& label) {
        return Kokkos::view_alloc(label, Kokkos::WithoutInitializing);
      };
      m_rows           = Rows(unset("Lacuna::petsc::filled_rows"), static_cast<std::size_t>(filled));
      m_row_map        = Rows(unset("Lacuna::petsc::filled_row_map"), static_cast<std::size_t>(filled) + 1);
      m_sums           = Sums(unset("Lacuna::petsc::filled_sums"), static_cast<std::size_t>(filled));
      const auto names = Kokkos::create_mirror_view(m_rows), begins = Kokkos::create_mirror_view(m_row_map);
      std::size_t at = 0;
      for (PetscInt row = 0; row < rows; ++row) {
        if (row_map[row + 1] == row_map[row]) continue;
        names(at)    = row;
        begins(at++) = row_map[row];
      }
      begins(at) = row_map[rows];
      Kokkos::deep_copy(m_rows, names);
      Kokkos::deep_copy(m_row_map, begins);
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscArrays m_seen = {};
  Rows m_rows, m_row_map;
  Sums m_sums;
};

}  // namespace lacuna::Impl

#endif

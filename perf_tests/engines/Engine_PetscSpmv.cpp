// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <engines/Engine_PetscSpmv.hpp>
#include <engines/Engine_PetscTools.hpp>

#include <Lacuna_Spmv.hpp>

#ifdef PETSC_HAVE_KOKKOS
#include <petsc_kokkos.hpp>
#endif

#include <type_traits>

/// \file
/// \brief In a unit of its own: a plan holds kernels, which take long to compile for devices.

namespace lacuna::bench {

namespace {

template <class Space>
Space space_of_petsc() {
#ifdef PETSC_HAVE_KOKKOS
  if constexpr (std::is_same_v<Space, Kokkos::DefaultExecutionSpace>) return PetscGetKokkosExecutionSpace();
#endif
  return Space();
}

template <class Space>
SteadyTime spmv_time_on(PetscInt rows, PetscInt columns, PetscInt nonzeros, const PetscInt* row_map,
                        const PetscInt* entries, PetscScalar* values, const TimingOptions& timing) {
  using Memory = typename Space::memory_space;
  using Csr    = KokkosSparse::CrsMatrix<PetscScalar, PetscInt, Kokkos::Device<Space, Memory>, void, PetscInt>;
  const Csr A("A", rows, columns, nonzeros, typename Csr::values_type(values, nonzeros),
              typename Csr::row_map_type(row_map, rows + 1),
              typename Csr::index_type(const_cast<PetscInt*>(entries), nonzeros));
  const Space exec = space_of_petsc<Space>();
  const Kokkos::View<PetscScalar*, Memory> x("x", columns), y("y", rows);
  const SpmvPlan<Csr> plan(exec, A, {.expected_calls = 1000, .check_pattern = PatternCheck::off});
  const auto call = [&] { spmv(exec, plan, PetscScalar(1), x, PetscScalar(0), y); };
  call();
  return collective_time(timing, call);
}

}  // namespace

SteadyTime spmv_time(Mat A, const TimingOptions& timing) {
  PetscInt rows = 0, columns = 0;
  const PetscInt *row_map = nullptr, *entries = nullptr;
  PetscScalar* values = nullptr;
  PetscMemType memory = PETSC_MEMTYPE_HOST;
  MatInfo info;
  check(MatGetSize(A, &rows, &columns));
  check(MatGetInfo(A, MAT_LOCAL, &info));
  check(MatSeqAIJGetCSRAndMemType(A, &row_map, &entries, &values, &memory));
  const auto nonzeros = static_cast<PetscInt>(info.nz_used);
  const auto on       = PetscMemTypeHost(memory) ? spmv_time_on<Kokkos::DefaultHostExecutionSpace>
                                                 : spmv_time_on<Kokkos::DefaultExecutionSpace>;
  return on(rows, columns, nonzeros, row_map, entries, values, timing);
}

}  // namespace lacuna::bench

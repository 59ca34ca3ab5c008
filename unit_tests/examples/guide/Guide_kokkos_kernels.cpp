// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

//! [include]
#include <Lacuna_KokkosKernels.hpp>  // before headers of Kokkos Kernels

#include <KokkosSparse_spgemm.hpp>
#include <KokkosSparse_spmv.hpp>
//! [include]

#include "Guide_Check.hpp"

#include <Lacuna_Generators.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>

namespace {

using Execution = Kokkos::DefaultExecutionSpace;
using Device    = Execution::device_type;
using Matrix    = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Vector    = Kokkos::View<double*, Device>;

/// Every entry 1 on a mesh of 8 × 8 × 8 nodes.
Matrix mesh_of_ones() {
  const auto A = lacuna::generate<Matrix>("mesh27:n=8");
  Kokkos::deep_copy(A.values, 1.0);
  return A;
}

void vectors() {
  const auto A = mesh_of_ones();
  const Vector x("x", 512), y("y", 512), z("z", 512);
  Kokkos::deep_copy(x, 1.0);

  //! [spmv]
  const Execution exec;
  KokkosSparse::SPMVHandle<Execution, Matrix, Vector, Vector> handle;
  KokkosSparse::spmv(exec, &handle, "N", 2.0, A, x, 0.0, y);  // makes our plan and keeps it in the handle
  KokkosSparse::spmv(exec, &handle, "N", 2.0, A, x, 0.0, y);  // runs our kernel
  KokkosSparse::spmv(exec, "N", 2.0, A, x, 0.0, z);           // the same without a plan
  //! [spmv]
  exec.fence();
  check(handle.tpl_rank1 != nullptr, "the handle holds a plan");
  const auto first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  const auto then  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), z);
  for (int i = 0; i < 512; ++i) check(std::abs(first(i) - then(i)) < 1e-12, "both are 2 A x");

  Kokkos::deep_copy(A.values, 3.0);
  KokkosSparse::spmv(exec, &handle, "N", 2.0, A, x, -3.0, y);  // y = 6 P x - 3 (2 P x)
  exec.fence();
  check(all_are(y, 0.0), "new values count at once");
}

void products() {
  const auto A = mesh_of_ones();

  //! [spgemm]
  KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, Execution, Device::memory_space,
                                                   Device::memory_space>
      handle;
  handle.create_spgemm_handle();
  Matrix C;
  KokkosSparse::spgemm_symbolic(handle, A, false, A, false, C);  // makes our plan
  KokkosSparse::spgemm_numeric(handle, A, false, A, false, C);   // as often as values change
  handle.destroy_spgemm_handle();

  const auto D = KokkosSparse::spgemm<Matrix>(A, false, A, false);  // in one call
  //! [spgemm]
  Kokkos::fence();
  check(C.nnz() == D.nnz() && C.nnz() > A.nnz(), "both are A A");
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  vectors();
  products();
  return guide_failures;
}

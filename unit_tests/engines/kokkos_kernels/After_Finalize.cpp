// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_KokkosKernels.hpp>

#include <Kokkos_Core.hpp>

#include <optional>

/// \file
/// \brief Plans of handles end with Kokkos: those of SpGEMM in Kokkos::finalize, and a handle of SpMV may outlive it
/// where an execution space may, which is before Kokkos 5.1: Kokkos Kernels keeps one beside a library's data.

int main(int argc, char** argv) {
  using Exec   = Kokkos::DefaultHostExecutionSpace;
  using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
  using Vector = Kokkos::View<double*, Exec::device_type>;
  using Spgemm =
      KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, Exec, Kokkos::HostSpace, Kokkos::HostSpace>;
  std::optional<KokkosSparse::SPMVHandle<Exec, Matrix, Vector, Vector>> handle;
  bool is_right = true;
  Kokkos::initialize(argc, argv);
  {
    const int n = 100;
    const Vector values("values", n), x("x", n), y("y", n);
    const Matrix::row_map_type::non_const_type row_map("row_map", n + 1);
    const Matrix::index_type entries("entries", n);
    for (int i = 0; i < n; ++i) {
      values(i)      = 2;
      x(i)           = i;
      entries(i)     = n - 1 - i;
      row_map(i + 1) = i + 1;
    }
    const Matrix A("A", n, n, n, values, row_map, entries);
    handle.emplace();
    KokkosSparse::spmv(&*handle, "N", 1.0, A, x, 0.0, y);
    Kokkos::fence();
    for (int i = 0; i < n; ++i) is_right = is_right && y(i) == 2.0 * (n - 1 - i);

    Spgemm spgemm;
    spgemm.create_spgemm_handle();
    Matrix C;
    KokkosSparse::spgemm_symbolic(spgemm, A, false, A, false, C);
    KokkosSparse::spgemm_numeric(spgemm, A, false, A, false, C);
    Kokkos::fence();
    for (int i = 0; i < n; ++i) is_right = is_right && C.graph.entries(i) == i && C.values(i) == 4;
    is_right = is_right && lacuna::Impl::handle_plans().size() == 1 && handle->tpl_rank1 != nullptr;
    if (KOKKOS_VERSION >= 50100) handle.reset();
  }
  Kokkos::finalize();
  is_right = is_right && lacuna::Impl::handle_plans().size() == 0;
  return is_right ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <plans.hpp>

#include <Lacuna_TripleProduct.hpp>

int plans();

// A diagonal matrix by plans whose kernels are compiled elsewhere. Returns how many elements are wrong.
int plans() {
  using Execution = Kokkos::DefaultExecutionSpace;
  using Device    = Execution::device_type;
  using Matrix    = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
  constexpr int n = 5, columns = 3;
  Kokkos::View<double*, Device> values("values", n);
  Kokkos::View<int*, Device> entries("entries", n), row_map("row_map", n + 1);
  const auto value = Kokkos::create_mirror_view(values);
  const auto entry = Kokkos::create_mirror_view(entries);
  const auto row   = Kokkos::create_mirror_view(row_map);
  for (int i = 0; i < n; ++i) value(i) = i + 1, entry(i) = i, row(i + 1) = i + 1;
  row(0) = 0;
  Kokkos::deep_copy(values, value);
  Kokkos::deep_copy(entries, entry);
  Kokkos::deep_copy(row_map, row);
  const Matrix A("A", n, n, n, values, row_map, entries);

  const Kokkos::View<double**, Kokkos::LayoutRight, Device> B("B", n, columns), C("C", n, columns);
  const Kokkos::View<double*, Device> x("x", n), y("y", n);
  Kokkos::deep_copy(B, 2.0);
  Kokkos::deep_copy(x, 3.0);
  lacuna::spmm(lacuna::SpmmPlan<Matrix>(A, {.columns = columns}), 1.0, B, 0.0, C);
  lacuna::spmv(lacuna::SpmvPlan<Matrix>(A), 1.0, x, 0.0, y);
  const Execution exec;
  const lacuna::SpgemmPlan<Matrix> plan(exec, A, A);
  const auto square = plan.allocate(exec);
  lacuna::spgemm(exec, plan, 1.0, A, A, square);
  const auto cube = lacuna::triple_product(exec, A, A, A);
  exec.fence();
  const auto s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), square.values);
  const auto t = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cube.values);
  const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
  const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  int wrong    = 0;
  for (int i = 0; i < n; ++i) {
    wrong += h(i) != 3.0 * (i + 1) ? 1 : 0;
    wrong += s(i) != (i + 1.0) * (i + 1) ? 1 : 0;
    wrong += t(i) != (i + 1.0) * (i + 1) * (i + 1) ? 1 : 0;
    for (int j = 0; j < columns; ++j) wrong += c(i, j) != 2.0 * (i + 1) ? 1 : 0;
  }
  return wrong;
}

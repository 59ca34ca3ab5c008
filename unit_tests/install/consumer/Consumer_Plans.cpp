// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spgemm.hpp>
#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>
#include <Lacuna_TripleProduct.hpp>

int plans();

#ifndef LACUNA_COMPILED_PLANS
#error "what links a library of lacuna_add_plans is not told of its plans"
#endif

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

  // The same in float, whose plan is of another library.
  using FloatMatrix = KokkosSparse::CrsMatrix<float, int, Device, void, int>;
  const Kokkos::View<float*, Device> float_values("float_values", n), u("u", n), v("v", n);
  Kokkos::deep_copy(float_values, 4.0f);
  Kokkos::deep_copy(u, 3.0f);

  const Kokkos::View<double**, Kokkos::LayoutRight, Device> B("B", n, columns), C("C", n, columns);
  const Kokkos::View<double*, Device> x("x", n), y("y", n);
  Kokkos::deep_copy(B, 2.0);
  Kokkos::deep_copy(x, 3.0);
  lacuna::spmm(lacuna::SpmmPlan<Matrix>(A, {.columns = columns}), 1.0, B, 0.0, C);
  lacuna::spmv(lacuna::SpmvPlan<Matrix>(A), 1.0, x, 0.0, y);
  lacuna::spmv(lacuna::SpmvPlan<FloatMatrix>(FloatMatrix("F", n, n, n, float_values, row_map, entries)), 1.0f, u, 0.0f,
               v);
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
  const auto f = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  int wrong    = 0;
  for (int i = 0; i < n; ++i) {
    wrong += f(i) != 12.0f ? 1 : 0;
    wrong += h(i) != 3.0 * (i + 1) ? 1 : 0;
    wrong += s(i) != (i + 1.0) * (i + 1) ? 1 : 0;
    wrong += t(i) != (i + 1.0) * (i + 1) * (i + 1) ? 1 : 0;
    for (int j = 0; j < columns; ++j) wrong += c(i, j) != 2.0 * (i + 1) ? 1 : 0;
  }
  return wrong;
}

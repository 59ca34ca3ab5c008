// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

//! [program]
#include <Lacuna_MatrixIO.hpp>
#include <Lacuna_Spmv.hpp>

#include <cstddef>
#include <cstdio>
#include <fstream>

using Execution = Kokkos::DefaultExecutionSpace;
using Device    = Execution::device_type;
using Matrix    = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Vector    = Kokkos::View<double*, Device>;

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);

  std::ofstream("small.mtx") << "%%MatrixMarket matrix coordinate real symmetric\n"
                             << "3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n";
  const auto A = lacuna::read_matrix<Matrix>("small.mtx");  // .mtx, .mtx.gz, .rb; symmetric files are expanded

  const Vector x("x", static_cast<std::size_t>(A.numCols())), y("y", static_cast<std::size_t>(A.numRows()));
  Kokkos::deep_copy(x, 1.0);

  const Execution exec;
  const lacuna::SpmvPlan plan(exec, A);      // inspects A, chooses storage and kernel
  lacuna::spmv(exec, plan, 1.0, x, 0.0, y);  // y = A x, without a fence
  std::printf("%s", plan.report().c_str());

  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);  // fences
  std::printf("A x = %g %g %g\n", result(0), result(1), result(2));
  return result(0) == 1 && result(1) == 0 && result(2) == 1 ? 0 : 1;
}
//! [program]

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna.hpp>

#include <cstdio>
#include <fstream>
#include <string>

#if defined(HAS_PLANS)
int plans();  // of a library of them
#else
static int plans() { return 0; }
#endif
#if defined(HAS_EVERY_ALGORITHM)
int every_algorithm();
#else
static int every_algorithm() { return 0; }
#endif

int files();

// Headers, the compiled part and a kernel: reads a matrix file and multiplies by it.
int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  using Execution = Kokkos::DefaultExecutionSpace;
  using Matrix    = KokkosSparse::CrsMatrix<double, int, Execution::device_type, void, int>;

  const std::string path = "consumer.mtx";
  std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1.5\n1 3 2.0\n2 2 -1.0\n";
  const auto matrix = lacuna::read_matrix<Matrix>(path);
  const Kokkos::View<double*, Execution::device_type> x("x", 3), y("y", 2);
  Kokkos::deep_copy(x, 2.0);
  lacuna::spmv(1.0, matrix, x, 0.0, y);
  const auto product = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  if (product(0) != 7.0 || product(1) != -2.0) return 1;
  if (plans() != 0) return 2;
  if (every_algorithm() != 0) return 3;
  if (const int wrong = files(); wrong != 0) return 10 + wrong;
  std::printf("Lacuna %d.%d.%d works\n", LACUNA_VERSION_MAJOR, LACUNA_VERSION_MINOR, LACUNA_VERSION_PATCH);
  return 0;
}

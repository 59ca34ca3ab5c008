// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_MatrixIO.hpp>
#include <Lacuna_Version.hpp>

#include <string>

int files();

// The compiled part of the library: a matrix goes to a file and comes back, and an error that is thrown there is caught
// here by its type. Returns the number of the first check that fails.
int files() {
  using Device = Kokkos::DefaultHostExecutionSpace::device_type;
  using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;

  const std::string version = std::to_string(LACUNA_VERSION_MAJOR) + "." + std::to_string(LACUNA_VERSION_MINOR) + "." +
                              std::to_string(LACUNA_VERSION_PATCH);
#if defined(PACKAGE_VERSION)
  if (version != PACKAGE_VERSION) return 1;
#endif

  const Kokkos::View<double*, Device> values("values", 2);
  const Kokkos::View<int*, Device> entries("entries", 2), row_map("row_map", 3);
  values(0) = 0.1, values(1) = -2.5e300;
  entries(0) = 2, entries(1) = 0;
  row_map(1) = 1, row_map(2) = 2;
  lacuna::write_matrix("files.mtx.gz", Matrix("A", 2, 3, 2, values, row_map, entries));
  const auto A = lacuna::read_matrix<Matrix>("files.mtx.gz");
  if (A.numRows() != 2 || A.numCols() != 3 || A.nnz() != 2) return 2;
  if (A.values(0) != 0.1 || A.values(1) != -2.5e300 || A.graph.entries(0) != 2) return 3;

  try {
    lacuna::read_matrix<Matrix>("no such file of Lacuna " + version);
    return 4;
  } catch (const lacuna::InvalidArgument&) {
    return 0;
  }
}

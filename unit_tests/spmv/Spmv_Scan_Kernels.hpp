// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_SCAN_KERNELS_HPP
#define LACUNA_SPMV_SCAN_KERNELS_HPP

#include <kernels/spmv/published/shared/Lacuna_SpmvScanWorkspace.hpp>
#include <spmv/Spmv_Kernel_Check.hpp>

/// \file
/// \brief What a driver needs of the kernels by segmented scan, and the cases that are theirs alone.

namespace lacuna::Test {

struct ScanKernel {
  template <class Matrix, class Workspace>
  struct Prepared {
    Matrix A;
    Workspace workspace;
  };

  template <class ExecutionSpace, class Matrix>
  static auto prepare(const ExecutionSpace& exec, const Matrix& A) {
    auto workspace = Impl::make_spmv_scan_workspace(exec, Impl::arrays_of(A));
    EXPECT_EQ(workspace.bytes(),
              Impl::spmv_scan_workspace_bytes<typename Matrix::non_const_value_type>(A.graph.entries.extent(0)));
    return Prepared<Matrix, decltype(workspace)>{A, workspace};
  }
};

/// Nonzeros on and beside whole tiles.
template <class Kernel>
void check_scan_team_sizes() {
  for (const int team_size : {64, 128, 256, 512}) {
    for (const std::int64_t n : {1, 1023, 1024, 1025, 2048, 5000}) {
      driver<Kernel>().run({"one row of " + std::to_string(n), random_matrix<double>(1, n, n)}, {team_size, 0}, 1, 0,
                           false);
      driver<Kernel>().run({"a diagonal of " + std::to_string(n), banded_matrix<double>(n, n, 0, 0)}, {team_size, 0}, 1,
                           0, false);
    }
    driver<Kernel, Default, Kokkos::complex<double>, std::int64_t, std::size_t>().run_factors(
        {"uneven", uneven_matrix<Kokkos::complex<double>>(700, 800, 40)}, {team_size, 0});
  }
}

/// More than a thousand tiles, so that their carries fill more than one tile, with a row over most of them.
template <class Kernel>
void check_scan_levels() {
  const std::int64_t columns = 1100000;
  std::vector<std::vector<std::int64_t>> pattern(20);
  for (std::size_t i = 0; i < pattern.size(); ++i)
    for (std::int64_t j = 0; j < (i == 7 ? columns : i % 3 == 0 ? 0 : 3000); ++j) pattern[i].push_back(j);
  driver<Kernel>().run_factors({"a row of 1,100,000", from_rows<double>(columns, pattern)});
}

}  // namespace lacuna::Test

#endif

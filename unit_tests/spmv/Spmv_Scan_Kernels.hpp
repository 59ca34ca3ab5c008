// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_SCAN_KERNELS_HPP
#define LACUNA_SPMV_SCAN_KERNELS_HPP

#include <kernels/spmv/impl/Lacuna_Spmv_Scan.hpp>
#include <spmv/Spmv_Kernel_Check.hpp>

#include <cmath>

/// \file
/// \brief What `KernelCheck` needs of the kernels by segmented scan, and the cases that are theirs alone.

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

template <class Kernel>
using ScanCheck = KernelCheck<Kernel, Kokkos::DefaultExecutionSpace, double, int, std::size_t>;

/// Nonzeros on and beside whole tiles.
template <class Kernel>
void check_scan_team_sizes() {
  for (const int team_size : {64, 128, 256, 512}) {
    for (const std::int64_t n : {1, 1023, 1024, 1025, 2048, 5000}) {
      ScanCheck<Kernel>::run({"one row of " + std::to_string(n), random_matrix<double>(1, n, n)}, {team_size, 0}, 1, 0,
                             false);
      ScanCheck<Kernel>::run({"a diagonal of " + std::to_string(n), banded_matrix<double>(n, n, 0, 0)}, {team_size, 0},
                             1, 0, false);
    }
    KernelCheck<Kernel, Kokkos::DefaultExecutionSpace, Kokkos::complex<double>, int, int>::run_factors(
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
  ScanCheck<Kernel>::run_factors({"a row of 1,100,000", from_rows<double>(columns, pattern)});
}

/// An infinite product stays in its row, whatever tile or thread it meets its neighbours in.
template <class Kernel>
void check_scan_isolation() {
  using Exec      = Kokkos::DefaultExecutionSpace;
  using Matrix    = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, std::size_t>;
  const auto host = uneven_matrix<double>(900, 900, 12);
  std::vector<double> x_host(900, 1.0);
  x_host[450] = std::numeric_limits<double>::infinity();
  x_host[451] = std::numeric_limits<double>::quiet_NaN();
  const Exec exec;
  const Matrix A      = make_crs<Matrix>(host);
  const auto prepared = Kernel::prepare(exec, A);
  const SpacedVector<double, Exec> x(x_host, false), y(std::vector<double>(900, 0.0), false);
  Kernel::run(exec, prepared,
              Impl::SpmvArguments<double>{1, Impl::strided<const double>("spmv", x.view()), 0,
                                          Impl::strided<double>("spmv", y.view())},
              Impl::SpmvShape());
  exec.fence("Lacuna::Test: the result is read");
  const auto result    = y.content();
  const auto reference = reference_spmv<double>(Op::none, 1, host, x_host, 0, {});
  int finite           = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    EXPECT_EQ(std::isfinite(result[i]), std::isfinite(reference.y[i])) << "row " << i;
    finite += std::isfinite(reference.y[i]) ? 1 : 0;
  }
  EXPECT_GT(finite, 800);
  EXPECT_LT(finite, 900);
}

}  // namespace lacuna::Test

#endif

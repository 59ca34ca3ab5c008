// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Guide_Check.hpp"

#include <Lacuna_Convert.hpp>
#include <Lacuna_Diagonal.hpp>
#include <Lacuna_DiagonalPlan.hpp>
#include <Lacuna_Generators.hpp>
#include <Lacuna_RowStatistics.hpp>
#include <Lacuna_Spmv.hpp>
#include <Lacuna_ValidateFormats.hpp>

#include <cstdio>

namespace {

using Execution = Kokkos::DefaultExecutionSpace;
using Device    = Execution::device_type;
using Matrix    = KokkosSparse::CrsMatrix<double, int, Device, void, int>;

/// Keeps storage of a named type between calls.
struct Solver {
  //! [types]
  lacuna::SellOf<Matrix> slices;  // what to_sell returns for Matrix
  lacuna::CrsOf<Matrix> back;     // Matrix without const
  //! [types]
};

void conversions() {
  const auto A = lacuna::generate<Matrix>("mesh5:n=16");
  const Execution exec;
  //! [convert]
  const auto ell = lacuna::to_ell(exec, A, {.fill_limit = 3});  // NotSupported, if padding takes more than 3 x nnz
  const auto hyb = lacuna::to_hyb(exec, A);
  const auto crs = lacuna::to_crs(exec, hyb);
  std::printf("%zu bytes in ELLPACK, %zu in HYB\n", ell.bytes(), hyb.bytes());
  //! [convert]
  check(crs.nnz() == A.nnz() && lacuna::validate(ell).valid, "there and back");
  const Solver solver{lacuna::to_sell(exec, A), crs};
  check(solver.slices.nonzeros() == A.nnz(), "slices hold all nonzeros");

  //! [statistics]
  const lacuna::RowStatistics statistics = lacuna::row_statistics(exec, A);
  std::printf("%s", lacuna::report(statistics).c_str());
  //! [statistics]
  check(statistics.diagonals == 5, "five diagonals");
}

void diagonals() {
  const auto A = lacuna::generate<Matrix>("banded:n=50,half=2");
  Kokkos::deep_copy(A.values, 1.0);
  //! [diagonals]
  const Execution exec;
  const auto H = lacuna::to_hm(exec, A);
  const auto C = lacuna::gemm(exec, lacuna::Op::none, H, lacuna::Op::transpose, H);  // C = H H', no transpose is formed
  const lacuna::DiagonalPlan plan(exec, lacuna::Op::none, H, lacuna::Op::transpose, H, C);
  lacuna::gemm(exec, plan, 1.0, H, H, 1.0, C);  // C = H H' + C
  //! [diagonals]
  const Kokkos::View<double*, Device> x("x", 50), y("y", 50);
  lacuna::spmv(exec, 1.0, C, x, 0.0, y);
  exec.fence();
  check(C.dg() == 9, "diagonals -4 to 4");
  check(all_are(y, 0.0), "HM times a vector");
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  conversions();
  diagonals();
  return guide_failures;
}

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Guide_Check.hpp"

#include <Lacuna_Generators.hpp>
#include <Lacuna_Scale.hpp>
#include <Lacuna_Spadd.hpp>
#include <Lacuna_Transpose.hpp>

namespace {

using Execution = Kokkos::DefaultExecutionSpace;
using Device    = Execution::device_type;
using Matrix    = KokkosSparse::CrsMatrix<double, int, Device, void, int>;

void sums() {
  const auto A = lacuna::generate<Matrix>("mesh5:n=10"), B = lacuna::generate<Matrix>("diagonal:n=100");
  Kokkos::deep_copy(A.values, 1.0);
  Kokkos::deep_copy(B.values, 1.0);
  //! [sums]
  const Execution exec;
  const auto C = lacuna::spadd(exec, 2.0, A, 3.0, B);  // C = 2 A + 3 B, with the pattern of both

  const Kokkos::View<double*, Device> d("d", 100);
  lacuna::extract_diagonal(exec, C, d);       // 0 where C has no such nonzero
  lacuna::scale_rows(exec, d, C);             // C = diag(d) C, in place; scale_columns: C diag(d)
  const auto T = lacuna::transpose(exec, C);  // T.matrix, and T.source: where each nonzero came from
  lacuna::update_values(exec, C, T);          // new values of the same pattern: one gather
  //! [sums]
  lacuna::extract_diagonal(exec, T.matrix, d);
  exec.fence();
  check(C.nnz() == A.nnz() && T.matrix.nnz() == A.nnz(), "the mesh has its diagonal");
  check(all_are(d, 25.0), "(2 + 3) (2 + 3)");
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  sums();
  return guide_failures;
}

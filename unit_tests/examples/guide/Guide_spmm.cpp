// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Guide_Check.hpp"

#include <Lacuna_Generators.hpp>
#include <Lacuna_Spmm.hpp>

#include <cstdio>
#include <string>
#include <utility>

namespace {

using Execution = Kokkos::DefaultExecutionSpace;
using Device    = Execution::device_type;
using Matrix    = KokkosSparse::CrsMatrix<float, int, Device, void, int>;
using RowMajor  = Kokkos::View<float**, Kokkos::LayoutRight, Device>;

void many_columns() {
  const auto A = lacuna::generate<Matrix>("mesh7:n=8");
  Kokkos::deep_copy(A.values, 0.5f);
  const RowMajor B("B", 512, 48), C("C", 512, 48);
  const Execution exec;

  //! [plan]
  const lacuna::SpmmPlan plan(exec, A, {.columns = 32});  // fastest with 32 columns, right for any number
  lacuna::spmm(exec, plan, 1.0f, B, 0.0f, C);             // 48 columns here
  const auto left  = Kokkos::subview(C, Kokkos::ALL, std::pair(0, 8));
  const auto right = Kokkos::subview(B, Kokkos::ALL, std::pair(8, 16));
  lacuna::spmm(exec, plan, 1.0f, right, 1.0f, left);  // strided blocks of larger Views
  //! [plan]
  exec.fence();
  check(all_are(C, 0.0), "a product with zeros");

  //! [precision]
  try {
    const lacuna::SpmmPlan fast(exec, A, {.columns = 32, .precision = lacuna::Precision::tf32});
    std::printf("products at %s\n", std::string(name(fast.precision())).c_str());  // full, if nothing is rounded
  } catch (const lacuna::NotSupported& error) {
    std::printf("%s\n", error.what());  // no matrix engine here that has it
  }
  //! [precision]

  //! [deterministic]
  const lacuna::SpmmPlan same_bits(exec, A, {.columns = 32, .deterministic = true});
  //! [deterministic]
  check(same_bits.rows() == 512, "rows of op(A)");
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  many_columns();
  return guide_failures;
}

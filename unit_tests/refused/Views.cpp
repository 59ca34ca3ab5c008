// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>

#include <support/Test_UnreachableSpace.hpp>

// Must not compile: Views that the execution space of the plan cannot reach, as a host View of a program for a GPU.

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using Vector = Kokkos::View<double*, lacuna::Test::UnreachableSpace>;
using Block  = Kokkos::View<double**, Kokkos::LayoutRight, lacuna::Test::UnreachableSpace>;

void products(const Exec& exec, const lacuna::SpmvPlan<Matrix>& spmv_plan, const lacuna::SpmmPlan<Matrix>& spmm_plan,
              const Matrix& A, const Vector& x, const Block& B) {
  lacuna::spmv(exec, spmv_plan, 1, x, 0, x);
  lacuna::spmv(exec, 1, A, x, 0, x);
  lacuna::spmm(exec, spmm_plan, 1, B, 0, B);
  lacuna::spmm(exec, 1, A, B, 0, B);
}

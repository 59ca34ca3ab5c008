// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmv/published/naive/Lacuna_SpmvNaiveKernel.hpp>
#include <spmv/Spmv_Csr_Kernels.hpp>

namespace {

using namespace lacuna;

struct Naive : Test::CsrKernel {
  static constexpr const char* name = "naive";
  template <class ExecutionSpace, class Matrix, class Arguments>
  static void run(const ExecutionSpace& exec, const Matrix& A, const Arguments& arguments, Impl::SpmvShape shape) {
    Impl::spmv_naive(exec, Impl::arrays_of(A), arguments, shape);
  }
};

TEST(SpmvNaive, EveryTypeOnSamples) { lacuna::Test::check_every_type<Naive>(); }

TEST(SpmvNaive, EveryShape) { lacuna::Test::driver<Naive>().run_shapes(); }

TEST(SpmvNaive, InfAndNanStayInTheirRows) { lacuna::Test::driver<Naive>().run_isolation(); }

TEST(SpmvNaive, Serial) { lacuna::Test::check_serial<Naive>(); }

}  // namespace

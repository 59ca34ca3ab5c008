// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmv/published/thread_mapped/Lacuna_SpmvThreadMappedKernel.hpp>
#include <spmv/Spmv_Csr_Kernels.hpp>

namespace {

using namespace lacuna;

struct ThreadMapped : Test::CsrKernel {
  static constexpr const char* name = "thread_mapped";
  template <class ExecutionSpace, class Matrix, class Arguments>
  static void run(const ExecutionSpace& exec, const Matrix& A, const Arguments& arguments, Impl::SpmvShape shape) {
    Impl::spmv_thread_mapped(exec, Impl::arrays_of(A), arguments, shape);
  }
};

TEST(SpmvThreadMapped, EveryTypeOnSamples) { lacuna::Test::check_every_type<ThreadMapped>(); }

TEST(SpmvThreadMapped, EveryShape) { lacuna::Test::driver<ThreadMapped>().run_shapes(); }

TEST(SpmvThreadMapped, RefusesLanesThatAreNoPowerOfTwo) {
  const auto A = lacuna::Test::random_matrix<double>(3, 3, 2);
  for (const int lanes : {3, 24, 128}) {
    EXPECT_THROW(lacuna::Test::driver<ThreadMapped>().run({"3x3", A}, {256, lanes}, 1, 0, false), InvalidArgument);
  }
}

TEST(SpmvThreadMapped, InfAndNanStayInTheirRows) { lacuna::Test::driver<ThreadMapped>().run_isolation(); }

TEST(SpmvThreadMapped, Serial) { lacuna::Test::check_serial<ThreadMapped>(); }

}  // namespace

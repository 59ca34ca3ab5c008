// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmv/published/shared/Lacuna_SpmvAlignedKernel.hpp>
#include <spmv/Spmv_Csr_Kernels.hpp>

namespace {

using namespace lacuna;

struct Cached : Test::CsrKernel {
  static constexpr const char* name = "cached";
  template <class ExecutionSpace, class Matrix, class Arguments>
  static void run(const ExecutionSpace& exec, const Matrix& A, const Arguments& arguments, Impl::SpmvShape shape) {
    Impl::spmv_cached(exec, Impl::arrays_of(A), arguments, shape);
  }
};

TEST(SpmvCached, EveryTypeOnSamples) { lacuna::Test::check_every_type<Cached>(); }

TEST(SpmvCached, EveryShape) { lacuna::Test::driver<Cached>().run_shapes(); }

TEST(SpmvCached, InfAndNanStayInTheirRows) { lacuna::Test::driver<Cached>().run_isolation(); }

TEST(SpmvCached, Serial) { lacuna::Test::check_serial<Cached>(); }

}  // namespace

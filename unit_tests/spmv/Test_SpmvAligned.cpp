// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmv/published/shared/Lacuna_SpmvAlignedKernel.hpp>
#include <spmv/Spmv_Csr_Kernels.hpp>

namespace {

using namespace lacuna;

struct Aligned : Test::CsrKernel {
  static constexpr const char* name = "aligned";
  template <class ExecutionSpace, class Matrix, class Arguments>
  static void run(const ExecutionSpace& exec, const Matrix& A, const Arguments& arguments, Impl::SpmvShape shape) {
    Impl::spmv_aligned(exec, Impl::arrays_of(A), arguments, shape);
  }
};

TEST(SpmvAligned, EveryTypeOnSamples) { lacuna::Test::check_every_type<Aligned>(); }

TEST(SpmvAligned, EveryShape) { lacuna::Test::driver<Aligned>().run_shapes(); }

TEST(SpmvAligned, InfAndNanStayInTheirRows) { lacuna::Test::driver<Aligned>().run_isolation(); }

TEST(SpmvAligned, Serial) { lacuna::Test::check_serial<Aligned>(); }

}  // namespace

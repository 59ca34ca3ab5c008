// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmv/published/vector_csr/Lacuna_SpmvVectorCsrKernel.hpp>
#include <spmv/Spmv_Csr_Kernels.hpp>

namespace {

using namespace lacuna;

struct VectorCsr : Test::CsrKernel {
  static constexpr const char* name = "vector_csr";
  template <class ExecutionSpace, class Matrix, class Arguments>
  static void run(const ExecutionSpace& exec, const Matrix& A, const Arguments& arguments, Impl::SpmvShape shape) {
    Impl::spmv_vector_csr(exec, Impl::arrays_of(A), arguments, shape);
  }
};

TEST(SpmvVectorCsr, EveryTypeOnSamples) { lacuna::Test::check_every_type<VectorCsr>(); }

TEST(SpmvVectorCsr, EveryShape) { lacuna::Test::driver<VectorCsr>().run_shapes(); }

TEST(SpmvVectorCsr, InfAndNanStayInTheirRows) { lacuna::Test::driver<VectorCsr>().run_isolation(); }

TEST(SpmvVectorCsr, Serial) { lacuna::Test::check_serial<VectorCsr>(); }

}  // namespace

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <kernels/spmv/published/shared/Lacuna_SpmvEllKernel.hpp>
#include <spmv/Spmv_Kernel_Check.hpp>

namespace {

using namespace lacuna;

struct Ell {
  static constexpr const char* name = "ell";
  template <class ExecutionSpace, class Matrix>
  static auto prepare(const ExecutionSpace& exec, const Matrix& A) {
    return to_ell(exec, A, {.fill_limit = 0});
  }
  template <class ExecutionSpace, class Format, class Arguments>
  static void run(const ExecutionSpace& exec, const Format& A, const Arguments& arguments, Impl::SpmvShape shape) {
    Impl::spmv_ell(exec, A, arguments, shape);
  }
};

TEST(SpmvEll, EveryTypeOnSamples) { lacuna::Test::check_every_type<Ell>(); }

TEST(SpmvEll, EveryShape) { lacuna::Test::driver<Ell>().run_shapes(); }

TEST(SpmvEll, InfAndNanStayInTheirRows) { lacuna::Test::driver<Ell>().run_isolation(); }

TEST(SpmvEll, Serial) { lacuna::Test::check_serial<Ell>(); }

}  // namespace

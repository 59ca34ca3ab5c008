// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <kernels/spmv/published/dia/Lacuna_SpmvDiaKernel.hpp>
#include <spmv/Spmv_Kernel_Check.hpp>

namespace {

using namespace lacuna;

struct Dia {
  static constexpr const char* name = "dia";
  template <class ExecutionSpace, class Matrix>
  static auto prepare(const ExecutionSpace& exec, const Matrix& A) {
    return to_dia(exec, A, {.fill_limit = 0});
  }
  template <class ExecutionSpace, class Format, class Arguments>
  static void run(const ExecutionSpace& exec, const Format& A, const Arguments& arguments, Impl::SpmvShape shape) {
    Impl::spmv_dia(exec, A, arguments, shape);
  }
};

TEST(SpmvDia, EveryTypeOnSamples) { lacuna::Test::check_every_type<Dia>(); }

TEST(SpmvDia, EveryShape) { lacuna::Test::driver<Dia>().run_shapes(); }

TEST(SpmvDia, InfAndNanStayInTheirRows) { lacuna::Test::driver<Dia>().run_isolation(); }

TEST(SpmvDia, Serial) { lacuna::Test::check_serial<Dia>(); }

}  // namespace

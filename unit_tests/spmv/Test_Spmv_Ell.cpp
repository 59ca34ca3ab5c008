// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <kernels/spmv/impl/Lacuna_Spmv_Ell.hpp>
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

using Check = lacuna::Test::KernelCheck<Ell, Kokkos::DefaultExecutionSpace, double, int, std::size_t>;

TEST(SpmvEll, EveryTypeOnSamples) { lacuna::Test::check_every_type<Ell>(); }

TEST(SpmvEll, EveryShape) { Check::run_shapes(); }

TEST(SpmvEll, InfAndNanStayInTheirRows) { lacuna::Test::check_isolation<Ell>(); }

TEST(SpmvEll, Serial) { lacuna::Test::check_serial<Ell>(); }

}  // namespace

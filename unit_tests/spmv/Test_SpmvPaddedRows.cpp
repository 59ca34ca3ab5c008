// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <kernels/spmv/published/padded_rows/Lacuna_SpmvPaddedRowsKernel.hpp>
#include <spmv/Spmv_Kernel_Check.hpp>

namespace {

using namespace lacuna;

struct PaddedRows {
  static constexpr const char* name = "padded_rows";
  template <class ExecutionSpace, class Matrix>
  static auto prepare(const ExecutionSpace& exec, const Matrix& A) {
    return to_padded_rows(exec, A);
  }
  template <class ExecutionSpace, class Format, class Arguments>
  static void run(const ExecutionSpace& exec, const Format& A, const Arguments& arguments, Impl::SpmvShape shape) {
    Impl::spmv_padded_rows(exec, A, arguments, shape);
  }
};

TEST(SpmvPaddedRows, EveryTypeOnSamples) { lacuna::Test::check_every_type<PaddedRows>(); }

TEST(SpmvPaddedRows, EveryShape) { lacuna::Test::driver<PaddedRows>().run_shapes(); }

TEST(SpmvPaddedRows, InfAndNanStayInTheirRows) { lacuna::Test::driver<PaddedRows>().run_isolation(); }

TEST(SpmvPaddedRows, Serial) { lacuna::Test::check_serial<PaddedRows>(); }

}  // namespace

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <kernels/spmv/published/row_block/Lacuna_SpmvRowBlockKernel.hpp>
#include <spmv/Spmv_Kernel_Check.hpp>

namespace {

using namespace lacuna;

struct RowBlock {
  static constexpr const char* name = "row_block";
  template <class ExecutionSpace, class Matrix>
  static auto prepare(const ExecutionSpace& exec, const Matrix& A) {
    return to_row_block(exec, A);
  }
  template <class ExecutionSpace, class Format, class Arguments>
  static void run(const ExecutionSpace& exec, const Format& A, const Arguments& arguments, Impl::SpmvShape shape) {
    Impl::spmv_row_block(exec, A, arguments, shape);
  }
};

TEST(SpmvRowBlock, EveryTypeOnSamples) { lacuna::Test::check_every_type<RowBlock>(); }

TEST(SpmvRowBlock, EveryShape) { lacuna::Test::driver<RowBlock>().run_shapes(); }

TEST(SpmvRowBlock, InfAndNanStayInTheirRows) { lacuna::Test::driver<RowBlock>().run_isolation(); }

/// Blocks of other sizes, and one that no scratch holds.
template <int block_rows, int block_columns>
struct Sized : RowBlock {
  template <class ExecutionSpace, class Matrix>
  static auto prepare(const ExecutionSpace& exec, const Matrix& A) {
    return to_row_block(exec, A, {.block_rows = block_rows, .block_columns = block_columns});
  }
};

TEST(SpmvRowBlock, EveryBlockSize) {
  for (const auto& sample : lacuna::Test::sample_matrices<double>()) {
    for (const Impl::SpmvShape shape : {Impl::SpmvShape{64, 64}, Impl::SpmvShape{512, 8}}) {
      lacuna::Test::driver<Sized<1, 16>>().run(sample, shape, 1, 0, false);
      lacuna::Test::driver<Sized<64, 1024>>().run(sample, shape, 1, 0.5, false);
      lacuna::Test::driver<Sized<17, 48>>().run(sample, shape, 1, 0, true);
    }
  }
}

TEST(SpmvRowBlock, RefusesBlocksThatDoNotFitScratch) {
  EXPECT_THROW((lacuna::Test::driver<Sized<16, 32768>>().run({"3x3", lacuna::Test::random_matrix<double>(3, 3, 2)}, {},
                                                             1, 0, false)),
               NotSupported);
}

TEST(SpmvRowBlock, Serial) { lacuna::Test::check_serial<RowBlock>(); }

}  // namespace

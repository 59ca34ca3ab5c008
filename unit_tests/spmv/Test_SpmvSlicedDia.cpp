// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <kernels/spmv/algorithms/sliced_dia/Lacuna_SpmvSlicedDiaKernel.hpp>
#include <spmv/Spmv_Kernel_Check.hpp>

#include <limits>
#include <string>
#include <vector>

namespace {

using namespace lacuna;
using namespace lacuna::Test;

template <int Group>
struct SlicedDia {
  static constexpr const char* name = "sliced_dia";
  template <class ExecutionSpace, class Matrix>
  static auto prepare(const ExecutionSpace& exec, const Matrix& A) {
    return to_sliced_dia(exec, A, {.group = Group});
  }
  template <class ExecutionSpace, class Format, class Arguments>
  static void run(const ExecutionSpace& exec, const Format& A, const Arguments& arguments, Impl::SpmvShape shape) {
    Impl::spmv_sliced_dia(exec, A, arguments, shape);
  }
};

/// Rows that are sorted, without duplicates: the format takes no others.
template <int Group, class ExecutionSpace, class Scalar, class Ordinal, class Offset>
void check_samples() {
  const auto kernel = driver<SlicedDia<Group>, ExecutionSpace, Scalar, Ordinal, Offset>();
  for (const auto& named : sample_matrices<Scalar>()) kernel.run_factors(named);
}

TEST(SpmvSlicedDia, EveryTypeOnSamples) {
  check_samples<0, Default, double, int, std::size_t>();
  check_samples<0, Default, float, int, int>();
  check_samples<0, Default, double, std::int64_t, std::int64_t>();
  check_samples<0, Default, Kokkos::complex<float>, int, std::int64_t>();
  check_samples<0, Default, Kokkos::complex<double>, std::int64_t, std::size_t>();
}

TEST(SpmvSlicedDia, EveryGroup) {
  check_samples<2, Default, double, int, std::size_t>();
  check_samples<3, Default, float, int, int>();
  check_samples<6, Default, double, std::int64_t, std::int64_t>();
  check_samples<32, Default, Kokkos::complex<float>, int, std::int64_t>();
}

TEST(SpmvSlicedDia, EveryShape) { driver<SlicedDia<0>>().run_shapes(); }

TEST(SpmvSlicedDia, InfAndNanStayInTheirRows) {
  driver<SlicedDia<1>>().run_isolation();
  driver<SlicedDia<3>>().run_isolation();
}

TEST(SpmvSlicedDia, Serial) {
  if (!has_serial) GTEST_SKIP() << no_serial;
  check_samples<0, ReferenceSpace, double, int, int>();
}

TEST(SpmvSlicedDia, MoreLanesForFewSlicesAndManyDiagonals) {
  const std::int64_t threads = 132 * 2048;
  EXPECT_EQ(Impl::sliced_dia_shares(250000, 250000 * 27, threads, 8), 1);
  EXPECT_GT(Impl::sliced_dia_shares(1000, 1000 * 81, threads, 8), 1);
  EXPECT_LE(Impl::sliced_dia_shares(10, 10 * 1000, threads, 4), 4);
  EXPECT_EQ(Impl::sliced_dia_shares(10, 10 * 3, threads, 8), 1);
  EXPECT_EQ(Impl::sliced_dia_shares(1, 0, threads, 8), 1);
}

}  // namespace

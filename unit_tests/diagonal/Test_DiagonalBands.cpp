// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Diagonal.hpp>

#include <diagonal/Diagonal_Check.hpp>

#include <gmock/gmock.h>

// Products of bands on the matrix engine, or its emulation, however they are cut.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;

struct Bands {
  std::int64_t n;
  std::int64_t below_a, above_a;
  std::int64_t below_b, above_b;
};

/// By every cut that fits, in an instance of its own and in the default one: right, and always the same bits.
template <class Format>
void check_cuts(const std::string& what, Op op_a, const Format& A, Op op_b, const Format& B,
                const DenseProduct<double>& expected) {
  const Exec exec;
  const auto instances = Kokkos::Experimental::partition_space(exec, 1, 1);
  const Format C       = gemm(exec, op_a, A, op_b, B, {.algorithm = DiagonalAlgorithm::gather});
  const auto of_c      = Impl::diagonals_of(Op::none, C);
  const auto request   = Impl::diagonal_request(op_a, A, op_b, B, of_c, of_c, {});
  if (!request.is_band() || C.dg() == 0) return;
  const Device device  = device_of(exec);
  const auto arguments = Impl::diagonal_arguments(1.0, op_a, A, op_b, B, 0.0, C);
  std::vector<double> first;
  for (const int rows : {16, 32, 64, 128})
    for (const int groups : {1, 3, 12}) {
      if (!device.is_gpu && groups > 1) continue;
      const auto shape = Impl::diagonal_band_cut(device, request, rows, groups);
      if (shape.scratch(device.lane_width) > device.scratch) continue;
      SCOPED_TRACE(what + ", " + std::to_string(rows) + " rows, " + std::to_string(groups) + " lane groups");
      exec.fence();
      fill_nan(C.list);
      exec.fence();
      Impl::diagonal_band(instances[static_cast<std::size_t>(groups % 2)], arguments, shape);
      Kokkos::fence();
      const auto bits = to_vector(C.list);
      if (first.empty()) {
        expect_near<double>(dense_of(C), expected, what);
        first = bits;
      }
      EXPECT_TRUE(bits == first) << "other bits";
    }
  // Teams of hosts have little scratch.
  if (device.is_gpu || A.dg() + B.dg() < 40) EXPECT_FALSE(first.empty()) << what << ": no cut fits";
}

void check_bands(const Bands& bands) {
  const auto clipped = [&](std::int64_t diagonals) { return std::min(diagonals, bands.n - 1); };
  const auto banded  = [&](std::int64_t below, std::int64_t above, int seed) {
    return banded_matrix<double>(bands.n, bands.n, clipped(below), clipped(above), seed);
  };
  const auto a = banded(bands.below_a, bands.above_a, 3), b = banded(bands.below_b, bands.above_b, 4);
  const Exec exec;
  for (const auto& [op_a, op_b] : {std::pair{Op::none, Op::transpose}, std::pair{Op::transpose, Op::none}}) {
    const DenseProduct<double> expected(dense(op_a, a), dense(op_b, b));
    const std::string what =
        "n = " + std::to_string(bands.n) + ", " + std::to_string(bands.below_a + bands.above_a + 1) + " by " +
        std::to_string(bands.below_b + bands.above_b + 1) + " diagonals, op_a " + std::string(name(op_a));
    const auto A = make_crs<Matrix>(a), B = make_crs<Matrix>(b);
    check_cuts("HM " + what, op_a, to_hm(exec, A, {.fill_limit = 0}), op_b, to_hm(exec, B, {.fill_limit = 0}),
               expected);
    check_cuts("CDM " + what, op_a, to_cdm(exec, A, {.fill_limit = 0}), op_b, to_cdm(exec, B, {.fill_limit = 0}),
               expected);
  }
}

TEST(DiagonalBands, RowsAtTheEdgesOfTeams) {
  for (const std::int64_t n : {1, 2, 15, 16, 17, 33, 64, 65, 129, 200}) {
    check_bands({n, 0, 0, 0, 0});
    check_bands({n, 1, 2, 2, 1});
    check_bands({n, 5, 3, 0, 9});
  }
}

// Sixteen rows of C meet 15 columns more than C has diagonals: 31, 32 and 33, 63, 64 and 65 of them.
TEST(DiagonalBands, ColumnsAtTheEdgesOfCuts) {
  for (const std::int64_t more : {-1, 0, 1})
    for (const std::int64_t n : {90, 150}) {
      check_bands({n, 4, 4, 4, 4 + more});
      check_bands({n, 12 + more, 12, 12, 12});
    }
}

TEST(DiagonalBands, WideAndOneSided) {
  check_bands({150, 30, 30, 30, 30});
  check_bands({150, 40, 0, 0, 1});
  check_bands({150, 0, 40, 1, 0});
  check_bands({300, 0, 7, 60, 3});
}

}  // namespace
}  // namespace lacuna::Test

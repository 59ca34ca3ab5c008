// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Diagonal.hpp>

#include <diagonal/Diagonal_Check.hpp>

#include <gmock/gmock.h>

#include <array>

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

/// Bases as the device finds them in the matrices.
template <class Arguments>
struct FindBases {
  Arguments arguments;
  Impl::DiagonalBands bands;
  Kokkos::View<std::int64_t*, Exec::device_type> found;
  KOKKOS_FUNCTION void operator()(int d) const { found(d) = base_of_bands(arguments, bands, d); }
};

/// Those that the host computes are the same, packed or not.
template <class Arguments>
void check_bases(const Arguments& arguments, const Impl::DiagonalBands& bands) {
  using Bases  = Impl::DiagonalBases<Impl::DiagonalBandPolicy::few_diagonals>;
  using Packed = Impl::PackedDiagonalBases<Impl::DiagonalBandPolicy::most_diagonals>;
  if (bands.all() > Packed::most) return;
  const Kokkos::View<std::int64_t*, Exec::device_type> on_device("found", static_cast<std::size_t>(bands.all()));
  const FindBases<Arguments> find{arguments, bands, on_device};
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(0, bands.all()), find);
  const auto found  = to_vector(on_device);
  const auto packed = Impl::diagonal_bases<Packed>(arguments, bands);
  for (int d = 0; d < bands.all(); ++d) EXPECT_EQ(packed[d], found[static_cast<std::size_t>(d)] * 8) << d;
  if (bands.all() > Bases::most) return;
  const auto bases = Impl::diagonal_bases<Bases>(arguments, bands);
  for (int d = 0; d < bands.all(); ++d) EXPECT_EQ(bases[d], packed[d]) << d;
}

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
  check_bases(arguments, Impl::diagonal_band_cut(device, request, 16, 1));
  std::vector<double> first;
  for (const int rows : {16, 32, 64, 128})
    for (const int groups : {1, 3, 12}) {
      if (!device.is_gpu && groups > 1) continue;
      const auto shape = Impl::diagonal_band_cut(device, request, rows, groups);
      if (shape.scratch(device.lane_width) > device.scratch) continue;
      SCOPED_TRACE(what + ", " + std::to_string(rows) + " rows, " + std::to_string(groups) + " warps");
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
      if (shape.columns != Impl::DiagonalBandPolicy::most_columns) continue;
      using Packed = Impl::PackedDiagonalBases<Impl::DiagonalBandPolicy::most_diagonals>;
      fill_nan(C.list);
      exec.fence();
      Impl::launch_diagonal_band<48, Packed>(exec, arguments, shape);
      Kokkos::fence();
      EXPECT_TRUE(to_vector(C.list) == first) << "other bits with packed bases";
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

TEST(DiagonalBands, BasesOfRectangles) {
  const Exec exec;
  for (const auto& [rows, inner, columns] : {std::array{30, 70, 20}, std::array{70, 30, 90}, std::array{5, 5, 200}})
    for (const auto& [below, above] : {std::pair{3, 2}, std::pair{4, -2}, std::pair{-1, 4}}) {
      const auto make = [&](int m, int n, int seed) {
        return to_hm(exec, make_crs<Matrix>(banded_matrix<double>(m, n, below, above, seed)), {.fill_limit = 0});
      };
      const auto A = make(rows, inner, 3), B = make(inner, columns, 4), turned = make(columns, inner, 5);
      const auto check = [&](Op op, const auto& right) {
        const auto C       = gemm(exec, Op::none, A, op, right, {.algorithm = DiagonalAlgorithm::gather});
        const auto of_c    = Impl::diagonals_of(Op::none, C);
        const auto request = Impl::diagonal_request(Op::none, A, op, right, of_c, of_c, {});
        ASSERT_TRUE(request.is_band());
        check_bases(Impl::diagonal_arguments(1.0, Op::none, A, op, right, 0.0, C),
                    Impl::diagonal_band_cut(device_of(exec), request, 16, 1));
      };
      check(Op::none, B);
      check(Op::transpose, turned);
    }
}

// Of 40 bits and more, and below 0: subdiagonals alone begin before their list.
TEST(DiagonalBands, BasesOfAnySize) {
  Impl::PackedDiagonalBases<4> packed{};
  const std::int64_t large    = std::int64_t{1} << 46;
  const std::int64_t values[] = {-8, -large - 8, large + 16, 0xffffffff};
  for (int d = 0; d < 4; ++d) packed.set(d, values[d]);
  for (int d = 0; d < 4; ++d) EXPECT_EQ(packed[d], values[d]);
}

TEST(DiagonalBands, WideAndOneSided) {
  check_bands({150, 30, 30, 30, 30});
  check_bands({150, 40, 0, 0, 1});
  check_bands({150, 0, 40, 1, 0});
  check_bands({300, 0, 7, 60, 3});
  check_bands({260, 58, 58, 58, 58});  // more than have a word each
}

}  // namespace
}  // namespace lacuna::Test

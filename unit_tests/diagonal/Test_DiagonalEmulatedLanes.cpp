// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>

#include <diagonal/Diagonal_Check.hpp>
#include <spmm/Spmm_Check.hpp>
#include <support/Emulated_Device.hpp>
#include <support/Reference_Space.hpp>

// Kernels for lanes on an emulated device with warps of 4 and 32, where Kokkos has no GPU.

namespace lacuna::Test {
namespace {

template <class LanesType, class ScalarType>
struct DiagonalLanes {
  using Lanes  = LanesType;
  using Scalar = ScalarType;
  using Host   = ReferenceSpace;
  using Device = Host::device_type;
  using Matrix = KokkosSparse::CrsMatrix<Scalar, int, Device, void, int>;

  static std::vector<NamedMatrix<Scalar>> samples() {
    return {{"one row", banded_matrix<Scalar>(1, 1, 0, 0, 3)},
            {"tridiagonal", banded_matrix<Scalar>(333, 333, 1, 1, 3)},
            {"band", banded_matrix<Scalar>(150, 150, 9, 14, 4)},
            {"more than a team looks at at once", banded_matrix<Scalar>(300, 300, 150, 140, 5)},
            {"runs of 1, 2, 3 and 4",
             diagonal_matrix<Scalar>(300, 300, {-299, -41, -40, -2, -1, 0, 50, 51, 52, 53, 299}, 8)}};
  }

  template <class Format>
  static void check(const NamedMatrix<Scalar>& sample, const Format& A, Op op, std::int64_t columns, Storage layout,
                    const std::string& what) {
    const SpmmCase<Scalar> call{
        .columns = columns, .op = op, .alpha = Scalar(-1.5), .beta = Scalar(columns % 2), .b = layout, .c = layout};
    check_spmm<Device>(sample, call, what, [&](const auto& now, const auto& B, const auto& C) {
      const auto rows      = static_cast<std::int64_t>(C.extent(0));
      const auto depth     = static_cast<std::int64_t>(B.extent(0));
      const auto arguments = Impl::make_block_arguments<Scalar>(now.alpha, B, now.beta, C, rows, depth);
      Impl::diagonal_times_block(Lanes(), "test", Impl::walk_of(op, A), Impl::NoExactRow{}, arguments);
    });
  }
};

template <class Types>
class DiagonalEmulatedLanes : public testing::Test {};
using LaneTypes = testing::Types<DiagonalLanes<EmulatedDevice<32>, double>, DiagonalLanes<EmulatedDevice<32>, float>,
                                 DiagonalLanes<EmulatedDevice<4>, Kokkos::complex<double>>>;
TYPED_TEST_SUITE(DiagonalEmulatedLanes, LaneTypes);

TYPED_TEST(DiagonalEmulatedLanes, BlocksOfEveryLayout) {
  using Matrix = typename TypeParam::Matrix;
  const ReferenceSpace exec;
  for (const auto& sample : TypeParam::samples()) {
    const auto hm  = to_hm(exec, make_crs<Matrix>(sample.matrix), {.fill_limit = 0});
    const auto cdm = to_cdm(exec, make_crs<Matrix>(sample.matrix), {.fill_limit = 0});
    for (const Op op : {Op::none, Op::conjugate_transpose})
      for (const std::int64_t columns : {1, 4, 7, 8, 33, 132})
        for (const Storage layout : {Storage::rows, Storage::columns, Storage::even_columns, Storage::odd_rows}) {
          if (columns > 8 && (sample.matrix.nonzeros() > 5000 || is_complex<typename TypeParam::Scalar>)) continue;
          TypeParam::check(sample, hm, op, columns, layout, "HM");
          TypeParam::check(sample, cdm, op, columns, layout, "CDM");
        }
  }
}

TYPED_TEST(DiagonalEmulatedLanes, RectangularBlocks) {
  using Scalar = typename TypeParam::Scalar;
  using Matrix = typename TypeParam::Matrix;
  for (const auto& [m, n] : {std::pair{60, 143}, std::pair{143, 60}}) {
    const NamedMatrix<Scalar> sample{"rectangular", diagonal_matrix<Scalar>(m, n, {-59, -2, -1, 0, 7, 8, 58}, 3)};
    const auto hm = to_hm(ReferenceSpace(), make_crs<Matrix>(sample.matrix));
    for (const Op op : {Op::none, Op::transpose})
      for (const std::int64_t columns : {1, 12})
        for (const Storage layout : {Storage::rows, Storage::columns, Storage::even_columns})
          TypeParam::check(sample, hm, op, columns, layout, "HM");
  }
}

// Where there are rows for all processors, a team takes tiles of columns one after the other: with all diagonals in
// scratch, and with some of them at a time.
TYPED_TEST(DiagonalEmulatedLanes, TilesOneAfterTheOther) {
  using Scalar = typename TypeParam::Scalar;
  using Matrix = typename TypeParam::Matrix;
  if (is_complex<Scalar>) return;
  const auto check = [](const NamedMatrix<Scalar>& sample, std::int64_t columns, Storage layout) {
    const auto hm = to_hm(ReferenceSpace(), make_crs<Matrix>(sample.matrix), {.fill_limit = 0});
    TypeParam::check(sample, hm, Op::none, columns, layout, "HM");
  };
  const NamedMatrix<Scalar> few{"few", diagonal_matrix<Scalar>(2304, 2304, {-300, -1, 0, 1, 300}, 3)};
  const NamedMatrix<Scalar> many{"many", banded_matrix<Scalar>(2304, 2304, 17, 25, 3)};
  check(few, 68, Storage::rows);
  check(many, 68, Storage::rows);
  const NamedMatrix<Scalar> tall{"tall", diagonal_matrix<Scalar>(17408, 17408, {-300, -1, 0, 1, 300}, 3)};
  const NamedMatrix<Scalar> band{"band", banded_matrix<Scalar>(17408, 17408, 8, 8, 3)};
  check(tall, 20, Storage::even_columns);
  check(band, 20, Storage::even_columns);
}

/// Strips of 1, 2 and 4 rows a lane, by one team and by three, A's diagonals at once and in passes.
template <class Types, class Format>
void check_strips(const Format& A, const Format& B, const DenseProduct<typename Types::Scalar>& expected) {
  using Scalar = typename Types::Scalar;
  const ReferenceSpace exec;
  const Format C       = gemm(exec, Op::none, A, Op::transpose, B);
  const auto arguments = Impl::diagonal_arguments(Scalar(1), Op::none, A, Op::transpose, B, Scalar(0), C);
  for (const int each : Impl::DiagonalStripsPolicy::rows_per_lane)
    for (const int splits : {1, 3})
      for (const std::int64_t passes : {1, 2, 5, 30}) {
        Impl::DiagonalStripsShape shape;
        shape.rows_per_lane = each;
        shape.rows          = each * ExecutionTraits<typename Types::Lanes>::lane_width;
        shape.splits        = splits;
        shape.threads       = 64;
        shape.of_pass       = Impl::ceiling_quotient(A.dg(), passes);
        shape.passes        = Impl::ceiling_quotient(A.dg(), shape.of_pass);
        shape.near_a        = shape.of_pass;
        shape.scratch       = static_cast<std::size_t>(shape.rows * shape.near_a) * sizeof(Scalar) +
                        static_cast<std::size_t>(shape.of_pass + B.dg()) * 8 + 512;
        Impl::MemoryBudget budget("gemm");
        Impl::DiagonalStripsStorage<Kokkos::HostSpace> storage;
        storage.build(exec, shape, arguments, budget);
        fill_nan(C.list);
        storage.multiply(typename Types::Lanes(), arguments);
        expect_near<Scalar>(dense_of(C), expected,
                            std::to_string(each) + " rows a lane, " + std::to_string(splits) + " teams, " +
                                std::to_string(passes) + " passes");
      }
}

TYPED_TEST(DiagonalEmulatedLanes, ProductsByStrips) {
  using Scalar = typename TypeParam::Scalar;
  using Matrix = typename TypeParam::Matrix;
  const ReferenceSpace exec;
  const auto a = diagonal_matrix<Scalar>(200, 200, random_offsets(200, 200, 21, 5), 6);
  const auto b = diagonal_matrix<Scalar>(200, 200, random_offsets(200, 200, 17, 7), 8);
  const DenseProduct<Scalar> expected(dense(Op::none, a), dense(Op::transpose, b));
  const auto A = make_crs<Matrix>(a), B = make_crs<Matrix>(b);
  check_strips<TypeParam>(to_hm(exec, A), to_hm(exec, B), expected);
  check_strips<TypeParam>(to_cdm(exec, A), to_cdm(exec, B), expected);
}

/// Windows of every compiled width, transposed so that CDM goes by columns.
template <class Types, class Format>
void check_window(const Format& A, const Format& B, std::int64_t first_a, std::int64_t first_b,
                  const DenseProduct<typename Types::Scalar>& expected, const std::string& what) {
  using Scalar         = typename Types::Scalar;
  const Format C       = gemm(ReferenceSpace(), Op::none, A, Op::transpose, B);
  const auto arguments = Impl::diagonal_arguments(Scalar(1), Op::none, A, Op::transpose, B, Scalar(0), C);
  fill_nan(C.list);
  Impl::diagonal_window(typename Types::Lanes(), arguments,
                        {{first_a, first_b, static_cast<int>(A.dg()), static_cast<int>(B.dg())}});
  expect_near<Scalar>(dense_of(C), expected, what);
}

TYPED_TEST(DiagonalEmulatedLanes, ProductsByWindows) {
  using Scalar = typename TypeParam::Scalar;
  using Matrix = typename TypeParam::Matrix;
  const ReferenceSpace exec;
  for (const auto& [below, above] : {std::pair{0, 0}, std::pair{2, 3}, std::pair{3, 3}, std::pair{11, 0},
                                     std::pair{6, 6}, std::pair{9, 8}, std::pair{9, 9}, std::pair{12, 11}})
    for (const std::int64_t n : {1, 127, 128, 129, 300}) {
      if (below + above > 12 && n < 128) continue;
      const auto a = banded_matrix<Scalar>(n, n, 3, 4, 6), b = banded_matrix<Scalar>(n, n, below, above, 8);
      const DenseProduct<Scalar> expected(dense(Op::none, a), dense(Op::transpose, b));
      const auto A = make_crs<Matrix>(a), B = make_crs<Matrix>(b);
      const std::int64_t first_a = n > 1 ? -3 : 0, first_b = n > 1 ? -above : 0;
      const std::string what =
          "n = " + std::to_string(n) + ", " + std::to_string(below) + " below, " + std::to_string(above) + " above";
      check_window<TypeParam>(to_hm(exec, A, {.fill_limit = 0}), to_hm(exec, B, {.fill_limit = 0}), first_a, first_b,
                              expected, "HM " + what);
      check_window<TypeParam>(to_cdm(exec, A, {.fill_limit = 0}), to_cdm(exec, B, {.fill_limit = 0}), first_a, first_b,
                              expected, "CDM " + what);
    }
}

}  // namespace
}  // namespace lacuna::Test

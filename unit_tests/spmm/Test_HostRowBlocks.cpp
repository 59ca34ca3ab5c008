// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/rows/Lacuna_HostRowsLaunch.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRepack.hpp>

#include <spmm/Spmm_Check.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// \brief Hosts where C stands in columns: blocks of rows, and B copied to rows.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultHostExecutionSpace;
using Device = Exec::device_type;

constexpr auto height = Impl::RowsPolicy::host_block_rows;

/// Rows of 0 to 12 nonzeros.
template <class Scalar>
NamedMatrix<Scalar> matrix_of(std::int64_t rows, std::int64_t columns) {
  Random random(5);
  std::vector<std::vector<std::int64_t>> entries;
  for (std::int64_t row = 0; row < rows; ++row) entries.push_back(random.distinct(row * 7 % 13, columns));
  return {std::to_string(rows) + " rows", from_rows<Scalar>(columns, entries)};
}

template <class Scalar>
void check(const NamedMatrix<Scalar>& sample, const SpmmCase<Scalar>& call) {
  using Matrix = KokkosSparse::CrsMatrix<Scalar, int, Device, void, int>;
  const auto A = make_crs<Matrix>(sample.matrix);
  check_spmm<Device>(sample, call, "host", [&](const SpmmCase<Scalar>& now, const auto& b, const auto& c) {
    const auto arrays = Impl::arrays_of(A);
    Impl::host_rows(Exec(), arrays,
                    Impl::make_block_arguments<Scalar>(now.alpha, b, now.beta, c, arrays.rows, arrays.columns));
  });
}

template <class Scalar>
void check_all(const std::vector<std::int64_t>& columns) {
  using Number = Arithmetic<Scalar>;
  for (const std::int64_t rows : {std::int64_t{1}, height - 1, height, height + 1, 5 * height + 3}) {
    const auto sample = matrix_of<Scalar>(rows, 90);
    for (const std::int64_t n : columns)
      for (const Storage c : {Storage::columns, Storage::long_columns, Storage::spread})
        for (const Storage b : {Storage::rows, Storage::odd_rows, Storage::columns, Storage::spread})
          for (const double beta : {0.0, -0.5})
            check<Scalar>(sample, {.columns = n, .alpha = Number(2), .beta = Number(beta), .b = b, .c = c});
  }
}

TEST(HostRowBlocks, EdgesOfBlocksTilesAndVectors) { check_all<double>({2, 3, 8, 9, 33, 131}); }
TEST(HostRowBlocks, Float) { check_all<float>({5, 16, 129}); }
TEST(HostRowBlocks, Complex) { check_all<Kokkos::complex<double>>({4, 9}); }
TEST(HostRowBlocks, Half) { check_all<Kokkos::Experimental::half_t>({8, 19}); }

/// Where a block of rows begins does not depend on where C does, and columns of C are the same bits as rows of it.
TEST(HostRowBlocks, TheSameBitsWhereverCStands) {
  using Matrix     = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
  const auto A     = make_crs<Matrix>(matrix_of<double>(301, 90).matrix);
  constexpr auto n = 19;
  const TestBlock<double, Device> B(Storage::columns, 90, n, random_vector<double>(90 * n));
  const auto old     = random_vector<double>(301 * n, 17);
  const auto product = [&](Storage storage, int shares_of) {
    const TestBlock<double, Device> C(storage, 301, n, old);
    const auto arrays    = Impl::arrays_of(A);
    const auto arguments = Impl::make_block_arguments<double>(0.3, B.view, 0.7, C.view, arrays.rows, arrays.columns);
    using Blocks         = Impl::HostRowBlocks<Impl::CrsArraysOf<Matrix>, double, false>;
    for (int item = 0; item < shares_of; ++item) Blocks{arrays, arguments, shares_of, false}(item);
    return to_row_major(C.view);
  };
  const auto expected = product(Storage::columns, 1);
  for (const Storage storage : {Storage::columns, Storage::long_columns, Storage::even_columns, Storage::spread})
    for (const int shares : {1, 2, 7}) EXPECT_EQ(product(storage, shares), expected) << name(storage) << ' ' << shares;
}

TEST(HostRepack, RowsOfAnyBlock) {
  for (const std::int64_t rows : {1, 7, 8, 63, 64, 65, 200})
    for (const std::int64_t columns : {1, 3, 4, 8, 9, 33, 130})
      for (const Storage storage : {Storage::columns, Storage::long_columns, Storage::spread}) {
        const auto values = random_vector<double>(rows * columns);
        const TestBlock<double, Device> B(storage, rows, columns, values, not_a_number<double>());
        const std::int64_t row = Impl::packed_row(columns, sizeof(double));
        const Kokkos::View<double*, Device> to("to", rows * row);
        Kokkos::deep_copy(to, not_a_number<double>());
        auto from = Impl::dense_block<const double>(B.view);
        Impl::repack(Exec(), from, to.data());
        Kokkos::fence();
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < row; ++j)
            ASSERT_EQ(to(i * row + j), j < columns ? values[static_cast<std::size_t>(i * columns + j)] : 0)
                << name(storage) << ' ' << i << ' ' << j;
      }
}

}  // namespace
}  // namespace lacuna::Test

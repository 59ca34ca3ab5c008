// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>

#include <spmm/Spmm_Check.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief Products of a matrix that is in GCOO already: from CSR and from a dense matrix, without CSR between.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using testing::HasSubstr;

template <class Scalar, class Ordinal, class Offset>
void check_products() {
  using Matrix                        = KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, void, Offset>;
  const NamedMatrix<Scalar> samples[] = {{"uneven", uneven_matrix<Scalar>(45, 60, 40)},
                                         {"messy", shuffled(with_duplicates(uneven_matrix<Scalar>(37, 50, 20)))},
                                         {"banded", banded_matrix<Scalar>(33, 33, 2, 1)}};
  for (const auto& sample : samples) {
    const auto A = make_crs<Matrix>(sample.matrix);
    for (const std::int64_t p : {1, 2, 3, 4, 7, 8, 16, 32}) {
      const auto gcoo = to_gcoo(A, {.group_size = p});
      for (const std::int64_t columns : {1, 33, 130})
        for (const Storage storage : storages) {
          if (p != 4 && storage != Storage::rows && storage != Storage::spread) continue;
          SpmmCase<Scalar> call{.columns = columns, .b = storage, .c = storage};
          if (p % 2 == 0) call.alpha = Arithmetic<Scalar>(2), call.beta = Arithmetic<Scalar>(-0.5);
          check_spmm<Device>(
              sample, call, "p " + std::to_string(p),
              [&](const auto& one, const auto& B, const auto& C) { spmm(Exec(), one.alpha, gcoo, B, one.beta, C); });
        }
    }
  }
}

TEST(SpmmGcooMatrix, Float) { check_products<float, int, int>(); }
TEST(SpmmGcooMatrix, DoubleIntSize) { check_products<double, int, std::size_t>(); }
TEST(SpmmGcooMatrix, ComplexDoubleInt64) { check_products<Kokkos::complex<double>, std::int64_t, std::int64_t>(); }

/// Dense to GCOO to product: what the paper times.
TEST(SpmmGcooMatrix, FromADenseMatrix) {
  const NamedMatrix<float> sample{"uneven", uneven_matrix<float>(45, 60, 40)};
  for (const Storage storage : storages) {
    std::vector<float> elements(45 * 60, 0.0f);
    for (std::size_t row = 0; row < 45; ++row)
      for (auto k = sample.matrix.row_map[row]; k < sample.matrix.row_map[row + 1]; ++k)
        elements[row * 60 + static_cast<std::size_t>(sample.matrix.entries[static_cast<std::size_t>(k)])] =
            sample.matrix.values[static_cast<std::size_t>(k)];
    const TestBlock<float, Device> dense(storage, 45, 60, elements);
    for (const std::int64_t p : {2, 4, 8, 16, 32}) {
      const auto gcoo = to_gcoo(Exec(), dense.view, {.group_size = p});
      EXPECT_EQ(gcoo.source.extent(0), 0u) << "no CSR matrix was there";
      // Table I of the paper: 3 nnz + 2 ceil(n / p) words.
      const auto nonzeros = static_cast<std::size_t>(sample.matrix.nonzeros());
      EXPECT_EQ(gcoo.bytes(), 4 * (3 * nonzeros + 2 * static_cast<std::size_t>((45 + p - 1) / p)));
      check_spmm<Device>(sample, SpmmCase<float>{.columns = 65, .alpha = 3}, "dense, p " + std::to_string(p),
                         [&](const auto& one, const auto& B, const auto& C) { spmm(one.alpha, gcoo, B, one.beta, C); });
    }
  }
}

/// New values in the arrays of A count at once, and beta alone scales where there is no product.
TEST(SpmmGcooMatrix, ReadsAAsItStands) {
  const auto host = uneven_matrix<float>(20, 30, 9);
  const auto gcoo = to_gcoo(make_crs<KokkosSparse::CrsMatrix<float, int, Device, void, int>>(host), {.group_size = 4});
  const Kokkos::View<float**, Device> B("B", 30, 3), C("C", 20, 3);
  Kokkos::deep_copy(B, 1.0f);
  spmm(1, gcoo, B, 0, C);
  const auto before = to_row_major(C);
  const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gcoo.values);
  for (std::size_t k = 0; k < values.extent(0); ++k) values(k) *= 2;
  Kokkos::deep_copy(gcoo.values, values);
  spmm(1, gcoo, B, 0, C);
  const auto after = to_row_major(C);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i], 2 * before[i]);
  Kokkos::deep_copy(B, std::numeric_limits<float>::quiet_NaN());
  spmm(0, gcoo, B, 0.5, C);
  const auto scaled = to_row_major(C);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(scaled[i], before[i]);
}

TEST(SpmmGcooMatrix, ErrorsComeBeforeWork) {
  using Matrix = KokkosSparse::CrsMatrix<float, int, Device, void, int>;
  const auto A = make_crs<Matrix>(banded_matrix<float>(40, 40, 2, 1));
  const Kokkos::View<float**, Device> B("B", 40, 3), C("C", 40, 3), narrow("narrow", 39, 3);
  Kokkos::deep_copy(C, 7.0f);
  const auto by_columns = to_gcoo(A, {.group_size = 4, .grouping = GcooGrouping::columns});
  EXPECT_THAT(error_of<NotSupported>([&] { spmm(1, by_columns, B, 0, C); }), HasSubstr("groups of columns"));
  EXPECT_THAT(error_of<NotSupported>([&] { spmm(1, to_gcoo(A, {.group_size = 33}), B, 0, C); }),
              HasSubstr("groups of 33 rows, products take at most 32"));
  const auto gcoo = to_gcoo(A, {.group_size = 4});
  EXPECT_THROW(spmm(1, gcoo, narrow, 0, C), DimensionMismatch);
  EXPECT_THROW(spmm(1, gcoo, B, 0, B), InvalidArgument);
  auto broken        = gcoo;
  broken.nnzPerGroup = Kokkos::subview(gcoo.nnzPerGroup, std::pair(std::size_t{0}, std::size_t{9}));
  EXPECT_THAT(error_of<InvalidMatrix>([&] { spmm(1, broken, B, 0, C); }), HasSubstr("9 nnzPerGroup"));
  for (const float element : to_row_major(C)) EXPECT_EQ(element, 7.0f);
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>
#include <Lacuna_Spmv.hpp>
#include <formats/impl/vector_slices/Lacuna_UpdateVectorSlices.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

/// \file
/// \brief Slices of 16 rows for the vector registers of a host: what is stored, and products of them.

namespace lacuna::Test {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

template <class Scalar, class Ordinal = int, class Offset = int>
using Crs = KokkosSparse::CrsMatrix<Scalar, Ordinal, Exec::device_type, void, Offset>;

/// Rows of columns, in the order given; values tell the places apart.
template <class Matrix>
Matrix matrix_of(std::int64_t columns, const std::vector<std::vector<std::int64_t>>& rows) {
  using Ordinal        = typename Matrix::non_const_ordinal_type;
  using Offset         = typename Matrix::non_const_size_type;
  std::size_t nonzeros = 0;
  for (const auto& row : rows) nonzeros += row.size();
  typename Matrix::row_map_type::non_const_type row_map("row_map", rows.size() + 1);
  typename Matrix::index_type::non_const_type entries("entries", nonzeros);
  typename Matrix::values_type::non_const_type values("values", nonzeros);
  std::size_t k = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const std::int64_t column : rows[r]) {
      entries(k) = static_cast<Ordinal>(column);
      values(k)  = static_cast<typename Matrix::value_type>(1 + static_cast<double>(k % 23) / 8);
      ++k;
    }
    row_map(r + 1) = static_cast<Offset>(k);
  }
  return Matrix("A", static_cast<Ordinal>(rows.size()), static_cast<Ordinal>(columns), static_cast<Offset>(nonzeros),
                values, row_map, entries);
}

/// Rows of random lengths up to `most`, columns up to `reach` from the diagonal.
std::vector<std::vector<std::int64_t>> random_rows(std::int64_t rows, std::int64_t columns, int most,
                                                   std::int64_t reach, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<std::int64_t>> result(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r) {
    const int length = static_cast<int>(random() % static_cast<unsigned>(most + 1));
    std::set<std::int64_t> row;
    for (int k = 0; k < length; ++k) {
      const std::int64_t column =
          r - reach + static_cast<std::int64_t>(random() % (2 * static_cast<std::uint64_t>(reach) + 1));
      row.insert(std::min(std::max<std::int64_t>(column, 0), columns - 1));
    }
    result[static_cast<std::size_t>(r)].assign(row.begin(), row.end());
  }
  return result;
}

/// alpha A x + beta y against sums in double, row by row; y is NaN before where beta is 0.
template <class Matrix>
void expect_product(const Matrix& A, const std::string& what, int stride = 1) {
  using Scalar = typename Matrix::non_const_value_type;
  const Exec exec;
  const auto n = static_cast<std::size_t>(A.numCols()), m = static_cast<std::size_t>(A.numRows());
  Kokkos::View<Scalar**, Kokkos::LayoutRight, Exec> xs("x", n, static_cast<std::size_t>(stride));
  const auto x = Kokkos::subview(xs, Kokkos::ALL(), 0);
  for (std::size_t i = 0; i < n; ++i) x(i) = static_cast<Scalar>(static_cast<double>(i * 7919 % 17) / 8 - 1);
  SpmvPlan plan(exec, A, {.algorithm = SpmvAlgorithm::vector_slices});
  ASSERT_EQ(plan.algorithm(), SpmvAlgorithm::vector_slices) << what;
  for (const Scalar beta : {Scalar(0), Scalar(2)}) {
    Kokkos::View<Scalar*, Exec> y("y", m);
    Kokkos::deep_copy(y, beta == Scalar(0) ? std::numeric_limits<Scalar>::quiet_NaN() : Scalar(3));
    spmv(exec, plan, Scalar(0.5), x, beta, y);
    exec.fence();
    for (std::size_t r = 0; r < m; ++r) {
      double sum = 0, size = 0;
      const auto begin = static_cast<std::size_t>(A.graph.row_map(r)),
                 end   = static_cast<std::size_t>(A.graph.row_map(r + 1));
      for (std::size_t k = begin; k < end; ++k) {
        const double product = static_cast<double>(A.values(k)) * static_cast<double>(x(A.graph.entries(k)));
        sum += product;
        size += std::abs(product);
      }
      const double wanted = 0.5 * sum + static_cast<double>(beta) * 3;
      const double bound  = static_cast<double>(end - begin + 4) * std::numeric_limits<Scalar>::epsilon() *
                           (size + static_cast<double>(beta) * 3);
      EXPECT_LE(std::abs(static_cast<double>(y(r)) - wanted), bound) << what << ", row " << r;
    }
  }
}

template <class Matrix>
auto slices_of(const Matrix& A, bool looks_for_diagonals = true) {
  using Format      = Impl::FormatOf<Impl::VectorSlices, Matrix>;
  const auto arrays = Impl::arrays_of(A);
  const Exec exec;
  const auto layout = Impl::vector_slices_layout<Format>(exec, arrays, looks_for_diagonals);
  auto format       = Impl::fill_vector_slices(exec, arrays, layout);
  exec.fence();
  EXPECT_EQ(format.bytes(), layout.bytes_to_allocate() + Impl::vector_slices_count_bytes<Format>(format.rows));
  return format;
}

/// 11 of 16 rows make a diagonal, 10 do not; it must lie within the columns for all 16.
TEST(VectorSlices, DiagonalsAreFound) {
  for (const int count : {10, 11, 16}) {
    std::vector<std::vector<std::int64_t>> rows(16);
    for (int r = 0; r < count; ++r) rows[static_cast<std::size_t>(r)] = {r + 3};
    const auto found = slices_of(matrix_of<Crs<double>>(19, rows));
    EXPECT_EQ(found.slices(0).diagonals, count >= 11 ? 1 : 0) << count;
    EXPECT_EQ(found.steps.extent(0), 1u);
    EXPECT_EQ(found.steps(0).rows, (1u << count) - 1);
    EXPECT_EQ(found.steps(0).base, 3);
    EXPECT_EQ(found.narrow.extent(0), count >= 11 ? 0u : 16u);
    for (int r = 0; r < 16; ++r) EXPECT_EQ(found.values(static_cast<std::size_t>(r)) != 0, r < count);
    EXPECT_EQ(slices_of(matrix_of<Crs<double>>(18, rows)).slices(0).diagonals, 0) << "would read x behind its end";
  }
}

TEST(VectorSlices, ShortLastSliceHasNoDiagonals) {
  std::vector<std::vector<std::int64_t>> rows(15);
  for (int r = 0; r < 15; ++r) rows[static_cast<std::size_t>(r)] = {r};
  const auto found = slices_of(matrix_of<Crs<double>>(100, rows));
  EXPECT_EQ(found.slices(0).diagonals, 0);
  EXPECT_EQ(found.steps(0).rows, 0x7fff);
}

/// Columns 65535 apart fit 16 bits, 65536 do not.
TEST(VectorSlices, FarColumnsAreWide) {
  for (const std::int64_t far : {65535, 65536}) {
    std::vector<std::vector<std::int64_t>> rows(16);
    for (int r = 0; r < 16; ++r) rows[static_cast<std::size_t>(r)] = {r % 2 == 0 ? 5 : 5 + far};
    const auto A     = matrix_of<Crs<float>>(70000, rows);
    const auto found = slices_of(A);
    EXPECT_EQ(found.slices(0).is_wide, far == 65536);
    EXPECT_EQ(found.wide.extent(0), far == 65536 ? 16u : 0u);
    expect_product(A, "columns " + std::to_string(far) + " apart");
    // Far within the slice, near within each step: a base a step suffices.
    for (auto& row : rows) row = {7, 7 + far};
    const auto steps = slices_of(matrix_of<Crs<float>>(70000, rows));
    EXPECT_FALSE(steps.slices(0).is_wide);
    EXPECT_EQ(steps.steps(1).base, far == 65536 ? 7 + far : 7);
    expect_product(matrix_of<Crs<float>>(70000, rows), "steps " + std::to_string(far) + " apart");
  }
}

TEST(VectorSlices, UnevenWindowsAreSorted) {
  std::vector<std::vector<std::int64_t>> rows(600);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::int64_t k = 0; k < (r % 16 == 0 ? 20 : 2); ++k)
      rows[r].push_back((static_cast<std::int64_t>(r) + 13 * k) % 600);
  const auto A     = matrix_of<Crs<double>>(600, rows);
  const auto found = slices_of(A);
  EXPECT_TRUE(found.slices(0).is_sorted);
  EXPECT_EQ(found.steps.extent(0), 2 * (20u + 15 * 2) + 20u + 2u * 5) << "long rows stand together";
  std::set<int> places;
  for (std::size_t slot = 0; slot < 256; ++slot) places.insert(found.order(slot));
  EXPECT_EQ(places.size(), 256u);
  expect_product(A, "one row of 16 is long");
}

TEST(VectorSlices, ProductsAtEdgeSizes) {
  for (const std::int64_t rows : {0, 1, 15, 16, 17, 255, 256, 257, 511, 513, 1000})
    for (const std::int64_t columns : {1, 16, 300, 1100}) {
      const std::string what = std::to_string(rows) + " x " + std::to_string(columns);
      expect_product(matrix_of<Crs<double>>(columns, random_rows(rows, columns, 9, 20, 1)), what);
      expect_product(matrix_of<Crs<float, std::int64_t, std::size_t>>(columns, random_rows(rows, columns, 3, 900, 2)),
                     what);
      expect_product(matrix_of<Crs<double, int, std::size_t>>(columns, random_rows(rows, columns, 0, 1, 3)),
                     what + ", empty");
    }
}

TEST(VectorSlices, ProductsOfMeshes) {
  const Exec exec;
  for (const char* spec : {"mesh27:n=9", "mesh27:n=6,b=3", "mesh7:n=11", "mesh5:n=40", "banded:n=1000,half=7",
                           "random:rows=700,per_row=12", "power:rows=900,nnz=5000,longest=400"}) {
    expect_product(generate<Crs<double>>(exec, spec), spec);
    expect_product(generate<Crs<float>>(exec, spec), spec, 3);
  }
}

/// Unsorted rows and repeated columns lose diagonals, never entries.
TEST(VectorSlices, UnsortedRowsAndRepeatedColumns) {
  std::vector<std::vector<std::int64_t>> rows(64);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = static_cast<std::int64_t>(r);
    rows[r]        = {row + 30, row, row + 10, row, row + 5};
  }
  expect_product(matrix_of<Crs<double>>(100, rows), "unsorted");
}

/// NaN and Inf in x reach the rows that use them and no others.
TEST(VectorSlices, NanReachesOnlyRowsThatUseIt) {
  std::vector<std::vector<std::int64_t>> rows(40);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = static_cast<std::int64_t>(r);
    if (r % 7 != 0) rows[r].push_back(row);                // on a diagonal with gaps
    if (r % 3 == 0) rows[r].push_back(60 + row * 5 % 17);  // elsewhere, with gaps
  }
  const auto A = matrix_of<Crs<double>>(80, rows);
  const Exec exec;
  SpmvPlan plan(exec, A, {.algorithm = SpmvAlgorithm::vector_slices});
  for (std::size_t bad = 0; bad < 80; ++bad) {
    Kokkos::View<double*, Exec> x("x", 80), y("y", 40);
    Kokkos::deep_copy(x, 1.0);
    x(bad) = bad % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    spmv(exec, plan, 1.0, x, 0.0, y);
    exec.fence();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const bool uses = std::count(rows[r].begin(), rows[r].end(), static_cast<std::int64_t>(bad)) > 0;
      EXPECT_EQ(std::isfinite(y(r)), !uses) << "row " << r << ", x(" << bad << ")";
    }
  }
}

TEST(VectorSlices, NewValues) {
  const Exec exec;
  auto A       = generate<Crs<double>>(exec, "mesh27:n=9");
  const auto B = generate<Crs<double>>(exec, "mesh27:n=9");
  SpmvPlan plan(exec, A, {.algorithm = SpmvAlgorithm::vector_slices});
  const auto values = Crs<double>::values_type::non_const_type("values", A.nnz());
  for (std::size_t k = 0; k < values.extent(0); ++k) values(k) = 2 * B.values(k);
  const Crs<double> twice("twice", A.numRows(), A.numCols(), A.nnz(), values, A.graph.row_map, A.graph.entries);
  Kokkos::View<double*, Exec> x("x", static_cast<std::size_t>(A.numCols())), once("y", x.extent(0)),
      again("y", x.extent(0));
  Kokkos::deep_copy(x, 1.25);
  spmv(exec, plan, 1.0, x, 0.0, once);
  plan.update_values(exec, twice);
  spmv(exec, plan, 1.0, x, 0.0, again);
  exec.fence();
  for (std::size_t r = 0; r < once.extent(0); ++r) EXPECT_EQ(again(r), 2 * once(r));
}

/// The slices of A with other values, written over those of A, hold what slices of A with those values hold.
void expect_new_values(const Crs<double>& A, const std::string& what) {
  using Format = Impl::FormatOf<Impl::VectorSlices, Crs<double>>;
  const Exec exec;
  const auto values = Crs<double>::values_type::non_const_type("values", A.nnz());
  for (std::size_t k = 0; k < values.extent(0); ++k) values(k) = static_cast<double>(k + 1);
  const Crs<double> B("B", A.numRows(), A.numCols(), A.nnz(), values, A.graph.row_map, A.graph.entries);
  for (const bool looks_for_diagonals : {true, false}) {
    const Format updated = slices_of(A, looks_for_diagonals), wanted = slices_of(B, looks_for_diagonals);
    Impl::update_vector_slices(exec, Impl::arrays_of(B), updated);
    exec.fence();
    ASSERT_EQ(updated.values.extent(0), wanted.values.extent(0)) << what;
    for (std::size_t i = 0; i < wanted.values.extent(0); ++i)
      ASSERT_EQ(updated.values(i), wanted.values(i)) << what << ", value " << i;
  }
}

TEST(VectorSlices, NewValuesAreWhereNewSlicesHaveThem) {
  const Exec exec;
  for (const char* spec : {"mesh27:n=9", "mesh27:n=6,b=3", "mesh7:n=11", "mesh5:n=40", "banded:n=1000,half=7",
                           "random:rows=700,per_row=12", "power:rows=900,nnz=5000,longest=400"})
    expect_new_values(generate<Crs<double>>(exec, spec), spec);
  // A diagonal whose column comes twice in each row, in some rows, and only in rows that are not sorted.
  std::vector<std::vector<std::int64_t>> twice(64), some(64), unsorted(64);
  for (std::size_t r = 0; r < twice.size(); ++r) {
    const auto row = static_cast<std::int64_t>(r);
    twice[r]       = {row, row, row + 5, row + 10, row + 30};
    some[r]        = {row, row + 5};
    if (r % 5 == 0) some[r].insert(some[r].begin(), row);
    unsorted[r] = r % 16 == 3 ? std::vector<std::int64_t>{row + 30, row, row + 10, row}
                              : std::vector<std::int64_t>{row, row + 5 + row % 3, row + 30};
  }
  expect_new_values(matrix_of<Crs<double>>(100, twice), "twice");
  expect_new_values(matrix_of<Crs<double>>(100, some), "some twice");
  expect_new_values(matrix_of<Crs<double>>(100, unsorted), "unsorted");
}

TEST(VectorSlices, AutomaticTakesThemOnMeshes) {
  const Exec exec;
  const auto A = generate<Crs<double>>(exec, "mesh27:n=24");  // of mesh7, rows of CSR are as fast without AVX
  const SpmvPlan plan(exec, A, {.expected_calls = 100000});
  EXPECT_EQ(plan.algorithm(), SpmvAlgorithm::vector_slices) << plan.report();
  EXPECT_THAT(plan.report(), testing::HasSubstr("on diagonals"));
  const SpmvPlan unsaid(exec, A), must_read(exec, A, {.expected_calls = 100000, .reads_values_of_A = true});
  EXPECT_EQ(unsaid.algorithm(), SpmvAlgorithm::nonzero_split) << unsaid.report();
  EXPECT_EQ(must_read.algorithm(), SpmvAlgorithm::nonzero_split) << must_read.report();
  const SpmvPlan once(exec, A, {.expected_calls = 1});
  EXPECT_EQ(once.algorithm(), SpmvAlgorithm::nonzero_split);
}

}  // namespace
}  // namespace lacuna::Test

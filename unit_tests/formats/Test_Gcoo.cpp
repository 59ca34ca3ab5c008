// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <formats/Test_Conversions.hpp>
#include <formats/Test_Defects.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace lacuna;
using namespace lacuna::Test;
using testing::ElementsAre;
using testing::HasSubstr;

using Device = DefaultSpace::device_type;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;

/// The example of the paper, sections II-C and III-A: [7 0 0 8; 0 10 0 0; 9 0 0 0; 0 0 6 3].
HostMatrix<double> published_matrix() {
  HostMatrix<double> A;
  A.rows = A.columns = 4;
  A.row_map          = {0, 2, 3, 4, 6};
  A.entries          = {0, 3, 1, 0, 2, 3};
  A.values           = {7, 8, 10, 9, 6, 3};
  return A;
}

/// The same as a dense block in either layout.
template <class Layout>
Kokkos::View<double**, Layout, Device> dense_of(const HostMatrix<double>& A) {
  const Kokkos::View<double**, Layout, Device> dense("dense", static_cast<std::size_t>(A.rows),
                                                     static_cast<std::size_t>(A.columns));
  const auto host = Kokkos::create_mirror_view(dense);
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i)
    for (auto k = static_cast<std::size_t>(A.row_map[i]); k < static_cast<std::size_t>(A.row_map[i + 1]); ++k)
      host(i, static_cast<std::size_t>(A.entries[k])) = A.values[k];
  Kokkos::deep_copy(dense, host);
  return dense;
}

template <class Gcoo>
void expect_published_columns(const Gcoo& gcoo) {
  EXPECT_THAT(to_vector(gcoo.values), ElementsAre(7, 10, 9, 8, 6, 3));
  EXPECT_THAT(to_vector(gcoo.rows), ElementsAre(0, 1, 2, 0, 3, 3));
  EXPECT_THAT(to_vector(gcoo.cols), ElementsAre(0, 1, 0, 3, 2, 3));
  EXPECT_THAT(to_vector(gcoo.gIdxes), ElementsAre(0, 3));
  EXPECT_THAT(to_vector(gcoo.nnzPerGroup), ElementsAre(3, 3));
}

template <class Gcoo>
void expect_published_rows(const Gcoo& gcoo) {
  EXPECT_THAT(to_vector(gcoo.values), ElementsAre(7, 10, 8, 9, 6, 3));
  EXPECT_THAT(to_vector(gcoo.rows), ElementsAre(0, 1, 0, 2, 3, 3));
  EXPECT_THAT(to_vector(gcoo.cols), ElementsAre(0, 1, 3, 0, 2, 3));
  EXPECT_THAT(to_vector(gcoo.gIdxes), ElementsAre(0, 3));
  EXPECT_THAT(to_vector(gcoo.nnzPerGroup), ElementsAre(3, 3));
}

constexpr GcooOptions pairs_of_columns{.group_size = 2, .grouping = GcooGrouping::columns};
constexpr GcooOptions pairs_of_rows{.group_size = 2, .grouping = GcooGrouping::rows};

TEST(Gcoo, ThePublishedArrays) {
  const auto A = make_crs<Matrix>(published_matrix());
  expect_published_columns(to_gcoo(A, pairs_of_columns));
  expect_published_rows(to_gcoo(A, pairs_of_rows));
  const auto unsorted = make_crs<Matrix>(shuffled(published_matrix()));
  expect_published_columns(to_gcoo(unsorted, pairs_of_columns));
  expect_published_rows(to_gcoo(unsorted, pairs_of_rows));
}

TEST(Gcoo, ThePublishedArraysOfADenseMatrix) {
  const auto right = dense_of<Kokkos::LayoutRight>(published_matrix());
  const auto left  = dense_of<Kokkos::LayoutLeft>(published_matrix());
  expect_published_columns(to_gcoo(right, pairs_of_columns));
  expect_published_columns(to_gcoo(left, pairs_of_columns));
  expect_published_rows(to_gcoo(right, pairs_of_rows));
  expect_published_rows(to_gcoo<std::int64_t, std::size_t>(left, pairs_of_rows));
}

/// Elements in the order that the docs give, worked out serially.
template <class Scalar>
std::vector<std::tuple<std::int64_t, std::int64_t, Scalar>> in_order(const HostMatrix<Scalar>& A,
                                                                     const GcooOptions& options) {
  std::vector<std::tuple<std::int64_t, std::int64_t, Scalar>> elements;
  for (std::int64_t i = 0; i < A.rows; ++i)
    for (auto k = A.row_map[static_cast<std::size_t>(i)]; k < A.row_map[static_cast<std::size_t>(i) + 1]; ++k)
      elements.emplace_back(i, A.entries[static_cast<std::size_t>(k)], A.values[static_cast<std::size_t>(k)]);
  const auto key = [&](const auto& element) {
    const auto [row, column, value] = element;
    return options.grouping == GcooGrouping::rows ? std::tuple(row / options.group_size, column, row)
                                                  : std::tuple(column / options.group_size, row, column);
  };
  std::stable_sort(elements.begin(), elements.end(),
                   [&](const auto& left, const auto& right) { return key(left) < key(right); });
  return elements;
}

template <class Types>
class GcooOf : public testing::Test {};
TYPED_TEST_SUITE(GcooOf, ConversionTypes);

TYPED_TEST(GcooOf, EverySampleInItsOrder) {
  using Scalar = typename TypeParam::Scalar;
  for (const auto& samples : {sample_matrices<Scalar>(), messy_matrices<Scalar>()})
    for (const auto& sample : samples)
      for (const GcooGrouping grouping : {GcooGrouping::rows, GcooGrouping::columns})
        for (const std::int64_t size : {1, 3, 8, 100}) {
          const GcooOptions options{.group_size = size, .grouping = grouping};
          const auto gcoo =
              to_gcoo(typename TypeParam::Space(), make_crs<typename TypeParam::Matrix>(sample.matrix), options);
          std::vector<std::int64_t> rows, columns;
          std::vector<Scalar> values;
          for (const auto& [row, column, value] : in_order(sample.matrix, options)) {
            rows.push_back(row);
            columns.push_back(column);
            values.push_back(value);
          }
          const std::string what =
              sample.name + ", groups of " + std::to_string(size) + " " + std::string(name(grouping));
          expect_equal(gcoo.rows, rows, what);
          expect_equal(gcoo.cols, columns, what);
          EXPECT_EQ(to_vector(gcoo.values), values) << what;
          EXPECT_EQ(defects_of(gcoo), "valid") << what;
        }
}

TYPED_TEST(GcooOf, RoundTrips) {
  for (const GcooGrouping grouping : {GcooGrouping::rows, GcooGrouping::columns})
    for (const std::int64_t size : {1, 5})
      check_round_trips<TypeParam>(
          [=](const auto& exec, const auto& A) {
            return to_gcoo(exec, A, GcooOptions{.group_size = size, .grouping = grouping});
          },
          Order::free);
}

TYPED_TEST(GcooOf, EmptyRowMap) {
  const auto back = to_host(to_crs(to_gcoo(matrix_without_row_map<typename TypeParam::Matrix>())));
  EXPECT_EQ(back.rows, 0);
  EXPECT_EQ(back.columns, 5);
  EXPECT_EQ(back.nonzeros(), 0);
}

// Edges: of warps, of work items of 128 lines, and of groups.
TEST(Gcoo, ADenseMatrixIsWhatItsNonzerosAre) {
  for (const std::int64_t rows : {0, 1, 31, 33, 130})
    for (const std::int64_t columns : {0, 1, 127, 128, 129, 300})
      for (const auto& options : {pairs_of_rows, pairs_of_columns, GcooOptions{.group_size = 7},
                                  GcooOptions{.group_size = 1000, .grouping = GcooGrouping::columns}}) {
        const auto host     = random_matrix<double>(rows, columns, std::min<std::int64_t>(columns, 9));
        const auto expected = to_gcoo(make_crs<Matrix>(host), options);
        const auto right    = to_gcoo(dense_of<Kokkos::LayoutRight>(host), options);
        const auto left     = to_gcoo(dense_of<Kokkos::LayoutLeft>(host), options);
        for (const auto& actual : {right, left}) {
          const std::string what = std::to_string(rows) + " x " + std::to_string(columns);
          EXPECT_EQ(to_vector(actual.values), to_vector(expected.values)) << what;
          EXPECT_EQ(to_vector(actual.rows), to_vector(expected.rows)) << what;
          EXPECT_EQ(to_vector(actual.cols), to_vector(expected.cols)) << what;
          EXPECT_EQ(to_vector(actual.gIdxes), to_vector(expected.gIdxes)) << what;
          EXPECT_EQ(to_vector(actual.nnzPerGroup), to_vector(expected.nnzPerGroup)) << what;
        }
      }
}

TEST(Gcoo, TheThreshold) {
  auto host        = published_matrix();
  host.values[1]   = std::numeric_limits<double>::quiet_NaN();
  host.values[4]   = -6;
  const auto dense = dense_of<Kokkos::LayoutRight>(host);
  EXPECT_THAT(to_vector(to_gcoo(dense, {.group_size = 2, .threshold = 6}).cols), ElementsAre(0, 1, 3, 0));
  EXPECT_EQ(to_gcoo(dense, {.threshold = std::numeric_limits<double>::infinity()}).nonzeros(), 1);  // NaN
  Kokkos::deep_copy(dense, 1);
  const auto none = to_gcoo(dense, {.group_size = 2, .threshold = 1});
  EXPECT_EQ(none.nonzeros(), 0);
  EXPECT_THAT(to_vector(none.nnzPerGroup), ElementsAre(0, 0));
  EXPECT_EQ(to_crs(none).nnz(), 0);
}

TEST(Gcoo, ByCoordinates) {
  for (const auto& sample : sample_matrices<double>())
    for (const GcooGrouping grouping : {GcooGrouping::rows, GcooGrouping::columns}) {
      const GcooOptions options{.group_size = 3, .grouping = grouping};
      const auto A        = make_crs<Matrix>(sample.matrix);
      const auto expected = to_gcoo(A, options);
      const auto actual   = to_gcoo(to_coo(A), options);
      EXPECT_EQ(to_vector(actual.values), to_vector(expected.values)) << sample.name;
      EXPECT_EQ(to_vector(actual.rows), to_vector(expected.rows)) << sample.name;
      EXPECT_EQ(to_vector(actual.cols), to_vector(expected.cols)) << sample.name;
      EXPECT_EQ(to_vector(actual.gIdxes), to_vector(expected.gIdxes)) << sample.name;
      const auto back = to_coo(actual), straight = to_coo(to_crs(expected));
      EXPECT_EQ(to_vector(back.row_indices), to_vector(straight.row_indices)) << sample.name;
      EXPECT_EQ(to_vector(back.column_indices), to_vector(straight.column_indices)) << sample.name;
      EXPECT_EQ(to_vector(back.values), to_vector(straight.values)) << sample.name;
    }
  auto coo = to_coo(make_crs<Matrix>(published_matrix()));
  EXPECT_THROW(to_gcoo(coo, {.memory_limit = 100}), OutOfMemory);
  poke(coo.row_indices, 0, 3);
  EXPECT_THROW(to_gcoo(coo), InvalidMatrix);
}

// Groups of more elements than a byte of marks has bits, NaN everywhere, and what is left out at the edge of a group.
TEST(Gcoo, ADenseMatrixOfWhateverValues) {
  for (const std::int64_t size : {1, 7, 8, 9, 16, 17, 40}) {
    const Kokkos::View<float**, Kokkos::LayoutRight, Device> dense("dense", 19, 150);
    Kokkos::deep_copy(dense, std::numeric_limits<float>::quiet_NaN());
    const auto all = to_gcoo(dense, {.group_size = size, .threshold = 3});
    EXPECT_EQ(all.nonzeros(), 19 * 150);
    EXPECT_EQ(defects_of(all), "valid");
    Kokkos::deep_copy(dense, 3.0f);
    EXPECT_EQ(to_gcoo(dense, {.group_size = size, .threshold = 3}).nonzeros(), 0);
    const auto three = to_gcoo(dense, {.group_size = size});
    EXPECT_EQ(three.nonzeros(), 19 * 150);
    EXPECT_EQ(to_crs(three).nnz(), 19 * 150);
    Kokkos::deep_copy(Kokkos::subview(dense, 18, Kokkos::ALL), -0.0f);
    EXPECT_EQ(to_gcoo(dense, {.group_size = size}).nonzeros(), 18 * 150);
  }
}

TEST(Gcoo, Refusals) {
  const auto A     = make_crs<Matrix>(published_matrix());
  const auto dense = dense_of<Kokkos::LayoutRight>(published_matrix());
  EXPECT_THROW(to_gcoo(A, {.group_size = 0}), InvalidArgument);
  EXPECT_THROW(to_gcoo(dense, {.group_size = -3}), InvalidArgument);
  EXPECT_THROW(to_gcoo(dense, {.threshold = -1}), InvalidArgument);
  EXPECT_THROW(to_gcoo(dense, {.threshold = std::numeric_limits<double>::quiet_NaN()}), InvalidArgument);
  EXPECT_THROW(to_gcoo(A, {.memory_limit = 10}), OutOfMemory);
  EXPECT_THROW(to_gcoo(dense, {.memory_limit = 10}), OutOfMemory);
  EXPECT_EQ(to_gcoo(A, {.group_size = 1000}).groups(), 1);
}

TEST(Gcoo, NewValues) {
  const auto host = shuffled(published_matrix()), fresh = with_new_values(host);
  const auto A = make_crs<Matrix>(host);
  for (const auto& options : {pairs_of_rows, pairs_of_columns}) {
    const auto gcoo = to_gcoo(A, options);
    update_values(make_crs<Matrix>(fresh), gcoo);
    EXPECT_EQ(to_vector(gcoo.values), to_vector(to_gcoo(make_crs<Matrix>(fresh), options).values));
    EXPECT_THROW(update_values(make_crs<Matrix>(random_matrix<double>(4, 5, 1)), gcoo), InvalidArgument);
  }
  const auto of_dense = to_gcoo(dense_of<Kokkos::LayoutRight>(published_matrix()));
  EXPECT_THROW(update_values(A, of_dense), InvalidArgument);
}

TEST(Gcoo, Defects) {
  const auto make = [] { return to_gcoo(make_crs<Matrix>(published_matrix()), pairs_of_rows); };
  auto gcoo       = make();
  poke(gcoo.cols, 2, 4);
  EXPECT_THAT(defects_of(gcoo), HasSubstr("1 elements out of range, first at 0"));
  gcoo = make();
  poke(gcoo.rows, 0, 2);
  EXPECT_THAT(defects_of(gcoo), HasSubstr("1 elements in a wrong group"));
  gcoo = make();
  poke(gcoo.cols, 0, 3);
  EXPECT_THAT(defects_of(gcoo), HasSubstr("1 elements out of order"));
  gcoo = make();
  poke(gcoo.nnzPerGroup, 1, 2);
  EXPECT_THAT(defects_of(gcoo), HasSubstr("1 groups that do not follow the one before, first at 1"));
  // Where new values come from: update_values would read there.
  gcoo = make();
  poke(gcoo.source, 1, 1000000);
  EXPECT_THAT(defects_of(gcoo), HasSubstr("1 elements of source out of range or there twice"));
  gcoo.source = decltype(gcoo.source)("short", 1);
  EXPECT_THAT(defects_of(gcoo), HasSubstr("source has 1 elements, not "));
}

}  // namespace

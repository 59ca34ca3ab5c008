// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <formats/Reference_Panels.hpp>
#include <formats/Test_Conversions.hpp>
#include <tools/Tools_Recorder.hpp>

namespace {

using namespace lacuna::Test;
using testing::ElementsAre;
using testing::HasSubstr;

using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;

/// All arrays of a `BrickMatrix`, worked out serially.
template <class Scalar>
struct ReferenceBricks {
  std::vector<std::int64_t> panel_begin{0}, step_columns, value_begin{0}, source;
  std::vector<std::uint32_t> patterns;
  std::vector<Scalar> values;

  ReferenceBricks(const HostMatrix<Scalar>& A, std::int64_t height, const std::vector<std::int64_t>& row_list) {
    const std::int64_t groups = height / 8;
    for (const auto& panel : reference_panels(A, height, row_list)) {
      const auto active = static_cast<std::int64_t>(panel.columns.size());
      for (std::int64_t first = 0; first < active; first += 8) {
        for (std::int64_t i = first; i < first + 8; ++i)
          step_columns.push_back(panel.columns[static_cast<std::size_t>(std::min(i, active - 1))]);
        for (std::int64_t group = 0; group < groups; ++group)
          for (std::int64_t brick = 0; brick < 2; ++brick) {
            patterns.push_back(0);
            for (std::int64_t bit = 0; bit < 32; ++bit) {
              const auto found = panel.elements.find({group * 8 + bit / 4, first + brick * 4 + bit % 4});
              if (found == panel.elements.end()) continue;
              patterns.back() |= 1u << bit;
              source.push_back(found->second);
              values.push_back(A.values[static_cast<std::size_t>(found->second)]);
            }
          }
        value_begin.push_back(static_cast<std::int64_t>(source.size()));
      }
      panel_begin.push_back(static_cast<std::int64_t>(step_columns.size()) / 8);
    }
  }
};

template <class Format>
void check_bricks(const Format& bricks, const HostMatrix<typename Format::Scalar>& A,
                  const std::vector<std::int64_t>& row_list, const std::string& name) {
  ReferenceBricks<typename Format::Scalar> expected(A, bricks.panel_rows, row_list);
  expected.values.resize(expected.values.size() + Format::value_padding, typename Format::Scalar(0));
  expect_equal(bricks.panel_begin, expected.panel_begin, name + ", panel_begin");
  expect_equal(bricks.step_columns, expected.step_columns, name + ", step_columns");
  expect_equal(bricks.patterns, expected.patterns, name + ", patterns");
  expect_equal(bricks.value_begin, expected.value_begin, name + ", value_begin");
  expect_equal(bricks.values, expected.values, name + ", values");
  expect_equal(bricks.source, expected.source, name + ", source");
}

template <class Types>
class Bricks : public testing::Test {};
TYPED_TEST_SUITE(Bricks, ConversionTypes);

/// How to convert, as an argument of the checks.
struct ToBricks {
  int panel_rows;
  template <class Exec, class A>
  auto operator()(const Exec& exec, const A& matrix) const {
    return lacuna::to_bricks(exec, matrix, {.panel_rows = panel_rows});
  }
};

TYPED_TEST(Bricks, ThereAndBack) {
  for (const int height : {8, 16}) check_round_trips<TypeParam>(ToBricks{height}, Order::free);
}

TYPED_TEST(Bricks, EveryArray) {
  using Scalar = typename TypeParam::Scalar;
  using Crs    = typename TypeParam::Matrix;
  auto samples = all_matrices<Scalar>();
  samples.push_back({"duplicates in sorted rows", with_duplicates(uneven_matrix<Scalar>(77, 90, 30))});
  for (const auto& [name, matrix] : samples)
    for (const int height : {8, 16})
      check_bricks(lacuna::to_bricks(make_crs<Crs>(matrix), {.panel_rows = height}), matrix,
                   consecutive_rows(matrix.rows, height), name + ", panels of " + std::to_string(height));
}

TYPED_TEST(Bricks, LongRowsAreCut) {
  using Scalar = typename TypeParam::Scalar;
  using Crs    = typename TypeParam::Matrix;
  // Row lengths on and beside multiples of what one segment takes, next to short and empty rows.
  std::vector<std::vector<std::int64_t>> rows(40);
  Random random(3);
  for (const auto& [row, length] : std::vector<std::pair<std::size_t, std::int64_t>>{
           {1, 511}, {9, 512}, {17, 513}, {18, 513}, {25, 1024}, {26, 700}, {33, 1025}, {34, 3000}, {35, 2999}})
    rows[row] = random.distinct(length, 6000);
  for (std::size_t row = 0; row < rows.size(); row += 3)
    if (rows[row].empty()) rows[row] = random.distinct(5, 6000);
  // All of one long row in a few columns that stand there many times.
  for (std::int64_t k = 0; k < 1500; ++k) rows[39].push_back(k / 400);
  const auto matrix = from_rows<Scalar>(6000, rows);
  for (const auto& [name, A] : {NamedMatrix<Scalar>{"sorted", matrix},
                                {"duplicates", with_duplicates(matrix)},
                                {"messy", shuffled(with_duplicates(matrix))}})
    for (const int height : {8, 16})
      check_bricks(lacuna::to_bricks(make_crs<Crs>(A), {.panel_rows = height}), A, consecutive_rows(40, height), name);
}

TYPED_TEST(Bricks, RowsInAnotherOrder) {
  using Scalar = typename TypeParam::Scalar;
  using Crs    = typename TypeParam::Matrix;
  const auto A = with_duplicates(uneven_matrix<Scalar>(83, 60, 12));
  for (const int height : {8, 16}) {
    auto list = consecutive_rows(A.rows + 20, height);
    for (auto& row : list)
      if (row >= A.rows) row = -1;
    Random(5).shuffle(list);
    const auto view   = make_view<lacuna::RowListOf<Crs>>("row_list", list);
    const auto matrix = make_crs<Crs>(A);
    const typename TypeParam::Space exec{};
    const auto bricks = lacuna::to_bricks(exec, matrix, view, {.panel_rows = height});
    EXPECT_NE(bricks.row_list.data(), view.data());
    expect_equal(bricks.row_list, list, "row_list");
    check_bricks(bricks, A, list, "listed rows");
    EXPECT_TRUE(same(to_host(lacuna::to_crs(bricks)), A, Order::free));
  }
}

TYPED_TEST(Bricks, FromColumnsThatWereCountedBefore) {
  using Scalar = typename TypeParam::Scalar;
  using Crs    = typename TypeParam::Matrix;
  using List   = lacuna::RowListOf<Crs>;
  const typename TypeParam::Space exec{};
  const auto uneven = uneven_matrix<Scalar>(83, 60, 12);
  const auto empty  = from_rows<Scalar>(5, std::vector<std::vector<std::int64_t>>(9));
  for (const auto& [name, A] :
       {NamedMatrix<Scalar>{"sorted", uneven}, {"messy", shuffled(with_duplicates(uneven))}, {"empty", empty}}) {
    const auto matrix = make_crs<Crs>(A);
    const lacuna::Impl::PanelRows<typename Crs::non_const_ordinal_type> rows{A.rows, (A.rows + 7) / 8, 8, nullptr,
                                                                             nullptr};
    auto columns = lacuna::Impl::count_panel_columns<8>("test", exec, matrix, rows, 0, lacuna::unlimited);
    EXPECT_EQ(columns.height, 8);
    Recorder recorder;
    const auto bricks = lacuna::Impl::bricks_from_crs(exec, matrix, List(), {.panel_rows = 8}, columns);
    recorder.stop();
    check_bricks(bricks, A, consecutive_rows(A.rows, 8), name + ", counted");
    EXPECT_EQ(bricks.steps(), columns.totals.steps);
    if (name != "empty") {
      ASSERT_EQ(recorder.kernels().size(), 1u) << name;
      EXPECT_EQ(recorder.kernels().front().label, "Lacuna::to_bricks::fill");
      EXPECT_THAT(recorder.allocations(), ElementsAre("Lacuna::to_bricks::offsets", "Lacuna::to_bricks::step_columns",
                                                      "Lacuna::to_bricks::patterns", "Lacuna::to_bricks::values"));
    }
    // What was counted of other panels does not serve.
    check_bricks(lacuna::Impl::bricks_from_crs(exec, matrix, List(), {.panel_rows = 16}, columns), A,
                 consecutive_rows(A.rows, 16), name + ", panels of 16");
    EXPECT_EQ(columns.height, 16);
    auto list = consecutive_rows(A.rows, 16);
    Random(9).shuffle(list);
    check_bricks(
        lacuna::Impl::bricks_from_crs(exec, matrix, make_view<List>("list", list), {.panel_rows = 16}, columns), A,
        list, name + ", listed");
  }
}

TYPED_TEST(Bricks, OfEmptyRowMap) {
  const auto bricks = lacuna::to_bricks(matrix_without_row_map<typename TypeParam::Matrix>());
  EXPECT_EQ(bricks.panels(), 0);
  EXPECT_EQ(bricks.steps(), 0);
  EXPECT_EQ(to_host(lacuna::to_crs(bricks)).columns, 5);
}

TEST(BrickLayout, SmallMatrix) {
  // Two panels: rows 0-7 use the columns 0 1 2 3, row 8 the columns 9 … 1 with 5 twice.
  HostMatrix<double> A;
  A.rows        = 9;
  A.columns     = 10;
  A.row_map     = {0, 2, 2, 5, 5, 5, 5, 5, 6, 16};
  A.entries     = {0, 1, 1, 2, 3, 2, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9};
  A.values      = {10, 11, 21, 22, 23, 72, 81, 82, 83, 84, 85, 85.5, 86, 87, 88, 89};
  const auto of = lacuna::to_bricks(make_crs<Matrix>(A));
  EXPECT_EQ(of.panels(), 2);
  EXPECT_EQ(of.steps(), 3);
  EXPECT_EQ(of.nonzeros(), 16);
  EXPECT_THAT(to_vector(of.panel_begin), ElementsAre(0, 1, 3));
  EXPECT_THAT(to_vector(of.step_columns),
              ElementsAre(0, 1, 2, 3, 3, 3, 3, 3, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9));
  EXPECT_THAT(to_vector(of.patterns), ElementsAre(0x40000e03u, 0u, 0xfu, 0xfu, 0x3u, 0u));
  EXPECT_THAT(to_vector(of.value_begin), ElementsAre(0, 6, 14, 16));
  EXPECT_THAT(to_vector(of.values),
              ElementsAre(10, 11, 21, 22, 23, 72, 81, 82, 83, 84, 85, 85.5, 86, 87, 88, 89, 0, 0));
  EXPECT_EQ(of.bytes(), 3u * 4 + 24 * 4 + 6 * 4 + 4 * 4 + 18 * 8 + 16 * 4);

  const auto both = lacuna::to_bricks(make_crs<Matrix>(A), {.panel_rows = 16});
  EXPECT_EQ(both.panels(), 1);
  EXPECT_THAT(to_vector(both.step_columns), ElementsAre(0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9));
  // Step 0: rows 0-7 in columns 0-3, 4-6; row 8 the same; then step 1.
  EXPECT_THAT(to_vector(both.patterns), ElementsAre(0x40000e03u, 0u, 0xeu, 0xfu, 0u, 0u, 0x7u, 0u));
  EXPECT_THAT(to_vector(both.value_begin), ElementsAre(0, 13, 16));
}

TEST(BrickOptions, AreChecked) {
  const auto A = make_crs<Matrix>(small_matrix());
  EXPECT_THAT([&] { lacuna::to_bricks(A, {.panel_rows = 12}); },
              testing::ThrowsMessage<lacuna::InvalidArgument>(HasSubstr("panel_rows is 12, it can be 8 or 16")));
  const DefaultSpace exec{};
  const auto with_list = [&](const std::vector<int>& list) {
    lacuna::to_bricks(exec, A, make_view<lacuna::RowListOf<Matrix>>("list", list));
  };
  EXPECT_THAT(
      [&] {
        with_list({0, 1, 2});
      },
      testing::ThrowsMessage<lacuna::InvalidArgument>(HasSubstr("row_list has 3 elements, no multiple of 8")));
  EXPECT_THAT(
      [&] {
        with_list({0, 1, 3, -1, -1, -1, -1, -1});
      },
      testing::ThrowsMessage<lacuna::InvalidArgument>(HasSubstr("row_list(2) is out of range")));
  EXPECT_THAT(
      [&] {
        with_list({0, 1, 1, -1, -1, -1, -1, -1});
      },
      testing::ThrowsMessage<lacuna::InvalidArgument>(HasSubstr("row_list holds a row more than once")));
  EXPECT_THAT(
      [&] {
        with_list({0, -1, 1, -1, -1, -1, -1, -1});
      },
      testing::ThrowsMessage<lacuna::InvalidArgument>(
          HasSubstr("row_list lacks rows of the matrix: 1 of 3, the first is row 2")));
}

TEST(BrickOptions, MemoryLimit) {
  const auto A     = make_crs<Matrix>(uneven_matrix<double>(300, 200, 20));
  const auto bytes = lacuna::to_bricks(A).bytes();
  EXPECT_THROW(lacuna::to_bricks(A, {.memory_limit = bytes - 1}), lacuna::OutOfMemory);
  EXPECT_THROW(lacuna::to_bricks(A, {.memory_limit = 100}), lacuna::OutOfMemory);
  EXPECT_EQ(lacuna::to_bricks(A, {.memory_limit = 2 * bytes}).bytes(), bytes);
}

}  // namespace

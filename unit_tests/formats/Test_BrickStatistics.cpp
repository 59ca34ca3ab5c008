// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>
#include <formats/impl/bricks/Lacuna_BrickStatistics.hpp>

#include <formats/Reference_Panels.hpp>
#include <formats/Test_Conversions.hpp>

#include <set>

namespace {

using namespace lacuna::Test;
using lacuna::Impl::brick_statistics;
using lacuna::Impl::BrickStatistics;
using lacuna::Impl::synergy_of;
using lacuna::Impl::SynergyClass;

template <class Scalar>
BrickStatistics reference_statistics(const HostMatrix<Scalar>& A, int height, int brick_height) {
  BrickStatistics expected;
  expected.nonzeros = A.nonzeros();
  for (const auto& panel : reference_panels(A, height, consecutive_rows(A.rows, height))) {
    const auto active = static_cast<std::int64_t>(panel.columns.size());
    ++expected.panels;
    expected.active_columns += active;
    expected.longest_panel = std::max(expected.longest_panel, active);
    expected.steps += (active + 7) / 8;
    expected.brick_columns += (active + 3) / 4;
    expected.blocks += (active + 15) / 16;
    std::set<std::pair<std::int64_t, std::int64_t>> bricks;
    for (const auto& element : panel.elements)
      bricks.insert({element.first.first / brick_height, element.first.second / 4});
    expected.bricks += static_cast<std::int64_t>(bricks.size());
  }
  return expected;
}

void expect_equal(const BrickStatistics& actual, const BrickStatistics& expected, const std::string& what) {
  EXPECT_EQ(actual.nonzeros, expected.nonzeros) << what;
  EXPECT_EQ(actual.panels, expected.panels) << what;
  EXPECT_EQ(actual.active_columns, expected.active_columns) << what;
  EXPECT_EQ(actual.longest_panel, expected.longest_panel) << what;
  EXPECT_EQ(actual.steps, expected.steps) << what;
  EXPECT_EQ(actual.brick_columns, expected.brick_columns) << what;
  EXPECT_EQ(actual.blocks, expected.blocks) << what;
  EXPECT_EQ(actual.bricks, expected.bricks) << what;
}

template <class Types>
class Statistics : public testing::Test {};
TYPED_TEST_SUITE(Statistics, ConversionTypes);

TYPED_TEST(Statistics, AgreeWithSerialCounts) {
  using Scalar = typename TypeParam::Scalar;
  const typename TypeParam::Space exec{};
  for (const auto& [name, matrix] : all_matrices<Scalar>()) {
    if (name.starts_with("dense row") || name.starts_with("one row")) continue;  // cut into segments, see LongRows
    const auto A = make_crs<typename TypeParam::Matrix>(matrix);
    expect_equal(brick_statistics<8>(exec, A), reference_statistics(matrix, 8, 8), name + ", 8");
    expect_equal(brick_statistics<16>(exec, A), reference_statistics(matrix, 16, 8), name + ", 16");
    expect_equal(brick_statistics<16, 16>(exec, A), reference_statistics(matrix, 16, 16), name + ", 16 x 4");
    expect_equal(brick_statistics<32, 16>(exec, A), reference_statistics(matrix, 32, 16), name + ", 32");
  }
}

using Matrix = KokkosSparse::CrsMatrix<float, int, DefaultSpace, void, int>;

BrickStatistics statistics_of(const HostMatrix<float>& A) {
  return brick_statistics<16>(DefaultSpace{}, make_crs<Matrix>(A));
}

TEST(Synergy, Identity) {
  // 16 active columns, each with one nonzero: 4 bricks of 16 x 4, a quarter of the columns in each half.
  const auto statistics = statistics_of(banded_matrix<float>(16, 16, 0, 0));
  EXPECT_EQ(statistics.active_columns, 16);
  EXPECT_EQ(statistics.steps, 2);
  EXPECT_EQ(statistics.bricks, 4);
  EXPECT_EQ(statistics.brick_columns, 4);
  EXPECT_EQ(statistics.nonzeros_per_column(), 1.0);
  EXPECT_EQ(statistics.nonzeros_per_brick(), 4.0);
  const auto synergy = synergy_of(statistics);
  EXPECT_EQ(synergy.alpha, 1.0 / 16);
  EXPECT_EQ(synergy.beta, 1.0);
  EXPECT_EQ(synergy.operational_intensity(), 32.0);
  EXPECT_EQ(synergy.classification(), SynergyClass::low);
}

TEST(Synergy, Dense) {
  const auto statistics = statistics_of(random_matrix<float>(32, 12, 12));
  EXPECT_EQ(statistics.bricks, 12);
  EXPECT_EQ(statistics.nonzeros_per_column(), 16.0);
  const auto synergy = synergy_of(statistics);
  EXPECT_EQ(synergy.alpha, 1.0);
  EXPECT_EQ(synergy.operational_intensity(), 512.0);
  EXPECT_EQ(synergy.classification(), SynergyClass::high);
}

TEST(Synergy, ClassesBeginAtTheirBounds) {
  // Rows of a panel that all hold the same 4 columns: alpha is their number over 16.
  const auto of_rows = [](std::size_t filled) {
    std::vector<std::vector<std::int64_t>> rows(16);
    for (std::size_t i = 0; i < filled; ++i) rows[i] = {3, 4, 7, 9};
    return synergy_of(statistics_of(from_rows<float>(10, rows)));
  };
  EXPECT_EQ(of_rows(1).classification(), SynergyClass::low);
  EXPECT_EQ(of_rows(2).classification(), SynergyClass::medium);
  EXPECT_EQ(of_rows(2).operational_intensity(), 64.0);
  EXPECT_EQ(of_rows(3).classification(), SynergyClass::medium);
  EXPECT_EQ(of_rows(4).classification(), SynergyClass::high);
  EXPECT_EQ(name(of_rows(4).classification()), "high");
}

TEST(Synergy, PanelsOf32Rows) {
  // The upper half uses the columns 0 1 2 3, the lower 2 3 4 5: bricks (0, 0), (1, 0), (1, 1).
  std::vector<std::vector<std::int64_t>> rows(32, {0, 1, 2, 3});
  for (std::size_t i = 16; i < 32; ++i) rows[i] = {2, 3, 4, 5};
  const auto statistics = brick_statistics<32, 16>(DefaultSpace{}, make_crs<Matrix>(from_rows<float>(6, rows)));
  EXPECT_EQ(statistics.bricks, 3);
  EXPECT_EQ(statistics.brick_columns, 2);
  const auto synergy = synergy_of(statistics);
  EXPECT_EQ(synergy.alpha, 128.0 / (3 * 64));
  EXPECT_EQ(synergy.beta, 1.5);
  EXPECT_EQ(synergy.operational_intensity(), 512.0 * 2 / 3 * 1.5);
}

TEST(Synergy, PanelsOf32RowsHaveAnotherIntensity) {
  // Both halves of the panel use the same 4 columns: alpha stays, and B is brought once for two bricks.
  const std::vector<std::vector<std::int64_t>> same(32, {0, 1, 2, 3});
  // The halves have nothing in common: two bricks in two columns, as in panels of 16 rows.
  std::vector<std::vector<std::int64_t>> apart(32, {0, 1, 2, 3});
  for (std::size_t i = 16; i < 32; ++i) apart[i] = {4, 5, 6, 7};
  const auto intensity = [](const auto& rows, int panel_rows) {
    const auto A = make_crs<Matrix>(from_rows<float>(8, rows));
    const auto statistics =
        panel_rows == 16 ? brick_statistics<16>(DefaultSpace{}, A) : brick_statistics<32, 16>(DefaultSpace{}, A);
    return synergy_of(statistics).operational_intensity();
  };
  EXPECT_EQ(intensity(same, 16), 512.0);
  EXPECT_EQ(intensity(same, 32), 1024.0);
  EXPECT_EQ(intensity(apart, 16), 512.0);
  EXPECT_EQ(intensity(apart, 32), 512.0);
}

TEST(Synergy, GeneratedMatricesHaveTheAlphaThatTheyPromise) {
  const auto synergy = [](const std::string& alpha, int per_row) {
    return synergy_of(brick_statistics<16>(
        DefaultSpace{},
        lacuna::generate<Matrix>("synergy:rows=2048,alpha=" + alpha + ",per_row=" + std::to_string(per_row))));
  };
  EXPECT_EQ(synergy("0.0625", 20).alpha, 0.0625);
  EXPECT_EQ(synergy("0.08", 24).alpha, 0.08);
  EXPECT_EQ(synergy("0.12", 12).classification(), SynergyClass::low);
  EXPECT_EQ(synergy("0.125", 32).alpha, 0.125);
  EXPECT_EQ(synergy("0.125", 32).classification(), SynergyClass::medium);
  EXPECT_EQ(synergy("0.2", 20).alpha, 0.2);
  EXPECT_EQ(synergy("0.25", 16).classification(), SynergyClass::high);
  EXPECT_EQ(synergy("0.5", 64).alpha, 0.5);
  EXPECT_EQ(synergy("1", 32).alpha, 1.0);
  // To the next number of active columns that is a multiple of 4.
  EXPECT_EQ(synergy("0.3", 21).alpha, 21.0 / 72);
  EXPECT_EQ(synergy("1", 33).alpha, 33.0 / 36);
}

TEST(Synergy, NoNonzeros) {
  const auto synergy = synergy_of(statistics_of(from_rows<float>(3, std::vector<std::vector<std::int64_t>>(5))));
  EXPECT_EQ(synergy.alpha, 0.0);
  EXPECT_EQ(synergy.classification(), SynergyClass::low);
  EXPECT_THROW(synergy_of(brick_statistics<8>(DefaultSpace{}, make_crs<Matrix>(banded_matrix<float>(9, 9, 1, 1)))),
               lacuna::InvalidArgument);
}

TEST(BrickStatistics, LongRows) {
  // Panels that are cut into segments: everything but the bricks is exact, those are at most 2 too many at a cut.
  std::vector<std::vector<std::int64_t>> rows(48);
  Random random(11);
  for (const std::size_t row : {2, 3, 20, 40})
    rows[row] = random.distinct(900 + 700 * static_cast<std::int64_t>(row % 3), 5000);
  const auto A        = from_rows<float>(5000, rows);
  const auto expected = reference_statistics(A, 16, 8);
  auto actual         = statistics_of(A);
  EXPECT_GE(actual.bricks, expected.bricks);
  EXPECT_LE(actual.bricks, expected.bricks + 2 * (A.nonzeros() / lacuna::Impl::segment_length));
  actual.bricks = expected.bricks;
  expect_equal(actual, expected, "long rows");
  expect_equal(brick_statistics<8>(DefaultSpace{}, make_crs<Matrix>(A)), reference_statistics(A, 8, 8), "panels of 8");
}

TEST(BrickStatistics, MemoryLimit) {
  const auto A = make_crs<Matrix>(uneven_matrix<float>(300, 200, 20));
  EXPECT_THROW(brick_statistics<8>(DefaultSpace{}, A, 100), lacuna::OutOfMemory);
}

}  // namespace

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Conversions.hpp>

#include <map>

namespace {

using namespace lacuna::Test;

template <class Types>
class RoundTripDia : public testing::Test {};
TYPED_TEST_SUITE(RoundTripDia, ConversionTypes);

template <class Scalar>
HostMatrix<Scalar> sorted_and_added(const HostMatrix<Scalar>& A) {
  HostMatrix<Scalar> result;
  result.rows    = A.rows;
  result.columns = A.columns;
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    std::map<std::int64_t, Scalar> row;
    for (auto k = static_cast<std::size_t>(A.row_map[i]); k < static_cast<std::size_t>(A.row_map[i + 1]); ++k)
      row[A.entries[k]] += A.values[k];
    for (const auto& [column, value] : row) {
      result.entries.push_back(column);
      result.values.push_back(value);
    }
    result.row_map.push_back(result.nonzeros());
  }
  return result;
}

TYPED_TEST(RoundTripDia, Dia) {
  using Matrix   = typename TypeParam::Matrix;
  using Scalar   = typename TypeParam::Scalar;
  const auto run = [](const NamedMatrix<Scalar>& sample) {
    const typename TypeParam::Space exec{};
    const auto dia  = lacuna::to_dia(exec, make_crs<Matrix>(sample.matrix), {.fill_limit = 0});
    const auto back = lacuna::to_crs(exec, dia);
    exec.fence();
    EXPECT_TRUE(same(to_host(back), sorted_and_added(sample.matrix))) << sample.name;
    const auto changed = with_new_values(sample.matrix);
    lacuna::update_values(exec, make_crs<Matrix>(changed), dia);
    exec.fence();
    EXPECT_TRUE(same(to_host(lacuna::to_crs(exec, dia)), sorted_and_added(changed))) << sample.name << ", new values";
  };
  for (const auto& sample : sample_matrices<Scalar>()) run(sample);
  for (const auto& sample : messy_matrices<Scalar>()) run(sample);
}

TYPED_TEST(RoundTripDia, DiaKeepsStoredZeros) {
  auto source = banded_matrix<typename TypeParam::Scalar>(40, 50, 1, 3);
  for (std::size_t k = 0; k < source.values.size(); k += 3) source.values[k] = 0;
  const auto back = lacuna::to_crs(lacuna::to_dia(make_crs<typename TypeParam::Matrix>(source)));
  EXPECT_TRUE(same(to_host(back), source));
}

/// Far fewer nonzeros than rows and columns: the conversion goes with the nonzeros.
TYPED_TEST(RoundTripDia, DiaOfAWideMatrix) {
  const std::int64_t columns = 2000000000;
  const auto source = from_rows<typename TypeParam::Scalar>(columns, {{0, 7, columns - 1}, {}, {2, 9, 9, columns - 2}});
  const auto dia    = lacuna::to_dia(make_crs<typename TypeParam::Matrix>(source), {.memory_limit = 10000});
  std::vector<std::int64_t> offsets;
  for (const auto offset : to_vector(dia.offsets)) offsets.push_back(static_cast<std::int64_t>(offset));
  EXPECT_EQ(offsets, (std::vector<std::int64_t>{0, 7, columns - 4, columns - 1}));
  EXPECT_TRUE(same(to_host(lacuna::to_crs(dia)), sorted_and_added(source)));
}

TYPED_TEST(RoundTripDia, DiaOfEmptyRowMap) {
  const auto back = to_host(lacuna::to_crs(lacuna::to_dia(matrix_without_row_map<typename TypeParam::Matrix>())));
  EXPECT_EQ(back.rows, 0);
  EXPECT_EQ(back.columns, 5);
  EXPECT_EQ(back.nonzeros(), 0);
}

}  // namespace

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Transpose.hpp>

#include <formats/Test_Conversions.hpp>
#include <tools/Tools_MemoryMeter.hpp>

#include <algorithm>

namespace {

using namespace lacuna::Test;
using testing::ElementsAre;

/// Aᵀ on the host: stable, with the source of every nonzero.
template <class Scalar>
HostMatrix<Scalar> transposed(const HostMatrix<Scalar>& A, std::vector<std::int64_t>& source) {
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> rows(static_cast<std::size_t>(A.columns));
  for (std::int64_t i = 0; i < A.rows; ++i)
    for (auto k = A.row_map[static_cast<std::size_t>(i)]; k < A.row_map[static_cast<std::size_t>(i) + 1]; ++k)
      rows[static_cast<std::size_t>(A.entries[static_cast<std::size_t>(k)])].emplace_back(i, k);
  HostMatrix<Scalar> T;
  T.rows    = A.columns;
  T.columns = A.rows;
  source.clear();
  for (const auto& row : rows) {
    for (const auto& [column, k] : row) {
      T.entries.push_back(column);
      T.values.push_back(A.values[static_cast<std::size_t>(k)]);
      source.push_back(k);
    }
    T.row_map.push_back(T.nonzeros());
  }
  return T;
}

template <class Scalar>
HostMatrix<Scalar> sorted(const HostMatrix<Scalar>& A) {
  std::vector<std::int64_t> source;
  return transposed(transposed(A, source), source);
}

template <class Types>
class Reordering : public testing::Test {};
TYPED_TEST_SUITE(Reordering, ConversionTypes);

TYPED_TEST(Reordering, MatchesTheHost) {
  using Matrix = typename TypeParam::Matrix;
  using Scalar = typename TypeParam::Scalar;
  auto samples = all_matrices<Scalar>();
  samples.push_back({"many tiles", shuffled(with_duplicates(uneven_matrix<Scalar>(9000, 5000, 20)))});
  const typename TypeParam::Space exec{};
  for (const auto& [name, A] : samples) {
    std::vector<std::int64_t> source;
    const auto expected = transposed(A, source);
    const auto actual   = lacuna::transpose(exec, make_crs<Matrix>(A));
    exec.fence();
    EXPECT_TRUE(same(to_host(actual.matrix), expected)) << name;
    const auto actual_source = to_vector(actual.source);
    EXPECT_TRUE(std::equal(source.begin(), source.end(), actual_source.begin(), actual_source.end(),
                           [](auto left, auto right) { return left == static_cast<std::int64_t>(right); }))
        << name;
    // The ways of other backends, and of long columns.
    using Result   = lacuna::ReorderedMatrix<Matrix>;
    using Counting = lacuna::Impl::TransposeByCounting<Result, typename TypeParam::Space>;
    const auto a   = make_crs<Matrix>(A);
    const auto crs = lacuna::Impl::arrays_of(a);
    std::vector<Result> others{*Counting::template run<false>(exec, crs, nullptr),
                               lacuna::Impl::transpose_by_sorting(exec, a)};
    if (const auto drawn = Counting::template run<true>(exec, crs, nullptr)) others.push_back(*drawn);
    typename Counting::Shared shared, shared_drawn;
    others.push_back(*Counting::template run<false>(exec, crs, &shared));
    if (const auto drawn = Counting::template run<true>(exec, crs, &shared_drawn)) others.push_back(*drawn);
    exec.fence();
    for (const Result& other : others) {
      EXPECT_TRUE(same(to_host(other.matrix), expected)) << name;
      EXPECT_EQ(to_vector(other.source), actual_source) << name;
    }
    const auto rows_sorted = lacuna::sort_rows(exec, make_crs<Matrix>(A));
    exec.fence();
    EXPECT_TRUE(same(to_host(rows_sorted.matrix), sorted(A))) << name;

    const auto changed = with_new_values(A);
    lacuna::update_values(exec, make_crs<Matrix>(changed), actual);
    lacuna::update_values(exec, make_crs<Matrix>(changed), rows_sorted);
    exec.fence();
    EXPECT_TRUE(same(to_host(actual.matrix), transposed(changed, source))) << name << ", new values";
    EXPECT_TRUE(same(to_host(rows_sorted.matrix), sorted(changed))) << name << ", new values";
  }
}

using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;

TEST(Transpose, SmallMatrix) {
  const auto T = lacuna::transpose(make_crs<Matrix>(small_matrix()));
  EXPECT_EQ(T.matrix.numRows(), 4);
  EXPECT_EQ(T.matrix.numCols(), 3);
  EXPECT_THAT(to_vector(T.matrix.graph.row_map), ElementsAre(0, 1, 3, 4, 5));
  EXPECT_THAT(to_vector(T.matrix.graph.entries), ElementsAre(0, 0, 2, 2, 2));
  EXPECT_THAT(to_vector(T.matrix.values), ElementsAre(10, 11, 21, 22, 23));
  EXPECT_THAT(to_vector(T.source), ElementsAre(0, 1, 2, 3, 4));
}

/// Ranks by comparison are for short columns.
TEST(Transpose, LongColumnsAreSorted) {
  using Counting = lacuna::Impl::TransposeByCounting<lacuna::ReorderedMatrix<Matrix>, DefaultSpace>;
  const auto run = [](const HostMatrix<double>& A) {
    const auto a = make_crs<Matrix>(A);
    return Counting::run<true>(DefaultSpace(), lacuna::Impl::arrays_of(a), nullptr).has_value();
  };
  const auto columns_of = [](std::int64_t rows) {
    return from_rows<double>(1, std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(rows), {0}));
  };
  EXPECT_TRUE(run(columns_of(512)));
  EXPECT_FALSE(run(columns_of(513)));
  EXPECT_TRUE(run(random_matrix<double>(2000, 300, 20)));
  const auto A = columns_of(5000);
  std::vector<std::int64_t> source;
  EXPECT_TRUE(same(to_host(lacuna::transpose(make_crs<Matrix>(A)).matrix), transposed(A, source)));
}

TEST(Transpose, BytesAreThoseThatWereTold) {
  using Counting        = lacuna::Impl::TransposeByCounting<lacuna::ReorderedMatrix<Matrix>, DefaultSpace>;
  constexpr bool is_gpu = lacuna::ExecutionTraits<DefaultSpace>::is_gpu;
  const DefaultSpace exec;
  for (const auto& A : {random_matrix<double>(900, 70, 9), random_matrix<double>(50, 4000, 30)}) {
    const auto a   = make_crs<Matrix>(A);
    const auto crs = lacuna::Impl::arrays_of(a);
    for (const bool is_shared : {false, true}) {
      std::size_t limit = Counting::bytes(exec, crs, is_gpu, is_shared);
      std::size_t least = limit;
      if (is_gpu) {  // a sort may follow
        limit = std::max(limit, lacuna::Impl::Reorder<Matrix>::transpose_bytes<DefaultSpace>(crs));
        least = 1;
      }
      Counting::Shared shared;
      const auto run = [&](std::size_t bytes) {
        return lacuna::Impl::transpose_into(exec, a, bytes, is_shared ? &shared : nullptr);
      };
      const MemoryMeter meter;
      EXPECT_NO_THROW(run(limit));
      EXPECT_LE(meter.peak(), limit) << meter.at_peak();
      EXPECT_GE(meter.peak(), least) << meter.at_peak();
      EXPECT_THROW(run(limit - 1), lacuna::OutOfMemory);
    }
  }
}

TEST(Transpose, EmptyRowMap) {
  const auto T = lacuna::transpose(matrix_without_row_map<Matrix>());
  EXPECT_EQ(T.matrix.numRows(), 5);
  EXPECT_EQ(T.matrix.numCols(), 0);
  EXPECT_THAT(to_vector(T.matrix.graph.row_map), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_EQ(lacuna::sort_rows(matrix_without_row_map<Matrix>()).matrix.numRows(), 0);
}

TEST(Transpose, RefusesMemoryAndOtherMatrices) {
  const auto A = make_crs<Matrix>(small_matrix());
  EXPECT_THROW(lacuna::transpose(A, {.memory_limit = 100}), lacuna::OutOfMemory);
  EXPECT_THROW(lacuna::sort_rows(A, {.memory_limit = 100}), lacuna::OutOfMemory);
  EXPECT_THROW(
      lacuna::update_values(DefaultSpace(), make_crs<Matrix>(random_matrix<double>(3, 4, 2)), lacuna::transpose(A)),
      lacuna::InvalidArgument);
}

}  // namespace

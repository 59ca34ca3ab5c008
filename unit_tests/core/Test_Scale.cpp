// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Scale.hpp>

#include <formats/Test_Conversions.hpp>
#include <support/Test_Messages.hpp>

#include <limits>

namespace {

using namespace lacuna::Test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// Products by powers of two are exact.
template <class Scalar>
std::vector<Scalar> powers(std::int64_t n) {
  std::vector<Scalar> d;
  for (std::int64_t i = 0; i < n; ++i) d.push_back(Scalar(static_cast<float>(i % 2 == 0 ? 1 << (i % 5) : -4)));
  return d;
}

template <class Types>
class Scale : public testing::Test {};
TYPED_TEST_SUITE(Scale, ConversionTypes);

TYPED_TEST(Scale, MatchesTheHost) {
  using Matrix = typename TypeParam::Matrix;
  using Scalar = typename TypeParam::Scalar;
  using Real   = typename lacuna::Impl::RealOf<Scalar>::type;
  using Vector = Kokkos::View<Scalar*, typename TypeParam::Space>;
  const typename TypeParam::Space exec{};
  for (const auto& [name, A] : all_matrices<Scalar>()) {
    const auto a     = make_crs<Matrix>(A);
    const auto left  = powers<Real>(A.rows);
    const auto right = powers<Scalar>(A.columns);
    // Real factors in every other element of a View; factors of the scalar of A in a row.
    const Kokkos::View<Real**, Kokkos::LayoutRight, typename TypeParam::Space> pairs("pairs", left.size(), 2);
    const auto strided = Kokkos::subview(pairs, Kokkos::ALL, 1);
    Kokkos::deep_copy(exec, strided, make_view<Kokkos::View<Real*, typename TypeParam::Space>>("left", left));
    lacuna::scale_rows(exec, strided, a);
    lacuna::scale_columns(exec, a, make_view<Vector>("right", right));
    exec.fence();
    auto expected = A;
    for (std::size_t i = 0; i < left.size(); ++i)
      for (auto k = static_cast<std::size_t>(A.row_map[i]); k < static_cast<std::size_t>(A.row_map[i + 1]); ++k)
        expected.values[k] = left[i] * A.values[k] * right[static_cast<std::size_t>(A.entries[k])];
    EXPECT_TRUE(same(to_host(a), expected)) << name;

    std::vector<Scalar> diagonal(static_cast<std::size_t>(std::min(A.rows, A.columns)), Scalar(0));
    for (std::size_t i = 0; i < diagonal.size(); ++i)
      for (auto k = static_cast<std::size_t>(A.row_map[i]); k < static_cast<std::size_t>(A.row_map[i + 1]); ++k)
        if (A.entries[k] == static_cast<std::int64_t>(i)) diagonal[i] += expected.values[k];
    const Vector d("d", diagonal.size());
    Kokkos::deep_copy(exec, d, Scalar(std::numeric_limits<Real>::quiet_NaN()));
    lacuna::extract_diagonal(exec, a, d);
    exec.fence();
    // At most two nonzeros of a row share a column, and their sum does not depend on the order.
    EXPECT_EQ(to_vector(d), diagonal) << name;
  }
}

using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;
using Vector = Kokkos::View<double*, DefaultSpace>;

TEST(ScaleContract, SmallMatrix) {
  const auto A = make_crs<Matrix>(small_matrix());
  lacuna::scale_rows(make_view<Vector>("d", std::vector<double>{1, 5, 2}), A);
  EXPECT_THAT(to_vector(A.values), ElementsAre(10, 11, 42, 44, 46));
  lacuna::scale_columns(A, make_view<Vector>("d", std::vector<double>{1, 10, 0, -1}));
  EXPECT_THAT(to_vector(A.values), ElementsAre(10, 110, 420, 0, -46));
  const Vector d("d", 3);
  lacuna::extract_diagonal(A, d);
  EXPECT_THAT(to_vector(d), ElementsAre(10, 0, 0));
}

TEST(ScaleContract, RefusalsTouchNothing) {
  const auto A = make_crs<Matrix>(small_matrix());
  const Vector three("d", 3), four("d", 4);
  Kokkos::deep_copy(three, 3);
  Kokkos::deep_copy(four, 4);
  EXPECT_THAT(error_of<lacuna::DimensionMismatch>([&] { lacuna::scale_rows(four, A); }),
              HasSubstr("scale_rows: d has 4 elements, 3 are needed"));
  EXPECT_THROW(lacuna::scale_columns(A, three), lacuna::DimensionMismatch);
  EXPECT_THROW(lacuna::extract_diagonal(A, four), lacuna::DimensionMismatch);
  const auto of_a = Kokkos::subview(A.values, Kokkos::pair(0, 3));
  EXPECT_THAT(error_of<lacuna::InvalidArgument>([&] { lacuna::scale_rows(of_a, A); }),
              HasSubstr("shares memory with the values of A"));
  EXPECT_THROW(lacuna::extract_diagonal(A, of_a), lacuna::InvalidArgument);
  EXPECT_THAT(to_vector(A.values), ElementsAre(10, 11, 21, 22, 23));
  EXPECT_THAT(to_vector(four), Each(4));
}

}  // namespace

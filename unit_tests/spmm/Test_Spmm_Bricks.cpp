// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Bricks_Support.hpp"

// Products with bricks, float and double, at every size and stride.

namespace lacuna::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class ScalarType>
struct SpmmBricks : testing::Test {
  using Scalar = ScalarType;
  using Crs    = KokkosSparse::CrsMatrix<Scalar, int, Exec::device_type, void, int>;

  static void check(const BricksCase& how, const HostMatrix<Scalar>& A, std::int64_t columns, Scalar alpha, Scalar beta,
                    const std::string& name) {
    check_bricks<Precision::full, AnyEngine, Crs>(Exec(), how, A, columns, alpha, beta, 0.0, name);
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SpmmBricks, Scalars);

TYPED_TEST(SpmmBricks, EveryNumberOfColumns) {
  const auto A = uneven_matrix<TypeParam>(41, 60, 13);
  for (const std::int64_t columns :
       {0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, 129, 160, 300})
    for (const int panel_rows : {8, 16})
      TestFixture::check({.panel_rows = panel_rows}, A, columns, TypeParam(1), TypeParam(0), "uneven");
}

TYPED_TEST(SpmmBricks, EveryKindOfMatrix) {
  for (const auto& [name, A] : sample_matrices<TypeParam>())
    for (const int panel_rows : {8, 16})
      TestFixture::check({.panel_rows = panel_rows}, A, 20, TypeParam(1), TypeParam(0), name);
}

TYPED_TEST(SpmmBricks, RowsOutOfOrderAndDuplicates) {
  for (const auto& [name, A] : messy_matrices<TypeParam>())
    TestFixture::check({.panel_rows = 8}, A, 12, TypeParam(1), TypeParam(0), name);
}

TYPED_TEST(SpmmBricks, AFewRows) {
  for (const std::int64_t rows : {0, 1, 7, 8, 9, 15, 16, 17})
    for (const int panel_rows : {8, 16})
      for (const bool reversed : {false, true})
        TestFixture::check({.panel_rows = panel_rows, .reversed = reversed}, random_matrix<TypeParam>(rows, 40, 9), 33,
                           TypeParam(1), TypeParam(0), "rows");
}

TYPED_TEST(SpmmBricks, AlphaAndBeta) {
  const auto A = uneven_matrix<TypeParam>(27, 31, 11);
  for (const double alpha : {0.0, 1.0, -2.5})
    for (const double beta : {0.0, 1.0, 0.75})
      for (const bool column_major : {false, true})
        TestFixture::check({.column_major = column_major}, A, 37, static_cast<TypeParam>(alpha),
                           static_cast<TypeParam>(beta), "alpha and beta");
}

// Rows of B at every distance from a multiple of 16 bytes; nothing between the rows of C is written.
TYPED_TEST(SpmmBricks, EveryStride) {
  const auto A = uneven_matrix<TypeParam>(19, 23, 11);
  for (const std::int64_t padding : {0, 1, 2, 3, 4, 5})
    for (const std::int64_t columns : {1, 5, 32, 40, 128, 131})
      for (const bool column_major : {false, true})
        TestFixture::check({.panel_rows = 16, .padding = padding, .column_major = column_major}, A, columns,
                           TypeParam(1), TypeParam(0), "strides");
}

TYPED_TEST(SpmmBricks, PanelsInPieces) {
  for (const auto& [name, A] :
       {NamedMatrix<TypeParam>{"long rows", random_matrix<TypeParam>(37, 600, 90)},
        NamedMatrix<TypeParam>{"one dense row", dense_row_matrix<TypeParam>(50, 700, 21)},
        NamedMatrix<TypeParam>{"mostly empty", mostly_empty_matrix<TypeParam>(70, 500, 30, 200)}})
    for (const int panel_rows : {8, 16})
      for (const std::int64_t piece : {1, 2, 7, 32})
        for (const double beta : {0.0, 2.0})
          TestFixture::check({.panel_rows = panel_rows, .longest_piece = piece, .reversed = piece == 7}, A, 45,
                             TypeParam(2), static_cast<TypeParam>(beta), name);
}

TYPED_TEST(SpmmBricks, MoreColumnsThanTheWorkWasMadeFor) {
  const auto A = random_matrix<TypeParam>(20, 300, 80);
  TestFixture::check({.longest_piece = 3, .work_columns = 1}, A, 300, TypeParam(1), TypeParam(0), "in turns");
  TestFixture::check({.work_columns = 0}, A, 140, TypeParam(1), TypeParam(1), "not cut");
}

TYPED_TEST(SpmmBricks, TheSameBitsEveryTime) {
  const auto A = random_matrix<TypeParam>(60, 900, 200);
  const auto B = random_vector<TypeParam>(900 * 40);
  const BricksCase how{.longest_piece = 5};
  const auto product = [&] {
    return bricks_product<Precision::full, AnyEngine, typename TestFixture::Crs>(Exec(), how, TypeParam(1), A, B, 40,
                                                                                 TypeParam(0), {});
  };
  const auto first = product();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(product(), first);
}

TEST(SpmmBricksErrors, NameWhatDoesNotFit) {
  using Crs           = KokkosSparse::CrsMatrix<float, int, Exec::device_type, void, int>;
  using Right         = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;
  using Left          = Kokkos::View<float**, Kokkos::LayoutLeft, Exec>;
  const auto bricks   = to_bricks(Exec(), make_crs<Crs>(random_matrix<float>(10, 12, 3)), BrickOptions{});
  const auto work     = Impl::make_brick_work(Exec(), bricks, 4);
  const auto multiply = [&](const auto& B, const auto& C, const auto& list) {
    Impl::spmm_bricks(
        Exec(), bricks,
        Impl::SpmmArguments<float>{1.0f, 0.0f, Impl::dense_block<const float>(B), Impl::dense_block<float>(C)}, list);
  };
  EXPECT_NO_THROW(multiply(Right("B", 12, 4), Right("C", 10, 4), work));
  EXPECT_THROW(multiply(Right("B", 11, 4), Right("C", 10, 4), work), DimensionMismatch);
  EXPECT_THROW(multiply(Right("B", 12, 4), Right("C", 9, 4), work), DimensionMismatch);
  EXPECT_THROW(multiply(Right("B", 12, 5), Right("C", 10, 4), work), DimensionMismatch);
  EXPECT_THROW(multiply(Left("B", 12, 4), Right("C", 10, 4), work), NotSupported);
  EXPECT_THROW(multiply(Right("B", 12, 4), Right("C", 10, 4), decltype(work)()), InvalidArgument);
}

}  // namespace
}  // namespace lacuna::Test

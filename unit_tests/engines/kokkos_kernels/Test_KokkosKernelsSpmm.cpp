// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_KokkosKernels.hpp>

#include <engines/kokkos_kernels/KokkosKernels_Support.hpp>
#include <reference/Reference_Spmm.hpp>
#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <vector>

/// \file
/// \brief `KokkosSparse::spmv` of multivectors runs our kernels.

namespace lacuna::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class ScalarType, class OrdinalType, class OffsetType, class Layout>
struct Types {
  using Scalar      = ScalarType;
  using Matrix      = KokkosSparse::CrsMatrix<ScalarType, OrdinalType, Exec::device_type, void, OffsetType>;
  using Multivector = Kokkos::View<ScalarType**, Layout, Exec::device_type>;
  using Handle      = KokkosSparse::SPMVHandle<Exec, Matrix, Multivector, Multivector>;
};

template <class T>
class KokkosKernelsSpmm : public testing::Test {};
using AllTypes =
    testing::Types<Types<double, int, int, Kokkos::LayoutLeft>, Types<float, int, std::size_t, Kokkos::LayoutRight>,
                   Types<Kokkos::complex<float>, std::int64_t, std::size_t, Kokkos::LayoutLeft>>;
TYPED_TEST_SUITE(KokkosKernelsSpmm, AllTypes);

/// C = alpha op(A) B + beta C by `call(alpha, B, beta, C)`, compared with the oracle.
template <class T, class Call>
testing::AssertionResult is_right(Op op, const HostMatrix<typename T::Scalar>& host, std::int64_t columns,
                                  const Call& call, double beta = -0.5) {
  using Scalar         = typename T::Scalar;
  const auto rows      = op == Op::none ? host.rows : host.columns;
  const auto inner     = op == Op::none ? host.columns : host.rows;
  const auto B         = random_vector<Scalar>(inner * columns, 3);
  auto C               = random_vector<Scalar>(rows * columns, 4);
  const auto reference = reference_spmm(op, Scalar(2), host, B, columns, Scalar(beta), C);
  if (beta == 0) C.assign(C.size(), Scalar(std::numeric_limits<typename RealOf<Scalar>::type>::quiet_NaN()));
  const auto b = make_block<typename T::Multivector>("B", B, inner, columns);
  const auto c = make_block<typename T::Multivector>("C", C, rows, columns);
  call(Scalar(2), b, Scalar(beta), c);
  return matches(reference, to_row_major(c));
}

TYPED_TEST(KokkosKernelsSpmm, AHandleServesAnyNumberOfColumns) {
  using Scalar = typename TypeParam::Scalar;
  for (const auto& host : {uneven_matrix<Scalar>(300, 200, 30), dense_row_matrix<Scalar>(400, 3000, 7),
                           shuffled(block_matrix<Scalar>(40, 40, 4, 5))}) {
    const auto A = make_crs<typename TypeParam::Matrix>(host);
    typename TypeParam::Handle handle;
    for (const std::int64_t columns : {8, 3, 33}) {
      for (const double beta : {-0.5, 0.0}) {
        const auto seen = seen_of([&] {
          EXPECT_TRUE(is_right<TypeParam>(
              Op::none, host, columns,
              [&](auto alpha, const auto& B, auto b, const auto& C) {
                KokkosSparse::spmv(&handle, "N", alpha, A, B, b, C);
              },
              beta));
        });
        EXPECT_TRUE(seen.has_region("KokkosSparse::spmv[TPL_LACUNA]"));
        EXPECT_TRUE(seen.has_region("Lacuna::spmm["));
        EXPECT_EQ(seen.has_region("Lacuna::SpmmPlan"), columns == 8 && beta != 0);
      }
    }
    EXPECT_NE(handle.tpl_rank2, nullptr);
  }
}

TYPED_TEST(KokkosKernelsSpmm, WithoutAHandleItIsOurCallWithoutAPlan) {
  const auto host = uneven_matrix<typename TypeParam::Scalar>(300, 200, 30);
  const auto A    = make_crs<typename TypeParam::Matrix>(host);
  const auto seen = seen_of([&] {
    EXPECT_TRUE(is_right<TypeParam>(Op::none, host, 5, [&](auto alpha, const auto& B, auto beta, const auto& C) {
      KokkosSparse::spmv("N", alpha, A, B, beta, C);
    }));
  });
  EXPECT_TRUE(seen.has_region("Lacuna::spmm[one_shot"));
}

TYPED_TEST(KokkosKernelsSpmm, OtherModesAreTheirs) {
  const auto host = uneven_matrix<typename TypeParam::Scalar>(300, 200, 30);
  const auto A    = make_crs<typename TypeParam::Matrix>(host);
  typename TypeParam::Handle handle;
  const auto seen = seen_of([&] {
    EXPECT_TRUE(is_right<TypeParam>(Op::transpose, host, 5, [&](auto alpha, const auto& B, auto beta, const auto& C) {
      KokkosSparse::spmv(&handle, "T", alpha, A, B, beta, C);
    }));
  });
  EXPECT_TRUE(seen.is_theirs());
}

TYPED_TEST(KokkosKernelsSpmm, NewValuesBehindTheHandleCountAtOnce) {
  using Scalar = typename TypeParam::Scalar;
  auto host    = uneven_matrix<Scalar>(300, 200, 30);
  const auto A = make_crs<typename TypeParam::Matrix>(host);
  typename TypeParam::Handle handle;
  const auto multiply = [&](auto alpha, const auto& B, auto beta, const auto& C) {
    KokkosSparse::spmv(&handle, "N", alpha, A, B, beta, C);
  };
  EXPECT_TRUE(is_right<TypeParam>(Op::none, host, 8, multiply));
  host.values = random_vector<Scalar>(host.nonzeros(), 77);
  Kokkos::deep_copy(A.values, make_view<Kokkos::View<Scalar*, Exec::device_type>>("values", host.values));
  EXPECT_TRUE(is_right<TypeParam>(Op::none, host, 8, multiply));
}

TYPED_TEST(KokkosKernelsSpmm, OneColumnAndNone) {
  const auto host = uneven_matrix<typename TypeParam::Scalar>(300, 200, 30);
  const auto A    = make_crs<typename TypeParam::Matrix>(host);
  typename TypeParam::Handle handle;
  for (const std::int64_t columns : {0, 1})
    EXPECT_TRUE(is_right<TypeParam>(Op::none, host, columns, [&](auto alpha, const auto& B, auto beta, const auto& C) {
      KokkosSparse::spmv(&handle, "N", alpha, A, B, beta, C);
    }));
  EXPECT_NE(handle.tpl_rank1, nullptr);  // Kokkos Kernels makes a vector of one column
}

}  // namespace
}  // namespace lacuna::Test

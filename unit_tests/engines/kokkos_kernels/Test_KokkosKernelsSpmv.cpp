// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_KokkosKernels.hpp>

#include <engines/kokkos_kernels/KokkosKernels_Support.hpp>
#include <reference/Reference_Spmv.hpp>
#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

/// \file
/// \brief `KokkosSparse::spmv` of vectors, as a user of Kokkos Kernels calls it, runs our kernels.

namespace lacuna::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using testing::HasSubstr;

template <class ScalarType, class OrdinalType, class OffsetType>
struct Types {
  using Scalar = ScalarType;
  using Matrix = KokkosSparse::CrsMatrix<ScalarType, OrdinalType, Exec::device_type, void, OffsetType>;
  using Vector = Kokkos::View<ScalarType*, Exec::device_type>;
  using Handle = KokkosSparse::SPMVHandle<Exec, Matrix, Vector, Vector>;
};

template <class T>
class KokkosKernelsSpmv : public testing::Test {};
using AllTypes = testing::Types<Types<double, int, int>, Types<float, int, std::size_t>,
                                Types<Kokkos::complex<double>, std::int64_t, std::size_t>>;
TYPED_TEST_SUITE(KokkosKernelsSpmv, AllTypes);

template <class T>
std::vector<HostMatrix<typename T::Scalar>> matrices() {
  using Scalar = typename T::Scalar;
  return {uneven_matrix<Scalar>(300, 200, 30), banded_matrix<Scalar>(500, 500, 2, 3),
          shuffled(random_matrix<Scalar>(64, 1000, 17)), dense_row_matrix<Scalar>(400, 3000, 7),
          with_duplicates(mostly_empty_matrix<Scalar>(200, 90, 5, 8))};
}

/// y = alpha op(A) x + beta y by `call(alpha, x, beta, y)`, compared with the oracle.
template <class T, class Call>
testing::AssertionResult is_right(Op op, const HostMatrix<typename T::Scalar>& host, const Call& call, double alpha = 2,
                                  double beta = -0.5) {
  using Scalar         = typename T::Scalar;
  using Vector         = typename T::Vector;
  const auto x         = random_vector<Scalar>(op == Op::none ? host.columns : host.rows, 3);
  const auto y         = random_vector<Scalar>(op == Op::none ? host.rows : host.columns, 4);
  const auto reference = reference_spmv(op, Scalar(alpha), host, x, Scalar(beta), y);
  const auto on_device = make_view<Vector>("x", x), result = make_view<Vector>("y", y);
  call(Scalar(alpha), on_device, Scalar(beta), result);
  return matches(reference, to_vector(result));
}

TYPED_TEST(KokkosKernelsSpmv, AHandleRunsOurKernelAndKeepsOurPlan) {
  for (const auto& host : matrices<TypeParam>()) {
    const auto A = make_crs<typename TypeParam::Matrix>(host);
    typename TypeParam::Handle handle;
    for (int call = 0; call < 2; ++call) {
      const auto seen = seen_of([&] {
        EXPECT_TRUE(is_right<TypeParam>(Op::none, host, [&](auto alpha, const auto& x, auto beta, const auto& y) {
          KokkosSparse::spmv(&handle, "N", alpha, A, x, beta, y);
        }));
      });
      EXPECT_TRUE(seen.has_region("KokkosSparse::spmv[TPL_LACUNA]"));
      EXPECT_TRUE(seen.has_region("Lacuna::spmv["));
      EXPECT_EQ(seen.has_region("Lacuna::SpmvPlan"), call == 0);
    }
    EXPECT_NE(handle.tpl_rank1, nullptr);
  }
}

TYPED_TEST(KokkosKernelsSpmv, WithoutAHandleItIsOurCallWithoutAPlan) {
  for (const auto& host : matrices<TypeParam>()) {
    const auto A    = make_crs<typename TypeParam::Matrix>(host);
    const auto seen = seen_of([&] {
      EXPECT_TRUE(is_right<TypeParam>(Op::none, host, [&](auto alpha, const auto& x, auto beta, const auto& y) {
        KokkosSparse::spmv("N", alpha, A, x, beta, y);
      }));
    });
    EXPECT_TRUE(seen.has_region("Lacuna::spmv[one_shot"));
  }
}

TYPED_TEST(KokkosKernelsSpmv, OtherModesAreTheirs) {
  const auto host = uneven_matrix<typename TypeParam::Scalar>(300, 200, 30);
  const auto A    = make_crs<typename TypeParam::Matrix>(host);
  typename TypeParam::Handle handle;
  for (const auto& [mode, op] : {std::pair{"T", Op::transpose}, std::pair{"H", Op::conjugate_transpose}}) {
    const auto seen = seen_of([&, mode = mode, op = op] {
      EXPECT_TRUE(is_right<TypeParam>(op, host, [&](auto alpha, const auto& x, auto beta, const auto& y) {
        KokkosSparse::spmv(&handle, mode, alpha, A, x, beta, y);
      }));
    });
    EXPECT_TRUE(seen.is_theirs()) << mode;
  }
  auto conjugate = host;
  if constexpr (is_complex<typename TypeParam::Scalar>)
    for (auto& value : conjugate.values) value = Kokkos::conj(value);
  const auto seen = seen_of([&] {
    EXPECT_TRUE(is_right<TypeParam>(Op::none, conjugate, [&](auto alpha, const auto& x, auto beta, const auto& y) {
      KokkosSparse::spmv(&handle, "C", alpha, A, x, beta, y);
    }));
  });
  EXPECT_EQ(seen.has_region("TPL_LACUNA"), !is_complex<typename TypeParam::Scalar>);
}

TYPED_TEST(KokkosKernelsSpmv, NativeAlgorithmsStayNative) {
  const auto host = uneven_matrix<typename TypeParam::Scalar>(300, 200, 30);
  const auto A    = make_crs<typename TypeParam::Matrix>(host);
  typename TypeParam::Handle handle(KokkosSparse::SPMV_NATIVE);
  const auto seen = seen_of([&] {
    EXPECT_TRUE(is_right<TypeParam>(Op::none, host, [&](auto alpha, const auto& x, auto beta, const auto& y) {
      KokkosSparse::spmv(&handle, "N", alpha, A, x, beta, y);
    }));
  });
  EXPECT_TRUE(seen.is_theirs());
  EXPECT_EQ(handle.tpl_rank1, nullptr);
}

TYPED_TEST(KokkosKernelsSpmv, NewValuesBehindTheHandleCountAtOnce) {
  for (auto host : matrices<TypeParam>()) {
    const auto A = make_crs<typename TypeParam::Matrix>(host);
    typename TypeParam::Handle handle;
    const auto multiply = [&](auto alpha, const auto& x, auto beta, const auto& y) {
      KokkosSparse::spmv(&handle, "N", alpha, A, x, beta, y);
    };
    EXPECT_TRUE(is_right<TypeParam>(Op::none, host, multiply));
    host.values = random_vector<typename TypeParam::Scalar>(host.nonzeros(), 77);
    Kokkos::deep_copy(A.values, make_view<typename TypeParam::Vector>("values", host.values));
    const auto seen = seen_of([&] { EXPECT_TRUE(is_right<TypeParam>(Op::none, host, multiply)); });
    EXPECT_FALSE(seen.has_region("Lacuna::SpmvPlan"));
  }
}

TYPED_TEST(KokkosKernelsSpmv, AnotherMatrixGetsAPlanOfItsOwn) {
  typename TypeParam::Handle handle;
  for (const auto& host : matrices<TypeParam>()) {
    const auto A = make_crs<typename TypeParam::Matrix>(host);
    EXPECT_TRUE(is_right<TypeParam>(Op::none, host, [&](auto alpha, const auto& x, auto beta, const auto& y) {
      KokkosSparse::spmv(&handle, "N", alpha, A, x, beta, y);
    }));
  }
}

using Double = Types<double, int, int>;

TEST(KokkosKernelsSpmvHandle, MayEndBeforeAndAfterItsMatrix) {
  const auto host = uneven_matrix<double>(300, 200, 30);
  auto A          = std::make_unique<Double::Matrix>(make_crs<Double::Matrix>(host));
  auto handle     = std::make_unique<Double::Handle>();
  const auto run  = [&] {
    return is_right<Double>(Op::none, host, [&](auto alpha, const auto& x, auto beta, const auto& y) {
      KokkosSparse::spmv(handle.get(), "N", alpha, *A, x, beta, y);
    });
  };
  EXPECT_TRUE(run());
  handle = std::make_unique<Double::Handle>();
  EXPECT_TRUE(run());
  A.reset();
  handle.reset();
}

TEST(KokkosKernelsSpmvHandle, GoesFromInstanceToInstance) {
  const auto host = dense_row_matrix<double>(400, 3000, 7);
  const auto A    = make_crs<Double::Matrix>(host);
  Double::Handle handle;
  const Exec instances[] = {Exec(), another_instance<Exec>(), Exec()};
  for (const Exec& exec : instances) {
    Recorder recorder;
    EXPECT_TRUE(is_right<Double>(Op::none, host, [&](auto alpha, const auto& x, auto beta, const auto& y) {
      KokkosSparse::spmv(exec, &handle, "N", alpha, A, x, beta, y);
      exec.fence();
    }));
    recorder.stop();
    int ours = 0;
    for (const auto& kernel : recorder.kernels())
      if (kernel.label.starts_with("Lacuna::spmv")) {
        EXPECT_EQ(kernel.device, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
        ++ours;
      }
    EXPECT_GT(ours, 0);
  }
}

TEST(KokkosKernelsSpmvHandle, NaNInYVanishesWhereBetaIsZero) {
  const auto host      = uneven_matrix<double>(300, 200, 30);
  const auto A         = make_crs<Double::Matrix>(host);
  const auto x         = random_vector<double>(200);
  const auto reference = reference_spmv(Op::none, 1.0, host, x, 0.0, {});
  Double::Handle handle;
  const Double::Vector y("y", 300);
  for (const double alpha : {1.0, 0.0}) {
    Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
    KokkosSparse::spmv(&handle, "N", alpha, A, make_view<Double::Vector>("x", x), 0.0, y);
    if (alpha == 0)
      EXPECT_THAT(to_vector(y), testing::Each(0.0));
    else
      EXPECT_TRUE(matches(reference, to_vector(y)));
  }
}

TEST(KokkosKernelsSpmvHandle, TakesStridedVectors) {
  using Strided   = Kokkos::View<double*, Kokkos::LayoutStride, Exec::device_type>;
  using Handle    = KokkosSparse::SPMVHandle<Exec, Double::Matrix, Strided, Strided>;
  const auto host = uneven_matrix<double>(300, 200, 30);
  const auto A    = make_crs<Double::Matrix>(host);
  Handle handle;
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec::device_type> xs("xs", 200, 3), ys("ys", 300, 2);
  const auto seen = seen_of([&] {
    EXPECT_TRUE(is_right<Double>(Op::none, host, [&](double alpha, const auto& x, double beta, const auto& y) {
      const Strided sx = Kokkos::subview(xs, Kokkos::ALL, 1), sy = Kokkos::subview(ys, Kokkos::ALL, 1);
      Kokkos::deep_copy(sx, x);
      Kokkos::deep_copy(sy, y);
      KokkosSparse::spmv(&handle, "N", alpha, A, sx, beta, sy);
      Kokkos::deep_copy(y, sy);
    }));
  });
  EXPECT_TRUE(seen.has_region("TPL_LACUNA"));
}

TEST(KokkosKernelsSpmvHandle, EmptyMatricesAreRight) {
  for (const auto& [rows, columns] : {std::pair{0, 5}, std::pair{5, 0}, std::pair{4, 3}}) {
    HostMatrix<double> host;
    host.rows    = rows;
    host.columns = columns;
    host.row_map.assign(static_cast<std::size_t>(rows) + 1, 0);
    const auto A = make_crs<Double::Matrix>(host);
    Double::Handle handle;
    EXPECT_TRUE(is_right<Double>(Op::none, host, [&](double alpha, const auto& x, double beta, const auto& y) {
      KokkosSparse::spmv(&handle, "N", alpha, A, x, beta, y);
    }));
  }
}

TEST(KokkosKernelsSpmvHandle, ErrorsOfExtentsAreTheirs) {
  const auto A = make_crs<Double::Matrix>(uneven_matrix<double>(300, 200, 30));
  Double::Handle handle;
  EXPECT_THROW(KokkosSparse::spmv(&handle, "N", 1.0, A, Double::Vector("x", 199), 0.0, Double::Vector("y", 300)),
               std::runtime_error);
}

TEST(KokkosKernelsSpmvHandle, AForeignPlanInTheHandleIsLeftAlone) {
  struct Foreign final : KokkosSparse::Impl::TPL_SpMV_Data<Exec> {
    Foreign() : KokkosSparse::Impl::TPL_SpMV_Data<Exec>(Exec()) {}
  };
  const auto host = uneven_matrix<double>(300, 200, 30);
  const auto A    = make_crs<Double::Matrix>(host);
  Double::Handle handle;
  auto* const foreign = new Foreign;
  handle.tpl_rank1    = foreign;
  EXPECT_TRUE(is_right<Double>(Op::none, host, [&](double alpha, const auto& x, double beta, const auto& y) {
    KokkosSparse::spmv(&handle, "N", alpha, A, x, beta, y);
  }));
  EXPECT_EQ(handle.tpl_rank1, foreign);
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kokkos_kernels_plans.hpp>

#include <engines/kokkos_kernels/KokkosKernels_Support.hpp>
#include <engines/kokkos_kernels/KokkosKernels_Vectors.hpp>
#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <limits>
#include <memory>
#include <utility>

/// \file
/// \brief Plans that handles of `KokkosSparse::spmv` keep: their life, their instances, what they are not for.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using Vector = Kokkos::View<double*, Exec::device_type>;
using Handle = KokkosSparse::SPMVHandle<Exec, Matrix, Vector, Vector>;

TEST(KokkosKernelsSpmvHandle, MayEndBeforeAndAfterItsMatrix) {
  const auto host = uneven_matrix<double>(300, 200, 30);
  auto A          = std::make_unique<Matrix>(make_crs<Matrix>(host));
  auto handle     = std::make_unique<Handle>();
  const auto run  = [&] {
    return is_right<Vector>(Op::none, host, [&](auto alpha, const auto& x, auto beta, const auto& y) {
      KokkosSparse::spmv(handle.get(), "N", alpha, *A, x, beta, y);
    });
  };
  EXPECT_TRUE(run());
  handle = std::make_unique<Handle>();
  EXPECT_TRUE(run());
  A.reset();
  handle.reset();
}

TEST(KokkosKernelsSpmvHandle, GoesFromInstanceToInstance) {
  const auto host = dense_row_matrix<double>(400, 3000, 7);
  const auto A    = make_crs<Matrix>(host);
  Handle handle;
  const Exec instances[] = {Exec(), another_instance<Exec>(), Exec()};
  for (const Exec& exec : instances) {
    Recorder recorder;
    EXPECT_TRUE(is_right<Vector>(Op::none, host, [&](auto alpha, const auto& x, auto beta, const auto& y) {
      KokkosSparse::spmv(exec, &handle, "N", alpha, A, x, beta, y);
      exec.fence();
    }));
    recorder.stop();
    int ours = 0;
    for (const auto& kernel : recorder.kernels())
      if (kernel.label.starts_with("Lacuna::spm")) {  // on GPUs a row kernel says spmm, as that of SpMM does
        EXPECT_EQ(kernel.device, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
        ++ours;
      }
    EXPECT_GT(ours, 0);
  }
}

TEST(KokkosKernelsSpmvHandle, NaNInYVanishesWhereBetaIsZero) {
  const auto host      = uneven_matrix<double>(300, 200, 30);
  const auto A         = make_crs<Matrix>(host);
  const auto x         = random_vector<double>(200);
  const auto reference = reference_spmv(Op::none, 1.0, host, x, 0.0, {});
  Handle handle;
  const Vector y("y", 300);
  for (const double alpha : {1.0, 0.0}) {
    Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
    KokkosSparse::spmv(&handle, "N", alpha, A, make_view<Vector>("x", x), 0.0, y);
    if (alpha == 0)
      EXPECT_THAT(to_vector(y), testing::Each(0.0));
    else
      EXPECT_TRUE(matches(reference, to_vector(y)));
  }
}

TEST(KokkosKernelsSpmvHandle, TakesStridedVectors) {
  using Strided   = Kokkos::View<double*, Kokkos::LayoutStride, Exec::device_type>;
  const auto host = uneven_matrix<double>(300, 200, 30);
  const auto A    = make_crs<Matrix>(host);
  KokkosSparse::SPMVHandle<Exec, Matrix, Strided, Strided> handle;
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec::device_type> xs("xs", 200, 3), ys("ys", 300, 2);
  const auto seen = seen_of([&] {
    EXPECT_TRUE(is_right<Vector>(Op::none, host, [&](double alpha, const auto& x, double beta, const auto& y) {
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
    const auto A = make_crs<Matrix>(host);
    Handle handle;
    EXPECT_TRUE(is_right<Vector>(Op::none, host, [&](double alpha, const auto& x, double beta, const auto& y) {
      KokkosSparse::spmv(&handle, "N", alpha, A, x, beta, y);
    }));
  }
}

TEST(KokkosKernelsSpmvHandle, ErrorsOfExtentsAreTheirs) {
  const auto A = make_crs<Matrix>(uneven_matrix<double>(300, 200, 30));
  Handle handle;
  EXPECT_THROW(KokkosSparse::spmv(&handle, "N", 1.0, A, Vector("x", 199), 0.0, Vector("y", 300)), std::runtime_error);
}

TEST(KokkosKernelsSpmvHandle, AForeignPlanInTheHandleIsLeftAlone) {
  struct Foreign final : KokkosSparse::Impl::TPL_SpMV_Data<Exec> {
    Foreign() : KokkosSparse::Impl::TPL_SpMV_Data<Exec>(Exec()) {}
  };
  const auto host = uneven_matrix<double>(300, 200, 30);
  const auto A    = make_crs<Matrix>(host);
  Handle handle;
  auto* const foreign = new Foreign;
  handle.tpl_rank1    = foreign;
  EXPECT_TRUE(is_right<Vector>(Op::none, host, [&](double alpha, const auto& x, double beta, const auto& y) {
    KokkosSparse::spmv(&handle, "N", alpha, A, x, beta, y);
  }));
  EXPECT_EQ(handle.tpl_rank1, foreign);
}

}  // namespace
}  // namespace lacuna::Test

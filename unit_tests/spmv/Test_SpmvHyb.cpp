// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <kernels/spmv/published/hyb/Lacuna_SpmvHybKernel.hpp>
#include <spmv/Spmv_Kernel_Check.hpp>

namespace {

using namespace lacuna;

template <class Format, class Workspace>
struct Prepared {
  Format A;
  Workspace workspace;
};

struct Hyb {
  static constexpr const char* name = "hyb";
  template <class ExecutionSpace, class Matrix>
  static auto prepare(const ExecutionSpace& exec, const Matrix& matrix) {
    using Scalar   = typename Matrix::non_const_value_type;
    using Ordinal  = typename Matrix::non_const_ordinal_type;
    auto A         = to_hyb(exec, matrix, {.width = 3});
    const auto n   = static_cast<std::int64_t>(A.coo.nonzeros());
    auto workspace = Impl::make_spmv_coo_workspace<Scalar, Ordinal>(exec, n);
    EXPECT_EQ(workspace.bytes(), (Impl::spmv_coo_workspace_bytes<Scalar, Ordinal>(n)));
    return Prepared<decltype(A), decltype(workspace)>{A, workspace};
  }
  template <class ExecutionSpace, class Prepared, class Arguments>
  static void run(const ExecutionSpace& exec, const Prepared& prepared, const Arguments& arguments,
                  Impl::SpmvShape shape) {
    Impl::spmv_hyb(exec, prepared.A, arguments, shape, prepared.workspace);
  }
};

TEST(SpmvHyb, EveryTypeOnSamples) { lacuna::Test::check_every_type<Hyb>(); }

TEST(SpmvHyb, EveryShape) { lacuna::Test::driver<Hyb>().run_shapes(); }

/// All nonzeros in one part or the other.
template <int width>
struct OfWidth : Hyb {
  template <class ExecutionSpace, class Matrix>
  static auto prepare(const ExecutionSpace& exec, const Matrix& matrix) {
    using Scalar   = typename Matrix::non_const_value_type;
    using Ordinal  = typename Matrix::non_const_ordinal_type;
    auto A         = to_hyb(exec, matrix, {.width = width});
    auto workspace = Impl::make_spmv_coo_workspace<Scalar, Ordinal>(exec, static_cast<std::int64_t>(A.coo.nonzeros()));
    return Prepared<decltype(A), decltype(workspace)>{A, workspace};
  }
};

TEST(SpmvHyb, OnePartOnly) {
  for (const auto& sample : lacuna::Test::sample_matrices<double>()) {
    lacuna::Test::driver<OfWidth<0>>().run_factors(sample);
    lacuna::Test::driver<OfWidth<800>>().run_factors(sample);
  }
}

TEST(SpmvHyb, InfAndNanStayInTheirRows) { lacuna::Test::driver<Hyb>().run_isolation(); }

TEST(SpmvHyb, Serial) { lacuna::Test::check_serial<Hyb>(); }

}  // namespace

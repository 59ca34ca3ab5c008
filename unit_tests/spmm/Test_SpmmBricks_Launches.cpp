// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/Bricks_Support.hpp>
#include <support/Reference_Space.hpp>

// The kernel on bricks started by Kokkos::TeamPolicy, with its small scratch, where the native launch is usual; and
// with AMD's atoms, emulated.

namespace lacuna::Test {
namespace {

template <class Scalar, class ExecutionSpace>
using CrsOf = KokkosSparse::CrsMatrix<Scalar, int, typename ExecutionSpace::device_type, void, int>;

/// A little of everything.
template <class Engine, Impl::LaunchPath path, class Scalar, class ExecutionSpace>
void check_everything(const ExecutionSpace& exec) {
  using Crs        = CrsOf<Scalar, ExecutionSpace>;
  const auto check = [&](const BricksCase& how, const HostMatrix<Scalar>& A, std::int64_t columns, double alpha,
                         double beta, const std::string& name) {
    check_bricks<Precision::full, Engine, Crs, path>(exec, how, A, columns, static_cast<Scalar>(alpha),
                                                     static_cast<Scalar>(beta), 0.0, name);
  };
  for (const int panel_rows : {8, 16}) {
    for (const std::int64_t columns : {0, 1, 16, 17, 33, 64, 129, 300})
      check({.panel_rows = panel_rows}, uneven_matrix<Scalar>(41, 60, 13), columns, 1, 0, "uneven");
    for (const auto& [name, A] : sample_matrices<Scalar>()) check({.panel_rows = panel_rows}, A, 20, 1, 0, name);
    for (const std::int64_t padding : {1, 2, 4})
      check({.panel_rows = panel_rows, .padding = padding, .column_major = true}, uneven_matrix<Scalar>(19, 23, 11), 40,
            -2, 0.5, "strides");
    check({.panel_rows = panel_rows, .longest_segment = 2, .reversed = true}, random_matrix<Scalar>(37, 300, 60), 45, 1,
          1, "segments");
  }
}

TEST(SpmmBricksLaunches, TeamPolicy) {
  check_everything<AnyEngine, Impl::LaunchPath::team_policy, float>(Kokkos::DefaultExecutionSpace());
}
TEST(SpmmBricksLaunches, AmdFloat) {
  check_everything<Impl::RoundedEngine<Impl::EmulatedMma<Impl::Gfx90a_16x16x4_f32>>, Impl::LaunchPath::automatic,
                   float>(ReferenceSpace());
}
TEST(SpmmBricksLaunches, AmdDouble) {
  check_everything<Impl::RoundedEngine<Impl::EmulatedMma<Impl::Gfx90a_16x16x4_f64>>, Impl::LaunchPath::automatic,
                   double>(ReferenceSpace());
}
TEST(SpmmBricksLaunches, Serial) {
  if (!has_serial) GTEST_SKIP() << no_serial;
  const auto A = uneven_matrix<double>(30, 30, 9);
  check_bricks<Precision::full, AnyEngine, CrsOf<double, ReferenceSpace>>(ReferenceSpace(), {}, A, 20, 1.0, 0.0, 0.0,
                                                                          "serial");
}

}  // namespace
}  // namespace lacuna::Test

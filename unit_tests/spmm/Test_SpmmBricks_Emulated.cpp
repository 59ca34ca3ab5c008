// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/Bricks_Support.hpp>
#include <support/Reference_Space.hpp>

// The kernel on bricks with AMD's atoms, emulated, and on Serial: hosts run these, whatever GPU there is.

namespace lacuna::Test {
namespace {

TEST(SpmmBricksEmulated, AmdFloat) {
  check_bricks_of_every_kind<Impl::RoundedEngine<Impl::EmulatedMma<Impl::Gfx90a_16x16x4_f32>>,
                             Impl::LaunchPath::automatic, float>(ReferenceSpace());
}
TEST(SpmmBricksEmulated, AmdDouble) {
  check_bricks_of_every_kind<Impl::RoundedEngine<Impl::EmulatedMma<Impl::Gfx90a_16x16x4_f64>>,
                             Impl::LaunchPath::automatic, double>(ReferenceSpace());
}
TEST(SpmmBricksEmulated, Serial) {
  if (!has_serial) GTEST_SKIP() << no_serial;
  const auto A = uneven_matrix<double>(30, 30, 9);
  check_bricks<Precision::full, AnyEngine, BricksCrs<double, ReferenceSpace>>(ReferenceSpace(), {}, A, 20, 1.0, 0.0,
                                                                              0.0, "serial");
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/TiledEngine_Support.hpp>

#include <cmath>
#include <cstdint>

/// \file
/// \brief Tiles on the matrix engine in half precision, for GPUs.

namespace lacuna::Test {
namespace {

using namespace TiledEngine;
using Kokkos::Experimental::bhalf_t;
using Kokkos::Experimental::half_t;

TEST(SpmmTiledEngine, HalfPrecision) {
  check_shapes<MatrixOf<half_t>>(Precision::full);
  check_shapes<MatrixOf<bhalf_t, std::int64_t, std::int64_t>>(Precision::full);
  check_layouts<half_t>(Precision::full);
}

// What C in half precision hides: sums in float, of products that are exact.
TEST(SpmmTiledEngine, HalfPrecisionWithResultsInFloat) {
  const Exec exec;
  for (const std::int64_t per_row : {2, 50, 1000}) {
    const auto A         = random_matrix<half_t>(70, 2000, per_row);
    const auto b         = random_vector<half_t>(2000 * 40);
    const auto reference = reference_spmm(Op::none, 1.0f, A, b, 40, 0.0f, std::vector<half_t>());
    const auto B         = make_block<Kokkos::View<half_t**, Kokkos::LayoutRight, Device>>("B", b, 2000, 40);
    const Kokkos::View<float**, Kokkos::LayoutRight, Device> C("C", 70, 40);
    spmm(Plan<MatrixOf<half_t>>(make_crs<MatrixOf<half_t>>(A), engine(40, Precision::full)), 1, B, 0, C);
    const auto c = to_row_major(C);
    for (std::size_t i = 0; i < c.size(); ++i)
      ASSERT_LE(std::abs(static_cast<double>(c[i]) - reference.C[i]),
                2 * 0x1p-24 * static_cast<double>(per_row + 8) * reference.magnitude[i])
          << per_row << ", element " << i;
  }
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>
#include <kernels/spgemm/gcoo/Lacuna_SpgemmGcooKernels.hpp>

#include <support/Emulated_Device.hpp>
#include <support/Test_Matrices.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

/// \file
/// \brief The products of groups of GCOO with warps of 32 and 64, run by fibres on a host.

namespace lacuna::Test {
namespace {

template <int width>
void check_expansion(std::int64_t p) {
  using Matrix = KokkosSparse::CrsMatrix<double, int, Kokkos::HostSpace::device_type, void, int>;
  using Expand = Impl::ExpandGroups<double, int, int>;
  const auto A = to_gcoo(make_crs<Matrix>(uneven_matrix<double>(45, 60, 40)), {.group_size = p});
  const auto B = make_crs<Matrix>(uneven_matrix<double>(60, 3000, 90));
  std::vector<std::int64_t> starts{0};
  for (int k = 0; k < A.nonzeros(); ++k)
    starts.push_back(starts.back() + B.graph.row_map(A.cols(k) + 1) - B.graph.row_map(A.cols(k)));
  const auto all = static_cast<std::size_t>(starts.back());
  std::vector<int> columns(all, -1), rows(all, -1);
  std::vector<double> values(all, 0);
  // Two parts, cut between groups.
  const std::int64_t cut     = A.groups() / 2;
  const std::int64_t parts[] = {0, cut, A.groups()};
  for (int part = 0; part < 2; ++part) {
    const std::int64_t first = parts[part], count = parts[part + 1] - first;
    if (count == 0) continue;
    const std::int64_t product = starts[static_cast<std::size_t>(A.gIdxes(static_cast<std::size_t>(first)))];
    Impl::launch_teams(EmulatedDevice<width>(), "expand", {count, Expand::threads}, 0,
                       Expand{Impl::gcoo_arrays(A), Impl::arrays_of(B), starts.data(), first, product, first * p,
                              columns.data() + product, rows.data() + product, values.data() + product});
  }
  std::size_t at = 0;
  for (int k = 0; k < A.nonzeros(); ++k)
    for (int b = B.graph.row_map(A.cols(k)); b < B.graph.row_map(A.cols(k) + 1); ++b, ++at) {
      ASSERT_EQ(columns[at], B.graph.entries(b)) << "element " << k;
      ASSERT_EQ(values[at], A.values(k) * B.values(b)) << "element " << k;
      ASSERT_EQ(rows[at], A.rows(k) - (A.rows(k) / p < cut ? 0 : cut * p)) << "element " << k;
    }
  EXPECT_EQ(at, all);
}

TEST(SpgemmGcooEmulated, WarpsOf32) {
  for (const std::int64_t p : {1, 4, 16, 64}) check_expansion<32>(p);
}
TEST(SpgemmGcooEmulated, WarpsOf64) {
  for (const std::int64_t p : {1, 4, 16, 64}) check_expansion<64>(p);
}

}  // namespace
}  // namespace lacuna::Test

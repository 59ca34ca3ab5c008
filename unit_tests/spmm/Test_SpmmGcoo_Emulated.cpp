// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmm/published/gcoo/Lacuna_SpmmGcooKernel.hpp>

#include <spmm/Spmm_Check.hpp>
#include <support/Emulated_Device.hpp>

#include <cstdint>
#include <vector>

/// \file
/// \brief Algorithm 2 of the paper on GCOO with warps of 32 and 64, run by fibres on a host.

namespace lacuna::Test {
namespace {

/// Threads of a team share what it staged, with real warps.
template <int width>
void check_warps() {
  const auto host            = uneven_matrix<double>(45, 60, 40);
  using Matrix               = KokkosSparse::CrsMatrix<double, int, Kokkos::HostSpace::device_type, void, int>;
  const auto A               = make_crs<Matrix>(host);
  const std::int64_t columns = 70;
  const auto b               = random_vector<double>(60 * columns);
  const std::vector<double> none(45 * columns, 0.0);
  const auto reference = reference_spmm(Op::none, 1.0, host, b, columns, 0.0, none);
  for (const std::int64_t p : {2, 4, 8, 16, 32}) {
    const auto gcoo = to_gcoo(A, {.group_size = p});
    const TestBlock<double, Kokkos::HostSpace::device_type> B(Storage::rows, 60, columns, b);
    const TestBlock<double, Kokkos::HostSpace::device_type> C(Storage::rows, 45, columns, none);
    Impl::spmm_gcoo(EmulatedDevice<width>(), gcoo, Impl::make_block_arguments<double>(1.0, B.view, 0.0, C.view, 45, 60),
                    64);
    EXPECT_TRUE(matches(reference, to_row_major(C.view), 0)) << "warps of " << width << ", p " << p;
  }
}

TEST(SpmmGcooEmulated, WarpsOf32) { check_warps<32>(); }
TEST(SpmmGcooEmulated, WarpsOf64) { check_warps<64>(); }

}  // namespace
}  // namespace lacuna::Test

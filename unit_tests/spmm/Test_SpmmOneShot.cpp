// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/Spmm_OneShot_Cases.hpp>

// On the default execution space: a GPU, or a host, whose teams have one thread.

namespace lacuna::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class Kernels>
class RowsOneShot : public testing::Test {};
using Types =
    testing::Types<OneShotKernels<Exec, Exec, float, int, int>, OneShotKernels<Exec, Exec, double, int, std::size_t>,
                   OneShotKernels<Exec, Exec, Kokkos::complex<double>, std::int64_t, std::int64_t>>;
TYPED_TEST_SUITE(RowsOneShot, Types);

TYPED_TEST(RowsOneShot, Samples) { TypeParam::samples(); }
TYPED_TEST(RowsOneShot, EveryNumberOfColumns) { TypeParam::every_number_of_columns(); }
TYPED_TEST(RowsOneShot, EveryStorageOfBAndC) { TypeParam::every_storage(); }
TYPED_TEST(RowsOneShot, RowsAtLimitsOfTiles) { TypeParam::limits(); }
TYPED_TEST(RowsOneShot, TheSameBitsOnEveryRun) { TypeParam::the_same_bits(); }

TEST(SpmmOneShotShape, LanesFillN) {
  const auto shape = [](std::int64_t columns, int vector) { return Impl::spmm_one_shot_shape(32, columns, vector); };
  EXPECT_EQ(shape(128, 4).lanes, 32);
  EXPECT_EQ(shape(128, 4).tiles, 1);
  EXPECT_EQ(shape(512, 4).tiles, 4);
  EXPECT_EQ(shape(28, 4).lanes, 8);
  EXPECT_EQ(shape(1, 4).vector, 1);
  EXPECT_EQ(shape(31, 1).lanes, 31);
  EXPECT_EQ(shape(33, 1).lane_vectors, 2);
  EXPECT_EQ(shape(33, 1).lanes, 17);
}

}  // namespace
}  // namespace lacuna::Test

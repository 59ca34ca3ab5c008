// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/Spmm_OneShot_Cases.hpp>
#include <support/Emulated_Device.hpp>
#include <support/Reference_Space.hpp>

// The same on an emulated device with warps of 4 and 32, where Kokkos has no GPU.

namespace lacuna::Test {
namespace {

template <class Kernels>
class SpmmEmulatedLanes : public testing::Test {};
using Types = testing::Types<OneShotKernels<EmulatedDevice<32>, ReferenceSpace, float, int, int>,
                             OneShotKernels<EmulatedDevice<4>, ReferenceSpace, double, std::int64_t, std::size_t>>;
TYPED_TEST_SUITE(SpmmEmulatedLanes, Types);

TYPED_TEST(SpmmEmulatedLanes, Samples) { TypeParam::samples(); }
TYPED_TEST(SpmmEmulatedLanes, EveryNumberOfColumns) { TypeParam::every_number_of_columns(); }
TYPED_TEST(SpmmEmulatedLanes, EveryStorageOfBAndC) { TypeParam::every_storage(); }
TYPED_TEST(SpmmEmulatedLanes, RowsAtLimitsOfTiles) { TypeParam::limits(); }
TYPED_TEST(SpmmEmulatedLanes, TheSameBitsOnEveryRun) { TypeParam::the_same_bits(); }

}  // namespace
}  // namespace lacuna::Test

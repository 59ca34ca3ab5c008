// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmv/Spmv_OneShot_Cases.hpp>
#include <support/Emulated_Device.hpp>
#include <support/Reference_Space.hpp>

// The same on an emulated device with warps of 4 and 32, where Kokkos has no GPU.

namespace lacuna::Test {
namespace {

using Host = ReferenceSpace;

template <class Kernels>
class SpmvEmulatedLanes : public testing::Test {};
using Types = testing::Types<LaneKernels<EmulatedDevice<32>, Host, float, int, int>,
                             LaneKernels<EmulatedDevice<4>, Host, double, std::int64_t, std::size_t>>;
TYPED_TEST_SUITE(SpmvEmulatedLanes, Types);

TYPED_TEST(SpmvEmulatedLanes, OneShotOnSamples) { TypeParam::one_shot_samples(); }
TYPED_TEST(SpmvEmulatedLanes, OneShotAtLimitsOfTiles) { TypeParam::one_shot_limits(); }
TYPED_TEST(SpmvEmulatedLanes, OneShotHasTheSameBitsOnEveryRun) { TypeParam::one_shot_has_the_same_bits(); }
TYPED_TEST(SpmvEmulatedLanes, RowSplitOnSamples) { TypeParam::row_split_samples(); }

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <formats/Test_Conversions.hpp>
#include <support/Emulated_Device.hpp>
#include <support/Reference_Space.hpp>

#include <cstdint>
#include <string>
#include <vector>

// Dense matrices to GCOO on an emulated device with warps of 32 and 64, against what a host makes of them.

namespace lacuna::Test {
namespace {

using Host = ReferenceSpace;
using Gcoo = GcooMatrix<float, int, Host::device_type, int>;

/// Both passes by the lanes of `LanesType`; `in_packs`: lines are read together.
template <class LanesType>
void expect_as_on_host(const Kokkos::View<float**, Kokkos::LayoutStride, Host>& dense, const GcooOptions& options,
                       bool in_packs, const std::string& what) {
  using Kernel        = Impl::GcooFromDense<float, int, int>;
  constexpr int width = ExecutionTraits<LanesType>::lane_width, groups = 2;
  const Host exec;
  const Gcoo expected    = to_gcoo(exec, dense, options);
  const bool by_rows     = expected.grouping == GcooGrouping::rows;
  const auto rows        = static_cast<std::int64_t>(dense.extent(0));
  const auto columns     = static_cast<std::int64_t>(dense.extent(1));
  const auto row_stride  = static_cast<std::int64_t>(dense.stride(0));
  const auto next_column = static_cast<std::int64_t>(dense.stride(1));
  Kernel kernel{};
  kernel.by_rows = by_rows;
  kernel.dense   = {dense.data(),
                  by_rows ? next_column : row_stride,
                  by_rows ? row_stride : next_column,
                  by_rows ? columns : rows,
                  by_rows ? rows : columns,
                    expected.group_size,
                    static_cast<float>(options.threshold)};
  kernel.dense.count();
  kernel.in_packs = kernel.dense.lines_in_packs(Impl::GcooDense<float>::item_lines / width);
  ASSERT_EQ(kernel.in_packs, in_packs) << what;
  const std::int64_t items = kernel.dense.items;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(items), -1), begins(counts.size() + 1);
  std::vector<std::uint8_t> memory(static_cast<std::size_t>(kernel.dense.marks()) + 64, 0xff);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  kernel.counts      = counts.data();
  kernel.begins      = begins.data();
  kernel.marks       = memory.data() + (64 - address % 64);
  const Impl::TeamShape shape{Impl::ceiling_quotient(items, groups), groups * width};
  Impl::launch_teams<groups * width>(LanesType(), "test", shape, 0, Impl::CountGcooWorkItems<Kernel>{kernel});
  for (std::size_t i = 0; i < counts.size(); ++i) begins[i + 1] = begins[i] + counts[i];
  ASSERT_EQ(begins.back(), expected.nonzeros()) << what;
  std::vector<float> values(static_cast<std::size_t>(expected.nonzeros()), -1);
  std::vector<int> row_indices(values.size(), -1), column_indices(values.size(), -1);
  kernel.gcoo = {
      expected.group_size, values.data(), row_indices.data(), column_indices.data(), nullptr, nullptr, nullptr};
  Impl::launch_teams<groups * width>(LanesType(), "test", shape, Kernel::scratch(groups),
                                     Impl::FillGcooWorkItems<Kernel>{kernel});
  EXPECT_EQ(values, to_vector(expected.values)) << what;
  EXPECT_EQ(row_indices, to_vector(expected.rows)) << what;
  EXPECT_EQ(column_indices, to_vector(expected.cols)) << what;
}

template <class LanesType>
class GcooEmulatedLanes : public testing::Test {};
using LaneTypes = testing::Types<EmulatedDevice<32>, EmulatedDevice<64>>;
TYPED_TEST_SUITE(GcooEmulatedLanes, LaneTypes);

TYPED_TEST(GcooEmulatedLanes, DenseMatrices) {
  constexpr std::int64_t rows = 21, columns = 300, stride = 304;
  const Kokkos::View<float*, Host> memory("dense", static_cast<std::size_t>((rows + 1) * stride + 4));
  // Every `nth` element is kept; 1: more than a warp looks up at a time.
  for (const std::int64_t nth : {1, 3, 40, 1000})
    for (const std::int64_t first : {0, 1}) {
      for (std::size_t i = 0; i < memory.extent(0); ++i)
        memory(i) = static_cast<std::int64_t>(i) % nth == 0 ? static_cast<float>(i + 1) : 0.0f;
      const Kokkos::View<float**, Kokkos::LayoutStride, Host> dense(
          memory.data() + first, Kokkos::LayoutStride(static_cast<std::size_t>(rows), static_cast<std::size_t>(stride),
                                                      static_cast<std::size_t>(columns), 1));
      for (const GcooGrouping grouping : {GcooGrouping::rows, GcooGrouping::columns})
        for (const std::int64_t size : {1, 8, 20}) {
          const bool in_packs = grouping == GcooGrouping::rows && first == 0;
          expect_as_on_host<TypeParam>(dense, {.group_size = size, .grouping = grouping}, in_packs,
                                       "every " + std::to_string(nth) + "th from " + std::to_string(first) +
                                           ", groups of " + std::to_string(size) + " " + std::string(name(grouping)));
        }
    }
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spgemm/bins/Lacuna_SpgemmCopyRows.hpp>

#include <support/Emulated_Device.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

/// \file
/// \brief Paper 001, stages 2 and 4: the bin and the group of every row at the edges of the 38 bins, found by the
/// passes of a device with warps of 32 and of 64; how many lanes copy a row.

namespace lacuna::Test {
namespace {

using Group = Impl::SpgemmBinGroup;

struct Expected {
  int bin;
  Group group;
};

/// As the paper tells it, not as the table has it.
Expected published(std::int64_t products) {
  if (products == 0) return {0, Group::nothing};
  if (products == 1) return {1, Group::copy};
  if (products <= 32) return {static_cast<int>(products), Group::heap};
  if (products <= 64) return {33, Group::sort};
  if (products <= 128) return {34, Group::sort};
  if (products <= 256) return {35, Group::sort};
  if (products <= 512) return {36, Group::sort};
  return {37, Group::merge};
}

/// Every length up to 33, both sides of every other edge, and lengths that no 32 bits hold.
std::vector<Impl::Counter> edges() {
  std::vector<Impl::Counter> products(34);
  std::iota(products.begin(), products.end(), Impl::Counter(0));
  for (const Impl::Counter edge : {64, 128, 256, 512, 1024})
    for (const Impl::Counter length : {edge - 1, edge, edge + 1}) products.push_back(length);
  for (const Impl::Counter length : {std::uint64_t{1} << 31, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 2})
    products.push_back(length);
  return products;
}

TEST(SpgemmBinTable, HasThe38BinsOfThePaper) {
  ASSERT_EQ(Impl::spgemm_bin_count, 38);
  std::int64_t next = 0;
  for (int b = 0; b < 38; ++b) {
    const auto& bin = Impl::spgemm_bins[static_cast<std::size_t>(b)];
    EXPECT_EQ(bin.first, next) << "bin " << b;
    for (const std::int64_t edge : {bin.first, bin.last}) {
      EXPECT_EQ(published(edge).bin, b) << edge;
      EXPECT_EQ(published(edge).group, bin.group) << edge;
    }
    if (b < 37) next = bin.last + 1;
  }
  EXPECT_EQ(Impl::spgemm_bins.back().last, INT64_MAX);
}

/// Counts and lists rows as a plan does.
template <int width>
void check_assignment() {
  const EmulatedDevice<width> device;
  // Each length several times, in an order that mixes them, in more rows than a tile has.
  const auto lengths = edges();
  std::vector<Impl::Counter> products;
  for (std::size_t i = 0; i < 60 * lengths.size(); ++i) products.push_back(lengths[i * 7919 % lengths.size()]);
  const auto rows = static_cast<std::int64_t>(products.size());
  ASSERT_GT(rows, Impl::SpgemmTile::rows<EmulatedDevice<width>>());
  Impl::SpgemmCounters counters{};
  std::vector<int> list(products.size(), -1);
  const Impl::SpgemmBinClassifier bins{products.data()};
  Impl::sort_into_classes<EmulatedDevice<width>, Impl::SpgemmBinClassifier, int>(device, "count", bins, rows, &counters,
                                                                                 nullptr);
  Impl::sort_into_classes(device, "list", bins, rows, &counters, list.data());
  std::vector<bool> seen(products.size(), false);
  for (int b = 0; b < 38; ++b) {
    for (std::int64_t i = 0; i < counters.count(b); ++i) {
      const auto row = static_cast<std::size_t>(list.at(static_cast<std::size_t>(counters.first(b) + i)));
      EXPECT_EQ(published(static_cast<std::int64_t>(products.at(row))).bin, b) << products[row] << " products";
      EXPECT_FALSE(seen[row]) << "row " << row;
      seen[row] = true;
    }
    const auto expected = std::count_if(products.begin(), products.end(), [&](Impl::Counter length) {
      return published(static_cast<std::int64_t>(length)).bin == b;
    });
    EXPECT_EQ(counters.count(b), expected) << "bin " << b;
    EXPECT_GT(expected, 0) << "bin " << b;
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0);
}

TEST(SpgemmBinTable, RowsOfWarpsOf32) { check_assignment<32>(); }
TEST(SpgemmBinTable, RowsOfWarpsOf64) { check_assignment<64>(); }

/// Groups 1 to 4 have memory for their upper bound, group 5 grows.
TEST(SpgemmBinTable, UpperBoundOfGroups1To4) {
  for (const Impl::Counter products : edges()) {
    const bool grows = published(static_cast<std::int64_t>(products)).group == Group::merge;
    EXPECT_EQ(Impl::SpgemmBoundOfRow{&products}(0), grows ? 0 : static_cast<std::int64_t>(products));
  }
}

template <int width>
void check_copy_shapes() {
  using Shape       = Impl::SpgemmCopyShape;
  const auto shapes = [](Impl::SpgemmBinLanes lanes, Group group) {
    return Impl::spgemm_copy_shape<EmulatedDevice<width>, 256>(lanes, group);
  };
  using enum Impl::SpgemmBinLanes;
  EXPECT_EQ(shapes(published, Group::copy), (Shape{1, 256})) << "a lane a row";
  EXPECT_EQ(shapes(published, Group::heap), (Shape{width, width})) << "a work group a row";
  EXPECT_EQ(shapes(published, Group::sort), (Shape{width, width}));
  EXPECT_EQ(shapes(published, Group::merge), (Shape{256, 256}));
  EXPECT_EQ(shapes(subwarps, Group::sort), (Shape{8, 256}));
  EXPECT_EQ(shapes(subwarps, Group::merge), (Shape{width, 256}));
}

/// Every shape copies all of every row to its place, and nothing else.
template <int width>
void check_copies() {
  check_copy_shapes<width>();
  const EmulatedDevice<width> device;
  std::vector<int> lengths, list, row_map{0};
  std::vector<std::int64_t> begin;
  std::int64_t at = 3;
  for (int row = 0; row < 40; ++row) {
    lengths.push_back(row * row % 300);
    if (row % 3 != 1) list.push_back(row);
    begin.push_back(at);
    at += lengths.back() + 2;
    row_map.push_back(row_map.back() + lengths.back());
  }
  std::vector<int> from(static_cast<std::size_t>(at));
  std::vector<double> values(static_cast<std::size_t>(at));
  std::iota(from.begin(), from.end(), 0);
  std::copy(from.begin(), from.end(), values.begin());
  for (const auto lanes : {Impl::SpgemmBinLanes::published, Impl::SpgemmBinLanes::subwarps})
    for (const Group group : {Group::copy, Group::heap, Group::sort, Group::merge}) {
      std::vector<int> entries(static_cast<std::size_t>(row_map.back()), -1);
      std::vector<double> copied(entries.size(), -1);
      Impl::spgemm_copy_rows(device,
                             Impl::SpgemmCopyRows<double, int, int>{list.data(),
                                                                    static_cast<std::int64_t>(list.size()),
                                                                    0,
                                                                    begin.data(),
                                                                    nullptr,
                                                                    0,
                                                                    {from.data(), values.data(), 0},
                                                                    {row_map.data(), entries.data(), copied.data()}},
                             Impl::spgemm_copy_shape<EmulatedDevice<width>, 256>(lanes, group));
      for (int row = 0; row < 40; ++row)
        for (int i = 0; i < lengths[static_cast<std::size_t>(row)]; ++i) {
          const auto k       = static_cast<std::size_t>(row_map[static_cast<std::size_t>(row)] + i);
          const int expected = row % 3 == 1 ? -1 : static_cast<int>(begin[static_cast<std::size_t>(row)]) + i;
          ASSERT_EQ(entries[k], expected) << "row " << row;
          ASSERT_EQ(copied[k], expected) << "row " << row;
        }
    }
}

TEST(SpgemmBinTable, CopiesByWarpsOf32) { check_copies<32>(); }
TEST(SpgemmBinTable, CopiesByWarpsOf64) { check_copies<64>(); }

}  // namespace
}  // namespace lacuna::Test

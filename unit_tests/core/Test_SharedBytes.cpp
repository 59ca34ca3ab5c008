// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/memory/Lacuna_SharedBytes.hpp>

#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lacuna::Test {
namespace {

/// count[0] × count[1] elements of `size` bytes.
struct Block {
  std::int64_t begin, size;
  std::array<std::int64_t, 2> count, stride;

  Impl::TouchedBytes touched() const {
    return Impl::touched_bytes(reinterpret_cast<const void*>(static_cast<std::intptr_t>(begin)), size, count[0],
                               stride[0], count[1], stride[1]);
  }
  /// Where elements begin.
  std::vector<std::int64_t> places() const {
    std::vector<std::int64_t> at;
    for (std::int64_t i = 0; i < count[0]; ++i)
      for (std::int64_t j = 0; j < count[1]; ++j) at.push_back(begin + (i * stride[0] + j * stride[1]) * size);
    std::sort(at.begin(), at.end());
    return at;
  }
};

/// By a walk through both.
bool meet(const Block& x, const Block& y) {
  const auto a = x.places(), b = y.places();
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] < b[j] + y.size && b[j] < a[i] + x.size) return true;
    if (a[i] < b[j])
      ++i;
    else
      ++j;
  }
  return false;
}

bool said_to_meet(const Block& x, const Block& y) { return Impl::share_bytes(x.touched(), y.touched()); }

std::string text(const Block& b) {
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  return number(b.count[0]) + " x " + number(b.count[1]) + " of " + number(b.size) + " bytes, strides " +
         number(b.stride[0]) + " and " + number(b.stride[1]) + ", at " + number(b.begin);
}

/// Vectors of every stride, sizes 4 and 8, at every byte: parts of an element count.
TEST(SharedBytes, OfVectorsAreFoundExactly) {
  Random random(1);
  int met = 0, total = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const auto vector = [&](std::int64_t at) {
      const std::int64_t stride = random.below(12), count = random.below(40);
      return Block{at, repeat % 3 == 0 ? 4 : 8, {count, 1}, {stride, 1 + random.below(50)}};
    };
    Block x = vector(4096), y = vector(4096 + random.below(400) - 200);
    if (repeat % 2 == 0) std::swap(y.count[0], y.count[1]), std::swap(y.stride[0], y.stride[1]);
    if (repeat % 5 == 0) y.size = 16;
    ASSERT_EQ(said_to_meet(x, y), meet(x, y)) << text(x) << "; " << text(y);
    met += meet(x, y) ? 1 : 0;
    ++total;
  }
  EXPECT_GT(met, total / 10);
  EXPECT_LT(met, total * 9 / 10);
}

/// Rows, columns and blocks of one View of rank 2 or 3, some by every second or third row or column.
TEST(SharedBytes, OfPartsOfOneViewAreFoundExactly) {
  Random random(2);
  int met = 0, total = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const std::array<std::int64_t, 3> extents{1 + random.below(9), 1 + random.below(9), 1 + random.below(9)};
    const std::array<std::int64_t, 3> strides{extents[1] * (extents[2] + repeat % 3), extents[2] + repeat % 3, 1};
    const auto part = [&] {
      Block block{4096, 8, {1, 1}, {1, 1}};
      const auto all = static_cast<std::size_t>(random.below(3));  // an index of this dimension, ranges of the others
      for (std::size_t d = 0, to = 0; d < 3; ++d) {
        const std::int64_t first = random.below(extents[d]);
        block.begin += 8 * first * strides[d];
        if (d == all) continue;
        block.stride[to]  = strides[d];
        block.count[to++] = 1 + random.below(extents[d] - first);
      }
      return block;
    };
    const Block x = part(), y = part();
    ASSERT_EQ(said_to_meet(x, y), meet(x, y)) << text(x) << "; " << text(y);
    met += meet(x, y) ? 1 : 0;
    ++total;
  }
  EXPECT_GT(met, total / 10);
  EXPECT_LT(met, total * 9 / 10);
}

/// Any strides: what is shared is always found, what is not may be said to be where there are many rows and columns.
TEST(SharedBytes, OfAnyBlocksAreNeverMissed) {
  Random random(3);
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const std::int64_t most = repeat % 2 == 0 ? 8 : 20;
    const auto block        = [&](std::int64_t at) {
      return Block{at, 8, {random.below(most + 1), random.below(most + 1)}, {random.below(40), random.below(40)}};
    };
    const Block x = block(65536), y = block(65536 + 8 * random.below(300));
    if (most == 8)
      ASSERT_EQ(said_to_meet(x, y), meet(x, y)) << text(x) << "; " << text(y);
    else
      ASSERT_TRUE(said_to_meet(x, y) || !meet(x, y)) << text(x) << "; " << text(y);
  }
}

/// As large as memory: nothing overflows, and nothing is counted one by one.
TEST(SharedBytes, OfLargeArrays) {
  const std::int64_t n = std::int64_t{1} << 36;  // 1 TiB of 16 bytes
  const Block even{0, 16, {n, 1}, {2, 1}}, odd{16, 16, {n, 1}, {2, 1}}, thirds{16, 16, {n, 1}, {3, 1}},
      tail{32 * n - 48, 16, {2, 1}, {2, 1}};
  EXPECT_FALSE(said_to_meet(even, odd));
  EXPECT_TRUE(said_to_meet(even, thirds));
  EXPECT_TRUE(said_to_meet(odd, tail));
  EXPECT_FALSE(said_to_meet(even, tail));
  const Block left{0, 8, {1 << 20, 1 << 10}, {1 << 20, 1}}, right{8 << 10, 8, {1 << 20, 1 << 10}, {1 << 20, 1}};
  EXPECT_FALSE(said_to_meet(left, right));
  EXPECT_TRUE(said_to_meet(left, {(8 << 10) - 8, 8, {1 << 20, 1}, {1 << 20, 1}}));
}

TEST(SharedBytes, ElementsThatCoincide) {
  Random random(4);
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const Block block{0, 8, {random.below(9), random.below(9)}, {random.below(12), random.below(12)}};
    const auto places   = block.places();
    const bool expected = std::adjacent_find(places.begin(), places.end()) != places.end();
    ASSERT_EQ(Impl::elements_coincide(block.count[0], block.stride[0], block.count[1], block.stride[1]), expected)
        << text(block);
  }
}

}  // namespace
}  // namespace lacuna::Test

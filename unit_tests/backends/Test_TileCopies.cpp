// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <backends/Lacuna_Launch.hpp>
#include <backends/Lacuna_TileCopies.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// Boxes of a block go through a ring of two stages, asked for by one warp and read by the others, and come out as
// they were, with zeros where the block ends; so do plain bytes beside them.

namespace lacuna::Impl {

constexpr int box_rows = 24, box_columns = 64, bytes_beside = 48;

template <class Scalar, class ExecutionSpace>
struct ThroughBoxes {
  static constexpr bool stays_in_place = true;

  using Copies                  = TileCopiesFor<ExecutionSpace>;
  static constexpr int elements = box_rows * box_columns, box_bytes = elements * static_cast<int>(sizeof(Scalar));
  static constexpr int stage = box_bytes + 128;
  struct alignas(128) Line {
    char bytes[128];
  };

  const Scalar* beside;  // bytes_beside bytes a box
  Scalar* result;        // elements of a box, then those beside it
  int boxes;             // of a team, one below the other
  std::int64_t first_row;
  typename Copies::Map map;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if constexpr (Copies::has_engine) {
      using stages       = typename Team::stages;
      const auto scratch = stages::address(team.template scratch<Line>(2 * stage / 128 + 1));
      const auto full = scratch + 2 * stage, free = full + 16;
      if (team.thread() == 0) {
        for (int s = 0; s < 2; ++s) {
          Copies::init(full + 8 * s, 1);
          Copies::init(free + 8 * s, team.threads() - Team::lane_width);
        }
        Copies::visible();
      }
      team.barrier();
      if (team.warp() == 0 && team.lane() > 0) return;
      for (int i = 0; i < boxes; ++i) {
        const int s = i % 2, box = team.league_rank() * boxes + i;
        const auto to = scratch + s * stage;
        if (team.warp() == 0) {
          if (i >= 2) Copies::wait(free + 8 * s, (i / 2 - 1) % 2);
          Copies::arrive_for(full + 8 * s, box_bytes + bytes_beside);
          Copies::template box<Scalar>(to, map, first_row + i * box_rows, team.league_rank() * box_columns,
                                       full + 8 * s);
          Copies::bytes(to + box_bytes, reinterpret_cast<const char*>(beside) + box * bytes_beside, bytes_beside,
                        full + 8 * s);
          continue;
        }
        Copies::wait(full + 8 * s, i / 2 % 2);
        constexpr int all = elements + bytes_beside / static_cast<int>(sizeof(Scalar));
        for (int e = team.thread() - Team::lane_width; e < all; e += team.threads() - Team::lane_width)
          result[box * all + e] = stages::template load<Scalar>(to + e * static_cast<int>(sizeof(Scalar)));
        Copies::arrive(free + 8 * s);
      }
    }
  }
};

/// A box of `box_rows` rows of `row_bytes` bytes, which the engine permutes by 16 bytes; then every thread of the team
/// leaves, and each time one of them is the last.
template <class ExecutionSpace>
struct ThroughSwizzle {
  static constexpr bool stays_in_place = true;

  using Copies  = TileCopiesFor<ExecutionSpace>;
  using Element = Kokkos::Experimental::half_t;
  struct alignas(1024) Line {
    char bytes[1024];
  };

  Element* result;
  int* last;  // threads that were it, a number a round
  int row_bytes, rounds;
  typename Copies::Map map;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if constexpr (Copies::has_engine) {
      using stages    = typename Team::stages;
      const auto box  = stages::address(team.template scratch<Line>(box_rows / 8 + 1));
      const auto full = box + box_rows * 128, counter = full + 8;
      if (team.thread() == 0) {
        Copies::init(full, 1);
        stages::store(counter, 0);
        Copies::visible();
      }
      team.barrier();
      if (team.thread() == 0) {
        Copies::arrive_for(full, box_rows * row_bytes);
        Copies::template box<Element>(box, map, 0, 0, full);
      }
      Copies::wait(full, 0);
      const int of_row = row_bytes / 2;
      for (int i = team.thread(); i < box_rows * of_row; i += team.threads()) {
        const int row = i / of_row, piece = i % of_row / 8;
        const int swizzle = row_bytes == 128 ? row % 8 : row / 2 % 4;
        result[i]         = stages::template load<Element>(box + row * row_bytes + (piece ^ swizzle) * 16 + i % 8 * 2);
      }
      for (int round = 0; round < rounds; ++round) {
        if (Copies::is_last(counter, team.threads())) ++last[round];
        team.barrier();
      }
    }
  }
};

namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

template <class Scalar>
void expect_same(std::int64_t rows, std::int64_t columns, std::int64_t row_stride, std::int64_t first_row) {
  using Kernel        = ThroughBoxes<Scalar, Exec>;
  constexpr int boxes = 5, teams = 3;
  constexpr int elements = Kernel::elements, extra = bytes_beside / static_cast<int>(sizeof(Scalar));
  const auto count        = static_cast<std::size_t>(rows * row_stride);
  const auto beside_count = static_cast<std::size_t>(boxes * teams * extra);
  const Kokkos::View<Scalar*, Memory> block("block", count), beside("beside", beside_count),
      result("result", static_cast<std::size_t>(boxes * teams * (elements + extra)));
  const auto block_host = Kokkos::create_mirror_view(block), beside_host = Kokkos::create_mirror_view(beside);
  for (std::size_t i = 0; i < count; ++i) block_host(i) = static_cast<Scalar>(static_cast<float>(i % 1021 + 1));
  for (std::size_t i = 0; i < beside_count; ++i) beside_host(i) = static_cast<Scalar>(static_cast<float>(i % 509));
  Kokkos::deep_copy(block, block_host);
  Kokkos::deep_copy(beside, beside_host);
  Kernel kernel{beside.data(), result.data(), boxes, first_row, {}};
  if constexpr (Kernel::Copies::has_engine)
    kernel.map = Kernel::Copies::map("test", block.data(), rows, columns, row_stride, box_rows, box_columns);
  launch_teams<128, 1>(Exec(), "test", {teams, 128}, 2 * Kernel::stage + 256, kernel);
  Kokkos::fence();
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  for (int box = 0; box < boxes * teams; ++box) {
    for (int e = 0; e < elements; ++e) {
      const std::int64_t row    = first_row + box % boxes * box_rows + e / box_columns;
      const std::int64_t column = box / boxes * box_columns + e % box_columns;
      const bool is_inside      = row < rows && column < columns;
      const Scalar expected =
          is_inside ? block_host(static_cast<std::size_t>(row * row_stride + column)) : static_cast<Scalar>(0.0f);
      ASSERT_TRUE(found(static_cast<std::size_t>(box * (elements + extra) + e)) == expected)
          << "row " << row << ", column " << column;
    }
    for (int e = 0; e < extra; ++e)
      ASSERT_TRUE(found(static_cast<std::size_t>(box * (elements + extra) + elements + e)) ==
                  beside_host(static_cast<std::size_t>(box * extra + e)));
  }
}

TEST(TileCopies, BoxesComeOutAsTheyWere) {
  if (!TileCopiesFor<Exec>::has_engine) GTEST_SKIP() << "no copy engine here";
  expect_same<float>(120, 192, 192, 0);
  expect_same<double>(120, 192, 192, 0);
  expect_same<Kokkos::Experimental::half_t>(120, 192, 192, 0);
}

TEST(TileCopies, BehindTheBlockIsZero) {
  if (!TileCopiesFor<Exec>::has_engine) GTEST_SKIP() << "no copy engine here";
  for (const std::int64_t rows : {1, 23, 25, 119})
    for (const std::int64_t columns : {1, 63, 65, 191}) {
      expect_same<float>(rows, columns, 196, 0);
      expect_same<double>(rows, columns, 194, 3);
      expect_same<Kokkos::Experimental::half_t>(rows, columns, 200, 17);
    }
}

template <class ExecutionSpace>
void expect_swizzled(int row_bytes) {
  using Kernel     = ThroughSwizzle<ExecutionSpace>;
  using Element    = typename Kernel::Element;
  const auto count = static_cast<std::size_t>(box_rows * row_bytes / 2);
  const Kokkos::View<Element*, Memory> block("block", count), result("result", count);
  const Kokkos::View<int*, Memory> last("last", 3);
  const auto host = Kokkos::create_mirror_view(block);
  for (std::size_t i = 0; i < count; ++i) host(i) = static_cast<Element>(static_cast<float>(i % 2039));
  Kokkos::deep_copy(block, host);
  Kernel kernel{result.data(), last.data(), row_bytes, 3, {}};
  if constexpr (Kernel::Copies::has_engine)
    kernel.map = Kernel::Copies::map("test", block.data(), box_rows, row_bytes / 2, row_bytes / 2, box_rows,
                                     row_bytes / 2, row_bytes);
  launch_teams<96, 1>(ExecutionSpace(), "test", {1, 96}, box_rows * 128 + 2048, kernel);
  Kokkos::fence();
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(found(i) == host(i)) << row_bytes << ", " << i;
  const auto once = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), last);
  for (std::size_t round = 0; round < 3; ++round) EXPECT_EQ(once(round), 1);
}

TEST(TileCopies, SwizzlesMoveSixteenBytesWithinARow) {
  if (!TileCopiesFor<Exec>::has_engine) GTEST_SKIP() << "no copy engine here";
  expect_swizzled<Exec>(64);
  expect_swizzled<Exec>(128);
}

}  // namespace
}  // namespace lacuna::Impl

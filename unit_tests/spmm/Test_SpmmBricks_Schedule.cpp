// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <support/Test_Matrices.hpp>
#include <tools/Tools_Recorder.hpp>

#include <kernels/spmm/algorithms/bricks/Lacuna_BrickSchedule.hpp>

#include <algorithm>
#include <tuple>

namespace lacuna::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Crs  = KokkosSparse::CrsMatrix<float, int, Exec, void, int>;

/// Panels of 0, 1, 3, 40 and 2 steps.
Crs sample() {
  std::vector<std::vector<std::int64_t>> rows(40);
  Random random(7);
  rows[9]  = random.distinct(5, 500);
  rows[17] = random.distinct(21, 500);
  rows[25] = random.distinct(300, 500);
  rows[26] = random.distinct(200, 500);
  rows[39] = random.distinct(16, 500);
  return make_crs<Crs>(from_rows<float>(500, rows));
}

template <class Schedule>
void check_schedule(const Schedule& schedule, const std::vector<std::int64_t>& panel_begin,
                    const std::vector<std::int64_t>& value_begin, std::int64_t longest) {
  auto segments = to_vector(schedule.segment);
  ASSERT_EQ(static_cast<std::int64_t>(segments.size()), schedule.segments);
  // On GPUs the segments of a share stand longest first.
  if (ExecutionTraits<Exec>::is_gpu)
    std::stable_sort(segments.begin(), segments.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.panel, a.position) < std::tuple(b.panel, b.position);
    });
  std::size_t next     = 0;
  std::int64_t partial = 0;
  for (std::size_t panel = 0; panel + 1 < panel_begin.size(); ++panel) {
    const std::int64_t steps = panel_begin[panel + 1] - panel_begin[panel];
    const std::int64_t count = std::max<std::int64_t>(1, (steps + longest - 1) / longest);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_LT(next, segments.size());
      const auto& segment      = segments[next++];
      const std::int64_t first = panel_begin[panel] + steps * i / count;
      EXPECT_EQ(segment.panel, static_cast<int>(panel));
      EXPECT_EQ(segment.first_step, first);
      EXPECT_EQ(segment.first_value, value_begin[static_cast<std::size_t>(first)]);
      EXPECT_EQ(segment.steps, panel_begin[panel] + steps * (i + 1) / count - first);
      EXPECT_EQ(segment.position, i);
      EXPECT_EQ(segment.segments, count);
      EXPECT_EQ(segment.first_partial, count > 1 ? partial : 0);
    }
    if (count > 1) partial += count;
  }
  EXPECT_EQ(next, segments.size());
  const auto shares = to_vector(schedule.share_begin);
  ASSERT_EQ(static_cast<std::int64_t>(shares.size()), schedule.shares + 1);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.front(), 0);
  EXPECT_EQ(shares.back(), schedule.segments);
  EXPECT_EQ(static_cast<std::int64_t>(schedule.partial.extent(0)), partial * 8 * schedule.partial_columns);
  EXPECT_EQ(static_cast<std::int64_t>(schedule.arrived.extent(0)), partial * (schedule.partial_columns / 16));
  for (const auto arrived : to_vector(schedule.arrived)) EXPECT_EQ(arrived, 0);
  EXPECT_GE(schedule.bytes(),
            Impl::bytes_of(schedule.segment, schedule.share_begin, schedule.partial, schedule.arrived));
}

TEST(BrickSchedule, ListsTheSegmentsOfPanels) {
  const Exec exec;
  const auto bricks = to_bricks(exec, sample());
  std::vector<std::int64_t> panel_begin, value_begin;
  for (const auto step : to_vector(bricks.panel_begin)) panel_begin.push_back(step);
  for (const auto value : to_vector(bricks.value_begin)) value_begin.push_back(value);
  std::int64_t longest = 0;
  for (std::size_t panel = 0; panel + 1 < panel_begin.size(); ++panel)
    longest = std::max(longest, panel_begin[panel + 1] - panel_begin[panel]);
  ASSERT_GT(longest, 4);
  for (const std::int64_t segment :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, longest - 1, longest, longest + 1})
    for (const std::int64_t known : {std::int64_t{-1}, longest}) {
      SCOPED_TRACE(std::to_string(segment) + " steps a segment, longest panel " + std::to_string(known));
      check_schedule(Impl::make_brick_schedule(exec, bricks, 70, segment, known), panel_begin, value_begin, segment);
    }
}

TEST(BrickSchedule, TakesNoMoreThanItMustWhereNoPanelIsCut) {
  const Exec exec;
  const auto bricks = to_bricks(exec, sample());
  Recorder recorder;
  const auto schedule = Impl::make_brick_schedule(exec, bricks, 128, 100, 40);
  recorder.stop();
  std::vector<std::string> kernels;
  for (const auto& kernel : recorder.kernels()) kernels.push_back(kernel.label);
  if (ExecutionTraits<Exec>::is_gpu) {
    EXPECT_THAT(recorder.allocations(),
                testing::ElementsAre("Lacuna::spmm::schedule", "Lacuna::spmm::segments_in_order"));
    EXPECT_THAT(kernels, testing::ElementsAre("Lacuna::spmm::list_segments", "Lacuna::spmm::cut_shares",
                                              "Lacuna::spmm::sort_shares"));
  } else {
    EXPECT_THAT(recorder.allocations(), testing::ElementsAre("Lacuna::spmm::schedule"));
    EXPECT_THAT(kernels, testing::ElementsAre("Lacuna::spmm::list_segments", "Lacuna::spmm::cut_shares"));
  }
  EXPECT_EQ(schedule.segments, bricks.panels());
}

TEST(BrickSchedule, SortsSharesLongestFirst) {
  using Segment = Impl::BrickSegment<int, int>;
  const std::vector<int> steps{3, 0, 7, 7, 1, 2, 9, 4, 4, 5};
  const std::vector<std::int64_t> begin{0, 0, 6, 7, 7, 10};
  const Kokkos::View<Segment*, Kokkos::HostSpace> in_order("in_order", steps.size()), sorted("sorted", steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    in_order(i).steps = steps[i];
    in_order(i).panel = static_cast<int>(i);
  }
  const Impl::SortShares<Segment> sort{in_order.data(), begin.data(), 5, sorted.data()};
  for (std::int64_t i = 0; i < 10; ++i) sort(i);
  std::vector<int> panels;
  for (std::size_t i = 0; i < steps.size(); ++i) panels.push_back(sorted(i).panel);
  EXPECT_THAT(panels, testing::ElementsAre(2, 3, 0, 5, 4, 1, 6, 9, 7, 8));
}

TEST(BrickSchedule, OfNoPanels) {
  const auto bricks   = to_bricks(Exec(), make_crs<Crs>(from_rows<float>(3, {})));
  const auto schedule = Impl::make_brick_schedule(Exec(), bricks, 4);
  EXPECT_EQ(schedule.segments, 0);
  EXPECT_EQ(schedule.bytes(), 0u);
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_HrpbSchedule.hpp>

#include <gmock/gmock.h>
#include <support/Test_Matrices.hpp>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <vector>

namespace lacuna::Test {
namespace {

using Impl::HrpbBalance;
using Impl::HrpbReduction;

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<float, int, Exec::device_type, void, int>;

/// What a work item takes: blocks [begin, end) of a panel, which is its `position`-th piece of `pieces`.
struct Cut {
  std::int64_t panel, begin, end, position, pieces;
  bool operator==(const Cut&) const = default;
};
std::ostream& operator<<(std::ostream& stream, const Cut& cut) {
  return stream << "panel " << cut.panel << ": [" << cut.begin << ", " << cut.end << ") " << cut.position << " of "
                << cut.pieces;
}

/// A matrix whose panels of `panel_rows` rows have these numbers of blocks; the last panel has one row less.
auto hrpb_with(const std::vector<std::int64_t>& blocks, int panel_rows = 16) {
  std::vector<std::vector<std::int64_t>> rows(blocks.size() * static_cast<std::size_t>(panel_rows) - 1);
  const std::int64_t columns = 16 * std::max<std::int64_t>(1, *std::max_element(blocks.begin(), blocks.end()));
  for (std::size_t panel = 0; panel < blocks.size(); ++panel)
    for (std::int64_t column = 0; column < 16 * blocks[panel]; ++column)  // a row each
      rows[panel * static_cast<std::size_t>(panel_rows) + static_cast<std::size_t>(column % (panel_rows - 1))]
          .push_back(column);
  return to_hrpb(make_crs<Matrix>(from_rows<float>(columns, rows)), {.panel_rows = panel_rows});
}

/// The cuts of `teams` teams at once, a tile of columns, by a scheme.
std::vector<Cut> cuts(const std::vector<std::int64_t>& blocks, std::int64_t teams,
                      PanelBalance scheme = PanelBalance::waves, int panel_rows = 16) {
  const auto hrpb = hrpb_with(blocks, panel_rows);
  EXPECT_EQ(hrpb.panels(), static_cast<std::int64_t>(blocks.size()));
  const HrpbBalance balance{hrpb.panels(), hrpb.blocks(), 1, teams, 1, scheme};
  const auto schedule = Impl::make_hrpb_schedule(Exec{}, hrpb, 32, HrpbReduction::last_arriver, balance);
  const auto segments = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), schedule.segment);
  std::vector<Cut> result;
  std::int64_t partials = 0, cut_panels = 0;
  for (std::size_t i = 0; i < segments.extent(0); ++i) {
    const auto& of = segments(i);
    result.push_back({of.panel, of.first_block, of.first_block + of.blocks, of.position, of.segments});
    if (of.segments == 1) continue;
    EXPECT_EQ(of.first_partial + of.position, partials++) << result.back();
    cut_panels += of.position == 0 ? 1 : 0;
  }
  EXPECT_EQ(schedule.cut_panels, cut_panels);
  EXPECT_EQ(schedule.segments, result.empty() ? hrpb.panels() : static_cast<std::int64_t>(result.size()));
  return result;
}

/// Panels as they are.
MATCHER(NothingIsCut, "") { return arg.empty(); }

TEST(HrpbBalance, WorkedExampleOfThePaper) {
  // Section 5: 991 row panels, 100 processors of one team each, the first panel of 10 blocks and the others of 1.
  const HrpbBalance balance{991, 1000, 1, 100, 1};
  EXPECT_EQ(balance.num_waves(), 10);
  EXPECT_DOUBLE_EQ(balance.num_loads(10), 10 / (1000.0 / 991.0));
  EXPECT_DOUBLE_EQ(balance.partition_ratio(10), 10 / (1000.0 / 991.0) / 10);
  EXPECT_EQ(balance.pieces(10), 1);  // balanced already
  // With one wave the ratio is 9.91: ten pieces, as many as the panel has blocks.
  const HrpbBalance wide{991, 1000, 1, 1000, 1};
  EXPECT_EQ(wide.num_waves(), 1);
  EXPECT_DOUBLE_EQ(wide.partition_ratio(10), 9.91);
  EXPECT_EQ(wide.pieces(10), 10);
  EXPECT_EQ(wide.pieces(1), 1);
  // Tiles of columns are teams too.
  EXPECT_EQ((HrpbBalance{991, 1000, 4, 100, 2}.num_waves()), 20);
}

TEST(HrpbBalance, WavesDivideTheRatio) {
  for (const std::int64_t waves : {1, 2, 3, 7}) {
    const HrpbBalance balance{84, 840, 1, 84 / waves, 1};
    ASSERT_EQ(balance.num_waves(), waves);
    EXPECT_EQ(balance.partition_ratio(420), 42.0 / static_cast<double>(waves));
    EXPECT_EQ(balance.pieces(420), 42 / waves);
    // A ratio of 1 is no cut, nor is what is nearest to it.
    EXPECT_EQ(balance.pieces(10 * waves), 1);
    EXPECT_EQ(balance.pieces(15 * waves - 1), 1);
    EXPECT_EQ(balance.pieces(15 * waves), 2);
    EXPECT_EQ(balance.pieces(25 * waves - 1), 2);
    EXPECT_EQ(balance.pieces(25 * waves), 3);
  }
}

TEST(HrpbBalance, EdgesOfTheNumberOfWaves) {
  const auto waves = [](std::int64_t panels) { return HrpbBalance{panels, panels, 2, 132, 4}.num_waves(); };
  EXPECT_EQ(waves(0), 1);
  EXPECT_EQ(waves(1), 1);
  EXPECT_EQ(waves(264), 1);  // 528 teams, all at once
  EXPECT_EQ(waves(265), 2);
  EXPECT_EQ(waves(528), 2);
  EXPECT_EQ(waves(529), 3);
}

TEST(HrpbSchedule, TheWorkedExampleIsCutByWavesAlone) {
  std::vector<std::int64_t> blocks(991, 1);
  blocks[0] = 10;
  EXPECT_THAT(cuts(blocks, 100), NothingIsCut());
  EXPECT_THAT(cuts(blocks, 1000, PanelBalance::off), NothingIsCut());
  for (const auto& found : {cuts(blocks, 1000), cuts(blocks, 100, PanelBalance::average)}) {
    ASSERT_EQ(found.size(), 1000u);
    for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], (Cut{0, i, i + 1, i, 10}));
    for (std::int64_t i = 10; i < 1000; ++i)
      EXPECT_EQ(found[static_cast<std::size_t>(i)], (Cut{i - 9, i, i + 1, 0, 1}));
  }
}

TEST(HrpbSchedule, CutsAtEveryEdge) {
  // 40 blocks in 8 panels: 5 on average. One wave: 5 and 7 blocks are no cut, 8 are two pieces, 15 three.
  const std::vector<std::int64_t> blocks{5, 7, 0, 8, 15, 2, 3, 0};
  const std::vector<Cut> one_wave{{0, 0, 5, 0, 1},   {1, 5, 12, 0, 1},  {2, 12, 12, 0, 1}, {3, 12, 16, 0, 2},
                                  {3, 16, 20, 1, 2}, {4, 20, 25, 0, 3}, {4, 25, 30, 1, 3}, {4, 30, 35, 2, 3},
                                  {5, 35, 37, 0, 1}, {6, 37, 40, 0, 1}, {7, 40, 40, 0, 1}};
  EXPECT_EQ(cuts(blocks, 8), one_wave);
  EXPECT_EQ(cuts(blocks, 100), one_wave);  // never less than a wave
  EXPECT_EQ(cuts(blocks, 1, PanelBalance::average), one_wave);
  // Two waves: a share is 10 blocks, only the panel of 15 is nearer to two of them than to one.
  EXPECT_EQ(cuts(blocks, 7), (std::vector<Cut>{{0, 0, 5, 0, 1},
                                               {1, 5, 12, 0, 1},
                                               {2, 12, 12, 0, 1},
                                               {3, 12, 20, 0, 1},
                                               {4, 20, 27, 0, 2},
                                               {4, 27, 35, 1, 2},
                                               {5, 35, 37, 0, 1},
                                               {6, 37, 40, 0, 1},
                                               {7, 40, 40, 0, 1}}));
  EXPECT_EQ(cuts(blocks, 4), cuts(blocks, 7));
  // Three waves: 15 blocks, none does.
  EXPECT_THAT(cuts(blocks, 3), NothingIsCut());
  EXPECT_THAT(cuts(blocks, 8, PanelBalance::off), NothingIsCut());
}

TEST(HrpbSchedule, PanelsOf32Rows) {
  EXPECT_EQ(
      cuts({1, 8, 2, 1}, 4, PanelBalance::waves, 32),
      (std::vector<Cut>{
          {0, 0, 1, 0, 1}, {1, 1, 3, 0, 3}, {1, 3, 6, 1, 3}, {1, 6, 9, 2, 3}, {2, 9, 11, 0, 1}, {3, 11, 12, 0, 1}}));
}

TEST(HrpbSchedule, PiecesHoldABlockAtLeast) {
  // Mostly empty panels: the average is a quarter of a block, so that the ratio of two blocks is 8.
  EXPECT_EQ(cuts({0, 0, 2, 0, 0, 0, 0, 0}, 8), (std::vector<Cut>{{0, 0, 0, 0, 1},
                                                                 {1, 0, 0, 0, 1},
                                                                 {2, 0, 1, 0, 2},
                                                                 {2, 1, 2, 1, 2},
                                                                 {3, 2, 2, 0, 1},
                                                                 {4, 2, 2, 0, 1},
                                                                 {5, 2, 2, 0, 1},
                                                                 {6, 2, 2, 0, 1},
                                                                 {7, 2, 2, 0, 1}}));
  EXPECT_THAT(cuts({0, 1, 0, 0, 0, 0, 0, 1}, 8), NothingIsCut());
  EXPECT_THAT(cuts({0, 0, 0}, 1), NothingIsCut());
  EXPECT_THAT(cuts({9}, 100), NothingIsCut());  // one panel is its own average
}

}  // namespace
}  // namespace lacuna::Test

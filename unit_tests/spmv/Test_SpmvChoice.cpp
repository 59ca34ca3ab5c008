// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmv/impl/Lacuna_Spmv_Choice.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_RowLanes.hpp>

#include <support/Test_Matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

namespace lacuna::Impl {
namespace {

/// Rows all of one length on a GPU like the H200.
SpmvFacts even_rows(std::int64_t rows, std::int64_t length) {
  SpmvFacts facts;
  facts.rows            = rows;
  facts.columns         = rows;
  facts.nonzeros        = rows * length;
  facts.scalar_bytes    = 4;
  facts.is_gpu          = true;
  facts.concurrency     = 132 * 2048;
  facts.lengths.longest = length;
  for (int c = 0; c < LengthStatistics::chunk_choices; ++c)
    for (int i = 0; i < LengthStatistics::part_choices; ++i) {
      const int chunk = LengthStatistics::chunk(c);
      facts.lengths.slice_widths[c][i] =
          ((length + chunk - 1) / chunk + (1 << i) - 1) / (1 << i) * chunk * (rows << i) / 32;
    }
  return facts;
}

TEST(SpmvChoice, HostsWalkRows) {
  SpmvFacts facts = even_rows(1000000, 27);
  facts.is_gpu    = false;
  EXPECT_EQ(choose_spmv_algorithm(facts, {}).algorithm, SpmvAlgorithm::nonzero_split);
}

TEST(SpmvChoice, MeshesTakeSlices) {
  const SpmvChoice choice = choose_spmv_algorithm(even_rows(8000000, 27), {});
  EXPECT_EQ(choice.algorithm, SpmvAlgorithm::sell);
  EXPECT_EQ(choice.parts, 1);
  EXPECT_GT(choice.break_even, 0);
}

TEST(SpmvChoice, SmallMatricesTakeMoreSlotsARow) {
  EXPECT_GT(choose_spmv_algorithm(even_rows(20000, 60), {}).parts, 1);
}

TEST(SpmvChoice, ShortRowsTakeSmallChunks) {
  EXPECT_EQ(choose_spmv_algorithm(even_rows(2000000, 5), {}).chunk, 2);
  EXPECT_EQ(choose_spmv_algorithm(even_rows(2000000, 8), {}).chunk, 4);
}

TEST(SpmvChoice, FewCallsDoNotPayForSlices) {
  const SpmvFacts facts     = even_rows(8000000, 27);
  const std::int64_t needed = choose_spmv_algorithm(facts, {}).break_even;
  EXPECT_EQ(choose_spmv_algorithm(facts, {.expected_calls = needed}).algorithm, SpmvAlgorithm::sell);
  EXPECT_EQ(choose_spmv_algorithm(facts, {.expected_calls = needed - 1}).algorithm, SpmvAlgorithm::row_split);
}

TEST(SpmvChoice, CallsThatDoNotPayForAPassOverTheRowsTakeRowLanes) {
  const auto algorithm_of = [](const SpmvFacts& facts, std::int64_t calls) {
    return choose_spmv_algorithm(facts, {.expected_calls = calls, .memory_limit = 0}).algorithm;
  };
  const std::int64_t least = SpmvTuning::row_split_calls;
  EXPECT_EQ(algorithm_of(even_rows(100000, 27), least), SpmvAlgorithm::row_split);
  EXPECT_EQ(algorithm_of(even_rows(100000, 27), least - 1), SpmvAlgorithm::row_lanes);
  SpmvFacts skewed       = even_rows(30000, 12);
  skewed.lengths.longest = 1000;
  EXPECT_EQ(algorithm_of(skewed, least), SpmvAlgorithm::row_split);
  EXPECT_EQ(algorithm_of(skewed, least - 1), SpmvAlgorithm::nonzero_split);
}

TEST(SpmvChoice, UnevenRowsAreSortedWhereTheyAreLongOrFew) {
  const auto algorithm_of = [](std::int64_t rows, std::int64_t mean, std::int64_t longest) {
    SpmvFacts facts       = even_rows(rows, mean);
    facts.lengths.longest = longest;
    return choose_spmv_algorithm(facts, {}).algorithm;
  };
  EXPECT_EQ(algorithm_of(36000, 10, 1383), SpmvAlgorithm::row_split) << "a graph of 0.4 M nonzeros";
  EXPECT_EQ(algorithm_of(62000, 68, 8413), SpmvAlgorithm::row_split) << "long rows";
  EXPECT_EQ(algorithm_of(500000, 8, 10000), SpmvAlgorithm::nonzero_split) << "many short rows";
  EXPECT_EQ(algorithm_of(25000, 8, 200000), SpmvAlgorithm::nonzero_split) << "a row that would outlast all others";
}

TEST(SpmvChoice, MemoryLimitForbidsSlices) {
  EXPECT_NE(choose_spmv_algorithm(even_rows(1000000, 27), {.memory_limit = 1000}).algorithm, SpmvAlgorithm::sell);
}

TEST(SpmvChoice, ALongRowSplitsNonzeros) {
  SpmvFacts facts       = even_rows(500000, 8);
  facts.lengths.longest = 10000;
  EXPECT_EQ(choose_spmv_algorithm(facts, {}).algorithm, SpmvAlgorithm::nonzero_split);
}

TEST(SpmvChoice, PaddingForbidsSlices) {
  SpmvFacts facts = even_rows(1000000, 27);
  for (auto& widths : facts.lengths.slice_widths)
    for (auto& width : widths) width *= 2;
  EXPECT_EQ(choose_spmv_algorithm(facts, {}).algorithm, SpmvAlgorithm::row_split);
}

TEST(SpmvChoice, LongRowsStayInCsrUnlessSlicesAreSmaller) {
  SpmvFacts facts    = even_rows(44000, 48);  // bcsstk32
  facts.scalar_bytes = 8;
  EXPECT_EQ(choose_spmv_algorithm(facts, {}).algorithm, SpmvAlgorithm::sell);
  EXPECT_EQ(choose_spmv_algorithm(facts, {}).chunk, 4);
  for (auto& widths : facts.lengths.slice_widths)
    for (auto& width : widths) width += width / 3;
  EXPECT_EQ(choose_spmv_algorithm(facts, {}).algorithm, SpmvAlgorithm::row_split);
}

TEST(SpmvChoice, LargerSlicesThanExpectedAreNotTaken) {
  const SpmvFacts facts = even_rows(1000000, 27);
  SpmvChoice choice     = choose_spmv_algorithm(facts, {});
  ASSERT_EQ(choice.algorithm, SpmvAlgorithm::sell);
  EXPECT_TRUE(take_slices(choice, facts, 28 * 6 * 1000000, {}));
  EXPECT_FALSE(take_slices(choice, facts, 2 * 28 * 6 * 1000000, {}));
  EXPECT_EQ(choice.algorithm, SpmvAlgorithm::row_split);
  EXPECT_FALSE(take_slices(choice, facts, 28 * 6 * 1000000, {.memory_limit = 1 << 20}));
}

TEST(SpmvChoice, SmallMatricesNeedMoreCallsToPayBack) {
  EXPECT_GT(choose_spmv_algorithm(even_rows(40000, 27), {}).break_even,
            choose_spmv_algorithm(even_rows(8000000, 27), {}).break_even);
}

/// The same with slices whose diagonals are full to `fill` where `unknowns` rows make a node, and to half of that else.
SpmvFacts with_diagonals(SpmvFacts facts, double fill, int unknowns = 1) {
  facts.sample.entries = 256 * 32 * static_cast<std::int64_t>(facts.mean());
  for (std::size_t c = 0; c < SlicedDiaSample::groups.size(); ++c)
    facts.sample.diagonals[c] = static_cast<std::int64_t>(static_cast<double>(facts.sample.entries) / 32 / fill *
                                                          (SlicedDiaSample::groups[c] == unknowns ? 1 : 2));
  return facts;
}

TEST(SpmvChoice, MeshesWithFullDiagonalsTakeThem) {
  for (const std::int64_t length : {5, 7, 21, 27, 81})
    for (const std::size_t scalar_bytes : {4u, 8u, 16u}) {
      SpmvFacts facts         = with_diagonals(even_rows(4000000, length), 0.97);
      facts.scalar_bytes      = scalar_bytes;
      const SpmvChoice choice = choose_spmv_algorithm(facts, {});
      EXPECT_EQ(choice.algorithm, SpmvAlgorithm::sliced_dia) << length << " of " << scalar_bytes;
      EXPECT_EQ(choice.group, 1);
      EXPECT_GT(choice.break_even, 0);
      EXPECT_NE(choice.reason.find("diagonals within slices"), std::string::npos);
    }
  const SpmvChoice three = choose_spmv_algorithm(with_diagonals(even_rows(648000, 81), 0.97, 3), {});
  EXPECT_EQ(three.algorithm, SpmvAlgorithm::sliced_dia);
  EXPECT_EQ(three.group, 3);
  EXPECT_NE(three.reason.find("3 rows a node"), std::string::npos);
}

TEST(SpmvChoice, DiagonalsThatAreNotFullAreNotTaken) {
  const SpmvFacts facts = even_rows(4000000, 27);
  EXPECT_EQ(choose_spmv_algorithm(with_diagonals(facts, 0.6), {}).algorithm, SpmvAlgorithm::sell);
  EXPECT_EQ(choose_spmv_algorithm(with_diagonals(facts, 0.2), {}).algorithm, SpmvAlgorithm::sell);
  SpmvFacts messy      = with_diagonals(facts, 0.97);
  messy.sample.defects = SlicedDiaDefect::unsorted;
  EXPECT_EQ(choose_spmv_algorithm(messy, {}).algorithm, SpmvAlgorithm::sell);
  SpmvFacts host = with_diagonals(facts, 0.97);
  host.is_gpu    = false;
  EXPECT_EQ(choose_spmv_algorithm(host, {}).algorithm, SpmvAlgorithm::nonzero_split);
}

TEST(SpmvChoice, FewCallsOrLittleMemoryDoNotAllowDiagonals) {
  const SpmvFacts facts   = with_diagonals(even_rows(8000000, 27), 0.97);
  const auto needed       = choose_spmv_algorithm(facts, {}).break_even;
  const auto algorithm_of = [&](const SpmvOptions& options) { return choose_spmv_algorithm(facts, options).algorithm; };
  EXPECT_EQ(algorithm_of({.expected_calls = needed}), SpmvAlgorithm::sliced_dia);
  EXPECT_NE(algorithm_of({.expected_calls = needed - 1}), SpmvAlgorithm::sliced_dia);
  EXPECT_EQ(algorithm_of({.expected_calls = 1}), SpmvAlgorithm::row_lanes);
  EXPECT_NE(algorithm_of({.memory_limit = 4 * 27 * 8000000}), SpmvAlgorithm::sliced_dia);
}

TEST(SpmvChoice, DiagonalsAreLookedForWhereTheyCouldPay) {
  SpmvFacts facts = even_rows(1000000, 27);
  EXPECT_TRUE(consider_sliced_dia(facts, {}));
  EXPECT_FALSE(consider_sliced_dia(facts, {.expected_calls = 1}));
  EXPECT_FALSE(consider_sliced_dia(facts, {.algorithm = SpmvAlgorithm::sell}));
  EXPECT_FALSE(consider_sliced_dia(even_rows(100, 5), {}));
  EXPECT_FALSE(consider_sliced_dia(even_rows(100, 0), {}));
  SpmvFacts uneven = facts;
  uneven.lengths.slice_widths[1][0] *= 2;
  EXPECT_FALSE(consider_sliced_dia(uneven, {})) << "slices as wide as their longest row would be half void";
  facts.is_gpu = false;
  EXPECT_FALSE(consider_sliced_dia(facts, {}));
}

TEST(SpmvChoice, ALongRowForbidsDiagonals) {
  SpmvFacts facts       = with_diagonals(even_rows(500000, 27), 0.97);
  facts.lengths.longest = 10000;
  EXPECT_NE(choose_spmv_algorithm(facts, {}).algorithm, SpmvAlgorithm::sliced_dia);
}

TEST(SpmvChoice, TheCountOfDiagonalsHasTheLastWord) {
  const SpmvFacts facts  = with_diagonals(even_rows(1000000, 27), 0.97);
  const SpmvFacts none   = even_rows(1000000, 27);
  const SpmvChoice other = choose_spmv_algorithm(none, {});
  const auto bytes       = static_cast<std::size_t>(facts.sliced_dia_bytes(0.97) - facts.vector_bytes());
  SpmvChoice choice      = other;
  EXPECT_TRUE(take_sliced_dia(choice, facts, bytes, 27, {}));
  EXPECT_EQ(choice.algorithm, SpmvAlgorithm::sliced_dia);
  for (const auto& [size, widest] : {std::pair(2 * bytes, 27), std::pair(bytes, 100000)}) {
    choice = other;
    EXPECT_FALSE(take_sliced_dia(choice, facts, size, widest, {}));
    EXPECT_EQ(choice.algorithm, SpmvAlgorithm::sell);
  }
}

TEST(SpmvChoice, LanesFollowTheMean) {
  EXPECT_EQ(lanes_for_mean(0, 4, 32), 1);
  EXPECT_EQ(lanes_for_mean(1, 4, 32), 1);
  EXPECT_EQ(lanes_for_mean(5, 4, 32), 1);
  EXPECT_EQ(lanes_for_mean(8, 4, 32), 2);
  EXPECT_EQ(lanes_for_mean(27, 4, 32), 4);
  EXPECT_EQ(lanes_for_mean(76, 4, 32), 8);
  EXPECT_EQ(lanes_for_mean(76, 2, 32), 8);
  EXPECT_EQ(lanes_for_mean(1e6, 4, 32), 32);
  EXPECT_EQ(lanes_for_mean(1e6, 4, 1), 1);
}

}  // namespace
}  // namespace lacuna::Impl

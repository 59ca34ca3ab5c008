// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/plan/Lacuna_NotTakenText.hpp>
#include <kernels/spmm/impl/Lacuna_SpmmOperation.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief What `automatic` takes: a pure function of plain values, for devices that are not here.

namespace lacuna::Test {
namespace {

using Impl::Inspection;
using Impl::SpmmRequest;
using Impl::Stage;
using List = Impl::SpmmAlgorithms;

constexpr auto row_split = SpmmAlgorithm::row_split, bricks = SpmmAlgorithm::bricks;
constexpr auto blocks = SpmmAlgorithm::row_blocks, none = SpmmAlgorithm::automatic;

/// A matrix of even rows of 27 nonzeros in panels of `rpc` nonzeros per active column.
Inspection mesh(double rpc, std::int64_t rows = 80000, std::int64_t mean = 27) {
  Inspection A;
  A.rows = A.columns = rows;
  A.nonzeros         = rows * mean;
  A.lengths.longest  = mean;
  for (auto& sum : A.lengths.group_span) sum = A.nonzeros;
  const std::int64_t panels = (rows + 7) / 8;
  const auto active         = static_cast<std::int64_t>(static_cast<double>(A.nonzeros) / rpc);
  A.panels                  = Impl::PanelStatistics{panels, active, 2 * active / panels, active / 8, active / 4};
  return A;
}

SpmmRequest request(std::int64_t columns, Precision precision = Precision::full, std::size_t scalar_bytes = 4) {
  SpmmRequest asked;
  asked.columns   = columns;
  asked.precision = precision;
  asked.scalar    = {Impl::ScalarKind::real, scalar_bytes};
  return asked;
}

auto choice_of(const Inspection& A, const SpmmRequest& asked, const Device& device = Device::h200(),
               std::size_t left = unlimited) {
  return Impl::choose<List>(device, A, asked, left);
}

template <class Choice>
SpmmAlgorithm algorithm_of(const Choice& choice) {
  SpmmAlgorithm id = none;
  List::for_each([&]<class Algorithm>(std::size_t i) {
    if (i == choice.index) id = Algorithm::id;
  });
  return id;
}

SpmmAlgorithm chosen(const Inspection& A, const SpmmRequest& asked, const Device& device = Device::h200()) {
  return algorithm_of(choice_of(A, asked, device));
}

/// What the report says of an algorithm.
std::string said_of(SpmmAlgorithm id, const Inspection& A, const SpmmRequest& asked) {
  const auto choice = choice_of(A, asked);
  std::string reason;
  List::for_each([&]<class Algorithm>(std::size_t i) {
    if (Algorithm::id == id) reason = choice.candidates[i].estimate.reason;
  });
  return reason;
}

bool worth_inspecting(Stage stage, const Inspection& A, const SpmmRequest& asked,
                      const Device& device = Device::h200()) {
  return Impl::worth_inspecting<List>(stage, device, A, asked, unlimited);
}

TEST(SpmmChoice, BricksFromTheSharedColumnsThatPayAtEveryN) {
  const auto at = [](double rpc, std::int64_t columns) { return chosen(mesh(rpc), request(columns)); };
  EXPECT_EQ(at(4.4, 24), row_split);
  EXPECT_EQ(at(4.5, 24), bricks);
  EXPECT_EQ(at(4.2, 32), row_split);
  EXPECT_EQ(at(4.4, 32), bricks);
  EXPECT_EQ(at(5.0, 40), row_split) << "nearly half a tile is void";
  EXPECT_EQ(at(4.2, 48), row_split) << "a quarter of a tile is void";
  EXPECT_EQ(at(4.3, 48), bricks);
  EXPECT_EQ(at(3.8, 64), row_split);
  EXPECT_EQ(at(4.0, 64), bricks);
  EXPECT_EQ(at(3.8, 96), row_split);
  EXPECT_EQ(at(4.0, 96), bricks);
  for (const std::int64_t columns : {128, 192, 256, 512}) {
    EXPECT_EQ(at(3.6, columns), row_split) << "even rows are fast where their tiles fill N";
    EXPECT_EQ(at(3.8, columns), bricks);
  }
  EXPECT_EQ(at(2.9, 120), row_split);
  EXPECT_EQ(at(3.1, 120), bricks);
  EXPECT_EQ(at(2.4, 200), row_split);
  EXPECT_EQ(at(2.6, 200), bricks);
  EXPECT_EQ(at(1.9, 500), row_split);
  EXPECT_EQ(at(2.0, 500), bricks);
  for (const std::int64_t columns : {17, 31, 33, 62}) EXPECT_EQ(at(5.0, columns), row_split) << "rows of B unaligned";
  EXPECT_EQ(at(8.0, 8), row_split) << "N is too small";
}

// Tiles of double are half as wide, and rows one by one gain less from them.
TEST(SpmmChoice, BricksInDoubleFromLessSharing) {
  const auto at = [](double rpc, std::int64_t columns) {
    return chosen(mesh(rpc), request(columns, Precision::full, 8));
  };
  for (const std::int64_t columns : {32, 48, 64, 96, 128, 512}) {
    EXPECT_EQ(at(2.3, columns), bricks) << "N = " << columns;
    EXPECT_EQ(at(1.6, columns), row_split) << "N = " << columns;
  }
  for (const std::int64_t columns : {20, 24, 40}) {
    EXPECT_EQ(at(2.3, columns), row_split) << "N = " << columns;
    EXPECT_EQ(at(4.6, columns), bricks) << "N = " << columns;
  }
  EXPECT_EQ(at(5.0, 33), row_split) << "rows of B unaligned";
  Inspection uneven            = mesh(2.2);
  uneven.panels->longest_panel = 9000;  // gupta2
  EXPECT_EQ(chosen(uneven, request(128, Precision::full, 8)), bricks);
  EXPECT_EQ(chosen(uneven, request(32, Precision::full, 8)), row_split);
}

TEST(SpmmChoice, PanelsOf16RowsInDoubleWhereTheyFillTheDevice) {
  const auto rows = [](const Inspection& A, const SpmmRequest& asked) {
    return Impl::brick_panel_rows(Device::h200(), A, asked);
  };
  EXPECT_EQ(rows(mesh(4.5), request(128, Precision::full, 8)), 16);
  EXPECT_EQ(rows(mesh(4.5), request(64, Precision::full, 8)), 16);
  EXPECT_EQ(rows(mesh(4.5), request(32, Precision::full, 8)), 8);
  EXPECT_EQ(rows(mesh(4.5), request(128)), 8) << "float";
  EXPECT_EQ(rows(mesh(4.1, 22044), request(64, Precision::full, 8)), 8) << "few panels";
  EXPECT_EQ(rows(mesh(4.1, 22044), request(512, Precision::full, 8)), 16);
  Inspection clustered = mesh(2.4);
  clustered.clusters   = Impl::ClusterStatistics{0.7};
  EXPECT_EQ(rows(clustered, request(128, Precision::full, 8)), 8) << "another order of rows, in panels of 8";
  SpmmRequest asked = request(128, Precision::full, 8);
  asked.panel_rows  = 8;
  EXPECT_EQ(rows(mesh(4.5), asked), 8);
}

/// Even rows whose nonzeros stand on so many diagonals, in so many runs.
Inspection with_diagonals(std::int64_t mean, std::int64_t diagonals, std::int64_t runs, std::int64_t rows = 400000) {
  Inspection A        = mesh(1.5, rows, mean);
  const auto elements = static_cast<double>(diagonals) * static_cast<double>(A.rows);
  A.offsets           = Impl::OffsetStatistics{diagonals > 0, diagonals, runs, elements};
  return A;
}

// As measured: bands, and large meshes of 27 points where N is small; meshes of 5 and 7 points never, and small
// matrices, which caches keep, neither.
TEST(SpmmChoice, DiagonalsWhereTheyBeatRows) {
  constexpr auto diagonals = SpmmAlgorithm::diagonals;
  const auto seconds       = [&](const Inspection& A) {
    return Impl::SpmmDiagonals::estimate(Device::h200(), A, request(128, Precision::full, 8)).call_seconds;
  };
  const auto mesh27 = [](std::int64_t n) { return with_diagonals(27, 27, 9, n * n * n); };
  for (const std::int64_t columns : {8, 32, 128, 512}) {
    for (const std::size_t bytes : {4, 8})
      EXPECT_EQ(chosen(with_diagonals(21, 21, 1), request(columns, Precision::full, bytes)), diagonals)
          << "N = " << columns;
    EXPECT_EQ(chosen(with_diagonals(5, 5, 3, 40000), request(columns)), row_split) << "obstclae, N = " << columns;
    EXPECT_EQ(chosen(with_diagonals(7, 7, 5, 262144), request(columns, Precision::full, 8)), row_split);
    EXPECT_EQ(chosen(mesh27(30), request(columns)), row_split) << "N = " << columns;
  }
  EXPECT_EQ(chosen(mesh27(160), request(64)), diagonals);
  EXPECT_EQ(chosen(mesh27(160), request(128)), diagonals);
  EXPECT_EQ(chosen(mesh27(64), request(128)), row_split);
  EXPECT_EQ(chosen(with_diagonals(21, 21, 1, 40000), request(8)), row_split) << "a small band";
  EXPECT_EQ(chosen(with_diagonals(27, 27, 27), request(128)), row_split) << "diagonals do not touch";
  EXPECT_LT(seconds(with_diagonals(41, 41, 1)), seconds(with_diagonals(41, 41, 41)));
  EXPECT_EQ(chosen(with_diagonals(21, 21, 1), request(30)), row_split) << "rows of B are not aligned";
}

TEST(SpmmChoice, MatricesThatAreNotTakenAsDiagonals) {
  const auto asked       = request(32);
  const Inspection even  = mesh(1.5, 400000, 27);
  const Inspection empty = with_diagonals(41, 100, 1), many = with_diagonals(41, 0, 0);
  EXPECT_EQ(chosen(empty, asked), row_split);
  EXPECT_EQ(said_of(SpmmAlgorithm::diagonals, empty, asked), "100 diagonals, 41 % full");
  EXPECT_EQ(said_of(SpmmAlgorithm::diagonals, many, asked), "more than 1024 diagonals hold something");
  EXPECT_TRUE(worth_inspecting(Stage::offsets, even, asked));
  EXPECT_FALSE(worth_inspecting(Stage::offsets, even, asked, Device::host(2)));
  Inspection uneven      = even;
  uneven.lengths.longest = 100;
  EXPECT_FALSE(worth_inspecting(Stage::offsets, uneven, asked));
  EXPECT_EQ(said_of(SpmmAlgorithm::diagonals, uneven, asked), "rows are not equally long");
}

/// Blocks of equal rows that read B `over_panels` times as often as panels do.
Inspection with_blocks(double over_panels, double rpc = 4, std::int64_t longest_row = 40) {
  Inspection A      = mesh(rpc);
  A.lengths.longest = longest_row;
  const auto reads  = static_cast<std::int64_t>(over_panels * static_cast<double>(A.panels->active_columns) + 0.5);
  A.runs            = Impl::RunStatistics{reads, reads, A.rows / 3, A.rows / 3};
  return A;
}

TEST(SpmmChoice, RowBlocksWhereTheyBeatPanels) {
  for (const std::int64_t columns : {32, 128, 512}) {
    for (const Precision precision : {Precision::full, Precision::tf32})
      EXPECT_EQ(chosen(with_blocks(0.7, 4.5), request(columns, precision)), blocks) << "6 unknowns, N = " << columns;
    EXPECT_EQ(chosen(with_blocks(1.5, 4.5), request(columns)), blocks) << "3 unknowns a node, N = " << columns;
    EXPECT_EQ(chosen(with_blocks(2.2, 4.5), request(columns)), columns < 64 ? blocks : bricks)
        << "2 unknowns a node, N = " << columns;
    EXPECT_EQ(chosen(with_blocks(2.2, 4.5, 100), request(columns)), bricks) << "uneven rows, N = " << columns;
    EXPECT_EQ(chosen(with_blocks(0.7, 4.5), request(columns, Precision::full, 8)), bricks) << "double, N = " << columns;
  }
  EXPECT_EQ(chosen(with_blocks(1.0), request(128)), blocks);
  EXPECT_EQ(chosen(with_blocks(1.0), request(256)), bricks) << "neighbouring blocks share no columns";
  EXPECT_EQ(chosen(with_blocks(1.0), request(128, Precision::tf32)), bricks);
  EXPECT_EQ(chosen(with_blocks(1.5), request(128, Precision::tf32)), bricks);
}

TEST(SpmmChoice, RowBlocksWhereTheyBeatRows) {
  EXPECT_EQ(chosen(with_blocks(1.0, 2), request(64)), blocks) << "pairs of rows";
  EXPECT_EQ(chosen(with_blocks(1.0, 2), request(256)), row_split);
  EXPECT_EQ(chosen(with_blocks(1.2, 3.5), request(256)), blocks);
  EXPECT_EQ(chosen(with_blocks(2.0, 2), request(32)), row_split) << "no equal rows";
  EXPECT_EQ(chosen(with_blocks(1.2, 3.5, 500), request(256)), row_split) << "a long row";
  const Inspection A = with_blocks(0.6, 3.5);
  const auto found   = choice_of(A, request(32));
  ASSERT_EQ(algorithm_of(found), blocks);
  EXPECT_GT(found.break_even, 1);
  SpmmRequest hasty    = request(32);
  hasty.expected_calls = found.break_even - 1;
  EXPECT_EQ(chosen(A, hasty), row_split);
  hasty.expected_calls = found.break_even + 1;
  EXPECT_EQ(chosen(A, hasty), blocks);
}

TEST(SpmmChoice, EqualRowsAreLookedForWhereTheyMayPay) {
  EXPECT_TRUE(worth_inspecting(Stage::runs, mesh(3.5), request(32)));
  EXPECT_FALSE(worth_inspecting(Stage::runs, mesh(1.5), request(32))) << "few columns are shared";
  EXPECT_FALSE(worth_inspecting(Stage::runs, mesh(4), request(2))) << "N is small";
  EXPECT_FALSE(worth_inspecting(Stage::runs, mesh(4), request(5)))
      << "copying B to aligned rows takes longer than is saved";
  EXPECT_TRUE(worth_inspecting(Stage::runs, mesh(4), request(127)));
  Inspection A = mesh(4);
  A.panels.reset();
  EXPECT_TRUE(worth_inspecting(Stage::runs, A, request(16)));
  SpmmRequest once    = request(16);
  once.expected_calls = 1;
  EXPECT_FALSE(worth_inspecting(Stage::runs, A, once)) << "one call pays for nothing";
  EXPECT_FALSE(worth_inspecting(Stage::runs, mesh(1.04), request(128)));
  Inspection rows_of_132 = mesh(1.04, 80000, 132);
  EXPECT_TRUE(worth_inspecting(Stage::runs, rows_of_132, request(128))) << "rows are long";
  EXPECT_TRUE(worth_inspecting(Stage::runs, rows_of_132, request(32, Precision::full, 8))) << "in double from N = 32";
  rows_of_132.runs = Impl::RunStatistics{rows_of_132.nonzeros, rows_of_132.nonzeros, 80000, 80000};
  EXPECT_EQ(chosen(rows_of_132, request(128)), blocks);
  EXPECT_EQ(chosen(rows_of_132, request(32)), row_split);
  EXPECT_FALSE(worth_inspecting(Stage::runs, mesh(1.04, 80000, 3), request(128))) << "rows are short";
}

TEST(SpmmChoice, UnevenPanelsNeedMoreSharing) {
  Inspection A            = mesh(2.2);
  A.panels->longest_panel = 9000;  // gupta2
  EXPECT_EQ(chosen(A, request(120)), row_split);
  EXPECT_THAT(said_of(bricks, A, request(128)), testing::HasSubstr("uneven"));
  A                       = mesh(4);
  A.panels->longest_panel = 9000;
  EXPECT_EQ(chosen(A, request(128)), bricks);
}

TEST(SpmmChoice, ShortSumsStayInPlainArithmetic) {
  const Inspection A = mesh(3.9, 80000, 5);
  EXPECT_EQ(chosen(A, request(512)), row_split);
  EXPECT_THAT(said_of(bricks, A, request(512)), testing::HasSubstr("too short for full precision"));
}

TEST(SpmmChoice, LowerPrecisionIsWorthLessSharing) {
  EXPECT_EQ(chosen(mesh(3.3), request(128)), row_split);
  EXPECT_EQ(chosen(mesh(3.3), request(128, Precision::tf32)), bricks);
}

TEST(SpmmChoice, FewPanelsDoNotFillTheEngine) {
  const auto at = [](std::int64_t rows, std::int64_t columns) { return chosen(mesh(4.4, rows), request(columns)); };
  EXPECT_EQ(at(2500, 128), row_split) << "orani678";
  EXPECT_EQ(at(11948, 256), bricks) << "bcsstk18";
  EXPECT_EQ(at(11948, 128), row_split);
  EXPECT_EQ(at(22044, 128), bricks) << "pkustk01";
  EXPECT_EQ(at(22044, 32), row_split);
  EXPECT_THAT(said_of(bricks, mesh(4.3, 22044), request(32)), testing::HasSubstr("2756 panels"));
  EXPECT_EQ(at(37762, 64), bricks) << "viscorocks";
  EXPECT_EQ(at(37762, 96), row_split) << "tiles are partly void";
  EXPECT_EQ(chosen(mesh(4.4, 22044), request(128), Device::h200().with_processors(264)), row_split)
      << "twice the device needs twice the panels";
}

TEST(SpmmChoice, WithoutAnEngineOrWithoutLookingThereAreNoBricks) {
  Device plain     = Device::h200();
  plain.has_engine = false;
  EXPECT_EQ(chosen(mesh(4.3), request(128), plain), row_split);
  Inspection A = mesh(4.3);
  A.panels.reset();
  EXPECT_EQ(chosen(A, request(128)), row_split);
  EXPECT_TRUE(worth_inspecting(Stage::panels, A, request(128)));
  EXPECT_FALSE(worth_inspecting(Stage::panels, A, request(128), plain));
  EXPECT_FALSE(worth_inspecting(Stage::panels, A, request(8))) << "N is too small";
  SpmmRequest once    = request(128);
  once.expected_calls = 1;
  EXPECT_FALSE(worth_inspecting(Stage::panels, A, once)) << "one call pays for nothing";
}

TEST(SpmmChoice, SetUpMustBePaidBackWithinTheExpectedCalls) {
  const auto choice = choice_of(mesh(4.3), request(128));
  ASSERT_EQ(algorithm_of(choice), bricks);
  EXPECT_GT(choice.break_even, 1);
  EXPECT_LT(choice.break_even, 100);
  SpmmRequest hasty    = request(128);
  hasty.expected_calls = choice.break_even - 1;
  EXPECT_EQ(chosen(mesh(4.3), hasty), row_split);
  EXPECT_EQ(choice_of(mesh(4.3), hasty).break_even, 0);
  hasty.expected_calls = choice.break_even;
  EXPECT_EQ(chosen(mesh(4.3), hasty), bricks);
}

TEST(SpmmChoice, AnotherOrderOfRowsIsLookedForWhereItMayPay) {
  EXPECT_TRUE(worth_inspecting(Stage::clusters, mesh(2.4), request(120)));
  EXPECT_FALSE(worth_inspecting(Stage::clusters, mesh(2.4), request(128))) << "even rows have whole tiles";
  EXPECT_TRUE(worth_inspecting(Stage::clusters, mesh(2.4), request(128, Precision::tf32)));
  EXPECT_FALSE(worth_inspecting(Stage::clusters, mesh(1.2), request(120, Precision::tf32))) << "a graph";
  EXPECT_FALSE(worth_inspecting(Stage::clusters, mesh(4.3), request(128))) << "unknowns stand side by side";
  SpmmRequest hasty    = request(120);
  hasty.expected_calls = 10;
  EXPECT_FALSE(worth_inspecting(Stage::clusters, mesh(2.4), hasty));
  Inspection A = mesh(2.4);
  A.clusters   = Impl::ClusterStatistics{0.72};
  EXPECT_EQ(chosen(A, request(120)), bricks);
  EXPECT_EQ(chosen(A, hasty), row_split);
  EXPECT_TRUE(Impl::bricks_take_clusters(Device::h200(), A, request(120)));
  EXPECT_FALSE(Impl::bricks_take_clusters(Device::h200(), A, hasty));
  A.clusters = Impl::ClusterStatistics{0.95};
  EXPECT_EQ(chosen(A, request(120)), row_split) << "it did not help";
}

TEST(SpmmChoice, WhatDoesNotFitTheMemoryIsNotTaken) {
  const Inspection A = mesh(4.4);
  const auto bytes   = [&] {
    const auto choice = choice_of(A, request(128));
    EXPECT_EQ(algorithm_of(choice), bricks);
    return choice.estimate().bytes;
  }();
  EXPECT_EQ(algorithm_of(choice_of(A, request(128), Device::h200(), bytes)), bricks);
  EXPECT_EQ(algorithm_of(choice_of(A, request(128), Device::h200(), bytes - 1)), row_split);
}

TEST(SpmmChoice, WhatIsExcludedLeavesItsPlaceToTheNext) {
  const Inspection A = with_blocks(1.5, 4.5);
  Impl::Excluded<List::size> excluded{};
  std::vector<SpmmAlgorithm> order;
  for (;;) {
    const auto choice = Impl::choose<List>(Device::h200(), A, request(128), unlimited, excluded);
    if (choice.index == choice.none) break;
    order.push_back(algorithm_of(choice));
    excluded[choice.index] = true;
  }
  EXPECT_THAT(order, testing::ElementsAre(blocks, bricks, row_split, SpmmAlgorithm::gcoo, SpmmAlgorithm::tiled))
      << "dense was not allowed, and panels of 16 rows were not counted";
}

TEST(SpmmChoice, TilesForMatricesWithoutStructureAndManyColumns) {
  const auto uniform = [](std::int64_t n, double density, std::int64_t longest) {
    Inspection A;
    A.rows = A.columns = n;
    A.nonzeros         = static_cast<std::int64_t>(density * static_cast<double>(n * n));
    A.lengths.longest  = longest;
    return A;
  };
  EXPECT_EQ(chosen(uniform(4096, 0.10, 480), request(512)), SpmmAlgorithm::tiled);
  EXPECT_EQ(chosen(uniform(4096, 0.05, 250), request(4096)), SpmmAlgorithm::tiled);
  EXPECT_EQ(chosen(uniform(4096, 0.05, 4096), request(4096)), SpmmAlgorithm::tiled) << "one long row is no matter";
  EXPECT_EQ(chosen(uniform(14500, 0.001, 40), request(128)), row_split) << "short rows";
  const auto tiling = Impl::choose_tiling(Device::h200(), uniform(4096, 0.10, 480), 512, sizeof(float));
  EXPECT_LE(Impl::TileStage(tiling.tile, tiling.form, 32, sizeof(float), tiling.tile.rows * tiling.tile.columns / 10)
                .all_bytes(),
            static_cast<std::int64_t>(Device::h200().scratch));
}

// B in half precision gains what its copy costs where it is read often, and rows that are whole cache lines do.
TEST(SpmmChoice, CopiesOfBForTiles) {
  const auto uniform = [](std::int64_t rows, std::int64_t columns, double density) {
    Inspection A;
    A.rows = rows, A.columns = columns;
    A.nonzeros        = static_cast<std::int64_t>(density * static_cast<double>(rows * columns));
    A.lengths.longest = static_cast<std::int64_t>(1.3 * A.mean());
    return A;
  };
  const auto rounds = [&](const Inspection& A, const SpmmRequest& asked) {
    return Impl::tiled_scalars(Device::h200(), A, asked).rounds_B();
  };
  const Inspection square = uniform(14500, 14500, 0.01), flat = uniform(100, 14500, 0.01);
  EXPECT_TRUE(rounds(square, request(14500, Precision::fp16)));
  EXPECT_FALSE(rounds(square, request(14500)));
  EXPECT_FALSE(rounds(square, request(14500, Precision::bf16)));
  EXPECT_FALSE(rounds(flat, request(14500, Precision::fp16))) << "B is read once";
  const auto copies = [](const Inspection& A, std::int64_t n) {
    return Impl::choose_tiling(Device::h200(), A, n, sizeof(float)).copies_B;
  };
  EXPECT_TRUE(copies(square, 14500));
  EXPECT_FALSE(copies(square, 14496 - 14496 % 32)) << "whole cache lines as they are";
  EXPECT_FALSE(copies(flat, 14500));
}

// Rows without columns have a tile too.
TEST(SpmmChoice, TilesOfNoColumns) {
  Inspection A;
  A.rows = 12;
  for (const std::size_t bytes : {std::size_t{2}, std::size_t{4}, std::size_t{8}, std::size_t{16}})
    for (const auto& device : {Device::h200(), Device::host(2)})
      EXPECT_TRUE(Impl::choose_tiling(device, A, 7, bytes).fits()) << bytes;
}

// Rows of blocks of one row are read ahead; where panels tell that columns stand as by chance that is what counts.
TEST(SpmmChoice, BlocksOfOneRowWhereColumnsStandAsByChance) {
  const auto uniform = [](std::int64_t n, double density, double rpc_over_chance = 1) {
    Inspection A;
    A.rows = A.columns  = n;
    A.nonzeros          = static_cast<std::int64_t>(density * static_cast<double>(n * n));
    A.lengths.longest   = static_cast<std::int64_t>(1.4 * A.mean()) + 4;
    const double active = static_cast<double>(n) * (1 - std::pow(1 - density, 8)) / rpc_over_chance;
    A.panels            = Impl::PanelStatistics{n / 8, static_cast<std::int64_t>(active * static_cast<double>(n) / 8)};
    A.runs              = Impl::RunStatistics{A.nonzeros, A.nonzeros, n, n};
    return A;
  };
  EXPECT_TRUE(Impl::columns_are_random(uniform(4000, 0.01)));
  EXPECT_TRUE(Impl::columns_are_random(uniform(4000, 0.2)));
  EXPECT_FALSE(Impl::columns_are_random(uniform(4000, 0.01, 1.3)));
  EXPECT_TRUE(Impl::row_blocks_are_scattered(uniform(4000, 0.2)));
  EXPECT_EQ(chosen(uniform(4000, 0.01), request(4000)), SpmmAlgorithm::tiled) << "many columns";
  EXPECT_EQ(chosen(uniform(4096, 0.01), request(512)), SpmmAlgorithm::tiled);
  EXPECT_EQ(chosen(uniform(4000, 0.01), request(264)), blocks);
  EXPECT_EQ(chosen(uniform(4000, 0.01), request(256)), row_split) << "rows of B in whole tiles";
  EXPECT_EQ(chosen(uniform(4000, 0.01), request(128)), row_split) << "few columns";
  EXPECT_EQ(chosen(uniform(14000, 0.0095), request(128)), SpmmAlgorithm::tiled) << "of a large B";
  EXPECT_EQ(chosen(uniform(14000, 0.0095), request(32)), row_split);
  Inspection uneven      = uniform(14000, 0.0095);
  uneven.lengths.longest = 294;
  EXPECT_EQ(chosen(uneven, request(128)), SpmmAlgorithm::tiled);
  EXPECT_EQ(chosen(uneven, request(32, Precision::full, 8)), blocks) << "long rows";
  EXPECT_EQ(chosen(uneven, request(128, Precision::full, 8)), SpmmAlgorithm::tiled);
  uneven.panels.reset(), uneven.runs.reset();
  EXPECT_TRUE(worth_inspecting(Stage::panels, uneven, request(128))) << "rows take longer where columns are random";
  EXPECT_TRUE(worth_inspecting(Stage::panels, uneven, request(32, Precision::full, 8)));
  EXPECT_FALSE(worth_inspecting(Stage::panels, uneven, request(32))) << "one by one, whatever the columns";
  EXPECT_EQ(chosen(uniform(4000, 0.002), request(4000)), row_split) << "short rows";
  EXPECT_EQ(chosen(uniform(4000, 0.2), request(4000)), SpmmAlgorithm::tiled);
  EXPECT_EQ(chosen(uniform(4000, 0.01, 1.3), request(512)), row_split) << "rows share columns";
  EXPECT_EQ(chosen(uniform(1024, 0.1), request(200)), blocks) << "rows alone do not fill the device";
  EXPECT_EQ(chosen(uniform(1024, 0.1), request(192)), row_split) << "nor need they, in whole tiles";
  EXPECT_EQ(chosen(uniform(2048, 0.1), request(64)), row_split);
  EXPECT_EQ(chosen(uniform(2048, 0.1), request(32, Precision::full, 8)), blocks);
  EXPECT_EQ(chosen(uniform(2048, 0.1), request(16)), row_split);
  EXPECT_EQ(chosen(uniform(4096, 0.1), request(64)), row_split);
  EXPECT_EQ(chosen(uniform(4096, 0.2), request(128)), row_split) << "78 us by scratch, tiled 90 (H100)";
  EXPECT_EQ(chosen(uniform(4096, 0.05), request(128)), row_split);
  EXPECT_EQ(chosen(uniform(2048, 0.05), request(512)), SpmmAlgorithm::tiled) << "25 us, rows 36 (H100)";
  EXPECT_EQ(chosen(uniform(2048, 0.2), request(512)), SpmmAlgorithm::tiled) << "69 and 84";
  EXPECT_EQ(chosen(uniform(512, 0.1), request(248)), blocks);
  Inspection not_inspected = uniform(4000, 0.01);
  not_inspected.panels.reset(), not_inspected.runs.reset();
  EXPECT_TRUE(worth_inspecting(Stage::panels, not_inspected, request(4000), Device::h200()));
  EXPECT_TRUE(worth_inspecting(Stage::runs, uniform(4000, 0.01), request(4000), Device::h200()));
  // That long rows are fast is known from panels, too: tiles must not take them for want of that look.
  Inspection half      = uniform(4096, 0.5);
  half.lengths.longest = 2165;  // as by chance
  EXPECT_EQ(chosen(half, request(64)), row_split);
  EXPECT_FALSE(worth_inspecting(Stage::panels, half, request(64))) << "they are known";
  half.panels.reset(), half.runs.reset();
  EXPECT_EQ(chosen(half, request(64)), SpmmAlgorithm::tiled);
  EXPECT_TRUE(worth_inspecting(Stage::panels, half, request(64)));
  SpmmRequest once    = request(64);
  once.expected_calls = 1;
  EXPECT_FALSE(worth_inspecting(Stage::panels, half, once)) << "rows are taken as they are";
}

// B and C go through memory once, whatever multiplies: nothing is left to gain on the engine then.
TEST(SpmmChoice, EngineNotForRowsThatMemoryBounds) {
  EXPECT_EQ(chosen(mesh(3.9, 80000, 5), request(512, Precision::tf32)), row_split);
  EXPECT_EQ(chosen(mesh(3.9, 80000, 8), request(512, Precision::tf32)), bricks);
}

TEST(SpmmChoice, TilesOnTheEngineForHalfPrecision) {
  Inspection A;
  A.rows = A.columns = 4096;
  A.nonzeros         = 4096 * 410;
  A.lengths.longest  = 480;
  SpmmRequest half   = request(512);
  half.scalar        = {Impl::ScalarKind::half, 2};
  using Engine       = Impl::SpmmTiledEngine;
  SpmmRequest named  = half;
  named.algorithm    = SpmmAlgorithm::tiled_engine;
  EXPECT_LT(Engine::estimate(Device::h200(), A, named).call_seconds,
            Impl::SpmmTiled::estimate(Device::h200(), A, half).call_seconds);
  EXPECT_EQ(chosen(A, half), SpmmAlgorithm::tiled_engine);
  EXPECT_EQ(chosen(A, request(512, Precision::fp16)), SpmmAlgorithm::tiled_engine);
  A.rows = A.columns = 14500;
  A.nonzeros         = 14500 * 72;
  A.lengths.longest  = 120;
  EXPECT_EQ(chosen(A, request(14500, Precision::fp16)), SpmmAlgorithm::tiled) << "few nonzeros a row of 16";
  A.rows = A.columns = 4096;
  A.nonzeros         = 4096 * 410;
  A.lengths.longest  = 480;
  EXPECT_NE(chosen(A, request(512, Precision::tf32)), SpmmAlgorithm::tiled_engine);
  EXPECT_NE(chosen(A, half, Device::mi300x()), SpmmAlgorithm::tiled_engine) << "another engine";
  for (const std::int64_t n : {1, 16, 100, 128, 512, 4096}) {
    const auto tiling = Impl::choose_engine_tiling(Device::h200(), A, n);
    ASSERT_TRUE(tiling.fits()) << n;
    EXPECT_LE((Impl::EngineStage{16 * tiling.tiles, true}.scratch(tiling.tile_columns)),
              static_cast<std::int64_t>(Device::h200().scratch));
    EXPECT_EQ(tiling.tile_columns % 8, 0);
  }
  Device small  = Device::h200();
  small.scratch = 200;
  EXPECT_FALSE(Impl::choose_engine_tiling(small, A, 128).fits());
}

/// Rows of these lengths, in this order, with columns that stand as by chance.
Inspection of_lengths(std::int64_t columns, const std::vector<std::int64_t>& lengths) {
  Inspection A;
  A.rows    = static_cast<std::int64_t>(lengths.size());
  A.columns = columns;
  auto& L   = A.lengths;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto length = lengths[i];
    A.nonzeros += length;
    L.squares += length * length;
    L.longest = std::max(L.longest, length);
    ++L.octaves[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length)))];
    if (i % 16 == 0)
      L.group_span[4] +=
          16 * *std::max_element(lengths.begin() + static_cast<std::ptrdiff_t>(i),
                                 lengths.begin() + static_cast<std::ptrdiff_t>(std::min(lengths.size(), i + 16)));
  }
  return A;
}

/// Lengths with a normal logarithm of this deviation.
std::vector<std::int64_t> lognormal_lengths(std::int64_t n, double density, double spread, bool sorted) {
  std::mt19937_64 generator(3);
  std::vector<double> weights(static_cast<std::size_t>(n));
  double sum = 0;
  for (double& weight : weights) {
    double normal = -6;
    for (int i = 0; i < 12; ++i) normal += static_cast<double>(generator() >> 11) * 0x1p-53;
    sum += weight = std::exp(spread * normal);
  }
  if (sorted) std::sort(weights.begin(), weights.end());
  std::vector<std::int64_t> lengths;
  for (const double weight : weights)
    lengths.push_back(std::min(
        n, static_cast<std::int64_t>(weight / sum * density * static_cast<double>(n) * static_cast<double>(n))));
  return lengths;
}

TEST(SpmmRowSpread, KnowsWhatTeamsWaitFor) {
  using Spread          = Impl::SpmmRowSpread;
  const Inspection even = of_lengths(4096, std::vector<std::int64_t>(4096, 205));
  EXPECT_DOUBLE_EQ(Spread(even).fullest_of(16, 16), 205);
  EXPECT_DOUBLE_EQ(Spread(even).fullest(16), 205);
  const Inspection any    = of_lengths(4096, lognormal_lengths(4096, 0.05, 1, false));
  const Inspection sorted = of_lengths(4096, lognormal_lengths(4096, 0.05, 1, true));
  EXPECT_LT(Spread(any).likeness(), 0.3);
  EXPECT_GT(Spread(sorted).likeness(), 0.9);
  EXPECT_GT(Spread(any).fullest_of(16, 16), 1.2 * any.mean());
  EXPECT_LT(Spread(sorted).fullest_of(16, 16), 1.1 * sorted.mean()) << "neighbours are alike";
  EXPECT_GT(Spread(sorted).fullest(256), Spread(any).fullest(256)) << "long rows stand together";
  EXPECT_LE(Spread(sorted).fullest(256), static_cast<double>(sorted.lengths.longest));
  EXPECT_DOUBLE_EQ(Spread(Inspection()).fullest(16), 0);
}

// Measured (H200): rows of lognormal lengths, deviations 1 and 1.5, at 95 and 98 % zeros, n = 4096 and N = 4096 take
// tiled_engine 479, 500, 328 and 436 µs and rows one by one 1353, 1290, 572 and 581; tiled 1578, 1913, 703 and 1005.
TEST(SpmmChoice, UnevenRowsAreNoVerdictOverTiles) {
  using Engine           = Impl::SpmmTiledEngine;
  const SpmmRequest half = request(4096, Precision::fp16), full = request(4096);
  for (const double density : {0.05, 0.02})
    for (const bool sorted : {false, true}) {
      double before = 0;
      for (const double spread : {0.0, 0.5, 1.0, 1.5}) {
        const Inspection A   = of_lengths(4096, lognormal_lengths(4096, density, spread, sorted));
        const double seconds = Engine::estimate(Device::h200(), A, half).call_seconds;
        if (density > 0.02 || spread >= 1) {
          EXPECT_EQ(chosen(A, half), SpmmAlgorithm::tiled_engine) << density << ", " << spread;
        }
        EXPECT_TRUE(seconds > before || spread == 0 || sorted) << spread;
        before = seconds;
        if (spread == 0.5 && density == 0.05 && !sorted) {
          EXPECT_EQ(chosen(A, full), SpmmAlgorithm::tiled);
        }
        if (spread == 1.5) {
          EXPECT_EQ(chosen(A, full), row_split) << "subwarps wait";
        }
      }
    }
  // As human_gene1, and as mult_dcop_02: a long row among short ones.
  const Inspection gene = of_lengths(22283, lognormal_lengths(22283, 0.0249, 1.2, false));
  EXPECT_EQ(chosen(gene, request(22283, Precision::fp16)), SpmmAlgorithm::tiled_engine);
  EXPECT_EQ(chosen(gene, request(22283)), SpmmAlgorithm::tiled);
  std::vector<std::int64_t> short_rows(25187, 7);
  short_rows[100] = 22767;
  for (const std::int64_t n : {128, 512, 4096})
    EXPECT_EQ(chosen(of_lengths(25187, short_rows), request(n, Precision::fp16)), row_split) << n;
}

// Where one team for each 16 rows and panel leaves processors idle or without warps enough.
TEST(SpmmChoice, TeamsShareColumnsWhereTheyAreFew) {
  const Inspection A = of_lengths(4096, std::vector<std::int64_t>(4096, 410));
  for (const std::int64_t n : {64, 128, 256}) {
    const auto shared = Impl::choose_engine_tiling(Device::h200(), A, n),
               alone  = Impl::choose_engine_tiling(Device::h200(), A, n, 1);
    EXPECT_GT(shared.slices, 1) << n;
    EXPECT_EQ(alone.slices, 1) << n;
    EXPECT_LT(shared.seconds, (n < 256 ? 0.8 : 0.95) * alone.seconds) << n;
    EXPECT_GT(shared.slices_bytes(A.rows, n), std::size_t{0});
    EXPECT_EQ(alone.slices_bytes(A.rows, n), std::size_t{0});
  }
  EXPECT_EQ(Impl::choose_engine_tiling(Device::h200(), A, 4096).slices, 1);
}

TEST(SpmmChoice, OtherDevicesChooseByTheirOwnValues) {
  const Device amd = Device::mi300x();
  EXPECT_EQ(chosen(mesh(4.4), request(128), amd), bricks);
  EXPECT_EQ(chosen(mesh(4.4, 37762), request(128), amd), row_split) << "it has more processors to fill";
  EXPECT_EQ(chosen(mesh(2.0), request(64), amd), row_split);
  EXPECT_EQ(chosen(with_blocks(1.5, 4.5), request(128), amd), blocks);
  const Device host = Device::host(16);
  for (const std::int64_t columns : {1, 32, 128}) {
    EXPECT_EQ(chosen(with_blocks(1.5, 4.5), request(columns), host), row_split);
    for (const Stage stage : {Stage::panels, Stage::runs, Stage::clusters})
      EXPECT_FALSE(worth_inspecting(stage, mesh(4.5), request(columns), host));
  }
}

TEST(SpmmChoice, RepackingPaysForLongRowsAlone) {
  const auto pays = [](const Inspection& A, std::int64_t columns, bool row_major, int vector) {
    return Impl::SpmmRowRepack{Device::h200(), A, request(columns)}.pays(columns, row_major, vector, 4);
  };
  EXPECT_TRUE(pays(mesh(1), 31, true, 1));
  EXPECT_FALSE(pays(mesh(1), 32, true, 4)) << "rows are aligned";
  EXPECT_FALSE(pays(mesh(1), 30, true, 2)) << "half a load serves";
  EXPECT_TRUE(pays(mesh(1), 32, false, 1));
  EXPECT_FALSE(pays(mesh(1), 1, false, 1)) << "one column is contiguous";
  EXPECT_FALSE(pays(mesh(1, 80000, 2), 31, true, 1)) << "the copy is as large as the product";
  EXPECT_FALSE(pays(mesh(1, 300), 31, true, 1)) << "a launch costs more than the product";
  EXPECT_FALSE(pays(mesh(1, 80000, 76), 3, true, 1)) << "elements of few columns are loaded as fast";
  EXPECT_TRUE(pays(mesh(1, 80000, 76), 9, true, 1));
}

TEST(SpmmChoice, AlgorithmsWithACopyAreLeftToOthersWhereItIsAskedFor) {
  SpmmRequest asked       = request(128);
  asked.reads_values_of_A = true;
  EXPECT_EQ(chosen(mesh(4.5), request(128)), bricks);
  EXPECT_EQ(chosen(mesh(4.5), asked), row_split);
  EXPECT_EQ(chosen(with_blocks(1.5, 4.5), asked), blocks) << "a list of blocks, and A's own values";
  EXPECT_EQ(said_of(bricks, mesh(4.5), asked), "algorithm bricks: keeps a copy of the values of A");
  for (const Stage stage : {Stage::offsets, Stage::clusters}) EXPECT_FALSE(worth_inspecting(stage, mesh(4.5), asked));
}

/// Milliseconds that were measured, double, two threads of a Zen 5; within a factor of 1.5.
TEST(SpmmChoice, HostsPredictTheirTimes) {
  struct Measured {
    std::int64_t rows, nonzeros, columns;
    Impl::ColumnReach reach;
    int vector_bytes;
    double milliseconds;
  };
  for (const Measured& of :
       {Measured{12288, 876024, 8, {512, 0.14}, 16, 0.36}, Measured{12288, 876024, 32, {512, 0.14}, 16, 1.40},
        Measured{12288, 876024, 8, {512, 0.14}, 64, 0.26}, Measured{12288, 876024, 32, {512, 0.14}, 32, 0.66},
        Measured{70656, 1828364, 32, {902, 0.58}, 32, 2.3}, Measured{70656, 1828364, 128, {902, 0.58}, 64, 11.9},
        Measured{62064, 4248286, 128, {5047, 0.55}, 16, 52}, Measured{62064, 4248286, 128, {5047, 0.55}, 32, 27.4}}) {
    Inspection A;
    A.rows = A.columns   = of.rows;
    A.nonzeros           = of.nonzeros;
    A.reach              = of.reach;
    const auto asked     = request(of.columns, Precision::full, 8);
    const double seconds = Impl::row_seconds(Device::host(2, of.vector_bytes), A, asked);
    EXPECT_LT(seconds, 1.5e-3 * of.milliseconds) << of.rows << ", N = " << of.columns;
    EXPECT_GT(1.5 * seconds, 1e-3 * of.milliseconds) << of.rows << ", N = " << of.columns;
  }
}

/// Of what hosts do not have a report says so once.
TEST(SpmmChoice, HostsHaveNoLanes) {
  const auto choice = choice_of(mesh(2), request(32), Device::host(2));
  EXPECT_EQ(algorithm_of(choice), row_split);
  EXPECT_THAT(
      Impl::not_taken_text<List>(choice, choice.index),
      testing::HasSubstr("row_blocks, bricks, hrpb, tiled, tiled_engine: written for GPUs, hosts have row_split"));
}

}  // namespace
}  // namespace lacuna::Test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/TiledEngine_Support.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// \brief Tiles on the matrix engine: how a matrix is packed, products of every shape, how exact they are, and what
/// becomes of numbers that are not finite.

namespace lacuna::Test {
namespace {

using namespace TiledEngine;
using Floats = MatrixOf<float>;
using Tiles  = Impl::EngineTiles<Floats, Impl::HalfOperand, Exec::memory_space>;
using Step   = Impl::EngineStep<Impl::Half>;

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(EngineStep, LiesAsTheAtomReadsIt) {
  using Mma = Impl::Sm80_16x8x16_f32_f16;
  for (int lane = 0; lane < Mma::lanes; ++lane)
    for (int reg = 0; reg < Mma::a_registers; ++reg)
      EXPECT_EQ(Step::index(Mma::a_row(lane, reg), Mma::a_column(lane, reg)), lane * Mma::a_registers + reg);
}

/// Steps and begins on the host.
struct Packed {
  std::vector<std::int32_t> begins;
  std::vector<Step> steps;

  explicit Packed(const Tiles& tiles) {
    const auto arrays = tiles.arrays();
    const auto count  = static_cast<std::size_t>(arrays.groups * arrays.tiles_per_row + 1);
    begins            = to_vector(Kokkos::View<const std::int32_t*, Device>(arrays.begins, count));
    const auto kept   = static_cast<std::size_t>(begins.back());
    const Kokkos::View<const Step*, Device> on_device(arrays.steps, kept);
    const auto copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), on_device);
    steps.assign(copy.data(), copy.data() + copy.extent(0));
  }
};

TEST(EngineTiles, StepsHoldWhatTheMatrixHolds) {
  const Exec exec;
  for (const auto& samples : {sample_matrices<float>(), messy_matrices<float>()})
    for (const auto& sample : samples) {
      const auto& host = sample.matrix;
      if (host.rows == 0) continue;
      // Duplicates are added in any order, so that sums may differ by their rounding.
      std::map<std::pair<std::int64_t, std::int64_t>, double> expected;
      for (std::int64_t i = 0; i < host.rows; ++i)
        for (auto k = host.row_map[static_cast<std::size_t>(i)]; k < host.row_map[static_cast<std::size_t>(i) + 1]; ++k)
          expected[{i, host.entries[static_cast<std::size_t>(k)]}] += host.values[static_cast<std::size_t>(k)];
      for (const std::int64_t tile_columns : {8, 24, 1000}) {
        Tiles tiles;
        Impl::MemoryBudget budget("test");
        tiles.make(exec, Impl::shared_crs(make_crs<Floats>(host)), tile_columns, budget);
        EXPECT_EQ(budget.used(), tiles.bytes()) << sample.name;
        const Packed packed(tiles);
        const auto& shape = tiles.shape();
        std::size_t found = 0;
        for (std::int64_t s = 0; s < shape.groups * shape.tiles_per_row; ++s) {
          std::set<int> seen;
          for (auto at = packed.begins[static_cast<std::size_t>(s)];
               at < packed.begins[static_cast<std::size_t>(s) + 1]; ++at)
            for (int slot = 0; slot < Step::columns; ++slot) {
              const Step& step   = packed.steps[static_cast<std::size_t>(at)];
              const int place    = step.positions[slot];
              const bool is_free = place >= tile_columns;
              ASSERT_TRUE(is_free || seen.insert(place).second) << sample.name << ": twice";
              if (is_free) {
                ASSERT_EQ(place, tile_columns + slot % 8) << "the row of zeros of its remainder";
              }
              for (int r = 0; r < Step::rows; ++r) {
                const float value   = Impl::to_float(step.values[Step::index(r, slot)]);
                const auto row      = s / shape.tiles_per_row * Step::rows + r;
                const auto column   = s % shape.tiles_per_row * tile_columns + place;
                const auto position = expected.find({row, column});
                if (is_free || position == expected.end()) {
                  ASSERT_EQ(value, 0.0f) << sample.name;
                  continue;
                }
                ++found;
                ASSERT_NEAR(value, position->second, 0x1.01p-11 * std::abs(position->second) + 0x1p-22) << sample.name;
              }
            }
        }
        EXPECT_EQ(found, expected.size()) << sample.name << ", tiles of " << tile_columns;
      }
    }
}

// Eight columns of an eight lie in eight groups of banks wherever the pattern lets them, and no more steps than needed.
TEST(EngineTiles, ColumnsOfAnEightDifferModuloEight) {
  const Exec exec;
  const auto host = random_matrix<float>(160, 512, 100);
  Tiles tiles;
  Impl::MemoryBudget budget("test");
  tiles.make(exec, Impl::shared_crs(make_crs<Floats>(host)), 256, budget);
  const Packed packed(tiles);
  for (std::size_t s = 0; s + 1 < packed.begins.size(); ++s) {
    int passes = 0, used = 0;
    std::vector<int> of_class(8, 0);
    for (auto at = packed.begins[s]; at < packed.begins[s + 1]; ++at)
      for (int eight = 0; eight < 2; ++eight) {
        std::vector<int> in_class(8, 0);
        for (int i = 0; i < 8; ++i) {
          const int place = packed.steps[static_cast<std::size_t>(at)].positions[8 * eight + i];
          if (place >= 256) continue;
          ++used;
          ++of_class[static_cast<std::size_t>(place % 8)];
          ++in_class[static_cast<std::size_t>(place % 8)];
        }
        passes += *std::max_element(in_class.begin(), in_class.end());
      }
    EXPECT_EQ(packed.begins[s + 1] - packed.begins[s], (used + 15) / 16);
    // The most frequent remainder needs as many passes; two more where left over ones meet by twos.
    EXPECT_LE(passes, *std::max_element(of_class.begin(), of_class.end()) + 2);
  }
}

TEST(EngineTiles, ColumnsOfOneRemainderFillEverySlot) {
  const Exec exec;
  std::vector<std::vector<std::int64_t>> rows(20);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::int64_t column = 0; column < 400; column += 8) rows[i].push_back(column + (i > 15 ? 3 : 0));
  const auto host = from_rows<float>(403, rows);
  Tiles tiles;
  Impl::MemoryBudget budget("test");
  tiles.make(exec, Impl::shared_crs(make_crs<Floats>(host)), 408, budget);
  EXPECT_THAT(Packed(tiles).begins, testing::ElementsAre(0, 4, 8));
  const NamedMatrix<float> sample{"one remainder", host};
  check(exec, Plan<Floats>(exec, make_crs<Floats>(host), engine(40)), sample, {.columns = 40});
}

// Tiles are as deep as scratch allows, and a copy engine brings them by boxes of equal size whose rows keep their place
// among eight.
TEST(EngineStage, TilesFillScratch) {
  for (const int width : {32, 64, 128})
    for (const bool by_engine : {false, true}) {
      const Impl::EngineStage stage{width, by_engine};
      EXPECT_EQ(stage.panels() * stage.panel(), width);
      for (const std::int64_t scratch : {20000, 65536, 232448}) {
        const std::int64_t most = stage.most_depth(scratch);
        ASSERT_GE(most, 8);
        EXPECT_LE(stage.scratch(most), scratch);
        EXPECT_GT(stage.scratch(most + 8 + (by_engine ? Impl::EngineStage::alignment / stage.row_bytes() : 0)),
                  scratch);
        if (by_engine) {
          EXPECT_EQ(stage.panel_bytes(most) % Impl::EngineStage::alignment, 0);
        }
      }
    }
  for (std::int64_t depth = 8; depth < 2000; depth += 8) {
    const int rows = Impl::EngineStage::box_rows(depth);
    EXPECT_TRUE(rows % 8 == 0 && rows <= 256 && depth % rows == 0) << depth;
    if (depth % 64 == 0 || depth <= 256) {
      EXPECT_LE(depth / rows, std::max<std::int64_t>(8, depth / 128)) << depth;
    }
  }
}

// A team goes through the tiles of one work item after the other, also past work items without any.
TEST(EngineCursor, GoesThroughAllTiles) {
  Impl::EngineWorkItems work_items;
  work_items.slices = {3, 2};
  work_items.blocks = 2, work_items.tiles_per_row = 4, work_items.count = 2 * 3 * 3;  // the third slice has no tile
  for (const int step : {1, 4, 100}) {
    std::vector<std::tuple<int, int, int, int>> seen;
    for (int rank = 0; rank < std::min(step, work_items.count); ++rank)
      for (Impl::EngineCursor at(work_items, rank, step); at.is_there(); at.next()) {
        EXPECT_EQ(at.item() % step, rank);
        seen.emplace_back(work_items.panel(at.item()), work_items.block(at.item()), work_items.slice(at.item()),
                          at.tile());
      }
    EXPECT_EQ(seen.size(), 3u * 2u * 4u);
    for (const auto& [panel, block, slice, tile] : seen) EXPECT_EQ(slice, tile / 2);
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), seen.size());
  }
}

// Teams share the columns of A: the same sums, whoever comes last, again and again, with slices that have no tile. So
// do few teams, each of which does several work_items.
TEST(EngineSlices, SumsMeetAndAreReadyForTheNextProduct) {
  const Exec exec;
  const std::int64_t columns = 40;
  auto host                  = random_matrix<float>(is_thorough ? 530 : 37, 300, 40);
  auto b                     = random_vector<float>(static_cast<std::size_t>(300 * columns));
  for (float& value : host.values) value = std::round(8 * value);
  for (float& value : b) value = std::round(16 * value);
  const auto reference = reference_spmm(Op::none, 1.0f, host, b, columns, 0.0f, std::vector<float>());
  using Rows           = Kokkos::View<float**, Kokkos::LayoutRight, Device>;
  const auto shared    = Impl::shared_crs(make_crs<Floats>(host));
  const auto B         = make_block<Rows>("B", b, 300, columns);
  Tiles tiles;
  Impl::MemoryBudget budget("test");
  tiles.make(exec, shared, 56, budget);
  ASSERT_EQ(tiles.shape().tiles_per_row, 6);
  using Atom = Impl::Sm80_16x8x16_f32_f16;
  const Kokkos::View<Atom::element**, Kokkos::LayoutRight, Device> packed("packed", 300, columns);
  const auto mirror = Kokkos::create_mirror_view(packed);
  for (std::int64_t i = 0; i < 300 * columns; ++i)
    mirror(i / columns, i % columns) = Impl::HalfOperand::store(b[static_cast<std::size_t>(i)]);
  Kokkos::deep_copy(packed, mirror);
  Impl::SpmmEngineTiling tiling;
  tiling.tiles = 2, tiling.groups = is_thorough ? 4 : 1, tiling.tile_columns = 56;
  for (const int count : {1, 2, 3, 4, 6}) {
    tiling.teams                = count % 2 == 1 ? 3 : 1000;
    const std::int64_t of_slice = count == 4 ? 2 : 6 / count;  // of four the last has none
    const std::int64_t places   = tiles.shape().groups * 2;
    const Kokkos::View<float*, Device> sums("sums", static_cast<std::size_t>(places * count * 16 * 32));
    const Kokkos::View<std::int32_t*, Device> counts("counts", static_cast<std::size_t>(places));
    const Impl::EngineSlices slices{count, of_slice, sums.data(), counts.data()};
    for (int run = 0; run < 2; ++run) {
      const Rows C("C", static_cast<std::size_t>(host.rows), static_cast<std::size_t>(columns));
      const Impl::BlockArguments<float> arguments{1.0f, 0.0f, Impl::dense_block<const float>(B),
                                                  Impl::dense_block<float>(C)};
      Impl::spmm_tiled_engine<Atom, Floats>(exec, tiles, tiling, slices, Impl::arrays_of(shared),
                                            {packed.data(), columns, columns}, arguments);
      const auto c = to_row_major(C);
      for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], reference.C[i]) << count << ", " << i;
      for (const std::int32_t left : to_vector(Kokkos::View<const std::int32_t*, Device>(counts))) ASSERT_EQ(left, 0);
    }
  }
}

// Few rows and many columns: slices, which more columns than planned have no room for.
TEST(SpmmTiledEngine, TeamsThatShareColumns) {
  const Exec exec;
  const NamedMatrix<float> sample{"few rows", random_matrix<float>(is_thorough ? 200 : 20, 5000, 300)};
  const Plan<Floats> plan(exec, make_crs<Floats>(sample.matrix), engine(40));
  if (is_thorough) {
    EXPECT_THAT(plan.report(), testing::HasSubstr("columns shared by"));
    EXPECT_FALSE(plan.shareable());
  }
  for (const std::int64_t columns : {40, 3, 130, 40})
    check(exec, plan, sample, {.columns = columns, .alpha = -1, .beta = columns == 3 ? 2.0f : 0.0f});
}

TEST(SpmmTiledEngine, EveryShape) { check_shapes<Floats>(Precision::fp16); }
TEST(SpmmTiledEngine, EveryShapeWithLongIndices) { check_shapes<MatrixOf<float, int, std::size_t>>(Precision::fp16); }

TEST(SpmmTiledEngine, EveryLayout) { check_layouts<float>(Precision::fp16); }

// Several tiles of columns, teams with warps that have no rows, columns behind the last; more work items than a device
// has processors.
TEST(SpmmTiledEngine, ManyTilesAndTeams) {
  const Exec exec;
  if (is_thorough)
    for (const std::int64_t rows : {150, 700}) {
      const NamedMatrix<float> sample{"many work items", random_matrix<float>(rows, 2000, 30)};
      const Plan<Floats> plan(exec, make_crs<Floats>(sample.matrix), engine(5000));
      check(exec, plan, sample, {.columns = 5000, .beta = -1});
    }
  for (const std::int64_t columns : {5, 128, 200, 300}) {
    if (!is_thorough && columns == 128) continue;
    const NamedMatrix<float> sample{"many tiles", random_matrix<float>(is_thorough ? 330 : 50, 7000, 300)};
    const Plan<Floats> plan(exec, make_crs<Floats>(sample.matrix), engine(columns));
    check(exec, plan, sample, {.columns = columns, .beta = 1});
  }
}

TEST(SpmmTiledEngine, EveryOperationAndNewValues) {
  const Exec exec;
  const auto host = shuffled(with_duplicates(random_matrix<float>(45, 60, 7)));
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    SpmmOptions options = engine(17);
    options.op          = op;
    Plan<Floats> plan(exec, make_crs<Floats>(host), options);
    check(exec, plan, NamedMatrix<float>{"first", host}, {.columns = 17, .op = op, .beta = 2});
    const auto fresh = with_new_values(host);
    plan.update_values(exec, make_crs<Floats>(fresh));
    check(exec, plan, NamedMatrix<float>{"fresh", fresh}, {.columns = 17, .op = op, .beta = 2});
    EXPECT_THROW(plan.update_values(exec, make_crs<Floats>(random_matrix<float>(45, 60, 8))), InvalidArgument);
    check(exec, plan, NamedMatrix<float>{"refused", fresh}, {.columns = 17, .op = op});
  }
}

// Factors that half precision holds: products are exact, and sums of few of them too.
TEST(SpmmTiledEngine, WhatHalfHoldsIsExact) {
  auto A = random_matrix<float>(64, 300, 40);
  auto b = random_vector<float>(300 * 48);
  for (float& value : A.values) value = std::round(8 * value);
  for (float& value : b) value = std::round(16 * value);
  const auto reference = reference_spmm(Op::none, 1.0f, A, b, 48, 0.0f, std::vector<float>());
  using Rows           = Kokkos::View<float**, Kokkos::LayoutRight, Device>;
  const auto B         = make_block<Rows>("B", b, 300, 48);
  const Rows C("C", 64, 48);
  spmm(Plan<Floats>(make_crs<Floats>(A), engine(48)), 1, B, 0, C);
  const auto c = to_row_major(C);
  for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], reference.C[i]) << i;
}

TEST(SpmmTiledEngine, ErrorsStayWithinTheirBound) {
  const Exec exec;
  for (const std::int64_t per_row : {1, 3, 30, 1500}) {
    auto A = random_matrix<float>(40, 3000, per_row);
    auto b = random_vector<float>(3000 * 32);
    for (const bool one_sign : {false, true}) {
      if (one_sign) {
        for (float& value : A.values) value = 0.5f + 0.5f * std::abs(value);
        for (float& value : b) value = 0.5f + 0.5f * std::abs(value);
      }
      const auto reference = reference_spmm(Op::none, 1.0f, A, b, 32, 0.0f, std::vector<float>());
      using Rows           = Kokkos::View<float**, Kokkos::LayoutRight, Device>;
      const auto B         = make_block<Rows>("B", b, 3000, 32);
      const Rows C("C", 40, 32);
      spmm(Plan<Floats>(make_crs<Floats>(A), engine(32)), 1, B, 0, C);
      const auto c = to_row_major(C);
      double worst = 0;
      for (std::size_t i = 0; i < c.size(); ++i) {
        const double error = std::abs(static_cast<double>(c[i]) - reference.C[i]);
        ASSERT_LE(error, allowance(per_row) * reference.magnitude[i] + 0x1p-24 * std::abs(reference.C[i])) << per_row;
        if (reference.magnitude[i] > 0) worst = std::max(worst, error / reference.magnitude[i]);
      }
      EXPECT_GT(worst, 0x1p-16) << "factors are rounded";
    }
  }
}

/// Elements that plain arithmetic leaves finite are so, the others are of the same class.
void expect_same_classes(const HostMatrix<float>& A, const std::vector<float>& b, std::int64_t columns,
                         const std::string& what) {
  using Rows   = Kokkos::View<float**, Kokkos::LayoutRight, Device>;
  const auto B = make_block<Rows>("B", b, A.columns, columns);
  const Rows C("C", static_cast<std::size_t>(A.rows), static_cast<std::size_t>(columns));
  spmm(Plan<Floats>(make_crs<Floats>(A), engine(columns)), 1, B, 0, C);
  const auto c = to_row_major(C);
  for (std::int64_t i = 0; i < A.rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      float plain = 0, sum_of_sizes = 0;
      for (auto k = A.row_map[static_cast<std::size_t>(i)]; k < A.row_map[static_cast<std::size_t>(i) + 1]; ++k) {
        const float product = A.values[static_cast<std::size_t>(k)] *
                              b[static_cast<std::size_t>(A.entries[static_cast<std::size_t>(k)] * columns + j)];
        plain += product;
        sum_of_sizes += std::abs(product);
      }
      const float ours = c[static_cast<std::size_t>(i * columns + j)];
      if (std::isnan(plain))
        ASSERT_TRUE(std::isnan(ours)) << what << ", " << i << ", " << j;
      else if (std::isinf(plain))
        ASSERT_EQ(ours, plain) << what << ", " << i << ", " << j;
      else
        ASSERT_NEAR(ours, plain, allowance(A.columns) * sum_of_sizes) << what << ", " << i << ", " << j;
    }
}

TEST(SpmmTiledEngine, WhatIsNotFiniteStaysWhereItBelongs) {
  const auto A = random_matrix<float>(50, 60, 7);
  const auto b = random_vector<float>(60 * 37);
  for (const float special : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN(), 70000.0f, -3e38f}) {
    auto B = b;
    for (const std::size_t at : {5, 37 * 11 + 3, 37 * 11 + 36, 37 * 59 + 20}) B[at] = special;
    expect_same_classes(A, B, 37, "in B " + std::to_string(special));
    auto with_special = A;
    for (const std::size_t k : {3, 100, 349}) with_special.values[k] = special;
    expect_same_classes(with_special, b, 37, "in A " + std::to_string(special));
    expect_same_classes(with_special, B, 37, "in both " + std::to_string(special));
  }
}

TEST(SpmmTiledEngine, CallsTakeNoMemoryAndNeverRunOutOfIt) {
  const Exec exec;
  const NamedMatrix<float> sample{"limit", random_matrix<float>(64, 50, 9)};
  const auto A = make_crs<Floats>(sample.matrix);
  int plans    = 0;
  for (std::size_t limit = 0; limit < 40000; limit += is_thorough ? 1000 : 4000) {
    SpmmOptions options  = engine(40);
    options.memory_limit = limit;
    std::optional<Plan<Floats>> plan;
    try {
      plan.emplace(exec, A, options);
    } catch (const OutOfMemory& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("memory_limit is " + std::to_string(limit)));
      EXPECT_EQ(plans, 0) << "less was enough before " << limit;
      continue;
    }
    ++plans;
    EXPECT_LE(plan->persistent_bytes() + plan->temporary_bytes(), limit);
    for (const Storage b : {Storage::rows, Storage::columns, Storage::odd_rows})
      check(exec, *plan, sample, {.columns = 40, .beta = 0.5f, .b = b}, "limit " + std::to_string(limit));
  }
  EXPECT_GT(plans, 0);
}

TEST(SpmmTiledEngine, TheSameBitsOnEveryRun) {
  const auto A = make_crs<Floats>(random_matrix<float>(is_thorough ? 200 : 40, 3000, 400));
  using Rows   = Kokkos::View<float**, Kokkos::LayoutRight, Device>;
  const auto B = make_block<Rows>("B", random_vector<float>(3000 * 70), 3000, 70);
  std::vector<float> first;
  for (int run = 0; run < 3; ++run) {
    const Rows C("C", static_cast<std::size_t>(A.numRows()), 70);
    spmm(Plan<Floats>(A, engine(70)), 1, B, 0, C);
    const auto c = to_row_major(C);
    if (run == 0) first = c;
    EXPECT_EQ(c, first);
  }
}

TEST(SpmmTiledEngine, SaysWhatItDoesNotServe) {
  const auto A = random_matrix<float>(20, 20, 3);
  for (const Precision precision : {Precision::full, Precision::tf32, Precision::bf16})
    EXPECT_THAT(error_of<NotSupported>([&] { Plan<Floats>(make_crs<Floats>(A), engine(8, precision)); }),
                testing::HasSubstr("tiled_engine for float, which has fp16"));
  Impl::SpmmRequest doubles = Impl::SpmmOperation::request<MatrixOf<double>>(engine(8, Precision::full));
  EXPECT_THAT(Impl::SpmmTiledEngine::supports(device_of(Exec()), doubles).why_not, testing::HasSubstr("tiled_engine"));
  SpmmOptions clustered = engine(8);
  clustered.row_order   = RowOrder::clustered;
  EXPECT_THROW(Plan<Floats>(make_crs<Floats>(A), clustered), NotSupported);
  const Plan<Floats> plan(make_crs<Floats>(A), engine(8));
  EXPECT_THAT(plan.report(), testing::HasSubstr("16 rows and 16 active columns"));
}

}  // namespace
}  // namespace lacuna::Test

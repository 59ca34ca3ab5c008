// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>

#include <spmm/Spmm_Check.hpp>
#include <spmm/Spmm_Plans.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>
#include <utility>

/// \file
/// \brief What a plan says and does about matrix engines: what there is, lower precisions, determinism, memory.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Floats = KokkosSparse::CrsMatrix<float, int, Device, void, int>;

TEST(SpmmEngines, WhatIsNotSupportedIsNamedWithWhatIs) {
  const auto says = [](const std::string& asked, const std::string& there) {
    return testing::AllOf(testing::HasSubstr(asked), testing::HasSubstr(there));
  };
  const auto A = make_crs<Floats>(random_matrix<float>(20, 20, 3));
  EXPECT_THAT(error_of<NotSupported>(
                  [&] { SpmmPlan(A, {.algorithm = SpmmAlgorithm::row_split, .precision = Precision::bf16}); }),
              says("bf16", "full"));
  EXPECT_THAT(
      error_of<NotSupported>([&] { SpmmPlan(A, {.algorithm = SpmmAlgorithm::hrpb, .precision = Precision::fp16}); }),
      says("fp16", "full and tf32"));
  using Complexes = SharedPlanMatrix<Kokkos::complex<double>>;
  const auto Z    = make_crs<Complexes>(random_matrix<Kokkos::complex<double>>(20, 20, 3));
  EXPECT_THAT(error_of<NotSupported>([&] { SpmmPlan(Z, {.precision = Precision::tf32}); }), says("tf32", "full"));
  for (const SpmmAlgorithm algorithm : {SpmmAlgorithm::bricks, SpmmAlgorithm::hrpb})
    EXPECT_THAT(error_of<NotSupported>([&] { SpmmPlan(Z, {.algorithm = algorithm}); }),
                says(std::string(name(algorithm)), "row_split"));
  EXPECT_THAT(error_of<NotSupported>(
                  [&] { SpmmPlan(A, {.algorithm = SpmmAlgorithm::row_blocks, .precision = Precision::tf32}); }),
              says("tf32 by row_blocks", "full"));
  using Halves = KokkosSparse::CrsMatrix<Kokkos::Experimental::half_t, int, Device, void, int>;
  const auto H = make_crs<Halves>(random_matrix<Kokkos::Experimental::half_t>(20, 20, 3));
  if (sizeof(Kokkos::Experimental::half_t) < sizeof(float))  // else it is float by another name
    EXPECT_THAT(error_of<NotSupported>([&] { SpmmPlan(H, {.algorithm = SpmmAlgorithm::row_blocks}); }),
                says("row_blocks", "row_split"));
  EXPECT_THAT(error_of<NotSupported>(
                  [&] { SpmmPlan(A, {.algorithm = SpmmAlgorithm::row_split, .row_order = RowOrder::clustered}); }),
              says("clustered", "natural"));
}

TEST(SpmmEngines, LowerPrecisionsKeepTheirBounds) {
  // Rows of many lengths and of wide ranges of values.
  auto host = block_matrix<float>(30, 40, 4, 9);
  Random random(11);
  for (auto& value : host.values) value *= static_cast<float>(std::pow(2.0, static_cast<double>(random.below(13)) - 6));
  const auto A = make_crs<Floats>(host);
  for (const auto& [precision, bound] : {std::pair(Precision::tf32, 0x1.0p-10), std::pair(Precision::fp16, 0x1.0p-10),
                                         std::pair(Precision::bf16, 0x1.0p-7)})
    for (const SpmmAlgorithm algorithm : {SpmmAlgorithm::automatic, SpmmAlgorithm::bricks, SpmmAlgorithm::hrpb}) {
      if (algorithm == SpmmAlgorithm::hrpb && precision != Precision::tf32) continue;
      for (const Storage b : {Storage::rows, Storage::columns})
        for (const int panel_rows : {0, 16}) {
          const SpmmPlan plan(
              A, {.columns = 21, .algorithm = algorithm, .precision = precision, .panel_rows = panel_rows});
          check_spmm<Device>(NamedMatrix<float>{"wide range", host},
                             SpmmCase<float>{.columns = 21, .b = b, .relative = bound},
                             std::string(name(precision)) + " " + std::string(name(algorithm)),
                             [&](const auto&, const auto& B, const auto& C) { spmm(plan, 1, B, 0, C); });
        }
    }
}

TEST(SpmmEngines, HrpbReportsItsSynergyAndItsBalance) {
  const auto A      = generate<Floats>("synergy:rows=320,alpha=0.5,per_row=8");
  const auto report = [&](SpmmOptions options) {
    options.algorithm = SpmmAlgorithm::hrpb;
    return SpmmPlan(A, options).report();
  };
  EXPECT_THAT(report({.columns = 32}), testing::HasSubstr("synergy     alpha 50 %, beta 1, OI 256: high synergy\n"));
  EXPECT_THAT(report({.columns = 32}), testing::HasSubstr("20 blocks, 0 panels cut into 0 (balance waves, "));
  EXPECT_THAT(report({.columns = 32, .panel_balance = PanelBalance::off}), testing::HasSubstr("(balance off, "));
  // Panels of 32 rows hold the clusters of both halves: the same bricks, two in a column where a cluster is the same.
  EXPECT_THAT(report({.columns = 32, .panel_rows = 32}), testing::ContainsRegex("alpha 50 %, beta 1(\\.[0-9]+)?, OI"));
  // One heavy panel: by the average it is cut into as many pieces as it has times the blocks of the mean.
  std::vector<std::vector<std::int64_t>> rows(64);
  for (std::int64_t i = 0; i < 112; ++i) rows[static_cast<std::size_t>(i % 16)].push_back(i);
  for (std::size_t i = 16; i < 64; i += 16) rows[i] = {0};
  const auto heavy = make_crs<Floats>(from_rows<float>(112, rows));
  EXPECT_THAT(SpmmPlan(heavy, {.columns = 32, .algorithm = SpmmAlgorithm::hrpb, .panel_balance = PanelBalance::average})
                  .report(),
              testing::HasSubstr("10 blocks, 1 panels cut into 3 (balance average, "));
}

/// Of two contiguous Views; the greatest float where one holds NaN.
template <class View>
float greatest_difference(const Exec& exec, const View& left, const View& right) {
  float error = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Exec>(exec, 0, static_cast<std::int64_t>(left.size())),
      KOKKOS_LAMBDA(std::int64_t i, float& worst) {
        const float difference = Kokkos::abs(left.data()[i] - right.data()[i]);
        worst                  = difference <= worst ? worst : (difference > worst ? difference : FLT_MAX);
      },
      Kokkos::Max<float>(error));
  return error;
}

/// A mesh with one unknown a node shares too few columns for bricks at N = 120 in natural order, but enough when its
/// rows are clustered; even rows have no whole tiles there. Hosts have no engine to choose.
/// Every element of C = A B against twice the bound of plain fp32 arithmetic, for each number of products its own; and
/// the greatest error against twice that of plain arithmetic itself.
void expect_plain_accuracy(const HostMatrix<float>& A, std::int64_t columns, const std::vector<float>& B,
                           const std::vector<float>& C, const std::string& what) {
  const auto reference = reference_spmm(Op::none, 1.0f, A, B, columns, 0.0f, {});
  const auto plain     = plain_spmm(A, B, columns);
  double greatest = 0, greatest_plain = 0;
  for (std::size_t i = 0; i < C.size(); ++i) {
    const auto terms   = static_cast<double>(reference.terms[i / static_cast<std::size_t>(columns)]);
    const double error = std::abs(static_cast<double>(C[i]) - reference.C[i]);
    ASSERT_LE(error, 2 * terms * 0x1p-24 * reference.magnitude[i]) << what << ", element " << i;
    if (reference.magnitude[i] == 0) continue;
    greatest       = std::max(greatest, error / reference.magnitude[i]);
    greatest_plain = std::max(greatest_plain, std::abs(plain[i] - reference.C[i]) / reference.magnitude[i]);
  }
  EXPECT_LE(greatest, 2 * greatest_plain) << what;
}

TEST(SpmmEngines, FullIsAsExactAsPlainArithmeticOnShortRows) {
  using Block = Kokkos::View<float**, Kokkos::LayoutRight, Device>;
  for (const std::int64_t per_row : {1, 2, 3, 4, 5})
    for (const std::int64_t columns : {7, 64, 128}) {
      // Enough rows for `automatic` to want an engine, if rows were longer.
      const auto A    = random_matrix<float>(20000, 32, per_row);
      const auto b    = random_vector<float>(32 * columns);
      const auto B    = make_block<Block>("B", b, 32, columns);
      const auto crs  = make_crs<Floats>(A);
      const auto what = std::to_string(per_row) + " a row, N = " + std::to_string(columns);
      for (const SpmmAlgorithm algorithm :
           {SpmmAlgorithm::automatic, SpmmAlgorithm::row_split, SpmmAlgorithm::row_blocks}) {
        const SpmmPlan plan(crs, {.columns = columns, .algorithm = algorithm});
        EXPECT_NE(plan.algorithm(), SpmmAlgorithm::bricks) << what;
        EXPECT_NE(plan.algorithm(), SpmmAlgorithm::hrpb) << what;
        const auto C = Block("C", 20000, static_cast<std::size_t>(columns));
        spmm(plan, 1, B, 0, C);
        expect_plain_accuracy(A, columns, b, to_row_major(C), what + ", " + std::string(name(algorithm)));
      }
      const auto C = Block("C", 20000, static_cast<std::size_t>(columns));
      spmm(1, crs, B, 0, C);
      expect_plain_accuracy(A, columns, b, to_row_major(C), what + ", one shot");
    }
}

TEST(SpmmEngines, AutomaticTakesBricksWhereClusteredRowsMakeThemPay) {
  const Exec exec;
  const auto A = generate<Floats>(exec, "mesh27:n=28");
  using Dense  = Kokkos::View<float**, Kokkos::LayoutRight, Device>;
  const Dense B("B", A.numCols(), 120), C("C", A.numRows(), 120), expected("expected", A.numRows(), 120);
  const auto host = Kokkos::create_mirror_view(B);
  Random random(5);
  for (std::size_t i = 0; i < host.size(); ++i) host.data()[i] = static_cast<float>(random.below(2001)) / 1000 - 1;
  Kokkos::deep_copy(B, host);
  const SpmmPlan rows(exec, A, {.columns = 120, .algorithm = SpmmAlgorithm::row_split});
  const SpmmPlan chosen(exec, A, {.columns = 120, .expected_calls = 1000000});
  const SpmmPlan hasty(exec, A, {.columns = 120, .expected_calls = 1});
  EXPECT_EQ(hasty.algorithm(), SpmmAlgorithm::row_split);
  if (ExecutionTraits<Exec>::is_gpu) {
    EXPECT_EQ(chosen.algorithm(), SpmmAlgorithm::bricks);
    EXPECT_THAT(chosen.report(), testing::HasSubstr("clustered rows leave"));
  } else {
    EXPECT_EQ(chosen.algorithm(), SpmmAlgorithm::row_split);
  }
  spmm(exec, rows, 1, B, 0, expected);
  spmm(exec, chosen, 1, B, 0, C);
  EXPECT_LE(greatest_difference(exec, C, expected), 1e-4f);
}

/// Six unknowns a node: six equal rows follow each other. Hosts take rows as they stand.
TEST(SpmmEngines, AutomaticTakesEqualRowsTogether) {
  const Exec exec;
  const auto A = generate<Floats>(exec, "mesh27:n=12,b=6");
  using Dense  = Kokkos::View<float**, Kokkos::LayoutRight, Device>;
  const Dense B("B", A.numCols(), 32), C("C", A.numRows(), 32), expected("expected", A.numRows(), 32);
  const auto host = Kokkos::create_mirror_view(B);
  Random random(5);
  for (std::size_t i = 0; i < host.size(); ++i) host.data()[i] = static_cast<float>(random.below(2001)) / 1000 - 1;
  Kokkos::deep_copy(B, host);
  const SpmmPlan rows(exec, A, {.columns = 32, .algorithm = SpmmAlgorithm::row_split});
  for (const Precision precision : {Precision::full, Precision::tf32}) {
    if (precision != Precision::full && !Impl::DeviceLaunch<Exec>::has_matrix_engine(exec)) continue;
    const SpmmPlan chosen(exec, A, {.columns = 32, .precision = precision});
    if (ExecutionTraits<Exec>::is_gpu) {
      EXPECT_EQ(chosen.algorithm(), SpmmAlgorithm::row_blocks);
      EXPECT_EQ(chosen.precision(), Precision::full);
      EXPECT_THAT(chosen.report(), testing::HasSubstr("1728 of up to 6 rows"));
    } else {
      EXPECT_EQ(chosen.algorithm(), SpmmAlgorithm::row_split);
    }
    spmm(exec, rows, 1, B, 0, expected);
    spmm(exec, chosen, 1, B, 0, C);
    EXPECT_LE(greatest_difference(exec, C, expected), 1e-4f);
  }
  if (ExecutionTraits<Exec>::is_gpu)
    EXPECT_EQ(SpmmPlan(exec, A, {.columns = 32, .expected_calls = 1}).algorithm(), SpmmAlgorithm::row_split);
}

TEST(SpmmEngines, ARowBlockPlanServesEveryB) {
  const Exec exec;
  const auto sample = block_matrix<float>(12, 15, 4, 5);
  for (const Storage b : storages)
    for (const std::int64_t columns : {8, 9, 64}) {
      const SpmmPlan plan(exec, make_crs<Floats>(sample), {.columns = 8, .algorithm = SpmmAlgorithm::row_blocks});
      check_spmm<Device>(NamedMatrix<float>{"blocks", sample}, SpmmCase<float>{.columns = columns, .b = b},
                         "row_blocks",
                         [&](const auto&, const auto& B, const auto& C) { spmm(exec, plan, 1, B, 0, C); });
    }
  EXPECT_THAT(error_of<OutOfMemory>([&] {
                SpmmPlan(exec, make_crs<Floats>(sample),
                         {.columns = 8, .algorithm = SpmmAlgorithm::row_blocks, .memory_limit = 16});
              }),
              testing::AllOf(testing::HasSubstr("row_blocks"), testing::HasSubstr("memory_limit is 16")));
}

TEST(SpmmEngines, ClusteredRowsGiveTheSameProduct) {
  // A mesh of 5 points: rows share columns with rows that are not their neighbours.
  const std::int64_t side = 24;
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t i = 0; i < side; ++i)
    for (std::int64_t j = 0; j < side; ++j) {
      rows.emplace_back();
      if (i > 0) rows.back().push_back((i - 1) * side + j);
      if (j > 0) rows.back().push_back(i * side + j - 1);
      rows.back().push_back(i * side + j);
      if (j + 1 < side) rows.back().push_back(i * side + j + 1);
      if (i + 1 < side) rows.back().push_back((i + 1) * side + j);
    }
  const NamedMatrix<float> sample{"mesh", from_rows<float>(side * side, rows)};
  const auto A = make_crs<Floats>(sample.matrix);
  for (const Op op : {Op::none, Op::transpose})
    for (const int panel_rows : {8, 16}) {
      SpmmPlan plan(A, {.op         = op,
                        .columns    = 33,
                        .algorithm  = SpmmAlgorithm::bricks,
                        .row_order  = RowOrder::clustered,
                        .panel_rows = panel_rows});
      EXPECT_THAT(plan.report(), testing::HasSubstr("clustered rows leave"));
      for (const bool fresh : {false, true}) {
        NamedMatrix<float> now = sample;
        if (fresh) now.matrix = with_new_values(now.matrix);
        plan.update_values(Exec(), make_crs<Floats>(now.matrix));
        check_spmm<Device>(now, SpmmCase<float>{.columns = 33, .op = op, .alpha = 2, .beta = -1}, "clustered",
                           [&](const auto&, const auto& B, const auto& C) { spmm(plan, 2, B, -1, C); });
      }
    }
}

TEST(SpmmEngines, DeterministicPlansGiveTheSameBits) {
  const auto host = power_law_matrix<float>(500, 700);
  const auto A    = make_crs<Floats>(host);
  const auto b    = random_vector<float>(700 * 40);
  for (const SpmmAlgorithm algorithm : spmm_algorithms) {
    const bool is_half = algorithm == SpmmAlgorithm::tiled_engine;
    std::vector<float> first;
    for (int run = 0; run < 5; ++run) {
      using Rows   = Kokkos::View<float**, Kokkos::LayoutRight, Device>;
      const auto B = make_block<Rows>("B", b, 700, 40);
      const Rows C("C", 500, 40);
      spmm(SpmmPlan(A, {.columns       = 40,
                        .algorithm     = algorithm,
                        .precision     = is_half ? Precision::fp16 : Precision::full,
                        .deterministic = true}),
           1, B, 0, C);
      const auto now = to_row_major(C);
      if (run == 0) first = now;
      EXPECT_TRUE(first == now) << name(algorithm);
    }
  }
}

TEST(SpmmEngines, BricksTakeAColumnMajorBInTurnsWhereMemoryIsShort) {
  const auto host          = random_matrix<float>(64, 60, 9);
  const auto A             = make_crs<Floats>(host);
  const SpmmOptions bricks = {.columns = 40, .algorithm = SpmmAlgorithm::bricks};
  const auto needed        = SpmmPlan(A, bricks).persistent_bytes();
  const auto with_limit    = [&](std::size_t limit) {
    SpmmOptions options  = bricks;
    options.memory_limit = limit;
    return options;
  };
  const auto product = [&](const SpmmPlan<Floats>& plan) {
    check_spmm<Device>(NamedMatrix<float>{"limit", host}, SpmmCase<float>{.columns = 40, .b = Storage::columns}, "",
                       [&](const auto&, const auto& B, const auto& C) { spmm(plan, 1, B, 0, C); });
  };
  // A conversion needs more than it leaves; so the limit that suffices is looked for.
  for (std::size_t room = needed; room < 64 * needed; room += needed / 4) {
    std::optional<SpmmPlan<Floats>> plan;
    try {
      plan.emplace(A, with_limit(room));
    } catch (const OutOfMemory&) {
      continue;
    }
    if (room - plan->persistent_bytes() < 60 * 16 * sizeof(float)) continue;
    product(*plan);
    EXPECT_LE(plan->persistent_bytes() + plan->temporary_bytes(), room);
    return;
  }
  ADD_FAILURE() << "no limit sufficed";
}

}  // namespace
}  // namespace lacuna::Test

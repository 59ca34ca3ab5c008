// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmm/impl/Lacuna_SpmmOperation.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <string>

/// \file
/// \brief What synergy says of the time of `hrpb`: a pure function of plain values.

namespace lacuna::Test {
namespace {

using Impl::Inspection;
using Impl::SpmmHrpb;
using Impl::SpmmRequest;
using Impl::Stage;
using Impl::TallPanelStatistics;
using testing::HasSubstr;

SpmmRequest request(std::int64_t columns, Precision precision = Precision::tf32) {
  SpmmRequest asked;
  asked.columns   = columns;
  asked.precision = precision;
  asked.scalar    = {Impl::ScalarKind::real, 4};
  return asked;
}

/// Rows of 32 nonzeros, whose panels of 16 hold `alpha` of each brick; the longest has `uneven` times the mean.
Inspection with_alpha(double alpha, std::int64_t rows = 65536, double uneven = 1) {
  Inspection A;
  A.rows = A.columns        = rows;
  A.nonzeros                = 32 * rows;
  A.lengths.longest         = 32;
  const std::int64_t panels = rows / 16;
  const auto bricks         = static_cast<std::int64_t>(static_cast<double>(A.nonzeros) / (64 * alpha));
  A.tall_panels             = TallPanelStatistics{
      16,
      panels,
      static_cast<std::int64_t>(uneven * 4 * static_cast<double>(bricks) / static_cast<double>(panels)),
      bricks / 4,
      bricks,
      bricks};
  return A;
}

double seconds(const Inspection& A, const SpmmRequest& asked, const Device& device = Device::h200()) {
  return SpmmHrpb::estimate(device, A, asked).call_seconds;
}

TEST(SpmmHrpbModel, TheSameNonzerosInDenserBricksTakeLess) {
  for (const std::int64_t columns : {32, 64, 128, 512}) {
    EXPECT_LT(1.5 * seconds(with_alpha(0.5), request(columns)), seconds(with_alpha(0.125), request(columns)));
    EXPECT_LT(seconds(with_alpha(0.125), request(columns)), seconds(with_alpha(0.0625), request(columns)));
  }
  EXPECT_GT(seconds(with_alpha(0.25), request(512)), 2.5 * seconds(with_alpha(0.25), request(128)));
  EXPECT_LT(seconds(with_alpha(0.25), request(512)), 4.5 * seconds(with_alpha(0.25), request(128)));
}

TEST(SpmmHrpbModel, PartsAreWhatTheKernelMoves) {
  const Inspection A  = with_alpha(0.25);  // 131,072 bricks, 32,768 blocks, 8 a panel
  const Device device = Device::h200();
  ASSERT_EQ(A.tall_panels->blocks, 32768);
  const auto parts = Impl::hrpb_terms(device, A, *A.tall_panels, request(100), 100).parts;
  // 4 warps of a team for 100 columns, padded to 128; metadata of 80 bytes, active columns, where a block begins.
  const double packed = 4.0 * static_cast<double>(A.nonzeros) + 32768 * (80.0 + 64 + 8);
  EXPECT_DOUBLE_EQ(parts[0], packed / device.gather_rate);
  EXPECT_DOUBLE_EQ(parts[1], 32768.0 * 16 * 400 / device.gather_rate);
  EXPECT_DOUBLE_EQ(parts[2], 131072.0 * 4 * 128 * 4 / device.gather_rate) << "equation 1";
  EXPECT_DOUBLE_EQ(parts[3], 2 * 65536.0 * 400 / device.copy_rate);
  EXPECT_DOUBLE_EQ(parts[4], 131072.0 * 4 / 132);
  EXPECT_DOUBLE_EQ(parts[5], 4.0 * 8) << "4096 teams, 1056 at once: 4 waves of 8 blocks";
  // Two tiles of columns read the blocks twice.
  EXPECT_DOUBLE_EQ(Impl::hrpb_terms(device, A, *A.tall_panels, request(200), 200).parts[0], 2 * parts[0]);
  // At full precision float takes three engine products.
  EXPECT_DOUBLE_EQ(Impl::hrpb_terms(device, A, *A.tall_panels, request(100, Precision::full), 100).parts[4],
                   3 * parts[4]);
}

TEST(SpmmHrpbModel, BetaSavesTransfersOfB) {
  Inspection A       = with_alpha(0.25);
  const auto parts   = [&] { return Impl::hrpb_terms(Device::h200(), A, *A.tall_panels, request(128), 128).parts; };
  const double alone = parts()[2];
  A.tall_panels->panel_rows = 32;
  A.tall_panels->panels /= 2;
  A.tall_panels->brick_columns /= 2;  // each holds two bricks
  EXPECT_DOUBLE_EQ(parts()[2], alone / 2);
}

TEST(SpmmHrpbModel, HeavyPanelsWaitUnlessTheyAreCut) {
  const Inspection even = with_alpha(0.25, 4096), uneven = with_alpha(0.25, 4096, 40);
  SpmmRequest asked  = request(32);
  const double waves = seconds(uneven, asked);
  EXPECT_EQ(seconds(even, asked), waves) << "the pieces are the average";
  asked.panel_balance = PanelBalance::off;
  EXPECT_GT(seconds(uneven, asked), 3 * waves);
  EXPECT_EQ(seconds(even, asked), waves);
}

TEST(SpmmHrpbModel, AReportNamesWhatItKnows) {
  const auto estimate = SpmmHrpb::estimate(Device::h200(), with_alpha(0.3125), request(128));
  EXPECT_THAT(estimate.reason, HasSubstr("alpha 31.3 %, beta 1, OI 160: high synergy, about "));
  EXPECT_GT(estimate.bytes, 0u);
  EXPECT_GT(estimate.setup_seconds, 0);
}

TEST(SpmmHrpbModel, PanelsOf8RowsBoundItBeforeTallOnesAreCounted) {
  Inspection A     = with_alpha(0.25);
  const auto known = *A.tall_panels;
  A.tall_panels.reset();
  const auto bound = [&] { return SpmmHrpb::optimistic_bound(Device::h200(), A, request(128), Stage::tall_panels); };
  EXPECT_FALSE(bound().estimate);
  EXPECT_EQ(bound().reason, "its panels were not looked at");
  // Both halves of a panel of 16 rows have the same columns.
  A.panels = Impl::PanelStatistics{8192, 2 * 4 * known.bricks, known.longest_panel, known.bricks, 2 * known.bricks};
  ASSERT_TRUE(bound().estimate);
  EXPECT_THAT(bound().reason, HasSubstr("at best alpha 25 %, beta 1, OI 128: high synergy, about "));
  A.tall_panels = known;
  EXPECT_LE(bound().estimate->call_seconds, seconds(A, request(128)));
  // Where the engine cannot pay at all, nothing is counted.
  EXPECT_THAT(SpmmHrpb::optimistic_bound(Device::h200(), A, request(4), Stage::tall_panels).reason,
              HasSubstr("too small for the matrix engine"));
  EXPECT_FALSE(SpmmHrpb::optimistic_bound(Device::h200(), A, request(128), Stage::clusters).estimate);
}

TEST(SpmmHrpbModel, WithoutNonzeros) {
  Inspection A;
  A.rows = A.columns = 100;
  A.tall_panels      = TallPanelStatistics{16, 7, 0, 0, 0, 0};
  EXPECT_GT(seconds(A, request(128)), 0);
  EXPECT_LT(seconds(A, request(128)), 1e-3);
}

}  // namespace
}  // namespace lacuna::Test

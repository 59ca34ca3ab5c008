// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_DiagonalFormats.hpp>
#include <Lacuna_Generators.hpp>
#include <Lacuna_Transpose.hpp>

#include <gmock/gmock.h>

#include <type_traits>
#include <vector>

/// \file
/// \brief Users declare variables and members of every type that a function returns, by public names alone.

namespace {

using Execution   = Kokkos::DefaultExecutionSpace;
using Device      = Execution::device_type;
using Matrix      = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using ConstMatrix = KokkosSparse::CrsMatrix<const double, const int, Device, void, const int>;

static_assert(std::is_same_v<lacuna::CrsOf<Matrix>, Matrix>);
static_assert(std::is_same_v<lacuna::CrsOf<ConstMatrix>, Matrix>);
static_assert(std::is_same_v<lacuna::SellOf<ConstMatrix>, lacuna::SellMatrix<double, int, Device, int>>);

/// What a program may keep of a matrix.
struct Members {
  lacuna::CrsOf<Matrix> crs;
  lacuna::ReorderedMatrix<Matrix> transposed;
  lacuna::CooOf<Matrix> coo;
  lacuna::EllOf<Matrix> ell;
  lacuna::PaddedRowsOf<Matrix> padded_rows;
  lacuna::DiaOf<Matrix> dia;
  lacuna::HybOf<Matrix> hyb;
  lacuna::RowBlockOf<Matrix> row_block;
  lacuna::SellOf<Matrix> sell;
  lacuna::SlicedDiaOf<Matrix> sliced_dia;
  lacuna::BrickOf<Matrix> bricks;
  lacuna::RowListOf<Matrix> row_list;
  lacuna::HrpbOf<Matrix> hrpb;
  lacuna::GcooOf<Matrix> gcoo;
  lacuna::HmOf<Matrix> hm;
  lacuna::CdmOf<Matrix> cdm;
};

template <class... Formats>
std::vector<int> nonzeros_of(const Formats&... formats) {
  return {formats.nonzeros()...};
}

TEST(FormatTypes, HoldWhatFunctionsReturn) {
  Members all;
  all.crs         = lacuna::generate<Matrix>("banded:n=40,half=2");
  all.transposed  = lacuna::transpose(all.crs);
  all.coo         = lacuna::to_coo(all.crs);
  all.ell         = lacuna::to_ell(all.crs);
  all.padded_rows = lacuna::to_padded_rows(all.crs);
  all.dia         = lacuna::to_dia(all.crs);
  all.hyb         = lacuna::to_hyb(all.crs);
  all.row_block   = lacuna::to_row_block(all.crs);
  all.sell        = lacuna::to_sell(all.crs);
  all.sliced_dia  = lacuna::to_sliced_dia(all.crs);
  all.bricks      = lacuna::to_bricks(all.crs);
  all.row_list    = all.bricks.row_list;
  all.hrpb        = lacuna::to_hrpb(all.crs);
  all.gcoo        = lacuna::to_gcoo(all.crs);
  all.hm          = lacuna::to_hm(all.crs);
  all.cdm         = lacuna::to_cdm(all.crs);

  const int nonzeros = 5 * 40 - 6;
  EXPECT_EQ(all.transposed.matrix.nnz(), nonzeros);
  EXPECT_THAT(nonzeros_of(all.coo, all.ell, all.padded_rows, all.dia, all.hyb, all.row_block, all.sell, all.sliced_dia,
                          all.bricks, all.hrpb, all.gcoo, all.hm, all.cdm),
              testing::Each(nonzeros));

  all.crs  = lacuna::to_crs(all.sell);
  all.coo  = lacuna::to_coo(all.gcoo);
  all.gcoo = lacuna::to_gcoo(all.coo);
  all.hm   = lacuna::to_hm(all.sell);
  all.cdm  = lacuna::to_cdm(all.hm);
  all.dia  = lacuna::to_dia(all.cdm);
  EXPECT_EQ(all.crs.nnz(), nonzeros);
  EXPECT_THAT(nonzeros_of(all.coo, all.gcoo, all.hm, all.cdm, all.dia), testing::Each(nonzeros));
}

TEST(FormatTypes, AreThoseOfAMatrixOfConstants) {
  const Matrix A                          = lacuna::generate<Matrix>("banded:n=40,half=2");
  const ConstMatrix shared                = A;
  const lacuna::CrsOf<ConstMatrix> sorted = lacuna::sort_rows(shared).matrix;
  const lacuna::EllOf<ConstMatrix> ell    = lacuna::to_ell(shared);
  EXPECT_EQ(sorted.nnz(), A.nnz());
  EXPECT_EQ(ell.nonzeros(), A.nnz());
}

}  // namespace

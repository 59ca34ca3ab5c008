// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <formats/Test_Defects.hpp>

#include <limits>

namespace {

using namespace lacuna::Test;
using testing::HasSubstr;

using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;

Matrix sample() { return make_crs<Matrix>(uneven_matrix<double>(100, 90, 7)); }

TEST(ValidateFormats, EverySampleIsValidInEveryFormat) {
  for (const auto& [name, source] : all_matrices<double>()) {
    const auto A            = make_crs<Matrix>(source);
    const auto same         = lacuna::validate(A);
    const auto expect_valid = [&](const lacuna::ValidationReport& report, const char* format) {
      EXPECT_TRUE(report.valid) << name << " in " << format << ": " << report.text();
      EXPECT_EQ(report.duplicates.count, same.duplicates.count) << name << " in " << format;
      EXPECT_EQ(report.duplicates.first_row, same.duplicates.first_row) << name << " in " << format;
    };
    expect_valid(lacuna::validate(lacuna::to_coo(A)), "COO");
    expect_valid(lacuna::validate(lacuna::to_ell(A)), "ELL");
    expect_valid(lacuna::validate(lacuna::to_hyb(A, {.width = 2})), "HYB");
    expect_valid(lacuna::validate(lacuna::to_padded_rows(A)), "padded rows");
    expect_valid(lacuna::validate(lacuna::to_row_block(A)), "row blocks");
    expect_valid(lacuna::validate(lacuna::to_sell(A)), "slices");
    expect_valid(lacuna::validate(lacuna::to_sell(A, {.columns = lacuna::SellColumns::absolute, .segments = 4})),
                 "columns");
    // Diagonals within slices take sorted rows without duplicates alone.
    if (!same.unsorted_rows && !same.duplicates) {
      expect_valid(lacuna::validate(lacuna::to_sliced_dia(A)), "diagonals within slices");
      expect_valid(lacuna::validate(lacuna::to_sliced_dia(A, {.group = 3})), "groups of 3");
    }
    EXPECT_TRUE(lacuna::validate(lacuna::to_dia(A, {.fill_limit = 0})).valid) << name;
  }
}

TEST(ValidateFormats, Coo) {
  auto coo = lacuna::to_coo(sample());
  poke(coo.column_indices, 3, 90);
  EXPECT_EQ(lacuna::validate(coo).columns_out_of_range.count, 1);
  EXPECT_FALSE(lacuna::validate(coo).valid);
  poke(coo.row_indices, 9, 99);
  EXPECT_THAT(defects_of(coo), HasSubstr("rows out of range or out of order"));
  coo.row_indices = decltype(coo.row_indices)("short", 2);
  EXPECT_THAT(defects_of(coo), HasSubstr("row_indices has 2 elements, not "));
}

TEST(ValidateFormats, Ell) {
  auto ell = lacuna::to_ell(make_crs<Matrix>(small_matrix()), {.alignment = 4});
  poke(ell.column_indices, 5, 2);  // row 1 is empty
  EXPECT_EQ(defects_of(ell), "1 entries after padding, first at 1");
  poke(ell.column_indices, 5, -1);
  poke(ell.values, 8, 1.0);
  EXPECT_EQ(defects_of(ell), "1 values of padding that are not 0, first at 0");
  poke(ell.values, 8, 0.0);
  poke(ell.column_indices, 2, -7);
  EXPECT_EQ(defects_of(ell), "1 columns below -1, first at 2");
  poke(ell.column_indices, 2, 4);
  EXPECT_EQ(lacuna::validate(ell).columns_out_of_range.first_row, 2);
  poke(ell.column_indices, 2, 1);
  EXPECT_EQ(defects_of(ell), "valid");
  poke(ell.column_indices, 3, 1);  // row 3 exists by rounding only
  EXPECT_EQ(defects_of(ell), "1 entries after padding, first at 3");
  ell.stride = 2;
  EXPECT_EQ(defects_of(ell), "width 3 and stride 2");
  ell.stride = 5;
  EXPECT_EQ(defects_of(ell), "column_indices has 12 elements, not 15");
}

TEST(ValidateFormats, PaddedRows) {
  auto padded = lacuna::to_padded_rows(make_crs<Matrix>(small_matrix()), {.multiple = 2});
  poke(padded.row_map, 1, 3);
  EXPECT_THAT(lacuna::validate(padded).text(), HasSubstr("1 elements that are no multiple in row_map, first at 1"));
  poke(padded.row_map, 1, 4);
  EXPECT_EQ(defects_of(padded), "1 decreasing elements in row_map, first at 1");
  poke(padded.row_map, 1, 2);
  poke(padded.row_map, 3, 8);
  EXPECT_EQ(defects_of(padded), "1 wrong ends of row_map, first at 3");
  poke(padded.row_map, 3, 6);
  poke(padded.entries, 4, -1);
  poke(padded.values, 4, 0.0);
  EXPECT_EQ(defects_of(padded), "1 rows padded too far, first at 2");
}

TEST(ValidateFormats, Hyb) {
  auto hyb = lacuna::to_hyb(make_crs<Matrix>(small_matrix()), {.width = 1, .alignment = 1});
  poke(hyb.coo.row_indices, 1, 1);
  EXPECT_EQ(defects_of(hyb), "1 nonzeros that coo_row_map puts elsewhere, first at 2");
  poke(hyb.coo.row_indices, 1, 2);
  poke(hyb.ell.column_indices, 0, -1);
  poke(hyb.ell.values, 0, 0.0);
  EXPECT_EQ(defects_of(hyb), "1 rows in coordinates whose ELLPACK part is not full, first at 0");
  hyb.coo.columns = 7;
  EXPECT_EQ(defects_of(hyb), "a part is 3x7, the matrix 3x4");
}

TEST(ValidateFormats, Dia) {
  auto dia = lacuna::to_dia(make_crs<Matrix>(small_matrix()));
  poke(dia.values, 32 + 1, 5.0);
  EXPECT_EQ(defects_of(dia), "1 values that are not 0 where nothing is, first at 1");
  poke(dia.values, 32 + 1, 0.0);
  poke(dia.occupied, 0, 0b101);  // row 0 of diagonal -1 lies left of the matrix
  poke(dia.values, 2 + 0, 0.0);
  EXPECT_THAT(lacuna::validate(dia).text(), HasSubstr("1 nonzeros outside of the matrix, first at 0"));
  poke(dia.offsets, 1, -1);
  EXPECT_EQ(defects_of(dia), "1 offsets out of range or out of order, first at 1");
  dia.stride = 33;
  EXPECT_EQ(defects_of(dia), "stride 33");
}

TEST(ValidateFormats, RowBlock) {
  const auto A      = make_crs<Matrix>(small_matrix());
  const auto blocks = [&] { return lacuna::to_row_block(A, {.block_rows = 2, .block_columns = 16, .multiple = 2}); };
  auto broken       = blocks();
  poke(broken.start_columns, 0, 8);
  EXPECT_EQ(defects_of(broken), "1 start columns out of range, out of order or not aligned, first at 0");
  broken = blocks();
  poke(broken.entries, 0, 65535);
  poke(broken.values, 0, 0.0);
  EXPECT_THAT(lacuna::validate(broken).text(), HasSubstr("1 slots without an entry of the block, first at 0"));
  EXPECT_THAT(lacuna::validate(broken).text(), HasSubstr("1 entries after padding"));
  broken = blocks();
  poke(broken.slots, 4, 1000);
  EXPECT_EQ(defects_of(broken), "1 slots without an entry of the block, first at 4");
  broken = blocks();
  poke(broken.entries, 1, 9);
  EXPECT_EQ(lacuna::validate(broken).columns_out_of_range.first_row, 0);
  broken.group_map = decltype(broken.group_map)("short", 1);
  EXPECT_EQ(defects_of(broken), "group_map has 1 elements, not 3");
}

TEST(ValidateFormats, SellWithDeltas) {
  const auto A    = make_crs<Matrix>(small_matrix());
  const auto sell = lacuna::to_sell(A);
  poke(sell.values, 64, 5.0);  // of an entry that does not exist
  poke(sell.first_column, 1, -9);
  EXPECT_EQ(defects_of(sell), "valid");
  poke(sell.deltas, 2 * 4 + 2, 2);
  EXPECT_EQ(defects_of(sell), "1 columns out of range, first at 2");
  poke(sell.deltas, 2 * 4 + 2, 65535);
  EXPECT_EQ(defects_of(sell), "4 entries exist, not 5");
  poke(sell.deltas, 2 * 4 + 2, 1);
  poke(sell.first_column, 0, -1);
  EXPECT_EQ(defects_of(sell), "1 columns out of range, first at 0");
  poke(sell.first_column, 0, 0);
  poke(sell.first_column, 5, 0);
  poke(sell.deltas, 5 * 4, 1);  // row 5 exists by rounding only
  EXPECT_THAT(lacuna::validate(sell).text(), HasSubstr("1 slots below the last row that hold entries, first at 5"));
  EXPECT_THAT(lacuna::validate(sell).text(), HasSubstr("6 entries exist, not 5"));
}

TEST(ValidateFormats, SellColumnsThatWrapAround) {
  // 65537 hops of 65535 are 2^32 - 1: in 32 bits, the column before the first.
  HostMatrix<double> source;
  source.rows = 1, source.columns = 10;
  source.row_map           = {0, 1};
  source.entries           = {5};
  source.values            = {1.0};
  auto sell                = lacuna::to_sell(make_crs<Matrix>(source));
  const std::size_t chunks = 16385;
  sell.uniform_chunks      = 0;
  poke(sell.slice_begin, 1, chunks);
  sell.values = decltype(sell.values)("values", 128 * chunks);
  sell.deltas = decltype(sell.deltas)("deltas", 128 * chunks);
  Kokkos::deep_copy(sell.deltas, std::uint16_t(65535));
  poke(sell.deltas, 128 * (chunks - 1) + 1, 0);  // after 16384 * 4 + 1 hops
  EXPECT_EQ(defects_of(sell), "1 columns out of range, first at 0");
}

TEST(ValidateFormats, SellThatClaimsUniformSlices) {
  auto sell = lacuna::to_sell(make_crs<Matrix>(small_matrix()));
  EXPECT_EQ(sell.uniform_chunks, 1);
  sell.uniform_chunks = 2;
  EXPECT_EQ(defects_of(sell), "slices that do not all have the 2 chunks they should");
}

/// Found by fuzzing: 32 slots times the chunk did not fit, and a stride without any column was walked along.
TEST(ValidateFormats, NumbersFarOutOfRange) {
  const auto A = make_crs<Matrix>(small_matrix());
  auto sell    = lacuna::to_sell(A);
  sell.chunk   = std::numeric_limits<int>::min();
  EXPECT_EQ(defects_of(sell), "chunks of -2147483648");
  auto ell           = lacuna::to_ell(A);
  ell.width          = 0;
  ell.stride         = std::numeric_limits<std::int64_t>::max();
  ell.column_indices = {};
  ell.values         = {};
  // A matrix of zeros, which it finds in an instant.
  ell.stored_nonzeros = 0;
  EXPECT_EQ(defects_of(ell), "valid");
}

TEST(ValidateFormats, SellWithColumns) {
  const auto A    = make_crs<Matrix>(small_matrix());
  const auto make = [&] { return lacuna::to_sell(A, {.columns = lacuna::SellColumns::absolute}); };
  auto sell       = make();
  poke(sell.values, 64, std::numeric_limits<double>::quiet_NaN());  // of an entry that does not exist
  EXPECT_EQ(defects_of(sell), "valid");
  poke(sell.column_indices, 2 * 4, 4);
  EXPECT_EQ(defects_of(sell), "1 columns out of range, first at 2");
  poke(sell.column_indices, 2 * 4, -2);
  EXPECT_EQ(defects_of(sell), "1 columns out of range, first at 2");
  sell = make();
  poke(sell.slice_begin, 1, 2);
  EXPECT_EQ(defects_of(sell), "1 wrong ends of slice_begin, first at 1");
  poke(sell.slice_begin, 1, -1);
  EXPECT_THAT(lacuna::validate(sell).text(), HasSubstr("1 decreasing elements in slice_begin, first at 0"));
  sell.slice_begin = decltype(sell.slice_begin)("short", 1);
  EXPECT_EQ(defects_of(sell), "slice_begin has 1 elements, not 2");
  sell            = make();
  sell.has_deltas = true;
  EXPECT_EQ(defects_of(sell), "deltas has 0 elements, not 128");
  sell        = make();
  sell.values = decltype(sell.values)("short", 127);
  EXPECT_EQ(defects_of(sell), "values has 127 elements, not 0");
  sell          = make();
  sell.segments = 3;
  EXPECT_EQ(defects_of(sell), "3 segments");
}

TEST(ValidateFormats, SlicedDia) {
  const auto A    = make_crs<Matrix>(small_matrix());
  using Diagonal  = decltype(lacuna::to_sliced_dia(A))::Diagonal;
  const auto make = [&] { return lacuna::to_sliced_dia(A, {.group = 1}); };
  auto dia        = make();  // offsets -1, 0, 1; masks 100, 101, 101
  EXPECT_EQ(defects_of(dia), "valid");
  poke(dia.values, 0, 5.0);
  EXPECT_EQ(defects_of(dia), "1 values that are not 0 where nothing is, first at 0");
  poke(dia.values, 0, 0.0);
  poke(dia.diagonals, 0, Diagonal{-3, 0b100});
  EXPECT_EQ(defects_of(dia), "1 columns out of range, first at 2");
  poke(dia.diagonals, 0, Diagonal{0, 0b100});
  EXPECT_EQ(defects_of(dia), "1 offsets out of order, first at 0");
  dia = make();
  poke(dia.diagonals, 2, Diagonal{2, 0b101});
  EXPECT_EQ(defects_of(dia), "1 columns out of range, first at 2");
  dia = make();
  poke(dia.diagonals, 0, Diagonal{-1, 0b1100});
  EXPECT_EQ(defects_of(dia), "1 entries below the last row, first at 3; 6 entries exist, not 5");
  dia = make();
  poke(dia.diagonals, 1, Diagonal{0, 0});
  EXPECT_THAT(defects_of(dia), HasSubstr("1 diagonals behind one without entries, first at 0"));
  dia = make();
  poke(dia.diagonals, 2, Diagonal{1, 0b100});
  EXPECT_THAT(defects_of(dia), HasSubstr("4 entries exist, not 5"));
  dia = make();
  poke(dia.slice_begin, 1, 2);
  EXPECT_EQ(defects_of(dia), "1 wrong ends of slice_begin, first at 1");
  dia                   = make();
  dia.uniform_diagonals = 2;
  EXPECT_EQ(defects_of(dia), "slices that do not all have the 2 diagonals they should");
  dia        = make();
  dia.values = decltype(dia.values)("short", 95);
  EXPECT_EQ(defects_of(dia), "values has 95 elements, not 96");
  dia       = make();
  dia.group = 0;
  EXPECT_EQ(defects_of(dia), "group 0");
}

TEST(ValidateFormats, MemoryLimit) {
  EXPECT_THROW(lacuna::validate(lacuna::to_coo(sample()), {.memory_limit = 1000}), lacuna::OutOfMemory);
}

}  // namespace

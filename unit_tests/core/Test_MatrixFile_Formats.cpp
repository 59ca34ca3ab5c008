// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "MatrixFile_Support.hpp"

#include <Lacuna_Error.hpp>
#include <core/impl/files/Lacuna_TextFile.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace {

using lacuna::Testing::Entries;
using lacuna::Testing::entries_of;
using lacuna::Testing::read_text;
using lacuna::Testing::TemporaryFile;
using Complex = std::complex<double>;

/// The value that a test file has at (row, column) and, where symmetric, at (column, row).
Complex value_at(const std::string& field, std::int64_t row, std::int64_t column) {
  const auto n = static_cast<double>(10 * row + column);
  if (field == "pattern") return 1;
  if (field == "integer") return n;
  return field == "complex" ? Complex(n + 0.5, -n) : Complex(-n - 0.25);
}

std::string text_of(const std::string& field, Complex value) {
  if (field == "pattern") return "";
  if (field == "complex") return " " + std::to_string(value.real()) + " " + std::to_string(value.imag());
  return " " + (field == "integer" ? std::to_string(static_cast<int>(value.real())) : std::to_string(value.real()));
}

Complex mirrored(const std::string& symmetry, Complex value) {
  if (symmetry == "skew-symmetric") return -value;
  return symmetry == "hermitian" ? std::conj(value) : value;
}

/// Writes a matrix of this type by hand and compares.
void expect_header(const std::string& format, const std::string& field, const std::string& symmetry) {
  const bool general = symmetry == "general", skew = symmetry == "skew-symmetric", array = format == "array";
  const std::int64_t rows = 4, columns = general ? 3 : 4;
  std::string body;
  Entries expected;
  std::int64_t stored = 0;
  for (std::int64_t column = 1; column <= columns; ++column) {
    for (std::int64_t row = general ? 1 : column + (skew ? 1 : 0); row <= rows; ++row) {
      if (!array && (row + column) % 3 == 0) continue;
      Complex value = value_at(field, row, column);
      if (row == column && symmetry == "hermitian") value = value.real();
      body += (array ? "" : std::to_string(row) + " " + std::to_string(column)) + text_of(field, value) + "\n";
      ++stored;
      expected[{row, column}] = value;
      if (!general && row != column) expected[{column, row}] = mirrored(symmetry, value);
    }
  }
  std::string text = "%%MatrixMarket matrix " + format + " " + field + " " + symmetry + "\n" + std::to_string(rows) +
                     " " + std::to_string(columns);
  text += (array ? "" : " " + std::to_string(stored)) + "\n" + body;
  const auto matrix = read_text(text);
  EXPECT_EQ(matrix.rows, rows);
  EXPECT_EQ(matrix.columns, columns);
  EXPECT_EQ(entries_of(matrix), expected) << text;
  EXPECT_EQ(matrix.entries.size(), expected.size());
  EXPECT_EQ(matrix.components, field == "pattern" ? 0 : field == "complex" ? 2 : 1);
}

TEST(MatrixFile, EveryHeader) {
  for (const std::string format : {"coordinate", "array"}) {
    for (const std::string field : {"real", "integer", "complex", "pattern"}) {
      for (const std::string symmetry : {"general", "symmetric", "skew-symmetric", "hermitian"}) {
        const bool pattern = field == "pattern";
        if (pattern && (format == "array" || symmetry == "skew-symmetric" || symmetry == "hermitian")) {
          EXPECT_THROW(expect_header(format, field, symmetry), lacuna::InvalidMatrix) << format << " " << symmetry;
        } else {
          expect_header(format, field, symmetry);
        }
      }
    }
  }
}

TEST(MatrixFile, Vectors) {
  EXPECT_EQ(entries_of(read_text("%%MatrixMarket vector coordinate real general\n5 2\n5 1.5\n2 -2\n")),
            (Entries{{{5, 1}, 1.5}, {{2, 1}, -2}}));
  EXPECT_EQ(entries_of(read_text("%%MatrixMarket vector coordinate pattern general\n5 1\n5\n")),
            (Entries{{{5, 1}, 1}}));
  const auto matrix = read_text("%%MatrixMarket vector array complex general\n3\n1 2\n0 0\n0 -1\n");
  EXPECT_EQ(matrix.rows, 3);
  EXPECT_EQ(matrix.columns, 1);
  EXPECT_EQ(entries_of(matrix), (Entries{{{1, 1}, {1, 2}}, {{3, 1}, {0, -1}}}));
}

TEST(MatrixFile, EmptyMatrices) {
  for (const char* sizes : {"0 0 0", "3 0 0", "0 3 0", "3 4 0"}) {
    const auto matrix = read_text(std::string("%%MatrixMarket matrix coordinate real general\n") + sizes);
    EXPECT_EQ(matrix.entries.size(), 0u) << sizes;
    EXPECT_EQ(matrix.rows, sizes[0] - '0');
    EXPECT_EQ(matrix.columns, sizes[2] - '0');
  }
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real general\n3 0\n").rows, 3);
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real skew-symmetric\n1 1\n").entries.size(), 0u);
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real symmetric\n0 0\n").entries.size(), 0u);
}

TEST(MatrixFile, FreeForm) {
  const Entries expected{{{1, 2}, 3}, {{2, 1}, -0.5}};
  const std::string plain = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 -0.5\n";
  EXPECT_EQ(entries_of(read_text(plain)), expected);
  for (const std::string text :
       {"%%MatrixMarket  MATRIX\tCoordinate    Real General \n% comment\n\n  %%another\n\t 2  2   2 \n\n 1 2   3 \n%c\n"
        "\t2\t1\t-5e-1\t\n\n\n",
        "  %%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 -0.5",
        "%MatrixMarket matrix coordinate "
        "double general\n2 2 2\n+1 +2 +3.0\n2 1 -5.0D-1\n",
        "\xef\xbb\xbf%%MatrixMarket matrix coordinate real general and more words\n2 2 2\n1 2 3.\n2 1 -.5e0\n"}) {
    EXPECT_EQ(entries_of(read_text(text)), expected) << text;
  }
  std::string windows, mac;
  for (const char c : plain) {
    windows += c == '\n' ? "\r\n" : std::string(1, c);
    mac += c == '\n' ? '\r' : c;
  }
  EXPECT_EQ(entries_of(read_text(windows)), expected);
  EXPECT_EQ(entries_of(read_text(mac)), expected);
  EXPECT_EQ(entries_of(read_text(windows.substr(0, windows.size() - 1))), expected);
}

TEST(MatrixFile, DuplicatesStayAndRowsAreSorted) {
  const auto matrix =
      read_text("%%MatrixMarket matrix coordinate real general\n2 3 6\n2 3 1\n2 1 2\n2 3 3\n1 2 4\n2 2 5\n2 3 6\n");
  EXPECT_THAT(matrix.row_map, testing::ElementsAre(0, 1, 6));
  EXPECT_THAT(matrix.entries, testing::ElementsAre(1, 0, 1, 2, 2, 2));
  EXPECT_THAT(matrix.values, testing::ElementsAre(4, 2, 5, 1, 3, 6));
}

TEST(MatrixFile, StoredZerosAndDiagonals) {
  EXPECT_EQ(read_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 0\n").entries.size(), 1u);
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n-0.0\n").entries.size(), 1u);
  // The upper triangle, and a diagonal that a skew-symmetric matrix cannot have, are taken as they stand.
  EXPECT_EQ(entries_of(read_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 2 4\n2 2 7\n")),
            (Entries{{{1, 2}, 4}, {{2, 1}, -4}, {{2, 2}, 7}}));
  EXPECT_EQ(entries_of(read_text("%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 2 3\n")),
            (Entries{{{1, 1}, {2, 3}}}));
}

TEST(MatrixFile, Numbers) {
  const auto value = [](const std::string& text, const char* field = "real") {
    return read_text("%%MatrixMarket matrix coordinate " + std::string(field) + " general\n1 1 1\n1 1 " + text + "\n")
        .values.at(0);
  };
  EXPECT_EQ(value("0.1"), 0.1);
  EXPECT_EQ(value("1.7976931348623157e308"), 1.7976931348623157e308);
  EXPECT_EQ(value("4.9406564584124654e-324"), 4.9406564584124654e-324);
  EXPECT_EQ(value("1e-400"), 0);
  EXPECT_EQ(value("-1d2"), -100);
  EXPECT_EQ(value("9007199254740993"), 9007199254740992.0);
  EXPECT_TRUE(std::isinf(value("-Inf")));
  EXPECT_TRUE(std::isinf(value("infinity")));
  EXPECT_TRUE(std::isnan(value("NaN")));
  EXPECT_EQ(value("8589934592", "integer"), 8589934592.0);
  EXPECT_EQ(value("-0", "integer"), 0);
  EXPECT_TRUE(std::signbit(value("-0", "integer")));
  EXPECT_EQ(value("-9223372036854775808", "integer"), -0x1p63);
  EXPECT_EQ(value("1.5", "integer"), 1.5);
  EXPECT_TRUE(std::isinf(value("inf", "integer")));
}

/// RB files, written by hand.
const char* const rb_lines = "title                                                                   key     \n";

TEST(MatrixFile, RutherfordBoeingKinds) {
  const std::string start = rb_lines + std::string("3 1 1 1\n");
  EXPECT_EQ(entries_of(read_text(rb_lines + std::string("2 1 1\nPSA  3 3 3 0\n(4I2)(3I1)\n 1 3 3 4\n123\n"))),
            (Entries{{{1, 1}, 1}, {{2, 1}, 1}, {{1, 2}, 1}, {{3, 3}, 1}}));
  EXPECT_EQ(entries_of(read_text(start + "rza  2 2 1 0\n(4I2)(3I1)(2F4.0)\n 1 2 2\n2\n7.5\n")),
            (Entries{{{2, 1}, 7.5}, {{1, 2}, -7.5}}));
  EXPECT_EQ(entries_of(read_text(start + "cha  2 2 2 0\n(4I2)(3I1)(3F4.0)\n 1 3 3\n12\n1.  0.  2.  \n3.\n")),
            (Entries{{{1, 1}, 1}, {{2, 1}, {2, 3}}, {{1, 2}, {2, -3}}}));
  EXPECT_EQ(entries_of(read_text(start + "cra  1 2 2\n(4I2)(3I1)(4F4.0)\n 1 2 3\n11\n1.  0.5 2.  -3.\n")),
            (Entries{{{1, 1}, {1, 0.5}}, {{1, 2}, {2, -3}}}));
  EXPECT_EQ(entries_of(read_text(start + "iua  1 1 1\n(4I2)(3I1)(4I4)\n 1 2\n1\n  42\n")), (Entries{{{1, 1}, 42}}));
  // Harwell-Boeing: right-hand sides are announced by a line, and not read.
  EXPECT_EQ(
      entries_of(read_text(rb_lines + std::string("4 1 1 1 1\nRUA  1 1 1 0\n(4I2) (3I1) (4F4.0) (4F4.0)\nF     1 0\n"
                                                  " 1 2\n1\n4.5\n9.0\n"))),
      (Entries{{{1, 1}, 4.5}}));
  EXPECT_EQ(read_text(start + "rua  3 0 0 0\n(4I2)(3I1)(4F4.0)\n 1\n").rows, 3);
}

/// A text larger than several blocks, in which every line is different.
std::string long_text(std::int64_t entries, std::int64_t promised) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n1000 " + std::to_string(entries) + " " +
                     std::to_string(promised) + "\n";
  for (std::int64_t i = 0; i < entries; ++i) {
    text += std::to_string(i * 7919 % 1000 + 1) + " " + std::to_string(entries - i) + " " + std::to_string(i) + ".5\n";
    if (i % 100000 == 99999) text += "% a comment\n\r\n";
  }
  return text;
}

TEST(MatrixFile, LongFilesAreParsedInPieces) {
  const std::int64_t entries = 600000;
  const std::string text     = long_text(entries, entries);
  ASSERT_GT(text.size(), std::size_t(10) << 20);
  const TemporaryFile compressed(".mtx.gz");
  lacuna::Impl::OutputFile output(compressed.path());
  output.stream() << text;
  output.commit();
  ASSERT_LT(compressed.content().size(), text.size() / 2);
  const auto matrix = lacuna::Impl::read_matrix_file(compressed.path());
  lacuna::Testing::expect_sound(matrix);
  ASSERT_EQ(matrix.entries.size(), static_cast<std::size_t>(entries));
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (auto k = static_cast<std::size_t>(matrix.row_map[row]); k < static_cast<std::size_t>(matrix.row_map[row + 1]);
         ++k) {
      const std::int64_t i = entries - 1 - matrix.entries[k];
      ASSERT_EQ(row, i * 7919 % 1000);
      ASSERT_EQ(matrix.values[k], static_cast<double>(i) + 0.5);
    }
  }
}

void expect_refusal_at(const std::string& text, std::int64_t line, const std::string& fact) {
  const TemporaryFile file(".mtx", text);
  try {
    lacuna::Impl::read_matrix_file(file.path());
    ADD_FAILURE() << "accepted";
  } catch (const lacuna::InvalidMatrix& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(file.path() + ":" + std::to_string(line) + ": " + fact));
  }
}

TEST(MatrixFile, LongFilesNameTheLine) {
  const std::int64_t entries = 600000;
  // Two lines of header, two more after each 100,000 entries.
  expect_refusal_at(long_text(entries, entries - 1), 2 + entries + 10,
                    "more entries than the 599999 that line 2 promises");
  expect_refusal_at(long_text(entries, 450001), 2 + 450002 + 8, "more entries than the 450001");
  expect_refusal_at(long_text(entries, entries + 1), 2 + entries + 12, "the file ends after 600000 of the 600001");
  std::string broken            = long_text(entries, entries);
  broken[broken.size() - 20000] = '?';
  const auto line =
      std::count(broken.begin(), broken.begin() + static_cast<std::ptrdiff_t>(broken.size()) - 20000, '\n');
  expect_refusal_at(broken, line + 1, "");
}

TEST(MatrixFile, LongArraysKeepTheirPlaces) {
  const std::int64_t n = 1100;
  std::string text     = "%%MatrixMarket matrix array real symmetric\n1100 1100\n";
  for (std::int64_t column = 1; column <= n; ++column) {
    for (std::int64_t row = column; row <= n; ++row) text += std::to_string(row * 10000 + column) + ".25\n";
  }
  ASSERT_GT(text.size(), std::size_t(5) << 20);
  const auto matrix = read_text(text);
  ASSERT_EQ(matrix.entries.size(), static_cast<std::size_t>(n * n));
  for (std::int64_t row = 1; row <= n; ++row) {
    for (std::int64_t column = 1; column <= n; ++column) {
      const double expected = static_cast<double>(std::max(row, column) * 10000 + std::min(row, column)) + 0.25;
      ASSERT_EQ(matrix.values[static_cast<std::size_t>((row - 1) * n + column - 1)], expected);
    }
  }
}

}  // namespace

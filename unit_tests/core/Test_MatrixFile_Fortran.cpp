// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "MatrixFile_Support.hpp"

#include <Lacuna_Error.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief Formats of Harwell-Boeing files: the values are those that gfortran reads.

namespace {

using lacuna::Testing::Entries;
using lacuna::Testing::entries_of;
using lacuna::Testing::read_text;

/// A column of `count` values, in lines that follow `format`.
std::string column_text(const std::string& format, std::size_t count, const std::string& lines,
                        const std::string& type = "rua") {
  std::string text = "title\n3 1 1 1\n" + type + " " + std::to_string(count) + " 1 " + std::to_string(count) +
                     " 0\n(2I4)(I4)" + format + "\n   1" + (count < 9 ? "   " : "  ") + std::to_string(count + 1) +
                     "\n";
  for (std::size_t row = 1; row <= count; ++row) text += (row < 10 ? "   " : "  ") + std::to_string(row) + "\n";
  return text + lines;
}

void expect_values(const std::string& format, const std::string& lines, const std::vector<double>& expected) {
  EXPECT_EQ(read_text(column_text(format, expected.size(), lines)).values, expected) << format << "\n" << lines;
}

TEST(MatrixFileFortran, ValuesOfEveryFormat) {
  const std::vector<double> expected{-1.5, 250, 3, 4, 0.5};
  for (const std::string text :
       {"(3E12.4)\n -1.5000E+00  2.5000D+02  3.0000E+00\n  4.0000E+00  5.0000-001\n",
        "(1P,5E10.2)\n -1.50E+00  2.50E+02  3.00E+00  4.00E+00  5.00E-01\n",
        "( 1P 3E 9.2 )\n-1.50E+00 2.50E+02 3.00E+00\n 4.00E+00 5.00E-01\n",
        "(2(1PD9.2E3))\n -1.50D00  2.50D02\n  3.00D00  4.00D00\n  5.0D-01\n", "(5F5.1)\n -1.5 250.  3.0   4. +0.5\n",
        "(*)\n -1.5 250\n\n3 4 0.5\n", "(3G9.2)\n     -1.5     250.       3.\n       4.       .5\n",
        "(1p3es9.2)\n-1.50E+00 2.50Q+02   3.0e00\n     4.e0    5.e-1\n"})
    expect_values(text.substr(0, text.find('\n')), text.substr(text.find('\n') + 1), expected);
}

TEST(MatrixFileFortran, ScaleFactors) {
  // They divide what has no exponent, and nothing else.
  expect_values("(1PE8.1)", "     1.5\n", {0.15});
  expect_values("(1PE8.1)", "   1.5E0\n", {1.5});
  expect_values("(1PE8.1)", "   1.5+0\n", {1.5});
  expect_values("(-2PD8.1)", "     1.5\n", {150});
  expect_values("(1PF8.1)", "     1.5\n", {0.15});
  expect_values("(2PG8.1)", "     150\n", {0.15});
  // One holds until the next one, also when the format begins anew.
  expect_values("(1P,F4.0,0P,F4.0)", "  5. 10.\n  5. 10.\n", {0.5, 10, 0.5, 10});
  expect_values("(F4.0,1P,F4.0)", "  5. 10.\n  5. 10.\n", {5, 1, 0.5, 1});
  expect_values("(1P,F4.0,(F4.0))", "  5. 10.\n  5.\n", {0.5, 1, 0.5});
  // Scaled in decimal: 0.1 + 0.2 and the like do not come in.
  expect_values("(3PF8.1)", "   123.4\n", {0.1234});
}

TEST(MatrixFileFortran, ImpliedPoints) {
  expect_values("(5F12.4)", "       15000       40000      -32500       25000           5\n",
                {1.5, 4, -3.25, 2.5, 0.0005});
  expect_values("(2E8.3)", "  1500E1   1500.\n", {15, 1500});
  expect_values("(2D8.3)", "  1500+1   +1500\n", {15, 1.5});
  expect_values("(1P,2F8.3)", "    1500    1.5 \n", {0.15, 0.15});
  expect_values("(1P,E8.3)", "  1500E0\n", {1.5});
  // Not of integers.
  EXPECT_EQ(read_text(column_text("(I8.3)", 1, "    1500\n", "iua")).values, std::vector<double>{1500});
  EXPECT_EQ(read_text(column_text("(1P,G8.3)", 1, "    1500\n", "iua")).values, std::vector<double>{1500});
}

TEST(MatrixFileFortran, Blanks) {
  expect_values("(3F8.1)", " 1 2.5  1.5E 01 -  2.0  \n", {12.5, 15, -2});
  expect_values("(3F4.0)", "  1.     2.\n", {1, 0, 2});
  expect_values("(2F4.0)", "1 . 2   \n", {1, 2});
  expect_values("(BZ,2F4.0)", "1 5.  2 \n", {105, 20});
  expect_values("(BZ,F4.0,BN,F4.0)", "1 5.1 5.\n", {105, 15});
  const std::string indices = "title\n2 1 1\npua 12 1 2 0\n(2I4)(2I4)\n   1   3\n 1 21   \n";
  EXPECT_EQ(entries_of(read_text(indices)), (Entries{{{12, 1}, 1}, {{1, 1}, 1}}));
}

TEST(MatrixFileFortran, PlacesInTheLine) {
  expect_values("(1X,2F4.0)", "x  1.  2.\nx  3.\n", {1, 2, 3});
  expect_values("(2(1X,F3.0))", "x 1.x 2.\nx 3.\n", {1, 2, 3});
  expect_values("(2X,F3.0,TL3,F2.0)", "xx12.\n", {12, 12});
  expect_values("(T4,F3.0,T1,F3.0,TR3,F3.0)", " 1. 2. 3.\n", {2, 1, 3});
  // Partial fields count; what stands beyond the format does not.
  expect_values("(F4.0,F4.0)", "  1. 2.\n", {1, 2});
  expect_values("(2F4.0)", "  1.  2. and more\n", {1, 2});
}

TEST(MatrixFileFortran, Slashes) {
  expect_values("(F4.0/F4.0)", "  1.\n  2.\n  3.\n", {1, 2, 3});
  expect_values("(2F4.0//F4.0)", "  1.  2.\nskipped\n  3.\n", {1, 2, 3});
  expect_values("(2F4.0,2/,F4.0)", "  1.  2.\nskipped\n  3.\n", {1, 2, 3});
  // After a full line a slash takes one more, which need not be there at the end.
  expect_values("(2F4.0/)", "  1.  2.\nskipped\n  3.\n", {1, 2, 3});
  expect_values("(2F4.0/)", "  1.  2.\n", {1, 2});
  // Pointers fill their line: the slash takes the next one. With room left it is not reached, nor after a colon.
  const std::string start = "title\n2 1 1\npua 3 1 2 0\n", columns = "   1   3\n", rows = "   1   3\n";
  const Entries expected{{{1, 1}, 1}, {{3, 1}, 1}};
  EXPECT_EQ(entries_of(read_text(start + "(2I4/)(2I4)\n" + columns + "skipped\n" + rows)), expected);
  EXPECT_EQ(entries_of(read_text(start + "(8I4/)(2I4)\n" + columns + rows)), expected);
  EXPECT_EQ(entries_of(read_text(start + "(2I4,:/)(2I4)\n" + columns + rows)), expected);
}

TEST(MatrixFileFortran, GroupsBeginAnew) {
  expect_values("(F3.0,2(F4.0))", " 1.  2.  3.\n  4.  5.\n  6.\n", {1, 2, 3, 4, 5, 6});
  expect_values("(2(F2.0,2(F3.0)),F4.0)", "1. 2. 3.4. 5. 6.  7.\n8. 9.10.\n", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

void expect_refused(const std::string& text, const std::string& fact) {
  try {
    read_text(text);
    ADD_FAILURE() << "accepted: " << text;
  } catch (const lacuna::InvalidMatrix& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(fact));
  }
}

TEST(MatrixFileFortran, Refusals) {
  expect_refused(column_text("(2I4)", 2, "   1 1.5\n"), ":8: \"1.5\" is not an integer");
  expect_refused(column_text("(F5.0)", 1, " 1e5e\n"), ":7: value \"1e5e\" is not a number");
  expect_refused(column_text("(-309PF8.0)", 1, "     1. \n"), ":7: value \"1.\" is too large for a double");
  expect_refused("title\n2 1 1\npua 1 1 1 0\n(2F4.0)(I4)\n  1.  2.\n   1\n",
                 ":5: column pointer has a format of reals");
}

}  // namespace

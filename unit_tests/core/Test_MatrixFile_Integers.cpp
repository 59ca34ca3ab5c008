// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "MatrixFile_Support.hpp"

#include <Lacuna_MatrixIO.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief Integers of files: as they are, or refused in the words of the file.

namespace {

using lacuna::Testing::TemporaryFile;
template <class Scalar>
using Crs = KokkosSparse::CrsMatrix<Scalar, int, Kokkos::DefaultHostExecutionSpace::device_type, void, int>;

template <class Scalar>
std::vector<Scalar> values_of(const std::string& text, const lacuna::ReadMatrixOptions& options = {}) {
  const TemporaryFile file(".mtx", text);
  const auto A    = lacuna::read_matrix<Crs<Scalar>>(file.path(), options);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.values);
  return {host.data(), host.data() + host.extent(0)};
}

std::string one_value(const std::string& value, const std::string& field = "integer") {
  return "%%MatrixMarket matrix coordinate " + field + " general\n% c\n1 1 1\n1 1 " + value + "\n";
}

template <class Scalar, class ErrorType = lacuna::InvalidMatrix>
void expect_refused(const std::string& text, const std::string& fact) {
  try {
    values_of<Scalar>(text);
    ADD_FAILURE() << "accepted: " << text;
  } catch (const ErrorType& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(".mtx:" + fact)) << text;
  }
}

/// Reads `digits` from files of every kind, writes it, and reads it again.
template <class Scalar>
void expect_exact(const std::string& digits, Scalar value) {
  const std::string hb = "title\n3 1 1 1\niua 1 1 1 0\n(2I4)(I4)(I24)\n   1   2\n   1\n";
  for (const std::string& text :
       {one_value(digits), one_value(digits, "real"), one_value(digits + ".000", "real"), one_value(digits + "0E-1"),
        "%%MatrixMarket matrix array integer general\n1 1\n" + digits + "\n", hb + digits + "\n"})
    EXPECT_EQ(values_of<Scalar>(text), std::vector<Scalar>{value}) << text;
  const TemporaryFile source(".mtx", one_value(digits)), copy(".mtx");
  lacuna::write_matrix(copy.path(), lacuna::read_matrix<Crs<Scalar>>(source.path()));
  EXPECT_EQ(copy.content(), "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 " + digits + "\n");
}

TEST(MatrixFileIntegers, ComeBackAsTheyAre) {
  expect_exact<std::int64_t>("9007199254740993", 9007199254740993);
  expect_exact<std::int64_t>("-9007199254740993", -9007199254740993);
  expect_exact<std::int64_t>("9223372036854775807", INT64_MAX);
  expect_exact<std::int64_t>("-9223372036854775808", INT64_MIN);
  expect_exact<std::uint64_t>("18446744073709551615", UINT64_MAX);
  expect_exact<std::uint64_t>("9223372036854775808", std::uint64_t(1) << 63);
  expect_exact<std::int8_t>("-128", -128);
  expect_exact<std::uint8_t>("255", 255);
  expect_exact<int>("2147483647", 2147483647);
}

TEST(MatrixFileIntegers, WholeRealsAreIntegers) {
  EXPECT_EQ(values_of<int>(one_value("1.50D+02", "real")), std::vector<int>{150});
  EXPECT_EQ(values_of<int>(one_value("-0.0", "real")), std::vector<int>{0});
  EXPECT_EQ(values_of<int>(one_value("+0e999999999999999999", "real")), std::vector<int>{0});
  EXPECT_EQ(values_of<int>("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"), std::vector<int>{1});
}

TEST(MatrixFileIntegers, ValuesOfPatterns) {
  const std::string text = "%%MatrixMarket matrix coordinate pattern general\n2 1 2\n1 1\n2 1\n";
  EXPECT_EQ(values_of<unsigned>(text), (std::vector<unsigned>{1, 1}));
  EXPECT_THAT(values_of<int>(text, {.pattern_values = lacuna::PatternValues::random}),
              testing::Each(testing::AnyOf(1, -1)));
  EXPECT_THROW(values_of<unsigned>(text, {.pattern_values = lacuna::PatternValues::random}), lacuna::InvalidArgument);
}

TEST(MatrixFileIntegers, RefusesInTheWordsOfTheFile) {
  expect_refused<int>(one_value("2147483648"),
                      "4: value \"2147483648\" does not fit the integers of the matrix, -2147483648 to 2147483647");
  expect_refused<std::int8_t>(one_value("-129"),
                              "4: value \"-129\" does not fit the integers of the matrix, -128 to 127");
  expect_refused<std::int64_t>(one_value("9223372036854775808"), "4: value \"9223372036854775808\" does not fit");
  expect_refused<std::int64_t>(one_value("1e19", "real"), "4: value \"1e19\" does not fit");
  expect_refused<std::uint64_t>(one_value("18446744073709551616"), "4: value \"18446744073709551616\" does not fit");
  expect_refused<std::uint64_t>(one_value("1e999999999999999999999"), "4: value \"1e999999999999999999999\" does not");
  expect_refused<std::uint64_t>(one_value("-1"), "4: value \"-1\" does not fit the integers of the matrix, 0 to 1844");
  expect_refused<int>(one_value("1.5", "real"), "4: value \"1.5\" is no integer, the scalar of the matrix is");
  // As doubles these would be integers.
  expect_refused<int>(one_value("0.99999999999999999999", "real"), "4: value \"0.99999999999999999999\" is no integer");
  expect_refused<int>(one_value("1e-400", "real"), "4: value \"1e-400\" is no integer");
  expect_refused<int>(one_value("inf"), "4: value \"inf\" is no integer");
  expect_refused<int>(one_value("nan", "real"), "4: value \"nan\" is no integer");
  expect_refused<int>(one_value("x"), "4: value \"x\" is not a number");
  expect_refused<int>("%%MatrixMarket matrix array integer general\n2 1\n1\n3000000000\n",
                      "4: value \"3000000000\" does");
  expect_refused<int>("title\n3 1 1 1\nrua 1 1 1 0\n(2I4)(I4)(F8.1)\n   1   2\n   1\n      15\n",
                      "7: value \"15\" is no integer");
  expect_refused<int, lacuna::NotSupported>(
      "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n",
      "1: the values are complex, the scalar of the matrix is an integer: the imaginary parts would be lost");
  expect_refused<double, lacuna::NotSupported>(
      "title\n3 1 1 1\ncua 1 1 1 0\n(2I4)(I4)(2F4.0)\n   1   2\n   1\n  1.  2.\n",
      "3: the values are complex, the scalar of the matrix is real");
}

TEST(MatrixFileIntegers, NegativesOfSkewSymmetricMatrices) {
  const std::string start = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n";
  EXPECT_EQ(values_of<std::int8_t>(start + "2 1 127\n"), (std::vector<std::int8_t>{-127, 127}));
  EXPECT_EQ(values_of<std::int8_t>(start + "1 1 -128\n"), std::vector<std::int8_t>{-128});
  expect_refused<std::int8_t>(start + "2 1 -128\n", "3: value \"-128\" of a skew-symmetric matrix has a negative");
  expect_refused<std::int64_t>(start + "2 1 -9223372036854775808\n", "3: value \"-9223372036854775808\" of a skew");
  expect_refused<unsigned>(start + "2 1 5\n", "3: value \"5\" of a skew-symmetric matrix has a negative");
  EXPECT_EQ(values_of<unsigned>(start + "2 1 0\n"), (std::vector<unsigned>{0, 0}));
  expect_refused<std::int8_t>("%%MatrixMarket matrix array integer skew-symmetric\n2 2\n-128\n",
                              "3: value \"-128\" of");
  expect_refused<std::int8_t>("title\n3 1 1 1\niza 2 2 1 0\n(3I4)(I4)(I4)\n   1   2   2\n   2\n-128\n",
                              "7: value \"-128\" of");
}

TEST(MatrixFileIntegers, ArraysAndSymmetry) {
  EXPECT_EQ(values_of<std::int64_t>("%%MatrixMarket matrix array integer symmetric\n2 2\n0\n9007199254740993\n-7\n"),
            (std::vector<std::int64_t>{9007199254740993, 9007199254740993, -7}));
  EXPECT_EQ(values_of<std::int64_t>("%%MatrixMarket matrix coordinate integer hermitian\n2 2 2\n2 1 -9007199254740993\n"
                                    "1 1 3\n"),
            (std::vector<std::int64_t>{3, -9007199254740993, -9007199254740993}));
  // Duplicates stay apart: no sum that could overflow.
  EXPECT_EQ(values_of<int>("%%MatrixMarket matrix coordinate integer general\n1 2 3\n1 2 5\n1 1 2147483647\n1 1 1\n"),
            (std::vector<int>{2147483647, 1, 5}));
}

TEST(MatrixFileIntegers, RealScalarsHoldThemOrRefuse) {
  EXPECT_EQ(values_of<double>(one_value("9007199254740992")), std::vector<double>{0x1p53});
  EXPECT_EQ(values_of<double>(one_value("-9223372036854775808")), std::vector<double>{-0x1p63});
  EXPECT_EQ(values_of<float>(one_value("16777218")), std::vector<float>{16777218});
  EXPECT_EQ(values_of<Kokkos::complex<float>>(one_value("-16777216"))[0].real(), -16777216);
  expect_refused<double>(one_value("9007199254740993"), "4: value \"9007199254740993\" has more bits than the 53");
  expect_refused<double>(one_value("18446744073709551615"), "4: value \"18446744073709551615\" has more bits");
  expect_refused<double>(one_value("18446744073709551616"), "4: value \"18446744073709551616\" does not fit in 64");
  expect_refused<double>(one_value("-9223372036854775809"), "4: value \"-9223372036854775809\" does not fit in 64");
  expect_refused<double>(one_value("9007199254740993.0"), "4: value \"9007199254740993.0\" has more bits");
  expect_refused<float>(one_value("16777217"), "4: value \"16777217\" has more bits than the 24");
  expect_refused<double>("title\n3 1 1 1\niua 1 1 1 0\n(2I4)(I4)(I17)\n   1   2\n   1\n 9007199254740993\n",
                         "7: value \"9007199254740993\" has more bits");
  EXPECT_EQ(values_of<double>(one_value("9007199254740993"), {.round_integers = true}), std::vector<double>{0x1p53});
  EXPECT_EQ(values_of<float>(one_value("16777217"), {.round_integers = true}), std::vector<float>{0x1p24f});
  // A real of a file is an approximation: the nearest number is meant.
  EXPECT_EQ(values_of<double>(one_value("9007199254740993", "real")), std::vector<double>{0x1p53});
}

TEST(MatrixFileIntegers, RealsAreRoundedOnce) {
  // A double would be halfway between two floats, and go to the even one below.
  EXPECT_EQ(values_of<float>(one_value("1.00000005960464477540", "real")), std::vector<float>{1.00000011920928955f});
}

}  // namespace

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "MatrixFile_Support.hpp"

#include <Lacuna_Error.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// \file
/// \brief The matrices of a folder named by LACUNA_MATRIX_DIR: INDEX.tsv says what they are, ODD.tsv what small odd
/// files are to give.

namespace {

std::string folder() {
  const char* name = std::getenv("LACUNA_MATRIX_DIR");
  return name == nullptr ? "" : std::string(name) + "/";
}

/// The lines of a table, each as column name -> text.
std::vector<std::map<std::string, std::string>> table(const std::string& path) {
  const auto split = [](const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    return cells;
  };
  std::vector<std::map<std::string, std::string>> rows;
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  const std::vector<std::string> names = split(line);
  while (std::getline(stream, line)) {
    std::map<std::string, std::string> row;
    const std::vector<std::string> cells = split(line);
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = i < cells.size() ? cells[i] : "";
    rows.push_back(row);
  }
  return rows;
}

/// Files of which the table expects nothing in particular, but which break the format, or hold what no double can.
const std::set<std::string> broken = {"py_longcomplex_array.mtx",
                                      "py_longcomplex_coordinate.mtx",
                                      "py_longdouble_coordinate.mtx",               // 1E310
                                      "py_matrix_coordinate_real_general.mtx.bz2",  // bzip2
                                      "mangled2.mtx",
                                      "mangled4.mtx",
                                      "mangle1.mtx",
                                      "mangle2.mtx",
                                      "mangle4.mtx",  // words of the banner
                                      "mangled5.mtx",
                                      "mangled_format.mtx",  // pattern with values
                                      "mangled7.mtx",
                                      "mangled8.mtx",
                                      "mangled10.mtx",
                                      "mangled11.mtx",
                                      "fullcrud.mtx",  // too little
                                      "mangled13.mtx",
                                      "mangled16.mtx"};  // too much

/// Valid files of integers that no double holds.
const std::set<std::string> wide_integers = {"odd/lagraph/matrix_int64.mtx", "odd/lagraph/matrix_uint64.mtx",
                                             "odd/lagraph/skew_int64.mtx"};

TEST(MatrixCollection, WideIntegers) {
  if (folder().empty()) GTEST_SKIP() << "LACUNA_MATRIX_DIR is not set";
  const auto read = [](const std::string& name, const lacuna::Impl::ScalarRange& numbers) {
    return lacuna::Impl::read_matrix_file(folder() + name, {.numbers = numbers}).integers;
  };
  const lacuna::Impl::ScalarRange integers{
      .is_complex = false, .is_integer = true, .least = INT64_MIN, .most = INT64_MAX};
  const lacuna::Impl::ScalarRange naturals{.is_complex = false, .is_integer = true, .most = UINT64_MAX};
  EXPECT_THAT(read("odd/lagraph/matrix_int64.mtx", integers), testing::IsSupersetOf({-9223372036854775800, INT64_MAX}));
  EXPECT_THAT(read("odd/lagraph/skew_int64.mtx", integers), testing::IsSupersetOf({INT64_MAX, -INT64_MAX}));
  EXPECT_THAT(read("odd/lagraph/matrix_uint64.mtx", naturals), testing::Contains(-1));  // modulo 2^64
}

TEST(MatrixCollection, OddFiles) {
  if (folder().empty()) GTEST_SKIP() << "LACUNA_MATRIX_DIR is not set";
  std::map<std::string, lacuna::Testing::Entries> matrices;
  int refused = 0;
  for (const auto& row : table(folder() + "ODD.tsv")) {
    const std::string path = folder() + row.at("file"), expectation = row.at("expectation");
    const std::string name    = path.substr(path.rfind('/') + 1);
    const bool may_be_refused = expectation.find("overflow") != std::string::npos;
    const bool to_be_refused  = wide_integers.count(row.at("file")) > 0 || broken.count(name) > 0 ||
                               expectation.find("rejected") != std::string::npos ||
                               expectation.find("no size line") != std::string::npos;
    if (name == "py_dim_over_32_bit.mtx") {
      EXPECT_THROW(lacuna::Impl::read_matrix_file(path), lacuna::OutOfMemory);
      EXPECT_THROW(lacuna::Impl::read_matrix_file(path, {.largest_index = 2147483647}), lacuna::InvalidMatrix);
      continue;
    }
    try {
      const auto matrix = lacuna::Impl::read_matrix_file(path);
      lacuna::Testing::expect_sound(matrix);
      EXPECT_FALSE(to_be_refused) << path;
      matrices[path] = lacuna::Testing::entries_of(matrix);
      if (!may_be_refused) continue;
      for (const double value : matrix.values) EXPECT_TRUE(std::isfinite(value)) << path;
    } catch (const lacuna::InvalidMatrix& error) {
      EXPECT_TRUE(to_be_refused || may_be_refused) << error.what();
      EXPECT_THAT(error.what(), testing::ContainsRegex(name + ":[0-9]+: "));
      ++refused;
    }
  }
  EXPECT_GT(refused, 30);
  int compared = 0;
  for (const auto& [path, entries] : matrices) {
    for (const std::string ending : {"_general", "_general_dup", "_general_zero"}) {
      const auto twin = matrices.find(path.substr(0, path.size() - 4) + ending + ".mtx");
      if (twin == matrices.end()) continue;
      // "dup" of a symmetric or Hermitian matrix doubles its diagonal, by its own comment.
      for (const auto& [place, value] : twin->second) {
        const bool doubled = ending == "_general_dup" && place.first == place.second;
        const auto found   = entries.find(place);
        ASSERT_NE(found, entries.end()) << twin->first;
        EXPECT_EQ(value, found->second * (doubled ? 2.0 : 1.0)) << twin->first;
      }
      EXPECT_EQ(twin->second.size(), entries.size()) << twin->first;
      ++compared;
    }
  }
  EXPECT_GE(compared, 11);
}

TEST(MatrixCollection, Index) {
  if (folder().empty()) GTEST_SKIP() << "LACUNA_MATRIX_DIR is not set";
  const auto index = table(folder() + "INDEX.tsv");
  EXPECT_GT(index.size(), 40u);
  for (const auto& row : index) {
    const auto matrix = lacuna::Impl::read_matrix_file(folder() + row.at("file"));
    lacuna::Testing::expect_sound(matrix);
    const std::string& field = row.at("field");
    EXPECT_EQ(matrix.rows, std::stoll(row.at("rows"))) << row.at("file");
    EXPECT_EQ(matrix.columns, std::stoll(row.at("cols"))) << row.at("file");
    EXPECT_EQ(static_cast<long long>(matrix.entries.size()), std::stoll(row.at("nnz_full"))) << row.at("file");
    EXPECT_EQ(matrix.components, field == "complex" ? 2 : field == "pattern" ? 0 : 1) << row.at("file");
    EXPECT_EQ(matrix.symmetry != lacuna::Impl::FileSymmetry::general, row.at("symmetry") != "general")
        << row.at("file");
    if (row.at("max_row").empty()) continue;
    std::int64_t longest = 0, empty = 0, zeros = 0;
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      longest = std::max(longest, matrix.row_map[i + 1] - matrix.row_map[i]);
      empty += matrix.row_map[i + 1] == matrix.row_map[i] ? 1 : 0;
    }
    EXPECT_EQ(longest, std::stoll(row.at("max_row"))) << row.at("file");
    EXPECT_EQ(empty, std::stoll(row.at("empty_rows"))) << row.at("file");
    for (const double value : matrix.values) zeros += value == 0 ? 1 : 0;
    if (matrix.components == 1 && row.at("symmetry") == "general" && !row.at("explicit_zeros").empty()) {
      EXPECT_EQ(zeros, std::stoll(row.at("explicit_zeros"))) << row.at("file");
    }
  }
}

}  // namespace

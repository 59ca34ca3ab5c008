// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_MATRIXFILE_SUPPORT_HPP
#define LACUNA_TEST_MATRIXFILE_SUPPORT_HPP

#include <core/impl/files/Lacuna_MatrixFile.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace lacuna::Testing {

/// A file that lives as long as the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending, std::string_view content = {})
      : m_path(testing::TempDir() + "lacuna_" + std::to_string(getpid()) + "_" + std::to_string(s_count++) + ending) {
    write(content);
  }
  ~TemporaryFile() { std::remove(m_path.c_str()); }
  TemporaryFile(const TemporaryFile&)            = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view content) const {
    // Some file systems flush a file that is truncated and written again.
    std::remove(m_path.c_str());
    std::ofstream(m_path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  std::string content() const {
    std::ifstream stream(m_path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  const std::string& path() const { return m_path; }

 private:
  static inline int s_count = 0;
  std::string m_path;
};

/// (row, column) from 1, as in files, to the sum of the entries there.
using Entries = std::map<std::pair<std::int64_t, std::int64_t>, std::complex<double>>;

inline Entries entries_of(const Impl::FileMatrix& matrix) {
  Entries entries;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (auto k = static_cast<std::size_t>(matrix.row_map[row]); k < static_cast<std::size_t>(matrix.row_map[row + 1]);
         ++k) {
      std::complex<double> value = 1;
      if (matrix.components == 1) value = matrix.values[k];
      if (matrix.components == 2) value = {matrix.values[2 * k], matrix.values[2 * k + 1]};
      entries[{row + 1, matrix.entries[k] + 1}] += value;
    }
  }
  return entries;
}

/// What holds for every matrix that is read.
inline void expect_sound(const Impl::FileMatrix& matrix) {
  ASSERT_EQ(static_cast<std::int64_t>(matrix.row_map.size()), matrix.rows + 1);
  ASSERT_EQ(matrix.row_map.front(), 0);
  ASSERT_EQ(matrix.row_map.back(), static_cast<std::int64_t>(matrix.entries.size()));
  ASSERT_EQ(matrix.values.size(), matrix.entries.size() * static_cast<std::size_t>(matrix.components));
  ASSERT_TRUE(std::is_sorted(matrix.row_map.begin(), matrix.row_map.end()));
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    ASSERT_TRUE(
        std::is_sorted(matrix.entries.begin() + matrix.row_map[row], matrix.entries.begin() + matrix.row_map[row + 1]));
  for (const std::int64_t column : matrix.entries) {
    ASSERT_GE(column, 0);
    ASSERT_LT(column, matrix.columns);
  }
}

/// Reads a file of this content.
inline Impl::FileMatrix read_text(std::string_view text, const Impl::FileLimits& limits = {}) {
  const TemporaryFile file(".mtx", text);
  Impl::FileMatrix matrix = Impl::read_matrix_file(file.path(), limits);
  expect_sound(matrix);
  return matrix;
}

}  // namespace lacuna::Testing

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_COLUMNREACH_HPP
#define LACUNA_COLUMNREACH_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>

/// \file
/// \brief What of a dense factor rows of A read again, and from how far away, by a few of them. Host code only.

namespace lacuna::Impl {

/// Of some nonzeros from all parts of a matrix.
struct ColumnReach {
  static constexpr std::int64_t most_rows = 32, nonzeros_a_row = 3;  ///< not tuned
  static constexpr std::int64_t most_searched = 256;                 ///< nonzeros of the row before. Not tuned

  double distance  = 0;  ///< from the diagonal, in columns, in the mean
  double new_share = 0;  ///< those whose column the row before lacks
};

/// The i-th of rows that are spread over all without a step: unknowns of a node, and edges of meshes, come in steps.
inline std::int64_t part_of_golden_ratio(std::int64_t i, std::int64_t rows) {
  const double turns = 0.6180339887498949 * static_cast<double>(i);
  return std::min(rows - 1, static_cast<std::int64_t>((turns - std::floor(turns)) * static_cast<double>(rows)));
}

/// Of a matrix that hosts can read.
template <class Arrays>
ColumnReach sample_column_reach(const Arrays& A) {
  const auto rows  = static_cast<std::int64_t>(A.rows);
  const auto start = [&](std::int64_t row) { return static_cast<std::int64_t>(A.row_map[row]); };
  // In a row that is long, where the column would stand if lengths were the same.
  const auto is_in = [&](std::int64_t row, double part, auto column) {
    const std::int64_t length   = start(row + 1) - start(row);
    const std::int64_t searched = std::min(length, ColumnReach::most_searched);
    const auto middle           = static_cast<std::int64_t>(part * static_cast<double>(length));
    const auto* first = A.entries + start(row) + std::clamp<std::int64_t>(middle - searched / 2, 0, length - searched);
    return std::find(first, first + searched, column) != first + searched;
  };
  const std::int64_t seen = std::min(rows, ColumnReach::most_rows);
  double distance = 0, fresh = 0, count = 0;
  for (std::int64_t i = 0; i < seen; ++i) {
    const std::int64_t row    = rows == seen ? i : part_of_golden_ratio(i, rows);
    const std::int64_t length = start(row + 1) - start(row);
    const std::int64_t taken  = std::min(length, ColumnReach::nonzeros_a_row);
    const double diagonal     = static_cast<double>(row) * static_cast<double>(A.columns) / static_cast<double>(rows);
    for (std::int64_t j = 0; j < taken; ++j) {
      const std::int64_t position = (2 * j + 1) * length / (2 * taken);
      const auto column           = A.entries[start(row) + position];
      const double part           = static_cast<double>(position) / static_cast<double>(length);
      distance += std::abs(static_cast<double>(column) - diagonal);
      fresh += row == 0 || !is_in(row - 1, part, column) ? 1 : 0;
      ++count;
    }
  }
  return count > 0 ? ColumnReach{.distance = distance / count, .new_share = fresh / count} : ColumnReach{};
}

}  // namespace lacuna::Impl

#endif

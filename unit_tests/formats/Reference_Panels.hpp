// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_REFERENCE_PANELS_HPP
#define LACUNA_REFERENCE_PANELS_HPP

#include <support/Test_Matrices.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

/// \file
/// \brief The active columns of panels of rows, worked out serially with maps.

namespace lacuna::Test {

/// A panel of rows of a matrix.
struct ReferencePanel {
  std::vector<std::int64_t> columns;  ///< active ones, as often as the row that holds them most often
  /// Nonzeros as (row of the panel, number of the active column) -> index in the matrix.
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> elements;
};

/// Rows 0, 1, 2, … as a list for panels of `height`, -1 behind the last.
inline std::vector<std::int64_t> consecutive_rows(std::int64_t rows, std::int64_t height) {
  std::vector<std::int64_t> list(static_cast<std::size_t>((rows + height - 1) / height * height), -1);
  for (std::int64_t i = 0; i < rows; ++i) list[static_cast<std::size_t>(i)] = i;
  return list;
}

template <class Scalar>
std::vector<ReferencePanel> reference_panels(const HostMatrix<Scalar>& A, std::int64_t height,
                                             const std::vector<std::int64_t>& row_list) {
  std::vector<ReferencePanel> panels;
  for (std::size_t first = 0; first < row_list.size(); first += static_cast<std::size_t>(height)) {
    ReferencePanel panel;
    // Per row: column -> its nonzeros in the order they are stored.
    std::vector<std::map<std::int64_t, std::vector<std::int64_t>>> rows(static_cast<std::size_t>(height));
    std::map<std::int64_t, std::size_t> copies;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t row = row_list[first + i];
      if (row < 0) continue;
      for (auto k = A.row_map[static_cast<std::size_t>(row)]; k < A.row_map[static_cast<std::size_t>(row) + 1]; ++k)
        rows[i][A.entries[static_cast<std::size_t>(k)]].push_back(k);
      for (const auto& [column, nonzeros] : rows[i]) copies[column] = std::max(copies[column], nonzeros.size());
    }
    for (const auto& [column, count] : copies) {
      const auto number = static_cast<std::int64_t>(panel.columns.size());
      panel.columns.insert(panel.columns.end(), count, column);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto found = rows[i].find(column);
        if (found == rows[i].end()) continue;
        for (std::size_t copy = 0; copy < found->second.size(); ++copy)
          panel.elements[{static_cast<std::int64_t>(i), number + static_cast<std::int64_t>(copy)}] =
              found->second[copy];
      }
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace lacuna::Test

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Surrogate.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>

namespace lacuna::bench {

namespace {

using Generator = std::mt19937_64;  // the same numbers everywhere; std::…_distribution would not give them

double uniform(Generator& generator) { return static_cast<double>(generator() >> 11) * 0x1p-53; }

double normal(Generator& generator) {
  const double radius = std::sqrt(-2 * std::log(1 - uniform(generator)));
  return radius * std::cos(2 * 3.14159265358979323846 * uniform(generator));
}

/// Row lengths that add up to `nonzeros`, at least 1 (where there are enough) and at most `columns` each, the same
/// within a block of rows but for one.
std::vector<std::int64_t> draw_lengths(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                                       const PatternClass& pattern, Generator& generator) {
  if (nonzeros < 0 || nonzeros > rows * columns) throw std::logic_error("a surrogate's nonzeros do not fit its rows");
  std::vector<double> weights(static_cast<std::size_t>(rows));
  double sum = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    weights[row] = row % pattern.block == 0 ? std::exp(pattern.spread * normal(generator)) : weights[row - 1];
    sum += weights[row];
  }
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows));
  const std::int64_t given = nonzeros >= rows ? 1 : 0;
  const auto to_share      = static_cast<double>(nonzeros - given * rows);
  std::int64_t assigned    = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    lengths[row] = std::min(given + static_cast<std::int64_t>(weights[row] / sum * to_share), columns);
    assigned += lengths[row];
  }
  for (std::int64_t row = 0; assigned < nonzeros; row = (row + 1) % rows)
    if (lengths[row] < columns) {
      ++lengths[row];
      ++assigned;
    }
  return lengths;
}

/// The first `count` columns that a row of runs gets, in the order in which they are drawn.
std::vector<std::int64_t> draw_columns(std::int64_t centre, std::int64_t columns, std::int64_t count,
                                       const PatternClass& pattern, Generator& generator) {
  std::vector<std::int64_t> drawn, sorted;
  double reach = std::max(pattern.reach * static_cast<double>(columns), 2.0 * pattern.run);
  for (std::int64_t start = centre; static_cast<std::int64_t>(drawn.size()) < count;) {
    start -= start % pattern.block;
    for (std::int64_t column = start; column < std::min(start + pattern.run, columns); ++column) {
      const auto place = std::lower_bound(sorted.begin(), sorted.end(), column);
      if (place != sorted.end() && *place == column) continue;
      sorted.insert(place, column);
      drawn.push_back(column);
    }
    // Most runs stand near the diagonal; the circle widens slowly, so that there is always room for another one.
    const double side = 2 * uniform(generator) - 1;
    reach             = std::min(reach * 1.01, static_cast<double>(columns));
    const auto next   = centre + static_cast<std::int64_t>(side * std::abs(side) * reach);
    start             = ((next % columns) + columns) % columns;
  }
  drawn.resize(static_cast<std::size_t>(count));
  return drawn;
}

HostPattern make_runs(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, const PatternClass& pattern) {
  Generator generator(2009);
  const std::vector<std::int64_t> lengths = draw_lengths(rows, columns, nonzeros, pattern, generator);
  HostPattern result{rows, columns, {0}, {}};
  result.entries.reserve(static_cast<std::size_t>(nonzeros));
  std::vector<std::int64_t> drawn;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (row % pattern.block == 0) {
      const std::int64_t last  = std::min(row + pattern.block, rows);
      const std::int64_t count = *std::max_element(lengths.begin() + row, lengths.begin() + last);
      const auto centre        = static_cast<std::int64_t>(static_cast<double>(row) / static_cast<double>(rows) *
                                                    static_cast<double>(columns));
      drawn                    = draw_columns(centre, columns, count, pattern, generator);
    }
    result.entries.insert(result.entries.end(), drawn.begin(), drawn.begin() + lengths[row]);
    std::sort(result.entries.end() - lengths[row], result.entries.end());
    result.row_map.push_back(static_cast<std::int64_t>(result.entries.size()));
  }
  return result;
}

/// The four neighbours, then as many of the first diagonal entries as are missing.
HostPattern make_grid(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, const PatternClass& pattern) {
  const std::int64_t width  = pattern.grid_width;
  const std::int64_t height = rows / width;
  if (rows != columns || rows != width * height) throw std::logic_error("a surrogate's grid does not fit its rows");
  std::int64_t missing = nonzeros - 2 * (width * (height - 1) + (width - 1) * height);
  if (missing < 0 || missing > rows) throw std::logic_error("a surrogate's nonzeros do not fit its grid");
  HostPattern result{rows, columns, {0}, {}};
  for (std::int64_t row = 0; row < rows; ++row) {
    if (row >= width) result.entries.push_back(row - width);
    if (row % width > 0) result.entries.push_back(row - 1);
    if (missing > 0) {
      result.entries.push_back(row);
      --missing;
    }
    if (row % width + 1 < width) result.entries.push_back(row + 1);
    if (row + width < rows) result.entries.push_back(row + width);
    result.row_map.push_back(static_cast<std::int64_t>(result.entries.size()));
  }
  return result;
}

}  // namespace

HostPattern make_surrogate(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                           const PatternClass& pattern) {
  return pattern.kind == PatternClass::Kind::grid ? make_grid(rows, columns, nonzeros, pattern)
                                                  : make_runs(rows, columns, nonzeros, pattern);
}

MatrixSource source_or_surrogate(const std::string& name, std::int64_t rows, std::int64_t columns,
                                 std::int64_t nonzeros, const PatternClass& pattern) {
  try {
    return find_matrix(name, [](const std::string&) { return false; });
  } catch (const std::exception&) {
    MatrixSource source;
    source.kind      = MatrixSource::Kind::pattern;
    source.name      = name + std::string(surrogate_ending);
    source.surrogate = true;
    source.nonzeros  = static_cast<double>(nonzeros);
    source.pattern   = [=] { return make_surrogate(rows, columns, nonzeros, pattern); };
    return source;
  }
}

}  // namespace lacuna::bench

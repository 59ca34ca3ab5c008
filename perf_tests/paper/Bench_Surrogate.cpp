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

/// How long rows are beside each other: the same within a block, and within a region where there are regions.
std::vector<double> draw_weights(std::int64_t rows, const PatternClass& pattern, Generator& generator) {
  const auto region_of = [&](std::int64_t row) { return row * pattern.regions / rows; };
  std::vector<double> weights(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row) {
    const bool begins = row % pattern.block == 0 &&
                        (row == 0 || pattern.regions == 0 || region_of(row) != region_of(row - pattern.block));
    weights[row] = begins ? std::exp(pattern.spread * normal(generator)) : weights[row - 1];
  }
  return weights;
}

/// The largest share that lets `sum_of(share)`, which grows with it, be at most `most`; at least `share`.
template <class Sum>
double largest_share(double share, std::int64_t most, const Sum& sum_of) {
  double above = 2 * share;
  for (int doubled = 0; doubled < 20 && sum_of(above) <= most; ++doubled) above *= 2;
  for (int step = 0; step < 40; ++step) {
    const double middle                      = share + (above - share) / 2;
    (sum_of(middle) <= most ? share : above) = middle;
  }
  return share;
}

/// Row lengths that add up to `nonzeros`, at least 1 (where there are enough) and at most `columns` (or `longest`)
/// each, the same within a block of rows but for one.
std::vector<std::int64_t> draw_lengths(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                                       const PatternClass& pattern, Generator& generator) {
  const std::int64_t most = pattern.longest > 0 ? std::min<std::int64_t>(pattern.longest, columns) : columns;
  if (nonzeros < 0 || nonzeros > rows * most) throw std::logic_error("a surrogate's nonzeros do not fit its rows");
  const std::vector<double> weights = draw_weights(rows, pattern, generator);
  double sum                        = 0;
  for (const double weight : weights) sum += weight;
  const std::int64_t given = nonzeros >= rows ? 1 : 0;
  const auto length_of     = [&](std::int64_t row, double share) {
    return std::min(given + static_cast<std::int64_t>(weights[row] / sum * share), most);
  };
  auto share = static_cast<double>(nonzeros - given * rows);
  // What long rows may not have goes to the others in proportion.
  if (pattern.longest > 0)
    share = largest_share(share, nonzeros - most, [&](double wanted) {
      std::int64_t all = 0;
      for (std::int64_t row = 0; row < rows; ++row) all += length_of(row, wanted);
      return all;
    });
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows));
  std::int64_t assigned = 0;
  for (std::int64_t row = 0; row < rows; ++row) assigned += lengths[row] = length_of(row, share);
  if (pattern.longest > 0 && assigned <= nonzeros - most) {
    std::int64_t& middle = lengths[rows / 2];
    assigned += most - middle;
    middle = most;
  }
  for (std::int64_t row = 0; assigned < nonzeros; row = (row + 1) % rows)
    if (lengths[row] < most) {
      ++lengths[row];
      ++assigned;
    }
  return lengths;
}

/// The first `count` columns that a row of runs gets, in the order in which they are drawn.
std::vector<std::int64_t> draw_columns(std::int64_t centre, std::int64_t columns, std::int64_t count,
                                       const PatternClass& pattern, Generator& generator) {
  std::vector<std::int64_t> drawn, sorted;
  double reach        = std::max(pattern.reach * static_cast<double>(columns), 2.0 * pattern.run);
  const double widest = std::max(1.0, pattern.reach) * static_cast<double>(columns);
  for (std::int64_t start = pattern.diagonal ? centre : columns; static_cast<std::int64_t>(drawn.size()) < count;) {
    start -= start % pattern.block;
    for (std::int64_t column = start; column < std::min(start + pattern.run, columns); ++column) {
      const auto place = std::lower_bound(sorted.begin(), sorted.end(), column);
      if (place != sorted.end() && *place == column) continue;
      sorted.insert(place, column);
      drawn.push_back(column);
    }
    // Most runs stand near the diagonal; the circle widens slowly, so that there is always room for another one.
    const double side = 2 * uniform(generator) - 1;
    reach             = std::min(reach * 1.01, widest);
    const auto next   = centre + static_cast<std::int64_t>(side * std::abs(side) * reach);
    start             = ((next % columns) + columns) % columns;
  }
  drawn.resize(static_cast<std::size_t>(count));
  return drawn;
}

/// A step from a node of a mesh to another.
struct MeshStep {
  std::array<std::int64_t, 3> by;
  double distance;
};

/// The nodes around a node, near ones first.
std::vector<MeshStep> mesh_steps(int dimensions, std::size_t count) {
  const auto side     = static_cast<std::int64_t>(std::pow(static_cast<double>(count), 1.0 / dimensions)) + 2;
  const auto reach_of = [&](int d) { return d < dimensions ? side : 0; };
  std::vector<MeshStep> steps;
  for (std::int64_t z = -reach_of(2); z <= reach_of(2); ++z)
    for (std::int64_t y = -reach_of(1); y <= reach_of(1); ++y)
      for (std::int64_t x = -reach_of(0); x <= reach_of(0); ++x)
        steps.push_back({{x, y, z}, static_cast<double>(x * x + y * y + z * z)});
  std::stable_sort(steps.begin(), steps.end(),
                   [](const MeshStep& a, const MeshStep& b) { return a.distance < b.distance; });
  return steps;
}

/// Nodes in lines of equal length, lines in planes: as near to a cube (a square, a line) as their number allows.
class Mesh {
 public:
  Mesh(std::int64_t nodes, int dimensions)
      : m_nodes(nodes),
        m_line(dimensions == 1
                   ? nodes
                   : static_cast<std::int64_t>(std::ceil(std::pow(static_cast<double>(nodes), 1.0 / dimensions)))),
        m_lines(dimensions == 3 ? m_line : (nodes + m_line - 1) / m_line) {}

  /// The node a step away from `node`, or -1.
  std::int64_t neighbour(std::int64_t node, const MeshStep& step) const {
    const std::int64_t x = node % m_line + step.by[0], y = node / m_line % m_lines + step.by[1];
    const std::int64_t z = node / m_line / m_lines + step.by[2];
    if (x < 0 || x >= m_line || y < 0 || y >= m_lines || z < 0) return -1;
    const std::int64_t found = (z * m_lines + y) * m_line + x;
    return found < m_nodes ? found : -1;
  }

 private:
  std::int64_t m_nodes, m_line, m_lines;
};

/// The first `count` columns that a node's rows get: its own, then those of some of the nodes around it.
std::vector<std::int64_t> draw_near(const Mesh& mesh, const std::vector<MeshStep>& steps, std::int64_t node,
                                    std::int64_t columns, std::int64_t count, const PatternClass& pattern,
                                    Generator& generator) {
  const std::int64_t wanted = (count + pattern.block - 1) / pattern.block;
  // The last node may have fewer unknowns than a block has.
  const auto candidates = static_cast<std::size_t>(pattern.looseness * static_cast<double>(wanted) + 0.5);
  std::vector<std::int64_t> nodes;
  for (const MeshStep& step : steps) {
    if (nodes.size() >= std::max(candidates, static_cast<std::size_t>(wanted) + 1)) break;
    if (const std::int64_t found = mesh.neighbour(node, step); found >= 0) nodes.push_back(found);
  }
  if (candidates > static_cast<std::size_t>(wanted))
    for (std::size_t i = 1; i < std::min(static_cast<std::size_t>(wanted), nodes.size()); ++i)
      std::swap(nodes[i],
                nodes[i + static_cast<std::size_t>(uniform(generator) * static_cast<double>(nodes.size() - i))]);
  std::vector<std::int64_t> drawn;
  for (const std::int64_t near : nodes)
    for (std::int64_t column = near * pattern.block; column < std::min((near + 1) * pattern.block, columns); ++column)
      if (static_cast<std::int64_t>(drawn.size()) < count) drawn.push_back(column);
  if (static_cast<std::int64_t>(drawn.size()) < count)
    throw std::logic_error("a surrogate's mesh has too few nodes near each other");
  return drawn;
}

/// Rows whose columns `draw(row, count)` gives, for the first row of each block.
template <class Draw>
HostPattern make_blocks(std::int64_t rows, std::int64_t columns, const std::vector<std::int64_t>& lengths, int block,
                        const Draw& draw) {
  HostPattern result{rows, columns, {0}, {}};
  std::vector<std::int64_t> drawn;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (row % block == 0) {
      const std::int64_t last = std::min(row + block, rows);
      drawn                   = draw(row, *std::max_element(lengths.begin() + row, lengths.begin() + last));
    }
    result.entries.insert(result.entries.end(), drawn.begin(), drawn.begin() + lengths[row]);
    std::sort(result.entries.end() - lengths[row], result.entries.end());
    result.row_map.push_back(static_cast<std::int64_t>(result.entries.size()));
  }
  return result;
}

HostPattern make_runs(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, const PatternClass& pattern) {
  Generator generator(2009);
  const std::vector<std::int64_t> lengths = draw_lengths(rows, columns, nonzeros, pattern, generator);
  return make_blocks(rows, columns, lengths, pattern.block, [&](std::int64_t row, std::int64_t count) {
    const auto centre =
        static_cast<std::int64_t>(static_cast<double>(row) / static_cast<double>(rows) * static_cast<double>(columns));
    return draw_columns(centre, columns, count, pattern, generator);
  });
}

HostPattern make_mesh(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, const PatternClass& pattern) {
  if (rows != columns) throw std::logic_error("a surrogate's mesh has a column for each row");
  Generator generator(2009);
  const std::vector<std::int64_t> lengths = draw_lengths(rows, columns, nonzeros, pattern, generator);
  const auto most                         = static_cast<double>(*std::max_element(lengths.begin(), lengths.end()));
  const Mesh mesh((rows + pattern.block - 1) / pattern.block, pattern.dimensions);
  // At corners a part of the nodes around is missing.
  const auto steps =
      mesh_steps(pattern.dimensions, static_cast<std::size_t>(8 * (pattern.looseness * most / pattern.block + 2)));
  return make_blocks(rows, columns, lengths, pattern.block, [&](std::int64_t row, std::int64_t count) {
    return draw_near(mesh, steps, row / pattern.block, columns, count, pattern, generator);
  });
}

/// Each node with itself, the next in its line, the one in the line before, and the one before it in the line behind.
HostPattern make_grid(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, const PatternClass& pattern) {
  const std::int64_t width  = pattern.grid_width;
  const std::int64_t height = rows / width;
  if (rows != columns || rows != width * height) throw std::logic_error("a surrogate's grid does not fit its rows");
  HostPattern result{rows, columns, {0}, {}};
  for (std::int64_t row = 0; row < rows; ++row) {
    if (row >= width) result.entries.push_back(row - width);
    result.entries.push_back(row);
    if (row % width + 1 < width) result.entries.push_back(row + 1);
    if (row % width > 0 && row + width < rows) result.entries.push_back(row + width - 1);
    result.row_map.push_back(static_cast<std::int64_t>(result.entries.size()));
  }
  if (result.row_map.back() != nonzeros) throw std::logic_error("a surrogate's nonzeros do not fit its grid");
  return result;
}

}  // namespace

HostPattern make_surrogate(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                           const PatternClass& pattern) {
  switch (pattern.kind) {
    case PatternClass::Kind::grid: return make_grid(rows, columns, nonzeros, pattern);
    case PatternClass::Kind::mesh: return make_mesh(rows, columns, nonzeros, pattern);
    case PatternClass::Kind::runs: break;
  }
  return make_runs(rows, columns, nonzeros, pattern);
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

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spgemm/Bench_SpgemmProduct.hpp>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace lacuna::bench {

namespace {

constexpr std::int64_t aggregate_width = 3;

std::int64_t coarse_extent(std::int64_t fine, Coarsening coarsening) {
  const std::int64_t width = coarsening == Coarsening::linear ? 2 : aggregate_width;
  return (fine + width - 1) / width;
}

/// The coarse nodes that fine node `i` of a line takes its value from: [first, second].
std::pair<std::int64_t, std::int64_t> parents(std::int64_t i, std::int64_t coarse, Coarsening coarsening) {
  if (coarsening == Coarsening::aggregates) return {i / aggregate_width, i / aggregate_width};
  return {i / 2, std::min((i + 1) / 2, coarse - 1)};
}

SpgemmProduct galerkin(const std::string& argument, const std::string& spec, Coarsening coarsening,
                       const std::function<MatrixSource(const std::string&)>& find,
                       const std::function<Mesh(const std::string&)>& mesh) {
  const Mesh fine   = mesh(spec);
  const auto source = [&](const char* name, std::function<HostPattern()> pattern) {
    MatrixSource made;
    made.kind    = MatrixSource::Kind::pattern;
    made.name    = std::string(name) + " of " + argument;
    made.pattern = std::move(pattern);
    return made;
  };
  SpgemmProduct product;
  product.name    = argument;
  product.factors = {{source("R", [=] { return transposed(prolongation(fine, coarsening)); })},
                     {find(spec)},
                     {source("P", [=] { return prolongation(fine, coarsening); })}};
  return product;
}

}  // namespace

bool SpgemmProduct::has_transposes() const {
  return std::any_of(factors.begin(), factors.end(), [](const SpgemmFactor& factor) { return factor.transposed; });
}

SpgemmProduct square_of(MatrixSource source) {
  SpgemmProduct product;
  product.name    = source.name;
  product.factors = {{source}, {source}};
  return product;
}

HostPattern prolongation(const Mesh& fine, Coarsening coarsening) {
  const std::int64_t cx = coarse_extent(fine.nx, coarsening), cy = coarse_extent(fine.ny, coarsening),
                     cz = coarse_extent(fine.nz, coarsening);
  HostPattern P;
  P.rows    = fine.nx * fine.ny * fine.nz * fine.unknowns;
  P.columns = cx * cy * cz * fine.unknowns;
  P.row_map = {0};
  for (std::int64_t z = 0; z < fine.nz; ++z)
    for (std::int64_t y = 0; y < fine.ny; ++y)
      for (std::int64_t x = 0; x < fine.nx; ++x) {
        const auto [x0, x1] = parents(x, cx, coarsening);
        const auto [y0, y1] = parents(y, cy, coarsening);
        const auto [z0, z1] = parents(z, cz, coarsening);
        for (std::int64_t unknown = 0; unknown < fine.unknowns; ++unknown) {
          for (std::int64_t pz = z0; pz <= z1; ++pz)
            for (std::int64_t py = y0; py <= y1; ++py)
              for (std::int64_t px = x0; px <= x1; ++px)
                P.entries.push_back((px + cx * (py + cy * pz)) * fine.unknowns + unknown);
          P.row_map.push_back(static_cast<std::int64_t>(P.entries.size()));
        }
      }
  return P;
}

HostPattern transposed(const HostPattern& pattern) {
  HostPattern result;
  result.rows    = pattern.columns;
  result.columns = pattern.rows;
  result.row_map.assign(static_cast<std::size_t>(result.rows) + 1, 0);
  result.entries.resize(pattern.entries.size());
  for (const std::int64_t column : pattern.entries) ++result.row_map[static_cast<std::size_t>(column) + 1];
  for (std::size_t row = 1; row < result.row_map.size(); ++row) result.row_map[row] += result.row_map[row - 1];
  std::vector<std::int64_t> next(result.row_map.begin(), result.row_map.end() - 1);
  for (std::int64_t row = 0; row < pattern.rows; ++row)
    for (auto k = pattern.row_map[static_cast<std::size_t>(row)];
         k < pattern.row_map[static_cast<std::size_t>(row) + 1]; ++k) {
      const auto column = static_cast<std::size_t>(pattern.entries[static_cast<std::size_t>(k)]);
      result.entries[static_cast<std::size_t>(next[column]++)] = row;
    }
  return result;
}

SpgemmProduct parse_spgemm_product(const std::string& argument,
                                   const std::function<MatrixSource(const std::string&)>& find,
                                   const std::function<Mesh(const std::string&)>& mesh) {
  constexpr std::string_view mark = "^T";
  for (const auto& [start, coarsening] :
       {std::pair{"rap-linear:", Coarsening::linear}, std::pair{"rap-aggregates:", Coarsening::aggregates}})
    if (argument.starts_with(start))
      return galerkin(argument, argument.substr(std::string_view(start).size()), coarsening, find, mesh);
  if (argument.find('@') == std::string::npos || std::filesystem::is_regular_file(argument))
    return square_of(find(argument));
  SpgemmProduct product;
  for (std::size_t begin = 0; begin <= argument.size();) {
    const std::size_t end = std::min(argument.find('@', begin), argument.size());
    std::string text      = argument.substr(begin, end - begin);
    begin                 = end + 1;
    SpgemmFactor factor;
    factor.transposed = text.ends_with(mark);
    if (factor.transposed) text.resize(text.size() - mark.size());
    if (text.empty()) throw std::runtime_error(argument + ": a factor of the product has no name");
    factor.source = find(text);
    product.name += (product.factors.empty() ? "" : "@") + factor.source.name;
    if (factor.transposed) product.name += mark;
    product.factors.push_back(std::move(factor));
  }
  return product;
}

}  // namespace lacuna::bench

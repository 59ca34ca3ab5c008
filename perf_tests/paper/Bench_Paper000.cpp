// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Paper000.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>

namespace lacuna::bench {

namespace {

constexpr PatternClass runs(int length, double reach, double spread) {
  return {PatternClass::Kind::runs, 1, length, spread, reach, 0};
}

// Where the paper's nonzeros are those of a stored triangle (nemeth11, human_gene1, plbuckle …), so are the
// surrogate's.
constexpr std::array<SpdmPaperMatrix, 14> matrices{{
    {"nemeth11", 9506, 208741, runs(22, 0.002, 0.1)},
    {"human_gene1", 22283, 12363400, runs(1, 0.5, 1.2)},
    {"Lederberg", 8843, 41601, runs(1, 0.5, 1.5)},
    {"m3plates", 11107, 6637, runs(1, 0.001, 0)},
    {"aug3dcqp", 35543, 77820, runs(1, 0.1, 0.4)},
    {"Trefethen_20000b", 19999, 287169, runs(1, 0.3, 0.1)},
    {"ex37", 3565, 67613, runs(3, 0.05, 0.2)},
    {"g7jac020sc", 5850, 45516, runs(1, 0.3, 0.9)},
    {"LF10000", 19998, 59988, runs(3, 0.001, 0)},
    {"epb2", 25228, 175024, runs(1, 0.05, 0.5)},
    {"plbuckle", 1282, 15959, runs(6, 0.02, 0.3)},
    {"wang3", 26064, 177305, runs(1, 0.02, 0.1)},
    {"fpga_dcop_01", 1220, 5894, runs(1, 0.1, 0.9)},
    {"viscoplastic2_C_1", 32769, 381204, runs(3, 0.05, 0.5)},
}};

// The paper's: n in steps of 100, s in steps of 0.005 up to 0.995, of 0.0005 from there.
constexpr std::int64_t first_size = 400, last_size = 14500, size_step = 100;
constexpr int first_zeros = 8000, middle_zeros = 9950, last_zeros = 9995, coarse_step = 50, fine_step = 5;
// Of these, what runs by default: the sizes and the shares that the paper's other figures show are among them.
constexpr std::array<std::int64_t, 6> sampled_sizes{400, 1000, 2500, 4000, 8000, 14500};
constexpr std::array<int, 8> sampled_zeros{8000, 9000, 9500, 9800, 9900, 9950, 9980, 9995};

// Strata of a sample: bands of sizes, and of shares of zeros that these end.
constexpr int size_bands = 5;
constexpr std::array<int, 3> last_of_band{8950, 9900, 9995};
/// Multiplications that the rest of a problem takes as long as.
constexpr double fixed_work    = 1e9;
constexpr int least_of_stratum = 2;  // so that each has a variance

/// Weights of a layer: outputs × inputs.
struct LayerShape {
  std::int64_t rows;
  std::int64_t columns;
};
constexpr std::array<LayerShape, 4> layer_shapes{{{1024, 1024}, {2048, 2048}, {4096, 4096}, {4096, 11008}}};
constexpr std::array<int, 7> layer_zeros{5000, 7000, 8000, 9000, 9500, 9800, 9900};
constexpr std::array<std::int64_t, 5> layer_tokens{64, 128, 512, 2048, 4096};
constexpr std::int64_t layer_unit = 1024;  // rows of a layer are a multiple, those of the paper's matrices are not

std::vector<int> zeros_of(const Paper000Options& options) {
  std::vector<int> zeros;
  for (const double share : options.zeros) {
    if (!(share >= 0 && share <= 100))
      throw std::runtime_error("--zeros " + std::to_string(share) + ": a share of zeros is 0 to 100 per cent");
    zeros.push_back(static_cast<int>(std::lround(100 * share)));
  }
  return zeros;
}

SpdmProblem uniform_problem(std::int64_t rows, std::int64_t columns, int zeros, std::vector<std::int64_t> widths) {
  SpdmProblem problem;
  problem.source.kind = MatrixSource::Kind::generator;
  problem.source.name = problem.source.location = uniform_spec(rows, columns, zeros);
  problem.columns                               = std::move(widths);
  problem.work = static_cast<double>(rows) * static_cast<double>(columns) * (10000 - zeros) * 1e-4;
  return problem;
}

std::vector<std::int64_t> all_sizes() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first_size; size <= last_size; size += size_step) sizes.push_back(size);
  return sizes;
}

std::vector<int> all_zeros() {
  std::vector<int> zeros;
  for (int share = first_zeros; share < middle_zeros; share += coarse_step) zeros.push_back(share);
  for (int share = middle_zeros; share <= last_zeros; share += fine_step) zeros.push_back(share);
  return zeros;
}

struct GridPoint {
  std::int64_t size;
  int zeros;
  double work() const { return fixed_work + std::pow(static_cast<double>(size), 3) * (10000 - zeros) * 1e-4; }
};

void add_random(const Paper000Options& options, std::vector<SpdmProblem>& problems) {
  if (options.sample > 0) {
    if (options.whole || !options.sizes.empty() || !options.zeros.empty())
      throw std::runtime_error("--sample is of the paper's whole grid, without --whole, --size and --zeros");
    for (const auto& [size, share] : spdm_sample(options.sample))
      problems.push_back(uniform_problem(size, size, share, {size}));
    return;
  }
  std::vector<std::int64_t> sizes(sampled_sizes.begin(), sampled_sizes.end());
  std::vector<int> zeros(sampled_zeros.begin(), sampled_zeros.end());
  if (options.whole) {
    sizes = all_sizes();
    zeros = all_zeros();
  }
  if (!options.sizes.empty()) sizes = options.sizes;
  if (!options.zeros.empty()) zeros = zeros_of(options);
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > 65536) throw std::runtime_error("--size " + std::to_string(size) + ": 1 to 65536");
    for (const int share : zeros) problems.push_back(uniform_problem(size, size, share, {size}));
  }
}

void add_matrices(const Paper000Options& options, std::vector<SpdmProblem>& problems) {
  for (const SpdmPaperMatrix& matrix : matrices) {
    const auto& sizes = options.sizes;
    if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), matrix.rows) == sizes.end()) continue;
    problems.push_back({source_or_surrogate(matrix.name, matrix.rows, matrix.rows, matrix.nonzeros, matrix.pattern),
                        {matrix.rows},
                        static_cast<double>(matrix.nonzeros)});
  }
}

void add_layers(const Paper000Options& options, std::vector<SpdmProblem>& problems) {
  std::vector<int> zeros(layer_zeros.begin(), layer_zeros.end());
  if (!options.zeros.empty()) zeros = zeros_of(options);
  std::vector<std::int64_t> tokens(layer_tokens.begin(), layer_tokens.end());
  if (!options.tokens.empty()) tokens = options.tokens;
  for (const LayerShape& shape : layer_shapes) {
    const auto& sizes = options.sizes;
    if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), shape.rows) == sizes.end()) continue;
    for (const int share : zeros) problems.push_back(uniform_problem(shape.rows, shape.columns, share, tokens));
  }
}

/// The number behind `key=` in a spec, 0 where there is none.
double number_of(const std::string& spec, const std::string& key) {
  const std::size_t place = spec.find(key + "=");
  return place == std::string::npos ? 0 : std::strtod(spec.c_str() + place + key.size() + 1, nullptr);
}

}  // namespace

std::span<const SpdmPaperMatrix> spdm_paper_matrices() { return matrices; }

std::string uniform_spec(std::int64_t rows, std::int64_t columns, int zeros) {
  char density[32];
  std::snprintf(density, sizeof(density), "%g", (10000 - zeros) * 1e-4);
  return "uniform:rows=" + std::to_string(rows) + (columns == rows ? "" : ",cols=" + std::to_string(columns)) +
         ",density=" + density;
}

int spdm_stratum(std::int64_t size, int zeros) {
  if (size < first_size || size > last_size || zeros < first_zeros || zeros > last_zeros) return -1;
  const auto band    = std::lower_bound(last_of_band.begin(), last_of_band.end(), zeros) - last_of_band.begin();
  const auto of_size = (size - first_size) * size_bands / (last_size - first_size + size_step);
  return static_cast<int>(of_size) * static_cast<int>(last_of_band.size()) + static_cast<int>(band);
}

std::vector<std::pair<std::int64_t, int>> spdm_sample(int count) {
  std::vector<std::vector<GridPoint>> strata(size_bands * last_of_band.size());
  for (const std::int64_t size : all_sizes())
    for (const int share : all_zeros())
      strata[static_cast<std::size_t>(spdm_stratum(size, share))].push_back({size, share});
  const auto least = static_cast<int>(strata.size()) * least_of_stratum;
  std::size_t all  = 0;
  for (const auto& stratum : strata) all += stratum.size();
  if (count < least || count > static_cast<int>(all))
    throw std::runtime_error("--sample " + std::to_string(count) + ": " + std::to_string(least) + " to " +
                             std::to_string(all));
  std::vector<double> shares;
  for (const auto& stratum : strata) {
    double work = 0;
    for (const GridPoint& point : stratum) work += point.work();
    const auto size = static_cast<double>(stratum.size());
    shares.push_back(size / (work / size));
  }
  // As many of each as its part of the grid over its mean work, two at least: cheap ones are drawn more often.
  const auto drawn_at = [&](std::size_t h, double scale) {
    const double wanted = std::min(least_of_stratum + scale * shares[h], static_cast<double>(strata[h].size()));
    return static_cast<std::size_t>(wanted);
  };
  double low = 0, high = 1;
  const auto total = [&](double scale) {
    std::size_t sum = 0;
    for (std::size_t h = 0; h < strata.size(); ++h) sum += drawn_at(h, scale);
    return static_cast<int>(sum);
  };
  while (total(high) < count) high *= 2;
  for (int step = 0; step < 100; ++step) {
    const double middle                  = (low + high) / 2;
    (total(middle) < count ? low : high) = middle;
  }
  std::mt19937_64 generator(2020);  // the same sample everywhere
  std::vector<std::pair<std::int64_t, int>> sample;
  for (std::size_t h = 0; h < strata.size(); ++h)
    for (std::size_t i = 0; i < drawn_at(h, high); ++i) {
      std::swap(strata[h][i], strata[h][i + generator() % (strata[h].size() - i)]);
      sample.emplace_back(strata[h][i].size, strata[h][i].zeros);
    }
  std::sort(sample.begin(), sample.end());
  return sample;
}

std::vector<SpdmProblem> spdm_problems(const Paper000Options& options) {
  const bool all = !options.random && !options.matrices && !options.layers;
  std::vector<SpdmProblem> problems;
  if (options.random || all) add_random(options, problems);
  if (options.matrices || (all && options.sizes.empty())) add_matrices(options, problems);
  if (options.layers) add_layers(options, problems);
  if (problems.empty()) throw std::runtime_error("paper000: no matrix has one of these sizes");
  return problems;
}

SpdmCase spdm_case(const std::string& matrix) {
  SpdmCase result;
  if (!matrix.starts_with("uniform:")) return result;
  result.rows    = static_cast<std::int64_t>(number_of(matrix, "rows"));
  result.columns = static_cast<std::int64_t>(number_of(matrix, "cols"));
  if (result.columns == 0) result.columns = result.rows;
  result.zeros = 10000 - static_cast<int>(std::lround(1e4 * number_of(matrix, "density")));
  result.set   = result.rows % layer_unit == 0 ? SpdmSet::layer : SpdmSet::random;
  return result;
}

std::string crossover(std::vector<SpdmRatio> ratios) {
  if (ratios.empty()) return "-";
  std::sort(ratios.begin(), ratios.end(), [](const auto& a, const auto& b) { return a.zeros < b.zeros; });
  std::size_t first = ratios.size();  // from here on none is below 1
  while (first > 0 && ratios[first - 1].ratio >= 1) --first;
  char text[32];
  if (first == ratios.size()) {
    std::snprintf(text, sizeof(text), "> %g", ratios.back().zeros);
    return text;
  }
  if (first == 0) {
    std::snprintf(text, sizeof(text), "<= %g", ratios.front().zeros);
    return text;
  }
  // Times of sparse products go with the nonzeros: lines in logarithms of both.
  const SpdmRatio &below = ratios[first - 1], &above = ratios[first];
  const double portion = -std::log(below.ratio) / (std::log(above.ratio) - std::log(below.ratio));
  const double left = std::log(100 - below.zeros), right = std::log(std::max(100 - above.zeros, 1e-6));
  std::snprintf(text, sizeof(text), "%.2f", 100 - std::exp(left + portion * (right - left)));
  return text;
}

}  // namespace lacuna::bench

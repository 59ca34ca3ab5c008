// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <support/Bench_Inputs.hpp>

#include <Lacuna_Generators.hpp>

#include <cstdint>
#include <utility>

namespace lacuna::bench {

namespace {

/// Nonzeros of a generated matrix, from a sample of its rows.
double nonzeros_of_spec(const std::string& spec) {
  const Impl::Pattern pattern = Generator::parse(spec).pattern();
  const std::int64_t sample   = std::min<std::int64_t>(pattern.rows, 64);
  double sum                  = 0;
  for (std::int64_t i = 0; i < sample; ++i)
    sum += static_cast<double>(pattern.row_length((2 * i + 1) * pattern.rows / (2 * sample)));
  return sample == 0 ? 0 : sum * static_cast<double>(pattern.rows) / static_cast<double>(sample);
}

}  // namespace

MatrixSource find_source(const std::string& argument) {
  MatrixSource source = find_matrix(argument, [](const std::string& text) { return is_generator_spec(text); });
  if (source.kind == MatrixSource::Kind::generator) source.nonzeros = nonzeros_of_spec(source.location);
  return source;
}

std::vector<MatrixSource> find_sources(const Options& options) {
  std::vector<MatrixSource> sources;
  for (const std::string& argument : options.inputs) sources.push_back(find_source(argument));
  if (!options.all_in.empty()) {
    for (MatrixSource& source : matrices_of_folder(options.all_in)) sources.push_back(std::move(source));
    if (sources.empty()) throw std::runtime_error(options.all_in + ": no matrices in it");
  }
  return sources;
}

}  // namespace lacuna::bench

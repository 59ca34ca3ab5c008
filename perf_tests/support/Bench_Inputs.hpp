// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_INPUTS_HPP
#define LACUNA_BENCH_INPUTS_HPP

#include <support/Bench_MatrixSource.hpp>
#include <support/Bench_Options.hpp>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// \file
/// \brief What a command line names: matrices, and the instantiations of the types it asks for.

namespace lacuna::bench {

/// \brief What a task takes beside its nonzeros, in units of one.
inline constexpr double cost_of_task = 1e6;

/// \brief What an argument of the command line means. \throws std::runtime_error where it means nothing.
MatrixSource find_source(const std::string& argument);

/// \brief The matrices of the command line, without those of a paper. \throws std::runtime_error where one is none, or
/// a folder has none.
std::vector<MatrixSource> find_sources(const Options& options);

/// \brief The instantiation for each of the scalars asked for. \throws std::runtime_error where one was not compiled
/// in.
template <class AnyInstance>
std::vector<const AnyInstance*> find_instances(std::span<const AnyInstance> all, const Options& options) {
  std::vector<const AnyInstance*> found;
  for (const std::string& scalar : options.scalars) {
    const auto place = std::find_if(all.begin(), all.end(), [&](const AnyInstance& instance) {
      return scalar == instance.scalar && options.ordinal == instance.ordinal && options.offset == instance.offset;
    });
    if (place == all.end())
      throw std::runtime_error(
          "scalar " + scalar + ", ordinal " + options.ordinal + ", offset " + options.offset +
          " was not compiled in: configure with " +
          (is_half_name(scalar) ? "it in -DLACUNA_BENCH_SCALARS (SpMM alone has it)" : "-DLACUNA_BENCH_ALL_TYPES=ON"));
    found.push_back(&*place);
  }
  return found;
}

}  // namespace lacuna::bench

#endif

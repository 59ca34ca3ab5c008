// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPGEMM_HPP
#define LACUNA_BENCH_SPGEMM_HPP

#include <support/Bench_MatrixSource.hpp>
#include <support/Bench_Options.hpp>
#include <support/Bench_Session.hpp>

#include <span>
#include <string>
#include <vector>

/// \file
/// \brief The entry point that is compiled once for each pair of scalar and index types.

namespace lacuna::bench {

/// \brief Loads the matrix and times C = A A. Empty where the matrix cannot be loaded; the session then knows why.
using BenchSpgemm = std::vector<Record> (*)(Session&, const std::string& scalar, const MatrixSource&, const Options&);

/// \brief One instantiation.
struct SpgemmInstance {
  const char* scalar;
  const char* ordinal;
  const char* offset;
  BenchSpgemm spgemm;
};

/// \brief Those that were compiled in; the list is made by CMake.
std::span<const SpgemmInstance> spgemm_instances();

}  // namespace lacuna::bench

#endif

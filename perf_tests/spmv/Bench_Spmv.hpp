// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPMV_HPP
#define LACUNA_BENCH_SPMV_HPP

#include <spmv/Bench_SpmvAlgorithms.hpp>
#include <support/Bench_Job.hpp>
#include <support/Bench_MatrixSource.hpp>
#include <support/Bench_Options.hpp>
#include <support/Bench_Session.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

/// \file
/// \brief The entry points that are compiled once for each pair of scalar and index types.

namespace lacuna::bench {

/// \brief Loads the matrix, says what the inspector sees where `options.inspect` asks for it, and times y = A x + beta
/// y. Empty where the matrix cannot be loaded; the session then knows why.
using BenchSpmv = std::vector<Record> (*)(Session&, const std::string& scalar, const MatrixSource&, const Options&,
                                          const std::vector<SpmvRequest>&);

/// \brief Loads the matrix and prints what the inspector sees. False where it cannot be loaded.
using InspectMatrix = bool (*)(Session&, const MatrixSource&);

/// \brief One instantiation.
struct Instance {
  const char* scalar;
  const char* ordinal;
  const char* offset;
  BenchSpmv spmv;
  InspectMatrix inspect;
};

/// \brief Those that were compiled in; the list is made by CMake.
std::span<const Instance> instances();

/// \brief y = A x + beta y of the matrices of the command line. \throws std::runtime_error where it asks for what is
/// not there.
std::unique_ptr<Job> spmv_job(const Options& options);

}  // namespace lacuna::bench

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPMM_HPP
#define LACUNA_BENCH_SPMM_HPP

#include <spmm/Bench_SpmmAlgorithms.hpp>
#include <support/Bench_Job.hpp>
#include <support/Bench_MatrixSource.hpp>
#include <support/Bench_Options.hpp>
#include <support/Bench_Session.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// \file
/// \brief The entry point that is compiled once for each pair of scalar and index types.

namespace lacuna::bench {

/// \brief Loads the matrix and times C = A B + beta C for each of `columns`. Does nothing where the matrix cannot be
/// loaded; the session then knows why.
using BenchSpmm = void (*)(Session&, const std::string& scalar, const MatrixSource&, const Options&,
                           const std::vector<std::int64_t>& columns, const std::vector<SpmmRequest>&,
                           const ReportRecords&);

/// \brief One instantiation.
struct SpmmInstance {
  const char* scalar;
  const char* ordinal;
  const char* offset;
  BenchSpmm spmm;
};

/// \brief Those that were compiled in; the list is made by CMake.
std::span<const SpmmInstance> spmm_instances();

/// \brief Those that the command line asks for. Values stored in half precision or bfloat16 are left out where that is
/// float by another name. \throws std::runtime_error where one was not compiled in.
std::vector<const SpmmInstance*> find_spmm_instances(Options options);

/// \brief C = A B + beta C of the matrices of the command line. \throws std::runtime_error where it asks for what is
/// not there.
std::unique_ptr<Job> spmm_job(const Options& options);

}  // namespace lacuna::bench

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_JOBS_HPP
#define LACUNA_BENCH_JOBS_HPP

#include <support/Bench_Job.hpp>
#include <support/Bench_Options.hpp>

#include <memory>
#include <vector>

/// \file
/// \brief What each command of lacuna-bench measures.

namespace lacuna::bench {

/// \brief The jobs of a command that measures, in their order; their inputs are found, none is read. \throws
/// std::runtime_error where the command line asks for what is not there.
std::vector<std::unique_ptr<Job>> make_jobs(const Options& options);

/// \brief Prints what the inspector sees in each matrix. False where one of them cannot be read.
bool inspect_inputs(const Options& options);

}  // namespace lacuna::bench

#endif

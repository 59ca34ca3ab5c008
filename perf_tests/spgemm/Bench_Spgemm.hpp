// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPGEMM_HPP
#define LACUNA_BENCH_SPGEMM_HPP

#include <spgemm/Bench_SpgemmProduct.hpp>
#include <support/Bench_Job.hpp>
#include <support/Bench_Options.hpp>
#include <support/Bench_Session.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

/// \file
/// \brief The entry point that is compiled once for each pair of scalar and index types.

namespace lacuna::bench {

/// \brief Loads the factors and times their product. Empty where one cannot be loaded or they do not fit; the session
/// then knows why.
using BenchSpgemm = std::vector<Record> (*)(Session&, const std::string& scalar, const SpgemmProduct&, const Options&);

/// \brief One instantiation.
struct SpgemmInstance {
  const char* scalar;
  const char* ordinal;
  const char* offset;
  BenchSpgemm spgemm;
};

/// \brief Those that were compiled in; the list is made by CMake.
std::span<const SpgemmInstance> spgemm_instances();

/// \brief C = A B, all of them sparse, of the products of the command line. \throws std::runtime_error where it asks
/// for what is not there.
std::unique_ptr<Job> spgemm_job(const Options& options);

}  // namespace lacuna::bench

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RANKS_HPP
#define LACUNA_BENCH_RANKS_HPP

#include <ranks/Bench_Launcher.hpp>
#include <ranks/Bench_Place.hpp>
#include <support/Bench_Job.hpp>
#include <support/Bench_Options.hpp>

#include <memory>
#include <string>
#include <vector>

/// \file
/// \brief A command that several ranks share: each takes the largest task that nobody has taken yet, rank 0 says what
/// was done and makes one JSON and one set of tables of it all.

namespace lacuna::bench {

/// \brief What a rank brings with it.
struct RankWork {
  const Options& options;
  Launcher launcher;
  Place place;
  Context context;
  double copy_bandwidth = 0;
  std::vector<std::unique_ptr<Job>> jobs;
  std::string trouble;   ///< why this rank has no jobs; empty: it has
  bool settings = true;  ///< whether an earlier run has to have the same words in its command line
};

/// \brief What came of it all.
struct RankResult {
  int status    = 0;  ///< 2: nothing was measured, and rank 0 has said why; else 0
  bool complete = true;
  std::vector<Record> records;  ///< of all ranks and of earlier runs; of rank 0 alone
  std::vector<std::string> failures;
  double copy_bandwidth = 0;  ///< the median of the ranks
};

/// \brief Takes part in the run; every rank of the launcher has to call it. Rank 0 returns when all are done.
/// \throws std::runtime_error where the others cannot be found, or the JSON cannot be written
RankResult measure_on_ranks(const RankWork& work);

/// \brief The table of every problem, in the order of the tasks.
void report_problems(std::ostream& stream, const Job& job, const std::vector<Record>& records, double copy_bandwidth);

}  // namespace lacuna::bench

#endif

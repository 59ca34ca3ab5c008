// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Bench_Jobs.hpp>
#include <diagonal/Bench_Diagonal.hpp>
#include <paper/Bench_Paper000.hpp>
#include <spgemm/Bench_Spgemm.hpp>
#include <spmm/Bench_Spmm.hpp>
#include <spmv/Bench_Spmv.hpp>

namespace lacuna::bench {

std::vector<std::unique_ptr<Job>> make_jobs(const Options& options) {
  std::vector<std::unique_ptr<Job>> jobs;
  const Command command = options.command;
  if (command == Command::run || command == Command::spmv) jobs.push_back(spmv_job(options));
  if (command == Command::run || command == Command::spmm) jobs.push_back(spmm_job(options));
  if (command == Command::spgemm) jobs.push_back(spgemm_job(options));
  if (command == Command::diagonal) jobs.push_back(diagonal_job(options));
  if (command == Command::paper000) jobs.push_back(paper000_job(options));
  return jobs;
}

}  // namespace lacuna::bench

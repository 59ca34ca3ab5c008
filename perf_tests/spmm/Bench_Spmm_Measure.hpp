// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPMM_MEASURE_HPP
#define LACUNA_BENCH_SPMM_MEASURE_HPP

#include <spmm/Bench_Spmm.hpp>
#include <spmm/Bench_SpmmProblem.hpp>
#include <support/Bench_BlockReference.hpp>
#include <support/Bench_LoadMatrix.hpp>
#include <support/Bench_Measure.hpp>

#include <Lacuna_RowStatistics.hpp>

#include <optional>

/// \file
/// \brief The body of the entry point of Bench_Spmm.hpp.

namespace lacuna::bench {

/// What reports sort matrices by.
template <class Matrix>
std::vector<std::pair<std::string, double>> spmm_facts(const ExecutionSpace& exec, const Matrix& A) {
  const RowStatistics statistics = row_statistics(exec, A);
  return {{"rpc", statistics.nonzeros_per_panel_column()},
          {"longest_row", static_cast<double>(statistics.longest_row)}};
}

/// Poisons C, or makes it what beta multiplies; then calls, and compares all of C with the reference.
template <class Layout, class Problem>
Measurement measure_spmm(const Problem& problem, double beta, const typename Problem::Storage& initial,
                         const Candidate& candidate, const Effort& effort) {
  using Scalar       = typename Problem::Scalar;
  const bool ours    = candidate.name.starts_with("lacuna:");
  const auto prepare = [&] {
    if (beta == 0)
      Kokkos::deep_copy(problem.exec, problem.c, Scalar(std::numeric_limits<RealOf<Scalar>>::quiet_NaN()));
    else
      Kokkos::deep_copy(problem.exec, problem.c, initial);
  };
  const auto check = [&] {
    return error_of_block(problem.exec, problem.A, problem.template B<Layout>(), beta, initial.data(),
                          problem.template C<Layout>(), error_model<Scalar>(candidate.precision, !ours));
  };
  return measure_candidate(problem.exec, candidate, effort, prepare, check);
}

/// One number of columns.
template <class Problem>
std::vector<Record> bench_spmm_columns(Session& session, const std::string& scalar, const MatrixSource& source,
                                       const Options& options, Problem problem, const Work& work) {
  using Scalar = typename Problem::Scalar;
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  using Storage             = typename Problem::Storage;
  const std::int64_t width  = problem.columns;
  const std::int64_t b_size = problem.b_rows() * width, c_size = problem.c_rows() * width;
  problem.b = Storage(view_alloc(problem.exec, WithoutInitializing, "Lacuna::bench::B"), b_size);
  problem.c = Storage(view_alloc(problem.exec, WithoutInitializing, "Lacuna::bench::C"), c_size);
  Storage initial;
  fill_random(problem.exec, problem.b, 1);
  if (problem.beta != Scalar(0)) {
    initial = Storage(view_alloc(problem.exec, WithoutInitializing, "Lacuna::bench::initial"), c_size);
    fill_random(problem.exec, initial, 2);
  }

  Candidates candidates;
  if (options.rivals)
    for (Candidate& rival : spmm_rivals(problem)) candidates.push_back(std::move(rival));

  Effort effort;
  effort.timing = {.min_time = options.min_time, .batches = options.repeat, .cold = options.cold};
  double best   = 0;  // of the rivals
  std::vector<Case> cases;
  for (const Candidate& candidate : candidates) {
    Case item;
    item.operation      = "spmm";
    item.matrix         = source.name;
    item.scalar         = scalar;
    item.columns        = width;
    item.implementation = candidate.name;
    item.work           = work;
    item.measure        = [&, candidate] {
      const bool rival = !candidate.name.starts_with("lacuna:");
      Effort now       = effort;
      now.best         = rival ? best : 0;
      now.setups       = rival ? 1 : 3;
      const Measurement measurement =
          candidate.layout == DenseLayout::right
                     ? measure_spmm<Kokkos::LayoutRight>(problem, options.beta, initial, candidate, now)
                     : measure_spmm<Kokkos::LayoutLeft>(problem, options.beta, initial, candidate, now);
      const bool counts = rival && measurement.skipped.empty() && !measurement.wrong;
      if (counts && (best == 0 || measurement.seconds < best)) best = measurement.seconds;
      return measurement;
    };
    cases.push_back(std::move(item));
  }
  return session.run(std::move(cases));
}

template <class Problem>
void bench_spmm(Session& session, const std::string& scalar, const MatrixSource& source, const Options& options,
                const std::vector<std::int64_t>& columns, const std::vector<SpmmRequest>& requests,
                const ReportRecords& report) {
  const auto A = try_load<typename Problem::Matrix>(session, source);
  if (!A) return;
  Problem problem;
  problem.A        = *A;
  problem.beta     = static_cast<typename Problem::Scalar>(options.beta);
  const auto facts = spmm_facts(problem.exec, problem.A);
  for (const std::int64_t width : columns) {
    problem.columns = width;
    Work work       = spmm_work(problem.A, width, options.beta != 0);
    work.facts      = facts;
    try {
      report(bench_spmm_columns(session, scalar, source, options, problem, work));
    } catch (const std::exception& error) {  // memory, most likely
      session.note_failure(source.name + ", n=" + std::to_string(width) + ": " + error.what());
    }
  }
}

}  // namespace lacuna::bench

#endif

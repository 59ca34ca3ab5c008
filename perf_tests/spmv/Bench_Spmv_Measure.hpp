// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPMV_MEASURE_HPP
#define LACUNA_BENCH_SPMV_MEASURE_HPP

#include <paper/Bench_Coalescing.hpp>
#include <spmv/Bench_Spmv.hpp>
#include <spmv/Bench_SpmvProblem.hpp>
#include <support/Bench_LoadMatrix.hpp>
#include <support/Bench_Measure.hpp>

#include <Lacuna_RowStatistics.hpp>
#include <Lacuna_Spmv.hpp>

#include <iostream>
#include <map>
#include <memory>
#include <optional>

/// \file
/// \brief The bodies of the entry points of Bench_Spmv.hpp.

namespace lacuna::bench {

/// A plan of Lacuna's.
template <class Problem>
class LacunaSpmv final : public Implementation {
 public:
  LacunaSpmv(const Problem& problem, const SpmvOptions& options) : m_problem(problem), m_options(options) {}

  void setup() override { m_plan.emplace(m_problem.exec, m_problem.A, m_options); }
  void clear() override { m_plan.reset(); }
  void run() override {
    spmv(m_problem.exec, *m_plan, typename Problem::Scalar(1), m_problem.x, m_problem.beta, m_problem.y);
  }
  std::int64_t persistent_bytes() const override { return static_cast<std::int64_t>(m_plan->persistent_bytes()); }
  std::int64_t temporary_bytes() const override { return static_cast<std::int64_t>(m_plan->temporary_bytes()); }
  double expected_seconds() const override { return m_plan->expected_seconds(); }
  std::string label() const override {
    return m_options.algorithm == SpmvAlgorithm::automatic ? std::string(name(m_plan->algorithm())) : std::string();
  }
  std::string report() const override { return m_plan->report(); }

 private:
  using Plan = decltype(SpmvPlan(std::declval<const ExecutionSpace&>(), std::declval<const typename Problem::Matrix&>(),
                                 std::declval<const SpmvOptions&>()));
  Problem m_problem;
  SpmvOptions m_options;
  std::optional<Plan> m_plan;
};

/// The call that needs no plan.
template <class Problem>
class LacunaOneShotSpmv final : public Implementation {
 public:
  explicit LacunaOneShotSpmv(const Problem& problem) : m_problem(problem) {}
  bool has_setup() const override { return false; }
  void run() override {
    spmv(m_problem.exec, typename Problem::Scalar(1), m_problem.A, m_problem.x, m_problem.beta, m_problem.y);
  }

 private:
  Problem m_problem;
};

template <class Problem>
Candidates lacuna_spmv(const Problem& problem, const Options& options, const std::vector<SpmvRequest>& requests) {
  Candidates candidates;
  for (const SpmvRequest& request : requests) {
    if (request.one_shot) {
      candidates.push_back(
          {request.implementation(), [=] { return std::make_unique<LacunaOneShotSpmv<Problem>>(problem); }});
      continue;
    }
    SpmvOptions plan_options;
    plan_options.algorithm      = request.algorithm;
    plan_options.expected_calls = options.expected;
    plan_options.team_size      = request.team_size;
    plan_options.lanes_per_row  = request.lanes_per_row;
    plan_options.x_past_cache   = request.x_past_cache;
    plan_options.row_order      = request.row_order;
    plan_options.block_rows     = request.block_rows;
    plan_options.block_columns  = request.block_columns;
    plan_options.least_in_block = request.least_in_block;
    Candidate candidate{request.implementation(),
                        [=] { return std::make_unique<LacunaSpmv<Problem>>(problem, plan_options); }};
    candidate.keep = request.keep;
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

/// Checks one candidate's result, then times its set-up and its calls.
template <class Problem, class Result>
Measurement measure_spmv(const Problem& problem, const Result& reference, const typename Problem::Y& initial,
                         const Candidate& candidate, const Effort& effort) {
  using Scalar       = typename Problem::Scalar;
  const auto prepare = [&] {
    if (problem.beta == Scalar(0))  // what was in y must not matter
      Kokkos::deep_copy(problem.exec, problem.y, Scalar(std::numeric_limits<RealOf<Scalar>>::quiet_NaN()));
    else
      Kokkos::deep_copy(problem.exec, problem.y, initial);
  };
  const auto check = [&] { return error_of_result(problem.exec, reference, problem.y); };
  return measure_candidate(problem.exec, candidate, effort, prepare, check);
}

/// Table 1 of paper 002 counts reads of three matrices of at most so many nonzeros.
constexpr std::int64_t most_counted = 2500000;

/// What its model says of the kernels that it counts, as statistics of their cases; nothing of others.
template <class Matrix>
std::map<std::string, std::vector<std::pair<std::string, double>>> coalescing_statistics(const Matrix& A) {
  const auto map     = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.graph.row_map);
  const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.graph.entries);
  const std::vector<std::int64_t> row_map(map.data(), map.data() + map.extent(0));
  const std::vector<std::int64_t> entries(columns.data(), columns.data() + columns.extent(0));
  std::map<std::string, std::vector<std::pair<std::string, double>>> found;
  for (const SpmvAlgorithm algorithm : {SpmvAlgorithm::naive, SpmvAlgorithm::thread_mapped, SpmvAlgorithm::aligned}) {
    const Coalescing reads                          = coalescing_of(algorithm, row_map, entries);
    found["lacuna:" + std::string(name(algorithm))] = {{"coalesced", reads.coalesced},
                                                       {"uncoalesced", reads.uncoalesced}};
  }
  return found;
}

template <class Matrix>
void print_inspection(const MatrixSource& source, const Matrix& A) {
  std::cout << "\n" << source.name << ": what the inspector sees\n";
  const ExecutionSpace exec;
  RowStatistics statistics;
  const double seconds = setup_time(
      exec, [] {}, [&] { statistics = row_statistics(exec, A); });
  std::cout << report(statistics) << "inspected    in " << readable_time(seconds) << std::endl;
}

template <class Problem>
bool inspect_matrix(Session& session, const MatrixSource& source) {
  const auto A = try_load_pattern<typename Problem::Matrix>(session, source);
  if (A) print_inspection(source, *A);
  return A.has_value();
}

template <class Problem>
std::vector<Record> bench_spmv(Session& session, const std::string& scalar, const MatrixSource& source,
                               const Options& options, const std::vector<SpmvRequest>& requests) {
  using Scalar = typename Problem::Scalar;
  const auto A = try_load<typename Problem::Matrix>(session, source);
  if (!A) return {};
  if (options.inspect) print_inspection(source, *A);

  Problem problem;
  problem.A    = *A;
  problem.beta = static_cast<Scalar>(options.beta);
  const typename Problem::Y x("Lacuna::bench::x", A->numCols());
  const typename Problem::Y initial("Lacuna::bench::initial", A->numRows());
  fill_random(problem.exec, x, 1);
  fill_random(problem.exec, initial, 2);
  problem.x = x;
  problem.y = typename Problem::Y("Lacuna::bench::y", A->numRows());

  Work work            = spmv_work(problem.A, options.beta != 0);
  const auto reference = spmv_reference(problem.exec, problem.A, problem.x, options.beta, initial);

  Candidates candidates = lacuna_spmv(problem, options, requests);
  if (options.rivals)
    for (Candidate& rival : spmv_rivals(problem)) candidates.push_back(std::move(rival));

  const TimingOptions timing{.min_time = options.min_time, .batches = options.repeat, .cold = options.cold};
  double best = 0;  // of ours
  std::map<std::string, std::vector<std::pair<std::string, double>>> statistics;
  if (options.paper && scalar == "float" && static_cast<std::int64_t>(A->nnz()) <= most_counted)
    statistics = coalescing_statistics(*A);
  std::vector<Case> cases;
  for (const Candidate& candidate : candidates) {
    Case item;
    item.operation      = "spmv";
    item.matrix         = source.name;
    item.scalar         = scalar;
    item.implementation = candidate.name;
    work.statistics     = statistics[candidate.name];
    item.work           = work;
    item.measure        = [&, candidate] {
      const Effort effort{.timing = timing, .best = candidate.keep ? 0 : best};
      const Measurement measurement = measure_spmv(problem, reference, initial, candidate, effort);
      if (candidate.name.starts_with("lacuna:")) best = better_of(best, measurement);
      return measurement;
    };
    cases.push_back(std::move(item));
  }
  return session.run(std::move(cases));
}

}  // namespace lacuna::bench

#endif

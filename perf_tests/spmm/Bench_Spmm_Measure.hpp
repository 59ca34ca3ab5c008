// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPMM_MEASURE_HPP
#define LACUNA_BENCH_SPMM_MEASURE_HPP

#include <spmm/Bench_Spmm.hpp>
#include <spmm/Bench_SpmmProblem.hpp>
#include <support/Bench_BlockReference.hpp>
#include <support/Bench_LoadMatrix.hpp>
#include <support/Bench_Measure.hpp>

#include <Lacuna_Convert.hpp>
#include <Lacuna_RowStatistics.hpp>
#include <Lacuna_Spmm.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_SpmmHrpbModel.hpp>

#include <memory>
#include <optional>
#include <type_traits>

/// \file
/// \brief The body of the entry point of Bench_Spmm.hpp.

namespace lacuna::bench {

/// A plan of Lacuna's.
template <class Problem, class Layout>
class LacunaSpmm final : public Implementation {
 public:
  /// Bytes that A may take as a dense matrix, as for the dense rivals.
  static constexpr std::size_t largest_dense_matrix =
      ExecutionTraits<ExecutionSpace>::is_gpu ? std::size_t{2} << 30 : std::size_t{256} << 20;

  LacunaSpmm(const Problem& problem, const SpmmOptions& options) : m_problem(problem), m_options(options) {
    const double dense = static_cast<double>(problem.c_rows()) * static_cast<double>(problem.b_rows()) *
                         static_cast<double>(sizeof(typename Problem::Scalar));
    if (options.algorithm == SpmmAlgorithm::dense && dense > static_cast<double>(largest_dense_matrix))
      throw NotSupported("A would take more than " + std::to_string(largest_dense_matrix >> 20) +
                         " MiB as a dense matrix");
  }

  void setup() override { m_plan.emplace(m_problem.exec, m_problem.A, m_options); }
  void clear() override { m_plan.reset(); }
  void run() override {
    spmm(m_problem.exec, *m_plan, typename Problem::Factor(1), m_problem.template B<Layout>(), m_problem.beta,
         m_problem.template C<Layout>());
  }
  std::int64_t persistent_bytes() const override { return static_cast<std::int64_t>(m_plan->persistent_bytes()); }
  std::int64_t temporary_bytes() const override { return static_cast<std::int64_t>(m_plan->temporary_bytes()); }
  double expected_seconds() const override { return m_plan->expected_seconds(); }
  std::string label() const override {
    return m_options.algorithm == SpmmAlgorithm::automatic ? std::string(name(m_plan->algorithm())) : std::string();
  }
  std::string report() const override { return m_plan->report(); }

 private:
  using Plan = decltype(SpmmPlan(std::declval<const ExecutionSpace&>(), std::declval<const typename Problem::Matrix&>(),
                                 std::declval<const SpmmOptions&>()));
  Problem m_problem;
  SpmmOptions m_options;
  std::optional<Plan> m_plan;
};

/// The call that needs no plan.
template <class Problem, class Layout>
class LacunaOneShotSpmm final : public Implementation {
 public:
  explicit LacunaOneShotSpmm(const Problem& problem) : m_problem(problem) {}
  bool has_setup() const override { return false; }
  void run() override {
    spmm(m_problem.exec, typename Problem::Factor(1), m_problem.A, m_problem.template B<Layout>(), m_problem.beta,
         m_problem.template C<Layout>());
  }

 private:
  Problem m_problem;
};

/// Adds the nonzeros of a row to a dense matrix.
template <class Matrix, class Dense>
struct AddRowToDense {
  Matrix A;
  Dense dense;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (auto k = A.graph.row_map(row); k < A.graph.row_map(row + 1); ++k)
      dense(row, A.graph.entries(k)) += A.values(k);
  }
};

/// A dense matrix to GCOO, and the product of that: no CSR between. The set-up is the conversion with its allocations,
/// the paper's EO; the dense matrix is there before.
template <class Problem, class Layout>
class LacunaGcooFromDense final : public Implementation {
 public:
  LacunaGcooFromDense(const Problem& problem, const SpmmOptions& options) : m_problem(problem) {
    if (options.panel_rows > 0) m_options.group_size = options.panel_rows;
    const double bytes = static_cast<double>(problem.c_rows()) * static_cast<double>(problem.b_rows()) *
                         static_cast<double>(sizeof(Scalar));
    if (bytes > static_cast<double>(LacunaSpmm<Problem, Layout>::largest_dense_matrix))
      throw NotSupported("A is too large as a dense matrix");
    m_dense = Dense(Kokkos::view_alloc(problem.exec, "Lacuna::bench::dense_a"), problem.c_rows(), problem.b_rows());
    Kokkos::parallel_for(
        "Lacuna::bench::dense_a",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(problem.exec, 0, problem.c_rows()),
        AddRowToDense<typename Problem::Matrix, Dense>{problem.A, m_dense});
  }

  void setup() override {
    m_gcoo.emplace(to_gcoo<typename Problem::Ordinal, typename Problem::Offset>(m_problem.exec, m_dense, m_options));
  }
  void clear() override { m_gcoo.reset(); }
  void run() override {
    spmm(m_problem.exec, typename Problem::Factor(1), *m_gcoo, m_problem.template B<Layout>(), m_problem.beta,
         m_problem.template C<Layout>());
  }
  std::int64_t persistent_bytes() const override { return static_cast<std::int64_t>(m_gcoo->bytes()); }

 private:
  using Scalar = typename Problem::Scalar;
  using Dense  = Kokkos::View<Scalar**, Kokkos::LayoutRight, Device>;

  Problem m_problem;
  GcooOptions m_options{.group_size = Impl::SpmmGcooPolicy::rows};
  Dense m_dense;
  std::optional<GcooMatrix<Scalar, typename Problem::Ordinal, Device, typename Problem::Offset>> m_gcoo;
};

/// Half precision has no conversion.
template <class Layout, class Problem>
std::unique_ptr<Implementation> make_gcoo_from_dense(const Problem& problem, const SpmmOptions& options) {
  if constexpr (std::is_floating_point_v<typename Problem::Scalar>)
    return std::make_unique<LacunaGcooFromDense<Problem, Layout>>(problem, options);
  else
    throw NotSupported("gcoo:from_dense is for float and double");
}

template <class Layout, class Problem>
Candidate lacuna_spmm(const Problem& problem, const SpmmRequest& request, long long expected_calls) {
  Candidate candidate;
  candidate.name         = request.implementation();
  candidate.layout       = request.layout;
  candidate.precision    = request.options.precision;
  candidate.keep         = request.keep;
  SpmmOptions options    = request.options;
  options.columns        = problem.columns;
  options.expected_calls = expected_calls;
  if (request.one_shot)
    candidate.make = [=] { return std::make_unique<LacunaOneShotSpmm<Problem, Layout>>(problem); };
  else if (request.from_dense)
    candidate.make = [=] { return make_gcoo_from_dense<Layout>(problem, options); };
  else
    candidate.make = [=] { return std::make_unique<LacunaSpmm<Problem, Layout>>(problem, options); };
  return candidate;
}

/// What is known of the bricks of A in panels of 16 and of 32 rows.
struct SpmmBrickFacts {
  Impl::BrickStatistics low, high;

  /// Those of panels that hrpb has where it is asked for `panel_rows`.
  const Impl::BrickStatistics& of(int panel_rows) const { return panel_rows == 32 ? high : low; }
};

template <class Matrix>
SpmmBrickFacts brick_facts(const ExecutionSpace& exec, const Matrix& A) {
  return {Impl::brick_statistics<16, 16>(exec, A), Impl::brick_statistics<32, 16>(exec, A)};
}

/// What reports sort matrices by: alpha and blocks are those of panels of 16 rows, alpha_32 and beta of 32.
template <class Matrix>
std::vector<std::pair<std::string, double>> spmm_statistics(const ExecutionSpace& exec, const Matrix& A,
                                                            const SpmmBrickFacts& facts) {
  const RowStatistics statistics = row_statistics(exec, A);
  const Impl::Synergy high       = Impl::synergy_of(facts.high);
  return {{"rpc", statistics.nonzeros_per_panel_column()},
          {"longest_row", static_cast<double>(statistics.longest_row)},
          {"alpha", Impl::synergy_of(facts.low).alpha},
          {"blocks", static_cast<double>(facts.low.blocks)},
          {"alpha_32", high.alpha},
          {"beta", high.beta}};
}

/// What hrpb is expected to take, and the parts that its model adds up: what the costs of SpmmHrpbPolicy are fitted to.
template <class Problem>
std::vector<std::pair<std::string, double>> hrpb_prediction(const Problem& problem, const SpmmBrickFacts& facts,
                                                            const SpmmOptions& options) {
  const lacuna::Device device = device_of(problem.exec);
  const Impl::SpmmRequest asked{options, Impl::scalar_properties<typename Problem::Scalar>()};
  const Impl::BrickStatistics& statistics = facts.of(options.panel_rows);
  Impl::Inspection A;
  A.rows           = problem.c_rows();
  A.columns        = problem.b_rows();
  A.nonzeros       = statistics.nonzeros;
  A.tall_panels    = Impl::tall_panels_of(statistics);
  const auto terms = Impl::hrpb_terms(device, A, *A.tall_panels, asked, problem.columns);
  std::vector<std::pair<std::string, double>> counters{{"predicted_seconds", terms.seconds(device)},
                                                       {"launch_seconds", device.launch_seconds}};
  for (std::size_t i = 0; i < terms.parts.size(); ++i)
    counters.emplace_back("term_" + std::string(terms.names[i]), terms.parts[i]);
  return counters;
}

/// Poisons C, or makes it what beta multiplies; then calls, and compares all of C with the reference. `reference`: of
/// this layout.
template <class Layout, class Problem, class Reference>
Measurement measure_spmm(const Problem& problem, double beta, const typename Problem::Storage& initial,
                         Reference& reference, const Candidate& candidate, const Effort& effort) {
  using Scalar = typename Problem::Scalar;
  // Who rounds to nearest: our kernels, but not the dense product, which is the vendor's.
  const bool rounds  = candidate.name.starts_with("lacuna:") && !candidate.name.starts_with("lacuna:dense");
  const auto prepare = [&] {
    if (beta == 0)
      Kokkos::deep_copy(problem.exec, problem.c, static_cast<Scalar>(std::numeric_limits<RealOf<Scalar>>::quiet_NaN()));
    else
      Kokkos::deep_copy(problem.exec, problem.c, initial);
  };
  const auto check = [&] {
    return error_of_block(problem.exec, problem.A, problem.template B<Layout>(), beta, initial.data(),
                          problem.template C<Layout>(), error_model<Scalar>(candidate.precision, !rounds), &reference);
  };
  return measure_candidate(problem.exec, candidate, effort, prepare, check);
}

/// One number of columns.
template <class Problem>
std::vector<Record> bench_spmm_columns(Session& session, const std::string& scalar, const MatrixSource& source,
                                       const Options& options, const std::vector<SpmmRequest>& requests,
                                       Problem problem, const Work& work, const SpmmBrickFacts& facts) {
  using Scalar = typename Problem::Scalar;
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  using Storage             = typename Problem::Storage;
  const std::int64_t width  = problem.columns;
  const std::int64_t b_size = problem.b_rows() * width, c_size = problem.c_rows() * width;
  problem.b = Storage(view_alloc(problem.exec, WithoutInitializing, "Lacuna::bench::B"), b_size);
  problem.c = Storage(view_alloc(problem.exec, WithoutInitializing, "Lacuna::bench::C"), c_size);
  Storage initial;
  fill_random(problem.exec, problem.b, 1);
  if (problem.beta != typename Problem::Factor(0)) {
    initial = Storage(view_alloc(problem.exec, WithoutInitializing, "Lacuna::bench::initial"), c_size);
    fill_random(problem.exec, initial, 2);
  }

  Candidates candidates;
  std::vector<std::vector<std::pair<std::string, double>>> predictions;  // of the first of them
  for (const SpmmRequest& request : requests_for(scalar, requests)) {
    const bool is_hrpb = request.options.algorithm == SpmmAlgorithm::hrpb && !is_half<Scalar>;
    predictions.push_back(is_hrpb ? hrpb_prediction(problem, facts, request.options) : decltype(work.statistics){});
    candidates.push_back(request.layout == DenseLayout::right
                             ? lacuna_spmm<Kokkos::LayoutRight>(problem, request, options.expected)
                             : lacuna_spmm<Kokkos::LayoutLeft>(problem, request, options.expected));
  }
  if (options.rivals)
    for (Candidate& rival : rivals_wanted(spmm_rivals(problem), options)) {
      rival.keep = rival.keep || (options.keep_dense && rival.name.starts_with("cublas:"));
      candidates.push_back(std::move(rival));
    }

  Effort effort;
  effort.timing = {.min_time = options.min_time, .batches = options.repeat, .cold = options.cold};
  double best = 0, best_own = 0;  // of the rivals, and of ours
  std::vector<Case> cases;
  using Reference = BlockReference<Scalar, typename ExecutionSpace::memory_space>;
  std::optional<Reference> reference;  // of one layout at a time: they may be large
  DenseLayout layout = DenseLayout::right;
  for (std::size_t place = 0; place < candidates.size(); ++place) {
    const Candidate& candidate = candidates[place];
    Case item;
    item.operation      = "spmm";
    item.matrix         = source.name;
    item.scalar         = scalar;
    item.columns        = width;
    item.implementation = candidate.name;
    item.work           = work;
    if (place < predictions.size())
      item.work.statistics.insert(item.work.statistics.end(), predictions[place].begin(), predictions[place].end());
    item.measure = [&, candidate] {
      const bool rival = !candidate.name.starts_with("lacuna:");
      Effort now       = effort;
      now.best         = rival ? best : candidate.keep ? 0 : best_own;
      now.setups       = rival ? 1 : 3;
      if (!reference || layout != candidate.layout) reference.emplace();
      layout = candidate.layout;
      const Measurement measurement =
          candidate.layout == DenseLayout::right
              ? measure_spmm<Kokkos::LayoutRight>(problem, options.beta, initial, *reference, candidate, now)
              : measure_spmm<Kokkos::LayoutLeft>(problem, options.beta, initial, *reference, candidate, now);
      double& least = rival ? best : best_own;
      least         = better_of(least, measurement);
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
  problem.A             = *A;
  problem.beta          = static_cast<typename Problem::Factor>(options.beta);
  const auto facts      = brick_facts(problem.exec, problem.A);
  const auto statistics = spmm_statistics(problem.exec, problem.A, facts);
  for (const std::int64_t width : columns) {
    problem.columns = width;
    Work work       = spmm_work(problem.A, width, options.beta != 0);
    work.statistics = statistics;
    try {
      report(bench_spmm_columns(session, scalar, source, options, requests, problem, work, facts));
    } catch (const std::exception& error) {  // memory, most likely
      session.note_failure(source.name + ", n=" + std::to_string(width) + ": " + error.what());
    }
  }
}

}  // namespace lacuna::bench

#endif

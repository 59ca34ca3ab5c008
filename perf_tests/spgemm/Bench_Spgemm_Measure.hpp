// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPGEMM_MEASURE_HPP
#define LACUNA_BENCH_SPGEMM_MEASURE_HPP

#include <spgemm/Bench_Spgemm.hpp>
#include <spgemm/Bench_SpgemmProblem.hpp>
#include <support/Bench_LoadMatrix.hpp>
#include <support/Bench_Measure.hpp>
#include <support/Bench_WorkModels.hpp>

#include <Lacuna_Spgemm.hpp>
#include <Lacuna_Transpose.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

/// \file
/// \brief The body of the entry point of Bench_Spgemm.hpp.
///
/// `lacuna:<algorithm>` is the whole call: plan, allocation of C, values, and the freeing of everything.
/// `lacuna:<algorithm>:symbolic` is the plan alone; `lacuna:<algorithm>:reuse` the values alone, the rest being set-up.
/// `:deterministic` behind those asks for it; `:transposed` multiplies A by its transpose, which the plan forms.
///
/// A result is judged by y = C x against A (A x) in double precision: relative to |A| (|A| |x|), so that cancellation
/// does not count.

namespace lacuna::bench {

/// Which part of the call is timed.
enum class SpgemmPart { whole, symbolic, reuse };

template <class Problem>
class LacunaSpgemm final : public Implementation {
 public:
  LacunaSpgemm(const Problem& problem, const SpgemmOptions& options, SpgemmPart part)
      : m_problem(problem), m_options(options), m_part(part) {}
  bool has_setup() const override { return m_part == SpgemmPart::reuse; }
  void setup() override {
    m_plan.emplace(m_problem.exec, m_problem.A, m_problem.A, m_options);
    if (m_part != SpgemmPart::whole) *m_problem.C = m_plan->allocate(m_problem.exec);
    m_persistent = static_cast<std::int64_t>(m_plan->persistent_bytes());
    m_temporary  = static_cast<std::int64_t>(m_plan->temporary_bytes());
    m_report     = m_plan->report();
    m_label      = m_options.algorithm == SpgemmAlgorithm::automatic ? std::string(name(m_plan->algorithm())) : "";
    if (m_part == SpgemmPart::symbolic && m_options.algorithm == SpgemmAlgorithm::bins) m_label = time_of_stages();
    if (m_part == SpgemmPart::whole) m_plan.reset();
    if (m_part == SpgemmPart::symbolic) multiply();
  }
  void clear() override {
    m_problem.C->reset();
    m_plan.reset();
  }
  void run() override {
    switch (m_part) {
      case SpgemmPart::whole:
        m_problem.C->reset();
        *m_problem.C = spgemm(m_problem.exec, m_problem.A, m_problem.A, m_options);
        return;
      case SpgemmPart::symbolic: Plan(m_problem.exec, m_problem.A, m_problem.A, m_options); return;
      case SpgemmPart::reuse: multiply(); return;
    }
  }
  std::int64_t persistent_bytes() const override { return m_persistent; }
  std::int64_t temporary_bytes() const override { return m_temporary; }
  std::string label() const override { return m_label; }
  std::string report() const override { return m_report; }

 private:
  using Plan = SpgemmPlan<typename Problem::Matrix, ExecutionSpace>;

  /// What the report says of stages 1 and 2 of paper 001.
  std::string time_of_stages() const {
    const std::string before = "bounds and bins ";
    const std::size_t start  = m_report.find(before);
    if (start == std::string::npos) return {};
    const std::size_t end = m_report.find(',', start);
    return m_report.substr(start + before.size(), end - start - before.size());
  }
  void multiply() { spgemm(m_problem.exec, *m_plan, 1, m_problem.A, m_problem.A, **m_problem.C); }

  Problem m_problem;
  SpgemmOptions m_options;
  SpgemmPart m_part;
  std::optional<Plan> m_plan;
  std::int64_t m_persistent = 0, m_temporary = 0;
  std::string m_report, m_label;
};

/// y = M x and, beside it, |M| |x|.
template <class Arrays>
struct WideProduct {
  using Wide = DoubleOf<typename Arrays::Scalar>;
  Arrays M;
  const Wide* x;
  const double* size_of_x;
  Wide* y;
  double* size_of_y;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    Wide sum(0);
    double size = 0;
    for (auto k = M.row_map[row]; k < M.row_map[row + 1]; ++k) {
      const Wide value(M.values[k]);
      sum += value * x[M.entries[k]];
      size += magnitude(value) * size_of_x[M.entries[k]];
    }
    y[row]         = sum;
    size_of_y[row] = size;
  }
};

template <class Wide>
struct LargestError {
  const Wide* result;
  const Wide* reference;
  const double* size;
  KOKKOS_FUNCTION void operator()(std::int64_t row, double& largest) const {
    const double error = magnitude(result[row] - reference[row]);
    // Not a number is as wrong as it gets.
    const double relative = !(error >= 0) ? 1e300 : size[row] > 0 ? error / size[row] : (error > 0 ? 1e300 : 0);
    if (relative > largest) largest = relative;
  }
};

template <class Wide>
struct Widen {
  Kokkos::View<double*, Device> x;
  Kokkos::View<Wide*, Device> value;
  Kokkos::View<double*, Device> size;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    value(i) = Wide(x(i));
    size(i)  = Kokkos::abs(x(i));
  }
};

/// Judges C, see above.
template <class Problem>
class SpgemmCheck {
  using Scalar = typename Problem::Scalar;
  using Wide   = DoubleOf<Scalar>;
  struct Pair {
    explicit Pair(std::size_t n) : value("Lacuna::bench::value", n), size("Lacuna::bench::size", n) {}
    Kokkos::View<Wide*, Device> value;
    Kokkos::View<double*, Device> size;
  };

 public:
  /// `with_transpose`: there will be products with the transpose too.
  SpgemmCheck(const Problem& problem, bool with_transpose)
      : m_problem(problem),
        m_x(problem.A.numCols()),
        m_reference(problem.A.numRows()),
        m_transposed(problem.A.numRows()) {
    Kokkos::View<double*, Device> x("Lacuna::bench::x", problem.A.numCols());
    fill_random(problem.exec, x, 3);
    Kokkos::parallel_for("Lacuna::bench::x", Kokkos::RangePolicy<ExecutionSpace>(problem.exec, 0, x.extent(0)),
                         Widen<Wide>{x, m_x.value, m_x.size});
    Pair inner(problem.A.numRows());
    multiply(problem.A, m_x, inner);
    multiply(problem.A, inner, m_reference);
    if (with_transpose) {
      multiply(transpose(problem.exec, problem.A).matrix, m_x, inner);
      multiply(problem.A, inner, m_transposed);
    }
  }

  ErrorOfResult operator()(bool is_transposed) const {
    const Pair& reference = is_transposed ? m_transposed : m_reference;
    const auto& C         = **m_problem.C;
    Pair result(C.numRows());
    multiply(C, m_x, result);
    double largest = 0;
    Kokkos::parallel_reduce("Lacuna::bench::error",
                            Kokkos::RangePolicy<ExecutionSpace>(m_problem.exec, 0, result.value.extent(0)),
                            LargestError<Wide>{result.value.data(), reference.value.data(), reference.size.data()},
                            Kokkos::Max<double>(largest));
    m_problem.exec.fence("Lacuna::bench: error to the host");
    ErrorOfResult error;
    error.relative = largest;
    error.wrong    = !(largest <= 1000 * static_cast<double>(std::numeric_limits<RealOf<Scalar>>::epsilon()));
    return error;
  }

 private:
  template <class Matrix>
  void multiply(const Matrix& M, const Pair& x, const Pair& y) const {
    const auto arrays = Impl::arrays_of(M);
    Kokkos::parallel_for("Lacuna::bench::wide_product",
                         Kokkos::RangePolicy<ExecutionSpace>(m_problem.exec, 0, M.numRows()),
                         WideProduct<std::remove_cv_t<decltype(arrays)>>{arrays, x.value.data(), x.size.data(),
                                                                         y.value.data(), y.size.data()});
  }

  Problem m_problem;
  Pair m_x, m_reference, m_transposed;
};

template <class Problem>
Candidates lacuna_spgemm(const Problem& problem, const Options& options) {
  Candidates candidates;
  std::vector<std::string> wanted = options.algorithms;
  if (wanted.empty()) wanted = {"automatic", "automatic:symbolic", "automatic:reuse", "bins"};
  for (const std::string& text : wanted) {
    SpgemmOptions chosen;
    SpgemmPart which = SpgemmPart::whole;
    bool known       = true;
    std::istringstream words(text);
    std::string word;
    for (int place = 0; std::getline(words, word, ':'); ++place) {
      const auto algorithm = std::find_if(spgemm_algorithms.begin(), spgemm_algorithms.end(),
                                          [&](SpgemmAlgorithm candidate) { return name(candidate) == word; });
      if (place == 0 && algorithm != spgemm_algorithms.end())
        chosen.algorithm = *algorithm;
      else if (place > 0 && word == "symbolic")
        which = SpgemmPart::symbolic;
      else if (place > 0 && word == "reuse")
        which = SpgemmPart::reuse;
      else if (place > 0 && word == "deterministic")
        chosen.deterministic = true;
      else if (place > 0 && word == "transposed")
        chosen.op_b = Op::transpose;
      else
        known = false;
    }
    if (!known)
      throw InvalidArgument("--algorithm " + text +
                            ": there are automatic, bins, row_classes, each with :symbolic or :reuse, :deterministic "
                            "and :transposed where wanted");
    candidates.push_back(
        {"lacuna:" + text, [=] { return std::make_unique<LacunaSpgemm<Problem>>(problem, chosen, which); }});
  }
  return candidates;
}

/// Products of A A, and nonzeros of C.
template <class Problem>
Work spgemm_work(const Problem& problem) {
  const SpgemmPlan plan(problem.exec, problem.A, problem.A);
  Work work            = spmv_work(problem.A, false);
  const auto per_entry = static_cast<double>(sizeof(typename Problem::Scalar) + sizeof(typename Problem::Ordinal));
  const auto products  = static_cast<double>(plan.products());
  const auto nonzeros  = static_cast<double>(plan.nonzeros());
  work.flops           = (is_complex<typename Problem::Scalar> ? 8 : 2) * products;
  work.bytes           = per_entry * (2 * static_cast<double>(work.nonzeros) + nonzeros) +
               3 * static_cast<double>(work.rows + 1) * sizeof(typename Problem::Offset);
  work.facts = {{"products", products}, {"nnz_c", nonzeros}};
  return work;
}

template <class Problem>
std::vector<Record> bench_spgemm(Session& session, const std::string& scalar, const MatrixSource& source,
                                 const Options& options) {
  const auto A = try_load<typename Problem::Matrix>(session, source);
  if (!A) return {};
  Problem problem;
  problem.A = *A;
  if (A->numRows() != A->numCols()) {
    session.note_failure(source.name + ": A A needs a square matrix");
    return {};
  }
  Candidates candidates    = lacuna_spgemm(problem, options);
  const auto is_transposed = [](const Candidate& candidate) {
    return candidate.name.find(":transposed") != std::string::npos;
  };
  const SpgemmCheck<Problem> check(problem, std::any_of(candidates.begin(), candidates.end(), is_transposed));
  const Work work = spgemm_work(problem);
  if (options.rivals)
    for (Candidate& rival : spgemm_rivals(problem)) candidates.push_back(std::move(rival));
  const Effort effort{.timing = {.min_time = options.min_time, .batches = options.repeat, .cold = options.cold}};
  std::vector<Case> cases;
  for (const Candidate& candidate : candidates) {
    Case item;
    item.operation      = "spgemm";
    item.matrix         = source.name;
    item.scalar         = scalar;
    item.implementation = candidate.name;
    item.work           = work;
    item.measure        = [&, candidate] {
      problem.C->reset();
      Measurement measurement = measure_candidate(
                 problem.exec, candidate, effort, [] {}, [&] { return check(is_transposed(candidate)); });
      problem.C->reset();
      return measurement;
    };
    cases.push_back(std::move(item));
  }
  return session.run(std::move(cases));
}

}  // namespace lacuna::bench

#endif

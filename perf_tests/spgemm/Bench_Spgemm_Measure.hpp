// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPGEMM_MEASURE_HPP
#define LACUNA_BENCH_SPGEMM_MEASURE_HPP

#include <spgemm/Bench_Spgemm.hpp>
#include <spgemm/Bench_SpgemmGcoo.hpp>
#include <spgemm/Bench_SpgemmProblem.hpp>
#include <support/Bench_LoadMatrix.hpp>
#include <support/Bench_Measure.hpp>
#include <support/Bench_WorkModels.hpp>

#include <Lacuna_MemoryPool.hpp>
#include <Lacuna_Spgemm.hpp>
#include <Lacuna_Transpose.hpp>
#include <Lacuna_TripleProduct.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief The body of the entry point of Bench_Spgemm.hpp.
///
/// `lacuna:<algorithm>` is the whole call: plan, allocation of C, values, and the freeing of everything.
/// `lacuna:<algorithm>:symbolic` is the plan alone; `lacuna:<algorithm>:reuse` the values alone, the rest being set-up.
/// `:deterministic`, `:unsorted` and `:kept` behind those ask for that order, for rows of C in any order and for plans
/// that keep their products. Of more than two factors, `:symbolic` is all plans and the values of all products but the
/// last, whose columns the plan of the next one looks at. Three factors without transposes are multiplied by
/// `triple_product`, with plans in its order. Transposes are formed by the plans, unless `+given` stands behind the
/// name.
///
/// A result is judged by y = C x against A (B x) in double precision: relative to |A| (|B| |x|), so that cancellation
/// does not count.

namespace lacuna::bench {

/// Which part of the call is timed.
enum class SpgemmPart { whole, symbolic, reuse };

template <class Problem>
class LacunaSpgemm final : public Implementation {
  using Matrix = typename Problem::Matrix;
  using Plan   = SpgemmPlan<Matrix, ExecutionSpace>;

 public:
  LacunaSpgemm(const Problem& problem, const SpgemmOptions& options, SpgemmPart part)
      : m_problem(problem), m_options(options), m_part(part) {
    const auto& factors = problem.factors;
    if (problem.is_triple())
      m_problem.right = triple_product_order(problem.exec, factors[0].matrix, factors[1].matrix, factors[2].matrix) ==
                        TripleOrder::right_first;
    m_in_order = m_problem.in_order();
  }
  bool has_setup() const override { return m_part == SpgemmPart::reuse; }
  void setup() override {
    plan_all();
    m_persistent = m_temporary = 0;
    m_expected                 = 0;
    m_report.clear();
    for (const Plan& plan : m_plans) {
      m_persistent += static_cast<std::int64_t>(plan.persistent_bytes());
      m_temporary += static_cast<std::int64_t>(plan.temporary_bytes());
      m_expected += plan.expected_seconds();
      m_report += plan.report();
    }
    if (m_options.algorithm == SpgemmAlgorithm::automatic) m_label = std::string(name(m_plans.front().algorithm()));
    if (m_part == SpgemmPart::symbolic && m_options.algorithm == SpgemmAlgorithm::bins) m_label = time_of_stages();
    if (m_part == SpgemmPart::whole) return forget();
    m_results.push_back(m_plans.back().allocate(m_problem.exec));
    *m_problem.C = m_results.back();
    if (m_part == SpgemmPart::symbolic) multiply(m_plans.size() - 1);
  }
  void clear() override {
    m_problem.C->reset();
    forget();
  }
  void run() override {
    const auto& factors = m_problem.factors;
    switch (m_part) {
      case SpgemmPart::whole: {
        m_problem.C->reset();
        if (m_problem.is_triple()) {
          *m_problem.C =
              triple_product(m_problem.exec, factors[0].matrix, factors[1].matrix, factors[2].matrix, m_options);
          return;
        }
        Matrix left = spgemm(m_problem.exec, factors[0].matrix, factors[1].matrix, options_of(1));
        for (std::size_t i = 2; i < factors.size(); ++i)
          left = spgemm(m_problem.exec, left, factors[i].matrix, options_of(i));
        *m_problem.C = left;
        return;
      }
      case SpgemmPart::symbolic:
        forget();
        plan_all();
        return;
      case SpgemmPart::reuse:
        for (std::size_t i = 0; i < m_plans.size(); ++i) multiply(i);
        return;
    }
  }
  std::int64_t persistent_bytes() const override { return m_persistent; }
  std::int64_t temporary_bytes() const override { return m_temporary; }
  double expected_seconds() const override { return m_part == SpgemmPart::reuse ? m_expected : 0; }
  std::string label() const override { return m_label; }
  std::string report() const override { return m_report; }

 private:
  /// Of the product with factor i.
  SpgemmOptions options_of(std::size_t i) const {
    SpgemmOptions options = m_options;
    options.op_a          = i == 1 ? m_problem.factors[0].op : Op::none;
    options.op_b          = m_problem.factors[i].op;
    return options;
  }
  /// The operands of a product.
  std::pair<const Matrix&, const Matrix&> operands_of(std::size_t product) const {
    const Matrix& done = product == 0 ? m_in_order[0].matrix : m_results[product - 1];
    const Matrix& next = m_in_order[product + 1].matrix;
    if (m_problem.right) return {next, done};
    return {done, next};
  }
  /// All plans, and the values of all products but the last.
  void plan_all() {
    const std::size_t products = m_problem.factors.size() - 1;
    for (std::size_t i = 0; i < products; ++i) {
      const auto [left, right] = operands_of(i);
      m_plans.emplace_back(m_problem.exec, left, right, options_of(i + 1));
      if (i + 1 == products) break;
      m_results.push_back(m_plans.back().allocate(m_problem.exec));
      multiply(i);
    }
  }
  void multiply(std::size_t i) {
    const auto [left, right] = operands_of(i);
    spgemm(m_problem.exec, m_plans[i], 1, left, right, m_results[i]);
  }
  void forget() {
    m_plans.clear();
    m_results.clear();
  }
  /// What the report says of stages 1 and 2 of paper 001.
  std::string time_of_stages() const {
    const std::string before = "bounds and bins ";
    const std::size_t start  = m_report.find(before);
    if (start == std::string::npos) return {};
    const std::size_t end = m_report.find(',', start);
    return m_report.substr(start + before.size(), end - start - before.size());
  }

  Problem m_problem;
  std::vector<typename Problem::Factor> m_in_order;  ///< of multiplication
  SpgemmOptions m_options;
  SpgemmPart m_part;
  std::vector<Plan> m_plans;
  std::vector<Matrix> m_results;
  std::int64_t m_persistent = 0, m_temporary = 0;
  double m_expected = 0;
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
  /// `problem` has its transposes given.
  explicit SpgemmCheck(const Problem& problem)
      : m_problem(problem), m_x(problem.factors.back().matrix.numCols()), m_reference(0) {
    Kokkos::View<double*, Device> x("Lacuna::bench::x", m_x.value.extent(0));
    fill_random(problem.exec, x, 3);
    Kokkos::parallel_for("Lacuna::bench::x", Kokkos::RangePolicy<ExecutionSpace>(problem.exec, 0, x.extent(0)),
                         Widen<Wide>{x, m_x.value, m_x.size});
    m_reference = m_x;
    for (std::size_t i = problem.factors.size(); i-- > 0;) {
      const auto& factor = problem.factors[i].matrix;
      Pair next(factor.numRows());
      multiply(factor, m_reference, next);
      m_reference = next;
    }
  }

  ErrorOfResult operator()() const {
    const auto& C = **m_problem.C;
    Pair result(C.numRows());
    multiply(C, m_x, result);
    double largest = 0;
    Kokkos::parallel_reduce("Lacuna::bench::error",
                            Kokkos::RangePolicy<ExecutionSpace>(m_problem.exec, 0, result.value.extent(0)),
                            LargestError<Wide>{result.value.data(), m_reference.value.data(), m_reference.size.data()},
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
  Pair m_x, m_reference;
};

/// Calls that a plan of `:many` is told to expect.
inline constexpr std::int64_t many_calls = 100;

template <class Problem>
Candidates lacuna_spgemm(const Problem& problem, const Options& options) {
  Candidates candidates;
  std::vector<std::string> wanted = options.algorithms;
  if (wanted.empty()) wanted = {"automatic", "automatic:symbolic", "automatic:reuse", "bins"};
  for (const std::string& text : wanted) {
    if (text == "gcoo" || text == "gcoo:to_crs") {
      const auto algorithm = text == "gcoo" ? SpgemmAlgorithm::gcoo : SpgemmAlgorithm::automatic;
      candidates.push_back({"lacuna:" + text + problem.ending(),
                            [=] { return std::make_unique<LacunaGcooSpgemm<Problem>>(problem, algorithm); }});
      continue;
    }
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
      else if (place > 0 && word == "unsorted")
        chosen.sorted_output = false;
      else if (place > 0 && word == "kept")
        chosen.keep_products = KeepProducts::yes;
      else if (place > 0 && word == "many")
        chosen.expected_calls = many_calls;
      else
        known = false;
    }
    if (!known)
      throw InvalidArgument(
          "--algorithm " + text +
          ": there are automatic, bins, row_classes, each with :symbolic or :reuse, and "
          ":deterministic, :unsorted, :kept (products) and :many (calls) where wanted, gcoo and gcoo:to_crs");
    candidates.push_back({"lacuna:" + text + problem.ending(),
                          [=] { return std::make_unique<LacunaSpgemm<Problem>>(problem, chosen, which); }});
  }
  return candidates;
}

/// Multiplications of all products, nonzeros of C; every operand of every product once. `problem` has its transposes
/// given.
template <class Problem>
Work spgemm_work(const Problem& problem) {
  using Matrix      = typename Problem::Matrix;
  const auto matter = [](double rows, double nonzeros) {
    return nonzeros * static_cast<double>(sizeof(typename Problem::Scalar) + sizeof(typename Problem::Ordinal)) +
           (rows + 1) * static_cast<double>(sizeof(typename Problem::Offset));
  };
  const auto matter_of = [&](const Matrix& matrix) {
    return matter(static_cast<double>(matrix.numRows()), static_cast<double>(matrix.nnz()));
  };
  Work work;
  double products = 0, nonzeros = 0;
  Matrix left = problem.factors.front().matrix;
  for (const auto& factor : problem.factors)
    work.nonzeros = std::max(work.nonzeros, static_cast<std::int64_t>(factor.matrix.nnz()));
  for (std::size_t i = 1; i < problem.factors.size(); ++i) {
    const Matrix& right = problem.factors[i].matrix;
    const SpgemmPlan plan(problem.exec, left, right);
    products += static_cast<double>(plan.products());
    nonzeros = static_cast<double>(plan.nonzeros());
    work.bytes += matter_of(left) + matter_of(right) + matter(static_cast<double>(plan.rows()), nonzeros);
    if (i + 1 < problem.factors.size()) left = spgemm(problem.exec, left, right);
  }
  work.rows       = static_cast<std::int64_t>(problem.factors.front().matrix.numRows());
  work.columns    = static_cast<std::int64_t>(problem.factors.back().matrix.numCols());
  work.flops      = (is_complex<typename Problem::Scalar> ? 8 : 2) * products;
  work.statistics = {{"products", products}, {"nnz_c", nonzeros}};
  return work;
}

/// The factors, each source read once. Empty where there is no such product; the session then knows why.
template <class Problem>
std::optional<Problem> load_spgemm(Session& session, const SpgemmProduct& product) {
  Problem problem;
  std::map<std::string, typename Problem::Matrix> loaded;
  std::int64_t inner = -1;
  for (const SpgemmFactor& factor : product.factors) {
    const std::string& name = factor.source.name;
    if (loaded.count(name) == 0) {
      const auto matrix = try_load<typename Problem::Matrix>(session, factor.source);
      if (!matrix) return std::nullopt;
      loaded.emplace(name, *matrix);
    }
    const auto& matrix      = loaded.at(name);
    const std::int64_t rows = factor.transposed ? matrix.numCols() : matrix.numRows();
    if (inner >= 0 && inner != rows) {
      session.note_failure(product.name + ": a factor has " + std::to_string(inner) + " columns, the next one " +
                           std::to_string(rows) + " rows");
      return std::nullopt;
    }
    inner = factor.transposed ? matrix.numRows() : matrix.numCols();
    problem.factors.push_back({matrix, factor.transposed ? Op::transpose : Op::none});
  }
  return problem;
}

/// The same problem with transposes as matrices of their own.
template <class Problem>
Problem with_given_transposes(Problem problem) {
  for (auto& factor : problem.factors)
    if (factor.op != Op::none) {
      factor        = {transpose(problem.exec, factor.matrix).matrix, Op::none};
      problem.given = true;
    }
  return problem;
}

template <class Problem>
std::vector<Record> bench_spgemm(Session& session, const std::string& scalar, const SpgemmProduct& product,
                                 const Options& options) {
  const auto problem = load_spgemm<Problem>(session, product);
  if (!problem) return {};
  const Problem given = with_given_transposes(*problem);
  Candidates candidates;
  const auto add = [&](const Problem& added) {
    for (Candidate& candidate : lacuna_spgemm(added, options)) candidates.push_back(std::move(candidate));
    if (!options.rivals) return;
    Problem ordered = added;
    for (const bool right : {false, true}) {
      ordered.right = right;
      if (right && !added.is_triple()) break;
      for (Candidate& rival : spgemm_rivals(ordered))
        if (options.wants_rival(rival.name)) candidates.push_back(std::move(rival));
    }
  };
  add(*problem);
  if (given.given) add(given);
  const SpgemmCheck<Problem> check(given);
  const Work work = spgemm_work(given);
  double best     = 0;  // of the rivals so far
  std::vector<Case> cases;
  for (const Candidate& candidate : candidates) {
    Case item;
    item.operation      = "spgemm";
    item.matrix         = product.name;
    item.scalar         = scalar;
    item.implementation = candidate.name;
    item.work           = work;
    item.measure        = [&, candidate] {
      Effort effort{.timing = {.min_time = options.min_time, .batches = options.repeat, .cold = options.cold}};
      if (!candidate.keep) effort.best = best;
      given.C->reset();
      release_memory_pool();  // of other candidates
      Measurement measurement = measure_candidate(
                 given.exec, candidate, effort, [] {}, check);
      given.C->reset();
      const bool is_whole = candidate.name.find(":reuse") == std::string::npos;
      if (is_whole && !candidate.name.starts_with("lacuna:")) best = better_of(best, measurement);
      return measurement;
    };
    cases.push_back(std::move(item));
  }
  return session.run(std::move(cases));
}

}  // namespace lacuna::bench

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Bench_Diagonal.hpp>
#include <diagonal/Bench_DiagonalOnHost.hpp>
#include <diagonal/Bench_DiagonalProblem.hpp>
#include <support/Bench_Measure.hpp>
#include <support/Bench_Random.hpp>

#include <Lacuna_Diagonal.hpp>
#include <Lacuna_Spmv.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

namespace lacuna::bench {

namespace {

using Hm  = HmMatrix<double, int, Device, int>;
using Cdm = CdmMatrix<double, int, Device, int>;

DiagonalAlgorithm find_algorithm(const std::string& text) {
  std::string known;
  for (const DiagonalAlgorithm algorithm : diagonal_algorithms) {
    if (text == name(algorithm)) return algorithm;
    known += (known.empty() ? "" : ", ") + std::string(name(algorithm));
  }
  throw std::runtime_error("--algorithm " + text + ": there are all, " + known);
}

std::vector<DiagonalAlgorithm> find_algorithms(const std::vector<std::string>& texts) {
  std::vector<DiagonalAlgorithm> found;
  for (const std::string& text : texts)
    if (text == "all")
      found.insert(found.end(), diagonal_algorithms.begin(), diagonal_algorithms.end());
    else
      found.push_back(find_algorithm(text));
  if (found.empty()) found = {DiagonalAlgorithm::automatic};
  return found;
}

/// One of ours, into a C that is there.
template <class Format>
class LacunaDiagonal final : public Implementation {
 public:
  LacunaDiagonal(const ExecutionSpace& exec, const Format& A, const Format& B, const Format& C,
                 DiagonalAlgorithm algorithm)
      : m_exec(exec), m_A(A), m_B(B), m_C(C), m_algorithm(algorithm) {}

  void setup() override { m_plan.emplace(m_exec, Op::none, m_A, Op::none, m_B, m_C, DiagonalOptions{m_algorithm}); }
  void clear() override { m_plan.reset(); }
  void run() override { gemm(m_exec, *m_plan, 1.0, m_A, m_B, 0.0, m_C); }
  std::int64_t persistent_bytes() const override { return static_cast<std::int64_t>(m_plan->persistent_bytes()); }
  std::string report() const override { return m_plan->report(); }
  std::string label() const override {
    if (m_algorithm != DiagonalAlgorithm::automatic) return {};
    return std::string(name(m_plan->algorithm()));
  }
  void poison() { Kokkos::deep_copy(m_exec, m_C.list, std::numeric_limits<double>::quiet_NaN()); }
  void apply(const DiagonalVector& x, const DiagonalVector& y) { spmv(m_exec, 1.0, to_crs(m_exec, m_C), x, 0.0, y); }

 private:
  ExecutionSpace m_exec;
  Format m_A, m_B, m_C;
  DiagonalAlgorithm m_algorithm;
  std::optional<DiagonalPlan<Format>> m_plan;
};

template <class Format>
HostDiagonals host_diagonals(const Format& X) {
  HostDiagonals host;
  host.n = X.rows;
  host.offsets.assign(X.host_Ds.data(), X.host_Ds.data() + X.host_Ds.extent(0));
  std::int64_t start = 0;
  for (const std::int64_t offset : host.offsets) {
    host.starts.push_back(start);
    start += std::is_same_v<Format, Hm> ? host.n - std::abs(offset) : host.n;
  }
  const auto list = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), X.list);
  host.list.assign(list.data(), list.data() + list.extent(0));
  return host;
}

/// One core of the host, or all.
template <class Format>
class HostDiagonal final : public Implementation {
 public:
  using Multiply = void (*)(const HostDiagonals&, const HostDiagonals&, HostDiagonals&);

  HostDiagonal(const ExecutionSpace& exec, const Format& A, const Format& B, const Format& C, Multiply multiply)
      : m_exec(exec),
        m_result(C),
        m_A(host_diagonals(A)),
        m_B(host_diagonals(B)),
        m_C(host_diagonals(C)),
        m_multiply(multiply) {}

  bool has_setup() const override { return false; }
  void run() override { m_multiply(m_A, m_B, m_C); }
  void apply(const DiagonalVector& x, const DiagonalVector& y) {
    const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> list(m_C.list.data(), m_C.list.size());
    Kokkos::deep_copy(m_result.list, list);
    spmv(m_exec, 1.0, to_crs(m_exec, m_result), x, 0.0, y);
  }

 private:
  ExecutionSpace m_exec;
  Format m_result;
  HostDiagonals m_A, m_B, m_C;
  Multiply m_multiply;
};

constexpr double most_sequential_flops = 4e9, most_openmp_flops = 5e10;

template <class Own>
DiagonalCandidate candidate(std::string name, std::function<std::unique_ptr<Own>()> make, bool slow) {
  DiagonalCandidate made;
  made.candidate.name = std::move(name);
  made.candidate.make = [make = std::move(make)] { return std::unique_ptr<Implementation>(make()); };
  made.apply          = [](Implementation& implementation, const DiagonalVector& x, const DiagonalVector& y) {
    static_cast<Own&>(implementation).apply(x, y);
  };
  made.slow = slow;
  return made;
}

template <class Format>
void add_candidates(std::vector<DiagonalCandidate>& candidates, const ExecutionSpace& exec, const Format& A,
                    const Format& B, double flops, const Options& options) {
  constexpr bool is_hm = std::is_same_v<Format, Hm>;
  const char* ending   = is_hm ? "" : "+cdm";
  const Format C       = gemm(exec, Op::none, A, Op::none, B);
  for (const DiagonalAlgorithm algorithm : find_algorithms(options.algorithms))
    candidates.push_back(candidate<LacunaDiagonal<Format>>(
        "lacuna:" + std::string(name(algorithm)) + ending,
        [=] {
          auto made = std::make_unique<LacunaDiagonal<Format>>(exec, A, B, C, algorithm);
          made->poison();
          return made;
        },
        false));
  using Host           = HostDiagonal<Format>;
  const auto add_rival = [&](const char* name, typename Host::Multiply multiply, bool slow) {
    candidates.push_back(candidate<Host>(
        name, [=] { return std::make_unique<Host>(exec, A, B, C, multiply); }, slow));
  };
  // What would take longer than all else together is left out.
  if (options.rivals && flops <= most_sequential_flops)
    add_rival(is_hm ? "sequential:hm" : "sequential:cdm", is_hm ? sequential_hm : sequential_cdm, true);
  if (options.rivals && openmp_threads() > 0 && flops <= most_openmp_flops)
    add_rival(is_hm ? "openmp:hm" : "openmp:cdm", is_hm ? openmp_hm : openmp_cdm, flops > most_sequential_flops);
}

struct WorstOf {
  DiagonalVector y, reference;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& worst) const {
    const double error = Kokkos::abs(y(i) - reference(i));
    if (!(error <= worst)) worst = error == error ? error : 1e300;
  }
};
struct LargestOf {
  DiagonalVector y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    largest = Kokkos::max(largest, Kokkos::abs(y(i)));
  }
};

}  // namespace

std::vector<Record> bench_diagonal(Session& session, const DiagonalWorkload& workload, const Options& options) {
  const ExecutionSpace exec;
  const auto n = static_cast<int>(workload.n);
  const Hm A = make_hm<Hm>(exec, n, n, workload.a), B = make_hm<Hm>(exec, n, n, workload.b);
  fill_random(exec, A.list, 1);
  fill_random(exec, B.list, 2);
  const DiagonalCrs a = to_crs(exec, A), b = to_crs(exec, B);
  Work work;
  work.rows = work.columns = n;
  for (const std::int64_t e : workload.a)
    for (const std::int64_t f : workload.b)
      work.flops += 2.0 * static_cast<double>(
                              std::max<std::int64_t>(0, std::min({workload.n, workload.n - e, workload.n - e - f}) -
                                                            std::max<std::int64_t>({0, -e, -e - f})));
  std::vector<DiagonalCandidate> candidates;
  add_candidates(candidates, exec, A, B, work.flops, options);
  add_candidates(candidates, exec, to_cdm(exec, a, {.fill_limit = 0}), to_cdm(exec, b, {.fill_limit = 0}), work.flops,
                 options);
#if defined(KOKKOS_ENABLE_CUDA)
  if (options.rivals)
    for (DiagonalCandidate& rival : cuda_diagonal_rivals(exec, a, b)) candidates.push_back(std::move(rival));
#endif

  // A product is right where it multiplies a random vector as A and B do, one after the other.
  const DiagonalVector x("Lacuna::bench::x", n), y("Lacuna::bench::y", n), between("Lacuna::bench::between", n),
      reference("Lacuna::bench::reference", n);
  fill_random(exec, x, 3);
  spmv(exec, 1.0, b, x, 0.0, between);
  spmv(exec, 1.0, a, between, 0.0, reference);
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  double size  = 0;
  Kokkos::parallel_reduce("Lacuna::bench::largest", Policy(exec, 0, n), LargestOf{reference},
                          Kokkos::Max<double>(size));

  double elements = 0;
  for (const std::int64_t d : product_diagonals(Op::none, A, Op::none, B))
    elements += static_cast<double>(workload.n - std::abs(d));
  work.nonzeros   = static_cast<std::int64_t>(elements);
  work.bytes      = 8 * (elements + static_cast<double>(A.list.extent(0) + B.list.extent(0)));
  work.statistics = {{"diagonals_a", static_cast<double>(workload.a.size())},
                     {"diagonals_b", static_cast<double>(workload.b.size())}};

  std::vector<Case> cases;
  for (const DiagonalCandidate& each : candidates) {
    Case item;
    item.operation      = "diagonal";
    item.matrix         = workload.name;
    item.scalar         = "double";
    item.implementation = each.candidate.name;
    item.work           = work;
    item.measure        = [&, each] {
      Implementation* made = nullptr;
      Candidate kept       = each.candidate;
      kept.make            = [&] {
        auto implementation = each.candidate.make();
        made                = implementation.get();
        return implementation;
      };
      const auto check = [&] {
        Kokkos::deep_copy(exec, y, std::numeric_limits<double>::quiet_NaN());
        each.apply(*made, x, y);
        double worst = 0;
        Kokkos::parallel_reduce("Lacuna::bench::worst", Policy(exec, 0, n), WorstOf{y, reference},
                                       Kokkos::Max<double>(worst));
        ErrorOfResult error;
        error.relative = worst / (size > 0 ? size : 1);
        error.wrong    = !(error.relative < 1e-11);
        return error;
      };
      Effort effort{.timing = {.min_time = options.min_time, .batches = options.repeat, .cold = options.cold}};
      if (each.slow) effort.timing = {.min_time = 0, .batches = 1};
      return measure_candidate(
                 exec, kept, effort, [] {}, check);
    };
    cases.push_back(std::move(item));
  }
  return session.run(std::move(cases));
}

}  // namespace lacuna::bench

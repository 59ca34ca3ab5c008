// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Bench_Diagonal.hpp>
#include <diagonal/Bench_DiagonalOnHost.hpp>
#include <diagonal/Bench_DiagonalProblem.hpp>
#include <support/Bench_Measure.hpp>
#include <support/Bench_Random.hpp>

#include <Lacuna_Diagonal.hpp>
#include <Lacuna_Spmv.hpp>
#include <Lacuna_Transpose.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

namespace lacuna::bench {

namespace {

using Hm  = HmMatrix<double, int, Device, int>;
using Cdm = CdmMatrix<double, int, Device, int>;

/// An algorithm as it was asked for.
struct Asked {
  std::string name;
  DiagonalOptions options;
};

DiagonalAlgorithm find_algorithm(const std::string& text) {
  std::string known;
  for (const DiagonalAlgorithm algorithm : diagonal_algorithms) {
    if (text == name(algorithm)) return algorithm;
    known += (known.empty() ? "" : ", ") + std::string(name(algorithm));
  }
  throw std::runtime_error("--algorithm " + text + ": there are all, " + known +
                           ", tiles:tile=T and entries_by_case:threads=K");
}

/// `tiles`, `tiles:tile=8`, `entries_by_case:threads=13`.
Asked parse_algorithm(const std::string& text) {
  const std::size_t colon = text.find(':');
  Asked asked{text, {find_algorithm(text.substr(0, colon))}};
  if (colon == std::string::npos) return asked;
  const std::size_t equals = text.find('=', colon);
  const std::string key    = text.substr(colon + 1, equals - colon - 1);
  int number               = 0;
  const char* const end    = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data() + std::min(equals, text.size() - 1) + 1, end, number);
  const bool is_number     = error == std::errc() && last == end;
  if (is_number && key == "tile" && asked.options.algorithm == DiagonalAlgorithm::tiles)
    asked.options.tile = number;
  else if (is_number && key == "threads" && asked.options.algorithm == DiagonalAlgorithm::entries_by_case)
    asked.options.threads_per_entry = number;
  else
    throw std::runtime_error("--algorithm " + text + ": there are tiles:tile=T and entries_by_case:threads=K");
  return asked;
}

std::vector<Asked> find_algorithms(const std::vector<std::string>& texts) {
  std::vector<Asked> found;
  for (const std::string& text : texts)
    if (text == "all")
      for (const DiagonalAlgorithm algorithm : diagonal_algorithms)
        found.push_back({std::string(name(algorithm)), {algorithm}});
    else
      found.push_back(parse_algorithm(text));
  if (found.empty()) found.push_back({"automatic", {}});
  return found;
}

/// The forms of A and B in each product; `symmetric`: of A and its own transpose, or of both orders.
struct Forms {
  Op a = Op::none, b = Op::none;
  bool syrk = false, syr2k = false;

  explicit Forms(DiagonalProduct product)
      : a(product == DiagonalProduct::atb ? Op::transpose : Op::none),
        b(product == DiagonalProduct::ab || product == DiagonalProduct::atb ? Op::none : Op::transpose),
        syrk(product == DiagonalProduct::syrk),
        syr2k(product == DiagonalProduct::syr2k) {}
  bool symmetric() const { return syrk || syr2k; }
};

/// One of ours, into a C that is there.
template <class Format>
class LacunaDiagonal final : public Implementation {
 public:
  LacunaDiagonal(const ExecutionSpace& exec, const Forms& forms, const Format& A, const Format& B, const Format& C,
                 const DiagonalOptions& options)
      : m_exec(exec), m_forms(forms), m_A(A), m_B(B), m_C(C), m_options(options) {}

  bool has_setup() const override { return !m_forms.symmetric(); }
  bool can_be_captured() const override { return !m_forms.symmetric(); }  // without a plan `strips` allocates
  void setup() override {
    if (!m_forms.symmetric()) m_plan.emplace(m_exec, m_forms.a, m_A, m_forms.b, m_B, m_C, m_options);
  }
  void clear() override { m_plan.reset(); }
  void run() override {
    if (m_forms.syrk)
      syrk(m_exec, 1.0, Op::none, m_A, 0.0, m_C, m_options);
    else if (m_forms.syr2k)
      syr2k(m_exec, 1.0, Op::none, m_A, m_B, 0.0, m_C, m_options);
    else
      gemm(m_exec, *m_plan, 1.0, m_A, m_B, 0.0, m_C);
  }
  std::int64_t persistent_bytes() const override {
    return m_plan ? static_cast<std::int64_t>(m_plan->persistent_bytes()) : 0;
  }
  std::string report() const override { return m_plan ? m_plan->report() : std::string(); }
  std::string label() const override {
    if (m_options.algorithm != DiagonalAlgorithm::automatic || !m_plan) return {};
    return std::string(name(m_plan->algorithm()));
  }
  void poison() { Kokkos::deep_copy(m_exec, m_C.list, std::numeric_limits<double>::quiet_NaN()); }
  void apply(const DiagonalVector& x, const DiagonalVector& y) { spmv(m_exec, 1.0, to_crs(m_exec, m_C), x, 0.0, y); }

 private:
  ExecutionSpace m_exec;
  Forms m_forms;
  Format m_A, m_B, m_C;
  DiagonalOptions m_options;
  std::optional<DiagonalPlan<Format>> m_plan;
};

template <class Format>
HostDiagonals host_diagonals(const Format& X, Op op) {
  constexpr bool is_hm = std::is_same_v<Format, Hm>;
  HostDiagonals host;
  host.n             = X.rows;
  host.by_column     = !is_hm && op != Op::none;
  std::int64_t start = 0;
  for (std::size_t d = 0; d < X.host_Ds.extent(0); ++d) {
    const std::int64_t stored = X.host_Ds(d);
    host.offsets.push_back(op == Op::none ? stored : is_hm || stored == 0 ? -stored : host.n - stored);
    host.starts.push_back(start);
    start += is_hm ? host.n - std::abs(stored) : host.n;
  }
  const auto list = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), X.list);
  host.list.assign(list.data(), list.data() + list.extent(0));
  return host;
}

/// One core of the host, or as many threads as are fastest.
template <class Format>
class HostDiagonal final : public Implementation {
 public:
  HostDiagonal(const ExecutionSpace& exec, const Forms& forms, const Format& A, const Format& B, const Format& C,
               HostMultiply multiply, bool threads)
      : m_exec(exec),
        m_result(C),
        m_A(host_diagonals(A, forms.a)),
        m_B(host_diagonals(forms.syrk ? A : B, forms.b)),
        m_C(host_diagonals(C, Op::none)),
        m_multiply(multiply) {
    if (forms.syr2k) m_other = {host_diagonals(B, Op::none), host_diagonals(A, Op::transpose)};
    if (threads) m_threads = fastest_openmp_threads(multiply, m_A, m_B, m_C);
  }

  bool has_setup() const override { return false; }
  void run() override {
    m_multiply(m_A, m_B, m_C, {.threads = m_threads});
    if (!m_other.empty()) m_multiply(m_other[0], m_other[1], m_C, {.adds = true, .threads = m_threads});
  }
  std::string label() const override { return m_threads > 1 ? std::to_string(m_threads) + " threads" : std::string(); }
  void apply(const DiagonalVector& x, const DiagonalVector& y) {
    const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> list(m_C.list.data(), m_C.list.size());
    Kokkos::deep_copy(m_result.list, list);
    spmv(m_exec, 1.0, to_crs(m_exec, m_result), x, 0.0, y);
  }

 private:
  ExecutionSpace m_exec;
  Format m_result;
  HostDiagonals m_A, m_B, m_C;
  std::vector<HostDiagonals> m_other;  ///< B and A', of the second product of two
  HostMultiply m_multiply;
  int m_threads = 1;
};

constexpr double most_sequential_flops = 2e10, most_openmp_flops = 5e10;

template <class Own>
DiagonalCandidate candidate(std::string name, std::function<std::unique_ptr<Own>()> make, bool on_host) {
  DiagonalCandidate made;
  made.candidate.name = std::move(name);
  made.candidate.make = [make = std::move(make)] { return std::unique_ptr<Implementation>(make()); };
  made.apply          = [](Implementation& implementation, const DiagonalVector& x, const DiagonalVector& y) {
    static_cast<Own&>(implementation).apply(x, y);
  };
  made.on_host = on_host;
  return made;
}

/// A new C of 0 with the diagonals of the product.
template <class Format>
Format result_of_product(const ExecutionSpace& exec, const Forms& forms, const Format& A, const Format& B) {
  const auto diagonals = forms.syrk    ? syrk_diagonals(Op::none, A)
                         : forms.syr2k ? syr2k_diagonals(Op::none, A, B)
                                       : product_diagonals(forms.a, A, forms.b, B);
  if constexpr (std::is_same_v<Format, Hm>)
    return make_hm<Hm>(exec, A.rows, A.rows, diagonals);
  else
    return make_cdm<Cdm>(exec, A.rows, diagonals);
}

template <class Format>
void add_candidates(std::vector<DiagonalCandidate>& candidates, const ExecutionSpace& exec, const Forms& forms,
                    const Format& A, const Format& B, double flops, const Options& options) {
  constexpr bool is_hm = std::is_same_v<Format, Hm>;
  const char* ending   = is_hm ? "" : "+cdm";
  const Format C       = result_of_product(exec, forms, A, B);
  for (const Asked& asked : find_algorithms(options.algorithms))
    candidates.push_back(candidate<LacunaDiagonal<Format>>(
        "lacuna:" + asked.name + ending,
        [=] {
          auto made = std::make_unique<LacunaDiagonal<Format>>(exec, forms, A, B, C, asked.options);
          made->poison();
          return made;
        },
        false));
  using Host           = HostDiagonal<Format>;
  const auto add_rival = [&](const char* name, HostMultiply multiply, bool threads) {
    candidates.push_back(candidate<Host>(
        name, [=] { return std::make_unique<Host>(exec, forms, A, B, C, multiply, threads); }, true));
  };
  // What would take longer than all else together is left out.
  if (options.rivals && flops <= most_sequential_flops)
    add_rival(is_hm ? "sequential:hm" : "sequential:cdm", is_hm ? sequential_hm : sequential_cdm, false);
  if (options.rivals && openmp_threads() > 0 && flops <= most_openmp_flops)
    add_rival(is_hm ? "openmp:hm" : "openmp:cdm", is_hm ? openmp_hm : openmp_cdm, true);
}

/// Multiply-adds count as two; of both products where there are two.
double flops_of(const DiagonalWorkload& workload, const Forms& forms) {
  const auto turned = [](std::vector<std::int64_t> offsets, Op op) {
    if (op != Op::none)
      for (std::int64_t& offset : offsets) offset = -offset;
    return offsets;
  };
  double flops         = 0;
  const std::int64_t n = workload.n;
  for (const std::int64_t e : turned(workload.a, forms.a))
    for (const std::int64_t f : turned(forms.syrk ? workload.a : workload.b, forms.b))
      flops += 2.0 * static_cast<double>(std::max<std::int64_t>(
                         0, std::min({n, n - e, n - e - f}) - std::max<std::int64_t>({0, -e, -e - f})));
  return forms.syr2k ? 2 * flops : flops;
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
  const Forms forms(workload.product);
  const DiagonalCrs a = to_crs(exec, A), b = to_crs(exec, B);
  const auto stored      = [&](const DiagonalCrs& X, Op op) { return op == Op::none ? X : transpose(exec, X).matrix; };
  const DiagonalCrs op_a = stored(a, forms.a), op_b = stored(forms.syrk ? a : b, forms.b);
  Work work;
  work.rows = work.columns = n;
  work.flops               = flops_of(workload, forms);
  std::vector<DiagonalCandidate> candidates;
  add_candidates(candidates, exec, forms, A, B, work.flops, options);
  add_candidates(candidates, exec, forms, to_cdm(exec, a, {.fill_limit = 0}), to_cdm(exec, b, {.fill_limit = 0}),
                 work.flops, options);
#if defined(KOKKOS_ENABLE_CUDA)
  if (options.rivals && !forms.syr2k)
    for (DiagonalCandidate& rival : cuda_diagonal_rivals(exec, op_a, op_b)) candidates.push_back(std::move(rival));
#endif

  // A product is right where it multiplies a random vector as A and B do, one after the other.
  const DiagonalVector x("Lacuna::bench::x", n), y("Lacuna::bench::y", n), between("Lacuna::bench::between", n),
      reference("Lacuna::bench::reference", n);
  fill_random(exec, x, 3);
  spmv(exec, 1.0, op_b, x, 0.0, between);
  spmv(exec, 1.0, op_a, between, 0.0, reference);
  if (forms.syr2k) {
    spmv(exec, 1.0, stored(a, Op::transpose), x, 0.0, between);
    spmv(exec, 1.0, b, between, 1.0, reference);
  }
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  double size  = 0;
  Kokkos::parallel_reduce("Lacuna::bench::largest", Policy(exec, 0, n), LargestOf{reference},
                          Kokkos::Max<double>(size));

  const auto elements = static_cast<double>(result_of_product(exec, forms, A, B).list.extent(0));
  work.nonzeros       = static_cast<std::int64_t>(elements);
  work.bytes          = 8 * (elements + static_cast<double>(A.list.extent(0) + B.list.extent(0)));
  work.statistics     = {{"diagonals_a", static_cast<double>(workload.a.size())},
                         {"diagonals_b", static_cast<double>(workload.b.size())}};

  std::vector<Case> cases;
  for (const DiagonalCandidate& each : candidates) {
    Case item;
    item.operation      = diagonal_operation(workload.product);
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
      if (each.on_host) {
        effort.timing.batches = std::min(options.repeat, 5);
        effort.only_call      = 0.2;
      }
      return measure_candidate(
                 exec, kept, effort, [] {}, check);
    };
    cases.push_back(std::move(item));
  }
  return session.run(std::move(cases));
}

}  // namespace lacuna::bench

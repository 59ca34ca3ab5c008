// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMSEARCH_HPP
#define LACUNA_SPMMSEARCH_HPP

#include <core/impl/Lacuna_TuningFile.hpp>
#include <kernels/shared/Lacuna_PlanStorage.hpp>
#include <kernels/spmm/impl/Lacuna_SpmmTuningKey.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmArguments.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// \file
/// \brief The search that `SpmmOptions::autotune` asks for: every algorithm that can serve, in its shapes, timed on the
/// device with the matrix itself.

namespace lacuna::Impl {

struct SpmmSearchPolicy {
  /// A shape that takes so many times as long as the best so far is given up after two calls; where that is an
  /// algorithm's own one, its other shapes are not tried. gcoo's shapes are within 1.8 times of each other (H200,
  /// November 2026).
  static constexpr double give_up = 2;
  /// The least of so many batches counts, each of about so many seconds.
  static constexpr int batches          = 3;
  static constexpr double batch_seconds = 0.5e-3;
  static constexpr int most_calls       = 50;  ///< of a batch
};

/// Fills with ones.
template <class Scalar>
struct SpmmOnes {
  Scalar* values;
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const { values[i] = static_cast<Scalar>(1.0f); }
};

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
class SpmmSearch {
  using List       = typename Operation::Algorithms;
  using Request    = typename Operation::Request;
  using Storage    = typename StorageVariant<List, Matrix, ExecutionSpace>::type;
  using Context    = BuildContext<Operation, Matrix, ExecutionSpace>;
  using Inspect    = Inspector<Operation, SharedCrs<Matrix>, ExecutionSpace>;
  using Scalar     = typename Matrix::non_const_value_type;
  using Room       = Kokkos::View<Scalar*, typename ExecutionSpace::memory_space>;
  using Policy     = SpmmSearchPolicy;
  using Arithmetic = typename SpmmArguments<Scalar>::Arithmetic;

 public:
  SpmmSearch(const ExecutionSpace& exec, const Operand<Matrix>& A, const Device& device, const Request& request,
             MemoryBudget& budget)
      : m_exec(exec), m_A(A), m_device(device), m_request(request), m_budget(budget), m_held(budget.used()) {}

  /// Builds `storage` of what the file names or the search finds best. False where there is nothing to time, or no room
  /// for it, or nothing is known of a deterministic plan: nothing is built then.
  bool run(Choice<List::size>& choice, Storage& storage) {
    look(choice);
    if (m_found.nonzeros == 0 || m_found.columns == 0 || m_request.columns == 0)
      return without("nothing to time in an empty product");
    TuningFile file(TuningFile::default_path());
    m_key = spmm_tuning_key(m_exec, m_found, m_request, types_text());
    if (const auto entry = file.find(m_key)) {
      if (take(entry->pick, choice, storage)) {
        say(entry->pick + ", " + time_text(entry->seconds) + " a product: found in " + file.path() +
            remark_text(file.remark()));
        return true;
      }
      m_note += file.path() + " names \"" + entry->pick + "\", which does not serve here; ";
    }
    if (m_request.deterministic)
      return without("a deterministic plan is not searched for, and " +
                     (file.path().empty() ? std::string("there is no file") : file.path() + " holds none") +
                     remark_text(file.remark()));
    const std::optional<Trial> best = search();
    if (!best) return without("nothing could be timed" + m_why);
    const bool is_built = build(*best, storage);
    if (!is_built) return without("what was found best could not be built again");
    settle(choice, best->index);
    const bool is_kept = file.keep(m_key, {pick_text(*best), best->seconds});
    say(pick_text(*best) + ", " + time_text(best->seconds) + " a product: the best of " + std::to_string(m_tried) +
        " tried" + (is_kept ? ", kept in " + file.path() : ", not kept") +
        (file.path().empty() ? ": neither LACUNA_TUNING_FILE nor HOME is set" : "") + remark_text(file.remark()));
    return true;
  }

  /// A line for the plan's report.
  const std::string& report() const { return m_report; }

 private:
  struct Trial {
    std::size_t index = List::size;
    SpmmShape shape;
    double seconds = std::numeric_limits<double>::infinity();
    double set_up  = 0;

    double total(std::int64_t calls) const { return set_up + static_cast<double>(calls) * seconds; }
  };

  /// "real4, indices 4 and 8": bytes.
  static std::string types_text() {
    const ScalarProperties scalar = scalar_properties<Scalar>();
    const bool is_bhalf           = std::is_same_v<Scalar, Kokkos::Experimental::bhalf_t>;
    const std::string kind        = scalar.kind == ScalarKind::complex ? "complex"
                                    : scalar.kind == ScalarKind::real  ? "real"
                                    : is_bhalf                         ? "bfloat"
                                                                       : "half";
    return kind + std::to_string(scalar.bytes) + ", indices " +
           std::to_string(sizeof(typename Matrix::non_const_ordinal_type)) + " and " +
           std::to_string(sizeof(typename Matrix::non_const_size_type));
  }
  static std::string remark_text(const std::string& remark) { return remark.empty() ? "" : " (" + remark + ")"; }

  void say(const std::string& text) { m_report = "  tuning      " + m_note + text + "\n"; }
  bool without(const std::string& why) {
    m_budget.give_back(m_budget.used() - m_held);
    say("not by the clock: " + why);
    return false;
  }

  /// What all estimates need, and the estimates.
  void look(Choice<List::size>& choice) {
    Inspect inspector(m_exec, m_A.crs(), m_device, m_request);
    List::for_each([&]<class Algorithm>(std::size_t) {
      if (can_be_asked<Algorithm>()) look_at(inspector, Algorithm::needs);
    });
    if (Operation::looks_at(Stage::clusters) &&
        worth_a_look<List>(Stage::clusters, m_device, inspector.found(), m_request, m_budget.left()))
      look_at(inspector, Stage::clusters);
    m_found = inspector.found();
    inspector.release(m_budget);
    choice = choose<List>(m_device, m_found, m_request, m_budget.left());
    List::for_each([&]<class Algorithm>(std::size_t i) {
      const Candidate& candidate = choice.candidates[i];
      if (!can_be_asked<Algorithm>()) return;
      const bool may_run = m_request.asks_for(Algorithm::id) ||
                           (candidate.fits && candidate.estimate.call_seconds < std::numeric_limits<double>::max());
      if (may_run) m_order.emplace_back(candidate.estimate.call_seconds, i);
    });
    std::sort(m_order.begin(), m_order.end());
  }

  template <class Algorithm>
  bool can_be_asked() const {
    return (m_request.asks_for(SpmmAlgorithm::automatic) || m_request.asks_for(Algorithm::id)) &&
           Algorithm::supports(m_device, m_request);
  }
  void look_at(Inspect& inspector, Stage stage) {
    try {
      inspector.look(m_exec, stage, m_budget);
    } catch (const OutOfMemory&) {
    }
  }

  /// Shapes of an algorithm, that of its policy first.
  std::vector<SpmmShape> shapes_of(std::size_t index) const {
    std::vector<SpmmShape> shapes{SpmmShape{}};
    List::for_each([&]<class Algorithm>(std::size_t i) {
      if (i != index) return;
      if constexpr (requires { Algorithm::shapes(m_device, m_found, m_request); })
        for (const SpmmShape& shape : Algorithm::shapes(m_device, m_found, m_request)) shapes.push_back(shape);
    });
    return shapes;
  }
  static std::string pick_text(const Trial& trial) {
    std::string text;
    List::for_each([&]<class Algorithm>(std::size_t i) {
      if (i == trial.index) text = std::string(name(Algorithm::id)) + trial.shape.text();
    });
    return text;
  }

  /// Builds what a file names, if the search would try it.
  bool take(const std::string& pick, Choice<List::size>& choice, Storage& storage) {
    for (const auto& [seconds, index] : m_order)
      for (const SpmmShape& shape : shapes_of(index)) {
        const Trial trial{index, shape};
        if (pick_text(trial) != pick) continue;
        if (!build(trial, storage)) return false;
        settle(choice, index);
        return true;
      }
    return false;
  }

  /// The choice is what was taken, with what estimates say of it.
  void settle(Choice<List::size>& choice, std::size_t index) const {
    choice.index = index;
    if (m_request.asks_for(SpmmAlgorithm::automatic))
      choice.find_break_even();
    else
      choice.candidates[index].estimate.reason = "asked for";
  }

  /// False where it cannot be built; the budget is as it was then.
  bool build(const Trial& trial, Storage& storage) {
    const std::size_t used = m_budget.used();
    const Request request  = m_request.in(trial.shape);
    Inspect inspector(m_exec, m_A.crs(), m_device, request);
    bool is_built = false;
    try {
      List::for_each([&]<class Algorithm>(std::size_t i) {
        if (i != trial.index) return;
        if (m_found.panels && Algorithm::needs != Stage::lengths) inspector.look(m_exec, Stage::panels, m_budget);
        if (m_found.clusters && Algorithm::needs == Stage::panels) inspector.look(m_exec, Stage::clusters, m_budget);
        inspector.look(m_exec, Algorithm::needs, m_budget);
        const Context context{m_exec, m_A, inspector, m_device, request, m_budget};
        storage.template emplace<typename Algorithm::template Storage<Matrix, ExecutionSpace>>().build(context);
        is_built = true;
      });
      inspector.release(m_budget);
    } catch (const Error& failure) {
      m_why    = std::string(": ") + failure.what();
      is_built = false;
    }
    if (!is_built) m_budget.give_back(m_budget.used() - used);
    return is_built;
  }

  std::optional<Trial> search() {
    const std::int64_t rows = m_found.rows, n = m_request.columns;
    const std::size_t used = m_budget.used();
    Room B, C;
    try {
      B = room(m_found.columns, n);
      C = room(rows, n);
    } catch (const OutOfMemory& failure) {
      m_why = std::string(": ") + failure.what();
      return {};
    }
    for_each_index(m_exec, "Lacuna::spmm::tuning_ones", static_cast<std::int64_t>(B.extent(0)),
                   SpmmOnes<Scalar>{B.data()});
    const SpmmArguments<Scalar, Scalar> arguments{Arithmetic(1), Arithmetic(0), block<const Scalar>(B, m_found.columns),
                                                  block<Scalar>(C, rows)};
    std::optional<Trial> best;
    for (const auto& [seconds, index] : m_order) {
      for (const SpmmShape& shape : shapes_of(index)) {
        Trial trial{index, shape};
        if (!time(trial, arguments, best ? best->seconds : std::numeric_limits<double>::infinity())) continue;
        ++m_tried;
        if (!best || trial.total(m_request.expected_calls) < best->total(m_request.expected_calls)) best = trial;
        if (shape.is_of_the_policy() && trial.seconds > Policy::give_up * best->seconds) break;
      }
    }
    B = {};
    C = {};
    m_budget.give_back(m_budget.used() - used);
    return best;
  }

  Room room(std::int64_t rows, std::int64_t columns) {
    const std::int64_t count = checked_product("SpmmPlan", rows, columns);
    m_budget.take("B and C of a search", checked_bytes(count));
    return allocate<Room>("SpmmPlan", m_exec, "Lacuna::spmm::tuning", count);
  }
  static std::size_t checked_bytes(std::int64_t count) {
    return static_cast<std::size_t>(checked_product("SpmmPlan", count, static_cast<std::int64_t>(sizeof(Scalar))));
  }
  template <class Element>
  DenseBlock<Element> block(const Room& room, std::int64_t rows) const {
    const std::int64_t n = m_request.columns;
    const bool by_column = m_request.b_layout == DenseLayout::column_major;
    return {room.data(), by_column ? 1 : n, by_column ? rows : 1, rows, n};
  }

  /// False where the shape cannot be built.
  bool time(Trial& trial, const SpmmArguments<Scalar, Scalar>& arguments, double best) {
    const std::size_t used = m_budget.used();
    const auto start       = now();
    Storage storage;
    if (!build(trial, storage)) return false;
    m_exec.fence("Lacuna::spmm::tuning: built");
    trial.set_up = seconds_since(start);
    try {
      std::visit(
          [&](const auto& built) {
            if constexpr (requires { built.multiply(m_exec, m_A.arrays(), arguments); })
              trial.seconds = seconds_of_a_call([&] { built.multiply(m_exec, m_A.arrays(), arguments); }, best);
          },
          storage);
    } catch (const Error& failure) {
      m_why = std::string(": ") + failure.what();
    }
    m_exec.fence("Lacuna::spmm::tuning: timed");
    m_budget.give_back(m_budget.used() - used);
    return trial.seconds < std::numeric_limits<double>::max();
  }

  template <class Call>
  double seconds_of_a_call(const Call& call, double best) const {
    const auto batch = [&](int calls) {
      const auto start = now();
      for (int i = 0; i < calls; ++i) call();
      m_exec.fence("Lacuna::spmm::tuning: called");
      return seconds_since(start) / calls;
    };
    batch(1);
    double least = batch(1);
    if (least > Policy::give_up * best) return least;
    const int calls = static_cast<int>(std::clamp(Policy::batch_seconds / least, 1.0, 1.0 * Policy::most_calls));
    for (int i = 0; i < Policy::batches; ++i) least = std::min(least, batch(calls));
    return least;
  }

  static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
  static double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(now() - start).count();
  }

  const ExecutionSpace& m_exec;
  const Operand<Matrix>& m_A;
  const Device& m_device;
  const Request& m_request;
  MemoryBudget& m_budget;
  std::size_t m_held;
  Inspection m_found;
  std::vector<std::pair<double, std::size_t>> m_order;  // by the time that is expected
  std::string m_key, m_note, m_why, m_report;
  int m_tried = 0;
};

}  // namespace lacuna::Impl

#endif

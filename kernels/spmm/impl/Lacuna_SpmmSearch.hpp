// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMSEARCH_HPP
#define LACUNA_SPMMSEARCH_HPP

#include <core/impl/files/Lacuna_TuningFile.hpp>
#include <kernels/spmm/impl/Lacuna_SpmmTrialTimer.hpp>
#include <kernels/spmm/impl/Lacuna_SpmmTrials.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

/// \file
/// \brief The search that `SpmmOptions::autotune` asks for: every algorithm that can serve, in its shapes, timed on the
/// device with the matrix itself.

namespace lacuna::Impl {

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
class SpmmSearch {
  using List    = typename Operation::Algorithms;
  using Request = typename Operation::Request;
  using Trials  = SpmmTrials<Operation, Matrix, ExecutionSpace>;
  using Storage = typename Trials::Storage;
  using Scalar  = typename Matrix::non_const_value_type;
  using Timer   = SpmmTrialTimer<Scalar, Request, ExecutionSpace>;

 public:
  SpmmSearch(const ExecutionSpace& exec, const Operand<Matrix>& A, const Device& device, const Request& request,
             MemoryBudget& budget)
      : m_exec(exec),
        m_A(A),
        m_request(request),
        m_budget(budget),
        m_held(budget.used()),
        m_trials(exec, A, device, request, budget) {}

  /// Builds `storage` as the file says or as the search finds best. Returns false, and builds nothing, where there is
  /// nothing to time, where memory does not suffice, or where the plan is deterministic and the file has no line for
  /// it.
  bool run(Choice<List::size>& choice, Storage& storage) {
    m_trials.inspect(choice);
    if (inspection().nonzeros == 0 || inspection().columns == 0 || m_request.columns == 0)
      return without("nothing to time in an empty product");
    TuningFile file(TuningFile::default_path());
    m_key = spmm_tuning_key(m_exec, inspection(), m_request, types_text());
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
    const std::optional<SpmmTrial> best = search();
    if (!best) return without("nothing could be timed" + m_why);
    const bool is_built = m_trials.build(*best, storage);
    if (!is_built) return without("what was found best could not be built again");
    settle(choice, best->index);
    const bool is_kept = file.keep(m_key, {Trials::pick_text(*best), best->seconds});
    say(Trials::pick_text(*best) + ", " + time_text(best->seconds) + " a product: the best of " +
        std::to_string(m_tried) + " tried" + (is_kept ? ", kept in " + file.path() : ", not kept") +
        (file.path().empty() ? ": neither LACUNA_TUNING_FILE nor HOME is set" : "") + remark_text(file.remark()));
    return true;
  }

  /// A line for the plan's report.
  const std::string& report() const { return m_report; }

 private:
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

  /// Builds what a file names, if the search would try it.
  bool take(const std::string& pick, Choice<List::size>& choice, Storage& storage) {
    for (const auto& [seconds, index] : m_trials.order())
      for (const SpmmShape& shape : m_trials.shapes_of(index)) {
        const SpmmTrial trial{index, shape};
        if (Trials::pick_text(trial) != pick) continue;
        if (!m_trials.build(trial, storage)) return false;
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

  std::optional<SpmmTrial> search() {
    const std::size_t used = m_budget.used();
    std::optional<SpmmTrial> best;
    try {
      const Timer timer(m_exec, inspection().rows, inspection().columns, m_request, m_budget);
      for (const auto& [seconds, index] : m_trials.order()) try_shapes(index, timer, best);
    } catch (const OutOfMemory& failure) {
      m_why = std::string(": ") + failure.what();
    }
    m_budget.give_back(m_budget.used() - used);
    return best;
  }
  void try_shapes(std::size_t index, const Timer& timer, std::optional<SpmmTrial>& best) {
    for (const SpmmShape& shape : m_trials.shapes_of(index)) {
      SpmmTrial trial{index, shape};
      if (!time(trial, timer, best ? best->seconds : std::numeric_limits<double>::infinity())) continue;
      ++m_tried;
      if (!best || trial.total(expected_calls(m_request)) < best->total(expected_calls(m_request))) best = trial;
      if (shape.is_of_the_policy() && trial.seconds > SpmmTimingPolicy::give_up * best->seconds) break;
    }
  }

  /// False where the shape cannot be built.
  bool time(SpmmTrial& trial, const Timer& timer, double best) {
    const std::size_t used = m_budget.used();
    const auto start       = Timer::Clock::now();
    Storage storage;
    if (!m_trials.build(trial, storage)) {
      m_why = m_trials.why();
      return false;
    }
    m_exec.fence("Lacuna::spmm::tuning: built");
    trial.set_up = Timer::seconds_since(start);
    try {
      std::visit(
          [&](const auto& built) {
            if constexpr (requires { built.multiply(m_exec, m_A.arrays(), typename Timer::Arguments{}); })
              trial.seconds = timer.seconds(
                  [&](const auto& arguments) { multiply_by(built, m_exec, m_A.arrays(), arguments); }, best);
          },
          storage);
    } catch (const Error& failure) {
      m_why = std::string(": ") + failure.what();
    }
    m_exec.fence("Lacuna::spmm::tuning: timed");
    m_budget.give_back(m_budget.used() - used);
    return trial.seconds < std::numeric_limits<double>::max();
  }

  const Inspection& inspection() const { return m_trials.inspection(); }

  const ExecutionSpace& m_exec;
  const Operand<Matrix>& m_A;
  const Request& m_request;
  MemoryBudget& m_budget;
  std::size_t m_held;
  Trials m_trials;
  std::string m_key, m_note, m_why, m_report;
  int m_tried = 0;
};

}  // namespace lacuna::Impl

#endif

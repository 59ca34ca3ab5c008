// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTRIALS_HPP
#define LACUNA_SPMMTRIALS_HPP

#include <kernels/plan/Lacuna_BuildContext.hpp>
#include <kernels/plan/Lacuna_PlanStorage.hpp>
#include <kernels/spmm/impl/Lacuna_SpmmTuningKey.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief What a search can try: algorithms in their shapes, and how a plan's storage is made of one.

namespace lacuna::Impl {

struct SpmmTrial {
  std::size_t index = 0;  ///< of the algorithm in the operation's list
  SpmmShape shape;
  double seconds = std::numeric_limits<double>::infinity();
  double set_up  = 0;

  double total(std::int64_t calls) const { return set_up + static_cast<double>(calls) * seconds; }
};

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
class SpmmTrials {
  using List    = typename Operation::Algorithms;
  using Request = typename Operation::Request;
  using Context = BuildContext<Operation, Matrix, ExecutionSpace>;
  using Inspect = Inspector<Operation, SharedCrs<Matrix>, ExecutionSpace>;

 public:
  using Storage = typename StorageVariant<List, Matrix, ExecutionSpace>::type;

  SpmmTrials(const ExecutionSpace& exec, const Operand<Matrix>& A, const Device& device, const Request& request,
             MemoryBudget& budget)
      : m_exec(exec), m_A(A), m_device(device), m_request(request), m_budget(budget) {}

  /// What all estimates need, and the estimates.
  void inspect(Choice<List::size>& choice) {
    Inspect inspector(m_exec, m_A.crs(), m_device, m_request);
    List::for_each([&]<class Algorithm>(std::size_t) {
      if (can_be_asked<Algorithm>()) try_to_inspect(inspector, Algorithm::needs);
    });
    if (Operation::inspects(Stage::clusters) &&
        worth_inspecting<List>(Stage::clusters, m_device, inspector.inspection(), m_request, m_budget.left()))
      try_to_inspect(inspector, Stage::clusters);
    m_inspection = inspector.inspection();
    inspector.release(m_budget);
    choice = choose<List>(m_device, m_inspection, m_request, m_budget.left());
    List::for_each([&]<class Algorithm>(std::size_t i) {
      const Candidate& candidate = choice.candidates[i];
      if (!can_be_asked<Algorithm>()) return;
      const bool may_run = m_request.asks_for(Algorithm::id) ||
                           (candidate.fits && candidate.estimate.call_seconds < std::numeric_limits<double>::max());
      if (may_run) m_order.emplace_back(candidate.estimate.call_seconds, i);
    });
    std::sort(m_order.begin(), m_order.end());
  }

  /// Shapes of an algorithm, that of its policy first.
  std::vector<SpmmShape> shapes_of(std::size_t index) const {
    std::vector<SpmmShape> shapes{SpmmShape{}};
    List::for_each([&]<class Algorithm>(std::size_t i) {
      if (i != index) return;
      if constexpr (requires { Algorithm::shapes(m_device, m_inspection, m_request); })
        for (const SpmmShape& shape : Algorithm::shapes(m_device, m_inspection, m_request)) shapes.push_back(shape);
    });
    return shapes;
  }
  static std::string pick_text(const SpmmTrial& trial) {
    std::string text;
    List::for_each([&]<class Algorithm>(std::size_t i) {
      if (i == trial.index) text = std::string(name(Algorithm::id)) + trial.shape.text();
    });
    return text;
  }

  /// False where it cannot be built; the budget is as it was then.
  bool build(const SpmmTrial& trial, Storage& storage) {
    const std::size_t used = m_budget.used();
    const Request request  = m_request.in(trial.shape);
    Inspect inspector(m_exec, m_A.crs(), m_device, request);
    bool is_built = false;
    try {
      List::for_each([&]<class Algorithm>(std::size_t i) {
        if (i != trial.index) return;
        if (m_inspection.panels && Algorithm::needs != Stage::lengths)
          inspector.inspect(m_exec, Stage::panels, m_budget);
        if (m_inspection.clusters && Algorithm::needs == Stage::panels)
          inspector.inspect(m_exec, Stage::clusters, m_budget);
        inspector.inspect(m_exec, Algorithm::needs, m_budget);
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

  const Inspection& inspection() const { return m_inspection; }
  /// Algorithms that may run, by the time that is expected: seconds, and the position in the list.
  const std::vector<std::pair<double, std::size_t>>& order() const { return m_order; }
  /// Why the last one could not be built, behind a colon; empty where none failed.
  const std::string& why() const { return m_why; }

 private:
  template <class Algorithm>
  bool can_be_asked() const {
    return (m_request.asks_for(SpmmAlgorithm::automatic) || m_request.asks_for(Algorithm::id)) &&
           support_of<Algorithm>(m_device, m_request);
  }
  void try_to_inspect(Inspect& inspector, Stage stage) {
    try {
      inspector.inspect(m_exec, stage, m_budget);
    } catch (const OutOfMemory&) {
    }
  }

  const ExecutionSpace& m_exec;
  const Operand<Matrix>& m_A;
  const Device& m_device;
  const Request& m_request;
  MemoryBudget& m_budget;
  Inspection m_inspection;
  std::vector<std::pair<double, std::size_t>> m_order;
  std::string m_why;
};

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PLANBASE_HPP
#define LACUNA_PLANBASE_HPP

#include <Lacuna_Device.hpp>
#include <Lacuna_Error.hpp>
#include <core/impl/choice/Lacuna_Choice.hpp>
#include <core/impl/choice/Lacuna_MeasuredHost.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/choice/Lacuna_SetupClock.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/plan/Lacuna_AskedAlgorithm.hpp>
#include <kernels/plan/Lacuna_NotTakenText.hpp>
#include <kernels/plan/Lacuna_PlanStorage.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

/// \file
/// \brief What the plans of all operations share: a request, a device, a budget, a choice, and a storage.
///
/// An **operation** is a type with `plan` (the name of its plan, for texts), `Options` (what users write), `Request`
/// (the options and the types of the matrices, in plain values), `Algorithm` (the enum) and `Algorithms` (its list).
/// CrsPlan says what an operation needs beside these where it inspects a matrix.
///
/// An **algorithm** is a type with
///   - `id`: its position in the enum;
///   - `supports(device, request)`: yes, or why not;
///   - `estimate(device, inspection, request)`: seconds of a call, seconds and bytes of the set-up, and the reason. A
///     pure function: no clock, no allocation. `inspection` is what the operation knows of its matrices;
///   - `Storage<…>`: what a plan keeps. In SpMV and SpMM it depends on `<Matrix, ExecutionSpace>`, in products of
///     diagonals on `<MemorySpace>`, in SpGEMM on `<Matrix, ExecutionSpace, Mask>`;
///   - where the operation inspects in stages, `needs` (the stage without which there is no estimate) and
///     `optimistic_bound(device, inspection, request, stage)`: the best estimate that inspecting `stage` can lead to,
///     or why it leads to none;
///   - `static constexpr bool reads_values_of_A = true` where its storage has it: the others are not taken where
///     options ask for that.
///
/// A **storage** has
///   - `build(context)`: makes it. `context` holds what the operation has: the instance, the matrices, the device, the
///     request, and the budget, of which it takes before it allocates;
///   - `bytes()`, `temporary_bytes()`: what it keeps, and the memory that products write to;
///   - `shareable()`: whether products on two instances may run at once;
///   - `describe()`: lines for the report;
///   - `multiply(exec, …)`: the product. It allocates nothing and fences nothing;
///   - where plans take new values, `update_values(exec, A)`; and where products read the values of A itself,
///     `static constexpr bool reads_values_of_A = true`.

namespace lacuna::Impl {

/// What is known of matrices of which a request says all.
struct NothingToInspect {};

/// The name of the algorithm at `index` of a list; `automatic` where there is none.
template <class List, class Algorithm>
Algorithm algorithm_at(std::size_t index) {
  Algorithm id = Algorithm::automatic;
  List::for_each([&]<class Taken>(std::size_t i) {
    if (i == index) id = Taken::id;
  });
  return id;
}

/// \tparam StorageType the variant of the storages of `Operation::Algorithms`
template <class Operation, class StorageType>
class PlanBase {
 public:
  PlanBase(PlanBase&&)                 = default;
  PlanBase& operator=(PlanBase&&)      = default;
  PlanBase(const PlanBase&)            = delete;
  PlanBase& operator=(const PlanBase&) = delete;

  /// What runs; never `automatic`.
  typename Operation::Algorithm algorithm() const {
    return algorithm_at<List, typename Operation::Algorithm>(m_storage.index());
  }
  /// Calls after which the set-up is paid back, by the model of the choice; 0 where there is none to pay back.
  std::int64_t break_even() const { return m_choice.break_even; }
  /// What a call is expected to take, in seconds, by the model of the choice; on hosts by rates of this one, which are
  /// measured when they are asked for first, with 64 MB on all threads, and a few times more when they are asked for
  /// later: core/tuning.md says how long that takes. 0 where nothing was estimated, since the algorithm was asked for
  /// by name.
  double expected_seconds() const { return told().choice.estimate().call_seconds; }
  /// 0 where making the plan waited for nothing.
  double setup_seconds() const { return m_clock.seconds(); }
  /// Whether two instances may use the plan at once.
  bool shareable() const {
    return std::visit([](const auto& storage) { return storage.shareable(); }, m_storage);
  }
  /// Bytes that the plan keeps beside the matrices, less those that products write to.
  std::size_t persistent_bytes() const {
    return std::visit([](const auto& storage) { return storage.bytes(); }, m_storage);
  }
  /// Bytes of the plan that products write to. Products allocate nothing.
  std::size_t temporary_bytes() const {
    return std::visit([](const auto& storage) { return storage.temporary_bytes(); }, m_storage);
  }

 protected:
  using List    = typename Operation::Algorithms;
  using Request = typename Operation::Request;
  using Storage = StorageType;

  PlanBase(const Request& request, const Device& device, std::size_t memory_limit)
      : m_request(request), m_device(device), m_budget(Operation::plan, memory_limit) {}

  /// \throws NotSupported where the request names an algorithm that does not serve.
  void check_what_is_asked_for() const {
    if (!names_an_algorithm(m_request)) return;
    const auto asked = asked_algorithm<List>(m_device, m_request);
    if (!asked.exists) raise<NotSupported>(Operation::plan, "algorithm ", name(m_request.algorithm), " does not exist");
    if (!asked.support) raise<NotSupported>(Operation::plan, asked.support.why_not);
  }
  /// Chooses the algorithm that the request names, which serves, without an estimate.
  void choose_what_is_asked_for() {
    m_choice.index                                      = asked_algorithm<List>(m_device, m_request).index;
    m_choice.candidates[m_choice.index].estimate.reason = "asked for";
  }
  /// `choice`: that of a device. It is kept, to tell times of this host.
  template <class Function>
  void choose_by(const Function& choice) {
    m_choice = choice(m_device);
    if (!m_device.is_gpu) m_choice_on = choice;
  }
  /// Chooses by estimates. False where nothing serves and fits the memory.
  template <class Known>
  bool choose_the_best(const Known& inspection, const Excluded<List::size>& excluded = {}) {
    choose_by([inspection, request = m_request, left = m_budget.left(), excluded](const Device& device) {
      return choose<List>(device, inspection, request, left, excluded);
    });
    return m_choice.index != m_choice.none;
  }
  /// Chooses the algorithm that the request names, else by estimates. \throws OutOfMemory where nothing fits.
  template <class Known>
  void choose_algorithm(const Known& inspection) {
    if (names_an_algorithm(m_request))
      choose_what_is_asked_for();
    else if (!choose_the_best(inspection))
      raise_nothing_fits();
  }
  [[noreturn]] void raise_nothing_fits() const {
    raise<OutOfMemory>(Operation::plan, "nothing fits the memory, memory_limit is ", m_budget.limit());
  }
  template <class Context>
  void build(const Context& context) {
    build_storage(m_storage, m_choice.index, context);
  }

  /// What is told of a choice: what was taken, with the times of this host rather than of that which choices assume.
  struct Told {
    Device device;
    Choice<List::size> choice;
  };
  /// Measures the host: a report asks once.
  Told told() const {
    if (!m_choice_on) return {m_device, m_choice};
    const Device here      = as_measured(m_device);
    Told told              = {here, m_choice_on(here)};
    told.choice.index      = m_choice.index;
    told.choice.break_even = m_choice.break_even;
    return told;
  }

  // Of a report.
  std::string algorithm_text(const Choice<List::size>& told) const {
    return "  algorithm   " + std::string(name(algorithm())) + ": " + told.estimate().reason;
  }
  /// Empty where times are those that the choice was made by.
  std::string rates_text(const Device& told) const {
    if (told == m_device) return "";
    return "  host        a thread computes at " + number_text(told.host_rates.speed) +
           " of the speed that choices assume, " + bytes_text(told.host_rates.reads.back()) +
           "/s come from memory: times are by that\n";
  }
  std::string storage_text() const {
    return std::visit([](const auto& storage) { return storage.describe(); }, m_storage);
  }
  std::string others_text(const Choice<List::size>& told) const {
    return not_taken_text<List>(told, m_storage.index());
  }

  Request m_request;
  Device m_device;
  MemoryBudget m_budget;
  SetupClock m_clock;
  Choice<List::size> m_choice;
  std::function<Choice<List::size>(const Device&)> m_choice_on;  ///< another host, where there were estimates
  Storage m_storage;
};

}  // namespace lacuna::Impl

#endif

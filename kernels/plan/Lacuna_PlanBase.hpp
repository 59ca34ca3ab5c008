// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PLANBASE_HPP
#define LACUNA_PLANBASE_HPP

#include <core/impl/choice/Lacuna_Choice.hpp>
#include <core/impl/choice/Lacuna_SetupClock.hpp>
#include <core/impl/matrix/Lacuna_Operand.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/plan/Lacuna_Inspector.hpp>
#include <kernels/plan/Lacuna_PlanReport.hpp>
#include <kernels/plan/Lacuna_PlanStorage.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

/// \file
/// \brief What plans of all operations are: inspect, choose, build, keep.
///
/// An operation is a type with `name` ("spmm"), `plan` ("SpmmPlan"), `Options`, `Request`, `Algorithm` (the enum),
/// `Algorithms` (its list), `inspects(stage)`, `request<Matrix>(options)`, `check(device, request)` and
/// `describe(request)`. Where its options have `autotune` it has a `Search<Matrix, ExecutionSpace>` too:
/// `run(choice, storage)` and `report()`.

namespace lacuna::Impl {

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
class PlanBase {
 public:
  using matrix_type     = Matrix;
  using execution_space = ExecutionSpace;
  using value_type      = typename Matrix::non_const_value_type;

  PlanBase(PlanBase&&)                 = default;
  PlanBase& operator=(PlanBase&&)      = default;
  PlanBase(const PlanBase&)            = delete;
  PlanBase& operator=(const PlanBase&) = delete;

  /// Rows and columns of op(A).
  std::int64_t rows() const { return static_cast<std::int64_t>(m_A.arrays().rows); }
  std::int64_t columns() const { return static_cast<std::int64_t>(m_A.arrays().columns); }
  std::int64_t nonzeros() const { return static_cast<std::int64_t>(m_A.arrays().nonzeros); }

  Op op() const { return m_request.op; }
  /// What runs; never `automatic`.
  typename Operation::Algorithm algorithm() const {
    typename Operation::Algorithm id = Operation::Algorithm::automatic;
    List::for_each([&]<class Algorithm>(std::size_t i) {
      if (i == m_storage.index()) id = Algorithm::id;
    });
    return id;
  }
  /// Calls after which the set-up is paid back, by the model of the choice; 0 where there is none to pay back.
  std::int64_t break_even() const { return m_choice.break_even; }
  double setup_seconds() const { return m_clock.seconds(); }
  /// Whether two instances may use the plan at once.
  bool shareable() const {
    return std::visit([](const auto& storage) { return storage.shareable(); }, m_storage);
  }
  /// Bytes that the plan keeps beside A, less those that products write to.
  std::size_t persistent_bytes() const {
    return m_A.bytes() + std::visit([](const auto& storage) { return storage.bytes(); }, m_storage);
  }
  /// Bytes of the plan that products write to. Products allocate nothing.
  std::size_t temporary_bytes() const {
    return std::visit([](const auto& storage) { return storage.temporary_bytes(); }, m_storage);
  }

  /// \brief What was asked for, what runs and why, what else there was, bytes, set-up.
  std::string report() const;

  /// \brief Takes new values of the same pattern.
  /// \throws InvalidArgument where the pattern of `A` is another one (compared on the device); the plan is as it was.
  void update_values(const ExecutionSpace& exec, const Matrix& A);
  /// \brief The same on the default instance, fenced before and after.
  void update_values(const Matrix& A) {
    with_default_instance<ExecutionSpace>("update_values", [&](const ExecutionSpace& exec) { update_values(exec, A); });
  }

 protected:
  using List    = typename Operation::Algorithms;
  using Storage = typename StorageVariant<List, Matrix, ExecutionSpace>::type;
  using Context = BuildContext<Operation, Matrix, ExecutionSpace>;

  PlanBase(const ExecutionSpace& exec, const Matrix& A, const typename Operation::Options& options);

  const typename Operation::Request& request() const { return m_request; }
  const Operand<Matrix>& A() const { return m_A; }
  const Storage& storage() const { return m_storage; }

 private:
  Operand<Matrix> checked(const ExecutionSpace& exec, const Matrix& A) {
    Operation::check(m_device, m_request);
    List::for_each([&]<class Algorithm>(std::size_t) {
      if (Algorithm::id != m_request.algorithm) return;
      const Support support = Algorithm::supports(m_device, m_request);
      if (!support) raise<NotSupported>(Operation::plan, support.why_not);
    });
    return Operand<Matrix>(exec, A, m_request.op, m_budget);
  }

  /// Takes what a search that was asked for found, now or earlier. False where none was, or nothing came of it.
  bool is_tuned(const ExecutionSpace& exec) {
    if constexpr (requires { m_request.autotune; }) {
      if (!m_request.autotune) return false;
      typename Operation::template Search<Matrix, ExecutionSpace> search(exec, m_A, m_device, m_request, m_budget);
      const bool is_done = search.run(m_choice, m_storage);
      m_tuning           = search.report();
      return is_done;
    } else {
      return false;
    }
  }

  void inspect_and_build(const ExecutionSpace& exec) {
    Inspector<Operation, SharedCrs<Matrix>, ExecutionSpace> inspector(exec, m_A.crs(), m_device, m_request);
    const Context context{exec, m_A, inspector, m_device, m_request, m_budget};
    if (m_request.algorithm == Operation::Algorithm::automatic)
      build_the_best(context);
    else
      build_what_was_asked_for(context);
    inspector.release(m_budget);
  }

  void build(const Context& context, std::size_t index) {
    List::for_each([&]<class Algorithm>(std::size_t i) {
      if (i != index) return;
      m_storage.template emplace<typename Algorithm::template Storage<Matrix, ExecutionSpace>>().build(context);
    });
  }

  void build_what_was_asked_for(const Context& context) {
    List::for_each([&]<class Algorithm>(std::size_t i) {
      if (Algorithm::id != m_request.algorithm) return;
      m_budget.set_subject(std::string(name(Algorithm::id)) + " of the " + shape_text(rows(), columns()) + " matrix");
      m_budget.in_its_name([&] { build(context, i); });
      m_choice.index                         = i;
      m_choice.candidates[i].estimate.reason = "asked for";
    });
  }

  /// Inspects as long as further stages may pay, then builds the best algorithm. Where its storage does not fit into
  /// memory, the next best is built.
  void build_the_best(const Context& context) {
    for (const Stage stage : stages) {
      if (!context.inspector.inspects(stage)) continue;
      if (!worth_inspecting<List>(stage, m_device, context.inspector.inspection(), m_request, m_budget.left()))
        continue;
      try {
        context.inspector.inspect(context.exec, stage, m_budget);
      } catch (const OutOfMemory&) {
        continue;
      }
    }
    Excluded<List::size> excluded{};
    const std::size_t held = m_budget.used();
    for (;;) {
      m_choice = choose<List>(m_device, context.inspector.inspection(), m_request, m_budget.left(), excluded);
      if (m_choice.index == m_choice.none)
        raise<OutOfMemory>(Operation::plan, "nothing fits the memory, memory_limit is ", m_budget.limit());
      try {
        return build(context, m_choice.index);
      } catch (const OutOfMemory&) {
        excluded[m_choice.index] = true;
        m_budget.give_back(m_budget.used() - held);
      }
    }
  }

  typename Operation::Request m_request;
  Device m_device;
  MemoryBudget m_budget;
  SetupClock m_clock;
  Operand<Matrix> m_A;
  Choice<List::size> m_choice;
  Storage m_storage;
  std::string m_tuning;  // for the report
};

// What compiles the kernels of a plan: not inline, so that `extern template` keeps it to one file of a program.

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
PlanBase<Operation, Matrix, ExecutionSpace>::PlanBase(const ExecutionSpace& exec, const Matrix& A,
                                                      const typename Operation::Options& options)
    : m_request(Operation::template request<Matrix>(options)),
      m_device(device_of(exec)),
      m_budget(Operation::plan, options.memory_limit),
      m_A(checked(exec, A)) {
  const Kokkos::Profiling::ScopedRegion region(std::string("Lacuna::") + Operation::plan);
  if (!is_tuned(exec)) inspect_and_build(exec);
  m_clock.stop(exec, "Lacuna: set-up of a plan done");
}

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
void PlanBase<Operation, Matrix, ExecutionSpace>::update_values(const ExecutionSpace& exec, const Matrix& A) {
  m_A.update_values((std::string(Operation::plan) + "::update_values").c_str(), exec, A);
  std::visit([&](auto& storage) { storage.update_values(exec, m_A); }, m_storage);
}

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
std::string PlanBase<Operation, Matrix, ExecutionSpace>::report() const {
  return plan_report<Operation>(*this, m_request, m_choice, m_storage, m_tuning);
}

}  // namespace lacuna::Impl

#endif

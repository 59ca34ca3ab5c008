// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CRSPLAN_HPP
#define LACUNA_CRSPLAN_HPP

#include <core/base/impl/Lacuna_Region.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/matrix/Lacuna_Operand.hpp>
#include <kernels/plan/Lacuna_BuildContext.hpp>
#include <kernels/plan/Lacuna_Inspector.hpp>
#include <kernels/plan/Lacuna_PatternDigest.hpp>
#include <kernels/plan/Lacuna_PlanBase.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <variant>

/// \file
/// \brief Plans of one CSR matrix: inspect it in stages, choose, build, keep.
///
/// Beside what PlanBase asks of an operation, one of CSR has `inspects(stage)`, `request<Matrix>(options)`,
/// `check(device, request)` and `describe(request)`. Where its options have `autotune` it has a
/// `Search<Matrix, ExecutionSpace>` too: `run(choice, storage)` and `report()`. It may have `hosts_inspect(stage)`, and
/// `samples_column_reach = true` where costs on hosts ask for `Inspection::reach`.

namespace lacuna::Impl {

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
class CrsPlan : public PlanBase<Operation,
                                typename StorageVariant<typename Operation::Algorithms, Matrix, ExecutionSpace>::type> {
  using Base =
      PlanBase<Operation, typename StorageVariant<typename Operation::Algorithms, Matrix, ExecutionSpace>::type>;

 public:
  using matrix_type     = Matrix;
  using execution_space = ExecutionSpace;
  using value_type      = typename Matrix::non_const_value_type;

  /// Rows and columns of op(A).
  std::int64_t rows() const { return static_cast<std::int64_t>(m_A.arrays().rows); }
  std::int64_t columns() const { return static_cast<std::int64_t>(m_A.arrays().columns); }
  std::int64_t nonzeros() const { return static_cast<std::int64_t>(m_A.arrays().nonzeros); }

  Op op() const { return m_request.op; }
  /// Whether products read the values of A where A has them: new ones in the same Views count at once. Where the plan
  /// has a copy, of op(A) or of an algorithm, they count from `update_values` on.
  bool reads_values_of_A() const {
    if (m_A.is_copy()) return false;
    return std::visit(
        []<class Stored>(const Stored&) {
          if constexpr (requires { Stored::reads_values_of_A; })
            return Stored::reads_values_of_A;
          else
            return false;
        },
        m_storage);
  }
  /// Bytes that the plan keeps beside A, less those that products write to.
  std::size_t persistent_bytes() const { return m_A.bytes() + Base::persistent_bytes(); }

  /// \brief What was asked for, what runs and why, what else there was, bytes, set-up.
  std::string report() const;

  /// \brief Takes new values of the same pattern. Where A has other arrays than the plan was given, the pattern is
  /// compared, which takes as long as a few products and waits; `check_pattern = PatternCheck::off` says that it is
  /// known.
  /// \throws InvalidArgument where the pattern of `A` is another one; the plan is as it was.
  void update_values(const ExecutionSpace& exec, const Matrix& A);
  /// \brief The same on the default instance, fenced before and after.
  void update_values(const Matrix& A) {
    with_default_instance<ExecutionSpace>("update_values", [&](const ExecutionSpace& exec) { update_values(exec, A); });
  }

 protected:
  using List    = typename Base::List;
  using Context = BuildContext<Operation, Matrix, ExecutionSpace>;

  CrsPlan(const ExecutionSpace& exec, const Matrix& A, const typename Operation::Options& options);

  const typename Operation::Request& request() const { return m_request; }
  const Operand<Matrix>& A() const { return m_A; }
  /// Of a product, before any work. \throws InvalidArgument where patterns are compared, and A has another one now.
  void check_pattern(const ExecutionSpace& exec) const { m_pattern.check(Operation::name, "A", exec, m_A.given()); }
  const typename Base::Storage& storage() const { return m_storage; }

 private:
  using Base::m_request, Base::m_device, Base::m_budget, Base::m_clock, Base::m_choice, Base::m_storage;

  Operand<Matrix> checked(const ExecutionSpace& exec, const Matrix& A) {
    Operation::check(m_device, m_request);
    this->check_what_is_asked_for();
    return Operand<Matrix>(exec, A, m_request.op, m_budget);
  }

  /// Takes the result of a search that was asked for, now or earlier. False where there was none, or it failed.
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
    if (names_an_algorithm(m_request))
      build_what_was_asked_for(context);
    else
      build_the_best(context);
    inspector.release(m_budget);
  }

  void build_what_was_asked_for(const Context& context) {
    m_budget.set_subject(std::string(name(m_request.algorithm)) + " of the " + shape_text(rows(), columns()) +
                         " matrix");
    this->choose_what_is_asked_for();
    m_budget.in_its_name([&] { this->build(context); });
  }

  /// Inspects as far as it may pay, then takes the best. An algorithm whose storage turns out not to fit the memory
  /// leaves its place to the next.
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
      if (!this->choose_the_best(context.inspector.inspection(), excluded)) this->raise_nothing_fits();
      try {
        return this->build(context);
      } catch (const OutOfMemory&) {
        excluded[m_choice.index] = true;
        m_budget.give_back(m_budget.used() - held);
      }
    }
  }

  Operand<Matrix> m_A;
  PatternDigest m_pattern;
  std::string m_tuning;  // for the report
};

// What compiles the kernels of a plan: not inline, so that `extern template` keeps it to one file of a program.

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
CrsPlan<Operation, Matrix, ExecutionSpace>::CrsPlan(const ExecutionSpace& exec, const Matrix& A,
                                                    const typename Operation::Options& options) try
    : Base(Operation::template request<Matrix>(options), device_of(exec), options.memory_limit), m_A(checked(exec, A)) {
  const Region region([] { return std::string("Lacuna::") + Operation::plan; });
  if (!is_tuned(exec)) inspect_and_build(exec);
  if (checks_patterns(options.check_pattern)) m_pattern.remember(exec, m_A.given());
  m_clock.stop(exec, "Lacuna: set-up of a plan done");
} catch (const std::bad_alloc&) {
  raise_no_host_memory(Operation::plan);
}

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
void CrsPlan<Operation, Matrix, ExecutionSpace>::update_values(const ExecutionSpace& exec, const Matrix& A) {
  const auto text = [] { return std::string("Lacuna::") + Operation::plan + "::update_values"; };
  in_region(Operation::plan, text, [&] {
    const std::string function = std::string(Operation::plan) + "::update_values";
    m_pattern.check(function.c_str(), "A", exec, arrays_of(A));
    m_A.update_values(function.c_str(), exec, A, m_request.check_pattern != PatternCheck::off);
    std::visit([&](auto& storage) { storage.update_values(exec, m_A); }, m_storage);
  });
}

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
std::string CrsPlan<Operation, Matrix, ExecutionSpace>::report() const {
  const auto told = this->told();
  return std::string("lacuna::") + Operation::plan + " of a " + shape_text(rows(), columns()) + " matrix with " +
         std::to_string(nonzeros()) + " nonzeros, op " + std::string(name(op())) + Operation::describe(m_request) +
         "\n" + this->algorithm_text(told.choice) + "\n" + this->rates_text(told.device) + this->storage_text() +
         m_tuning + this->others_text(told.choice) + "  storage     " +
         bytes_text(static_cast<double>(persistent_bytes())) + " beside A, workspace " +
         bytes_text(static_cast<double>(this->temporary_bytes())) + "\n" +
         set_up_text(this->setup_seconds(), this->break_even());
}

}  // namespace lacuna::Impl

#endif

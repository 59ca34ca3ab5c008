// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCPLANS_HPP
#define LACUNA_PETSCPLANS_HPP

#include <Lacuna_Spmv.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscFilledRows.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscOptions.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

/// \file
/// \brief What is composed with a matrix: its options and, where it is sequential, its plans.

namespace lacuna::Impl {

/// A plan, and what its matrix was when it took its values.
///
/// Where nobody says how many products there will be, the first plan is one that costs little. After as many products
/// with the same values as a better one takes to be made, there is a better one: the sum is at most about twice that of
/// knowing it before. New values end that: it would have to be given each of them.
template <class Plan>
class PetscKept {
 public:
  /// Products with one set of values after which a plan that is made for many pays.
  static constexpr std::int64_t many = 100;

  /// The plan with the pattern and the values of `now`; `make(A, expected_calls)` makes one, and `tell(plan)` hears of
  /// it.
  template <class Space, class Make, class Tell>
  PetscErrorCode bring_up_to_date(const Space& exec, const PetscArrays& now, std::optional<std::int64_t> expected_calls,
                                  const Make& make, const Tell& tell) {
    PetscFunctionBegin;
    const bool has_pattern = m_plan && m_seen.has_pattern_of(now),
               has_values  = has_pattern && m_seen.has_values_of(now);
    m_products             = has_values ? m_products + 1 : 1;
    const bool is_for_many = !expected_calls && m_products >= many;
    const bool is_other    = !expected_calls && (m_is_for_many ? !has_values : m_products == many);
    if (!has_pattern || is_other) {
      m_plan.reset();
      m_plan.emplace(
          make(petsc_csr<Space>(now), is_for_many ? std::optional<std::int64_t>(10 * many) : expected_calls));
      m_is_for_many = is_for_many;
      PetscCall(tell(*m_plan));
    } else if (!has_values && (!m_plan->reads_values_of_A() || m_seen.values != now.values)) {
      m_plan->update_values(exec, petsc_csr<Space>(now));
    }
    m_seen = now;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const Plan* plan() const { return m_plan ? &*m_plan : nullptr; }

 private:
  std::optional<Plan> m_plan = {};
  PetscArrays m_seen         = {};
  std::int64_t m_products    = 0;  // with these values
  bool m_is_for_many         = false;
};

template <class Space>
struct PetscSpmvPlans {
  using Kept = PetscKept<SpmvPlan<PetscCsr<Space>>>;
  Kept plain, transposed;
  PetscFilledRows<Space> filled_rows;
  Kept of_filled_rows;  // for what is added to a vector

  std::array<const Kept*, 3> all() const { return {&plain, &transposed, &of_filled_rows}; }
};

/// Products of a matrix run where its values are, so there are plans for hosts, and for the device where there is one.
struct PetscPlans {
  /// Of the parallel matrix that this one is a block of: some of its methods write to blocks and tell of it there.
  PetscObjectState of_whole                                                                   = 0;
  PetscMatOptions options                                                                     = {};
  PetscSpmvPlans<PetscHost> on_host                                                           = {};
  std::conditional_t<petsc_has_device, PetscSpmvPlans<PetscDevice>, std::monostate> on_device = {};

  template <class Space>
  PetscSpmvPlans<Space>& on() {
    if constexpr (std::is_same_v<Space, PetscHost>)
      return on_host;
    else
      return on_device;
  }
};

/// The plans that are composed with A, made where there are none.
PetscErrorCode petsc_plans(Mat A, PetscPlans** plans);
/// nullptr where there are none.
PetscErrorCode petsc_plans_if_any(Mat A, PetscPlans** plans);
PetscErrorCode petsc_drop_plans(Mat A);
/// Where options ask for it, and on the first process alone.
PetscErrorCode petsc_print_report(const PetscPlans& plans, const std::string& report);

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCPLANS_HPP
#define LACUNA_PETSCPLANS_HPP

#include <Lacuna_Spmv.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscOptions.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <variant>

/// \file
/// \brief What is composed with a matrix: its options and, where it is sequential, its plans.

namespace lacuna::Impl {

/// A plan, and what its matrix was when it took its values.
template <class Plan>
class PetscKept {
 public:
  /// The plan with the pattern and the values of `now`; `make(A)` makes one, and `tell(plan)` hears of it.
  template <class Space, class Make, class Tell>
  PetscErrorCode bring_up_to_date(const Space& exec, const PetscArrays& now, const Make& make, const Tell& tell) {
    PetscFunctionBegin;
    if (!m_plan || !m_seen.has_pattern_of(now)) {
      m_plan.reset();
      m_plan.emplace(make(petsc_csr<Space>(now)));
      PetscCall(tell(*m_plan));
    } else if (!m_seen.has_values_of(now) && (!m_plan->reads_values_of_A() || m_seen.values != now.values)) {
      m_plan->update_values(exec, petsc_csr<Space>(now));
    }
    m_seen = now;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const Plan* plan() const { return m_plan ? &*m_plan : nullptr; }

 private:
  std::optional<Plan> m_plan = {};
  PetscArrays m_seen         = {};
};

template <class Space>
struct PetscSpmvPlans {
  PetscKept<SpmvPlan<PetscCsr<Space>>> plain, transposed;
};

/// Products of a matrix run where its values are, so there are plans for hosts, and for the device where there is one.
struct PetscPlans {
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

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCPLANS_HPP
#define LACUNA_PETSCPLANS_HPP

#include <Lacuna_Spmv.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscOptions.hpp>

#include <optional>
#include <type_traits>
#include <variant>

/// \file
/// \brief What is composed with a matrix: its options and, where it is sequential, its plans.

namespace lacuna::Impl {

/// The plan of op(A) x, and what A was when it took its values.
template <class Space>
struct PetscSpmvPlan {
  std::optional<SpmvPlan<PetscCsr<Space>>> plan = {};
  PetscArrays seen                              = {};
};

template <class Space>
struct PetscSpmvPlans {
  PetscSpmvPlan<Space> plain, transposed;
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

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCPRODUCTPLANS_HPP
#define LACUNA_PETSCPRODUCTPLANS_HPP

#include <Lacuna_Spgemm.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

/// \file
/// \brief What sequential and parallel products of sparse matrices have in common: plans, and when they compute.

namespace lacuna::Impl {

/// One product, or two, where the arrays of `SpaceType` are.
template <class SpaceType>
struct PetscProductPlans {
  using Space  = SpaceType;
  using Csr    = PetscCsr<Space>;
  using Plan   = SpgemmPlan<Csr>;
  using Result = typename Plan::result_type;

  std::optional<Plan> first, second;
  Result between;           // of the first where there are two
  bool has_numbers = true;  // those of MatProductSymbolic, until MatProductNumeric comes

  std::string report() const { return first->report() + (second ? second->report() : std::string()); }
  PetscLogDouble flops() const {
    return 2.0 * static_cast<PetscLogDouble>(first->products() + (second ? second->products() : 0));
  }
};

/// What is, on some process, other than it was when C was computed: each counts as those before it, too.
enum class PetscChange { none, values, patterns };

/// What has become of a factor.
inline PetscChange petsc_change_of(const PetscArrays& then, const PetscArrays& now) {
  if (!now.has_pattern_of(then)) return PetscChange::patterns;
  return now.has_values_of(then) ? PetscChange::none : PetscChange::values;
}

/// A product of a device's type gets plans as its factor has. On the host it is of our type, which has them.
template <class Space>
PetscErrorCode petsc_plan_result(Mat C, [[maybe_unused]] const PetscPlans& of_factor) {
  PetscFunctionBegin;
  if constexpr (!std::is_same_v<Space, PetscHost>) {
    PetscPlans* plans = nullptr;
    PetscCall(petsc_install(C));
    PetscCall(petsc_plans(C, &plans));
    plans->options = of_factor.options;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatProductNumeric: all of MatProductSymbolic where the pattern of a factor has changed. That computes numbers, too,
/// so that there is nothing to do right after it. Later, numbers are computed whatever states say: PETSc writes to
/// matrices of its own (rows of other processes, MatSeqAIJGetArrayWrite) and tells nobody.
/// \tparam Product PetscProductPlans that are composed with C as `Product::name`, with `take_changes(C, change)` and
///     `compute(C)`
template <class Product>
PetscErrorCode petsc_product_numeric(Mat C, PetscErrorCode (*symbolic)(Mat)) {
  return petsc_guarded("MatProductNumeric", [&]() -> PetscErrorCode {
    Product* product   = nullptr;
    PetscChange change = PetscChange::none;
    PetscFunctionBegin;
    PetscCall(PetscObjectContainerQuery(reinterpret_cast<PetscObject>(C), Product::name, &product));
    PetscCheck(product != nullptr, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Lacuna: MatProductSymbolic comes first");
    PetscCall(product->take_changes(C, &change));
    const bool has_numbers = std::exchange(product->has_numbers, false);
    if (change == PetscChange::patterns) {
      PetscCall(symbolic(C));  // which leaves another product in place of this one
      PetscCall(PetscObjectContainerQuery(reinterpret_cast<PetscObject>(C), Product::name, &product));
      product->has_numbers = false;
    } else if (change == PetscChange::values || !has_numbers) {
      PetscCall(product->compute(C));
      PetscCall(petsc_log_flops<typename Product::Space>(product->flops()));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

}  // namespace lacuna::Impl

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscDense.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>

namespace lacuna::Impl {

namespace {

using Space = PetscHost;
using Plan  = SpmmPlan<PetscCsr<Space>>;

struct DensePlans {
  PetscKept<Plan> plain, transposed;
};

constexpr const char* plans_name = "Lacuna plans for dense matrices";

PetscErrorCode delete_plans(PetscCtxRt context) {
  PetscFunctionBegin;
  delete *static_cast<DensePlans**>(context);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode dense_plans(Mat A, DensePlans** plans) {
  const auto object = reinterpret_cast<PetscObject>(A);
  PetscFunctionBegin;
  *plans = nullptr;
  PetscCall(PetscObjectContainerQuery(object, plans_name, plans));
  if (*plans != nullptr) PetscFunctionReturn(PETSC_SUCCESS);
  *plans = new DensePlans;
  PetscCall(PetscObjectContainerCompose(object, plans_name, *plans, delete_plans));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode current_plan(const Space& exec, Mat A, Op op, std::int64_t columns, const PetscArrays& now,
                            const Plan** plan) {
  DensePlans* of_dense = nullptr;
  PetscPlans* plans    = nullptr;
  PetscFunctionBegin;
  PetscCall(dense_plans(A, &of_dense));
  PetscCall(petsc_plans(A, &plans));
  auto& kept          = op == Op::none ? of_dense->plain : of_dense->transposed;
  SpmmOptions options = {};
  options.op          = op;
  options.columns     = plans->options.columns.value_or(columns);
  // PETSc says when patterns change: nothing is to be compared.
  options.expected_calls = plans->options.expected_calls;
  options.check_pattern  = PatternCheck::off;
  PetscCall(kept.bring_up_to_date(
      exec, now, [&](const PetscCsr<Space>& csr) { return Plan(exec, csr, options); },
      [&](const Plan& made) { return petsc_print_report(*plans, made.report()); }));
  *plan = kept.plan();
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Scalar>
auto view_of(const PetscBlock<Scalar>& block) {
  const auto rows = static_cast<std::size_t>(block.rows), columns = static_cast<std::size_t>(block.columns);
  const Kokkos::LayoutStride layout(rows, 1, columns, static_cast<std::size_t>(block.stride));
  return Kokkos::View<Scalar**, Kokkos::LayoutStride, Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      block.values, layout);
}

}  // namespace

PetscErrorCode petsc_times_dense(Mat A, Op op, const PetscBlock<const PetscScalar>& B, bool adds,
                                 const PetscBlock<PetscScalar>& C) {
  return petsc_guarded("MatProductNumeric", [&]() -> PetscErrorCode {
    const Plan* plan = nullptr;
    PetscArrays now;
    PetscFunctionBegin;
    if (C.columns == 0) PetscFunctionReturn(PETSC_SUCCESS);
    const Space exec = petsc_space<Space>();
    PetscCall(petsc_arrays(A, &now));
    PetscCheck(PetscMemTypeHost(now.memory), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Lacuna: products with dense matrices are for matrices on the host");
    PetscCall(current_plan(exec, A, op, C.columns, now, &plan));
    spmm(exec, *plan, PetscScalar(1), view_of(B), adds ? PetscScalar(1) : PetscScalar(0), view_of(C));
    if constexpr (petsc_has_device) exec.fence("Lacuna::petsc: a product on the host");
    PetscCall(PetscLogFlops(2.0 * static_cast<PetscLogDouble>(now.nonzeros) * static_cast<PetscLogDouble>(C.columns)));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

PetscErrorCode petsc_dense_reports(Mat A, std::string* reports) {
  DensePlans* plans = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery(reinterpret_cast<PetscObject>(A), plans_name, &plans));
  if (plans != nullptr)
    for (const auto* kept : {&plans->plain, &plans->transposed})
      if (kept->plan() != nullptr) *reports += kept->plan()->report();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_drop_dense_plans(Mat A) {
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(A), plans_name, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

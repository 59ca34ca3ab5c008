// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscDense.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

namespace lacuna::Impl {

namespace {

template <class Space>
using Plan = SpmmPlan<PetscCsr<Space>>;

/// A plan, and the most columns that there were; more make another.
template <class Space>
struct DensePlan {
  std::optional<PetscKept<Plan<Space>>> kept = {};
  std::int64_t columns                       = 0;
};

template <class Space>
struct DensePlansOn {
  DensePlan<Space> plain, transposed;
};

/// Products run where the values of A are.
struct DensePlans {
  DensePlansOn<PetscHost> on_host                                                           = {};
  std::conditional_t<petsc_has_device, DensePlansOn<PetscDevice>, std::monostate> on_device = {};

  template <class Space>
  DensePlansOn<Space>& on() {
    if constexpr (std::is_same_v<Space, PetscHost>)
      return on_host;
    else
      return on_device;
  }
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

template <class Space>
PetscErrorCode current_plan(const Space& exec, Mat A, Op op, std::int64_t columns, PetscArrays now,
                            const Plan<Space>** plan) {
  DensePlans* of_dense = nullptr;
  PetscPlans* plans    = nullptr;
  PetscFunctionBegin;
  PetscCall(dense_plans(A, &of_dense));
  PetscCall(petsc_plans(A, &plans));
  now.state += plans->of_whole;
  auto& of_space      = of_dense->template on<Space>();
  auto& of_op         = op == Op::none ? of_space.plain : of_space.transposed;
  SpmmOptions options = {};
  options.op          = op;
  options.columns     = plans->options.columns.value_or(std::max(columns, of_op.columns));
  if (!of_op.kept || options.columns > of_op.columns) of_op.kept.emplace();
  of_op.columns = options.columns;
  auto& kept    = *of_op.kept;
  // PETSc says when patterns change: nothing is to be compared.
  options.check_pattern = PatternCheck::off;
  options.b_layout      = DenseLayout::column_major;
  PetscCall(kept.bring_up_to_date(
      exec, now, plans->options.expected_calls,
      [&](const PetscCsr<Space>& csr, std::optional<std::int64_t> calls) {
        options.expected_calls = calls;
        return Plan<Space>(exec, csr, options);
      },
      [&](const Plan<Space>& made) { return petsc_print_report(*plans, made.report()); }));
  *plan = kept.plan();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Columns that a plan of a host has room for to copy them to rows; more are taken one panel after the other.
constexpr PetscInt most_columns = 32;

template <class Space, class Scalar>
auto view_of(const PetscBlock<Scalar>& block) {
  const Kokkos::LayoutStride layout(static_cast<std::size_t>(block.rows), 1, static_cast<std::size_t>(block.columns),
                                    static_cast<std::size_t>(block.stride));
  return Kokkos::View<Scalar**, Kokkos::LayoutStride, typename Space::memory_space,
                      Kokkos::MemoryTraits<Kokkos::Unmanaged>>(block.values, layout);
}

template <class Space>
PetscErrorCode multiply_on(Mat A, Op op, const PetscArrays& now, const PetscBlock<const PetscScalar>& B, bool adds,
                           const PetscBlock<PetscScalar>& C) {
  constexpr bool on_host   = std::is_same_v<Space, PetscHost>;
  const Plan<Space>* plan  = nullptr;
  const PetscLogDouble all = static_cast<PetscLogDouble>(now.nonzeros) * static_cast<PetscLogDouble>(C.columns);
  PetscFunctionBegin;
  const Space exec = petsc_space<Space>();
  PetscCall(current_plan(exec, A, op, on_host ? std::min(C.columns, most_columns) : C.columns, now, &plan));
  spmm(exec, *plan, PetscScalar(1), view_of<Space>(B), adds ? PetscScalar(1) : PetscScalar(0), view_of<Space>(C));
  if constexpr (petsc_has_device && on_host) exec.fence("Lacuna::petsc: a product on the host");
  PetscCall(petsc_log_flops<Space>(2.0 * all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode petsc_times_dense(Mat A, Op op, const PetscBlock<const PetscScalar>& B, bool adds,
                                 const PetscBlock<PetscScalar>& C) {
  return petsc_guarded("MatProductNumeric", [&]() -> PetscErrorCode {
    PetscArrays now;
    PetscFunctionBegin;
    if (C.columns == 0) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(petsc_arrays(A, &now));
    PetscCheck(petsc_has_device || PetscMemTypeHost(now.memory), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Lacuna: the matrix is on a device, which Kokkos was built without");
    PetscCall(PetscMemTypeHost(now.memory) ? multiply_on<PetscHost>(A, op, now, B, adds, C)
                                           : multiply_on<PetscDevice>(A, op, now, B, adds, C));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

PetscErrorCode petsc_dense_reports(Mat A, std::string* reports) {
  DensePlans* plans = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery(reinterpret_cast<PetscObject>(A), plans_name, &plans));
  const auto add = [&](const auto& of_space) {
    for (const auto* of_op : {&of_space.plain, &of_space.transposed})
      if (of_op->kept && of_op->kept->plan() != nullptr) *reports += of_op->kept->plan()->report();
  };
  if (plans != nullptr) add(plans->on_host);
  if (plans != nullptr && petsc_has_device) add(plans->on<PetscDevice>());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_drop_dense_plans(Mat A) {
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(A), plans_name, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>

#include <string>

/// \file
/// \brief MatMult and its relatives of sequential matrices.

namespace lacuna::Impl {

namespace {

/// A product z = [y +] op(A) x. The method of PETSc's own stands in where A is in memory that Kokkos has no space for.
struct PetscProduct {
  Mat A;
  Op op;
  Vec x, y, z;  // y: null where nothing is added
};

PetscErrorCode multiply_as_petsc(const PetscProduct& product) {
  using Mult               = PetscErrorCode (*)(Mat, Vec, Vec);
  using MultAdd            = PetscErrorCode (*)(Mat, Vec, Vec, Vec);
  const bool plain         = product.op == Op::none;
  PetscErrorCodeFn* method = nullptr;
  PetscFunctionBegin;
  if (product.y == nullptr) {
    PetscCall(petsc_base_operation(product.A, plain ? MATOP_MULT : MATOP_MULT_TRANSPOSE, &method));
    PetscCall(reinterpret_cast<Mult>(method)(product.A, product.x, product.z));
  } else {
    PetscCall(petsc_base_operation(product.A, plain ? MATOP_MULT_ADD : MATOP_MULT_TRANSPOSE_ADD, &method));
    PetscCall(reinterpret_cast<MultAdd>(method)(product.A, product.x, product.y, product.z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A plan with the pattern and the values of these arrays, which are of A or of some of its rows.
template <class Space>
PetscErrorCode bring_up_to_date(const Space& exec, const PetscPlans& plans, Op op, PetscArrays now,
                                PetscKept<SpmvPlan<PetscCsr<Space>>>* kept) {
  using Plan = SpmvPlan<PetscCsr<Space>>;
  PetscFunctionBegin;
  now.state += plans.of_whole;
  PetscCall(kept->bring_up_to_date(
      exec, now, plans.options.expected_calls,
      [&](const PetscCsr<Space>& csr, std::optional<std::int64_t> calls) {
        // PETSc says when patterns change: nothing is to be compared.
        return Plan(exec, csr, SpmvOptions{.op = op, .expected_calls = calls, .check_pattern = PatternCheck::off});
      },
      [&](const Plan& made) { return petsc_print_report(plans, made.report()); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The arrays of vectors in the memory of `Space`. PETSc's own functions move them where they are elsewhere.
template <class Space>
struct PetscVectors {
  static constexpr bool on_host = std::is_same_v<Space, PetscHost>;

  static PetscErrorCode get(Vec x, Vec z, bool adds, const PetscScalar** xs, PetscScalar** zs, bool* are_there) {
    PetscMemType of_x = PETSC_MEMTYPE_HOST, of_z = PETSC_MEMTYPE_HOST;
    PetscFunctionBegin;
    if constexpr (on_host) {
      PetscCall(VecGetArrayRead(x, xs));
      PetscCall(adds ? VecGetArray(z, zs) : VecGetArrayWrite(z, zs));
    } else {
      PetscCall(VecGetArrayReadAndMemType(x, xs, &of_x));
      PetscCall(adds ? VecGetArrayAndMemType(z, zs, &of_z) : VecGetArrayWriteAndMemType(z, zs, &of_z));
    }
    *are_there = on_host || (PetscMemTypeDevice(of_x) && PetscMemTypeDevice(of_z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static PetscErrorCode restore(Vec x, Vec z, bool adds, const PetscScalar** xs, PetscScalar** zs) {
    PetscFunctionBegin;
    if constexpr (on_host) {
      PetscCall(adds ? VecRestoreArray(z, zs) : VecRestoreArrayWrite(z, zs));
      PetscCall(VecRestoreArrayRead(x, xs));
    } else {
      PetscCall(adds ? VecRestoreArrayAndMemType(z, zs) : VecRestoreArrayWriteAndMemType(z, zs));
      PetscCall(VecRestoreArrayReadAndMemType(x, xs));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/// The plan of a product, brought up to date before anything is written: of all rows, or of those with nonzeros.
template <class Space>
struct Chosen {
  const SpmvPlan<PetscCsr<Space>>* plan     = nullptr;
  const PetscFilledRows<Space>* filled_rows = nullptr;  // where the plan is theirs
};

template <class Space>
PetscErrorCode choose(const Space& exec, const PetscProduct& product, const PetscArrays& now, Chosen<Space>* chosen) {
  PetscPlans* plans = nullptr;
  const bool plain  = product.op == Op::none;
  PetscFunctionBegin;
  PetscCall(petsc_plans(product.A, &plans));
  auto& kept = plans->template on<Space>();
  if (product.y != nullptr && plain) {
    PetscCall(kept.filled_rows.find(product.A, now));
    if (kept.filled_rows.are_few()) chosen->filled_rows = &kept.filled_rows;
  }
  auto& of_product = chosen->filled_rows != nullptr ? kept.of_filled_rows : (plain ? kept.plain : kept.transposed);
  PetscCall(bring_up_to_date(exec, *plans, product.op,
                             chosen->filled_rows != nullptr ? kept.filled_rows.arrays(now) : now, &of_product));
  chosen->plan = of_product.plan();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// z = op(A) x, or z += op(A) x.
template <class Space>
void multiply_arrays(const Space& exec, const Chosen<Space>& chosen, bool adds, const PetscScalar* x, PetscScalar* z,
                     PetscInt rows) {
  using In  = Kokkos::View<const PetscScalar*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Out = Kokkos::View<PetscScalar*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const In xs(x, chosen.plan->columns());
  if (chosen.filled_rows != nullptr) {
    spmv(exec, *chosen.plan, PetscScalar(1), xs, PetscScalar(0), chosen.filled_rows->sums());
    chosen.filled_rows->add_sums_to(exec, Out(z, rows));
  } else {
    spmv(exec, *chosen.plan, PetscScalar(1), xs, adds ? PetscScalar(1) : PetscScalar(0), Out(z, rows));
  }
  if constexpr (petsc_has_device && std::is_same_v<Space, PetscHost>)
    exec.fence("Lacuna::petsc: a product on the host");
}

template <class Space>
PetscErrorCode multiply_on(const PetscProduct& product, const PetscArrays& now) {
  const bool adds       = product.y != nullptr;
  const PetscInt rows   = product.op == Op::none ? now.rows : now.columns;
  const PetscScalar* xs = nullptr;
  PetscScalar* zs       = nullptr;
  bool are_there        = true;
  Chosen<Space> chosen;
  PetscFunctionBegin;
  const Space exec = petsc_space<Space>();
  PetscCall(choose(exec, product, now, &chosen));
  if (adds && product.y != product.z) PetscCall(VecCopy(product.y, product.z));
  PetscCall(PetscVectors<Space>::get(product.x, product.z, adds, &xs, &zs, &are_there));
  if (are_there) multiply_arrays(exec, chosen, adds, xs, zs, rows);
  PetscCall(PetscVectors<Space>::restore(product.x, product.z, adds, &xs, &zs));
  if (!are_there) PetscCall(multiply_as_petsc(product));
  const PetscLogDouble flops =
      2.0 * static_cast<PetscLogDouble>(now.nonzeros) - (adds ? 0.0 : static_cast<PetscLogDouble>(rows));
  if (are_there && flops > 0) PetscCall(petsc_log_flops<Space>(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode multiply(const char* function, const PetscProduct& product) {
  return petsc_guarded(function, [&]() -> PetscErrorCode {
    PetscArrays now;
    PetscFunctionBegin;
    PetscCall(petsc_arrays(product.A, &now));
    if (PetscMemTypeHost(now.memory)) {
      PetscCall(multiply_on<PetscHost>(product, now));
    } else {
      if constexpr (petsc_has_device)
        PetscCall(multiply_on<PetscDevice>(product, now));
      else
        PetscCall(multiply_as_petsc(product));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

}  // namespace

PetscErrorCode petsc_mult(Mat A, Vec x, Vec y) { return multiply("MatMult", {A, Op::none, x, nullptr, y}); }
PetscErrorCode petsc_mult_add(Mat A, Vec x, Vec y, Vec z) { return multiply("MatMultAdd", {A, Op::none, x, y, z}); }
PetscErrorCode petsc_mult_transpose(Mat A, Vec x, Vec y) {
  return multiply("MatMultTranspose", {A, Op::transpose, x, nullptr, y});
}
PetscErrorCode petsc_mult_transpose_add(Mat A, Vec x, Vec y, Vec z) {
  return multiply("MatMultTransposeAdd", {A, Op::transpose, x, y, z});
}

}  // namespace lacuna::Impl

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Petsc.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscDense.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <string>

/// \file
/// \brief What programs call.

namespace lacuna::Impl {

namespace {

PetscErrorCode finalize_kokkos() {
  if (Kokkos::is_initialized()) Kokkos::finalize();
  return PETSC_SUCCESS;
}

template <class Space>
PetscErrorCode view_plans(const char* what, PetscPlans& plans, PetscViewer viewer) {
  PetscFunctionBegin;
  for (const auto* kept : plans.on<Space>().all())
    if (kept->plan() != nullptr)
      PetscCall(PetscViewerASCIIPrintf(viewer, "%s%s", what, kept->plan()->report().c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_plans(const char* what, Mat A, PetscViewer viewer) {
  PetscPlans* plans = nullptr;
  PetscFunctionBegin;
  PetscCall(petsc_plans_if_any(A, &plans));
  if (plans == nullptr) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "%sno plans of Lacuna\n", what));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(view_plans<PetscHost>(what, *plans, viewer));
  if constexpr (petsc_has_device) PetscCall(view_plans<PetscDevice>(what, *plans, viewer));
  std::string of_dense;
  PetscCall(petsc_dense_reports(A, &of_dense));
  if (!of_dense.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "%s%s", what, of_dense.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

/// PETSc with Kokkos starts it late. Where it has none, it is ours to start and to end.
PetscErrorCode petsc_start_kokkos() {
  PetscFunctionBegin;
#ifdef PETSC_HAVE_KOKKOS
  PetscCall(PetscKokkosInitializeCheck());
#else
  if (!Kokkos::is_initialized()) {
    PetscCallCXX(Kokkos::initialize());
    PetscCall(PetscRegisterFinalize(finalize_kokkos));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_check_matrix(Mat A, const char* function) {
  PetscClassId id = 0;
  PetscFunctionBegin;
  PetscCheck(A != nullptr, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "%s: there is no matrix (was it destroyed?)", function);
  PetscCall(PetscObjectGetClassId(reinterpret_cast<PetscObject>(A), &id));
  PetscCheck(id == MAT_CLASSID, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "%s: the argument is no matrix, or one that was destroyed", function);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_read_options(Mat A, PetscMatOptions* options) {
  struct Number {
    const char *name, *help, *manual;
    std::optional<std::int64_t>* value;
  };
  const Number numbers[] = {
      {"-mat_lacuna_expected_calls", "How many products with vectors or dense matrices a plan is made for (0: unknown)",
       "LacunaMatUse", &options->expected_calls},
      {"-mat_lacuna_expected_products",
       "How often a product of sparse matrices is computed with new values (0: unknown)", "LacunaRegister",
       &options->expected_products},
      {"-mat_lacuna_columns", "Columns of dense matrices that plans are made for (0: the most so far)", "LacunaMatUse",
       &options->columns}};
  PetscBool reports   = options->reports ? PETSC_TRUE : PETSC_FALSE;
  const char* prefix  = nullptr;
  const char* refused = nullptr;
  PetscFunctionBegin;
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(A));
  PetscCall(PetscObjectGetOptionsPrefix(reinterpret_cast<PetscObject>(A), &prefix));
  PetscOptionsBegin(comm, prefix, "Options of Lacuna's plans", "Mat");
  for (const Number& number : numbers) {
    PetscInt value   = static_cast<PetscInt>(number.value->value_or(0));
    PetscBool is_set = PETSC_FALSE;
    PetscCall(PetscOptionsInt(number.name, number.help, number.manual, value, &value, &is_set));
    if (is_set && value < 0) refused = number.name;
    if (is_set) *number.value = value > 0 ? std::optional<std::int64_t>(value) : std::nullopt;
  }
  PetscCall(PetscOptionsBool("-mat_lacuna_report", "Print what each plan chose, and why", "LacunaMatView", reports,
                             &reports, nullptr));
  PetscOptionsEnd();
  PetscCheck(refused == nullptr, comm, PETSC_ERR_ARG_OUTOFRANGE, "Lacuna: %s must not be negative", refused);
  options->reports = reports == PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

PetscErrorCode LacunaMatUse(Mat A) {
  using namespace lacuna::Impl;
  return petsc_guarded("LacunaMatUse", [&]() -> PetscErrorCode {
    PetscKind kind         = PetscKind::other;
    PetscBool is_assembled = PETSC_FALSE;
    MatType type           = nullptr;
    PetscPlans* plans      = nullptr;
    PetscFunctionBegin;
    PetscCall(petsc_check_build());
    PetscCall(petsc_check_matrix(A, "LacunaMatUse"));
    const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(A));
    PetscCall(MatGetType(A, &type));
    PetscCall(petsc_kind(A, &kind));
    PetscCheck(kind != PetscKind::other, comm, PETSC_ERR_SUP,
               "LacunaMatUse: matrices of type aij, aijkokkos, aijcusparse and aijhipsparse can have plans, not %s",
               type == nullptr ? "one without a type" : type);
    PetscCall(MatAssembled(A, &is_assembled));
    PetscCheck(is_assembled, comm, PETSC_ERR_ARG_WRONGSTATE, "LacunaMatUse: the matrix must be assembled before");
    PetscCall(petsc_start_kokkos());
    PetscCall(petsc_install(A));
    PetscCall(petsc_plans(A, &plans));
    PetscCall(petsc_read_options(A, &plans->options));
    if (kind == PetscKind::parallel) PetscCall(petsc_prepare_blocks(A));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

PetscErrorCode LacunaMatView(Mat A, PetscViewer viewer) {
  using namespace lacuna::Impl;
  return petsc_guarded("LacunaMatView", [&]() -> PetscErrorCode {
    PetscKind kind = PetscKind::other;
    PetscFunctionBegin;
    PetscCall(petsc_check_matrix(A, "LacunaMatView"));
    PetscCall(petsc_kind(A, &kind));
    if (kind == PetscKind::parallel) {
      Mat diagonal = nullptr, other = nullptr;
      PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &other, nullptr));
      PetscCall(view_plans("block of the diagonal: ", diagonal, viewer));
      PetscCall(view_plans("other columns: ", other, viewer));
    } else {
      PetscCall(view_plans("", A, viewer));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

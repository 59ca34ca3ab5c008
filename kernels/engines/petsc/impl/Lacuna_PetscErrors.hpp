// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCERRORS_HPP
#define LACUNA_PETSCERRORS_HPP

#include <petscmat.h>
#include <Lacuna_Error.hpp>

#include <exception>
#include <new>

/// \file
/// \brief Exceptions become PETSc's errors: none may pass through PETSc's C functions.

namespace lacuna::Impl {

/// Runs `work`, which returns a PetscErrorCode, on behalf of `function`.
template <class Work>
PetscErrorCode petsc_guarded(const char* function, const Work& work) {
  PetscFunctionBegin;
  PetscErrorCode code   = PETSC_SUCCESS;
  PetscErrorCode thrown = PETSC_SUCCESS;
  char text[1024]       = "";
  const auto note       = [&](PetscErrorCode kind, const char* what) {
    thrown = kind;
    (void)PetscStrncpy(text, what, sizeof text);
  };
  try {
    code = work();
  } catch (const OutOfMemory& error) {
    note(PETSC_ERR_MEM, error.what());
  } catch (const std::bad_alloc& error) {
    note(PETSC_ERR_MEM, error.what());
  } catch (const DimensionMismatch& error) {
    note(PETSC_ERR_ARG_SIZ, error.what());
  } catch (const NotSupported& error) {
    note(PETSC_ERR_SUP, error.what());
  } catch (const Error& error) {
    note(PETSC_ERR_ARG_WRONG, error.what());
  } catch (const std::exception& error) {
    note(PETSC_ERR_LIB, error.what());
  }
  PetscCheck(thrown == PETSC_SUCCESS, PETSC_COMM_SELF, thrown, "%s: %s", function, text);
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl

#endif

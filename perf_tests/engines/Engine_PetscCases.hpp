// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINE_PETSCCASES_HPP
#define LACUNA_ENGINE_PETSCCASES_HPP

#include <engines/Engine_PetscProblem.hpp>
#include <support/Bench_Session.hpp>
#include <support/Bench_Timing.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// \brief What solvers ask of PETSc's matrices, as cases.

namespace lacuna::bench {

/// \brief A type of matrix and the name of its cases: `aijlacuna`, `aij`, `aijkokkos`; with `+plans` behind it the
/// matrices are given to `LacunaMatUse`.
struct PetscType {
  std::string type;
  std::string implementation;  ///< `lacuna:automatic`, `petsc:aij`
};

/// \brief Names the types: the first of ours is `lacuna:automatic`, others `lacuna:<type>`, PETSc's own `petsc:<type>`.
std::vector<PetscType> name_petsc_types(const std::vector<std::string>& types);

/// \brief What can be timed, in the order in which it is.
const std::vector<std::string>& petsc_operations();

/// \brief What is timed of a problem.
struct PetscChoice {
  std::vector<std::string> operations = petsc_operations();
  std::vector<std::int64_t> columns{8, 32};  ///< of dense matrices
};

/// \brief Times MatPtAP at first and again with new values, MatMult, MatMultTranspose of P, MatMatMult with dense
/// matrices and KSPMatSolve. All processes have to run the cases, in the same order; the matrices of the type are made
/// by the first of them that needs them, and go with the cases. The problem has to live as long.
std::vector<Case> petsc_cases(PetscProblem& problem, const PetscType& type, const PetscChoice& choice,
                              const TimingOptions& timing);

}  // namespace lacuna::bench

#endif

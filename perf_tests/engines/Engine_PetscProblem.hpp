// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINE_PETSCPROBLEM_HPP
#define LACUNA_ENGINE_PETSCPROBLEM_HPP

#include <engines/Engine_PetscTools.hpp>

#include <memory>
#include <string>

/// \file
/// \brief Matrices whose times are taken, as solvers with multigrid have them.

namespace lacuna::bench {

/// \brief A matrix on a cube of points, dealt out in layers, and a prolongator to it, both of one type.
struct PetscProblem {
  std::string name;
  OwnedMat A, P;
};

/// \brief `mesh27:n=48`: 27 neighbours, trilinear interpolation from a cube of half the side. `elasticity:n=20`: three
/// unknowns of a point, six of a group of 3 x 3 x 3 points (its rigid motions), smoothed: a point takes part in every
/// group that a neighbour belongs to, with a block of 3 x 6. \throws std::runtime_error for other names
std::unique_ptr<PetscProblem> make_petsc_problem(const std::string& name, const std::string& type = MATAIJ);

}  // namespace lacuna::bench

#endif

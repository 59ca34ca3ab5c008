// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINE_PETSCPROBLEM_HPP
#define LACUNA_ENGINE_PETSCPROBLEM_HPP

#include <engines/Engine_PetscTools.hpp>

#include <string>

/// \file
/// \brief Matrices whose times are taken, as solvers with multigrid have them.

namespace lacuna::bench {

/// \brief A matrix on a cube of points, dealt out in layers, and a prolongator to it, both of one type. Each is made
/// when it is asked for first, by all processes together.
///
/// `mesh7:n=216`, `mesh27:n=48`: 7 or 27 neighbours, trilinear interpolation from a cube of half the side.
/// `elasticity:n=20`: three unknowns of a point, six of a group of 3 x 3 x 3 points (its rigid motions), smoothed: a
/// point takes part in every group that a neighbour belongs to, with a block of 3 x 6.
class PetscProblem {
 public:
  /// \throws std::runtime_error for other names
  explicit PetscProblem(std::string name, std::string type = MATAIJ);

  const std::string& name() const { return m_name; }
  Mat A();
  Mat P();
  /// \brief What making A took, of the slowest process.
  double assembly_seconds() const { return m_assembly_seconds; }

 private:
  std::string m_name, m_type;
  OwnedMat m_A, m_P;
  double m_assembly_seconds = 0;
};

}  // namespace lacuna::bench

#endif

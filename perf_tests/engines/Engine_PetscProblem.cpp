// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <engines/Engine_PetscProblem.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace lacuna::bench {

namespace {

/// A cube of points with their 26 neighbours, `unknowns` of each point.
struct Cube {
  PetscInt side, unknowns;

  PetscInt points() const { return side * side * side; }
  std::array<PetscInt, 3> place(PetscInt point) const {
    return {point % side, point / side % side, point / side / side};
  }
  /// Calls `f(neighbour)` for each, the point itself among them.
  template <class F>
  void neighbours(PetscInt point, const F& f) const {
    const auto [x, y, z] = place(point);
    for (PetscInt dz = -1; dz <= 1; ++dz)
      for (PetscInt dy = -1; dy <= 1; ++dy)
        for (PetscInt dx = -1; dx <= 1; ++dx) {
          const PetscInt u = x + dx, v = y + dy, w = z + dz;
          if (u < 0 || u >= side || v < 0 || v >= side || w < 0 || w >= side) continue;
          f((w * side + v) * side + u);
        }
  }
};

void begin_matrix(const std::string& type, PetscInt own_rows, PetscInt own_columns, PetscInt row_block,
                  PetscInt column_block, PetscInt in_row, Mat* A) {
  check(MatCreate(PETSC_COMM_WORLD, A));
  check(MatSetSizes(*A, own_rows, own_columns, PETSC_DETERMINE, PETSC_DETERMINE));
  check(MatSetBlockSizes(*A, row_block, column_block));
  check(MatSetType(*A, type.c_str()));
  check(MatSeqAIJSetPreallocation(*A, in_row, nullptr));
  check(MatMPIAIJSetPreallocation(*A, in_row, nullptr, in_row, nullptr));
  check(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
}

void end_matrix(Mat A) {
  check(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

/// Rows are dominated by their diagonal, so that solvers converge.
PetscScalar value(PetscInt row, PetscInt column, PetscInt unknowns) {
  return row == column ? static_cast<PetscScalar>(30 * unknowns)
                       : PetscScalar(-0.5 - 0.5 * static_cast<double>((row * 7 + column * 13) % 11) / 11);
}

/// The part of this process of so many points: how many, and the first.
std::pair<PetscInt, PetscInt> own_range(PetscInt all) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  const auto first = [&](PetscInt place) { return static_cast<PetscInt>(static_cast<long long>(all) * place / ranks); };
  return {first(rank + 1) - first(rank), first(rank)};
}

/// The number behind `<start>:n=`; 0 where the name is another one.
PetscInt side_of(const std::string& name, const std::string& start) {
  const std::string head = start + ":n=";
  if (!name.starts_with(head)) return 0;
  int side               = 0;
  const char* end        = name.data() + name.size();
  const auto [rest, bad] = std::from_chars(name.data() + head.size(), end, side);
  return bad == std::errc() && rest == end ? side : 0;
}

}  // namespace

std::unique_ptr<PetscProblem> make_petsc_problem(const std::string& name, const std::string& type) {
  const PetscInt side_of_elasticity = side_of(name, "elasticity");
  const bool elasticity             = side_of_elasticity > 0;
  const Cube fine{elasticity ? side_of_elasticity : side_of(name, "mesh27"), elasticity ? 3 : 1};
  if (fine.side < 1) throw std::runtime_error(name + ": neither mesh27:n=N nor elasticity:n=N");
  const PetscInt step = elasticity ? 3 : 2;
  const Cube coarse{(fine.side + step - 1) / step, elasticity ? 6 : 1};
  const auto [own, begin]               = own_range(fine.points());
  const auto [own_coarse, begin_coarse] = own_range(coarse.points());
  const PetscInt b = fine.unknowns, c = coarse.unknowns;

  auto problem  = std::make_unique<PetscProblem>();
  problem->name = name;
  begin_matrix(type, own * b, own * b, b, b, 27 * b, problem->A.out());
  begin_matrix(type, own * b, own_coarse * c, b, c, 8 * c, problem->P.out());
  std::vector<PetscScalar> block(static_cast<std::size_t>(b * std::max(b, c)));
  for (PetscInt point = begin; point < begin + own; ++point) {
    std::vector<PetscInt> groups;
    fine.neighbours(point, [&](PetscInt other) {
      for (PetscInt i = 0; i < b; ++i)
        for (PetscInt j = 0; j < b; ++j)
          block[static_cast<std::size_t>(i * b + j)] = value(point * b + i, other * b + j, b);
      check(MatSetValuesBlocked(problem->A, 1, &point, 1, &other, block.data(), INSERT_VALUES));
      const auto [x, y, z] = fine.place(other);
      // Trilinear: points of even places are points of the coarse cube.
      if (elasticity || (x % 2 == 0 && y % 2 == 0 && z % 2 == 0))
        groups.push_back((z / step * coarse.side + y / step) * coarse.side + x / step);
    });
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    for (const PetscInt group : groups) {
      for (PetscInt i = 0; i < b; ++i)
        for (PetscInt j = 0; j < c; ++j)
          block[static_cast<std::size_t>(i * c + j)] =
              1 / (PetscScalar(1) + static_cast<PetscScalar>((i + j + group) % 7));
      check(MatSetValuesBlocked(problem->P, 1, &point, 1, &group, block.data(), INSERT_VALUES));
    }
  }
  end_matrix(problem->A);
  end_matrix(problem->P);
  return problem;
}

}  // namespace lacuna::bench

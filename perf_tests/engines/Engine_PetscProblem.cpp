// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <engines/Engine_PetscProblem.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lacuna::bench {

namespace {

/// A cube of points, `unknowns` of each point, coupled with its neighbours: the 6 nearest, or all 26.
struct Cube {
  PetscInt side, unknowns;
  bool nearest = false;

  PetscInt points() const { return side * side * side; }
  PetscInt neighbours() const { return nearest ? 7 : 27; }
  std::array<PetscInt, 3> place(PetscInt point) const {
    return {point % side, point / side % side, point / side / side};
  }
  /// Calls `f(neighbour, squared distance)` for each of the 26 and for the point itself, in ascending order.
  template <class F>
  void around(PetscInt point, const F& f) const {
    const auto [x, y, z] = place(point);
    for (PetscInt dz = -1; dz <= 1; ++dz)
      for (PetscInt dy = -1; dy <= 1; ++dy)
        for (PetscInt dx = -1; dx <= 1; ++dx) {
          const PetscInt u = x + dx, v = y + dy, w = z + dz;
          if (u < 0 || u >= side || v < 0 || v >= side || w < 0 || w >= side) continue;
          f((w * side + v) * side + u, dx * dx + dy * dy + dz * dz);
        }
  }
  /// Those that a point is coupled with.
  void find_neighbours(PetscInt point, std::vector<PetscInt>* found) const {
    found->clear();
    around(point, [&](PetscInt other, PetscInt squared_distance) {
      if (!nearest || squared_distance <= 1) found->push_back(other);
    });
  }
};

/// The points of a process, from one layer to the next.
struct Range {
  PetscInt begin, end;
  PetscInt size() const { return end - begin; }
  bool has(PetscInt point) const { return point >= begin && point < end; }
};

void begin_matrix(const std::string& type, PetscInt own_rows, PetscInt own_columns, PetscInt row_block,
                  PetscInt column_block, Mat* A) {
  check(MatCreate(PETSC_COMM_WORLD, A));
  check(MatSetSizes(*A, own_rows, own_columns, PETSC_DETERMINE, PETSC_DETERMINE));
  check(MatSetBlockSizes(*A, row_block, column_block));
  check(MatSetType(*A, type.c_str()));
}

void end_matrix(Mat A) {
  check(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

/// Rows are dominated by their diagonal, so that solvers converge.
PetscScalar value(std::int64_t row, std::int64_t column, PetscInt unknowns) {
  return row == column ? static_cast<PetscScalar>(30 * unknowns)
                       : PetscScalar(-0.5 - 0.5 * static_cast<double>((row * 7 + column * 13) % 11) / 11);
}

Range own_range(PetscInt all) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  const auto first = [&](PetscInt place) { return static_cast<PetscInt>(static_cast<long long>(all) * place / ranks); };
  return {first(rank), first(rank + 1)};
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

/// The cube of points of a problem, and the one that its prolongator leads to.
struct Grids {
  Cube fine, coarse;
  PetscInt step;  // from a coarse point to the next
};

Grids grids_of(const std::string& name) {
  Cube fine{0, 1};
  if (const PetscInt side = side_of(name, "mesh7"); side > 0) fine = {side, 1, true};
  if (const PetscInt side = side_of(name, "mesh27"); side > 0) fine = {side, 1};
  if (const PetscInt side = side_of(name, "elasticity"); side > 0) fine = {side, 3};
  if (fine.side < 1) throw std::runtime_error(name + ": neither mesh7:n=N nor mesh27:n=N nor elasticity:n=N");
  const bool elasticity = fine.unknowns == 3;
  const PetscInt step   = elasticity ? 3 : 2;
  return {fine, {(fine.side + step - 1) / step, elasticity ? 6 : 1}, step};
}

/// Exactly what each row will have: nothing is copied by the assembly, and nothing left over.
void preallocate(const Cube& cube, const Range& own, Mat A) {
  std::vector<PetscInt> here(static_cast<std::size_t>(own.size())), elsewhere(here.size()), neighbours;
  for (PetscInt point = own.begin; point < own.end; ++point) {
    const auto row = static_cast<std::size_t>(point - own.begin);
    cube.find_neighbours(point, &neighbours);
    for (const PetscInt other : neighbours) ++(own.has(other) ? here : elsewhere)[row];
  }
  check(MatXAIJSetPreallocation(A, cube.unknowns, here.data(), elsewhere.data(), nullptr, nullptr));
}

void make_matrix(const Cube& cube, const std::string& type, Mat* A) {
  const Range own  = own_range(cube.points());
  const PetscInt b = cube.unknowns;
  begin_matrix(type, own.size() * b, own.size() * b, b, b, A);
  preallocate(cube, own, *A);
  std::vector<PetscInt> neighbours;
  std::vector<PetscScalar> values;
  for (PetscInt point = own.begin; point < own.end; ++point) {
    cube.find_neighbours(point, &neighbours);
    values.clear();
    for (PetscInt i = 0; i < b; ++i)
      for (const PetscInt other : neighbours)
        for (PetscInt j = 0; j < b; ++j)
          values.push_back(value(std::int64_t{point} * b + i, std::int64_t{other} * b + j, b));
    check(MatSetValuesBlocked(*A, 1, &point, static_cast<PetscInt>(neighbours.size()), neighbours.data(), values.data(),
                              INSERT_VALUES));
  }
  end_matrix(*A);
}

void make_prolongator(const Grids& grids, const std::string& type, Mat* P) {
  const auto& [fine, coarse, step] = grids;
  const Range own = own_range(fine.points()), own_coarse = own_range(coarse.points());
  const PetscInt b = fine.unknowns, c = coarse.unknowns;
  begin_matrix(type, own.size() * b, own_coarse.size() * c, b, c, P);
  check(MatSeqAIJSetPreallocation(*P, 8 * c, nullptr));
  check(MatMPIAIJSetPreallocation(*P, 8 * c, nullptr, 8 * c, nullptr));
  check(MatSetOption(*P, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  std::vector<PetscScalar> block(static_cast<std::size_t>(b * c));
  std::vector<PetscInt> groups;
  for (PetscInt point = own.begin; point < own.end; ++point) {
    groups.clear();
    fine.around(point, [&](PetscInt other, PetscInt) {
      const auto [x, y, z] = fine.place(other);
      // Trilinear: points of even places are points of the coarse cube.
      if (b > 1 || (x % 2 == 0 && y % 2 == 0 && z % 2 == 0))
        groups.push_back((z / step * coarse.side + y / step) * coarse.side + x / step);
    });
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    for (const PetscInt group : groups) {
      for (PetscInt i = 0; i < b; ++i)
        for (PetscInt j = 0; j < c; ++j)
          block[static_cast<std::size_t>(i * c + j)] =
              1 / (PetscScalar(1) + static_cast<PetscScalar>((i + j + group) % 7));
      check(MatSetValuesBlocked(*P, 1, &point, 1, &group, block.data(), INSERT_VALUES));
    }
  }
  end_matrix(*P);
}

}  // namespace

PetscProblem::PetscProblem(std::string name, std::string type) : m_name(std::move(name)), m_type(std::move(type)) {
  grids_of(m_name);  // is there one of this name?
}

// What could not be finished is not kept.
Mat PetscProblem::A() {
  if (m_A == nullptr) {
    OwnedMat made;
    m_assembly_seconds = collective_seconds(1, [&] { make_matrix(grids_of(m_name).fine, m_type, made.out()); });
    m_A.swap(made);
  }
  return m_A;
}

Mat PetscProblem::P() {
  if (m_P == nullptr) {
    OwnedMat made;
    make_prolongator(grids_of(m_name), m_type, made.out());
    m_P.swap(made);
  }
  return m_P;
}

}  // namespace lacuna::bench

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TESTS_PETSC_SUPPORT_HPP
#define LACUNA_TESTS_PETSC_SUPPORT_HPP

#include <gtest/gtest.h>
#include <petscksp.h>
#include <Lacuna_Petsc.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

/// \file
/// \brief Matrices dealt out to ranks in several ways, and what they are compared with: the same of PETSc's own type.

/// A call of PETSc that must succeed.
#define PETSC_OK(...) ASSERT_EQ(static_cast<int>(__VA_ARGS__), static_cast<int>(PETSC_SUCCESS))

namespace lacuna_test {

inline PetscReal tolerance() { return sizeof(PetscReal) == 8 ? PetscReal(1e-12) : PetscReal(1e-4); }

inline int ranks() {
  PetscMPIInt size = 1;
  (void)MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}
inline int rank() {
  PetscMPIInt number = 0;
  (void)MPI_Comm_rank(PETSC_COMM_WORLD, &number);
  return number;
}

/// Destroys what it holds.
template <class Object, PetscErrorCode (*destroy)(Object*)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Object object) : m_object(object) {}
  Owned(Owned&& other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(m_object, other.m_object);
    return *this;
  }
  Owned(const Owned&)            = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { reset(); }

  void reset() {
    if (m_object != nullptr) EXPECT_EQ(static_cast<int>(destroy(&m_object)), 0);
  }
  operator Object() const { return m_object; }
  Object* out() {
    reset();
    return &m_object;
  }
  Object* handle() { return &m_object; }

 private:
  Object m_object = nullptr;
};
using OwnedMat = Owned<Mat, MatDestroy>;
using OwnedVec = Owned<Vec, VecDestroy>;
using OwnedKsp = Owned<KSP, KSPDestroy>;

/// How rows are dealt out.
enum class Deal { evenly, none_on_first, all_on_last };

inline std::string name_of(Deal deal) {
  constexpr std::array names{"evenly", "none_on_first", "all_on_last"};
  return names[static_cast<std::size_t>(deal)];
}

inline PetscInt local_rows(Deal deal, PetscInt rows) {
  const int size = ranks(), me = rank();
  if (size == 1) return rows;
  if (deal == Deal::all_on_last) return me == size - 1 ? rows : 0;
  const int first = deal == Deal::none_on_first ? 1 : 0, having = size - first;
  if (me < first) return 0;
  return rows / having + (me - first < rows % having ? 1 : 0);
}

/// Values that no two places share, and no transpose.
inline PetscScalar value_at(PetscInt row, PetscInt column, PetscScalar scale) {
  const double diagonal = row == column ? 9.0 : 0.0;
  return static_cast<PetscScalar>(scale * (diagonal + 0.1 * ((row * 31 + column * 17) % 23) / 23.0 - 0.05));
}

/// Of a discrete Laplacian, symmetric and positive definite.
inline PetscScalar laplacian_at(PetscInt row, PetscInt column) {
  return row == column ? PetscScalar(8.05) : PetscScalar(-1);
}

/// A mesh of side x side points with `reach` neighbours to each side. `apart`: no row has columns of another rank.
template <class Value>
void make_mesh(const char* type, PetscInt side, PetscInt reach, Deal deal, bool apart, const Value& value,
               OwnedMat* mesh) {
  const PetscInt rows = side * side, own = local_rows(deal, rows);
  PetscInt begin = 0, end = 0;
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, mesh->out()));
  PETSC_OK(MatSetSizes(*mesh, own, own, rows, rows));
  PETSC_OK(MatSetType(*mesh, type));
  PETSC_OK(MatSetUp(*mesh));
  PETSC_OK(MatGetOwnershipRange(*mesh, &begin, &end));
  for (PetscInt row = begin; row < end; ++row)
    for (PetscInt dy = -reach; dy <= reach; ++dy)
      for (PetscInt dx = -reach; dx <= reach; ++dx) {
        const PetscInt y = row / side + dy, x = row % side + dx, column = y * side + x;
        if (x < 0 || x >= side || y < 0 || y >= side) continue;
        if (apart && (column < begin || column >= end)) continue;
        PETSC_OK(MatSetValue(*mesh, row, column, value(row, column), INSERT_VALUES));
      }
  PETSC_OK(MatAssemblyBegin(*mesh, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(*mesh, MAT_FINAL_ASSEMBLY));
}

inline void make_mesh(const char* type, PetscInt side, PetscInt reach, Deal deal, bool apart, OwnedMat* mesh) {
  make_mesh(
      type, side, reach, deal, apart, [](PetscInt row, PetscInt column) { return value_at(row, column, 1); }, mesh);
}

/// Vectors that fit `A`, with values that depend on the place alone.
inline void fill(Vec x, PetscInt seed) {
  PetscInt begin = 0, end = 0;
  PETSC_OK(VecGetOwnershipRange(x, &begin, &end));
  for (PetscInt i = begin; i < end; ++i)
    PETSC_OK(VecSetValue(x, i, static_cast<PetscScalar>(0.5 + ((i + seed) * 37 % 101) / 101.0), INSERT_VALUES));
  PETSC_OK(VecAssemblyBegin(x));
  PETSC_OK(VecAssemblyEnd(x));
}

/// Whether MatMult of A is not the one of PETSc's type, so that tests compare two of them.
inline bool has_plans(Mat A) {
  PetscErrorCodeFn *mult = nullptr, *plain = nullptr;
  OwnedMat other;
  EXPECT_EQ(static_cast<int>(MatGetOperation(A, MATOP_MULT, &mult)), 0);
  MatType type = nullptr;
  EXPECT_EQ(static_cast<int>(MatGetType(A, &type)), 0);
  std::string base = type;
  if (const auto at = base.find("lacuna"); at != std::string::npos) base.resize(at);
  EXPECT_EQ(static_cast<int>(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(A)), other.out())), 0);
  EXPECT_EQ(static_cast<int>(MatSetType(other, base.c_str())), 0);
  EXPECT_EQ(static_cast<int>(MatGetOperation(other, MATOP_MULT, &plain)), 0);
  return mult != plain;
}

/// How far the four products of `A` are from those of `B`, relative to the larger.
inline void expect_same_products(Mat A, Mat B) {
  for (const bool transposes : {false, true})
    for (const bool adds : {false, true}) {
      OwnedVec x, y, z, expected;
      PETSC_OK(transposes ? MatCreateVecs(A, y.out(), x.out()) : MatCreateVecs(A, x.out(), y.out()));
      PETSC_OK(VecDuplicate(y, z.out()));
      PETSC_OK(VecDuplicate(y, expected.out()));
      fill(x, 3);
      fill(y, 5);
      // MatMultTransposeAdd of aijcusparse (PETSc 3.26.1) adds what the result was, too.
      PETSC_OK(VecSet(expected, 0));
      PETSC_OK(VecSet(z, 0));
      if (has_plans(A)) fill(z, 7);
      const auto multiply = [&](Mat M, Vec result) {
        if (adds) return transposes ? MatMultTransposeAdd(M, x, y, result) : MatMultAdd(M, x, y, result);
        return transposes ? MatMultTranspose(M, x, result) : MatMult(M, x, result);
      };
      PETSC_OK(multiply(A, z));
      PETSC_OK(multiply(B, expected));
      PetscReal norm = 0, difference = 0;
      PETSC_OK(VecNorm(expected, NORM_INFINITY, &norm));
      PETSC_OK(VecAXPY(z, -1, expected));
      PETSC_OK(VecNorm(z, NORM_INFINITY, &difference));
      EXPECT_LE(difference, tolerance() * norm) << "transposes " << transposes << ", adds " << adds;
    }
}

/// What LacunaMatView prints.
inline std::string report_of(Mat A) {
  char* text         = nullptr;
  std::size_t length = 0;
  PetscViewer viewer = nullptr;
  FILE* file         = open_memstream(&text, &length);
  EXPECT_EQ(static_cast<int>(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer)), 0);
  EXPECT_EQ(static_cast<int>(LacunaMatView(A, viewer)), 0);
  EXPECT_EQ(static_cast<int>(PetscViewerDestroy(&viewer)), 0);
  std::fclose(file);
  std::string report(text, length);
  std::free(text);
  return report;
}

/// The algorithm that the first plan of a report runs; empty where there is none.
inline std::string algorithm_in(const std::string& report) {
  const std::string key = "algorithm   ";
  const auto begin      = report.find(key);
  if (begin == std::string::npos) return {};
  return report.substr(begin + key.size(), report.find(':', begin) - begin - key.size());
}

}  // namespace lacuna_test

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Petsc_Support.hpp"

#include <string>
#include <tuple>

/// \file
/// \brief Products of aijlacuna and dense matrices beside those of aij.

namespace lacuna_test {
namespace {

/// `extra`: rows between the end of a column and the next.
void make_dense(PetscInt own_rows, PetscInt columns, PetscInt extra, PetscInt seed, OwnedMat* B) {
  PetscInt begin = 0, end = 0;
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, B->out()));
  PETSC_OK(MatSetSizes(*B, own_rows, PETSC_DECIDE, PETSC_DETERMINE, columns));
  PETSC_OK(MatSetType(*B, MATDENSE));
  PETSC_OK(MatDenseSetLDA(*B, own_rows + extra));
  PETSC_OK(MatSetUp(*B));
  PETSC_OK(MatGetOwnershipRange(*B, &begin, &end));
  for (PetscInt row = begin; row < end; ++row)
    for (PetscInt column = 0; column < columns; ++column)
      PETSC_OK(MatSetValue(*B, row, column, value_at(row, column + seed, 1), INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
}

void expect_same(Mat C, Mat expected) {
  OwnedMat difference;
  PetscReal norm = 0, error = 0;
  PETSC_OK(MatDuplicate(expected, MAT_COPY_VALUES, difference.out()));
  PETSC_OK(MatNorm(difference, NORM_FROBENIUS, &norm));
  PETSC_OK(MatAXPY(difference, -1, C, SAME_NONZERO_PATTERN));
  PETSC_OK(MatNorm(difference, NORM_FROBENIUS, &error));
  EXPECT_GT(norm, 0);
  EXPECT_LE(error, tolerance() * norm);
}

using Case = std::tuple<Deal, PetscInt, bool>;  // columns; whether A is transposed

class MatTimesDense : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto [deal, columns, transposes] = GetParam();
    PETSC_OK(LacunaRegister());
    make_mesh(MATAIJLACUNA, 13, 2, deal, false, &A);
    make_mesh(MATAIJ, 13, 2, deal, false, &reference);
    PETSC_OK(MatGetLocalSize(A, &own_rows, nullptr));
    make_dense(own_rows, columns, 3, 1, &B);
  }
  void multiply(Mat M, Mat X, MatReuse reuse, OwnedMat* C) const {
    const bool transposes = std::get<2>(GetParam());
    Mat* result           = reuse == MAT_INITIAL_MATRIX ? C->out() : C->handle();
    PETSC_OK(transposes ? MatTransposeMatMult(M, X, reuse, 1, result) : MatMatMult(M, X, reuse, 1, result));
  }
  OwnedMat A, reference, B;
  PetscInt own_rows = 0;
};

TEST_P(MatTimesDense, AgainWithNewValuesAndAnotherB) {
  OwnedMat C, expected, other;
  multiply(A, B, MAT_INITIAL_MATRIX, &C);
  multiply(reference, B, MAT_INITIAL_MATRIX, &expected);
  expect_same(C, expected);
  EXPECT_NE(report_of(A).find("lacuna::SpmmPlan of a "), std::string::npos) << report_of(A);
  for (Mat M : {static_cast<Mat>(A), static_cast<Mat>(reference)}) PETSC_OK(MatScale(M, -2));
  make_dense(own_rows, std::get<1>(GetParam()), 0, 5, &other);
  multiply(A, other, MAT_REUSE_MATRIX, &C);
  // PETSc's own type wants a B with the distance between columns that the first had.
  multiply(reference, other, MAT_INITIAL_MATRIX, &expected);
  expect_same(C, expected);
}

TEST_P(MatTimesDense, NewPatternOfA) {
  OwnedMat C, expected;
  multiply(A, B, MAT_INITIAL_MATRIX, &C);
  for (Mat M : {static_cast<Mat>(A), static_cast<Mat>(reference)}) {
    PetscInt begin = 0, end = 0, rows = 0;
    PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PETSC_OK(MatGetOwnershipRange(M, &begin, &end));
    PETSC_OK(MatGetSize(M, &rows, nullptr));
    for (PetscInt row = begin; row < end; ++row) PETSC_OK(MatSetValue(M, row, rows - 1 - row, 7, INSERT_VALUES));
    PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  }
  multiply(A, B, MAT_REUSE_MATRIX, &C);
  multiply(reference, B, MAT_INITIAL_MATRIX, &expected);
  expect_same(C, expected);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatTimesDense,
                         testing::Combine(testing::Values(Deal::evenly, Deal::none_on_first, Deal::all_on_last),
                                          testing::Values(PetscInt(1), PetscInt(3), PetscInt(8), PetscInt(33)),
                                          testing::Bool()),
                         [](const auto& info) {
                           return name_of(std::get<0>(info.param)) + "_" + std::to_string(std::get<1>(info.param)) +
                                  (std::get<2>(info.param) ? "_AtB" : "_AB");
                         });

// A plan for a few columns would take more of them a few at a time.
TEST(MatTimesDenseSizes, MoreColumnsThanBefore) {
  OwnedMat A, reference, few, many, C, of_many, expected;
  PetscInt own_rows = 0;
  PETSC_OK(LacunaRegister());
  make_mesh(MATAIJLACUNA, 13, 2, Deal::evenly, false, &A);
  make_mesh(MATAIJ, 13, 2, Deal::evenly, false, &reference);
  PETSC_OK(MatGetLocalSize(A, &own_rows, nullptr));
  make_dense(own_rows, 4, 0, 1, &few);
  make_dense(own_rows, 24, 0, 2, &many);
  PETSC_OK(MatMatMult(A, few, MAT_INITIAL_MATRIX, 1, C.out()));
  EXPECT_NE(report_of(A).find("for N = 4,"), std::string::npos) << report_of(A);
  PETSC_OK(MatMatMult(A, many, MAT_INITIAL_MATRIX, 1, of_many.out()));
  EXPECT_NE(report_of(A).find("for N = 24,"), std::string::npos) << report_of(A);
  PETSC_OK(MatMatMult(reference, many, MAT_INITIAL_MATRIX, 1, expected.out()));
  expect_same(of_many, expected);
}

TEST(MatTimesDenseSizes, NoColumns) {
  OwnedMat A, B, C;
  PetscInt own_rows = 0, rows = 0, columns = 0;
  PETSC_OK(LacunaRegister());
  make_mesh(MATAIJLACUNA, 5, 1, Deal::evenly, false, &A);
  PETSC_OK(MatGetLocalSize(A, &own_rows, nullptr));
  make_dense(own_rows, 0, 0, 1, &B);
  PETSC_OK(MatMatMult(A, B, MAT_INITIAL_MATRIX, 1, C.out()));
  PETSC_OK(MatGetSize(C, &rows, &columns));
  EXPECT_EQ(rows, 25);
  EXPECT_EQ(columns, 0);
}

TEST(MatTimesDenseOptions, PlanForTheColumnsAskedFor) {
  OwnedMat A, B, C;
  PetscInt own_rows = 0;
  PETSC_OK(LacunaRegister());
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_lacuna_columns", "24"));
  make_mesh(MATAIJLACUNA, 5, 1, Deal::evenly, false, &A);
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_lacuna_columns"));
  PETSC_OK(MatGetLocalSize(A, &own_rows, nullptr));
  make_dense(own_rows, 4, 0, 1, &B);
  PETSC_OK(MatMatMult(A, B, MAT_INITIAL_MATRIX, 1, C.out()));
  EXPECT_NE(report_of(A).find("for N = 24,"), std::string::npos) << report_of(A);
}

TEST(MatTimesDenseSolver, ManyRightHandSides) {
  OwnedMat solutions[2];
  for (const int which : {0, 1}) {
    OwnedMat A, B;
    OwnedKsp solver;
    PetscInt own_rows = 0;
    PETSC_OK(LacunaRegister());
    make_mesh(which == 0 ? MATAIJLACUNA : MATAIJ, 20, 1, Deal::evenly, false, laplacian_at, &A);
    PETSC_OK(MatGetLocalSize(A, &own_rows, nullptr));
    make_dense(own_rows, 6, 0, 1, &B);
    PETSC_OK(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, solutions[which].out()));
    PETSC_OK(KSPCreate(PETSC_COMM_WORLD, solver.out()));
    PETSC_OK(KSPSetOperators(solver, A, A));
    PETSC_OK(KSPSetType(solver, KSPCG));
    PETSC_OK(KSPSetTolerances(solver, 1e-10, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    PETSC_OK(KSPMatSolve(solver, B, solutions[which]));
  }
  OwnedMat difference;
  PetscReal norm = 0, error = 0;
  PETSC_OK(MatDuplicate(solutions[1], MAT_COPY_VALUES, difference.out()));
  PETSC_OK(MatNorm(difference, NORM_FROBENIUS, &norm));
  PETSC_OK(MatAXPY(difference, -1, solutions[0], SAME_NONZERO_PATTERN));
  PETSC_OK(MatNorm(difference, NORM_FROBENIUS, &error));
  EXPECT_GT(norm, 0);
  EXPECT_LE(error, 1e3 * tolerance() * norm);
}

}  // namespace
}  // namespace lacuna_test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Petsc_Products.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief The type aijlacuna: how a matrix gets it and loses it, what inherits it, and products of sparse matrices.

namespace lacuna_test {
namespace {

std::string our_type() { return ranks() == 1 ? MATSEQAIJLACUNA : MATMPIAIJLACUNA; }
std::string base_type() { return ranks() == 1 ? MATSEQAIJ : MATMPIAIJ; }

class MatTypeLacuna : public testing::TestWithParam<Deal> {
 protected:
  void SetUp() override {
    PETSC_OK(LacunaRegister());
    make_mesh(MATAIJLACUNA, 15, 1, GetParam(), false, &A);
    make_mesh(MATAIJ, 15, 1, GetParam(), false, &reference);
    ASSERT_TRUE(has_plans(A));
  }
  OwnedMat A, reference;
};

TEST_P(MatTypeLacuna, Products) {
  EXPECT_EQ(type_of(A), our_type());
  expect_same_products(A, reference);
}

TEST_P(MatTypeLacuna, ConversionsBothWays) {
  OwnedMat there, back;
  PETSC_OK(MatConvert(reference, MATAIJLACUNA, MAT_INITIAL_MATRIX, there.out()));
  EXPECT_EQ(type_of(there), our_type());
  expect_same_products(there, reference);
  PETSC_OK(MatConvert(there, MATAIJ, MAT_INITIAL_MATRIX, back.out()));
  EXPECT_EQ(type_of(back), base_type());
  EXPECT_FALSE(has_plans(back));
  expect_same_products(back, reference);
  PETSC_OK(MatConvert(there, MATAIJ, MAT_INPLACE_MATRIX, there.handle()));
  EXPECT_EQ(type_of(there), base_type());
  EXPECT_FALSE(has_plans(there));
  expect_same_products(there, reference);
  PETSC_OK(MatConvert(there, MATAIJLACUNA, MAT_INPLACE_MATRIX, there.handle()));
  EXPECT_TRUE(has_plans(there));
  expect_same_products(there, reference);
  PETSC_OK(MatScale(A, 2));
  PETSC_OK(MatConvert(A, MATAIJ, MAT_REUSE_MATRIX, back.handle()));
  expect_same_products(A, back);
}

TEST_P(MatTypeLacuna, OtherTypes) {
  for (const char* type : {MATDENSE, MATBAIJ, MATSELL}) {
    OwnedMat other, expected;
    PETSC_OK(MatConvert(A, type, MAT_INITIAL_MATRIX, other.out()));
    PETSC_OK(MatConvert(reference, type, MAT_INITIAL_MATRIX, expected.out()));
    EXPECT_EQ(type_of(other), type_of(expected));
    expect_same_products(other, expected);
  }
}

TEST_P(MatTypeLacuna, WhatIsMadeOfItInheritsTheType) {
  OwnedMat copy, transposed, part;
  IS rows        = nullptr;
  PetscInt begin = 0, end = 0;
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, copy.out()));
  PETSC_OK(MatTranspose(A, MAT_INITIAL_MATRIX, transposed.out()));
  PETSC_OK(MatGetOwnershipRange(A, &begin, &end));
  PETSC_OK(ISCreateStride(PETSC_COMM_WORLD, (end - begin) / 2, begin, 1, &rows));
  PETSC_OK(MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, part.out()));
  PETSC_OK(ISDestroy(&rows));
  for (Mat made : {static_cast<Mat>(copy), static_cast<Mat>(transposed), static_cast<Mat>(part)}) {
    EXPECT_EQ(type_of(made), our_type());
    EXPECT_TRUE(has_plans(made));
  }
  expect_same_products(copy, reference);
}

TEST_P(MatTypeLacuna, ByOptions) {
  OwnedMat B;
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_type", "aijlacuna"));
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, B.out()));
  PETSC_OK(MatSetSizes(B, 4, 4, PETSC_DETERMINE, PETSC_DETERMINE));
  PETSC_OK(MatSetFromOptions(B));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_type"));
  EXPECT_EQ(type_of(B), our_type());
}

TEST_P(MatTypeLacuna, SequentialMatricesByOptions) {
  OwnedMat B;
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_seqaij_type", "seqaijlacuna"));
  make_mesh(MATAIJ, 15, 1, GetParam(), false, &B);
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_seqaij_type"));
  if (ranks() == 1) EXPECT_EQ(type_of(B), MATSEQAIJLACUNA);
  expect_same_products(B, reference);
}

TEST_P(MatTypeLacuna, SparseProductsAgainWithNewValues) {
  Factors ours, theirs;
  ours.make(MATAIJLACUNA, GetParam());
  theirs.make(MATAIJ, GetParam());
  for (const MatProductType type : products) {
    if (ranks() > 1 && (type == MATPRODUCT_ABt || type == MATPRODUCT_RARt)) continue;  // PETSc has none
    SCOPED_TRACE(MatProductTypes[type]);
    OwnedMat C, expected;
    ours.multiply(type, &C);
    theirs.multiply(type, &expected);
    EXPECT_EQ(type_of(C), our_type());
    EXPECT_TRUE(has_plans(C));
    if (ranks() == 1 || type != MATPRODUCT_ABC) EXPECT_TRUE(is_our_product(C));
    EXPECT_FALSE(is_our_product(expected));
    expect_same(C, expected);
    expect_same_products(C, expected);
    expect_same_with_new_values(ours, theirs, C, expected);
    // Values of the product that another wrote are computed again.
    PETSC_OK(MatScale(C, 7));
    PETSC_OK(MatProductNumeric(C));
    expect_same(C, expected);
  }
}

// As PETSc brings the rows of other processes into matrices of its own: no state tells of them.
TEST_P(MatTypeLacuna, NewValuesThatNoStateTellsOf) {
  if (ranks() > 1) GTEST_SKIP() << "of sequential matrices";
  Factors ours, theirs;
  ours.make(MATAIJLACUNA, GetParam());
  theirs.make(MATAIJ, GetParam());
  for (const MatProductType type : {MATPRODUCT_AB, MATPRODUCT_PtAP}) {
    SCOPED_TRACE(MatProductTypes[type]);
    OwnedMat C, expected;
    ours.multiply(type, &C);
    theirs.multiply(type, &expected);
    for (Mat P : {static_cast<Mat>(ours.P), static_cast<Mat>(theirs.P)}) {
      PetscScalar* values = nullptr;
      PETSC_OK(MatSeqAIJGetArrayWrite(P, &values));
      values[1] = 7;
      PETSC_OK(MatSeqAIJRestoreArrayWrite(P, &values));
    }
    PETSC_OK(MatProductNumeric(C));
    PETSC_OK(MatProductNumeric(expected));
    expect_same(C, expected);
  }
}

TEST_P(MatTypeLacuna, TimesADiagonalMatrix) {
  Factors ours, theirs;
  ours.make(MATAIJLACUNA, GetParam());
  theirs.make(MATAIJ, GetParam());
  OwnedVec elements;
  OwnedMat diagonal, C, expected;
  PETSC_OK(MatCreateVecs(theirs.A, elements.out(), nullptr));
  fill(elements, 2);
  PETSC_OK(MatCreateDiagonal(elements, diagonal.out()));
  PETSC_OK(MatMatMult(ours.A, diagonal, MAT_INITIAL_MATRIX, 1, C.out()));
  PETSC_OK(MatMatMult(theirs.A, diagonal, MAT_INITIAL_MATRIX, 1, expected.out()));
  expect_same(C, expected);
}

TEST_P(MatTypeLacuna, SparseProductsOutliveTheirFactors) {
  OwnedMat C, expected;
  {
    Factors ours, theirs;
    ours.make(MATAIJLACUNA, GetParam());
    theirs.make(MATAIJ, GetParam());
    PETSC_OK(MatPtAP(ours.A, ours.P, MAT_INITIAL_MATRIX, 1, C.out()));
    PETSC_OK(MatPtAP(theirs.A, theirs.P, MAT_INITIAL_MATRIX, 1, expected.out()));
    PETSC_OK(MatPtAP(ours.A, ours.P, MAT_REUSE_MATRIX, 1, C.handle()));
    PETSC_OK(MatPtAP(theirs.A, theirs.P, MAT_REUSE_MATRIX, 1, expected.handle()));
  }
  expect_same(C, expected);
  PETSC_OK(MatProductClear(C));
  OwnedMat copy;
  PETSC_OK(MatDuplicate(C, MAT_COPY_VALUES, copy.out()));
  C.reset();
  expect_same(copy, expected);
}

TEST_P(MatTypeLacuna, FactorsThatGetANewPattern) {
  for (const MatProductType type : products) {
    if (ranks() > 1 && (type == MATPRODUCT_ABt || type == MATPRODUCT_RARt || type == MATPRODUCT_ABC)) continue;
    SCOPED_TRACE(MatProductTypes[type]);
    Factors ours, theirs;
    ours.make(MATAIJLACUNA, GetParam());
    theirs.make(MATAIJ, GetParam());
    OwnedMat C, expected;
    ours.multiply(type, &C);
    ASSERT_TRUE(is_our_product(C));
    expect_same_products(C, C);  // so that C has plans
    for (const Factors* factors : {&ours, &theirs}) add_antidiagonal(factors->A);
    theirs.multiply(type, &expected);
    PETSC_OK(MatProductNumeric(C));
    expect_same(C, expected);
    expect_same_products(C, expected);
    ours.change(-2);
    theirs.change(-2);
    PETSC_OK(MatProductNumeric(C));
    PETSC_OK(MatProductNumeric(expected));
    expect_same(C, expected);
  }
}

TEST_P(MatTypeLacuna, ProductsThatGetANewPattern) {
  Factors ours, theirs;
  ours.make(MATAIJLACUNA, GetParam());
  theirs.make(MATAIJ, GetParam());
  OwnedMat C, expected;
  ours.multiply(MATPRODUCT_PtAP, &C);
  theirs.multiply(MATPRODUCT_PtAP, &expected);
  for (Mat M : {static_cast<Mat>(C), static_cast<Mat>(expected)}) add_antidiagonal(M);
  expect_same(C, expected);
  expect_same_products(C, expected);
}

TEST_P(MatTypeLacuna, SparseProductsWithPetscsOwnType) {
  Factors ours, theirs;
  ours.make(MATAIJLACUNA, GetParam());
  theirs.make(MATAIJ, GetParam());
  OwnedMat mixed, mixed_too, expected;
  PETSC_OK(MatMatMult(theirs.A, theirs.P, MAT_INITIAL_MATRIX, 1, expected.out()));
  PETSC_OK(MatMatMult(ours.A, theirs.P, MAT_INITIAL_MATRIX, 1, mixed.out()));
  expect_same(mixed, expected);
  PETSC_OK(MatMatMult(theirs.A, ours.P, MAT_INITIAL_MATRIX, 1, mixed_too.out()));
  expect_same(mixed_too, expected);
}

TEST_P(MatTypeLacuna, BlockSizesOfProducts) {
  Factors ours;
  ours.make(MATAIJLACUNA, Deal::evenly);
  OwnedMat C, left, right;
  for (auto* B : {&left, &right}) {
    PETSC_OK(MatCreate(PETSC_COMM_WORLD, B->out()));
    PETSC_OK(MatSetSizes(*B, 6, 6, PETSC_DETERMINE, PETSC_DETERMINE));
    PETSC_OK(MatSetBlockSizes(*B, B == &left ? 3 : 2, B == &left ? 2 : 3));
    PETSC_OK(MatSetType(*B, MATAIJLACUNA));
    PETSC_OK(MatSetUp(*B));
    PETSC_OK(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatShift(*B, 2));
  }
  PetscInt rows = 0, columns = 0;
  PETSC_OK(MatMatMult(left, right, MAT_INITIAL_MATRIX, 1, C.out()));
  PETSC_OK(MatGetBlockSizes(C, &rows, &columns));
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(columns, 3);
  PETSC_OK(MatTransposeMatMult(left, left, MAT_INITIAL_MATRIX, 1, C.out()));
  PETSC_OK(MatGetBlockSizes(C, &rows, &columns));
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(columns, 2);
}

TEST_P(MatTypeLacuna, MultigridSolvesAsWithPetscsOwnType) {
  PetscInt iterations[2] = {0, 0};
  PetscReal residual[2]  = {0, 0};
  for (const int which : {0, 1}) {
    OwnedMat M;
    OwnedKsp solver;
    OwnedVec x, b;
    PC preconditioner = nullptr, multigrid = nullptr;
    make_mesh(which == 0 ? MATAIJLACUNA : MATAIJ, 40, 1, GetParam(), false, laplacian_at, &M);
    PETSC_OK(MatCreateVecs(M, x.out(), b.out()));
    fill(b, 1);
    PETSC_OK(KSPCreate(PETSC_COMM_WORLD, solver.out()));
    PETSC_OK(KSPSetOperators(solver, M, M));
    PETSC_OK(KSPSetType(solver, KSPCG));
    PETSC_OK(KSPGetPC(solver, &preconditioner));
    PETSC_OK(PCSetType(preconditioner, PCGAMG));
    PETSC_OK(KSPSetTolerances(solver, 1e-9, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    // Twice, with new values: the hierarchy is computed again.
    for (const PetscScalar by : {PetscScalar(1), PetscScalar(1.5)}) {
      PETSC_OK(MatScale(M, by));
      PETSC_OK(KSPSolve(solver, b, x));
    }
    PETSC_OK(KSPGetIterationNumber(solver, &iterations[which]));
    PETSC_OK(KSPGetResidualNorm(solver, &residual[which]));
    if (which == 0) {
      PetscInt levels = 0;
      PETSC_OK(KSPGetPC(solver, &multigrid));
      PETSC_OK(PCMGGetLevels(multigrid, &levels));
      EXPECT_GT(levels, 1);
      for (PetscInt level = 1; level < levels; ++level) {
        Mat P = nullptr;
        PETSC_OK(PCMGGetInterpolation(multigrid, level, &P));
        EXPECT_EQ(type_of(P), our_type()) << level;
        KSP smoother = nullptr;
        Mat coarse   = nullptr;
        PETSC_OK(PCMGGetSmoother(multigrid, level - 1, &smoother));
        PETSC_OK(KSPGetOperators(smoother, &coarse, nullptr));
        EXPECT_EQ(type_of(coarse), our_type()) << level;
      }
    }
  }
  EXPECT_GT(iterations[0], 1);
  EXPECT_EQ(iterations[0], iterations[1]);
  EXPECT_NEAR(residual[0], residual[1], 1e-3 * residual[1]);
}

/// Names of types of PETSc's own whose matrices have plans from the start, each with the type that they get.
std::vector<std::pair<const char*, std::string>> names_with_plans() {
  std::vector<std::pair<const char*, std::string>> names;
#ifdef PETSC_HAVE_KOKKOS_KERNELS
  names.emplace_back(MATAIJKOKKOSLACUNA, "aijkokkos");
#endif
#ifdef PETSC_HAVE_CUDA
  names.emplace_back(MATAIJCUSPARSELACUNA, "aijcusparse");
#endif
#ifdef PETSC_HAVE_HIP
  names.emplace_back(MATAIJHIPSPARSELACUNA, "aijhipsparse");
#endif
  return names;
}

class MatTypeWithPlans : public testing::TestWithParam<Deal> {};

TEST_P(MatTypeWithPlans, IsPetscsTypeAndItsProductsAreOurs) {
  PETSC_OK(LacunaRegister());
  OwnedMat reference;
  make_mesh(MATAIJ, 15, 1, GetParam(), false, &reference);
  for (const auto& [name, type] : names_with_plans()) {
    SCOPED_TRACE(name);
    OwnedMat A, copy;
    make_mesh(name, 15, 1, GetParam(), false, &A);
    EXPECT_EQ(type_of(A), (ranks() == 1 ? "seq" : "mpi") + type);
    ASSERT_TRUE(has_plans(A));
    expect_same_products(A, reference);
    EXPECT_NE(report_of(A).find("lacuna::SpmvPlan of a "), std::string::npos) << report_of(A);
    PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, copy.out()));
    EXPECT_TRUE(has_plans(copy));
    PETSC_OK(MatScale(copy, 3));
    PETSC_OK(MatScale(copy, PetscScalar(1) / 3));
    expect_same_products(copy, reference);
    // Given the type again, before anything is in it.
    OwnedMat again;
    PETSC_OK(MatCreate(PETSC_COMM_WORLD, again.out()));
    PETSC_OK(MatSetSizes(again, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE));
    for (int time = 0; time < 2; ++time) PETSC_OK(MatSetType(again, name));
    EXPECT_EQ(type_of(again), type_of(A));
    EXPECT_TRUE(has_plans(again));
  }
}

INSTANTIATE_TEST_SUITE_P(Deals, MatTypeWithPlans, testing::Values(Deal::evenly, Deal::none_on_first),
                         [](const auto& info) { return name_of(info.param); });

INSTANTIATE_TEST_SUITE_P(Deals, MatTypeLacuna, testing::Values(Deal::evenly, Deal::none_on_first, Deal::all_on_last),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace lacuna_test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Petsc_Products.hpp"

#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

/// \file
/// \brief Products of matrices that PETSc has on a device, beside those of aij on the host.

namespace lacuna_test {
namespace {

std::vector<const char*> device_types() {
  std::vector<const char*> types;
#ifdef PETSC_HAVE_KOKKOS_KERNELS
  types.push_back(MATAIJKOKKOS);
#endif
#ifdef PETSC_HAVE_CUDA
  types.push_back(MATAIJCUSPARSE);
#endif
#ifdef PETSC_HAVE_HIP
  types.push_back(MATAIJHIPSPARSE);
#endif
  return types;
}

Factors make_ours(const char* type) {
  Factors ours;
  ours.make(type, Deal::evenly);
  for (Mat M : {static_cast<Mat>(ours.A), static_cast<Mat>(ours.P), static_cast<Mat>(ours.R)})
    EXPECT_EQ(static_cast<int>(LacunaMatUse(M)), 0);
  return ours;
}

class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (ranks() > 1) GTEST_SKIP() << "of sequential matrices";
    ours = make_ours(GetParam());
    theirs.make(MATAIJ, Deal::evenly);
  }
  Factors ours, theirs;
};

TEST_P(OnDevice, SparseProductsAgainWithNewValues) {
  for (const MatProductType type : products) {
    SCOPED_TRACE(MatProductTypes[type]);
    OwnedMat C, expected;
    ours.multiply(type, &C);
    theirs.multiply(type, &expected);
    EXPECT_EQ(type_of(C), type_of(ours.A));
    EXPECT_TRUE(has_plans(C));
    EXPECT_TRUE(is_our_product(C));
    expect_same(C, expected);
    expect_same_with_new_values(ours, theirs, C, expected);
  }
}

TEST_P(OnDevice, FactorsThatGetANewPattern) {
  for (const MatProductType type : products) {
    SCOPED_TRACE(MatProductTypes[type]);
    Factors changed = make_ours(GetParam()), reference;
    reference.make(MATAIJ, Deal::evenly);
    OwnedMat C, expected;
    changed.multiply(type, &C);
    ASSERT_TRUE(is_our_product(C));
    expect_same_products(C, C);  // so that C has plans
    for (const Factors* factors : {&changed, &reference}) add_antidiagonal(factors->A);
    reference.multiply(type, &expected);
    PETSC_OK(MatProductNumeric(C));
    expect_same(C, expected);
    expect_same_products(C, expected);
  }
}

TEST_P(OnDevice, ProductsOutliveTheirFactors) {
  OwnedMat C, expected;
  {
    Factors others = make_ours(GetParam());
    PETSC_OK(MatPtAP(others.A, others.P, MAT_INITIAL_MATRIX, 1, C.out()));
    PETSC_OK(MatPtAP(theirs.A, theirs.P, MAT_INITIAL_MATRIX, 1, expected.out()));
  }
  PETSC_OK(MatProductClear(C));
  expect_same(C, expected);
  expect_same_products(C, expected);
}

#ifdef PETSC_HAVE_HIP
constexpr const char* dense_on_device = MATDENSEHIP;
#else
constexpr const char* dense_on_device = MATDENSECUDA;
#endif

/// `rows`: of this process.
void make_dense(const char* type, PetscInt rows, PetscInt columns, PetscInt extra, OwnedMat* B) {
  PetscInt first = 0, end = 0;
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, B->out()));
  PETSC_OK(MatSetSizes(*B, rows, PETSC_DECIDE, PETSC_DETERMINE, columns));
  PETSC_OK(MatSetType(*B, type));
  PETSC_OK(MatDenseSetLDA(*B, rows + extra));
  PETSC_OK(MatSetUp(*B));
  PETSC_OK(MatGetOwnershipRange(*B, &first, &end));
  for (PetscInt row = first; row < end; ++row)
    for (PetscInt column = 0; column < columns; ++column)
      PETSC_OK(MatSetValue(*B, row, column, value_at(row, column, 1), INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
}

/// Of the rows of this process.
void expect_same_dense(Mat C, Mat expected) {
  PetscInt rows = 0, columns = 0, stride_c = 0, stride = 0;
  const PetscScalar *found = nullptr, *wanted = nullptr;
  PETSC_OK(MatGetLocalSize(expected, &rows, nullptr));
  PETSC_OK(MatGetSize(expected, nullptr, &columns));
  PETSC_OK(MatDenseGetLDA(C, &stride_c));
  PETSC_OK(MatDenseGetLDA(expected, &stride));
  PETSC_OK(MatDenseGetArrayRead(C, &found));
  PETSC_OK(MatDenseGetArrayRead(expected, &wanted));
  for (PetscInt column = 0; column < columns; ++column)
    for (PetscInt row = 0; row < rows; ++row)
      ASSERT_NEAR(found[column * stride_c + row], wanted[column * stride + row], 100 * tolerance())
          << "row " << row << ", column " << column;
  PETSC_OK(MatDenseRestoreArrayRead(expected, &wanted));
  PETSC_OK(MatDenseRestoreArrayRead(C, &found));
}

/// op(P) B with B where P is, beside the same of aij on the host, then `again`, both with new values.
void expect_same_dense_products(Mat P, Mat reference, bool transposes, PetscInt columns, bool again = true) {
  OwnedMat B, C, plain_B, expected;
  PetscInt rows = 0, coarse = 0;
  PETSC_OK(MatGetLocalSize(P, &rows, &coarse));
  make_dense(dense_on_device, transposes ? rows : coarse, columns, 3, &B);
  make_dense(MATDENSE, transposes ? rows : coarse, columns, 0, &plain_B);
  const auto multiply = [transposes](Mat A, Mat X, MatReuse reuse, Mat* Y) {
    return transposes ? MatTransposeMatMult(A, X, reuse, 1, Y) : MatMatMult(A, X, reuse, 1, Y);
  };
  PETSC_OK(multiply(P, B, MAT_INITIAL_MATRIX, C.out()));
  PETSC_OK(multiply(reference, plain_B, MAT_INITIAL_MATRIX, expected.out()));
  expect_same_dense(C, expected);
  if (!again) return;
  PETSC_OK(MatScale(P, -2));
  PETSC_OK(MatScale(reference, -2));
  PETSC_OK(multiply(P, B, MAT_REUSE_MATRIX, C.handle()));
  PETSC_OK(multiply(reference, plain_B, MAT_REUSE_MATRIX, expected.handle()));
  expect_same_dense(C, expected);
}

TEST_P(OnDevice, DenseMatricesAgainWithNewValues) {
  for (const bool transposes : {false, true})
    for (const PetscInt columns : {1, 3, 8, 33}) {
      SCOPED_TRACE(testing::Message() << columns << " columns, transposes " << transposes);
      expect_same_dense_products(ours.P, theirs.P, transposes, columns);
      EXPECT_NE(report_of(ours.P).find("lacuna::SpmmPlan of a "), std::string::npos) << report_of(ours.P);
    }
}

// A row map without the empty rows is what PETSc has on the device where most rows are empty.
TEST_P(OnDevice, MostRowsEmpty) {
  OwnedMat A, reference;
  for (OwnedMat* M : {&A, &reference}) {
    PETSC_OK(MatCreate(PETSC_COMM_WORLD, M->out()));
    PETSC_OK(MatSetSizes(*M, 100, 40, 100, 40));
    PETSC_OK(MatSetType(*M, M == &A ? GetParam() : MATAIJ));
    PETSC_OK(MatSetUp(*M));
    for (PetscInt row = 3; row < 100; row += 7)
      for (PetscInt i = 0; i < 3; ++i)
        PETSC_OK(MatSetValue(*M, row, (row + 11 * i) % 40, value_at(row, i, 5), INSERT_VALUES));
    PETSC_OK(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  }
  PETSC_OK(LacunaMatUse(A));
  expect_same_products(A, reference);
  OwnedMat C, expected;
  PETSC_OK(MatTransposeMatMult(A, A, MAT_INITIAL_MATRIX, 1, C.out()));
  PETSC_OK(MatTransposeMatMult(reference, reference, MAT_INITIAL_MATRIX, 1, expected.out()));
  EXPECT_TRUE(is_our_product(C));
  expect_same(C, expected);
}

/// Of B's values alone: PETSc brings rows of other processes into matrices of its own, and tells nobody.
void expect_same_with_new_values_of_P(const Factors& ours, const Factors& theirs, Mat C, Mat expected) {
  PETSC_OK(MatScale(ours.P, -3));
  PETSC_OK(MatScale(theirs.P, -3));
  PETSC_OK(MatProductNumeric(C));
  PETSC_OK(MatProductNumeric(expected));
  expect_same(C, expected);
}

class ParallelOnDevice : public testing::TestWithParam<std::tuple<const char*, Deal>> {};

TEST_P(ParallelOnDevice, SparseProductsAgainWithNewValues) {
  const auto [type, deal] = GetParam();
  Factors ours, theirs;
  ours.make(type, deal);
  theirs.make(MATAIJ, deal);
  PETSC_OK(LacunaMatUse(ours.A));
  PETSC_OK(LacunaMatUse(ours.P));
  for (const MatProductType product : {MATPRODUCT_AB, MATPRODUCT_AtB, MATPRODUCT_PtAP}) {
    SCOPED_TRACE(MatProductTypes[product]);
    OwnedMat C, expected;
    ours.multiply(product, &C);
    theirs.multiply(product, &expected);
    EXPECT_EQ(type_of(C), type_of(ours.A));
    expect_same(C, expected);
    PETSC_OK(MatProductNumeric(C));
    expect_same(C, expected);
    expect_same_with_new_values_of_P(ours, theirs, C, expected);
    expect_same_with_new_values(ours, theirs, C, expected);
  }
}

TEST_P(ParallelOnDevice, ProductsAreOurs) {
  const auto [type, deal] = GetParam();
  if (deal != Deal::evenly) GTEST_SKIP() << "the first process, which prints, has no rows";
  Factors ours;
  ours.make(type, deal);
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_lacuna_report", "1"));
  PETSC_OK(LacunaMatUse(ours.A));
  PETSC_OK(LacunaMatUse(ours.P));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_lacuna_report"));
  for (const MatProductType product : {MATPRODUCT_AB, MATPRODUCT_AtB, MATPRODUCT_PtAP}) {
    OwnedMat C;
    testing::internal::CaptureStdout();
    ours.multiply(product, &C);
    std::fflush(stdout);
    const std::string printed = testing::internal::GetCapturedStdout();
    if (rank() == 0) EXPECT_NE(printed.find("lacuna::SpgemmPlan"), std::string::npos) << MatProductTypes[product];
    EXPECT_TRUE(is_our_product(C) && has_plans(C)) << MatProductTypes[product];
  }
}

/// PETSc computes AB by the products of the blocks, which are ours, and sends rows of B from device to device. AᵀB is
/// PETSc's, which takes the old values of A again in 3.26.1.
TEST_P(ParallelOnDevice, DenseMatricesAgainWithNewValues) {
  if (ranks() == 1) GTEST_SKIP() << "OnDevice does that";
  const auto [type, deal] = GetParam();
  Factors ours, theirs;
  ours.make(type, deal);
  theirs.make(MATAIJ, deal);
  PETSC_OK(LacunaMatUse(ours.P));
  for (const bool transposes : {false, true})
    for (const PetscInt columns : {1, 3, 8, 33}) {
      SCOPED_TRACE(testing::Message() << columns << " columns, transposes " << transposes);
      expect_same_dense_products(ours.P, theirs.P, transposes, columns, !transposes);
      const std::string wanted = "for N = " + std::to_string(columns);
      if (deal == Deal::evenly && !transposes)
        EXPECT_NE(report_of(ours.P).find(wanted), std::string::npos) << report_of(ours.P);
    }
}

INSTANTIATE_TEST_SUITE_P(Types, ParallelOnDevice,
                         testing::Combine(testing::ValuesIn(device_types()),
                                          testing::Values(Deal::evenly, Deal::none_on_first)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" + name_of(std::get<1>(info.param));
                         });

INSTANTIATE_TEST_SUITE_P(Types, OnDevice, testing::ValuesIn(device_types()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace lacuna_test

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Petsc_Support.hpp"

#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// \file
/// \brief LacunaMatUse: the four products, and all that may happen to a matrix between two of them.

namespace lacuna_test {
namespace {

using Case = std::tuple<const char*, Deal, bool>;

class MatUse : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto [type, deal, apart] = GetParam();
    make_mesh(type, 17, 2, deal, apart, &A);
    PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, reference.out()));
    PETSC_OK(LacunaMatUse(A));
    ASSERT_TRUE(has_plans(A));
    ASSERT_FALSE(has_plans(reference));
  }

  /// Products before, so that there are plans that must see what comes.
  template <class Change>
  void expect_same_after(const Change& change) {
    expect_same_products(A, reference);
    change(A);
    change(reference);
    expect_same_products(A, reference);
  }

  OwnedMat A, reference;
};

TEST_P(MatUse, Products) { expect_same_products(A, reference); }

TEST_P(MatUse, Scale) {
  expect_same_after([](Mat M) { PETSC_OK(MatScale(M, -3)); });
}

TEST_P(MatUse, Shift) {
  expect_same_after([](Mat M) { PETSC_OK(MatShift(M, 2)); });
}

TEST_P(MatUse, ZeroRowsWithAndWithoutTheirPlaces) {
  for (const PetscBool keeps : {PETSC_TRUE, PETSC_FALSE})
    expect_same_after([keeps](Mat M) {
      PetscInt begin = 0, end = 0;
      PETSC_OK(MatGetOwnershipRange(M, &begin, &end));
      const PetscInt rows[] = {begin, end - 1};
      PETSC_OK(MatSetOption(M, MAT_KEEP_NONZERO_PATTERN, keeps));
      PETSC_OK(MatZeroRows(M, end - begin > 1 ? 2 : 0, rows, 4, nullptr, nullptr));
    });
}

TEST_P(MatUse, OneNewValue) {
  expect_same_after([](Mat M) {
    PetscInt begin = 0, end = 0;
    PETSC_OK(MatGetOwnershipRange(M, &begin, &end));
    if (end > begin) PETSC_OK(MatSetValue(M, begin, begin, 11, INSERT_VALUES));
    PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  });
}

TEST_P(MatUse, NewPattern) {
  expect_same_after([](Mat M) {
    PetscInt begin = 0, end = 0, rows = 0;
    PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PETSC_OK(MatGetOwnershipRange(M, &begin, &end));
    PETSC_OK(MatGetSize(M, &rows, nullptr));
    // Columns that rows did not have: PETSC makes other blocks for other ranks' columns.
    for (PetscInt row = begin; row < end; row += 3) PETSC_OK(MatSetValue(M, row, rows - 1 - row, 7, INSERT_VALUES));
    PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  });
}

TEST_P(MatUse, DuplicateHasPlansOfItsOwn) {
  OwnedMat copy;
  expect_same_products(A, reference);
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, copy.out()));
  ASSERT_TRUE(has_plans(copy));
  PETSC_OK(MatScale(A, 5));
  expect_same_products(copy, reference);
  A.reset();
  expect_same_products(copy, reference);
}

TEST_P(MatUse, PatternWithoutValues) {
  OwnedMat copy, zeros;
  PETSC_OK(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, copy.out()));
  PETSC_OK(MatDuplicate(reference, MAT_DO_NOT_COPY_VALUES, zeros.out()));
  expect_same_products(copy, zeros);
}

TEST_P(MatUse, CopyAndAxpy) {
  OwnedMat other;
  PETSC_OK(MatDuplicate(reference, MAT_COPY_VALUES, other.out()));
  PETSC_OK(MatScale(other, 2));
  expect_same_after([&](Mat M) { PETSC_OK(MatAXPY(M, 0.5, other, SAME_NONZERO_PATTERN)); });
  expect_same_after([&](Mat M) { PETSC_OK(MatCopy(other, M, SAME_NONZERO_PATTERN)); });
}

TEST_P(MatUse, HeaderReplacedByAnotherMatrix) {
  const auto [type, deal, apart] = GetParam();
  expect_same_products(A, reference);
  OwnedMat other;
  make_mesh(type, 17, 1, deal, apart, &other);
  PETSC_OK(MatDuplicate(other, MAT_COPY_VALUES, reference.out()));
  PETSC_OK(MatHeaderReplace(A, other.handle()));
  expect_same_products(A, reference);
}

TEST_P(MatUse, TwiceIsOnce) {
  PETSC_OK(LacunaMatUse(A));
  expect_same_products(A, reference);
}

TEST_P(MatUse, PlansThatCopyValues) {
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_lacuna_expected_calls", "1000000"));
  PETSC_OK(LacunaMatUse(A));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_lacuna_expected_calls"));
  expect_same_after([](Mat M) { PETSC_OK(MatScale(M, -3)); });
  PetscInt rows = 0;
  PETSC_OK(MatGetLocalSize(A, &rows, nullptr));
  if (rows == 0) return;
  EXPECT_FALSE(algorithm_in(report_of(A)).empty()) << report_of(A);
  if (report_of(A).find("storage     0 B beside A") != std::string::npos)
    GTEST_SKIP() << "here plans read the values of A however many products come";
}

TEST_P(MatUse, ABetterPlanAfterManyProducts) {
  OwnedVec x, y;
  OwnedMat known;
  PETSC_OK(MatCreateVecs(A, x.out(), y.out()));
  fill(x, 3);
  PETSC_OK(MatDuplicate(reference, MAT_COPY_VALUES, known.out()));
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_lacuna_expected_calls", "1000"));
  PETSC_OK(LacunaMatUse(known));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_lacuna_expected_calls"));
  PETSC_OK(MatMult(known, x, y));
  PETSC_OK(MatMult(A, x, y));
  const std::string better = algorithm_in(report_of(known)), first = algorithm_in(report_of(A));
  const auto runs = [&] { return algorithm_in(report_of(A)); };
  for (int i = 1; i < 99; ++i) PETSC_OK(MatMult(A, x, y));
  // Few rows, as a process may have of these, are soon multiplied in any storage.
  if (ranks() == 1) EXPECT_EQ(runs(), first) << report_of(A);
  for (int i = 0; i < 2; ++i) PETSC_OK(MatMult(A, x, y));
  if (ranks() == 1) EXPECT_EQ(runs(), better) << report_of(A);
  expect_same_after([](Mat M) { PETSC_OK(MatScale(M, -3)); });
  if (ranks() == 1) EXPECT_EQ(runs(), first) << report_of(A);
  // What this processor has no use for cannot be seen on it.
  if (ranks() == 1 && better == first) GTEST_SKIP() << "here " << first << " is best for any number of products";
}

TEST_P(MatUse, ReportNamesWhatRuns) {
  EXPECT_EQ(report_of(A).find("lacuna::SpmvPlan of a "), std::string::npos);
  expect_same_products(A, reference);
  EXPECT_NE(report_of(A).find("lacuna::SpmvPlan of a "), std::string::npos) << report_of(A);
  EXPECT_EQ(report_of(reference).find("lacuna::SpmvPlan"), std::string::npos);
}

std::vector<const char*> types() {
  std::vector<const char*> names{MATAIJ};
#ifdef PETSC_HAVE_KOKKOS_KERNELS
  names.push_back(MATAIJKOKKOS);
#endif
#ifdef PETSC_HAVE_CUDA
  names.push_back(MATAIJCUSPARSE);
#endif
  return names;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* type : types())
    for (const Deal deal : {Deal::evenly, Deal::none_on_first, Deal::all_on_last})
      for (const bool apart : {false, true}) all.emplace_back(type, deal, apart);
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto [type, deal, apart] = info.param;
  return std::string(type) + "_" + name_of(deal) + (apart ? "_apart" : "_coupled");
}

INSTANTIATE_TEST_SUITE_P(Types, MatUse, testing::ValuesIn(cases()), name_of);

/// What PETSc says of the last error.
class Refused : public testing::Test {
 protected:
  void SetUp() override { PETSC_OK(PetscPushErrorHandler(keep, &m_text)); }
  void TearDown() override { PETSC_OK(PetscPopErrorHandler()); }

  static PetscErrorCode keep(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType kind,
                             const char* text, void* kept) {
    if (kind == PETSC_ERROR_INITIAL) *static_cast<std::string*>(kept) = text;
    return code;
  }
  std::string m_text;
};

PetscErrorCode multiply_nothing(Mat, Vec, Vec) { return PETSC_SUCCESS; }

TEST_F(Refused, NoMatrix) {
  EXPECT_EQ(LacunaMatUse(nullptr), PETSC_ERR_ARG_NULL);
  EXPECT_NE(m_text.find("there is no matrix"), std::string::npos) << m_text;
}

TEST_F(Refused, ADestroyedMatrix) {
  OwnedMat mesh;
  make_mesh(MATAIJ, 5, 1, Deal::evenly, false, &mesh);
  PETSC_OK(MatDestroy(mesh.handle()));
  EXPECT_EQ(LacunaMatUse(mesh), PETSC_ERR_ARG_NULL);
}

TEST_F(Refused, AVector) {
  OwnedVec x;
  PETSC_OK(VecCreateSeq(PETSC_COMM_SELF, 3, x.out()));
  EXPECT_EQ(LacunaMatUse(reinterpret_cast<Mat>(static_cast<Vec>(x))), PETSC_ERR_ARG_WRONG);
  EXPECT_NE(m_text.find("no matrix"), std::string::npos) << m_text;
}

TEST_F(Refused, AShell) {
  OwnedMat shell;
  PETSC_OK(MatCreateShell(PETSC_COMM_WORLD, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE, nullptr, shell.out()));
  PETSC_OK(MatShellSetOperation(shell, MATOP_MULT, reinterpret_cast<PetscErrorCodeFn*>(multiply_nothing)));
  PETSC_OK(MatAssemblyBegin(shell, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(shell, MAT_FINAL_ASSEMBLY));
  EXPECT_EQ(LacunaMatUse(shell), PETSC_ERR_SUP);
  EXPECT_NE(m_text.find("not shell"), std::string::npos) << m_text;
}

TEST_F(Refused, ADenseMatrixAndOneWithoutAType) {
  OwnedMat dense, bare;
  PETSC_OK(MatCreateDense(PETSC_COMM_WORLD, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE, nullptr, dense.out()));
  EXPECT_EQ(LacunaMatUse(dense), PETSC_ERR_SUP);
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, bare.out()));
  EXPECT_EQ(LacunaMatUse(bare), PETSC_ERR_SUP);
}

TEST_F(Refused, AMatrixBeforeItsAssembly) {
  OwnedMat A;
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.out()));
  PETSC_OK(MatSetSizes(A, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE));
  PETSC_OK(MatSetType(A, MATAIJ));
  EXPECT_EQ(LacunaMatUse(A), PETSC_ERR_ARG_WRONGSTATE);
  EXPECT_NE(m_text.find("must be assembled"), std::string::npos) << m_text;
}

TEST_F(Refused, ANegativeNumberOfCalls) {
  OwnedMat mesh;
  make_mesh(MATAIJ, 5, 1, Deal::evenly, false, &mesh);
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_lacuna_expected_calls", "-3"));
  EXPECT_EQ(LacunaMatUse(mesh), PETSC_ERR_ARG_OUTOFRANGE);
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_lacuna_expected_calls"));
}

TEST(MatUseSizes, NoRowsNoColumnsNoNonzeros) {
  for (const auto& [rows, columns] : {std::pair{0, 4}, std::pair{4, 0}, std::pair{0, 0}, std::pair{3, 4}}) {
    OwnedMat A, reference;
    PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.out()));
    PETSC_OK(MatSetSizes(A, rows, columns, PETSC_DETERMINE, PETSC_DETERMINE));
    PETSC_OK(MatSetType(A, MATAIJ));
    PETSC_OK(MatSetUp(A));
    PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, reference.out()));
    PETSC_OK(LacunaMatUse(A));
    expect_same_products(A, reference);
  }
}

/// As the other columns' block of a parallel matrix: a few rows of many have nonzeros.
void make_few_filled_rows(const char* type, PetscInt rows, PetscInt step, OwnedMat* A) {
  PETSC_OK(MatCreate(PETSC_COMM_SELF, A->out()));
  PETSC_OK(MatSetSizes(*A, rows, 7, rows, 7));
  PETSC_OK(MatSetType(*A, type));
  PETSC_OK(MatSetUp(*A));
  PETSC_OK(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt row = step - 1; row < rows; row += step)
    for (PetscInt column = row % 5; column < 7; ++column)
      PETSC_OK(MatSetValue(*A, row, column, value_at(row, column, 1), INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
}

class FilledRows : public testing::TestWithParam<const char*> {};

TEST_P(FilledRows, WhatIsAddedTouchesNoOthers) {
  constexpr PetscInt rows = 200000, step = 1000;
  OwnedMat A, reference;
  make_few_filled_rows(GetParam(), rows, step, &A);
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, reference.out()));
  PETSC_OK(LacunaMatUse(A));
  expect_same_products(A, reference);
  EXPECT_NE(report_of(A).find("of a 200x7 matrix"), std::string::npos) << report_of(A);
  for (Mat M : {Mat(A), Mat(reference)}) PETSC_OK(MatScale(M, -3));
  expect_same_products(A, reference);
  for (Mat M : {Mat(A), Mat(reference)}) {
    PETSC_OK(MatSetValue(M, rows - 2, 6, 5, INSERT_VALUES));
    PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  }
  expect_same_products(A, reference);
  EXPECT_NE(report_of(A).find("of a 201x7 matrix"), std::string::npos) << report_of(A);
}

TEST_P(FilledRows, ManyAreNotToldApart) {
  OwnedMat A, reference;
  make_few_filled_rows(GetParam(), 200000, 2, &A);
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, reference.out()));
  PETSC_OK(LacunaMatUse(A));
  expect_same_products(A, reference);
  EXPECT_EQ(report_of(A).find("of a 100000x7 matrix"), std::string::npos) << report_of(A);
}

INSTANTIATE_TEST_SUITE_P(Types, FilledRows, testing::ValuesIn(types()),
                         [](const auto& info) { return std::string(info.param); });

TEST(MatUseSolver, SameIterationsAsPetsc) {
  OwnedMat A, reference;
  make_mesh(MATAIJ, 24, 1, Deal::none_on_first, false, &A);
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, reference.out()));
  PETSC_OK(LacunaMatUse(A));
  PetscInt iterations[2] = {0, 0};
  PetscReal residual[2]  = {0, 0};
  for (const int which : {0, 1}) {
    OwnedKsp solver;
    OwnedVec x, b;
    PC preconditioner = nullptr;
    const Mat M       = which == 0 ? static_cast<Mat>(A) : static_cast<Mat>(reference);
    PETSC_OK(MatCreateVecs(M, x.out(), b.out()));
    fill(b, 1);
    PETSC_OK(KSPCreate(PETSC_COMM_WORLD, solver.out()));
    PETSC_OK(KSPSetOperators(solver, M, M));
    PETSC_OK(KSPSetType(solver, KSPGMRES));
    PETSC_OK(KSPGetPC(solver, &preconditioner));
    PETSC_OK(PCSetType(preconditioner, PCJACOBI));
    PETSC_OK(KSPSetTolerances(solver, 1e-8, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    PETSC_OK(KSPSolve(solver, b, x));
    PETSC_OK(KSPGetIterationNumber(solver, &iterations[which]));
    PETSC_OK(KSPGetResidualNorm(solver, &residual[which]));
  }
  EXPECT_GT(iterations[0], 2);
  EXPECT_EQ(iterations[0], iterations[1]);
  EXPECT_NEAR(residual[0], residual[1], tolerance());
}

}  // namespace
}  // namespace lacuna_test

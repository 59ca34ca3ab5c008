// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TESTS_PETSC_PRODUCTS_HPP
#define LACUNA_TESTS_PETSC_PRODUCTS_HPP

#include "Petsc_Support.hpp"

#include <array>
#include <string>

/// \file
/// \brief Products of sparse matrices by MatProduct: factors of any type, and how results are compared.

namespace lacuna_test {

inline std::string type_of(Mat A) {
  MatType type = nullptr;
  EXPECT_EQ(static_cast<int>(MatGetType(A, &type)), 0);
  return type;
}

/// The largest difference of an element, relative to the largest row sum.
inline void expect_same(Mat A, Mat B) {
  OwnedMat difference;
  PetscReal norm = 0, error = 0;
  PETSC_OK(MatConvert(B, MATAIJ, MAT_INITIAL_MATRIX, difference.out()));
  PETSC_OK(MatNorm(difference, NORM_INFINITY, &norm));
  OwnedMat plain;
  PETSC_OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, plain.out()));
  PETSC_OK(MatAXPY(difference, -1, plain, DIFFERENT_NONZERO_PATTERN));
  PETSC_OK(MatNorm(difference, NORM_INFINITY, &error));
  EXPECT_GT(norm, 0);
  EXPECT_LE(error, tolerance() * norm);
}

/// Whether a plan of ours is composed with C.
inline bool is_our_product(Mat C) {
  PetscObject plan = nullptr;
  for (const char* name : {"Lacuna product", "Lacuna parallel product"}) {
    if (plan == nullptr)
      EXPECT_EQ(static_cast<int>(PetscObjectQuery(reinterpret_cast<PetscObject>(static_cast<Mat>(C)), name, &plan)), 0);
  }
  return plan != nullptr;
}

inline constexpr std::array products{MATPRODUCT_AB,   MATPRODUCT_AtB,  MATPRODUCT_ABt,
                                     MATPRODUCT_PtAP, MATPRODUCT_RARt, MATPRODUCT_ABC};

/// A tall prolongator: pairs of rows in a column, and a coupling to the next.
inline void make_prolongator(const char* type, Mat fine, OwnedMat* P) {
  PetscInt begin = 0, end = 0, rows = 0;
  PETSC_OK(MatGetOwnershipRange(fine, &begin, &end));
  PETSC_OK(MatGetSize(fine, &rows, nullptr));
  const PetscInt columns = (rows + 1) / 2, own = (end + 1) / 2 - (begin + 1) / 2;
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, P->out()));
  PETSC_OK(MatSetSizes(*P, end - begin, own, rows, columns));
  PETSC_OK(MatSetType(*P, type));
  PETSC_OK(MatSetUp(*P));
  for (PetscInt row = begin; row < end; ++row) {
    PETSC_OK(MatSetValue(*P, row, row / 2, value_at(row, row / 2, 3), INSERT_VALUES));
    PETSC_OK(MatSetValue(*P, row, (row / 2 + 1) % columns, value_at(row, row / 2 + 1, 1), INSERT_VALUES));
  }
  PETSC_OK(MatAssemblyBegin(*P, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(*P, MAT_FINAL_ASSEMBLY));
}

struct Factors {
  OwnedMat A, P, R;

  void make(const char* type, Deal deal) {
    make_mesh(type, 15, 1, deal, false, &A);
    make_prolongator(type, A, &P);
    PETSC_OK(MatTranspose(P, MAT_INITIAL_MATRIX, R.out()));
  }
  void multiply(MatProductType type, OwnedMat* C) const {
    Mat second = P, third = nullptr, first = A;
    if (type == MATPRODUCT_ABt || type == MATPRODUCT_RARt) second = R;
    if (type == MATPRODUCT_ABC) {
      first  = R;
      second = A;
      third  = P;
    }
    PETSC_OK(MatProductCreate(first, second, third, C->out()));
    PETSC_OK(MatProductSetType(*C, type));
    PETSC_OK(MatProductSetFromOptions(*C));
    PETSC_OK(MatProductSymbolic(*C));
    PETSC_OK(MatProductNumeric(*C));
  }
  void change(PetscScalar by) const {
    PETSC_OK(MatScale(A, by));
    PETSC_OK(MatShift(A, 1));
  }
};

/// C and `expected` are the same product of both, again and again with new values of A.
inline void expect_same_with_new_values(const Factors& ours, const Factors& theirs, Mat C, Mat expected) {
  for (const PetscScalar by : {PetscScalar(-2), PetscScalar(0.5)}) {
    ours.change(by);
    theirs.change(by);
    PETSC_OK(MatProductNumeric(C));
    PETSC_OK(MatProductNumeric(expected));
    expect_same(C, expected);
    expect_same_products(C, expected);
  }
}

/// An element in each row that may not have been there.
inline void add_antidiagonal(Mat M) {
  PetscInt begin = 0, end = 0, columns = 0;
  PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PETSC_OK(MatGetOwnershipRange(M, &begin, &end));
  PETSC_OK(MatGetSize(M, nullptr, &columns));
  for (PetscInt row = begin; row < end; ++row)
    if (row < columns) PETSC_OK(MatSetValue(M, row, columns - 1 - row, 3, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
}

}  // namespace lacuna_test

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>
#include <Lacuna_RowStatistics.hpp>
#include <Lacuna_Spadd.hpp>
#include <Lacuna_Transpose.hpp>
#include <Lacuna_ValidateFormats.hpp>

#include "FailingAllocations.hpp"

/// \file
/// \brief Conversions, transposes, checks and generators of which each allocation fails once.

namespace lacuna::Test {
namespace {

struct Matrices : testing::Test {
  const Exec exec;
  /// Sorted rows without duplicates, and the opposite.
  const Matrix tidy  = make_crs<Matrix>(banded_matrix<double>(70, 60, 3, 4));
  const Matrix messy = make_crs<Matrix>(shuffled(with_duplicates(uneven_matrix<double>(90, 80, 9))));

  /// There, back, `validate`, and new values.
  template <class Convert>
  void check(const std::string& name, const Matrix& A, const Convert& convert) {
    EXPECT_GT(fail_each_allocation("to_" + name, [&] { convert(A); }), 0);
    const auto format = convert(A);
    EXPECT_GT(fail_each_allocation("to_crs of " + name, [&] { to_crs(exec, format); }), 0);
    EXPECT_GT(fail_each_allocation("validate of " + name, [&] { validate(exec, format); }), 0);
    fail_each_allocation("update_values of " + name, [&] { update_values(exec, A, format); });
  }
};

TEST_F(Matrices, Conversions) {
  for (const Matrix& A : {tidy, messy}) {
    SCOPED_TRACE(&A == &tidy ? "tidy" : "messy");
    check("coo", A, [&](const Matrix& M) { return to_coo(exec, M); });
    check("ell", A, [&](const Matrix& M) { return to_ell(exec, M); });
    check("padded_rows", A, [&](const Matrix& M) { return to_padded_rows(exec, M); });
    check("dia", A, [&](const Matrix& M) { return to_dia(exec, M); });
    check("hyb", A, [&](const Matrix& M) { return to_hyb(exec, M, {.width = 3}); });
    check("row_block", A, [&](const Matrix& M) { return to_row_block(exec, M); });
    check("sell", A, [&](const Matrix& M) { return to_sell(exec, M); });
    check("bricks", A, [&](const Matrix& M) { return to_bricks(exec, M); });
    check("hrpb", A, [&](const Matrix& M) { return to_hrpb(exec, M); });
    check("gcoo", A, [&](const Matrix& M) { return to_gcoo(exec, M); });
    check("hm", A, [&](const Matrix& M) { return to_hm(exec, M); });
  }
  check("sliced_dia", tidy, [&](const Matrix& M) { return to_sliced_dia(exec, M); });
  const Matrix square = make_crs<Matrix>(banded_matrix<double>(60, 60, 2, 2));
  check("cdm", square, [&](const Matrix& M) { return to_cdm(exec, M); });
}

TEST_F(Matrices, OtherOrders) {
  for (const Matrix& A : {tidy, messy}) {
    EXPECT_GT(fail_each_allocation("transpose", [&] { transpose(exec, A); }), 0);
    EXPECT_GT(fail_each_allocation("sort_rows", [&] { sort_rows(exec, A); }), 0);
    const auto transposed = transpose(exec, A);
    fail_each_allocation("update_values", [&] { update_values(exec, A, transposed); });
    EXPECT_GT(fail_each_allocation("validate", [&] { validate(exec, A); }), 0);
    EXPECT_GT(fail_each_allocation("row_statistics", [&] { row_statistics(exec, A); }), 0);
  }
  EXPECT_GT(fail_each_allocation("generate", [&] { generate<Matrix>(exec, "mesh7:n=5"); }), 0);
}

TEST_F(Matrices, Sums) {
  for (const Matrix& A : {tidy, messy}) {
    const Matrix B = make_crs<Matrix>(random_matrix<double>(A.numRows(), A.numCols(), 5));
    EXPECT_GT(fail_each_allocation("spadd", [&] { spadd(exec, 1, A, 2, B); }), 0);
    EXPECT_GT(fail_each_allocation("SpaddPlan", [&] { SpaddPlan(exec, A, B); }), 0);
    const SpaddPlan plan(exec, A, B);
    EXPECT_GT(fail_each_allocation("SpaddPlan::allocate", [&] { plan.allocate(exec); }), 0);
    const auto C = plan.allocate(exec);
    fail_each_allocation("spadd with a plan", [&] { spadd(exec, plan, 1, A, 2, B, C); });
  }
}

}  // namespace
}  // namespace lacuna::Test

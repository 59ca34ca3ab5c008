// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_TPETRA_SOLVE_HPP
#define LACUNA_TEST_TPETRA_SOLVE_HPP

#include "Tpetra_Matrices.hpp"

#include <BelosLinearProblem.hpp>
#include <BelosSolverFactory.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Teuchos_ParameterList.hpp>

#include <gmock/gmock.h>

/// \file
/// \brief A solve by Belos, and what two solves must have in common.

namespace lacuna::Test {

using TpetraOperatorBase = Tpetra::Operator<>;

struct Solved {
  bool converged;
  int iterations;
  double achieved;  // what Belos says of the relative residual
  double residual;  // by Tpetra's own apply: the largest over vectors, relative to B
  RCP<TpetraVectors> X;
};

/// A X = B by `method` with the products of `op`, from X = 0.
inline Solved solve(const std::string& method, const RCP<const TpetraMatrix>& A,
                    const RCP<const TpetraOperatorBase>& op, const TpetraVectors& B,
                    const RCP<const TpetraOperatorBase>& preconditioner = Teuchos::null) {
  const auto X = rcp(new TpetraVectors(A->getDomainMap(), B.getNumVectors()));
  const auto problem =
      rcp(new Belos::LinearProblem<double, TpetraVectors, TpetraOperatorBase>(op, X, Teuchos::rcpFromRef(B)));
  if (!preconditioner.is_null()) problem->setRightPrec(preconditioner);
  if (method.find("CG") != std::string::npos) problem->setHermitian();
  problem->setProblem();
  const auto parameters = Teuchos::parameterList();
  parameters->set("Convergence Tolerance", 1e-8);
  parameters->set("Maximum Iterations", 300);
  if (method.rfind("Block", 0) == 0) parameters->set("Block Size", static_cast<int>(B.getNumVectors()));
  const auto solver = Belos::SolverFactory<double, TpetraVectors, TpetraOperatorBase>().create(method, parameters);
  solver->setProblem(problem);
  Solved solved{solver->solve() == Belos::Converged, solver->getNumIters(), solver->achievedTol(), 0.0, X};

  TpetraVectors rest(B, Teuchos::Copy);
  A->apply(*X, rest, Teuchos::NO_TRANS, -1.0, 1.0);
  Teuchos::Array<double> of_rest(B.getNumVectors()), of_b(B.getNumVectors());
  rest.norm2(of_rest());
  B.norm2(of_b());
  for (int j = 0; j < of_rest.size(); ++j) solved.residual = std::max(solved.residual, of_rest[j] / of_b[j]);
  return solved;
}

/// Sums in another order change the last bits of what a solver goes by, no more.
inline void expect_same_solve(const Solved& ours, const Solved& theirs) {
  EXPECT_TRUE(ours.converged);
  EXPECT_TRUE(theirs.converged);
  EXPECT_GT(theirs.iterations, 1);
  EXPECT_EQ(ours.iterations, theirs.iterations);
  EXPECT_NEAR(ours.achieved, theirs.achieved, 1e-12);
  EXPECT_NEAR(ours.residual, theirs.residual, 1e-12);
  EXPECT_LT(ours.residual, 2e-8);
}

}  // namespace lacuna::Test

#endif

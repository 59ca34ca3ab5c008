// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Guide_Check.hpp"

#include <Lacuna_Tpetra.hpp>

#include <BelosLinearProblem.hpp>
#include <BelosSolverFactory.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace {

using Teuchos::RCP;
using Teuchos::rcp;
using Matrix   = Tpetra::CrsMatrix<>;
using Vectors  = Tpetra::MultiVector<>;
using Operator = Tpetra::Operator<>;
using Map      = Tpetra::Map<>;

/// 2 on the diagonal and -1 beside it.
RCP<Matrix> line(int size) {
  const auto map = rcp(new Map(size, 0, Tpetra::getDefaultComm()));
  const auto A   = rcp(new Matrix(map, 3));
  for (const auto row : map->getLocalElementList())
    for (auto column = std::max<Map::global_ordinal_type>(row - 1, 0); column <= std::min<int>(row + 1, size - 1);
         ++column)
      A->insertGlobalValues(row, Teuchos::tuple(column), Teuchos::tuple(column == row ? 2.0 : -1.0));
  A->fillComplete();
  return A;
}

/// Each coarse row stands for two fine ones.
RCP<Matrix> pairs(const Matrix& A) {
  const auto coarse = rcp(new Map(A.getGlobalNumRows() / 2, 0, A.getComm()));
  const auto P      = rcp(new Matrix(A.getRowMap(), 1));
  for (const auto row : A.getRowMap()->getLocalElementList())
    P->insertGlobalValues(row, Teuchos::tuple(row / 2), Teuchos::tuple(1.0));
  P->fillComplete(coarse, A.getRangeMap());
  return P;
}

double distance(const Vectors& X, const Vectors& Y) {
  Vectors rest(X, Teuchos::Copy);
  rest.update(-1.0, Y, 1.0);
  Teuchos::Array<double> norms(X.getNumVectors());
  rest.normInf(norms());
  return *std::max_element(norms.begin(), norms.end());
}

void solves() {
  const auto A = line(200);
  const auto X = rcp(new Vectors(A->getDomainMap(), 1)), B = rcp(new Vectors(A->getRangeMap(), 1));
  B->putScalar(1.0);
  const auto parameters = Teuchos::parameterList();
  parameters->set("Maximum Iterations", 300);

  //! [one-line]
  const RCP<Operator> op = rcp(new lacuna::TpetraOperator(A));
  //! [one-line]

  //! [belos]
  const auto problem = rcp(new Belos::LinearProblem<double, Vectors, Operator>(op, X, B));  // op in place of A
  problem->setProblem();
  const auto solver = Belos::SolverFactory<double, Vectors, Operator>().create("Block CG", parameters);
  solver->setProblem(problem);
  const bool converged = solver->solve() == Belos::Converged;
  //! [belos]
  check(converged, "the solve");
  Vectors product(A->getRangeMap(), 1);
  A->apply(*X, product);
  check(distance(product, *B) < 1e-6, "the solution");
}

void copies_and_new_values() {
  const auto A = line(200);
  Vectors X(A->getDomainMap(), 8), Y(A->getRangeMap(), 8), expected(A->getRangeMap(), 8);
  X.putScalar(1.0);
  //! [copies]
  lacuna::TpetraOperator<> op(A, {.columns = 8, .expected_calls = 10000, .reads_values_of_A = false});
  op.apply(X, Y);
  A->resumeFill();
  A->scale(0.5);
  A->fillComplete();
  op.update_values();
  op.apply(X, Y);
  //! [copies]
  A->apply(X, expected);
  check(distance(Y, expected) < 1e-12, "new values");
}

void products() {
  const auto A        = line(200);
  const auto P        = pairs(*A);
  const RCP<Matrix> R = Tpetra::RowMatrixTransposer<>(P).createTranspose();
  //! [product]
  lacuna::TpetraTripleProduct<> coarse(R, A, P);
  const RCP<Matrix> C = coarse.result();  // an ordinary matrix, fill complete

  A->resumeFill();
  A->scale(0.5);
  A->fillComplete();
  coarse.multiply();  // C has the new values
  //! [product]
  Vectors X(C->getDomainMap(), 1), Y(C->getRangeMap(), 1), fine(A->getDomainMap(), 1), of_a(A->getRangeMap(), 1),
      expected(C->getRangeMap(), 1);
  X.randomize();
  C->apply(X, Y);
  P->apply(X, fine);
  A->apply(fine, of_a);
  R->apply(of_a, expected);
  check(distance(Y, expected) < 1e-12, "R A P");

  //! [two-factors]
  lacuna::TpetraProduct<> square(A, A, {.expected_calls = 100});
  square.multiply();
  //! [two-factors]
  check(square.result()->getGlobalNumRows() == A->getGlobalNumRows(), "the rows of A A");
}

void errors() {
  std::string text;
  //! [errors]
  try {
    lacuna::TpetraOperator<> op{RCP<Matrix>()};
  } catch (const lacuna::InvalidArgument& error) {
    text = error.what();  // … lacuna::TpetraOperator: A is a null RCP
  }
  //! [errors]
  check(text.find("A is a null RCP") != std::string::npos, "the text of an error");
}

}  // namespace

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  solves();
  copies_and_new_values();
  products();
  errors();
  return guide_failures;
}

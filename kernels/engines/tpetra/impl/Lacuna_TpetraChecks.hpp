// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TPETRACHECKS_HPP
#define LACUNA_TPETRACHECKS_HPP

#include <Lacuna_Error.hpp>

#include <Teuchos_Assert.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Access.hpp>

/// \file
/// \brief What a matrix of Tpetra and its vectors must be. Errors are thrown as Teuchos throws them, with the place in
/// front, and are errors of this library.

namespace lacuna::Impl {

template <class Matrix>
void check_fill_complete(const char* function, const char* what, const Matrix& A) {
  TEUCHOS_TEST_FOR_EXCEPTION(!A.isFillComplete(), InvalidArgument,
                             "lacuna::" << function << ": " << what
                                        << " is not fill complete, call its fillComplete(); "
                                        << "it has " << A.getLocalNumRows() << " rows on this rank");
}

/// The matrix, kept alive, where it is there and fill complete.
template <class Matrix>
Teuchos::RCP<const Matrix> checked_tpetra_matrix(const char* function, const char* what,
                                                 const Teuchos::RCP<const Matrix>& A) {
  TEUCHOS_TEST_FOR_EXCEPTION(A.is_null(), InvalidArgument, "lacuna::" << function << ": " << what << " is a null RCP");
  TEUCHOS_TEST_FOR_EXCEPTION(!A.is_valid_ptr(), InvalidArgument,
                             "lacuna::" << function << ": " << what << " is a weak RCP of a matrix that is gone");
  check_fill_complete(function, what, *A);
  return A.create_strong();
}

/// X and Y, on this rank: whether all ranks have the same maps would take a message to know.
template <class Matrix, class Vectors>
void check_tpetra_vectors(const Matrix& A, const Vectors& X, const Vectors& Y, bool is_transposed) {
  const auto columns = A.getDomainMap()->getLocalNumElements(), rows = A.getRangeMap()->getLocalNumElements();
  TEUCHOS_TEST_FOR_EXCEPTION(
      X.getLocalLength() != (is_transposed ? rows : columns) || Y.getLocalLength() != (is_transposed ? columns : rows),
      DimensionMismatch,
      "lacuna::TpetraOperator::apply: X has " << X.getLocalLength() << " and Y " << Y.getLocalLength()
                                              << " rows on this rank; " << (is_transposed ? "the transpose of " : "")
                                              << "A has " << columns << " elements of the domain map and " << rows
                                              << " of the range map");
  TEUCHOS_TEST_FOR_EXCEPTION(
      X.getNumVectors() != Y.getNumVectors(), DimensionMismatch,
      "lacuna::TpetraOperator::apply: X has " << X.getNumVectors() << " vectors, Y has " << Y.getNumVectors());
}

/// Whether the first elements of both are one.
template <class Vectors>
bool begin_together(const Vectors& X, const Vectors& Y) {
  if (&X == &Y) return true;
  const auto x = X.getLocalViewDevice(Tpetra::Access::ReadOnly);
  const auto y = Y.getLocalViewDevice(Tpetra::Access::ReadOnly);
  return x.extent(0) != 0 && x.data() == y.data();
}

}  // namespace lacuna::Impl

#endif

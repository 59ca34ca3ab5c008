// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMMASK_HPP
#define LACUNA_SPGEMMMASK_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>

namespace lacuna {

/// \brief Selects entries of C: those where `matrix`, of the shape of C, has an entry, or (`complemented`) those where
/// it has none. Values of `matrix` are not read. Its rows need not be sorted and may have duplicates.
///
/// A mask saves memory of C in the first place. Columns outside it are looked at all the same (hosts do not multiply
/// there), unless a row of the mask is short and rows of B are long and sorted: then the columns of the mask are
/// searched in rows of B.
template <Impl::CrsMatrixType MatrixType>
struct SpgemmMask {
  using matrix_type = MatrixType;

  MatrixType matrix;
  bool complemented = false;
};

/// \brief `SpgemmPlan plan(exec, A, B, within(M))`: only the entries of A B where M has one.
template <Impl::CrsMatrixType Matrix>
SpgemmMask<Matrix> within(const Matrix& M) {
  return {M, false};
}

/// \brief `within(M)` by its name in GraphBLAS: `SpgemmPlan plan(exec, A, B, masked(M))`.
template <Impl::CrsMatrixType Matrix>
SpgemmMask<Matrix> masked(const Matrix& M) {
  return within(M);
}

/// \brief `SpgemmPlan plan(exec, A, B, outside(M))`: only the entries of A B where M has none.
template <Impl::CrsMatrixType Matrix>
SpgemmMask<Matrix> outside(const Matrix& M) {
  return {M, true};
}

/// \brief `outside(M)` by its name in GraphBLAS: `SpgemmPlan plan(exec, A, B, complement(M))`.
template <Impl::CrsMatrixType Matrix>
SpgemmMask<Matrix> complement(const Matrix& M) {
  return outside(M);
}

}  // namespace lacuna

#endif

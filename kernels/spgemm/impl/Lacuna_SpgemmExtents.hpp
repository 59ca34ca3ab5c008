// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMEXTENTS_HPP
#define LACUNA_SPGEMMEXTENTS_HPP

#include <Lacuna_Error.hpp>
#include <Lacuna_Options.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <kernels/plan/Lacuna_PatternDigest.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// What a plan of SpGEMM remembers of a matrix that it was made for.
struct SpgemmExtents {
  template <CrsMatrixType Matrix>
  explicit SpgemmExtents(const Matrix& matrix)
      : rows(static_cast<std::int64_t>(matrix.numRows())),
        columns(static_cast<std::int64_t>(matrix.numCols())),
        nonzeros(static_cast<std::int64_t>(matrix.graph.entries.extent(0))) {}
  std::int64_t rows, columns, nonzeros;
  PatternDigest pattern;  ///< where products compare it

  /// \throws DimensionMismatch or InvalidArgument where `matrix`, which `what` names, is not like that.
  template <class ExecutionSpace, CrsMatrixType Matrix>
  void check(const ExecutionSpace& exec, const char* what, const Matrix& matrix) const {
    const SpgemmExtents given(matrix);
    if (given.rows != rows || given.columns != columns)
      raise<DimensionMismatch>("spgemm", what, " is ", shape_text(given.rows, given.columns),
                               ", the plan was made for ", shape_text(rows, columns));
    if (given.nonzeros != nonzeros || static_cast<std::int64_t>(matrix.values.extent(0)) != nonzeros)
      raise<InvalidArgument>("spgemm", what, " has ", given.nonzeros, " nonzeros and ", matrix.values.extent(0),
                             " values, the plan was made for ", nonzeros);
    pattern.check("spgemm", what, exec, arrays_of(matrix));
  }
};

/// \throws DimensionMismatch where op(A) and op(B) cannot be multiplied.
template <class Matrix>
void check_spgemm(const char* function, Op op_a, const Matrix& A, Op op_b, const Matrix& B) {
  const auto inner_a = static_cast<std::int64_t>(op_a == Op::none ? A.numCols() : A.numRows());
  const auto inner_b = static_cast<std::int64_t>(op_b == Op::none ? B.numRows() : B.numCols());
  if (inner_a != inner_b)
    raise<DimensionMismatch>(function, "op(A) has ", inner_a, " columns, op(B) has ", inner_b, " rows; A is ",
                             shape_text(A.numRows(), A.numCols()), ", op ", name(op_a), ", B is ",
                             shape_text(B.numRows(), B.numCols()), ", op ", name(op_b));
}

}  // namespace lacuna::Impl

#endif

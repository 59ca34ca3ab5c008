// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_OPERANDEXTENTS_HPP
#define LACUNA_OPERANDEXTENTS_HPP

#include <Lacuna_Error.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <kernels/plan/Lacuna_PatternDigest.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// \brief What a plan remembers of a matrix that is given to every call again.
struct OperandExtents {
  OperandExtents() = default;
  template <CrsMatrixType Matrix>
  explicit OperandExtents(const Matrix& matrix)
      : rows(static_cast<std::int64_t>(matrix.numRows())),
        columns(static_cast<std::int64_t>(matrix.numCols())),
        nonzeros(static_cast<std::int64_t>(matrix.graph.entries.extent(0))) {}

  std::int64_t rows = 0, columns = 0, nonzeros = 0;
  PatternDigest pattern;  ///< where calls compare it

  /// Whether `matrix` has these extents and as many nonzeros.
  template <CrsMatrixType Matrix>
  bool equals(const Matrix& matrix) const {
    const OperandExtents given(matrix);
    return given.rows == rows && given.columns == columns && given.nonzeros == nonzeros;
  }
  /// \throws DimensionMismatch or InvalidArgument, in the name of `function`, where `matrix`, which `what` names, is
  /// not like that.
  template <class ExecutionSpace, CrsMatrixType Matrix>
  void check(const char* function, const char* what, const ExecutionSpace& exec, const Matrix& matrix) const {
    const OperandExtents given(matrix);
    if (given.rows != rows || given.columns != columns)
      raise<DimensionMismatch>(function, what, " is ", shape_text(given.rows, given.columns),
                               ", the plan was made for ", shape_text(rows, columns));
    if (given.nonzeros != nonzeros || static_cast<std::int64_t>(matrix.values.extent(0)) != nonzeros)
      raise<InvalidArgument>(function, what, " has ", given.nonzeros, " nonzeros and ", matrix.values.extent(0),
                             " values, the plan was made for a ", shape_text(rows, columns), " matrix with ", nonzeros);
    pattern.check(function, what, exec, arrays_of(matrix));
  }
};

}  // namespace lacuna::Impl

#endif

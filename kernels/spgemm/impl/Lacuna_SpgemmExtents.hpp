// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMEXTENTS_HPP
#define LACUNA_SPGEMMEXTENTS_HPP

#include <Lacuna_Error.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>

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

  /// \throws DimensionMismatch or InvalidArgument where `matrix`, which `what` names, is not like that.
  template <CrsMatrixType Matrix>
  void check(const char* what, const Matrix& matrix) const {
    const SpgemmExtents given(matrix);
    if (given.rows != rows || given.columns != columns)
      raise<DimensionMismatch>("spgemm", what, " is ", shape_text(given.rows, given.columns),
                               ", the plan was made for ", shape_text(rows, columns));
    if (given.nonzeros != nonzeros || static_cast<std::int64_t>(matrix.values.extent(0)) != nonzeros)
      raise<InvalidArgument>("spgemm", what, " has ", given.nonzeros, " nonzeros and ", matrix.values.extent(0),
                             " values, the plan was made for ", nonzeros);
  }
};

}  // namespace lacuna::Impl

#endif

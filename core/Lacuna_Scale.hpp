// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SCALE_HPP
#define LACUNA_SCALE_HPP

#include <Lacuna_Error.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_SharedBytes.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// \brief Rows and columns of a CSR matrix times numbers, and its diagonal.

namespace lacuna {

namespace Impl {

/// A View of rank 1 with any stride.
template <class Vector>
concept VectorView = Kokkos::is_view_v<Vector> && Vector::rank == 1;

/// \throws DimensionMismatch
template <class Vector>
void check_length(const char* function, const char* what, const Vector& vector, std::int64_t length) {
  if (static_cast<std::int64_t>(vector.extent(0)) != length)
    raise<DimensionMismatch>(function, what, " has ", vector.extent(0), " elements, ", length, " are needed");
}

template <class Scalar, class Factor, class Ordinal, class Offset>
struct ScaleRows {
  StridedVector<const Factor> factors;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const { values[k] = factors[row] * values[k]; }
};

template <class Scalar, class Factor, class Ordinal>
struct ScaleColumns {
  StridedVector<const Factor> factors;
  const Ordinal* entries;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { values[k] = values[k] * factors[entries[k]]; }
};

/// A few lanes read a row and add what stands on the diagonal.
template <class Arrays>
struct ExtractDiagonal {
  using Scalar                 = typename Arrays::Scalar;
  static constexpr int threads = 256;

  template <class Space>
  static constexpr int lanes_per_row = ExecutionTraits<Space>::lane_width < 8 ? ExecutionTraits<Space>::lane_width : 8;

  Arrays A;
  std::int64_t length;
  StridedVector<Scalar> diagonal;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr int wide = lanes_per_row<typename Team::execution_space>;
    const int lane     = team.thread() % wide;
    const std::int64_t row =
        static_cast<std::int64_t>(team.league_rank()) * (team.threads() / wide) + team.thread() / wide;
    const std::int64_t end = row < length ? static_cast<std::int64_t>(A.row_map[row + 1]) : 0;
    Scalar sum             = 0;
    for (std::int64_t k = row < length ? static_cast<std::int64_t>(A.row_map[row]) + lane : 0; k < end; k += wide)
      if (static_cast<std::int64_t>(A.entries[k]) == row) sum += A.values[k];
    sum = Team::sum_lanes(sum, wide);
    if (lane == 0 && row < length) diagonal[row] = sum;
  }
};

/// \throws InvalidArgument where a vector shares memory with the values of A.
template <class Vector, class Matrix>
void check_apart_from_values(const char* function, const char* what, const Vector& vector, const Matrix& A) {
  if (share_bytes(vector, A.values))
    raise<InvalidArgument>(function, what, ", ", vector.extent(0), " elements, shares memory with the values of A, ",
                           shape_text(A.numRows(), A.numCols()), " with ", A.values.extent(0), " nonzeros");
}

}  // namespace Impl

/// \brief A = diag(d) A: multiplies each row i by d(i), in place. One pass over the nonzeros. Does not fence.
///
/// \param[in] exec all work goes to this instance
/// \param[in] d a View of rank 1 with any stride, as many elements as A has rows; its scalar may be real where that of
///     A is complex
/// \param[in,out] A a valid `KokkosSparse::CrsMatrix`, rows in any order; its values are overwritten
/// \throws DimensionMismatch, and InvalidArgument where d shares memory with the values of A. A is then unchanged.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::VectorView Vector, Impl::CrsMatrixType Matrix>
void scale_rows(const ExecutionSpace& exec, const Vector& d, const Matrix& A) {
  static_assert(!std::is_const_v<typename Matrix::value_type>, "lacuna: the values of this matrix are const");
  using Factor = typename Vector::non_const_value_type;
  using Arrays = Impl::CrsArraysOf<Matrix>;
  Impl::in_region("scale_rows", [&] {
    Impl::check_length("scale_rows", "d", d, static_cast<std::int64_t>(A.numRows()));
    Impl::check_apart_from_values("scale_rows", "d", d, A);
    const auto crs = Impl::arrays_of(A);
    Impl::for_each_nonzero(
        exec, "Lacuna::scale_rows", crs.rows, crs.nonzeros, crs.row_map,
        Impl::ScaleRows<typename Arrays::Scalar, Factor, typename Arrays::Ordinal, typename Arrays::Offset>{
            Impl::strided<const Factor>("scale_rows", d), A.values.data()});
  });
}

/// \brief A = A diag(d): multiplies each column j by d(j), in place. One pass over the nonzeros. Does not fence.
/// Parameters and errors are those of `scale_rows`; d has as many elements as A has columns.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::VectorView Vector, Impl::CrsMatrixType Matrix>
void scale_columns(const ExecutionSpace& exec, const Matrix& A, const Vector& d) {
  static_assert(!std::is_const_v<typename Matrix::value_type>, "lacuna: the values of this matrix are const");
  using Factor = typename Vector::non_const_value_type;
  using Arrays = Impl::CrsArraysOf<Matrix>;
  Impl::in_region("scale_columns", [&] {
    Impl::check_length("scale_columns", "d", d, static_cast<std::int64_t>(A.numCols()));
    Impl::check_apart_from_values("scale_columns", "d", d, A);
    const auto crs = Impl::arrays_of(A);
    Impl::for_each_index(exec, "Lacuna::scale_columns", static_cast<std::int64_t>(crs.nonzeros),
                         Impl::ScaleColumns<typename Arrays::Scalar, Factor, typename Arrays::Ordinal>{
                             Impl::strided<const Factor>("scale_columns", d), crs.entries, A.values.data()});
  });
}

/// \brief d(i) = a_ii, 0 where A has no such nonzero, and the sum where it has several. Does not fence. The same bits
/// on every run.
///
/// \param[in] exec all work goes to this instance
/// \param[in] A a valid `KokkosSparse::CrsMatrix`, rows in any order
/// \param[out] d a View of rank 1 with any stride and the scalar of A, as many elements as the smaller extent of A
/// \throws DimensionMismatch, and InvalidArgument where d shares memory with the values of A. d is then unchanged.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix, Impl::VectorView Vector>
void extract_diagonal(const ExecutionSpace& exec, const Matrix& A, const Vector& d) {
  using Arrays = Impl::CrsArraysOf<Matrix>;
  using Body   = Impl::ExtractDiagonal<Arrays>;
  static_assert(std::is_same_v<typename Vector::value_type, typename Arrays::Scalar>,
                "lacuna: d has the scalar of A, and is not const");
  Impl::in_region("extract_diagonal", [&] {
    const auto length = std::min(static_cast<std::int64_t>(A.numRows()), static_cast<std::int64_t>(A.numCols()));
    Impl::check_length("extract_diagonal", "d", d, length);
    Impl::check_apart_from_values("extract_diagonal", "d", d, A);
    const std::int64_t rows_per_team =
        Impl::team_threads<ExecutionSpace>(Body::threads) / Body::template lanes_per_row<ExecutionSpace>;
    Impl::launch_teams<Body::threads>(
        exec, "Lacuna::extract_diagonal", {Impl::ceiling_quotient(length, rows_per_team), Body::threads}, 0,
        Body{Impl::arrays_of(A), length, Impl::strided<typename Arrays::Scalar>("extract_diagonal", d)});
  });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::VectorView Vector, Impl::CrsMatrixType Matrix>
void scale_rows(const Vector& d, const Matrix& A) {
  Impl::with_default_instance<typename Matrix::execution_space>("scale_rows",
                                                                [&](const auto& exec) { scale_rows(exec, d, A); });
}
template <Impl::CrsMatrixType Matrix, Impl::VectorView Vector>
void scale_columns(const Matrix& A, const Vector& d) {
  Impl::with_default_instance<typename Matrix::execution_space>("scale_columns",
                                                                [&](const auto& exec) { scale_columns(exec, A, d); });
}
template <Impl::CrsMatrixType Matrix, Impl::VectorView Vector>
void extract_diagonal(const Matrix& A, const Vector& d) {
  Impl::with_default_instance<typename Matrix::execution_space>(
      "extract_diagonal", [&](const auto& exec) { extract_diagonal(exec, A, d); });
}

}  // namespace lacuna

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GCOOMATRIX_HPP
#define LACUNA_GCOOMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

/// \file
/// \brief Grouped coordinate storage, for products of a sparse matrix with a wide dense one.

namespace lacuna {

/// \brief What a group of a `GcooMatrix` consists of. The paper has both.
enum class GcooGrouping {
  rows,    ///< p rows, elements ordered by column, then row (Algorithm 2): products take this one
  columns  ///< p columns, elements ordered by row, then column (section III-A, Fig. 2)
};

/// \brief The name of the enumerator.
constexpr std::string_view name(GcooGrouping grouping) { return grouping == GcooGrouping::rows ? "rows" : "columns"; }

/// \brief GCOO, grouped coordinate storage.
///
/// The matrix is cut into groups of `group_size` (p) rows or columns; the last group may have fewer. Group g holds the
/// elements [gIdxes(g), gIdxes(g) + nnzPerGroup(g)). Element k is in row rows(k) and column cols(k) and has the value
/// values(k). Elements that occur more than once keep the order of the matrix that the storage was made from.
///
/// The format and the names of the arrays are those of Shi, Wang and Chu, "Efficient sparse-dense matrix-matrix
/// multiplication on GPUs using the customized sparse storage format", section III-A.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct GcooMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  OrdinalType row_count    = 0;
  OrdinalType column_count = 0;
  std::int64_t group_size  = 1;  ///< p, at least 1
  GcooGrouping grouping    = GcooGrouping::rows;

  Kokkos::View<ScalarType*, DeviceType> values;
  Kokkos::View<OrdinalType*, DeviceType> rows;
  Kokkos::View<OrdinalType*, DeviceType> cols;
  Kokkos::View<OffsetType*, DeviceType> gIdxes;
  Kokkos::View<OffsetType*, DeviceType> nnzPerGroup;
  /// Element k is nonzero source(k) of the CSR matrix that the storage was made from. Empty if that was a dense matrix.
  Kokkos::View<OffsetType*, DeviceType> source;

  OrdinalType numRows() const { return row_count; }
  OrdinalType numCols() const { return column_count; }
  OffsetType nonzeros() const { return static_cast<OffsetType>(values.extent(0)); }
  std::int64_t groups() const {
    const auto extent = static_cast<std::int64_t>(grouping == GcooGrouping::rows ? row_count : column_count);
    return Impl::ceiling_quotient(extent, group_size);
  }
  /// Bytes of the storage.
  std::size_t bytes() const { return Impl::bytes_of(values, rows, cols, gIdxes, nnzPerGroup, source); }
};

/// \brief The `GcooMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what `to_gcoo`
/// returns.
template <Impl::CrsMatrixType Matrix>
using GcooOf = Impl::FormatOf<GcooMatrix, Matrix>;

namespace Impl {
template <class T>
struct is_gcoo_matrix : std::false_type {};
template <class S, class O, class D, class F>
struct is_gcoo_matrix<GcooMatrix<S, O, D, F>> : std::true_type {};

template <class T>
concept GcooMatrixType = is_gcoo_matrix<T>::value;
}  // namespace Impl

/// \brief Options of `to_gcoo`.
struct GcooOptions {
  std::int64_t group_size = 8;  ///< p; one that exceeds the matrix makes one group
  GcooGrouping grouping   = GcooGrouping::rows;
  /// Elements of a dense matrix whose magnitude is at most this are left out. NaN is always kept.
  double threshold         = 0;
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
};

}  // namespace lacuna

#endif

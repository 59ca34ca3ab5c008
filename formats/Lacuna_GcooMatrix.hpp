// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GCOOMATRIX_HPP
#define LACUNA_GCOOMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

/// \file
/// \brief Grouped coordinate storage as published, for products of sparse matrices with wide dense ones.

namespace lacuna {

/// \brief What a group of a `GcooMatrix` is. The paper has both.
enum class GcooGrouping {
  rows,    ///< p rows, their elements by column and then by row (Algorithm 2): what the product takes
  columns  ///< p columns, their elements by row and then by column (section III-A, Fig. 2)
};

constexpr std::string_view name(GcooGrouping grouping) { return grouping == GcooGrouping::rows ? "rows" : "columns"; }

/// \brief GCOO (Shi, Wang, Chu, "Efficient sparse-dense matrix-matrix multiplication on GPUs using the customized
/// sparse storage format", section III-A), under the names of the paper.
///
/// The matrix is cut into groups of `group_size` (p) rows or columns, the last of which may have fewer. Group g holds
/// the elements [gIdxes(g), gIdxes(g) + nnzPerGroup(g)): element k stands at (rows(k), cols(k)) with values(k).
/// Elements that occur more than once stay in the order of the matrix that the storage was made from.
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
  /// Element k is nonzero source(k) of the CSR matrix that the storage was made from; empty where it was a dense one.
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

/// \brief What `to_gcoo` can be asked for.
struct GcooOptions {
  std::int64_t group_size = 8;  ///< p; a p beyond the matrix makes one group
  GcooGrouping grouping   = GcooGrouping::rows;
  /// Of a dense matrix: elements of at most this magnitude are left out. NaN never is.
  double threshold         = 0;
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated
};

}  // namespace lacuna

#endif

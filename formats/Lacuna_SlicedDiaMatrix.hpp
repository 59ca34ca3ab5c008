// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SLICEDDIAMATRIX_HPP
#define LACUNA_SLICEDDIAMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Diagonals within slices of 32 rows: little more than the values, for meshes and banded matrices.

namespace lacuna {

/// \brief Diagonals within slices of rows (HDIA, "hacked DIA": Barbieri, Cardellini, Fanfarillo, Filippone 2015), with
/// masks that say which entries exist.
///
/// A slice holds 32 consecutive rows. The rows of a mesh share nearly all distances from the diagonal, so one offset
/// and one mask of 32 bits stand for up to 32 columns: 4.25 bytes a nonzero in float where CSR has 8. Where a node has
/// several unknowns, all its rows count from the first of them: the *base* of row r is r / group * group.
///
/// Diagonals of slice t are [slice_begin(t), slice_begin(t + 1)). Row 32 t + r has an entry on diagonal d of its slice
/// where bit r of masks(d) is set: the value is values(32 d + r), the column is base + offsets(d). Offsets ascend
/// within a slice; diagonals whose mask is 0 (`uniform_diagonals`) stand behind all others, their offset means nothing.
/// Values of entries that do not exist are 0. Such entries never touch x, so NaN and Inf in x do not leak into rows
/// that do not use them. Rows must be sorted and free of duplicates.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct SlicedDiaMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  static constexpr int rows_per_slice = 32;

  /// Both are wanted at once, by all lanes: one load.
  struct alignas(2 * sizeof(OrdinalType)) Diagonal {
    OrdinalType offset;  ///< column - base
    std::uint32_t mask;  ///< bit r for row r of the slice
  };

  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  int group                  = 1;  ///< rows with one base: the unknowns of a node
  /// Diagonals of every slice where all slices have the same number; 0 where they differ.
  int uniform_diagonals = 0;

  Kokkos::View<std::int32_t*, DeviceType> slice_begin;  ///< slices + 1, in diagonals
  Kokkos::View<Diagonal*, DeviceType> diagonals;        ///< of all slices
  Kokkos::View<ScalarType*, DeviceType> values;         ///< diagonals * 32

  OffsetType nonzeros() const { return stored_nonzeros; }
  std::int64_t slices() const { return (static_cast<std::int64_t>(rows) + rows_per_slice - 1) / rows_per_slice; }
  std::int64_t diagonal_count() const { return static_cast<std::int64_t>(diagonals.extent(0)); }
  /// Bytes of the storage, entries that do not exist included.
  std::size_t bytes() const { return Impl::bytes_of(slice_begin, diagonals, values); }
};

/// \brief What `to_sliced_dia` can be asked for.
struct SlicedDiaOptions {
  int group                = 0;          ///< unknowns of a node; 0: chosen by a sample of the slices
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated
};

}  // namespace lacuna

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SLICEDDIAMATRIX_HPP
#define LACUNA_SLICEDDIAMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Diagonals within slices of 32 rows, for meshes and banded matrices: little more memory than the values.

namespace lacuna {

/// \brief Diagonals within slices of 32 rows, with a mask for each that tells which entries exist.
///
/// A slice holds 32 consecutive rows. The rows of a mesh share nearly all distances from the diagonal, so one offset
/// and one mask of 32 bits describe the columns of up to 32 entries; CSR needs a column index for each. Where a node of
/// the mesh has several unknowns, all its rows count from the first of them: the *base* of row r is r / group * group.
///
/// Slice t has the diagonals [slice_begin(t), slice_begin(t + 1)). Row 32 t + r has an entry on diagonal d of its slice
/// if bit r of `diagonals(d).mask` is set. The value of the entry is values(32 d + r), its column is base +
/// `diagonals(d).offset`. Offsets ascend within a slice. Diagonals with mask 0, which fill slices up to
/// `uniform_diagonals`, come last and have no meaning. Values of entries that do not exist are 0, and a kernel must not
/// read x for them: NaN and Inf of x would reach rows that do not use them. Rows must be sorted and free of duplicates.
///
/// Source: HDIA ("hacked DIA") of Barbieri, Cardellini, Fanfarillo and Filippone, 2015; the masks are added here.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct SlicedDiaMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  static constexpr int rows_per_slice = 32;

  /// An offset and its mask, side by side: all lanes need both at once, and read them with one load.
  struct alignas(2 * sizeof(OrdinalType)) Diagonal {
    OrdinalType offset;  ///< column - base
    std::uint32_t mask;  ///< bit r for row r of the slice
  };

  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  int group                  = 1;  ///< rows that share a base: the unknowns of a node
  /// The number of diagonals of every slice, 0 where slices differ. A product need not read `slice_begin` where it is
  /// set.
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

/// \brief The `SlicedDiaMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what
/// `to_sliced_dia` returns.
template <Impl::CrsMatrixType Matrix>
using SlicedDiaOf = Impl::FormatOf<SlicedDiaMatrix, Matrix>;

/// \brief Options of `to_sliced_dia`.
struct SlicedDiaOptions {
  int group                = 0;          ///< unknowns of a node; 0: a sample of the slices decides
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
};

}  // namespace lacuna

#endif

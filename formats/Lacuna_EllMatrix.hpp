// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ELLMATRIX_HPP
#define LACUNA_ELLMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

/// \file
/// \brief ELLPACK: as many entries for every row as the longest row has.

namespace lacuna {

/// \brief ELLPACK: every row has `width` entries, stored column by column, so that entries of neighbouring rows are
/// contiguous.
///
/// Entry k of row i is element k * stride + i of `column_indices` and `values`. `stride` is the number of rows rounded
/// up to the alignment. The nonzeros of a row, in the order of the CSR matrix, are its first entries. The entries
/// behind them have column `padding` (-1) and value 0; so have all entries of the rows that rounding added. A kernel
/// must end a row at its first padding: 0 times Inf is NaN.
///
/// Source: Bell and Garland, NVR-2008-004, section 3.2.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct EllMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  static constexpr OrdinalType padding = -1;

  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  std::int64_t width         = 0;
  std::int64_t stride        = 0;
  Kokkos::View<OrdinalType*, DeviceType> column_indices;
  Kokkos::View<ScalarType*, DeviceType> values;

  OffsetType nonzeros() const { return stored_nonzeros; }
  /// Bytes of the storage, padding included.
  std::size_t bytes() const { return Impl::bytes_of(column_indices, values); }
};

/// \brief The `EllMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what `to_ell` returns.
template <Impl::CrsMatrixType Matrix>
using EllOf = Impl::FormatOf<EllMatrix, Matrix>;

/// \brief Options of `to_ell`.
struct EllOptions {
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
  /// The conversion throws where it would store more than 2^20 elements and more than this many for each nonzero.
  /// 0 sets no limit.
  double fill_limit = 20;
  int alignment     = 0;  ///< the stride is a multiple of this number; 0: of the lane width, at least 32
};

}  // namespace lacuna

#endif

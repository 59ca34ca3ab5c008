// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ELLMATRIX_HPP
#define LACUNA_ELLMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

namespace lacuna {

/// \brief ELLPACK: every row has `width` places, stored column by column so that neighbouring rows are contiguous.
///
/// Place k of row i is element k * stride + i of `column_indices` and `values`; `stride` is the number of rows rounded
/// up to the alignment. A row's nonzeros, in the order of the CSR, fill its first places; the rest have column
/// `padding` (-1) and value 0. A kernel must skip them, not multiply: 0 times Inf is NaN. The first padding ends a row.
/// Places of the rows that rounding added are all padding. (Bell and Garland, NVR-2008-004, 3.2.)
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

/// \brief What `to_ell` can be asked for.
struct EllOptions {
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated
  /// Storage beyond this many times the nonzeros (and 2^20 elements) is refused; 0 sets no limit.
  double fill_limit = 20;
  int alignment     = 0;  ///< the stride is a multiple of it; 0: the lane width, at least 32
};

}  // namespace lacuna

#endif

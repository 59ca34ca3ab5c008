// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PADDEDROWSMATRIX_HPP
#define LACUNA_PADDEDROWSMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

namespace lacuna {

/// \brief CSR whose rows are padded to a multiple of `multiple` entries, so that every row starts aligned.
///
/// Row i holds the entries [row_map(i), row_map(i + 1)), both multiples of `multiple`: first its nonzeros in the order
/// of the CSR, then fewer than `multiple` of column `padding` (-1) and value 0. A kernel must skip those, not multiply:
/// 0 times Inf is NaN. An empty row has no entries. (Baskaran and Bordawekar, RC24704, section 4, second solution of
/// "aligned global memory access".)
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct PaddedRowsMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  static constexpr OrdinalType padding = -1;

  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  int multiple               = 16;
  Kokkos::View<OffsetType*, DeviceType> row_map;
  Kokkos::View<OrdinalType*, DeviceType> entries;
  Kokkos::View<ScalarType*, DeviceType> values;

  OffsetType nonzeros() const { return stored_nonzeros; }
  /// Bytes of the storage, padding included.
  std::size_t bytes() const { return Impl::bytes_of(row_map, entries, values); }
};

/// \brief What `to_padded_rows` can be asked for.
struct PaddedRowsOptions {
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated
  int multiple             = 16;         ///< 1 … 1024
};

}  // namespace lacuna

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_COOMATRIX_HPP
#define LACUNA_COOMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

namespace lacuna {

/// \brief Coordinate storage, row-major.
///
/// Nonzero k stands at (row_indices(k), column_indices(k)) with values(k). Row indices never decrease; the order inside
/// a row is free (conversions keep that of the CSR) and entries may occur more than once, as in CSR.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct CooMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  OrdinalType rows    = 0;
  OrdinalType columns = 0;
  Kokkos::View<OrdinalType*, DeviceType> row_indices;
  Kokkos::View<OrdinalType*, DeviceType> column_indices;
  Kokkos::View<ScalarType*, DeviceType> values;

  OffsetType nonzeros() const { return static_cast<OffsetType>(values.extent(0)); }
  /// Bytes of the storage.
  std::size_t bytes() const { return Impl::bytes_of(row_indices, column_indices, values); }
};

/// \brief What `to_coo` can be asked for.
struct CooOptions {
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated
};

}  // namespace lacuna

#endif

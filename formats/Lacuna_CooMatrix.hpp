// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_COOMATRIX_HPP
#define LACUNA_COOMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

/// \file
/// \brief Coordinate storage: a row, a column and a value for each nonzero.

namespace lacuna {

/// \brief Coordinate storage (COO), row-major.
///
/// Nonzero k is in row row_indices(k) and column column_indices(k) and has the value values(k). Row indices never
/// decrease. The order inside a row is free (conversions keep that of the CSR matrix). Entries may occur more than
/// once, as in CSR.
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

/// \brief The `CooMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what `to_coo` returns.
template <Impl::CrsMatrixType Matrix>
using CooOf = Impl::FormatOf<CooMatrix, Matrix>;

/// \brief Options of `to_coo`.
struct CooOptions {
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
};

}  // namespace lacuna

#endif

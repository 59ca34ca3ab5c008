// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PADDEDROWSMATRIX_HPP
#define LACUNA_PADDEDROWSMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

/// \file
/// \brief CSR with padded rows, so that every row begins at an aligned address.

namespace lacuna {

/// \brief CSR whose rows are padded to a multiple of `multiple` entries, so that every row begins at an aligned
/// address.
///
/// Row i holds the entries [row_map(i), row_map(i + 1)); both bounds are multiples of `multiple`. Its nonzeros come
/// first, in the order of the CSR matrix. Fewer than `multiple` padding entries with column `padding` (-1) and value 0
/// follow. A kernel must skip them: 0 times Inf is NaN. An empty row has no entries.
///
/// Source: Baskaran and Bordawekar, RC24704, section 4, the second solution of "aligned global memory access".
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

/// \brief The `PaddedRowsMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what
/// `to_padded_rows` returns.
template <Impl::CrsMatrixType Matrix>
using PaddedRowsOf = Impl::FormatOf<PaddedRowsMatrix, Matrix>;

/// \brief Options of `to_padded_rows`.
struct PaddedRowsOptions {
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
  int multiple             = 16;         ///< 1 … 1024
};

}  // namespace lacuna

#endif

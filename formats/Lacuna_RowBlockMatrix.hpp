// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWBLOCKMATRIX_HPP
#define LACUNA_ROWBLOCKMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

namespace lacuna {

/// \brief Blocks of constant size, each with the nonzeros of its rows, so that its part of x is loaded once and used
/// by all of its rows.
///
/// The rows are cut into groups of `block_rows`; group g has the blocks [group_map(g), group_map(g + 1)), by ascending
/// column, without overlap. Block b spans the columns from start_columns(b), a multiple of `alignment` (16), to
/// start_columns(b) + block_columns, which may lie beyond the last column. Blocks start where nonzeros are: the first
/// at the first nonzero column of the group (rounded down), each next one at the first that is not covered yet.
///
/// Row r of block b (row g * block_rows + r of A) holds the entries [row_map(b * block_rows + r),
/// row_map(b * block_rows + r + 1)), their number a multiple of `multiple`: first the nonzeros in the order of the CSR,
/// entries() being the column less the start column, then `padding` (65535) with value 0. A kernel must skip padding,
/// not multiply: 0 times Inf is NaN. A row without nonzeros in a block has no entries there.
///
/// Nonzero k of the CSR is entry slots(k); kernels do not need this, `update_values` does.
/// (Baskaran and Bordawekar, RC24704, section 4, "exploiting data locality and reuse".)
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct RowBlockMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  static constexpr std::uint16_t padding = 65535;
  static constexpr int alignment         = 16;

  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  int block_rows             = 16;
  int block_columns          = 256;
  int multiple               = 16;
  Kokkos::View<OffsetType*, DeviceType> group_map;
  Kokkos::View<OrdinalType*, DeviceType> start_columns;
  Kokkos::View<OffsetType*, DeviceType> row_map;
  Kokkos::View<std::uint16_t*, DeviceType> entries;
  Kokkos::View<ScalarType*, DeviceType> values;
  Kokkos::View<OffsetType*, DeviceType> slots;

  std::int64_t groups() const { return (static_cast<std::int64_t>(rows) + block_rows - 1) / block_rows; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(start_columns.extent(0)); }
  OffsetType nonzeros() const { return stored_nonzeros; }
  /// Bytes of the storage, padding and slots included.
  std::size_t bytes() const { return Impl::bytes_of(group_map, start_columns, row_map, entries, values, slots); }
};

/// \brief What `to_row_block` can be asked for.
struct RowBlockOptions {
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated
  int block_rows           = 16;         ///< 1 … 64
  int block_columns        = 256;        ///< a multiple of 16, at most 32768
  int multiple             = 16;         ///< 1 … 1024
};

}  // namespace lacuna

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWBLOCKMATRIX_HPP
#define LACUNA_ROWBLOCKMATRIX_HPP

#include <Lacuna_CrsOf.hpp>
#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

/// \file
/// \brief Blocks of constant size: a kernel loads the part of x that belongs to a block once for all rows of the block.

namespace lacuna {

/// \brief Blocks of constant size, each with the nonzeros of its rows. A kernel loads the elements of x that belong to
/// a block once and uses them for all of its rows.
///
/// The rows are cut into groups of `block_rows`. Group g has the blocks [group_map(g), group_map(g + 1)), by ascending
/// column, without overlap. Block b spans `block_columns` columns from start_columns(b), a multiple of `alignment`
/// (16); it may reach beyond the last column. The first block of a group begins at the first column that holds a
/// nonzero in the group, rounded down. Each next block begins at the first such column that no block covers yet,
/// rounded down.
///
/// Row r of block b is row g * block_rows + r of A. It holds the entries [row_map(b * block_rows + r), row_map(b *
/// block_rows + r + 1)), a multiple of `multiple`. Its nonzeros come first, in the order of the CSR matrix; `entries`
/// holds their column less the start column. Then come padding entries with column `padding` (65535) and value 0. A
/// kernel must skip them: 0 times Inf is NaN. A row without nonzeros in a block has no entries there.
///
/// Nonzero k of the CSR matrix is entry slots(k). `update_values` needs this array, kernels do not.
///
/// Source: Baskaran and Bordawekar, RC24704, section 4, "exploiting data locality and reuse".
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

/// \brief The `RowBlockMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what
/// `to_row_block` returns.
template <Impl::CrsMatrixType Matrix>
using RowBlockOf = Impl::FormatOf<RowBlockMatrix, Matrix>;

/// \brief Dense sub-blocks, and what is not in them, of a matrix of type `Crs`: A is the sum of both.
template <Impl::CrsMatrixType Crs>
struct RowBlockSplit {
  RowBlockOf<Crs> blocks;  ///< without its `slots`
  Crs rest;                ///< of the same extents, rows in the order of A
  /// Nonzero k of A is entry `slots(k)` of `blocks`, or, where that is below 0, nonzero -1 - `slots(k)` of `rest`.
  Kokkos::View<std::int64_t*, typename Crs::device_type> slots;

  /// Bytes of the storage.
  std::size_t bytes() const {
    return blocks.bytes() + Impl::bytes_of(rest.graph.row_map, rest.graph.entries, rest.values, slots);
  }
};

/// \brief The split with the scalar, indices and device of a CSR matrix of type `Matrix`: what `extract_row_blocks`
/// returns.
template <Impl::CrsMatrixType Matrix>
using RowBlockSplitOf = RowBlockSplit<CrsOf<Matrix>>;

/// \brief Options of `to_row_block`.
struct RowBlockOptions {
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
  int block_rows           = 16;         ///< 1 … 64
  int block_columns        = 256;        ///< a multiple of 16, at most 32768
  int multiple             = 16;         ///< 1 … 1024
};

}  // namespace lacuna

#endif

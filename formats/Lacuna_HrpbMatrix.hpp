// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HRPBMATRIX_HPP
#define LACUNA_HRPBMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Hierarchical row-panel blocking as published, for matrix engines whose M is 16 and whose K is 4.

namespace lacuna {

/// \brief HRPB (Xiang, Asudeh, Sabin, Sukumaran-Rajam, Sadayappan, cuTeSpMM, section 3.2), under the names of the
/// paper.
///
/// A row panel is TM (16 or 32) consecutive rows. Its *active* columns, those with a nonzero (as often as the row that
/// holds them most often), are moved together to the left, ascending, and cut into blocks of TM × TK and those into
/// bricks of 16 × 4. Panel p has the blocks [blockedRowPtr(p), blockedRowPtr(p + 1)); block b has the active columns
/// activeCols(16 b) … activeCols(16 b + 15), the last of the panel repeated behind it, and the bytes [sizePtr(b),
/// sizePtr(b + 1)) of packedBlocks:
///
///     Scalar   nnz_array[];               the nonzeros brick by brick, each by rows
///     uint64_t patterns[TM/16 * TK/4];    of each brick that is not empty: bit 4 i + j stands for row i, column j
///     uint32_t colPtr[TK/4 + 1];          the bricks of each column of bricks, as in CSC
///     uint32_t rows[TM/16 * TK/4];        the row of bricks that each brick is in
///
/// What follows the nonzeros begins a constant number of bytes before the end of the block. A block is a multiple of 16
/// bytes long, so that it can be copied and read in place; what nothing stands in is 0.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct HrpbMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  using Byte = unsigned char;

  static constexpr int TK      = 16;
  static constexpr int brick_m = 16;
  static constexpr int brick_k = 4;

  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  int TM                     = 16;  ///< 16 or 32

  Kokkos::View<Byte*, DeviceType> packedBlocks;
  Kokkos::View<OffsetType*, DeviceType> blockedRowPtr;  ///< panels + 1
  Kokkos::View<OrdinalType*, DeviceType> activeCols;    ///< NUM_BLKS * TK
  Kokkos::View<std::int64_t*, DeviceType> sizePtr;      ///< NUM_BLKS + 1, in bytes
  /// Nonzero k of the CSR matrix is element slots(k) of packedBlocks, seen as an array of Scalar.
  Kokkos::View<OffsetType*, DeviceType> slots;

  OffsetType nonzeros() const { return stored_nonzeros; }
  std::int64_t panels() const { return (static_cast<std::int64_t>(rows) + TM - 1) / TM; }
  /// NUM_BLKS of the paper.
  std::int64_t blocks() const { return static_cast<std::int64_t>(activeCols.extent(0)) / TK; }
  /// Bytes of the storage.
  std::size_t bytes() const { return Impl::bytes_of(packedBlocks, blockedRowPtr, activeCols, sizePtr, slots); }
};

/// \brief What `to_hrpb` can be asked for.
struct HrpbOptions {
  int panel_rows           = 16;         ///< TM: 16 or 32
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated
};

}  // namespace lacuna

#endif

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

/// \brief HRPB, hierarchical row-panel blocking.
///
/// A row panel is TM (16 or 32) consecutive rows. A column that holds a nonzero in the panel is *active*, as often as
/// the row that holds it most often. The active columns of a panel, ascending, are moved together to the left and cut
/// into blocks of TM × TK, and those into bricks of 16 × 4. Panel p has the blocks [blockedRowPtr(p), blockedRowPtr(p +
/// 1)). Block b has the active columns activeCols(16 b) … activeCols(16 b + 15), where the last column of the panel is
/// repeated to fill the block. It has the bytes [sizePtr(b), sizePtr(b + 1)) of packedBlocks:
///
///     Scalar   nnz_array[];               the nonzeros of each brick in turn, row by row
///     uint64_t patterns[TM/16 * TK/4];    one for each brick that is not empty: bit 4 i + j is row i, column j
///     uint32_t colPtr[TK/4 + 1];          where each column of bricks begins, as in CSC
///     uint32_t rows[TM/16 * TK/4];        the row of bricks that each brick is in
///
/// The arrays behind the nonzeros begin a constant number of bytes before the end of the block. The size of a block is
/// a multiple of 16 bytes, so that a kernel can copy it and read it in place. Unused bytes are 0.
///
/// The format and the names of the members are those of Xiang, Asudeh, Sabin, Sukumaran-Rajam and Sadayappan, cuTeSpMM,
/// section 3.2.
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
  /// Blocks of all panels (NUM_BLKS in the paper).
  std::int64_t blocks() const { return static_cast<std::int64_t>(activeCols.extent(0)) / TK; }
  /// Bytes of the storage.
  std::size_t bytes() const { return Impl::bytes_of(packedBlocks, blockedRowPtr, activeCols, sizePtr, slots); }
};

/// \brief The `HrpbMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what `to_hrpb`
/// returns.
template <Impl::CrsMatrixType Matrix>
using HrpbOf = Impl::FormatOf<HrpbMatrix, Matrix>;

/// \brief Options of `to_hrpb`.
struct HrpbOptions {
  int panel_rows           = 16;         ///< TM: 16 or 32
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
};

}  // namespace lacuna

#endif

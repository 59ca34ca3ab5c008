// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAMATRIX_HPP
#define LACUNA_DIAMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

/// \file
/// \brief Diagonal storage with a bit for each element that tells whether the matrix has it.

namespace lacuna {

/// \brief Diagonal storage (DIA): every diagonal that holds a nonzero is stored whole.
///
/// Diagonal d has the offset `offsets(d)` = column - row; offsets ascend. Its element in row i is values(d * stride +
/// i). `stride` is the number of rows rounded up to a multiple of 32. Bit i % 32 of occupied((d * stride + i) / 32)
/// tells whether A has a nonzero there. All other elements are 0, and a kernel must skip them, for 0 times Inf is NaN.
/// Entries that occur more than once are added in the order of the CSR matrix.
///
/// Source: Bell and Garland, NVR-2008-004, section 3.1; `occupied` is added here.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct DiaMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  std::int64_t stride        = 0;
  Kokkos::View<OrdinalType*, DeviceType> offsets;
  Kokkos::View<ScalarType*, DeviceType> values;
  Kokkos::View<std::uint32_t*, DeviceType> occupied;

  /// Stored diagonals.
  std::int64_t diagonals() const { return static_cast<std::int64_t>(offsets.extent(0)); }
  /// Nonzeros of the CSR matrix that it was made from, duplicates counted.
  OffsetType nonzeros() const { return stored_nonzeros; }
  /// Bytes of the storage, fill included.
  std::size_t bytes() const { return Impl::bytes_of(offsets, values, occupied); }
};

/// \brief The `DiaMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what `to_dia` returns.
template <Impl::CrsMatrixType Matrix>
using DiaOf = Impl::FormatOf<DiaMatrix, Matrix>;

/// \brief Options of `to_dia`.
struct DiaOptions {
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
  /// The conversion throws where it would store more than 2^20 elements and more than this many for each nonzero.
  /// 0 sets no limit.
  double fill_limit = 20;
};

}  // namespace lacuna

#endif

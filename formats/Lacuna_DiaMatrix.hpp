// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAMATRIX_HPP
#define LACUNA_DIAMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

namespace lacuna {

/// \brief Diagonal storage: every diagonal that holds a nonzero is stored whole.
///
/// Diagonal d is that of offset `offsets(d)` = column - row; offsets ascend. Its element in row i is
/// values(d * stride + i); `stride` is the number of rows rounded up to a multiple of 32. Whether A has a nonzero there
/// is bit i % 32 of occupied((d * stride + i) / 32); everywhere else the value is 0, and a kernel must not multiply it:
/// 0 times Inf is NaN. Entries that occur more than once are added, in the order of the CSR.
/// (Bell and Garland, NVR-2008-004, 3.1; the bits are ours.)
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct DiaMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  std::int64_t stride        = 0;
  Kokkos::View<OrdinalType*, DeviceType> offsets;
  Kokkos::View<ScalarType*, DeviceType> values;
  Kokkos::View<std::uint32_t*, DeviceType> occupied;

  std::int64_t diagonals() const { return static_cast<std::int64_t>(offsets.extent(0)); }
  /// Nonzeros of the CSR that it was made from, those counted that were added to another.
  OffsetType nonzeros() const { return stored_nonzeros; }
  /// Bytes of the storage, fill included.
  std::size_t bytes() const { return Impl::bytes_of(offsets, values, occupied); }
};

/// \brief What `to_dia` can be asked for.
struct DiaOptions {
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated
  /// Storage beyond this many times the nonzeros (and 2^20 elements) is refused; 0 sets no limit.
  double fill_limit = 20;
};

}  // namespace lacuna

#endif

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HMMATRIX_HPP
#define LACUNA_HMMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/diagonals/Lacuna_DiagonalStructure.hpp>

namespace lacuna {

/// \brief HM, diagonal storage without padding: the diagonals that hold anything, one behind the other in one array.
///
/// Diagonal d is that of offset `Ds(d)` = column - row. The main diagonal comes first, then superdiagonals ascending,
/// then subdiagonals -1, -2, …; only stored ones are listed. `list(StartDg(d) + min(row, column))` is its element in
/// (row, column): a diagonal has as many elements as it crosses the matrix, and those of one are contiguous. Where A
/// has no entry on a stored diagonal the element is 0. Any rows and columns; diagonal, banded, triangular, Hessenberg
/// and dense matrices are special cases. (Haque, Parvez, Hossain, Algorithms 17(1):31, 2024, 3.1 and 6.2; Hossain and
/// Mahmud, HPEC 2019. The names of the members are theirs; rectangular matrices and `DiagDense` for HM are ours.)
///
/// Transposes need no copy: diagonal -d of the transpose has the elements of diagonal d, in the same order.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct HmMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  Kokkos::View<OrdinalType*, DeviceType> Ds;
  Kokkos::View<OffsetType*, DeviceType> StartDg;
  Kokkos::View<ScalarType*, DeviceType> list;
  /// StartDg of the diagonal of offset d at d + rows - 1, -1 where it is not stored.
  Kokkos::View<OffsetType*, DeviceType> DiagDense;
  /// `Ds` on the host, for what has to be known before a product.
  Kokkos::View<OrdinalType*, Kokkos::HostSpace> host_Ds;

  std::int64_t dg() const { return static_cast<std::int64_t>(Ds.extent(0)); }
  /// Nonzeros of the CSR that it was made from, duplicates counted; of a product, elements of the stored diagonals.
  OffsetType nonzeros() const { return stored_nonzeros; }
  /// Bytes of the storage in the memory of the device.
  std::size_t bytes() const { return Impl::bytes_of(Ds, StartDg, list, DiagDense); }
};

/// \brief What `to_hm` can be asked for.
struct HmOptions {
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated
  /// Storage beyond this many times the nonzeros (and 2^20 elements) is refused; 0 sets no limit.
  double fill_limit = 20;
};

}  // namespace lacuna

#endif

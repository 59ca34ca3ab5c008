// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CDMMATRIX_HPP
#define LACUNA_CDMMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/diagonals/Lacuna_DiagonalStructure.hpp>

namespace lacuna {

/// \brief CDM, compact diagonals of a square matrix: superdiagonal k stacked on subdiagonal n - k, n elements each.
///
/// Compact diagonal d is that of index `Ds(d)` in [0, n), ascending. `list(d * n + row)` is its element in `row`, which
/// is that of A in column (row + Ds(d)) mod n: rows 0 … n - k - 1 are superdiagonal k, the rest subdiagonal n - k.
/// Where A has no entry on a stored compact diagonal the element is 0, and so it is where a band ends: compact diagonal
/// k of a band has no superdiagonal k, or no subdiagonal n - k. Those are elements like any other in products: times
/// Inf or NaN they are NaN, in HM they are not there. The sparse form lists those that hold anything, the dense form
/// all n. (Haque, Parvez, Hossain, Algorithms 17(1):31, 2024, 3.2 and 6.1. The names of the members are theirs.)
///
/// Transposes need no copy: compact diagonal k of the transpose is compact diagonal (n - k) mod n shifted up by k with
/// wrap-around, the "reverse" of the paper.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct CdmMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  Kokkos::View<OrdinalType*, DeviceType> Ds;
  Kokkos::View<ScalarType*, DeviceType> list;
  /// Where compact diagonal k begins in `list`, -1 where it is not stored (the paper's BdiagDense).
  Kokkos::View<OffsetType*, DeviceType> DiagDense;
  /// `Ds` on the host, for what has to be known before a product.
  Kokkos::View<OrdinalType*, Kokkos::HostSpace> host_Ds;

  std::int64_t dg() const { return static_cast<std::int64_t>(Ds.extent(0)); }
  /// Nonzeros of the CSR that it was made from, duplicates counted; of a product, elements of the stored diagonals.
  OffsetType nonzeros() const { return stored_nonzeros; }
  /// Bytes of the storage in the memory of the device.
  std::size_t bytes() const { return Impl::bytes_of(Ds, list, DiagDense); }
};

/// \brief The sparse form of CDM stores the compact diagonals that hold a nonzero, the dense form all of them.
enum class CdmForm { sparse, dense };

/// \brief What `to_cdm` can be asked for.
struct CdmOptions {
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated
  /// Storage beyond this many times the nonzeros (and 2^20 elements) is refused; 0 sets no limit.
  double fill_limit = 20;
  CdmForm form      = CdmForm::sparse;
};

}  // namespace lacuna

#endif
